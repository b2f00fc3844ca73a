//! Owns refusals: the closed list of [`Code`]s and the one shape they are answered in, with the
//! members of RFC 9457 (problem details). Invariant: a refusal always says what the caller can do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::id::{Decision, Id};

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $text:literal, $status:literal, $title:literal;)+) => {
        /// Why a call was refused.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
            JsonSchema,
        )]
        pub enum Code { $($(#[doc = $doc])+ #[serde(rename = $text)] $variant),+ }

        impl Code {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$variant),+];
            /// The word used on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
            /// The HTTP status it is answered with.
            pub const fn status(self) -> u16 {
                match self { $(Self::$variant => $status),+ }
            }
            /// Its name in a few words (RFC 9457 `title`).
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title),+ }
            }
            /// When it is given and what it means.
            pub const fn about(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+)),+ }
            }
        }
    };
}

codes! {
    /// The input does not fit the schema. `faults` names every field that is wrong.
    InvalidInput = "invalid_input", 422, "The input is not valid";
    /// The body is not one JSON value, names a key twice, or is nested too deeply.
    MalformedBody = "malformed_body", 400, "The body is malformed";
    /// Headers and body of a request say different things.
    HeaderMismatch = "header_mismatch", 400, "Header and body differ";
    /// The body is larger than this service takes.
    BodyTooLarge = "body_too_large", 413, "The body is too large";
    /// The body is of a media type that this service does not take.
    UnsupportedMediaType = "unsupported_media_type", 415, "The media type is not taken";
    /// No route has this path.
    NoSuchRoute = "no_such_route", 404, "There is no such route";
    /// The route does not take this method.
    MethodNotAllowed = "method_not_allowed", 405, "The method is not taken here";
    /// The Host or Origin header is not one this service answers to.
    ForeignOrigin = "foreign_origin", 403, "The origin is not allowed";
    /// No token was sent, or it is unknown, revoked, expired, or of a suspended principal.
    Unauthenticated = "unauthenticated", 401, "The caller is not known";
    /// The caller may not do this there, or there is nothing there: the two are not told apart.
    NotGranted = "not_granted", 403, "Not granted";
    /// The principal may, but this token was narrowed to less.
    Narrowed = "narrowed", 403, "The token was narrowed";
    /// The tool is not in the packs that this token is bound to, or that its run keeps, or not at this
    /// version.
    NotInPack = "not_in_pack", 403, "Not in the packs";
    /// Only a person, signed in as such, may do this.
    UserRequired = "user_required", 403, "A person must do this";
    /// Nobody confers what they do not hold.
    BeyondOwnAuthority = "beyond_own_authority", 403, "More than the caller holds";
    /// The server answers from several places; the call must name one.
    PlaceRequired = "place_required", 422, "A place must be named";
    /// The record is not there, or the caller may not see it: the two are not told apart.
    NotFound = "not_found", 404, "Not found";
    /// Something with this name is there already.
    AlreadyExists = "already_exists", 409, "It exists already";
    /// The record changed since the version that was expected. `current_version` says the present one.
    VersionMismatch = "version_mismatch", 409, "The version is not the current one";
    /// The record is not in a state in which this can be done.
    WrongState = "wrong_state", 409, "Not possible in this state";
    /// There is no vector to compare with: none of that model, and of that width, that the caller may use.
    NoVectors = "no_vectors", 409, "There is no vector to compare with";
    /// The tool has not been classified by a curator.
    Unclassified = "unclassified", 403, "The tool is unclassified";
    /// The tool's definition is not the one that was classified.
    Drifted = "drifted", 403, "The tool changed since it was classified";
    /// The run or the arguments carry labels that must not reach this tool.
    BlockedByLabel = "blocked_by_label", 403, "Blocked by a label";
    /// A masked placeholder was sent as an argument.
    PlaceholderArgument = "placeholder_argument", 422, "A placeholder is not a value";
    /// A rule of the identity's policy blocks the call.
    BlockedByPolicy = "blocked_by_policy", 403, "Blocked by policy";
    /// Too many calls in the window. `retry_after_ms` says when to try again.
    RateLimited = "rate_limited", 429, "Too many calls";
    /// This idempotency key was used with other arguments.
    IdempotencyMismatch = "idempotency_mismatch", 422, "The key was used with other arguments";
    /// The same call is being made at this moment.
    InFlight = "in_flight", 409, "The same call is in flight";
    /// The same call was sent and its answer never heard; it is not sent again before it is known whether it
    /// took effect.
    OutcomeUnknown = "outcome_unknown", 409, "The outcome is unknown";
    /// The approval was refused by a person, has expired or was used.
    ApprovalClosed = "approval_closed", 409, "The approval is closed";
    /// The run has ended.
    RunEnded = "run_ended", 409, "The run has ended";
    /// The system upstream answered with an error.
    UpstreamFailed = "upstream_failed", 424, "The upstream answered with an error";
    /// The system upstream redirected; redirects are not followed.
    UpstreamRedirect = "upstream_redirect", 424, "The upstream redirected";
    /// The system upstream answered with another media type than declared.
    UpstreamMediaType = "upstream_media_type", 424, "The upstream's media type is not the declared one";
    /// The system upstream answered something that the tool's declared output schema does not allow.
    /// `faults` names every place that is wrong; a write was made all the same.
    UpstreamSchema = "upstream_schema", 424, "The upstream's answer is not of the declared shape";
    /// The answer of the system upstream is larger than the tool's limit.
    ResponseTooLarge = "response_too_large", 424, "The upstream's answer is too large";
    /// The address of the system upstream is not one that may be reached.
    EgressDenied = "egress_denied", 403, "The address may not be reached";
}

