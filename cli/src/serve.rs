//! Owns `bailiwick serve`: both planes in one process on a data folder. Invariants: what is answered
//! was begun before the stop, or never; the operator's token is in a file that only its owner may
//! read, and is never printed.

mod keys;

use std::fs::File;
use std::io::IsTerminal as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use contract::shape::http::{Cidr, Policy};
use control_plane::{Local, Plane};
use data_plane::{Config, Reach};
use tenancy::clock;
use tenancy::keys::write_private;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tracing_subscriber::EnvFilter;

use crate::{Exit, environment, output};

/// How long calls that were begun may take to end once a stop was asked for.
const STOP_DEADLINE: Duration = Duration::from_secs(10);
/// What this node is called.
const NODE: &str = "local";
/// The port that is listened on where none is said: that of [`crate::target::DEFAULT`].
const PORT: u16 = 7500;

/// What `serve` can be told.
#[derive(Debug, Args)]
struct Said {
    /// The folder that holds everything; made if it is not there
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Where to listen; port 0 takes any that is free
    #[arg(long, value_name = "ADDRESS", default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)))]
    listen: SocketAddr,
    /// A name under which callers reach it, beside the loopback names; can be repeated
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// The origin of a page that may call it; can be repeated
    #[arg(long, value_name = "URL")]
    origin: Vec<String>,
    /// Let servers be declared with plain http://
    #[arg(long)]
    allow_http: bool,
    /// Let servers be declared in this private address block, such as 10.0.0.0/8; can be repeated
    #[arg(long, value_name = "CIDR")]
    allow_private: Vec<Cidr>,
    /// Revoke every operator's token and make another, for when it was lost
    #[arg(long)]
    new_operator_token: bool,
}

/// What the planes are started with.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    /// The data folder.
    pub(crate) data: PathBuf,
    /// Where to listen; port 0 takes any that is free.
    pub(crate) listen: SocketAddr,
    /// How the front is reached.
    pub(crate) reach: Reach,
    /// What the operator allows declared endpoints.
    pub(crate) policy: Policy,
    /// Revoke every operator's token and make another.
    pub(crate) new_operator_token: bool,
}

/// Both planes at work. Dropped, they stop at once; see [`Running::stop`].
#[derive(Debug)]
pub(crate) struct Running {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// The file of the operator's token. It is there if this start made the token, and as long as
    /// the operator leaves it there.
    pub(crate) operator_token: PathBuf,
    plane: Arc<Plane>,
    serving: JoinHandle<()>,
    stopping: oneshot::Sender<()>,
    // Closed last: nobody else may use the folder before.
    _lock: File,
}

/// The command.
pub(crate) fn arguments() -> Command {
    // Last, since what the arguments say of themselves would go before it.
    Said::augment_args(Command::new("serve"))
        .about("Serve: both planes in one process, on SQLite in a folder")
        .long_about(
            "Serves: both planes in one process, on SQLite in a folder. The first start makes the \
             folder, its keys and the operator's token, and says what to type next. Keep a copy of \
             the folder's key `kek` apart from the folder: without it, its credentials cannot be \
             opened. SIGINT or SIGTERM stops it; calls that were begun are finished.",
        )
        .after_help("Example:\n  bailiwick serve --data ./data")
}

/// Carries it out.
pub(crate) async fn command(matches: &ArgMatches) -> Exit {
    log();
    let said = Said::from_arg_matches(matches).map_err(anyhow::Error::from)?;
    let options = Options {
        data: said.data,
        listen: said.listen,
        reach: Reach { hosts: said.host, origins: said.origin },
        policy: Policy { http: said.allow_http, private: said.allow_private },
        new_operator_token: said.new_operator_token,
    };
    // Before anything is started, so that a stop in between is not lost.
    let mut interrupt = signal(SignalKind::interrupt()).map_err(anyhow::Error::from)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(anyhow::Error::from)?;
    let running = Box::pin(start(options.clone())).await?;
    output::out(&announcement(&options, &running));
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    tracing::info!("stopping");
    running.stop().await?;
    tracing::info!("stopped");
    Ok(0)
}

