//! Owns the form of an idempotency key: a caller's own name for one write, by which a repeat of it is
//! known. Invariant: one bound, one alphabet and one field name on every surface and in both planes;
//! only REST, where the key travels beside the input, has a header for it.

use crate::refusal::Fault;

/// The field that a key is given in, and what a refusal calls it.
pub const FIELD: &str = "idempotency_key";
/// The header that carries a key over REST (draft-ietf-httpapi-idempotency-key-header).
pub const HEADER: &str = "idempotency-key";
/// The longest key, in bytes; they are as many as its characters, since all of them are ASCII.
pub const MAX_BYTES: usize = 255;
/// The form of a key as a regular expression (ECMA-262), for the schemas.
pub const PATTERN: &str = "^[!-~]+$";

/// What is wrong with a key, if anything is.
pub fn fault(key: &str) -> Option<Fault> {
    let plain = key.bytes().all(|byte| byte.is_ascii_graphic());
    (key.is_empty() || key.len() > MAX_BYTES || !plain).then(malformed)
}

/// The fault of what is no key, for whoever has nothing of it to check.
pub fn malformed() -> Fault {
    Fault::new(
        FIELD,
        format!("An idempotency key is 1 to {MAX_BYTES} visible ASCII characters."),
        "Send a random one, such as a UUID, and the same again only to repeat the same call.",
    )
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::Registry;
    use crate::render::openapi;
    use crate::validate::Validator;

    static OF_HEADER: LazyLock<Validator> = LazyLock::new(|| {
        let document = openapi::document().expect("can be written");
        let said = document["paths"]["/v1/groups"]["post"]["parameters"].as_array();
        let header = said.expect("parameters").iter().find(|said| {
            said["name"].as_str().is_some_and(|name| name.eq_ignore_ascii_case(HEADER))
        });
        Validator::new(&header.expect("the header is said")["schema"])
    });

    /// Whether the two schemas that speak of a key take it: the field of a call, and the header.
    fn schemas_take(key: &str) -> [bool; 2] {
        let verb = Registry::get().verb("catalogue.call").expect("a verb");
        let input = json!({ "address": "shop/tickets.ticket.get", (FIELD): key });
        let of_field = verb.validator.faults(&input, "").is_empty();
        [of_field, OF_HEADER.faults(&json!(key), "").is_empty()]
    }

    #[test]
    fn the_schemas_take_what_is_a_key_and_nothing_else() {
        for (key, is_one) in [
            ("k", true),
            ("!~", true),
            (&*"x".repeat(MAX_BYTES), true),
            (&*"x".repeat(MAX_BYTES + 1), false),
            (&*"é".repeat(MAX_BYTES / 2), false),
            ("", false),
            ("a b", false),
            ("a\n", false),
            ("\u{7f}", false),
        ] {
            assert_eq!(fault(key).is_none(), is_one, "{key:?}");
            assert_eq!(schemas_take(key), [is_one; 2], "{key:?}");
        }
    }

    proptest! {
        #[test]
        fn a_key_is_one_wherever_it_is_said(key in "\\PC{0,4}|[ -\u{80}]{250,260}") {
            prop_assert_eq!(schemas_take(&key), [fault(&key).is_none(); 2]);
        }
    }
}
