#!/usr/bin/env bash
# Sends what schemathesis makes up from the OpenAPI document to a running `bailiwick demo` on a
# throw-away folder: every verb but the operator's as an owner, and those as an operator.
# `cargo build` must have run. SEED makes up others than the committed one does.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

left="$root/target/test"
venv="$root/target/clients/schemathesis"
wanted="$root/tests/contract/schemathesis.txt"
mkdir -p "$left"
folder="$(mktemp -d)"
scenario="$folder/scenario.json"

if ! cmp -s "$wanted" "$venv/.made-from"; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --no-input --disable-pip-version-check \
    --only-binary :all: -r "$wanted"
  cp "$wanted" "$venv/.made-from"
fi

"$bailiwick" demo --listen 127.0.0.1:0 --data "$folder/data" --scenario "$scenario" \
  >"$left/demo-for-schemathesis.log" 2>&1 &
server=$!
trap 'end "$server"; rm -rf "$folder"' EXIT
wait_for 180 "$server" "$scenario" || { tail -n 40 "$left/demo-for-schemathesis.log" >&2; exit 1; }

# said NAME: a member of the scenario.
said() {
  "$venv/bin/python" -c '
import functools, json, sys
value = functools.reduce(dict.get, sys.argv[2].split("."), json.load(open(sys.argv[1])))
print(value if isinstance(value, str) else json.dumps(value))' "$scenario" "$1"
}

# ask METHOD PATH BODY MEMBER: a call with the token in use, and that member of its result (`items.0.id`).
# Fails unless it is done.
ask() {
  BAILIWICK_URL="$url" "$venv/bin/python" -c '
import os, sys, requests
method, path, body, member = sys.argv[1:]
headers = {"Authorization": "Bearer " + os.environ["BAILIWICK_TOKEN"], "Content-Type": "application/json"}
answer = requests.request(method, os.environ["BAILIWICK_URL"] + path, headers=headers, data=body or None, timeout=30)
assert answer.status_code == 200, f"{method} {path}: {answer.text}"
value = answer.json()["result"]
for name in member.split("."):
    value = value[int(name)] if isinstance(value, list) else value[name]
print(value)' "$@"
}

# fuzz NAME ARGUMENT…: one run, bounded in time.
fuzz() {
  local name="$1"
  shift
  echo "-- schemathesis, $name"
  timeout --kill-after=10 300 "$venv/bin/schemathesis" --config-file tests/contract/schemathesis.toml \
    run "$url/openapi.json" --seed "${SEED:-1}" --continue-on-failure \
    "$@" >"$left/schemathesis-$name.log" 2>&1 || {
    cat "$left/schemathesis-$name.log"
    return 1
  }
  tail -n 1 "$left/schemathesis-$name.log"
}

url="$(said url)"
failed=0
BAILIWICK_TOKEN="$(said tokens.user)"
export BAILIWICK_TOKEN
BAILIWICK_RUN="$(ask POST /v1/runs '{"title":"schemathesis"}' id)"
BAILIWICK_TOOL="$(ask GET '/v1/tools?limit=1' '' items.0.id)"
BAILIWICK_APPROVAL="$(ask GET '/v1/approvals?limit=1' '' items.0.id)"
BAILIWICK_HANDLE="$(ask POST /v1/call "$(said large)" handle)"
export BAILIWICK_RUN BAILIWICK_TOOL BAILIWICK_APPROVAL BAILIWICK_HANDLE
fuzz owner --exclude-tag identity || failed=1
# With a token that was revoked on the way, everything would have been refused.
ask GET /v1/whoami '' principal >/dev/null || failed=1
BAILIWICK_TOKEN="$(cat "$folder/data/operator.token")"
fuzz operator --include-tag identity || failed=1
ask GET /v1/identities '' items >/dev/null || failed=1
exit "$failed"
