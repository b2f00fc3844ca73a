//! Owns the verbs of this plane: which function carries out which. One operation is one file,
//! `operations/<noun>/<verb>.rs`, with a folder per noun.
//!
//! To add a verb:
//!
//! 1. Its declaration is in `contract::verbs::<noun>`; what it reads and writes is in
//!    `store/<noun>.rs`, in functions that take a [`Permit`](tenancy::permit::Permit) and put its
//!    identity and scope into the SQL.
//! 2. Write `operations/<noun>/<verb>.rs` with
//!    `pub(crate) async fn run(call: &mut Read<'_>, input: Input) -> Result<Done<Answer>, Failure>`,
//!    or `&mut Write<'_>` if its effect is not `read`. The handler is a sentence: find, authorise,
//!    check the version, call the store, answer. `grant` is the model:
//!    - creating at a scope that the caller names: `call.may(action, &scope)?` gives the permit;
//!    - a record by its id: ask the store with each permit of `call.reach(action)?`, and answer
//!      `Refusal::not_found` if none finds it, so that what may not be seen is like what is not
//!      there; then `call.may(action, &record.scope)?` for the permit of the record's own scope;
//!    - a list: a [`Pager`](crate::page::Pager), filled from each permit of
//!      `call.reach_any(action)?`;
//!    - a write ends in `Done::wrote(result, &scope, Written::new(table, id, version))`, with
//!      `.catalogue()` if servers, tools, declarations or classifications changed. What changed
//!      nothing ends in `Done::of(result)`.
//! 3. Add its line to the `routes!` below where its effect and needs belong. A test finds verbs that have
//!    none. What anyone may use takes an [`Open`] instead: nobody is known who could be asked about.
//!
//! Everything else (token, schema, idempotency, dry run, act, revision, push and the wait for the
//! holder) is done around it, in `verb.rs`.

mod credential;
mod credential_grant;
mod grant;
mod group;
mod identity;
mod invite;
mod pack;
mod principal;
mod project;
mod role;
mod server;
mod token;
mod tool;
mod usage;

use contract::verb::Declare;
use contract::{Code, Envelope, Refusal, Verb, verbs};
use serde_json::Value;
use tenancy::plane::VerbCall;

use crate::call::{Open, Operate, Read, Write};
use crate::done::{Done, Finished};
use crate::failure::Failure;
use crate::store::tx::{Conn, Writing};

/// Makes the function that finds the verb `name` and carries it out.
macro_rules! routes {
    ($find:ident, $all:ident, $call:ty; $($noun:ident :: $verb:ident => $declared:ident),* $(,)?) => {
        /// Carries out the verb of that name.
        pub(crate) async fn $find(
            name: &str,
            call: &mut $call,
            input: Value,
        ) -> Result<Finished, Failure> {
            $(if name == <verbs::$noun::$declared as Declare>::NAME {
                let input = typed::<verbs::$noun::$declared>(input)?;
                let done: Done<<verbs::$noun::$declared as Declare>::Answer> =
                    Box::pin($noun::$verb::run(call, input)).await?;
                return Ok(done.finish()?);
            })*
            Err(no_such_verb(name).into())
        }

        /// The verbs it finds.
        #[cfg(test)]
        const $all: &[&str] = &[$(<verbs::$noun::$declared as Declare>::NAME),*];
    };
}

routes! {
    read, READS, Read<'_>;
    credential::list => List,
    credential_grant::list => List,
    grant::list => List,
    group::list => List,
    invite::list => List,
    pack::get => Get,
    pack::list => List,
    principal::get => Get,
    principal::list => List,
    project::list => List,
    role::list => List,
    server::get => Get,
    server::list => List,
    token::list => List,
    token::whoami => Whoami,
    tool::diff => Diff,
    tool::get => Get,
    tool::list => List,
    usage::query => Query,
}

routes! {
    write, WRITES, Write<'_>;
    credential::create => Create,
    credential::destroy => Destroy,
    credential::rotate => Rotate,
    credential_grant::create => Create,
    credential_grant::revoke => Revoke,
    grant::create => Create,
    grant::revoke => Revoke,
    group::archive => Archive,
    group::create => Create,
    group::update => Update,
    invite::create => Create,
    invite::revoke => Revoke,
    pack::publish => Publish,
    principal::create => Create,
    principal::resume => Resume,
    principal::suspend => Suspend,
    principal::update => Update,
    project::archive => Archive,
    project::create => Create,
    project::update => Update,
    role::create => Create,
    role::delete => Delete,
    role::update => Update,
    server::import => Import,
    server::publish => Publish,
    server::register => Register,
    server::withdraw => Withdraw,
    token::create => Create,
    token::narrow => Narrow,
    token::rebind => Rebind,
    token::revoke => Revoke,
    token::rotate => Rotate,
    tool::classify => Classify,
}

routes! {
    open, OPENS, Open<'_>;
    invite::accept => Accept,
    token::report_leaked => ReportLeaked,
}

routes! {
    operate_read, OPERATE_READS, Operate<'_, Conn>;
    identity::get => Get,
    identity::list => List,
}

routes! {
    operate_write, OPERATE_WRITES, Operate<'_, Writing>;
    identity::create => Create,
    identity::resume => Resume,
    identity::suspend => Suspend,
}

/// The answer of a verb that anyone may use to a secret that is none, or nobody's here.
pub(crate) fn of_no_secret(verb: &Verb, call: &VerbCall) -> Result<Envelope, Failure> {
    if verb.name != <verbs::token::ReportLeaked as Declare>::NAME {
        return Err(invite::accept::refused().into());
    }
    let finished = Done::of(verbs::token::Reported::taken()).untold().finish()?;
    Ok(if call.dry_run { crate::verb::dry(&finished) } else { finished.envelope })
}

/// The input in its type. It was checked against the schema, so what is left are texts that a pattern
/// cannot rule out.
fn typed<D: Declare>(input: Value) -> Result<D::Input, Failure> {
    contract::typed::typed(input).map_err(|error| {
        Refusal::new(
            Code::InvalidInput,
            format!("The input cannot be read: {error}."),
            format!("Read the schema of `{}`.", D::NAME),
        )
        .into()
    })
}

/// A verb that does not exist, or not here.
pub(crate) fn no_such_verb(name: &str) -> Refusal {
    let name: String = name.chars().take(80).collect();
    Refusal::new(
        Code::NoSuchRoute,
        format!("There is no verb {name:?} in the control plane."),
        "Read `/openapi.json` for the verbs there are.",
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use contract::Effect;
    use contract::verb::{Needs, Plane, Registry};

    use super::*;

    #[test]
    fn every_verb_of_this_plane_is_routed_to_where_its_effect_belongs() {
        let routed: BTreeSet<_> =
            [READS, WRITES, OPENS, OPERATE_READS, OPERATE_WRITES].concat().into_iter().collect();
        let ours = || Registry::get().iter().filter(|verb| verb.plane == Plane::Control);
        let declared: BTreeSet<_> = ours().map(|verb| verb.name).collect();
        assert_eq!(routed, declared);
        let place = |verb: &Verb| match (verb.needs, verb.effect == Effect::Read) {
            (Needs::Anyone, _) => OPENS,
            (Needs::Operator, true) => OPERATE_READS,
            (Needs::Operator, false) => OPERATE_WRITES,
            (Needs::Caller | Needs::Action(_), true) => READS,
            (Needs::Caller | Needs::Action(_), false) => WRITES,
        };
        for verb in ours() {
            assert!(place(verb).contains(&verb.name), "{}", verb.name);
        }
    }
}