impl Code {
    /// The problem type (RFC 9457 `type`): a stable URN.
    pub fn urn(self) -> String {
        format!("urn:bailiwick:refusal:{}", self.as_str())
    }
}

/// One thing that is wrong with one field of an input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// The field, as a path: `arguments.customer_id`.
    pub field: String,
    /// What is wrong with it.
    pub say: String,
    /// What to send instead.
    pub fix: String,
}

impl Fault {
    /// A fault of `field`.
    pub fn new(field: impl Into<String>, say: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { field: field.into(), say: say.into(), fix: fix.into() }
    }
}

/// A refusal: what was refused, why, and what the caller can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Refusal {
    /// Why, from a closed list.
    pub code: Code,
    /// The first field that is wrong, if it is a field that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What happened, in a sentence.
    pub say: String,
    /// What the caller can do about it.
    pub fix: String,
    /// Replays the decision with `access.explain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision_id: Option<Id<Decision>>,
    /// Every fault of the input, when it is the input.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// What only this code says: `current_version`, `places`, `retry_after_ms`, `status`, …
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub more: Map<String, Value>,
}

impl Refusal {
    /// A refusal without a field.
    pub fn new(code: Code, say: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            code,
            field: None,
            say: say.into(),
            fix: fix.into(),
            decision_id: None,
            faults: Vec::new(),
            more: Map::new(),
        }
    }

    /// A refusal of an input for all of its faults together. Without a fault it names the whole.
    pub fn of_input(faults: Vec<Fault>) -> Self {
        let (field, say, fix) = match faults.as_slice() {
            [] => (None, "The input is not valid.".to_owned(), "Read the schema.".to_owned()),
            [one] => (Some(one.field.clone()), one.say.clone(), one.fix.clone()),
            [first, rest @ ..] => (
                Some(first.field.clone()),
                format!("{} And {} more: see `faults`.", first.say, rest.len()),
                "Mend every field named in `faults`.".to_owned(),
            ),
        };
        let mut refusal = Self::new(Code::InvalidInput, say, fix);
        refusal.field = field;
        refusal.faults = faults;
        refusal
    }

    /// A refusal of one field.
    pub fn of_field(field: &str, say: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::of_input(vec![Fault::new(field, say, fix)])
    }

    /// What is not there or may not be seen: one answer for both.
    pub fn not_found(field: &str, what: &str) -> Self {
        let mut refusal = Self::new(
            Code::NotFound,
            format!("There is no such {what}, or you may not see it."),
            format!("Check `{field}`; list what you may see with the noun's `list` verb."),
        );
        refusal.field = Some(field.to_owned());
        refusal
    }

    /// This refusal with a member that only its code has.
    #[must_use]
    pub fn with(mut self, member: &str, value: impl Into<Value>) -> Self {
        self.more.insert(member.to_owned(), value.into());
        self
    }

    /// This refusal with its decision id.
    #[must_use]
    pub fn decided(mut self, decision: Id<Decision>) -> Self {
        self.decision_id = Some(decision);
        self
    }

    /// The body it is answered with on every surface: `refusal` and the members of RFC 9457.
    pub fn body(&self) -> Value {
        json!({
            "type": self.code.urn(),
            "title": self.code.title(),
            "status": self.code.status(),
            "detail": self.say,
            "refusal": self,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_a_client_error_with_its_own_word() {
        let mut words: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), Code::ALL.len());
        assert!(Code::ALL.iter().all(|code| (400..500).contains(&code.status())));
    }

    #[test]
    fn the_body_has_the_members_of_rfc_9457() {
        let body = Refusal::of_field("limit", "`limt` is not a field.", "Send `limit`.").body();
        for member in ["type", "title", "status", "detail", "refusal"] {
            assert!(body.get(member).is_some(), "{member}");
        }
    }
}
