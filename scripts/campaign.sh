#!/usr/bin/env bash
# The service killed N times in the middle of its work, and N times with the power cut: everything that
# was written and not synced is taken back. Says what each campaign did, and ends with 0 if all held.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

kills="${1:-500}"
[[ "$kills" =~ ^[1-9][0-9]*$ ]] || { echo "N: a number of kills, as in N=500" >&2; exit 2; }
need_a_compiler
cargo build --locked -p cli
BAILIWICK_KILLS="$kills" cargo test --locked -p e2e --test it crash:: -- --nocapture --test-threads 2
