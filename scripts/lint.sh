#!/usr/bin/env bash
# What is not about behaviour: formatting, clippy without warnings, and the shell scripts.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

need_a_compiler
cargo fmt --all --check
cargo clippy --locked --workspace --all-targets -- -D warnings
if command -v shellcheck >/dev/null; then
  shellcheck --external-sources .ci/run scripts/*.sh tests/clients/*.sh tests/clients/conformance/*.sh
else
  echo "shellcheck is not here: the shell scripts were not looked at"
fi
