//! Owns what `bailiwick ledger` does beside the contract's verbs: saving an export, and verifying one
//! with nothing but the file.

pub(crate) mod save;
pub(crate) mod verify;

use clap::Command;

/// The commands; the contract adds its own.
pub(crate) fn arguments() -> Command {
    Command::new("ledger")
        .about("ledger: query, export, save, verify")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(save::arguments())
        .subcommand(verify::arguments())
}
