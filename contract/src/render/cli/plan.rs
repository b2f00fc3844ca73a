//! Owns which flags a verb has: one for each field that can be said on a command line, read from the
//! schema. Invariant: every field of the input is reached by exactly one flag.

use serde_json::{Map, Value, json};

use super::GLOBAL;
use crate::schema::{Choice, Variant, bare, choices, is_free, one_line, variants};
use crate::validate::{is_scalar, takes};
use crate::verb::Verb;

/// How deep objects are spread over flags; what lies deeper is said as JSON.
const DEPTH_MAX: usize = 4;

/// The fields that mean the same as the command's own flags, in a verb that has all of them.
const OF_THE_CALL: [&str; 3] = ["run", "dry_run", "idempotency_key"];

/// How a field is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    /// One text or number.
    Scalar,
    /// True or false.
    Boolean,
    /// One of a closed list.
    Choice(Vec<Choice>),
    /// Several, one a flag.
    List(Item),
    /// An object with free names.
    Pairs,
    /// JSON.
    Json,
}

/// How one item of a list is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Item {
    /// One text or number.
    Scalar,
    /// One of a closed list.
    Choice(Vec<Choice>),
    /// `key=value,key=value` or JSON.
    Members,
    /// JSON.
    Json,
}

/// Whether a field must be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// In every input.
    Always,
    /// Once another field of the same object is given.
    WithOthers,
    /// Never.
    Never,
}

/// One flag.
#[derive(Debug, Clone)]
pub(crate) struct Flag {
    /// The field, as a path into the input.
    pub(crate) path: Vec<String>,
    /// The flag without its hyphens.
    pub(crate) long: String,
    /// What the field takes, without `null`.
    pub(crate) schema: Value,
    /// How it is written.
    pub(crate) form: Form,
    /// Whether it must be given.
    pub(crate) need: Need,
    /// What the objects around it are, outermost first: name and description.
    pub(crate) within: Vec<(String, String)>,
    /// The variants it belongs to, if not to all: `shape http`.
    pub(crate) only: Vec<String>,
    /// Which of the arguments without a flag it is, from 0.
    pub(crate) position: Option<usize>,
    /// Whether a flag of the whole command says it.
    pub(crate) shared: bool,
}

impl Flag {
    /// The field, with dots.
    pub(crate) fn field(&self) -> String {
        self.path.join(".")
    }

    /// The id of its argument.
    pub(crate) fn id(&self) -> String {
        if self.shared { self.field() } else { format!("field:{}", self.field()) }
    }

    /// The id of the argument that is given by its place.
    pub(crate) fn position_id(&self) -> String {
        format!("place:{}", self.field())
    }

    /// Whether its value is better kept in a file: a secret, since a command line is kept in the
    /// shell's history and every process of the machine can read it; or a whole document, since a
    /// command line has no room for a long one.
    pub(crate) fn is_in_file(&self) -> bool {
        let kept = self.schema.get("writeOnly") == Some(&Value::Bool(true))
            || self.schema.get("contentMediaType").is_some();
        self.form == Form::Scalar && kept
    }

    /// The flag, without its hyphens, that names that file.
    pub(crate) fn file_long(&self) -> String {
        format!("{}-file", self.long)
    }

    /// The id of that flag.
    pub(crate) fn file_id(&self) -> String {
        format!("file:{}", self.field())
    }

    /// Whether the flag can be given several times.
    pub(crate) const fn repeats(&self) -> bool {
        matches!(self.form, Form::List(_) | Form::Pairs)
    }

    /// What stands for its value in help.
    pub(crate) fn value_name(&self) -> String {
        match self.form {
            Form::Pairs => "KEY=VALUE".to_owned(),
            Form::Json | Form::List(Item::Json) => "JSON".to_owned(),
            Form::Scalar | Form::Boolean | Form::Choice(_) | Form::List(_) => {
                self.path.last().map(|name| name.to_ascii_uppercase()).unwrap_or_default()
            }
        }
    }
}

/// The flags of `verb`, in the order of its fields.
pub(crate) fn of(verb: &Verb) -> Vec<Flag> {
    let mut flags = Vec::new();
    for variant in variants(&verb.input) {
        for (name, schema) in variant.fields {
            let need = if variant.requires(name) { Need::Always } else { Need::Never };
            let field = Field { path: vec![name.clone()], need, ..Field::default() };
            spread(field, bare(schema), &mut flags);
        }
    }
    let of_the_call = OF_THE_CALL.iter().all(|name| verb.field(name).is_some());
    let mut taken: Vec<String> = Vec::new();
    for flag in &mut flags {
        flag.shared = of_the_call && OF_THE_CALL.contains(&flag.field().as_str());
        if !flag.shared && GLOBAL.contains(&flag.long.as_str()) {
            flag.long = format!("of-{}", flag.long);
        }
        while taken.contains(&flag.long) {
            flag.long.push_str("-too");
        }
        taken.push(flag.long.clone());
    }
    give_places(verb, &mut flags);
    flags
}

/// See the module's page in [`super`] for the rule.
fn give_places(verb: &Verb, flags: &mut [Flag]) {
    let path: Vec<_> = verb.path_fields().collect();
    for flag in flags.iter_mut() {
        flag.position = path.iter().position(|name| *name == flag.field());
    }
    if !path.is_empty() {
        return;
    }
    let first = flags.iter_mut().find(|flag| flag.need == Need::Always && flag.path.len() == 1);
    let Some(first) = first.filter(|flag| {
        let one = matches!(flag.form, Form::Scalar | Form::Choice(_));
        one || matches!(flag.form, Form::List(Item::Scalar | Item::Choice(_)))
    }) else {
        return;
    };
    first.position = Some(0);
    if matches!(first.form, Form::List(_)) {
        return;
    }
    let mut free = flags.iter_mut().filter(|flag| flag.form == Form::Pairs && flag.path.len() == 1);
    if let (Some(only), None) = (free.next(), free.next()) {
        only.position = Some(1);
    }
}

