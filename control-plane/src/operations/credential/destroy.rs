//! `credential.destroy`: removes a secret for good. Destroying it again changes nothing.

use contract::Written;
use contract::verbs::credential::{Credential, Which};

use super::find;
use crate::call::Write;
use crate::done::Done;
use crate::failure::Failure;
use crate::store::{self, credential::Record};

pub(crate) async fn run(call: &mut Write<'_>, input: Which) -> Result<Done<Credential>, Failure> {
    let (permit, Record { credential, destroyed }) = find(call, input.credential).await?;
    if destroyed {
        return Ok(Done::of(credential));
    }
    let credential = store::credential::destroy(&mut call.tx, &permit, credential.id).await?;
    let written = Written::new("credentials", credential.id, credential.version);
    Ok(Done::wrote(credential, permit.scope(), written))
}
