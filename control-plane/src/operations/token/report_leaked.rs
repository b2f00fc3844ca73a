//! `token.report_leaked`: whoever holds the text of a token ends it. Invariant: nothing is answered by
//! which a text that stands can be told from any other, and the text is kept nowhere.

use contract::verbs::token::{Because, ReportInput, Reported};
use tenancy::token::Kind;

use crate::call::Open;
use crate::done::Done;
use crate::failure::Failure;
use crate::store;
use crate::store::token::Right;

pub(crate) async fn run(call: &mut Open<'_>, _: ReportInput) -> Result<Done<Reported>, Failure> {
    let now = call.now();
    let done = Done::of(Reported::taken()).untold();
    if call.presented.kind() == Kind::Invite {
        let root = call.view.root();
        let leaked = store::invite::leaked(&mut call.tx, call.plane, call.presented).await?;
        return Ok(leaked.into_iter().fold(done.at(root), Done::and_wrote));
    }
    let found = store::token::of_text(&mut call.tx, call.plane, call.presented, now).await?;
    let Some(found) = found else { return Ok(done) };
    let right = Right::text(call.plane, &found);
    let how = (Because::Leaked, now);
    let ended = store::token::revoke(&mut call.tx, right, found.token.id, how).await?;
    Ok(ended.written.into_iter().fold(done.at(&found.home), Done::and_wrote))
}
