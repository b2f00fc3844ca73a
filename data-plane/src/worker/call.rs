//! Owns the way of one call, from a token and an input to an answer: authenticate, resolve, rule,
//! record, carry out, record, answer. Each step is one function; nothing flows back up.

use std::sync::{Arc, OnceLock};

use contract::id::{self, Id};
use contract::verb::{Plane, Verb};
use contract::verbs::catalogue::CallInput;
use contract::{Address, Answer, Code, Refusal};
use serde_json::Value;
use tenancy::authority::{self, Caller, Objection};
use tenancy::token::Presented;

use super::Worker;
use super::judge::{Judged, Settled};
use super::session::World;
use crate::catalogue::index::Version;
use crate::catalogue::resolve::{self, Asking, Unresolved};
use crate::catalogue::{Resolved, Target};
use crate::gate;
use crate::run::Run;

/// How soon to try again when the lease is gone: about one renewal.
const RETRY_MS: u64 = 1000;

/// Where a call came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    /// Over MCP.
    Mcp,
    /// Over REST, and so from the command line too.
    Rest,
}

impl Surface {
    /// The word of the ledger.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::Rest => "rest",
        }
    }
}

/// What goes with a call beside its input.
#[derive(Debug, Clone, Default)]
pub(crate) struct Options {
    /// The run it belongs to.
    pub(crate) run: Option<Id<id::Run>>,
    /// Only say what would happen.
    pub(crate) dry_run: bool,
    /// The same key is carried out once.
    pub(crate) idempotency_key: Option<String>,
}

/// A call as it came in. Its input fits its verb's schema.
#[derive(Clone)]
pub(crate) struct Incoming {
    /// What the caller presented.
    pub(crate) token: String,
    /// Which verb.
    pub(crate) verb: &'static Verb,
    /// Its input.
    pub(crate) input: Value,
    /// What goes with it.
    pub(crate) options: Options,
    /// Where it came in.
    pub(crate) surface: Surface,
}

impl std::fmt::Debug for Incoming {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Incoming").field("verb", &self.verb.name).finish_non_exhaustive()
    }
}

/// A call that names what it calls by address.
#[derive(Debug)]
pub(crate) struct Named {
    pub(crate) address: Address,
    pub(crate) arguments: Value,
    pub(crate) options: Options,
    pub(crate) surface: Surface,
}

/// A call with everything that was found out about it.
pub(crate) struct Found<'v> {
    pub(crate) world: Arc<World>,
    pub(crate) asking: Asking<'v, 'v>,
    pub(crate) resolved: Resolved,
    pub(crate) named: Named,
    pub(crate) run: Arc<Run>,
    /// What the caller's own rate said.
    pub(crate) own_rate: gate::Rate,
    /// The handle of what came of it, once it is kept.
    pub(crate) stored: OnceLock<Id<id::Content>>,
}

impl Found<'_> {
    /// Remembers where what came of the call is kept.
    pub(crate) fn note_stored(&self, handle: Id<id::Content>) {
        // A call is carried out once, so the first handle is the only one.
        let _ = self.stored.set(handle);
    }

    /// The declaration that is called, if it is a tool's.
    pub(crate) fn version(&self) -> Option<&Arc<Version>> {
        let Target::Tool(tool) = &self.resolved.target else { return None };
        tool.version.as_ref()
    }
}

impl Worker {
    /// Answers one call. Where it had to be found out first what came of the same call before, it goes its
    /// way a second time, and no third.
    pub(crate) async fn answer(self: &Arc<Self>, incoming: Incoming) -> Answer {
        let mut settled = None;
        loop {
            match self.pass(&incoming, settled.take()).await {
                Judged::Answered(answer) => return answer,
                Judged::Settled(once) => settled = Some(once),
            }
        }
    }

    async fn pass(self: &Arc<Self>, incoming: &Incoming, settled: Option<Settled>) -> Judged {
        let world = self.session.world();
        let caller = match self.authenticate(&world, &incoming.token) {
            Ok(caller) => caller,
            Err(answer) => return (*answer).into(),
        };
        let named = match name(incoming) {
            Ok(named) => named,
            Err(refusal) => return Answer::Refused(refusal).into(),
        };
        let (standing, now) = (self.session.standing(), self.session.now());
        let own_rate = match settled {
            None => self.take_own(&caller),
            Some(_) => gate::Rate::Within,
        };
        self.uses.note(&caller.token().id, self.now());
        if let Some(verb) = super::anyone::verb(&named.address) {
            return self.for_anyone(verb, named, own_rate).await.into();
        }
        let run = match self.run_of(&caller, named.options.run).await {
            Ok(run) => run,
            Err(answer) => {
                let asking = Asking { caller: &caller, standing, now };
                return self.unfit_run(asking, &named, *answer).await.into();
            }
        };
        let packs = match self.packs_of(&caller, &run).await {
            Ok(packs) => packs,
            Err(answer) => return (*answer).into(),
        };
        let caller = caller.in_run(&packs);
        let asking = Asking { caller: &caller, standing, now };
        let resolved = match self.resolve(&world, asking, &named).await {
            Ok(resolved) => resolved,
            // A flood of calls to what is not there does not fill the ledger.
            Err(_) if own_rate != gate::Rate::Within => {
                return Answer::from(gate::too_many(own_rate)).into();
            }
            Err(answer) => return self.unresolved(asking, &named, &run, *answer).await.into(),
        };
        let stored = OnceLock::new();
        let found =
            Found { world: Arc::clone(&world), asking, resolved, named, run, own_rate, stored };
        self.judge(found, incoming, None, settled).await
    }

