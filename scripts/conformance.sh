#!/usr/bin/env bash
# Runs the public MCP conformance suite, at both revisions, against the MCP surface with the suite's
# fixture tools. `cargo build --all-targets` and tests/clients/setup.sh must have run.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

left="$root/target/test"
mkdir -p "$left"
: >"$left/conformance.url"
"$target/debug/examples/conformance" 0 >"$left/conformance.url" 2>"$left/conformance.log" &
server=$!
trap 'end "$server"' EXIT
wait_for 30 "$server" "$left/conformance.url" || { cat "$left/conformance.log" >&2; exit 1; }

tests/clients/conformance/run.sh "$(head -n 1 "$left/conformance.url")"
