//! A worker over a control plane that a test scripts.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use contract::{Timestamp, sample};
use tenancy::clock::{Fake, Shared};
use tenancy::plane::{self, Answered, Gone, Granted, Link, Renewed, ToControl};
use tenancy::seal::Dek;
use tenancy::view::Document;

use super::{Config, Worker};

/// What a script says to a message: `None` is silence, for ever.
type Script = Box<dyn Fn(&ToControl) -> Option<Answered> + Send + Sync>;

/// A control plane of one identity, `acme`, that says what its script says.
pub(super) struct Control {
    script: Mutex<Script>,
    heard: Mutex<Vec<ToControl>>,
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").finish_non_exhaustive()
    }
}

impl Control {
    fn heard(&self) -> std::sync::MutexGuard<'_, Vec<ToControl>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What it heard that `which` picks, so far.
    pub(super) fn picked<T>(&self, which: impl Fn(&ToControl) -> Option<T>) -> Vec<T> {
        self.heard().iter().filter_map(which).collect()
    }

    /// Another script, from now on.
    pub(super) fn says(
        &self,
        script: impl Fn(&ToControl) -> Option<Answered> + Send + Sync + 'static,
    ) {
        *self.script.lock().unwrap_or_else(PoisonError::into_inner) = Box::new(script);
    }
}

impl Link for Control {
    fn ask(&self, frame: Vec<u8>) -> plane::Boxed<'_, Result<Vec<u8>, Gone>> {
        let message: ToControl = plane::decode(&frame).expect("a message");
        let script = self.script.lock().unwrap_or_else(PoisonError::into_inner);
        let answered = script(&message);
        drop(script);
        self.heard().push(message);
        Box::pin(async move {
            match answered {
                Some(answered) => Ok(plane::encode(answered).expect("a frame")),
                None => std::future::pending().await,
            }
        })
    }

    fn pushes(&self, _: &str) -> tokio::sync::mpsc::Receiver<Vec<u8>> {
        tokio::sync::mpsc::channel(1).1
    }
}

/// What a control plane says that has nothing new and to which everything is well.
pub(super) fn well(message: &ToControl) -> Answered {
    match message {
        ToControl::Acquire { identity, .. } => {
            let view = Document::empty(identity.clone(), sample::id(9), 1);
            let catalogue = plane::Catalogue { revision: 1, servers: Vec::new() };
            let key = Dek::generate(&Fake::at(Timestamp::from_ms(0))).to_text().to_string();
            let granted = Granted { epoch: 1, lease_ms: 3000, key, view, catalogue };
            Answered::Granted(Box::new(granted))
        }
        ToControl::Renew { .. } => {
            Answered::Renewed(Box::new(Renewed { lease_ms: 3000, view: None, catalogue: None }))
        }
        ToControl::Outbox { .. } => Answered::Outbox(Vec::new()),
        ToControl::Verb(_)
        | ToControl::Route { .. }
        | ToControl::Exists { .. }
        | ToControl::Ack { .. }
        | ToControl::Release { .. }
        | ToControl::Usage { .. }
        | ToControl::Used { .. }
        | ToControl::Checkpoint { .. } => Answered::Done,
    }
}

/// A worker, its clock, and the control plane that it asks.
#[derive(Debug)]
pub(super) struct Bench {
    pub(super) worker: Arc<Worker>,
    pub(super) clock: Arc<Fake>,
    pub(super) control: Arc<Control>,
    _dir: tempfile::TempDir,
}

/// A worker over a control plane that says what `script` says.
pub(super) async fn bench(
    script: impl Fn(&ToControl) -> Option<Answered> + Send + Sync + 'static,
) -> Bench {
    let clock = Arc::new(Fake::at(Timestamp::from_ms(1_000_000_000)));
    let control =
        Arc::new(Control { script: Mutex::new(Box::new(script)), heard: Mutex::default() });
    let dir = tempfile::tempdir().expect("a folder");
    let config = Config {
        dir: dir.path().to_owned(),
        node: "n1".to_owned(),
        policy: contract::shape::http::Policy::default(),
        signing_seed: [7; 32],
        own: Vec::new(),
    };
    let source: Shared = Arc::<Fake>::clone(&clock);
    let link: Arc<dyn Link> = Arc::<Control>::clone(&control);
    let identity = "acme".parse().expect("a name");
    let worker = Worker::start(identity, link, source, &config).await.expect("a worker");
    Bench { worker, clock, control, _dir: dir }
}
