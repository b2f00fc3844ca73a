//! Owns the views that are kept between calls. Invariant: what is kept is data at a revision, never a
//! verdict, and it is used only where the revision read in the same transaction is that one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use contract::{Name, Timestamp};
use tenancy::permit;
use tenancy::view::AuthorityView;

use crate::store::tx::Conn;
use crate::store::{self, Error};

/// How many views are kept.
const KEPT_MAX: usize = 256;

/// The views of the identities that were last asked about.
#[derive(Debug, Default)]
pub(crate) struct Views(Mutex<HashMap<Name, Arc<AuthorityView>>>);

impl Views {
    /// The view at the revision that `conn` sees, if there is such an identity.
    pub(crate) async fn current(
        &self,
        conn: &mut Conn,
        plane: &permit::Plane,
        now: Timestamp,
    ) -> Result<Option<Arc<AuthorityView>>, Error> {
        let Some((revision, _)) = store::view::revisions(conn, plane).await? else {
            return Ok(None);
        };
        if let Some(kept) = self.kept(plane.identity(), revision) {
            return Ok(Some(kept));
        }
        let Some(document) = store::view::document(conn, plane, now).await? else {
            return Ok(None);
        };
        let view = AuthorityView::new(document).map_err(|error| Error::Corrupt {
            column: "the authority view",
            why: error.to_string(),
        })?;
        let view = Arc::new(view);
        self.keep(&view);
        Ok(Some(view))
    }

    fn kept(&self, identity: &Name, revision: u64) -> Option<Arc<AuthorityView>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(identity).filter(|view| view.revision() == revision).map(Arc::clone)
    }

    fn keep(&self, view: &Arc<AuthorityView>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT_MAX && !kept.contains_key(view.identity()) {
            kept.clear();
        }
        let newest = kept.entry(view.identity().clone()).or_insert_with(|| Arc::clone(view));
        if newest.revision() < view.revision() {
            *newest = Arc::clone(view);
        }
    }
}
