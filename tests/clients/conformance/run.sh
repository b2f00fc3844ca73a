#!/usr/bin/env bash
# Runs the public MCP conformance suite against a server, at both revisions.
#
#   run.sh URL [REPORT_DIR]
#
# URL is an MCP endpoint on loopback that needs no token (the suite cannot send one) and offers the
# tools of FIXTURES.md. Prints one line a step and `N passed, N failed`; exits non-zero on a failure.
# ../setup.sh must have run. The suite's own reports are left in REPORT_DIR.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
url="${1:?usage: run.sh URL [REPORT_DIR]}"
reports="${2:-$here/../../../target/clients/conformance}"
node="$here/node_modules/.bin/node"
suite="$here/node_modules/@modelcontextprotocol/conformance/dist/index.js"

[ -x "$node" ] || node="$(command -v node)"
[ -f "$suite" ] || { echo "run ../setup.sh first: no $suite" >&2; exit 2; }
mkdir -p "$reports"

passed=0
failed=0

ok() { passed=$((passed + 1)); echo "ok $((passed + failed)) $1"; }
not_ok() { failed=$((failed + 1)); echo "not ok $((passed + failed)) $1"; }

# conformance LOG ARGS…: runs the suite, its output without colours in LOG.
conformance() {
  local log="$1" status=0
  shift
  "$node" "$suite" server --url "$url" "$@" >"$log.raw" 2>&1 || status=$?
  sed 's/\x1b\[[0-9;]*m//g' "$log.raw" >"$log"
  rm "$log.raw"
  return "$status"
}

# The scenarios that the revision requires, less what is listed; then the list itself: the suite
# does not notice an entry that matches nothing.
required() {
  local revision="$1" list="$here/expected-failures-$1.yml" log="$reports/$1.log" entry unmatched=""
  rm -rf "${reports:?}/$revision"
  if conformance "$log" --requirements "$revision" --expected-failures "$list" -o "$reports/$revision"; then
    ok "$revision: $(sed -n 's/^Total: \([0-9]* passed\).*/\1/p' "$log") checks, $(grep -c '^  ~ ' "$log") not offered"
  else
    not_ok "$revision: see $log"
    sed -n '/^Expected failures/,$p' "$log" | grep -v '^  ~ ' || tail -n 20 "$log"
  fi
  while read -r entry; do
    grep -qxF "  ~ $entry" "$log" || unmatched="$unmatched $entry"
  done < <(sed -n 's/^  - \([^ ]*\).*/\1/p' "$list")
  if [ -z "$unmatched" ]; then ok "$revision: every listed failure was seen"; else not_ok "$revision: listed, not seen:$unmatched"; fi
}

# Scenarios that the suite runs at a revision without letting them count; here they do. With a list
# given, a warning fails as well.
held() {
  local revision="$1" scenario="$2" log="$reports/$1-$2.log"
  if conformance "$log" --scenario "$scenario" --spec-version "$revision" \
    --expected-failures "$here/expected-failures-$revision.yml" && ! grep -q '^SKIPPED' "$log"; then
    ok "$revision: $scenario"
  else
    not_ok "$revision: $scenario: see $log"
    sed -n '/^=== Failed Checks/,/^\*\*/p' "$log" | grep -E '^  - |Error:' || tail -n 20 "$log"
  fi
}

required 2026-07-28
held 2026-07-28 json-schema-2020-12
held 2026-07-28 http-header-validation
held 2026-07-28 http-custom-header-server-validation
required 2025-11-25
held 2025-11-25 json-schema-2020-12
held 2025-11-25 server-session-lifecycle

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