/// Starts both planes, and listens.
pub(crate) async fn start(options: Options) -> anyhow::Result<Running> {
    let source: clock::Shared = Arc::new(clock::Machine);
    let dir = options.data;
    let folder = keys::open(&dir, &*source)?;
    let listener = TcpListener::bind(options.listen).await.map_err(|error| {
        anyhow::anyhow!(
            "cannot listen on {}: {error}. Name another address with --listen; port 0 takes any \
             that is free",
            options.listen
        )
    })?;
    let address = listener.local_addr()?;
    let of_control = control_plane::Options {
        policy: options.policy.clone(),
        new_operator_token: options.new_operator_token,
        ..control_plane::Options::default()
    };
    let opened = Plane::open(&dir, Arc::clone(&source), folder.kek, of_control).await?;
    let operator_token = keys::operator_token(&dir);
    if let Some(token) = &opened.operator_token {
        write_private(&operator_token, token.expose().as_bytes(), &*source)?;
    }
    let link = Arc::new(Local::new(Arc::clone(&opened.plane)));
    let config = Config {
        dir,
        node: NODE.to_owned(),
        policy: options.policy,
        signing_seed: folder.signing_seed,
        own: vec![address],
    };
    let router = data_plane::router(link, source, config, options.reach);
    let (stopping, stopped) = oneshot::channel();
    let serving = tokio::spawn(data_plane::serve(listener, router, async {
        // A sender that was dropped is a stop as well.
        drop(stopped.await);
    }));
    tracing::info!(%address, "listening");
    let plane = opened.plane;
    Ok(Running { address, operator_token, plane, serving, stopping, _lock: folder.lock })
}

impl Running {
    /// Stops: no new calls, those that were begun are finished up to a deadline, then the databases
    /// are closed.
    pub(crate) async fn stop(self) -> anyhow::Result<()> {
        // It is gone already if serving ended by itself, which its own result tells.
        let _ = self.stopping.send(());
        let mut serving = self.serving;
        let ended = tokio::time::timeout(STOP_DEADLINE, &mut serving).await;
        if ended.is_err() {
            tracing::warn!("calls were cut off: they did not end in time");
            serving.abort();
        }
        self.plane.close().await;
        match ended {
            Ok(ended) => ended.context("serving ended"),
            Err(_) => Ok(()),
        }
    }

    /// The URL that callers on this machine use.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.reached_at())
    }

    /// The address that callers on this machine use: what listens everywhere is called on loopback.
    fn reached_at(&self) -> SocketAddr {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(Ipv4Addr::LOCALHOST.into());
        }
        address
    }
}

/// What a start says: where it listens, what it made, and what to type next.
fn announcement(options: &Options, running: &Running) -> String {
    let url = running.url();
    let token = shell(&running.operator_token);
    let kept = if running.operator_token.exists() {
        token.as_str()
    } else {
        "not here (was it lost? start with --new-operator-token)"
    };
    let is_loopback = running.address.ip().is_loopback();
    let plain =
        if is_loopback { "" } else { "  This is plain HTTP: put a proxy with TLS before it.\n" };
    let unnamed = if is_loopback || !options.reach.hosts.is_empty() {
        ""
    } else {
        "  It answers to loopback names only: name it with --host.\n"
    };
    format!(
        "Bailiwick listens on {url}\n  \
         data            {data}\n  \
         operator token  {kept}\n\
         {plain}{unnamed}\
         Next, in another terminal, make a tenant and its first user:\n  \
         bailiwick identity create initech --owner ana --url {url} --token-file {token}\n\
         It shows the user's token once. Keep it as a profile, and call as that user:\n  \
         bailiwick profile set ana --url {url} --token-stdin\n  \
         bailiwick profile use ana\n  \
         bailiwick token whoami\n",
        data = options.data.display(),
    )
}

/// A path as a POSIX shell reads it.
fn shell(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+@%".contains(c);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Logs to standard error what the environment asks for. The MCP library's own lines would hold what
/// callers send, so it is heard only where something is wrong.
pub(crate) fn log() {
    let asked = environment::text(environment::LOG);
    let filter = EnvFilter::builder().parse_lossy(asked.as_deref().unwrap_or("info"));
    let filter = match "rmcp=warn".parse() {
        Ok(directive) => filter.add_directive(directive),
        Err(_) => filter,
    };
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    // One that is there already stays.
    drop(subscriber.try_init());
}
