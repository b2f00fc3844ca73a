"""Drives a running Bailiwick with the official Python SDK, as an agent's client would.

Usage: drive.py SCENARIO.json modern|legacy

Prints one line a step, ``ok N name`` or ``not ok N name: why``, then ``N passed, N failed``;
exits non-zero when a step failed. `../README.md` says what a scenario holds and which step
checks what; `../typescript/drive.mjs` goes the same way, so a step is added to both.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
from mcp import MCPError
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

FIVE = [
    "catalogue_overview",
    "catalogue_place",
    "catalogue_search",
    "catalogue_describe",
    "catalogue_call",
]
TOOLS_LIMIT_BYTES = 4096
ANNOUNCED_LIMIT_BYTES = 6144
MODERN = "2026-07-28"
LEGACY = "2025-11-25"
STEP_LIMIT_S = 30


class Wrong(Exception):
    """What a step found that is not as it must be."""


def must(holds: object, why: str) -> None:
    if not holds:
        raise Wrong(why)


def show(value: object, limit: int = 400) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= limit else text[:limit] + "…"


class Tally:
    """Runs steps one after the other, prints each and counts."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0

    async def step(self, name: str, act: Callable[[], Awaitable[None]]) -> bool:
        number = self.passed + self.failed + 1
        why = ""
        try:
            with anyio.fail_after(STEP_LIMIT_S):
                await act()
        except TimeoutError:
            why = f"no answer within {STEP_LIMIT_S} s"
        except Exception as error:  # Any fault, of the client or of the server, is a finding.
            why = " / ".join(f"{type(e).__name__}: {e}" for e in leaves(error))
        if why:
            self.failed += 1
            print(f"not ok {number} {name}: {show(why.replace(chr(10), ' '))}", flush=True)
        else:
            self.passed += 1
            print(f"ok {number} {name}", flush=True)
        return not why


def leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error


