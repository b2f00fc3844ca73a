#!/usr/bin/env bash
# Every test there is: sets up what it needs, builds once, and runs one step after the other. A step
# that fails does not keep the others from running; the exit code is 0 only if all passed. The last
# line is the test runner's own count.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

left="$root/target/test"
mkdir -p "$left"
failed=()

# step NAME COMMAND…: runs it under a heading, says how long it took, and remembers that it failed.
step() {
  local name="$1" began="$SECONDS" word=passed
  shift
  printf '\n== %s\n' "$name"
  "$@" || { word=FAILED; failed+=("$name"); }
  printf '== %s: %s after %s s\n' "$name" "$word" "$((SECONDS - began))"
}

# With the test runner if it is there, else with Cargo's own, which says the same in other words.
rust_tests() {
  if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run --locked --workspace --no-fail-fast 2>&1 | tee "$left/rust.log"
  else
    echo "cargo-nextest is not here: cargo test runs the tests"
    cargo test --locked --workspace --all-targets --no-fail-fast 2>&1 | tee "$left/rust.log"
  fi
}

# The walk is long and all of it matters only when something in it does not hold.
demo_once() {
  local log="$left/demo.log"
  if "$bailiwick" demo --once >"$log" 2>&1; then
    tail -n 1 "$log"
  else
    cat "$log"
    return 1
  fi
}

# What the runner counted, as `N passed, N failed`, read from its own summary.
counted() {
  sed 's/\x1b\[[0-9;]*m//g' "$left/rust.log" | awk '
    function before(word,   i) { for (i = 2; i <= NF; i++) if ($i ~ "^" word) return $(i - 1); return 0 }
    /^ *Summary \[/ || /^test result:/ {
      passed += before("passed"); failed += before("failed") + before("exec") + before("timed")
    }
    END { printf "%d passed, %d failed\n", passed, failed }'
}

: >"$left/rust.log"
need_a_compiler
step "clients" tests/clients/setup.sh
step "build" cargo build --locked --workspace --all-targets
if [[ " ${failed[*]-} " == *" build "* ]]; then
  # Nothing below could say more.
  printf '\n0 passed, 1 failed\n'
  exit 1
fi
step "rust tests" rust_tests
# Examples in the documentation, which nextest does not run: what must not compile stands there.
step "documentation" cargo test --locked --workspace --doc
step "real clients" scripts/real-clients.sh
step "schemathesis" scripts/schemathesis.sh
step "conformance" scripts/conformance.sh
step "demo" demo_once

echo
if [ "${#failed[@]}" -gt 0 ]; then
  printf 'failed: %s\n' "${failed[@]}"
fi
counted
[ "${#failed[@]}" -eq 0 ]
