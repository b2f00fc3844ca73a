//! `invite.create`: invites a person, and answers the invite's secret once.

use contract::hint::Kind as Hint;
use contract::verbs::invite::{CreateInput, Invited};
use contract::verbs::principal::Kind;
use contract::verbs::token::PackRef;
use contract::{Action, Code, Fault, Refusal, Timestamp, Written};
use tenancy::token;

use crate::call::Write;
use crate::done::Done;
use crate::failure::Failure;
use crate::operations::token::bind::{Bound, may_bind};
use crate::operations::token::create::live;
use crate::operations::token::mint;
use crate::store::{self, invite::New};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// How long an invite can be accepted when nothing is said, and at most.
const LIFE_MS: i64 = 7 * DAY_MS;
const LIFE_MAX_MS: i64 = 30 * DAY_MS;
/// How many invites of one person can be open.
const OPEN_MAX: u64 = 5;

pub(crate) async fn run(
    call: &mut Write<'_>,
    input: CreateInput,
) -> Result<Done<Invited>, Failure> {
    let permit = call.may(Action::PrincipalManage, call.root())?;
    call.may(Action::TokenManage, call.root())?;
    check(call, &input)?;
    let packs: Vec<PackRef> = live()?;
    let bound = Bound { principal: input.principal, scope: None, actions: None, packs: &packs };
    may_bind(call, &bound)?;
    let now = call.now();
    if store::invite::open_of(&mut call.tx, &permit, input.principal, now).await? >= OPEN_MAX {
        return Err(Refusal::new(
            Code::WrongState,
            format!("{OPEN_MAX} invites of this person are open, and no more can be."),
            "Revoke one with `invite.revoke`: `invite.list` lists them.",
        )
        .into());
    }
    let secret = mint(call, token::Kind::Invite).await?;
    let new = New {
        id: call.new_id(),
        principal: input.principal,
        email: &input.email,
        inviter: call.caller.token().id,
        hash: secret.hash(),
        expires: input.expires.unwrap_or_else(|| now.plus_ms(LIFE_MS)),
        now,
    };
    let invite = store::invite::insert(&mut call.tx, &permit, &new).await?;
    let written = Written::new("invites", invite.id, invite.version);
    let invited = Invited { invite, secret: secret.expose().to_owned() };
    let say = "Hand the secret to the person: they send it to `invite.accept`.";
    let done = Done::wrote(invited, permit.scope(), written).shown_once("secret");
    Ok(done.hint(Hint::NextStep, say))
}

/// Every fault of the input together.
fn check(call: &Write<'_>, input: &CreateInput) -> Result<(), Failure> {
    let mut faults = Vec::new();
    match call.caller.view().principal(input.principal).map(|whose| whose.kind) {
        Some(Kind::User) => {}
        Some(Kind::Agent) => faults.push(Fault::new(
            "principal",
            "This principal is an agent, and only people are invited.",
            "Mint its token with `token.create`.",
        )),
        None => faults.push(Fault::new(
            "principal",
            "There is no such principal in your identity.",
            "Send the id of a user: `principal.create` makes one.",
        )),
    }
    if !is_email(&input.email) {
        let fix = "Send one such as `ana@example.com`.";
        faults.push(Fault::new("email", "This is no e-mail address.", fix));
    }
    faults.extend(expiry_fault(input.expires, call.now()));
    if faults.is_empty() { Ok(()) } else { Err(Refusal::of_input(faults).into()) }
}

fn expiry_fault(expires: Option<Timestamp>, now: Timestamp) -> Option<Fault> {
    let end = expires?;
    let fits = end > now && end <= now.plus_ms(LIFE_MAX_MS);
    let say = "The invite would have expired, or could be accepted for more than 30 days.";
    (!fits).then(|| Fault::new("expires", say, "Send a time within the next 30 days."))
}

/// Whether this can be an address: one `@` with something before it and a host behind. Whether mail
/// arrives there is not ours to say.
fn is_email(text: &str) -> bool {
    let plain = text.chars().all(|c| c.is_ascii_graphic() && !"<>()[],;:\\\"".contains(c));
    plain
        && text.split_once('@').is_some_and(|(local, host)| {
            let labels = || host.split('.');
            !local.is_empty()
                && labels().count() > 1
                && labels().all(|label| !label.is_empty() && !label.contains('@'))
        })
}

#[cfg(test)]
mod tests {
    use super::is_email;

    #[test]
    fn an_address_has_one_at_and_a_host() {
        for good in ["ana@example.com", "a.b+c@mail.example.co"] {
            assert!(is_email(good), "{good}");
        }
        for bad in [
            "ana",
            "@example.com",
            "ana@",
            "ana@host",
            "a@b@c.de",
            "a b@c.de",
            "a@c..de",
            "<a@c.de>",
        ] {
            assert!(!is_email(bad), "{bad}");
        }
    }
}
