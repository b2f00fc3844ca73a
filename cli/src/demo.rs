//! Owns `bailiwick demo`: both planes on a throw-away folder, two tenants, stand-in upstreams, the
//! walk through the main job, and what a person needs to go on by themselves. Invariants: nothing of
//! a throw-away folder is left behind; `--once` exits with 0 only if every check held.

mod api;
mod mcp;
mod scenario;
mod show;
mod upstream;
mod walk;
mod world;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use contract::shape::http::Policy;
use data_plane::Reach;
use serde_json::json;
use tenancy::clock::{Machine, Source as _};
use tenancy::keys::{private_folder, read_private, write_private};
use tokio::signal::unix::{SignalKind, signal};

use crate::{Exit, environment, output, serve};
use show::Page;
use upstream::Upstream;
use walk::Walk;
use world::{Who, World};

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
    output::line(&format!("Bailiwick listens on {url}, the stand-in upstreams on {}.", upstream.origin));
    let operator = read_private(&running.operator_token)?;
    let operator = String::from_utf8(operator.expose().to_vec())?;
    let mut world = Box::pin(world::build(&url, operator.trim(), upstream)).await?;
    output::line("Two tenants were made over its API: acme (ana, rui, shop-bot, returns-bot) and globex (gus, depot-bot).");
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
    output::out(&invitation(&world, &folder.path)?);
    std::future::pending().await
}

/// What a person needs to go on: addresses, tokens, a profile, a client's configuration.
fn invitation(world: &World, dir: &Path) -> anyhow::Result<String> {
    let people: [(&str, &str, &Who); 5] = [
        ("ana", "owns acme", &world.ana),
        ("rui", "approves in acme", &world.rui),
        ("shop-bot", "acme/shop, autonomous", &world.shop_bot),
        ("returns-bot", "acme/shop/returns, supervised", &world.returns_bot),
        ("gus", "owns globex", &world.gus),
    ];
    let url = &world.url;
    let mut out = format!("\nIt stays up until you stop it (Ctrl-C).\n\n  URL   {url}\n  MCP   {url}/t/acme/mcp\n\nTokens\n");
    for (name, what, who) in people {
        let file = dir.join(format!("{name}.token"));
        write_private(&file, who.api.token().as_bytes(), &Machine)?;
        out.push_str(&format!("  {name:12} {what:30} {}\n  {:12} {}\n", file.display(), "", who.api.token()));
    }
    let config = json!({ "mcpServers": { "bailiwick-demo": {
        "type": "http", "url": format!("{url}/t/acme/mcp"),
        "headers": { "Authorization": format!("Bearer {}", world.shop_bot.api.token()) },
    } } });
    let at = |name: &str| dir.join(format!("{name}.token")).display().to_string();
    let (read, _) = walk::invoice();
    out.push_str(&format!(
        "\nA profile for the command line, as shop-bot and as ana\n  \
         bailiwick profile set demo --url {url} --token-file {}\n  \
         bailiwick profile set demo-ana --url {url} --token-file {}\n\n\
         Configuration of an MCP client\n{config:#}\n\n\
         Five things to try\n  \
         bailiwick --profile demo catalogue search --query \"look up an invoice\"\n  \
         bailiwick --profile demo catalogue call --address {read} --arguments '{{\"number\":\"INV-2043\"}}'\n  \
         bailiwick --profile demo catalogue call --address shop/tickets.ticket.create --arguments '{{\"subject\":\"Hello\"}}'\n  \
         bailiwick --profile demo-ana approval list --state pending\n  \
         bailiwick --profile demo-ana ledger query --verdict block\n",
        at("shop-bot"),
        at("ana"),
    ));
    Ok(out)
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
            bail!("{} is not empty: the demo makes its tenants anew. Name a new folder, or serve this one with `bailiwick serve --data {0}`", path.display());
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
