#!/usr/bin/env bash
# Installs the real clients that the tests drive, at the versions pinned beside them.
#
#   setup.sh
#
# Leaves `target/clients/py` (a virtual environment), `target/clients/node` (Node.js 24) and a
# `node_modules` beside each package.json. Does nothing where that is done already. No package's own
# install script runs, so nothing comes from outside the two package registries.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
target="$here/../../target/clients"
mkdir -p "$target"
target="$(cd "$target" && pwd)"

exec 9>"$target/.lock"
flock 9

# Runs a command quietly; a second time when it fails, since registries have their moments.
twice() {
  local log
  log="$(mktemp)"
  if "$@" >"$log" 2>&1 || { sleep 3 && "$@" >"$log" 2>&1; }; then
    rm -f "$log"
    return 0
  fi
  echo "failed twice: $*" >&2
  tail -n 30 "$log" >&2
  rm -f "$log"
  return 1
}

debian() {
  command -v apt-get >/dev/null || { echo "please install: $*" >&2; exit 1; }
  export DEBIAN_FRONTEND=noninteractive
  twice apt-get update -qq
  twice apt-get install -y -qq --no-install-recommends "$@"
}

digest() { cat "$@" | sha256sum | cut -d' ' -f1; }

# current STAMP FILE…: whether what the stamp stands for was made from these files.
current() {
  local stamp="$1"
  shift
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(digest "$@")" ]
}

python_client() {
  local venv="$target/py" wanted="$here/python/requirements.txt"
  if current "$venv/.made-from" "$wanted" && "$venv/bin/python" -c 'import sys' 2>/dev/null; then return; fi
  python3 -c 'import ensurepip, venv' 2>/dev/null || debian python3 python3-venv
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {
    echo "Python 3.10 or later is needed, this is $(python3 --version)" >&2
    exit 1
  }
  rm -rf "$venv"
  twice python3 -m venv "$venv"
  twice "$venv/bin/python" -m pip install --quiet --no-input --disable-pip-version-check \
    --only-binary :all: -r "$wanted"
  digest "$wanted" >"$venv/.made-from"
}

# node_package FOLDER
node_package() {
  local folder="$here/$1"
  local wanted=("$folder/package.json" "$folder/package-lock.json")
  if current "$folder/node_modules/.made-from" "${wanted[@]}"; then return; fi
  command -v npm >/dev/null || debian nodejs npm
  twice npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error
  digest "${wanted[@]}" >"$folder/node_modules/.made-from"
}

python_client
node_package conformance
node_package typescript

# The suite's Node.js serves the TypeScript client too. Where its platform has no such package, the
# machine's own must do.
node="$here/conformance/node_modules/.bin/node"
[ -x "$node" ] || node="$(command -v node)"
ln -sfn "$node" "$target/node"
