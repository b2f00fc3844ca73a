# Sourced by the scripts beside it: where things are, and what a build needs. Not run by itself.
# shellcheck shell=bash

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root" || exit

# Cargo's folder: a relative one is relative to the root, as Cargo takes it when it is run there.
target="${CARGO_TARGET_DIR:-target}"
case "$target" in /*) ;; *) target="$root/$target" ;; esac
# Read by the scripts that source this one.
# shellcheck disable=SC2034
bailiwick="$target/debug/bailiwick"

# Rust links with the machine's C compiler, and two crates (ring, SQLite) hold C.
need_a_compiler() {
  command -v cargo >/dev/null || {
    echo "Rust is needed (1.95 or later): https://rustup.rs" >&2
    return 1
  }
  command -v cc >/dev/null && return 0
  if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
    echo "please install a C compiler (on Debian: gcc and libc6-dev)" >&2
    return 1
  fi
  DEBIAN_FRONTEND=noninteractive apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends gcc libc6-dev
}

# wait_for SECONDS PID FILE: until FILE holds something. Fails when the process ended before, or the
# time is over.
wait_for() {
  local until=$((SECONDS + $1)) pid="$2" file="$3"
  while [ ! -s "$file" ]; do
    kill -0 "$pid" 2>/dev/null || { echo "the server ended before it was ready" >&2; return 1; }
    [ "$SECONDS" -lt "$until" ] || { echo "not ready after $1 s" >&2; return 1; }
    sleep 0.2
  done
}

# end PID: asks a process of ours to stop, and waits for it up to 20 s before it is killed.
end() {
  local pid="$1" tries=100
  kill -TERM "$pid" 2>/dev/null || return 0
  while kill -0 "$pid" 2>/dev/null && [ "$tries" -gt 0 ]; do
    tries=$((tries - 1))
    sleep 0.2
  done
  kill -KILL "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
}
