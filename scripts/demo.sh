#!/usr/bin/env bash
# Builds the binary and runs `bailiwick demo` with the arguments given.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

need_a_compiler
cargo build --locked --workspace --bins
exec "$bailiwick" demo "$@"