def headers(token: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


@asynccontextmanager
async def connected(url: str, token: str | None, mode: str):
    async with httpx2.AsyncClient(headers=headers(token), timeout=STEP_LIMIT_S) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            yield client


# What an answer looks like.


def body_of(result: Any) -> dict[str, Any]:
    """The JSON of the text block; where there is structured content, the two are the same."""
    texts = [block.text for block in result.content if block.type == "text"]
    must(len(texts) == 1, f"one text block expected, got {len(texts)}")
    body = json.loads(texts[0])
    if result.structured_content is not None:
        must(result.structured_content == body, "text and structured content differ")
    return body


def done(result: Any) -> Any:
    must(not result.is_error, f"an error: {show(result.content[0].text)}")
    must(result.structured_content is not None, "no structured content")
    body = body_of(result)
    must(set(body) == {"result", "written", "hints"}, f"not the envelope: {sorted(body)}")
    must(isinstance(body["written"], list), "`written` is not a list")
    must(isinstance(body["hints"], list), "`hints` is not a list")
    return body["result"]


def refusal(result: Any) -> dict[str, Any]:
    must(result.is_error, f"not an error: {show(result.content[0].text)}")
    refused = body_of(result).get("refusal")
    must(isinstance(refused, dict), "no `refusal`")
    for member in ("code", "say", "fix"):
        must(refused.get(member), f"the refusal has no `{member}`")
    return refused


def text_of(value: Any) -> str:
    """What a slice holds: its `text`, or else the longest string in the answer."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        if isinstance(value.get("text"), str):
            return value["text"]
        parts = [text_of(v) for k, v in value.items() if k != "handle"]
    elif isinstance(value, list):
        parts = [text_of(v) for v in value]
    else:
        parts = []
    return max(parts, key=len, default="")


def handle_in(value: Any) -> str:
    """The `handle` of a summary, wherever in it."""
    if isinstance(value, dict):
        own = value.get("handle")
        if isinstance(own, str):
            return own
        inner = value.values()
    elif isinstance(value, list):
        inner = value
    else:
        return ""
    return next((h for h in map(handle_in, inner) if h), "")


class Drive:
    """One walk through one client, in one era."""

    def __init__(self, scenario: dict[str, Any], era: str, tally: Tally) -> None:
        self.scenario = scenario
        self.era = era
        self.tally = tally
        self.agent = scenario["tokens"]["agent"]
        self.url = scenario["mcp_url"]
        self.mode = "auto" if era == "modern" else "legacy"
        self.handle = ""

    async def walk(self) -> None:
        async def connect() -> None:
            async with connected(self.url, self.agent, self.mode) as client:
                await self.connect(client)

        # Without a connection every further step would only repeat the fault.
        if not await self.tally.step("connect", connect):
            return
        async with connected(self.url, self.agent, self.mode) as client:
            for name, act in self.steps(client):
                await self.tally.step(name, act)
        for name, act in self.outside():
            await self.tally.step(name, act)

    async def connect(self, client: Client) -> None:
        wanted = MODERN if self.era == "modern" else LEGACY
        must(client.protocol_version == wanted, f"speaks {client.protocol_version}, not {wanted}")
        must(client.server_info is not None, "the server does not say who it is")
        must(client.server_capabilities.tools is not None, "no tools capability")

    def steps(self, client: Client) -> list[tuple[str, Callable[[], Awaitable[None]]]]:
        tool = client.call_tool
        scenario = self.scenario

        async def call(target: dict[str, Any]) -> Any:
            return await tool(
                "catalogue_call",
                {"address": target["address"], "arguments": target.get("arguments", {})},
            )

        async def five_tools() -> None:
            listed = await client.list_tools()
            names = [t.name for t in listed.tools]
            must(sorted(names) == sorted(FIVE), f"announced: {names}")
            must(listed.next_cursor is None, "the list goes on")
            again = await client.list_tools()
            must([t.name for t in again.tools] == names, "the order changes")

        async def described_tools() -> None:
            for t in (await client.list_tools()).tools:
                must(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", t.name), f"name {t.name!r}")
                must(t.description, f"{t.name} has no description")
                must(t.annotations is not None, f"{t.name} has no annotations")

        async def announced_bytes() -> None:
            tools = [
                t.model_dump(mode="json", by_alias=True, exclude_none=True)
                for t in (await client.list_tools()).tools
            ]
            text = json.dumps(tools, ensure_ascii=False, separators=(",", ":"))
            tools_bytes = len(text.encode())
            must(client.instructions, "no instructions")
            total_bytes = tools_bytes + len((client.instructions or "").encode())
            must(tools_bytes <= TOOLS_LIMIT_BYTES, f"the tools take {tools_bytes} bytes")
            must(total_bytes <= ANNOUNCED_LIMIT_BYTES, f"announced: {total_bytes} bytes")

        async def overview() -> None:
            must(done(await tool("catalogue_overview", {})), "empty")

        async def place() -> None:
            address = scenario["read"]["address"]
            must("/" in address, "the scenario's read address names no place")
            answer = done(await tool("catalogue_place", {"place": address.rsplit("/", 1)[0]}))
            server = address.rsplit("/", 1)[1].split(".", 1)[0]
            must(server in json.dumps(answer), f"does not show the server {server}")

        async def search() -> None:
            wanted = scenario["search"]
            answer = done(await tool("catalogue_search", {"query": wanted["query"]}))
            must(wanted["expect_address"] in strings(answer), f"not found in {show(answer)}")
            one = done(await tool("catalogue_search", {"query": wanted["query"], "limit": 1}))
            must(len(json.dumps(one)) <= len(json.dumps(answer)), "a limit of 1 gives more")

        async def search_empty() -> None:
            done(await tool("catalogue_search", {"query": "zzqxv"}))

        async def describe() -> None:
            addresses = [scenario["read"]["address"], scenario["large"]["address"]]
            answer = strings(done(await tool("catalogue_describe", {"addresses": addresses})))
            for address in addresses:
                must(address in answer, f"does not describe {address}")

        async def read() -> None:
            must(done(await call(scenario["read"])) is not None, "no result")

        async def refused() -> None:
            must(refusal(await call(scenario["refused"])).get("decision_id"), "no `decision_id`")

        async def unknown_field() -> None:
            refused = refusal(await tool("catalogue_search", {"query": "x", "limitt": 1}))
            must("limitt" in show(refused, 10_000), "does not name the field `limitt`")

        async def unknown_tool() -> None:
            try:
                answer = await tool("catalogue_nothing", {})
            except MCPError as error:
                must(error.code == -32602, f"code {error.code}, not -32602")
            else:
                raise Wrong(f"answered {show(answer.content[0].text)}")

        async def held() -> None:
            answer = await call(scenario["held"])
            must(not answer.is_error, f"an error: {show(answer.content[0].text)}")
            shown = body_of(answer).get("held")
            must(isinstance(shown, dict), f"not held: {show(body_of(answer))}")
            for member in ("approval", "why", "expires"):
                must(shown.get(member), f"`held` has no `{member}`")

        async def large() -> None:
            answer = await call(scenario["large"])
            summary = done(answer)
            self.handle = handle_in(summary)
            must(self.handle.startswith("content_"), f"no handle in {show(summary)}")
            must(len(answer.content[0].text) <= 16_384, "the summary is as large as a result")

        async def cut(arguments: dict[str, Any]) -> Any:
            must(self.handle, "no handle from the step before")
            target = {"address": "content.slice", "arguments": {"handle": self.handle} | arguments}
            return done(await call(target))

        async def slice_bytes() -> None:
            short = text_of(await cut({"bytes": {"start": 0, "end": 32}}))
            long = text_of(await cut({"bytes": {"start": 0, "end": 96}}))
            must(short and long.startswith(short), f"{show(short)} does not begin {show(long)}")
            must(len(long) > len(short), "96 bytes are no more than 32")

        async def slice_lines() -> None:
            must(await cut({"lines": {"start": 1, "end": 2}}) is not None, "no result")

        async def slice_unknown() -> None:
            absent = {"handle": "content_00000000-0000-7000-8000-000000000000"}
            arguments = absent | {"bytes": {"start": 0, "end": 8}}
            refusal(await call({"address": "content.slice", "arguments": arguments}))

        return [
            ("five-tools", five_tools),
            ("described-tools", described_tools),
            ("announced-bytes", announced_bytes),
            ("overview", overview),
            ("place", place),
            ("search", search),
            ("search-empty", search_empty),
            ("describe", describe),
            ("read", read),
            ("refused", refused),
            ("unknown-field", unknown_field),
            ("unknown-tool", unknown_tool),
            ("held", held),
            ("large", large),
            ("slice-bytes", slice_bytes),
            ("slice-lines", slice_lines),
            ("slice-unknown", slice_unknown),
        ]

    def outside(self) -> list[tuple[str, Callable[[], Awaitable[None]]]]:
        """Steps that need a connection of their own, or none of the SDK's."""
        scenario = self.scenario
        neighbour = scenario["tokens"].get("neighbour")
        read = scenario["read"]
        arguments = {"address": read["address"], "arguments": read.get("arguments", {})}

        async def plain_endpoint() -> None:
            async with connected(scenario["url"].rstrip("/") + "/mcp", self.agent, self.mode) as c:
                done(await c.call_tool("catalogue_call", arguments))

        async def pinned_revision() -> None:
            async with connected(self.url, self.agent, MODERN) as client:
                done(await client.call_tool("catalogue_call", arguments))

        async def no_token() -> None:
            answer = await post(self.url, None, self.era, "tools/list", "{}")
            must(answer.status_code == 401, f"HTTP {answer.status_code}")
            challenge = answer.headers.get("www-authenticate", "")
            must("resource_metadata=" in challenge, f"challenge: {challenge!r}")

        async def unknown_token() -> None:
            answer = await post(self.url, "bw_agent_unknown", self.era, "tools/list", "{}")
            must(answer.status_code == 401, f"HTTP {answer.status_code}")

        async def neighbour_at_our_door() -> None:
            params = called(json.dumps("catalogue_overview"), {})
            answer = await post(self.url, neighbour, self.era, "tools/call", params)
            must(400 <= answer.status_code < 500, f"HTTP {answer.status_code}")

        async def neighbour_reads() -> None:
            url = scenario["url"].rstrip("/") + "/mcp"
            async with connected(url, neighbour, self.mode) as client:
                refusal(await client.call_tool("catalogue_call", arguments))

        # Case M3: no two parts of a request may name two tools.
        async def name_twice() -> None:
            twice = '"catalogue_overview","name":"catalogue_search"'
            await unanswered(self.url, self.agent, self.era, called(twice, {}))

        async def name_in_two_cases() -> None:
            two = '"catalogue_overview","Name":"catalogue_search"'
            await unanswered(self.url, self.agent, self.era, called(two, {}))

        async def argument_twice() -> None:
            params = '{"name":"catalogue_overview","arguments":{"x":1,"x":2}}'
            await unanswered(self.url, self.agent, self.era, params)

        async def legacy_header_differs() -> None:
            params = called(json.dumps("catalogue_overview"), {})
            for header in ({"Mcp-Name": "catalogue_search"}, {"Mcp-Method": "tools/list"}):
                await unanswered(self.url, self.agent, self.era, params, header)

        async def header_names_another_tool() -> None:
            await self.mismatched({"Mcp-Name": "catalogue_search"})

        async def header_names_another_method() -> None:
            await self.mismatched({"Mcp-Method": "tools/list"})

        steps = [
            ("plain-endpoint", plain_endpoint),
            ("no-token", no_token),
            ("unknown-token", unknown_token),
            ("m3-name-twice", name_twice),
            ("m3-name-in-two-cases", name_in_two_cases),
            ("m3-argument-twice", argument_twice),
        ]
        if neighbour:
            steps.append(("neighbour-at-our-door", neighbour_at_our_door))
            steps.append(("neighbour-reads", neighbour_reads))
        if self.era == "modern":
            steps.append(("pinned-revision", pinned_revision))
            steps.append(("m3-header-names-another-tool", header_names_another_tool))
            steps.append(("m3-header-names-another-method", header_names_another_method))
        else:
            steps.append(("m3-header-differs", legacy_header_differs))
        return steps

    async def mismatched(self, changed: dict[str, str]) -> None:
        """The SDK's own request with headers changed on the way is a HeaderMismatch."""

        async def change(request: httpx2.Request) -> None:
            if request.headers.get("mcp-method") == "tools/call":
                request.headers.update(changed)

        hooks = {"request": [change]}
        async with httpx2.AsyncClient(headers=headers(self.agent), event_hooks=hooks) as http:
            async with Client(streamable_http_client(self.url, http_client=http)) as client:
                try:
                    answer = await client.call_tool("catalogue_overview", {})
                except MCPError as error:
                    must(error.code == -32020, f"code {error.code}, not -32020")
                else:
                    raise Wrong(f"answered {show(answer.content[0].text)}")


# Requests that no SDK would send.


def called(name: str, arguments: dict[str, Any]) -> str:
    return '{"name":' + name + ',"arguments":' + json.dumps(arguments) + "}"


async def post(
    url: str,
    token: str | None,
    era: str,
    method: str,
    params: str,
    more: dict[str, str] | None = None,
) -> httpx2.Response:
    """Posts one request whose `params` are this JSON text, in the form of the era."""
    head = headers(token) | {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": MODERN if era == "modern" else LEGACY,
    }
    if era == "modern":
        head["Mcp-Method"] = method
        if method == "tools/call":
            head["Mcp-Name"] = "catalogue_overview"
        meta = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "drive", "version": "1"},
        }
        rest = params.lstrip()[1:]
        comma = "" if rest.lstrip().startswith("}") else ","
        params = '{"_meta":' + json.dumps(meta) + comma + rest
    body = '{"jsonrpc":"2.0","id":1,"method":' + json.dumps(method) + ',"params":' + params + "}"
    async with httpx2.AsyncClient(timeout=STEP_LIMIT_S) as http:
        return await http.post(url, content=body, headers=head | (more or {}))


async def unanswered(
    url: str, token: str, era: str, params: str, more: dict[str, str] | None = None
) -> None:
    """The call is refused: by its HTTP status, as a protocol error, or as a tool's refusal."""
    answer = await post(url, token, era, "tools/call", params, more)
    if 400 <= answer.status_code < 500:
        return
    must(answer.status_code == 200, f"HTTP {answer.status_code}")
    body = answer.json()
    refused = "error" in body or body.get("result", {}).get("isError") is True
    must(refused, f"answered {show(body)}")


def strings(value: Any) -> set[str]:
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return set(value) | {s for v in value.values() for s in strings(v)}
    if isinstance(value, list):
        return {s for v in value for s in strings(v)}
    return set()


def main() -> int:
    if len(sys.argv) != 3 or sys.argv[2] not in ("modern", "legacy"):
        print(__doc__, file=sys.stderr)
        return 2
    with open(sys.argv[1], encoding="utf-8") as file:
        scenario = json.load(file)
    tally = Tally()
    anyio.run(Drive(scenario, sys.argv[2], tally).walk)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
