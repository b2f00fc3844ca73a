//! Owns [`Index`]: a pushed catalogue, ready to be called. Invariant: a declaration whose definition
//! does not have the digest it was pushed with, or that a shape refuses, cannot be called.

mod version;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use contract::id::{self, Id};
use contract::shape::{Instance, http};
use contract::verbs::tool::Classification;
use contract::{Address, Effect, Name, Place, Scope, ToolName};
use serde_json::Value;
use tenancy::authority;
use tenancy::plane;

pub(crate) use version::{Resend, Version};

use super::words::{Doc, Words};

/// A tool.
#[derive(Debug)]
pub(crate) struct Tool {
    /// Its id.
    pub(crate) id: Id<id::Tool>,
    /// Its name.
    pub(crate) name: ToolName,
    versions: Vec<Arc<Version>>,
    classifications: Vec<Classification>,
}

impl Tool {
    /// The newest declaration that was classified as it stands, with its newest classification.
    pub(crate) fn newest_classified(&self) -> Option<authority::Version> {
        self.versions.iter().rev().find_map(|version| {
            let judged = self.classifications.iter().rev().find(|judged| {
                judged.declaration == version.number && judged.digest == version.digest
            })?;
            Some(authority::Version { declaration: version.number, classification: judged.version })
        })
    }

    /// The newest declaration.
    pub(crate) fn newest(&self) -> Option<&Arc<Version>> {
        self.versions.last()
    }

    /// A declaration by its number.
    pub(crate) fn version(&self, number: u32) -> Option<&Arc<Version>> {
        self.versions.iter().find(|version| version.number == number)
    }

    /// A classification by its number.
    pub(crate) fn classification(&self, number: u32) -> Option<&Classification> {
        self.classifications.iter().find(|judged| judged.version == number)
    }
}

/// A server.
#[derive(Debug)]
pub(crate) struct Server {
    /// Its id.
    pub(crate) id: Id<id::Server>,
    /// Where it is.
    pub(crate) scope: Scope,
    /// Its name.
    pub(crate) name: Name,
    /// What it is, for people.
    pub(crate) title: String,
    /// Whether it may answer a call that names no place.
    pub(crate) interchangeable: bool,
    /// What it is an instance of.
    pub(crate) instance: Arc<Instance>,
    /// Its tools, by name.
    pub(crate) tools: BTreeMap<ToolName, Arc<Tool>>,
}

impl Server {
    /// The full address of one of its tools.
    pub(crate) fn address(&self, tool: &ToolName) -> Address {
        Address {
            place: Some(Place::of(&self.scope)),
            server: self.name.clone(),
            tool: tool.clone(),
        }
    }
}

/// A catalogue, ready to be called.
#[derive(Debug)]
pub(crate) struct Index {
    /// Its revision.
    pub(crate) revision: u64,
    by_scope: BTreeMap<Scope, BTreeMap<Name, Arc<Server>>>,
    by_name: HashMap<Name, Vec<Arc<Server>>>,
    /// How many tools there are.
    tools: usize,
    /// The words of this catalogue, once they are indexed; until then, those of the one before.
    words: OnceLock<Arc<Searchable>>,
    before: Option<Arc<Searchable>>,
    /// Addresses by their flattened names; none where two addresses make the same name.
    flat: OnceLock<HashMap<String, Option<Address>>>,
}

/// An index of words, and what each of its documents is.
#[derive(Debug)]
struct Searchable {
    words: Words,
    found: Vec<(Scope, Name, ToolName)>,
}

/// Up to how many tools words are indexed before a catalogue is installed. Above it, they are indexed
/// beside the calls, which must not wait for it: a lease is renewed on the same way.
const WORDS_AT_ONCE_MAX: usize = 500;

impl Index {
    /// The index of a pushed catalogue, under what the operator allows. What did not change since
    /// `before` is taken over from it.
    pub(crate) fn build(
        catalogue: plane::Catalogue,
        policy: &Arc<http::Policy>,
        before: Option<&Self>,
    ) -> Self {
        let kept = before.map(Self::versions).unwrap_or_default();
        let servers: Vec<Arc<Server>> = catalogue
            .servers
            .into_iter()
            .map(|server| Arc::new(build(server, policy, &kept)))
            .collect();
        let mut by_scope: BTreeMap<Scope, BTreeMap<Name, Arc<Server>>> = BTreeMap::new();
        let mut by_name: HashMap<Name, Vec<Arc<Server>>> = HashMap::new();
        for server in &servers {
            by_scope
                .entry(server.scope.clone())
                .or_default()
                .insert(server.name.clone(), Arc::clone(server));
            by_name.entry(server.name.clone()).or_default().push(Arc::clone(server));
        }
        let index = Self {
            revision: catalogue.revision,
            by_scope,
            by_name,
            tools: servers.iter().map(|server| server.tools.len()).sum(),
            words: OnceLock::new(),
            before: before.and_then(Self::searchable),
            flat: OnceLock::new(),
        };
        if index.tools <= WORDS_AT_ONCE_MAX {
            index.index_words();
        }
        index
    }

    /// Indexes the words of this catalogue, if they are not yet.
    pub(crate) fn index_words(&self) {
        self.words.get_or_init(|| {
            let found: Vec<_> = self.all().collect();
            let words = words(&found);
            let named = |(server, tool): &(&Arc<Server>, &Arc<Tool>)| {
                (server.scope.clone(), server.name.clone(), tool.name.clone())
            };
            Arc::new(Searchable { words, found: found.iter().map(named).collect() })
        });
    }

    /// Whether the words are still to be indexed.
    pub(crate) fn lacks_words(&self) -> bool {
        self.words.get().is_none()
    }

