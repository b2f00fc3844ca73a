//! Owns the opening of the control plane. Invariant: a data folder is opened only with the key that
//! its identities' keys are wrapped under, and a key that was ever used is never made anew.

use std::path::Path;
use std::sync::Arc;

use contract::shape::http::Policy;
use tenancy::clock::{self, Source};
use tenancy::keys::{self, Absent};
use tenancy::lease::Timing;
use tenancy::namespace::sqlite;
use tenancy::seal::{Kek, KeyId};
use tenancy::token::{self, Route, Uses};

use super::Plane;
use crate::checkpoint::Countersigner;
use crate::store::{self, Store};

/// The name of the countersigner's key file in the data folder.
const KEY_FILE: &str = "countersign-key.p8";
/// What operators' tokens carry in place of an identity's route. Identities' routes are longer.
const OPERATORS_ROUTE: &str = "operator";

/// What may be configured.
#[derive(Debug, Clone)]
pub struct Options {
    /// How long leases last.
    pub timing: Timing,
    /// The name that checkpoints are countersigned under: no white space and no `+`.
    pub signer: String,
    /// What servers may declare out of the ordinary: plain HTTP, and private networks.
    pub policy: Policy,
    /// Revoke every operator's token and make another, for when it was lost.
    pub new_operator_token: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            timing: Timing::default(),
            signer: "bailiwick-control".to_owned(),
            policy: Policy::default(),
            new_operator_token: false,
        }
    }
}

/// A control plane that was opened.
#[derive(Debug)]
pub struct Opened {
    /// The plane.
    pub plane: Arc<Plane>,
    /// The operator's token, if one was made now: at the first start, or because it was asked for.
    /// Not to be had again.
    pub operator_token: Option<token::Secret>,
}

/// Why a control plane was not opened.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database file cannot be used.
    #[error("cannot open the control database")]
    File(#[source] sqlite::Error),
    /// The database does not answer.
    #[error("cannot prepare the control database")]
    Store(#[source] store::Error),
    /// The identities' keys are wrapped under another key than the one given.
    #[error(
        "the identities' keys are wrapped under key {wrapped_under}, but key {given} was given"
    )]
    OtherKey {
        /// The key they are wrapped under.
        wrapped_under: KeyId,
        /// The key that was given.
        given: KeyId,
    },
    /// The countersigner's key cannot be used.
    #[error("cannot use the countersigner's key")]
    Key(#[source] keys::Error),
    /// The signer's name cannot stand in a signature line.
    #[error("{name:?} cannot name a signer: it is empty, or holds white space or a plus sign")]
    Signer {
        /// The name.
        name: String,
    },
}

impl Plane {
    /// Opens the control plane in the data folder `dir`, which must exist. The first start makes an
    /// operator's token; whoever opens keeps it safe.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn open(
        dir: &Path,
        source: clock::Shared,
        kek: Kek,
        options: Options,
    ) -> Result<Opened, Error> {
        let store = Store::open(dir).await.map_err(Error::File)?;
        let absent = check(&store, &kek).await?;
        let pair = keys::load_signing_key(&dir.join(KEY_FILE), absent, &*source);
        let pair = pair.map_err(Error::Key)?;
        let countersigner = Countersigner::new(&options.signer, pair)
            .ok_or(Error::Signer { name: options.signer })?;
        let operator_token = prepare(&store, &*source, options.new_operator_token).await?;
        let plane = Self {
            store,
            views: crate::views::Views::default(),
            holders: crate::lease::Holders::default(),
            pushers: crate::lease::push::Pushers::default(),
            source,
            kek,
            countersigner,
            timing: options.timing,
            policy: options.policy,
            uses: Uses::default(),
        };
        Ok(Opened { plane: Arc::new(plane), operator_token })
    }
}

/// That the database belongs to `kek`; and whether the countersigner's key may be made.
async fn check(store: &Store, kek: &Kek) -> Result<Absent, Error> {
    let mut conn = store.read().await.map_err(Error::Store)?;
    let dek = store::identity::any_dek(&mut conn).await.map_err(Error::Store)?;
    if let Some(dek) = dek.filter(|dek| dek.kek() != kek.id()) {
        return Err(Error::OtherKey { wrapped_under: dek.kek(), given: kek.id() });
    }
    let signed = store::checkpoint::any(&mut conn).await.map_err(Error::Store)?;
    Ok(if signed { Absent::Refuse } else { Absent::Make })
}

/// What every start does to the database. Answers the operator's token if it made one.
async fn prepare(
    store: &Store,
    source: &dyn Source,
    anew: bool,
) -> Result<Option<token::Secret>, Error> {
    let prepared = async {
        let mut tx = store.upkeep().await?;
        store::lease::bound(&mut tx, source.boot_ms()).await?;
        let secret = if anew || !store::operator::any(&mut tx).await? {
            store::operator::revoke_all(&mut tx).await?;
            let route: Route = OPERATORS_ROUTE
                .parse()
                .map_err(|_| store::Error::Range { what: "the operators' route" })?;
            let secret = token::mint(source, token::Kind::Operator, &route);
            let id = clock::new_id(source);
            store::operator::insert(&mut tx, id, secret.hash(), source.now()).await?;
            Some(secret)
        } else {
            None
        };
        tx.commit().await?;
        Ok(secret)
    };
    prepared.await.map_err(Error::Store)
}
