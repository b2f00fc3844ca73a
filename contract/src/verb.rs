//! Owns [`Verb`]: the one declaration of everything the service does for a caller, and the
//! [`Registry`] of all of them. Invariant: the three surfaces are rendered from these declarations;
//! no field name is written a second time anywhere.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::action::Action;
use crate::effect::Effect;
use crate::hint;
use crate::schema::one_line;
use crate::validate::Validator;

/// The method of a REST route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// Fields travel in path and query.
    Get,
    /// Fields travel in path and JSON body.
    Post,
    /// Fields travel in path and JSON body; changes a record.
    Patch,
    /// Fields travel in path and query; ends a record.
    Delete,
}

impl Method {
    /// The method's name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Whether the fields that are not in the path travel in a JSON body.
    pub const fn has_body(self) -> bool {
        matches!(self, Self::Post | Self::Patch)
    }
}

/// Which plane carries a verb out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plane {
    /// The control plane, which authenticates the caller itself.
    Control,
    /// The identity's worker.
    Data,
}

/// Who may use a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Any caller who is known, about themselves or for what they may see.
    Caller,
    /// A caller granted this action at the scope that the call reaches.
    Action(Action),
    /// An operator; such a verb opens no tenant's record and is not on MCP.
    Operator,
    /// Anybody, without a token: the secret in the input is all the right there is, and a token that
    /// comes along is not looked at.
    Anyone,
}

/// What a type declares to be a verb. See [`crate::verbs`] for all of them.
pub trait Declare: 'static {
    /// `noun.verb`.
    const NAME: &'static str;
    /// One paragraph: what it does, when to use it, what to know.
    const ABOUT: &'static str;
    /// What it does to the world.
    const EFFECT: Effect;
    /// Who may use it.
    const NEEDS: Needs;
    /// Which plane carries it out.
    const PLANE: Plane;
    /// The REST method.
    const METHOD: Method;
    /// The REST path; `{x}` is the input's field `x`.
    const PATH: &'static str;
    /// The hints it can give.
    const HINTS: &'static [hint::Kind];
    /// What a caller sends.
    type Input: DeserializeOwned + Serialize + JsonSchema + Send + 'static;
    /// What `result` holds.
    type Answer: DeserializeOwned + Serialize + JsonSchema + Send + 'static;
    /// A worked example: an input and its result, against the [`crate::sample`] world.
    fn example() -> (Value, Value);
}

/// A verb, as data.
#[derive(Debug)]
pub struct Verb {
    /// `noun.verb`.
    pub name: &'static str,
    /// One paragraph.
    pub about: &'static str,
    /// What it does to the world.
    pub effect: Effect,
    /// Who may use it.
    pub needs: Needs,
    /// Which plane carries it out.
    pub plane: Plane,
    /// The REST method.
    pub method: Method,
    /// The REST path.
    pub path: &'static str,
    /// The hints it can give.
    pub hints: &'static [hint::Kind],
    /// The schema of the input: an object that takes no unknown field.
    pub input: Value,
    /// The schema of `result`.
    pub answer: Value,
    /// An input of the worked example.
    pub example_input: Value,
    /// The result of the worked example.
    pub example_answer: Value,
    /// Checks inputs against `input`.
    pub validator: Validator,
}

impl Verb {
    /// The declaration of `D`, as data.
    pub fn of<D: Declare>() -> Self {
        let (example_input, example_answer) = D::example();
        let input = crate::schema::of_input::<D::Input>();
        Self {
            name: D::NAME,
            about: D::ABOUT,
            effect: D::EFFECT,
            needs: D::NEEDS,
            plane: D::PLANE,
            method: D::METHOD,
            path: D::PATH,
            hints: D::HINTS,
            validator: Validator::new(&input),
            input,
            answer: crate::schema::of_answer::<D::Answer>(),
            example_input,
            example_answer,
        }
    }

    /// The part of the name before the dot: the seat on MCP, the noun on the command line.
    pub fn noun(&self) -> &'static str {
        self.name.split_once('.').map_or(self.name, |(noun, _)| noun)
    }

    /// The part of the name after the dot.
    pub fn act(&self) -> &'static str {
        self.name.split_once('.').map_or("", |(_, act)| act)
    }

    /// What it does, on one line, and its worked example: what an agent reads.
    pub fn described(&self) -> String {
        format!("{} Example: {}", one_line(self.about), self.example_input)
    }

    /// Whether agents can reach it over MCP.
    pub fn on_mcp(&self) -> bool {
        self.needs != Needs::Operator
    }

    /// The input's fields that travel in the REST path, in its order.
    pub fn path_fields(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }

    /// The schema of the input's field `field`.
    pub fn field(&self, field: &str) -> Option<&Value> {
        self.input.get("properties")?.get(field)
    }
}

/// Every verb there is, by name.
#[derive(Debug)]
pub struct Registry(BTreeMap<&'static str, Verb>);

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    Registry(crate::verbs::all().into_iter().map(|verb| (verb.name, verb)).collect())
});

impl Registry {
    /// The registry of this build.
    pub fn get() -> &'static Self {
        &REGISTRY
    }

    /// The verb of that name.
    pub fn verb(&self, name: &str) -> Option<&Verb> {
        self.0.get(name)
    }

    /// Every verb, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Verb> {
        self.0.values()
    }

    /// The nouns, each once, in order.
    pub fn nouns(&self) -> Vec<&'static str> {
        let mut nouns: Vec<_> = self.iter().map(Verb::noun).collect();
        nouns.dedup();
        nouns
    }
}

/// Declares a verb: see [`crate::verbs`].
macro_rules! verb {
    (
        $(#[doc = $about:literal])+
        $type:ident = $name:literal, $method:ident $path:literal, $effect:ident, $plane:ident,
        needs $needs:expr,
        $input:ty => $answer:ty,
        hints [$($hint:ident),* $(,)?],
        example $in:tt => $out:tt $(,)?
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy)]
        pub enum $type {}

        impl $crate::verb::Declare for $type {
            const NAME: &'static str = $name;
            const ABOUT: &'static str = concat!($($about),+).trim_ascii();
            const EFFECT: $crate::Effect = $crate::Effect::$effect;
            const NEEDS: $crate::verb::Needs = $needs;
            const PLANE: $crate::verb::Plane = $crate::verb::Plane::$plane;
            const METHOD: $crate::verb::Method = $crate::verb::Method::$method;
            const PATH: &'static str = $path;
            const HINTS: &'static [$crate::hint::Kind] = &[$($crate::hint::Kind::$hint),*];
            type Input = $input;
            type Answer = $answer;
            fn example() -> (serde_json::Value, serde_json::Value) {
                (serde_json::json!($in), serde_json::json!($out))
            }
        }
    };
}
pub(crate) use verb;