    fn searchable(&self) -> Option<Arc<Searchable>> {
        self.words.get().or(self.before.as_ref()).cloned()
    }

    fn all(&self) -> impl Iterator<Item = (&Arc<Server>, &Arc<Tool>)> {
        let servers = self.by_scope.values().flat_map(BTreeMap::values);
        servers.flat_map(|server| server.tools.values().map(move |tool| (server, tool)))
    }

    /// Every declaration that is ready to be called, by tool and digest.
    fn versions(&self) -> Kept<'_> {
        self.all()
            .flat_map(|(_, tool)| tool.versions.iter().map(move |version| (tool.id, version)))
            .map(|(tool, version)| ((tool, version.number, version.digest.as_str()), version))
            .collect()
    }

    /// The address that a flattened name is made of, whoever may call it.
    pub(crate) fn flat(&self, name: &str) -> Option<&Address> {
        self.flat.get_or_init(|| flat(self.all())).get(name)?.as_ref()
    }

    /// The server of that name at that scope.
    pub(crate) fn server(&self, scope: &Scope, name: &Name) -> Option<&Arc<Server>> {
        self.by_scope.get(scope)?.get(name)
    }

    /// The servers at a scope.
    pub(crate) fn at(&self, scope: &Scope) -> impl Iterator<Item = &Arc<Server>> {
        self.by_scope.get(scope).into_iter().flat_map(BTreeMap::values)
    }

    /// The servers of that name, at whatever scope.
    pub(crate) fn named(&self, name: &Name) -> &[Arc<Server>] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The scopes that have servers, in order.
    pub(crate) fn scopes(&self) -> impl Iterator<Item = &Scope> {
        self.by_scope.keys()
    }

    /// Tools found by words, best first; only those that `may` lets through.
    pub(crate) fn search(
        &self,
        query: &str,
        limit: usize,
        mut may: impl FnMut(&Arc<Server>, &Arc<Tool>) -> bool,
    ) -> Vec<(Arc<Server>, Arc<Tool>)> {
        let Some(searchable) = self.searchable() else { return Vec::new() };
        let at = |doc: u32| {
            let (scope, name, tool) = searchable.found.get(usize::try_from(doc).ok()?)?;
            let server = self.server(scope, name)?;
            Some((server, server.tools.get(tool)?))
        };
        let hits = searchable
            .words
            .search(query, limit, |doc| at(doc).is_some_and(|(server, tool)| may(server, tool)));
        let both =
            |(server, tool): (&Arc<Server>, &Arc<Tool>)| (Arc::clone(server), Arc::clone(tool));
        hits.iter().filter_map(|hit| at(hit.doc).map(both)).collect()
    }
}

/// Declarations by tool, number and digest.
type Kept<'a> = HashMap<(Id<id::Tool>, u32, &'a str), &'a Arc<Version>>;

/// A name that two addresses make names neither: which one is meant cannot be known.
fn flat<'a>(
    all: impl Iterator<Item = (&'a Arc<Server>, &'a Arc<Tool>)>,
) -> HashMap<String, Option<Address>> {
    let mut names = HashMap::new();
    for (server, tool) in all {
        let address = server.address(&tool.name);
        names
            .entry(contract::render::mcp::flat_name(&address))
            .and_modify(|known| *known = None)
            .or_insert(Some(address));
    }
    names
}

fn build(server: plane::Server, policy: &Arc<http::Policy>, kept: &Kept<'_>) -> Server {
    let instance = Arc::new(server.instance);
    let tools = server
        .tools
        .into_iter()
        .map(|tool| {
            let id = tool.id;
            let versions = tool
                .declarations
                .into_iter()
                .map(|declared| {
                    let key = (id, declared.version, declared.digest.as_str());
                    match kept.get(&key) {
                        Some(same) => Arc::clone(same),
                        None => Arc::new(version(declared, &instance, policy)),
                    }
                })
                .collect();
            let name = tool.name.clone();
            let built = Tool { id, name, versions, classifications: tool.classifications };
            (tool.name, Arc::new(built))
        })
        .collect();
    Server {
        id: server.id,
        scope: server.scope,
        name: server.name,
        title: server.title,
        interchangeable: server.interchangeable,
        instance,
        tools,
    }
}

fn version(
    declared: plane::Declared,
    instance: &Arc<Instance>,
    policy: &Arc<http::Policy>,
) -> Version {
    Version {
        number: declared.version,
        digest: declared.digest,
        input_schema: http::input_schema(&declared.declaration.endpoint),
        declared: declared.declaration,
        instance: Arc::clone(instance),
        policy: Arc::clone(policy),
        endpoint: OnceLock::new(),
        validator: OnceLock::new(),
    }
}

/// One document a tool, from its newest declaration.
fn words(found: &[(&Arc<Server>, &Arc<Tool>)]) -> Words {
    let arguments: Vec<Vec<(String, String)>> = found
        .iter()
        .map(|(_, tool)| {
            let declared = tool.newest().map(|version| &version.declared.endpoint.arguments);
            let text = |schema: &Value| schema.get("description")?.as_str().map(str::to_owned);
            declared
                .into_iter()
                .flatten()
                .map(|argument| (argument.name.clone(), text(&argument.schema).unwrap_or_default()))
                .collect()
        })
        .collect();
    let docs = found.iter().zip(&arguments).map(|((server, tool), arguments)| {
        let declared = tool.newest().map(|version| &version.declared);
        Doc {
            name: tool.name.as_str(),
            server: server.name.as_str(),
            title: &server.title,
            place: server.scope.place(),
            about: declared.map_or("", |declared| declared.about.as_str()),
            arguments,
            effect: declared.map_or(Effect::Read, |declared| declared.effect).as_str(),
        }
    });
    Words::build(docs)
}

#[cfg(test)]
mod tests;
