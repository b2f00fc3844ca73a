//! Owns the judging of what a server and its tools are declared to be. Invariant: every fault is
//! found, and each names its field by the path it has in the verb's input.

use std::collections::HashSet;

use contract::shape::{Instance, http};
use contract::verbs::server::Declaration;
use contract::{Fault, Id, id};
use tenancy::plane::definition_digest;
use tenancy::view::AuthorityView;

/// Every fault of an instance, by paths inside `instance`.
pub(super) fn instance_faults(
    instance: &Instance,
    view: &AuthorityView,
    policy: &http::Policy,
) -> Vec<Fault> {
    let Instance::Http(server) = instance;
    let found = http::validate_server(server, policy).err().unwrap_or_default();
    let mut faults: Vec<_> =
        found.iter().map(|fault| moved(fault, "/server", "instance")).collect();
    faults.extend(credential_fault(server, view));
    faults
}

/// The declared credential must be there and sealed for where the server points. Whether the servers
/// at that scope may use it is judged when a tool is called. That it is not there and that it was
/// sealed for elsewhere are told alike: whoever may register a server may not see every credential.
fn credential_fault(server: &http::Server, view: &AuthorityView) -> Option<Fault> {
    let declared = server.credential.as_ref()?;
    let id = declared.id.parse::<Id<id::Credential>>().ok();
    let origin = server.origin.parse::<http::Origin>().ok().map(|origin| origin.to_string());
    let sealed_for = |origins: &[String]| {
        // Where the origin is no origin, that is the fault.
        origin.as_ref().is_none_or(|origin| origins.contains(origin))
    };
    let known = id.and_then(|id| view.credential(id));
    if known.is_some_and(|credential| sealed_for(&credential.origins)) {
        return None;
    }
    Some(Fault::new(
        "instance.credential.id",
        "There is no such credential, or it may not be sent to this origin.",
        "Send the id of a credential that was created with this origin: `credential.list` lists \
         those you may see.",
    ))
}

/// The digests of the tools' definitions, in order, or every fault of them.
pub(super) fn digests(
    instance: &Instance,
    tools: &[Declaration],
    policy: &http::Policy,
) -> Result<Vec<String>, Vec<Fault>> {
    let mut names = HashSet::new();
    let mut faults = Vec::new();
    let mut digests = Vec::with_capacity(tools.len());
    for (index, declared) in tools.iter().enumerate() {
        let at = format!("tools.{index}");
        if !names.insert(&declared.name) {
            let say = format!("`{}` is declared twice.", declared.name);
            faults.push(Fault::new(
                format!("{at}.name"),
                say,
                "Give each tool of a server a name of its own.",
            ));
        }
        faults.extend(endpoint_faults(instance, declared, policy, &format!("{at}.endpoint")));
        match definition_digest(instance, declared) {
            Ok(digest) => digests.push(digest),
            Err(error) => faults.push(Fault::new(
                at,
                format!("The definition has no canonical form: {error}."),
                "Send numbers that a double can hold.",
            )),
        }
    }
    if faults.is_empty() { Ok(digests) } else { Err(faults) }
}

/// The faults of one endpoint; those of its server are told once, apart.
fn endpoint_faults(
    instance: &Instance,
    declared: &Declaration,
    policy: &http::Policy,
    at: &str,
) -> Vec<Fault> {
    let Instance::Http(server) = instance;
    let found = http::validate(server, &declared.endpoint, policy).err().unwrap_or_default();
    let of_endpoint = found.iter().filter(|fault| fault.field.starts_with("/endpoint"));
    of_endpoint.map(|fault| moved(fault, "/endpoint", at)).collect()
}

/// A fault whose field, a JSON pointer (RFC 6901) that begins with `from`, is told as the path that
/// begins with `to`.
fn moved(fault: &Fault, from: &str, to: &str) -> Fault {
    let rest = fault.field.strip_prefix(from).unwrap_or(&fault.field);
    let mut field = to.to_owned();
    for part in rest.split('/').skip(1) {
        field.push('.');
        field.push_str(&part.replace("~1", "/").replace("~0", "~"));
    }
    told(fault, field)
}

/// A shape's fault as a fault of `field`, in whole sentences.
pub(in crate::operations) fn told(fault: &Fault, field: String) -> Fault {
    Fault { field, say: sentence(&fault.say), fix: sentence(&fault.fix) }
}

fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().map(|first| first.to_ascii_uppercase());
    let end = if text.ends_with('.') { "" } else { "." };
    first.into_iter().chain(rest).chain(end.chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_becomes_the_path_of_the_input() {
        for (pointer, from, to, field) in [
            ("/server/origin", "/server", "instance", "instance.origin"),
            ("/server", "/server", "instance", "instance"),
            ("/endpoint/path", "/endpoint", "tools.3.endpoint", "tools.3.endpoint.path"),
            ("/endpoint/arguments/0/in", "/endpoint", "e", "e.arguments.0.in"),
            ("/endpoint/a~1b/c~0d/~01", "/endpoint", "e", "e.a/b.c~d.~1"),
        ] {
            let fault = Fault::new(pointer, "it is empty", "send one.");
            let told = moved(&fault, from, to);
            assert_eq!(told, Fault::new(field, "It is empty.", "Send one."));
        }
    }

    #[test]
    fn sentences_stay_as_they_are() {
        for (text, whole) in [
            ("`a` is no name", "`a` is no name."),
            ("ä is read as another", "ä is read as another."),
            ("It is.", "It is."),
            ("", "."),
        ] {
            assert_eq!(sentence(text), whole);
        }
    }
}
