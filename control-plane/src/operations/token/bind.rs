//! What a token may be bound to, and by whom: the rules that minting, narrowing and binding share.

use contract::verbs::principal::Kind;
use contract::verbs::token::PackRef;
use contract::{Action, Code, Fault, Id, Refusal, Scope, Timestamp, id};
use tenancy::authority::{self, Caller, Now};
use tenancy::lease::Standing;
use tenancy::role::{ActionSet, BuiltIn};
use tenancy::view::{AuthorityView, LIVE, Token};

use crate::call::{Write, beyond};
use crate::failure::Failure;

/// What is wrong with a list of packs: `live` has no version, every other has one and exists.
pub(super) fn pack_faults(view: &AuthorityView, packs: &[PackRef]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (at, pack) in packs.iter().enumerate() {
        let live = pack.name.as_str() == LIVE;
        let (field, say, fix) = match pack.version {
            None if live => continue,
            Some(version) if !live && view.pack(&pack.name, version).is_some() => continue,
            Some(_) if live => (
                format!("packs.{at}.version"),
                "`live` has no version.".to_owned(),
                "Leave `version` out.",
            ),
            None => (
                format!("packs.{at}.version"),
                format!("Pack `{}` is named without a version.", pack.name),
                "Send the version: `pack.get` answers the newest.",
            ),
            Some(version) => (
                format!("packs.{at}"),
                format!("There is no pack `{}` at version {version}.", pack.name),
                "Send a pack that was published: `pack.list` lists them.",
            ),
        };
        faults.push(Fault::new(field, say, fix));
    }
    faults
}

/// What is wrong with an end.
pub(super) fn expiry_fault(expires: Option<Timestamp>, now: Timestamp) -> Option<Fault> {
    expires.filter(|end| *end <= now).map(|_| {
        let fix = "Send a time to come.";
        Fault::new("expires", "The token would have expired before it is used.", fix)
    })
}

/// Whether whoever is bound to `held` can call everything that `pack` holds.
pub(super) fn includes(held: &[PackRef], pack: &PackRef) -> bool {
    held.iter().any(|own| own.name.as_str() == LIVE || own == pack)
}

/// What an owner may do there and this caller may not.
pub(crate) fn lacks_of_owner(
    caller: &Caller<'_>,
    at: &Scope,
    now: Now,
) -> Result<ActionSet, Failure> {
    authority::may_confer(&Standing::Primary, caller, BuiltIn::Owner.actions(), at, now)
        .map_err(|objection| Failure::objected(objection, Action::TokenManage, at))
}

/// The token and those it descends from, nearest first.
pub(super) fn line<'v>(view: &'v AuthorityView, token: &'v Token) -> Vec<&'v Token> {
    let up = |token: &&'v Token| token.parent.and_then(|parent| view.token(parent));
    // A view holds no token that is its own ancestor, so this ends.
    std::iter::successors(Some(token), up).collect()
}

/// What a token that is minted or bound anew is to be.
pub(crate) struct Bound<'b> {
    pub(crate) principal: Id<id::Principal>,
    pub(crate) scope: Option<&'b Scope>,
    pub(crate) actions: Option<ActionSet>,
    pub(crate) packs: &'b [PackRef],
}

/// That the caller confers no more than they hold by such a token.
///
/// A user's token lets its holder do what only a person may, also what the user is granted later, and
/// whoever makes it for another has had it in hand: so only a person makes one, and for another only one
/// who could do whatever it lets through, were that other an owner. And a machine that makes another token for itself would slip out of its
/// own one's narrowing and revocation: it narrows instead.
pub(crate) fn may_bind(call: &Write<'_>, bound: &Bound<'_>) -> Result<(), Failure> {
    let caller = &call.caller;
    let view = caller.view();
    let user = view.principal(bound.principal).is_some_and(|whose| whose.kind == Kind::User);
    if user && !caller.is_person() {
        return Err(Refusal::new(
            Code::UserRequired,
            "Only a person, signed in as such, makes or binds a user's token.",
            "Ask a user of your identity to do it with their own token.",
        )
        .into());
    }
    if bound.principal == caller.principal().id && !caller.is_person() {
        return Err(Refusal::new(
            Code::BeyondOwnAuthority,
            "This would be another token of your own, outside the one you are using.",
            "Use `token.narrow`, which makes a child of the token you are using.",
        )
        .into());
    }
    let narrowed = (bound.scope, bound.actions);
    let now = Now::of(call.means.source);
    let root = view.root();
    if user && bound.principal != caller.principal().id {
        let at = bound.scope.unwrap_or(root);
        let lacking = lacks_of_owner(caller, at, now)? & bound.actions.unwrap_or(ActionSet::ALL);
        if !lacking.is_empty() {
            return Err(beyond(lacking, at).into());
        }
    }
    authority::may_mint(&Standing::Primary, caller, bound.principal, narrowed, now)
        .map_err(|objection| Failure::objected(objection, Action::TokenManage, root))?
        .first()
        .map_or(Ok(()), |missing| Err(Failure::from(beyond(missing.actions, &missing.scope))))?;
    let line = line(view, caller.token());
    let lacking =
        bound.packs.iter().find(|pack| line.iter().any(|own| !includes(&own.packs, pack)));
    match lacking {
        None => Ok(()),
        Some(pack) => Err(Refusal::new(
            Code::BeyondOwnAuthority,
            format!("Your own token is not bound to pack `{}`, nor to `live`.", pack.name),
            "Bind it to packs that your own token is bound to.",
        )
        .into()),
    }
}
