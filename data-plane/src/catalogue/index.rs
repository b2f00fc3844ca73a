//! Owns [`Index`]: a pushed catalogue, ready to be called. Invariant: a declaration whose definition
//! does not have the digest it was pushed with, or that a shape refuses, cannot be called.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use contract::id::{self, Id};
use contract::shape::{Instance, http};
use contract::validate::Validator;
use contract::verbs::server::Declaration;
use contract::verbs::tool::Classification;
use contract::{Address, Effect, Name, Place, Scope, ToolName};
use serde_json::Value;
use tenancy::authority;
use tenancy::plane;

use super::words::{Doc, Words};

/// A declaration of a tool, ready to be called.
#[derive(Debug)]
pub(crate) struct Version {
    /// Its number.
    pub(crate) number: u32,
    /// The digest of the definition.
    pub(crate) digest: String,
    /// The definition.
    pub(crate) declared: Declaration,
    /// What the shape made of it, or why it cannot be called.
    pub(crate) endpoint: Result<http::Validated, String>,
    /// The schema of the arguments.
    pub(crate) input_schema: Value,
    /// Checks arguments against it.
    pub(crate) validator: Validator,
}

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
    /// Where it is.
    pub(crate) scope: Scope,
    /// Its name.
    pub(crate) name: Name,
    /// What it is, for people.
    pub(crate) title: String,
    /// Whether it may answer a call that names no place.
    pub(crate) interchangeable: bool,
    /// What it is an instance of.
    pub(crate) instance: Instance,
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
    words: Words,
    /// What each document of `words` is.
    found: Vec<(Arc<Server>, Arc<Tool>)>,
    /// Addresses by their flattened names; none where two addresses make the same name.
    flat: HashMap<String, Option<Address>>,
}

impl Index {
    /// The index of a pushed catalogue, under what the operator allows.
    pub(crate) fn build(catalogue: plane::Catalogue, policy: &http::Policy) -> Self {
        let servers: Vec<Arc<Server>> =
            catalogue.servers.into_iter().map(|server| Arc::new(build(server, policy))).collect();
        let mut by_scope: BTreeMap<Scope, BTreeMap<Name, Arc<Server>>> = BTreeMap::new();
        let mut by_name: HashMap<Name, Vec<Arc<Server>>> = HashMap::new();
        let mut found = Vec::new();
        for server in &servers {
            by_scope
                .entry(server.scope.clone())
                .or_default()
                .insert(server.name.clone(), Arc::clone(server));
            by_name.entry(server.name.clone()).or_default().push(Arc::clone(server));
            found.extend(server.tools.values().map(|tool| (Arc::clone(server), Arc::clone(tool))));
        }
        let words = words(&found);
        let flat = flat(&found);
        Self { revision: catalogue.revision, by_scope, by_name, words, found, flat }
    }

    /// The address that a flattened name is made of, whoever may call it.
    pub(crate) fn flat(&self, name: &str) -> Option<&Address> {
        self.flat.get(name)?.as_ref()
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
        let at = |doc: u32| usize::try_from(doc).ok().and_then(|doc| self.found.get(doc));
        let hits = self
            .words
            .search(query, limit, |doc| at(doc).is_some_and(|(server, tool)| may(server, tool)));
        hits.iter().filter_map(|hit| at(hit.doc).cloned()).collect()
    }
}

/// A name that two addresses make names neither: which one is meant cannot be known.
fn flat(found: &[(Arc<Server>, Arc<Tool>)]) -> HashMap<String, Option<Address>> {
    let mut names = HashMap::with_capacity(found.len());
    for (server, tool) in found {
        let address = server.address(&tool.name);
        names
            .entry(contract::render::mcp::flat_name(&address))
            .and_modify(|known| *known = None)
            .or_insert(Some(address));
    }
    names
}

fn build(server: plane::Server, policy: &http::Policy) -> Server {
    let instance = server.instance;
    let tools = server
        .tools
        .into_iter()
        .map(|tool| {
            let versions = tool
                .declarations
                .into_iter()
                .map(|declared| Arc::new(version(declared, &instance, policy)))
                .collect();
            let built = Tool {
                id: tool.id,
                name: tool.name.clone(),
                versions,
                classifications: tool.classifications,
            };
            (tool.name, Arc::new(built))
        })
        .collect();
    Server {
        scope: server.scope,
        name: server.name,
        title: server.title,
        interchangeable: server.interchangeable,
        instance,
        tools,
    }
}

fn version(declared: plane::Declared, instance: &Instance, policy: &http::Policy) -> Version {
    let Instance::Http(server) = instance;
    let endpoint = match plane::definition_digest(instance, &declared.declaration) {
        Ok(digest) if digest == declared.digest => {
            http::validate(server, &declared.declaration.endpoint, policy).map_err(|faults| {
                let faults: Vec<_> = faults.iter().map(|fault| fault.say.as_str()).collect();
                faults.join(" ")
            })
        }
        Ok(_) => Err("Its definition is not the one its digest was taken of.".to_owned()),
        Err(error) => Err(error.to_string()),
    };
    let input_schema = http::input_schema(&declared.declaration.endpoint);
    Version {
        number: declared.version,
        digest: declared.digest,
        validator: Validator::new(&input_schema),
        input_schema,
        declared: declared.declaration,
        endpoint,
    }
}

/// One document a tool, from its newest declaration.
fn words(found: &[(Arc<Server>, Arc<Tool>)]) -> Words {
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
