//! `identity.create`: makes a tenant with its data key, its owner and the owner's token.

use contract::hint::Kind as Hint;
use contract::verbs::identity::{CreateInput, Created};
use contract::{Scope, Written};
use tenancy::seal::Dek;
use tenancy::token::{self, Route};

use crate::call::{Operate, already_exists};
use crate::done::Done;
use crate::failure::Failure;
use crate::store::identity::Founding;
use crate::store::tx::Writing;
use crate::store::{self, Error};

pub(crate) async fn run(
    call: &mut Operate<'_, Writing>,
    input: CreateInput,
) -> Result<Done<Created>, Failure> {
    if store::identity::exists(&mut call.tx, &input.name).await? {
        let say = format!("There is an identity `{}` already.", input.name);
        return Err(already_exists("name", say).into());
    }
    let source = call.means.source;
    let (id, route) = (call.new_id(), Route::random(source));
    let dek = Dek::generate(source)
        .wrap(call.means.kek, id, source)
        .map_err(|error| Error::Corrupt { column: "dek", why: error.to_string() })?;
    let secret = token::mint(source, token::Kind::User, &route);
    let new = Founding {
        id,
        name: &input.name,
        route: &route,
        dek: &dek,
        owner: call.new_id(),
        owner_name: &input.owner,
        grant: call.new_id(),
        token: call.new_id(),
        hash: secret.hash(),
        now: call.now(),
    };
    let identity = store::identity::found(&mut call.tx, &call.operator, &new).await?;
    let written = Written::new("identities", identity.id, identity.version);
    let owner_token = secret.expose().to_owned();
    let created = Created { identity, owner: new.owner, owner_token };
    Ok(Done::wrote(created, &Scope::identity(&input.name), written)
        .and_wrote(Written::new("principals", new.owner, 1))
        .and_wrote(Written::new("grants", new.grant, 1))
        .and_wrote(Written::new("tokens", new.token, 1))
        .shown_once("owner_token")
        .hint(Hint::NextStep, "With the owner's token, make groups, principals and servers."))
}
