#!/usr/bin/env bash
# Drives a running `bailiwick demo` with the official SDKs, each in both protocol eras, and checks the
# OpenAPI document that it serves. `cargo build` and tests/clients/setup.sh must have run.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

clients="$root/target/clients"
left="$root/target/test"
scenario="$left/scenario.json"
mkdir -p "$left"
rm -f "$scenario"

"$bailiwick" demo --listen 127.0.0.1:0 --scenario "$scenario" >"$left/demo-for-clients.log" 2>&1 &
server=$!
trap 'end "$server"' EXIT
wait_for 180 "$server" "$scenario" || { tail -n 40 "$left/demo-for-clients.log" >&2; exit 1; }

failed=()
# drive NAME COMMAND…
drive() {
  local name="$1"
  shift
  echo "-- $name"
  "$@" || failed+=("$name")
}

for era in modern legacy; do
  drive "Python SDK, $era" "$clients/py/bin/python" tests/clients/python/drive.py "$scenario" "$era"
  drive "TypeScript SDK, $era" "$clients/node" tests/clients/typescript/drive.mjs "$scenario" "$era"
done

# The document as it is served, so that what is checked is what a caller would read.
openapi() {
  local venv="$clients/openapi" wanted="$root/tests/contract/requirements.txt" url
  if ! cmp -s "$wanted" "$venv/.made-from"; then
    rm -rf "$venv"
    python3 -m venv "$venv" &&
      "$venv/bin/python" -m pip install --quiet --no-input --disable-pip-version-check \
        --only-binary :all: -r "$wanted" &&
      cp "$wanted" "$venv/.made-from" || return 1
  fi
  url="$("$venv/bin/python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["url"])' "$scenario")" &&
    "$venv/bin/python" -c '
import sys, urllib.request
with urllib.request.urlopen(sys.argv[1] + "/openapi.json", timeout=30) as answer, open(sys.argv[2], "wb") as file:
    file.write(answer.read())' "$url" "$left/openapi.json" &&
    "$venv/bin/python" tests/contract/check_openapi.py "$left/openapi.json"
}
[ ! -f tests/contract/check_openapi.py ] || drive "OpenAPI document" openapi

if [ "${#failed[@]}" -gt 0 ]; then
  printf 'failed: %s\n' "${failed[@]}"
  exit 1
fi
