//! Owns the service that is measured: both planes in one process, as `bailiwick serve` starts them, with
//! two identities, a declared upstream, and an agent that calls. Invariant: nothing is switched off for
//! the measurement; only the agent's rate is raised.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use axum::Router;
use contract::shape::http::Policy;
use control_plane::{Local, Options, Plane};
use data_plane::{Config, Reach};
use e2e::World;
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use tenancy::clock::{Machine, Shared};
use tenancy::keys::{self, Absent};

use crate::pin::{Halves, run};
use crate::{baseline, upstream};

/// The tool that is called: a declared read of one ticket.
pub(crate) const TOOL: &str = "support/tickets.ticket.get";
/// What is written into the settings of every identity, since nobody can set it yet.
const CALLS_PER_MINUTE: u32 = u32::MAX;

/// A service that was filled.
#[derive(Debug)]
pub(crate) struct Site {
    /// Its router, to be called without a socket.
    pub(crate) app: Router,
    /// Where it listens.
    pub(crate) service: SocketAddr,
    /// Who is in it.
    pub(crate) world: World,
    /// The token of the agent that calls: autonomous, a member of all of `acme`.
    pub(crate) agent: String,
    /// The upstream.
    pub(crate) upstream: SocketAddr,
    /// A large answer that is held: 318 KB of log.
    pub(crate) handle: String,
}

struct Started {
    app: Router,
    at: SocketAddr,
    operator: String,
}

impl Site {
    /// Starts it: the service on one half, its upstream on the other.
    ///
    /// # Errors
    /// When something of it does not start.
    pub(crate) fn start(halves: &Halves) -> anyhow::Result<Self> {
        // A second installation in one process is the same provider.
        drop(rustls::crypto::ring::default_provider().install_default());
        let dir = tempfile::tempdir().context("a folder")?;
        let path = dir.path().to_owned();
        let Started { app, at, operator } =
            run(&halves.serve, async move { Box::pin(started(&path)).await })?;
        run(&halves.load, async move {
            let world = Box::pin(World::over(format!("http://{at}"), operator, dir)).await;
            Box::pin(filled(app, at, world)).await
        })
    }
}

async fn started(dir: &Path) -> anyhow::Result<Started> {
    let clock: Shared = Arc::new(Machine);
    let policy = Policy { http: true, private: vec!["127.0.0.0/8".parse().context("a block")?] };
    let kek = keys::load_kek(&dir.join(keys::KEK_FILE), None, Absent::Make, &*clock)?;
    let options = Options { policy: policy.clone(), ..Options::default() };
    let opened = Plane::open(dir, Arc::clone(&clock), kek, options).await?;
    let operator = opened.operator_token.context("a new folder has a new operator")?;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let at = listener.local_addr()?;
    let config = Config {
        dir: dir.to_owned(),
        node: "bench".to_owned(),
        policy,
        signing_seed: [7; 32],
        own: vec![at],
    };
    let link = Arc::new(Local::new(opened.plane));
    let app = data_plane::router(link, clock, config, Reach::default());
    tokio::spawn(data_plane::serve(listener, app.clone(), std::future::pending()));
    Ok(Started { app, at, operator: operator.expose().to_owned() })
}

async fn filled(app: Router, service: SocketAddr, mut world: World) -> anyhow::Result<Site> {
    raise_rates(world.dir.path()).await?;
    let upstream = baseline::serve(upstream::router()).await?;
    let (ana, origin) = (world.ana.clone(), format!("http://{upstream}"));
    let grants = [("member", "acme")];
    let agent = Box::pin(world.principal(&ana, "agent", "load-bot", "autonomous", &grants)).await;
    Box::pin(world.server(&ana, e2e::world::tickets("acme/support", &origin))).await;
    let read = Box::pin(world.call(&agent, "support/tickets.log.read", json!({}))).await;
    let handle = read.result().get("handle").and_then(Value::as_str);
    let handle = handle.context("a large answer is held")?.to_owned();
    Ok(Site { app, service, world, agent, upstream, handle })
}

/// Raises how much a principal may call. Any change of authority that follows carries it to the workers.
async fn raise_rates(dir: &Path) -> anyhow::Result<()> {
    let file = SqliteConnectOptions::new().filename(dir.join("control.db"));
    let mut control = file.connect().await.context("the control database")?;
    sqlx::query("UPDATE identities SET settings = json_set(settings, '$.calls_per_minute', $1)")
        .bind(i64::from(CALLS_PER_MINUTE))
        .execute(&mut control)
        .await?;
    control.close().await?;
    Ok(())
}
