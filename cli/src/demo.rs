//! Owns `bailiwick demo`: both planes on a throw-away folder, two tenants, stand-in upstreams, the
//! walk through the main job, and what a person needs to go on by themselves. Invariants: nothing of
//! a throw-away folder is left behind; `--once` exits with 0 only if every check held.

mod api;
mod invitation;
mod mcp;
mod scenario;
mod show;
mod upstream;
mod walk;
mod world;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use contract::shape::http::Policy;
use data_plane::Reach;
use tenancy::clock::{Machine, Source as _};
use tenancy::keys::{private_folder, read_private, write_private};
use tokio::signal::unix::{SignalKind, signal};

use crate::{Exit, environment, output, serve};
use show::Page;
use upstream::Upstream;
use walk::Walk;

/// What the demo can be told.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Stop after the walk; exit with 0 only if every step was as it must be
    #[arg(long)]
    pub(crate) once: bool,
    /// Where to listen; port 0 takes any that is free
    #[arg(long, value_name = "ADDRESS", default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))]
    pub(crate) listen: SocketAddr,
    /// Keep everything in this folder, which must be new (else it is thrown away)
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Write a scenario for the drivers of real clients to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) scenario: Option<PathBuf>,
}

/// Runs the demo.
pub(crate) async fn run(mut args: Args) -> Exit {
    if environment::text(environment::LOG).is_some() {
        serve::log();
    }
    let folder = Folder::of(args.data.take())?;
    let done = Box::pin(in_folder(&args, &folder)).await;
    let swept = folder.sweep();
    let code = done?;
    swept?;
    Ok(code)
}

async fn in_folder(args: &Args, folder: &Folder) -> anyhow::Result<u8> {
    // Before anything is started, so that a stop in between is not lost.
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let upstream = Upstream::start().await.context("cannot start the stand-in upstreams")?;
    let options = serve::Options {
        data: folder.path.clone(),
        listen: args.listen,
        reach: Reach::default(),
        // The demo is its own operator, and its upstreams are on this machine.
        policy: Policy { http: true, private: vec!["127.0.0.0/8".parse()?] },
        new_operator_token: false,
    };
    let running = Box::pin(serve::start(options)).await?;
    let code = tokio::select! {
        code = shown(args, folder, &running, &upstream) => code,
        // A walk that was cut short proved nothing.
        _ = interrupt.recv() => Ok(u8::from(args.once)),
        _ = terminate.recv() => Ok(u8::from(args.once)),
    };
    let stopped = running.stop().await;
    let code = code?;
    stopped?;
    Ok(code)
}

/// Walks, then stays up until it is dropped, or answers the exit code.
async fn shown(
    args: &Args,
    folder: &Folder,
    running: &serve::Running,
    upstream: &Upstream,
) -> anyhow::Result<u8> {
    let url = running.url();
    output::line(&format!(
        "Bailiwick listens on {url}, the stand-in upstreams on {}.",
        upstream.origin
    ));
    let operator = read_private(&running.operator_token)?;
    let operator = String::from_utf8(operator.expose().to_vec())?;
    let mut world = Box::pin(world::build(&url, operator.trim(), upstream)).await?;
    output::line(
        "Two tenants were made over its API: acme (ana, rui, shop-bot, returns-bot) and globex (gus, depot-bot).",
    );
    let mut page = Page::new();
    Box::pin(Walk::new(&mut world, upstream, &mut page, folder.path.clone()).go()).await;
    let (checked, failed) = page.tally();
    output::line(&format!("\n{} of {checked} checks held.", checked - failed));
    if let Some(file) = &args.scenario {
        let text = format!("{:#}\n", scenario::of(&world));
        // It holds tokens.
        write_private(file, text.as_bytes(), &Machine)?;
        output::line(&format!("The scenario is in {}.", file.display()));
    }
    if args.once {
        return Ok(u8::from(failed > 0));
    }
    output::out(&invitation::of(&world, &folder.path)?);
    std::future::pending().await
}

/// The folder that everything is kept in.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
    thrown_away: bool,
}

impl Folder {
    fn of(said: Option<PathBuf>) -> anyhow::Result<Self> {
        let thrown_away = said.is_none();
        let path = said.unwrap_or_else(|| {
            let mut drawn = [0; 8];
            Machine.random(&mut drawn);
            std::env::temp_dir().join(format!("bailiwick-demo-{:016x}", u64::from_be_bytes(drawn)))
        });
        private_folder(&path)?;
        if std::fs::read_dir(&path)?.next().is_some() {
            bail!(
                "{} is not empty: the demo makes its tenants anew. Name a new folder, or serve this one with `bailiwick serve --data {0}`",
                path.display()
            );
        }
        Ok(Self { path, thrown_away })
    }

    /// Removes it, if it was made to be thrown away.
    fn sweep(&self) -> anyhow::Result<()> {
        if !self.thrown_away {
            return Ok(());
        }
        let removed = std::fs::remove_dir_all(&self.path);
        removed.with_context(|| format!("cannot remove {}", self.path.display()))
    }
}