    /// Whether a token is one that stands, before anything else of a request is read.
    pub(crate) fn knows(&self, token: &str) -> Result<(), Box<Answer>> {
        self.authenticate(&self.session.world(), token).map(drop)
    }

    fn authenticate<'v>(&self, world: &'v World, token: &str) -> Result<Caller<'v>, Box<Answer>> {
        let presented = Presented::parse(token).map_err(|error| {
            let refusal = Refusal::new(
                Code::Unauthenticated,
                format!("This is not a token of this service: {error}."),
                "Send `Authorization: Bearer bw_…`, the whole token as it was shown.",
            );
            Box::new(Answer::from(refusal))
        })?;
        let (standing, now) = (self.session.standing(), self.session.now());
        let (hash, kind) = (presented.hash(), presented.kind());
        authority::authenticate(&world.view, &standing, &hash, kind, now).map_err(|objection| {
            Box::new(match objection {
                Objection::Refused(reason) => gate::refusal(reason).into(),
                Objection::Unavailable => Answer::unavailable("authority", RETRY_MS),
            })
        })
    }

    pub(crate) async fn resolve(
        &self,
        world: &World,
        asking: Asking<'_, '_>,
        named: &Named,
    ) -> Result<Resolved, Box<Answer>> {
        let mut resolved =
            resolve::resolve(&world.index, asking, &named.address).map_err(|unresolved| {
                Box::new(match unresolved {
                    Unresolved::Unknown => gate::refusal(authority::Reason::NoGrant).into(),
                    Unresolved::PlaceRequired(places) => place_required(&named.address, &places),
                })
            })?;
        if let Target::Seat(verb) = resolved.target
            && verb.plane == Plane::Data
        {
            self.aim(asking, verb, &named.arguments, &mut resolved)
                .await
                .map_err(|error| Box::new(super::answer::broken(&error)))?;
        }
        Ok(resolved)
    }
}

fn place_required(address: &Address, places: &[contract::Place]) -> Answer {
    let named: Vec<String> =
        places.iter().map(|place| format!("{place}/{}.{}", address.server, address.tool)).collect();
    let mut refusal = Refusal::new(
        Code::PlaceRequired,
        format!("`{address}` names no place, and this server answers only where it is named."),
        format!("Call one of: {}.", named.join(", ")),
    )
    .with("places", serde_json::json!(places));
    refusal.field = Some("address".to_owned());
    refusal.into()
}

/// What a call names: `catalogue.call` names an address, every other verb itself.
fn name(incoming: &Incoming) -> Result<Named, Box<Refusal>> {
    let surface = incoming.surface;
    if incoming.verb.name != "catalogue.call" {
        let address = incoming.verb.name.parse().map_err(|error: contract::name::Malformed| {
            Box::new(Refusal::of_field(
                "verb",
                error.to_string(),
                "Tell whoever runs this service.",
            ))
        })?;
        let arguments = incoming.input.clone();
        return Ok(Named { address, arguments, options: incoming.options.clone(), surface });
    }
    let call: CallInput = contract::typed::typed(incoming.input.clone()).map_err(|error| {
        Box::new(Refusal::of_field(
            "address",
            error.to_string(),
            "Read the schema of `catalogue_call`.",
        ))
    })?;
    if call.address.to_string() == "catalogue.call" {
        return Err(Box::new(Refusal::of_field(
            "address",
            "`catalogue.call` cannot call itself.",
            "Name the address of the tool that you want to call.",
        )));
    }
    let options = Options {
        run: call.run.or(incoming.options.run),
        dry_run: call.dry_run || incoming.options.dry_run,
        idempotency_key: call.idempotency_key.or_else(|| incoming.options.idempotency_key.clone()),
    };
    Ok(Named { address: call.address, arguments: Value::Object(call.arguments), options, surface })
}
