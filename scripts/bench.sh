#!/usr/bin/env bash
# Builds the release of the service beside its baselines and measures both: `bench/src/main.rs` says what.
# Nothing here fails because a target was missed.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

need_a_compiler
cargo build --locked --profile bench -p bench
# Cargo's profile `bench` goes into the folder of releases.
exec "$target/release/bench" "$@"