/// Where a schema stands, on the way down into an input.
#[derive(Debug, Clone)]
struct Field {
    path: Vec<String>,
    need: Need,
    within: Vec<(String, String)>,
    only: Vec<String>,
}

impl Default for Field {
    fn default() -> Self {
        Self { path: Vec::new(), need: Need::Always, within: Vec::new(), only: Vec::new() }
    }
}

fn spread(field: Field, schema: Value, out: &mut Vec<Flag>) {
    let form = form(&schema);
    let inner = variants(&schema);
    let has_fields = inner.iter().any(|one| !one.fields.is_empty());
    if form != Form::Json || field.path.len() >= DEPTH_MAX || !has_fields {
        let long = field.path.join("-").replace('_', "-");
        let Field { path, need, within, only } = field;
        out.push(Flag {
            path,
            long,
            schema,
            form,
            need,
            within,
            only,
            position: None,
            shared: false,
        });
        return;
    }
    let mut within = field.within.clone();
    if let Some(about) = schema.get("description").and_then(Value::as_str) {
        within.push((field.path.join("."), one_line(about)));
    }
    for (name, member) in members(&inner) {
        let mut path = field.path.clone();
        path.push(name);
        let need = match (member.required, field.need) {
            (false, _) => Need::Never,
            (true, Need::Always) if member.only.is_empty() => Need::Always,
            (true, _) => Need::WithOthers,
        };
        let only = if member.only.is_empty() { field.only.clone() } else { member.only };
        spread(Field { path, need, within: within.clone(), only }, member.schema, out);
    }
}

/// A field of an object, seen over all variants of the object.
struct Member {
    schema: Value,
    required: bool,
    only: Vec<String>,
}

/// The fields of all variants together, in order.
fn members(variants: &[Variant<'_>]) -> Vec<(String, Member)> {
    let mut names: Vec<&String> = Vec::new();
    for name in variants.iter().flat_map(|variant| variant.fields.keys()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.into_iter().map(|name| (name.clone(), member(name, variants))).collect()
}

fn member(name: &str, variants: &[Variant<'_>]) -> Member {
    let holders: Vec<_> = variants.iter().filter(|one| one.fields.contains_key(name)).collect();
    let required = holders.iter().all(|one| one.requires(name));
    let only = if holders.len() == variants.len() {
        Vec::new()
    } else {
        let tags = holders.iter().filter_map(|one| one.tag());
        tags.map(|(tag, value)| format!("{tag} {value}")).collect()
    };
    let schemas: Vec<Value> = holders
        .iter()
        .filter_map(|one| {
            let mut schema = bare(one.fields.get(name)?);
            let about = one.schema.get("description");
            let of_tag = one.tag().is_some_and(|(tag, _)| tag == name);
            if let (true, Some(map), Some(about)) = (of_tag, schema.as_object_mut(), about) {
                map.entry("description").or_insert_with(|| about.clone());
            }
            Some(schema)
        })
        .collect();
    Member { schema: joined(schemas), required, only }
}

/// One schema for a field that several variants have.
fn joined(mut schemas: Vec<Value>) -> Value {
    let without_words = |schema: &Value| {
        let mut schema = schema.clone();
        schema.as_object_mut().map(|map| map.shift_remove("description"));
        schema
    };
    let Some(first) = schemas.first().cloned() else { return json!({}) };
    if schemas.iter().any(|schema| without_words(schema) != without_words(&first)) {
        let mut union = Map::new();
        if schemas.iter().all(|schema| schema.get("const").is_none()) {
            union.insert("description".to_owned(), words(&schemas).into());
        }
        union.insert("anyOf".to_owned(), Value::Array(schemas));
        return Value::Object(union);
    }
    let words = words(&schemas);
    let mut only = schemas.swap_remove(0);
    if let Some(map) = only.as_object_mut().filter(|_| !words.is_empty()) {
        map.insert("description".to_owned(), words.into());
    }
    only
}

/// The different descriptions, one after another.
fn words(schemas: &[Value]) -> String {
    let mut texts: Vec<&str> = Vec::new();
    for text in schemas.iter().filter_map(|schema| schema.get("description")?.as_str()) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.join(" Or: ")
}

fn form(schema: &Value) -> Form {
    if is_free(schema) {
        return Form::Json;
    }
    if let Some(choices) = choices(schema) {
        return Form::Choice(choices);
    }
    if takes(schema, "array") {
        return Form::List(item(&schema.get("items").map(bare).unwrap_or_default()));
    }
    if is_scalar(schema) && !takes(schema, "object") {
        let only_boolean = schema.get("type").is_some_and(|kind| kind == "boolean");
        return if only_boolean { Form::Boolean } else { Form::Scalar };
    }
    if takes(schema, "object") && variants(schema).is_empty() { Form::Pairs } else { Form::Json }
}

fn item(schema: &Value) -> Item {
    if let Some(choices) = choices(schema) {
        return Item::Choice(choices);
    }
    let of_scalars = |one: &Variant<'_>| one.fields.values().all(|field| is_scalar(&bare(field)));
    match variants(schema).as_slice() {
        [only] if !only.fields.is_empty() && of_scalars(only) => Item::Members,
        [] if is_scalar(schema) && !takes(schema, "object") => Item::Scalar,
        _ => Item::Json,
    }
}
