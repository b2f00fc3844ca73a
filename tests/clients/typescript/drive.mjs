// Drives a running Bailiwick with the official TypeScript SDK, as an agent's client would.
//
// Usage: drive.mjs SCENARIO.json modern|legacy
//
// In the modern era this is the SDK's second major; in the legacy era the second and then the
// first, which many agents are still pinned to. Prints one line a step, `ok N name` or
// `not ok N name: why`, then `N passed, N failed`; exits non-zero when a step failed.
// `../README.md` says what a scenario holds and which step checks what; `../python/drive.py` goes
// the same way, so a step is added to both.

import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const FIVE = [
  'catalogue_overview',
  'catalogue_place',
  'catalogue_search',
  'catalogue_describe',
  'catalogue_call',
];
const TOOLS_LIMIT_BYTES = 4096;
const ANNOUNCED_LIMIT_BYTES = 6144;
const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';
const STEP_LIMIT_MS = 30_000;
const HEADER_MISMATCH = -32020;
const INVALID_PARAMS = -32602;

class Wrong extends Error {
  name = 'Wrong';
}

function must(holds, why) {
  if (!holds) throw new Wrong(why);
}

function show(value, limit = 400) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= limit ? text : `${text.slice(0, limit)}…`;
}

/** Runs steps one after the other, prints each and counts. */
class Tally {
  passed = 0;
  failed = 0;

  async step(name, act) {
    const number = this.passed + this.failed + 1;
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(
        () => reject(new Wrong(`no answer within ${STEP_LIMIT_MS} ms`)),
        STEP_LIMIT_MS,
      );
    });
    try {
      await Promise.race([act(), late]);
    } catch (error) {
      this.failed += 1;
      console.log(`not ok ${number} ${name}: ${show(`${error}`.replaceAll('\n', ' '))}`);
      return false;
    } finally {
      clearTimeout(timer);
    }
    this.passed += 1;
    console.log(`ok ${number} ${name}`);
    return true;
  }
}

// The clients. All three are used through the methods that they have in common.

const V2 = {
  prefix: '',
  async connect(url, token, mode, fetch) {
    const options = mode === 'legacy' ? {} : { versionNegotiation: { mode } };
    const client = new Client({ name: 'drive', version: '1' }, options);
    const requestInit = { headers: bearer(token) };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit, fetch }));
    return client;
  },
  revision: (client) => client.getNegotiatedProtocolVersion(),
};

const V1 = {
  prefix: 'v1-',
  async connect(url, token, _mode, fetch) {
    const client = new ClientV1({ name: 'drive', version: '1' });
    const requestInit = { headers: bearer(token) };
    await client.connect(new TransportV1(new URL(url), { requestInit, fetch }));
    return client;
  },
  revision: (client) => client.transport.protocolVersion,
};

function bearer(token) {
  return token ? { Authorization: `Bearer ${token}` } : {};
}

// What an answer looks like.

/** The JSON of the text block; where there is structured content, the two are the same. */
function bodyOf(result) {
  const texts = result.content.filter((block) => block.type === 'text');
  must(texts.length === 1, `one text block expected, got ${texts.length}`);
  const body = JSON.parse(texts[0].text);
  if (result.structuredContent !== undefined) {
    must(isDeepStrictEqual(result.structuredContent, body), 'text and structured content differ');
  }
  return body;
}

function done(result) {
  must(!result.isError, `an error: ${show(result.content[0].text)}`);
  must(result.structuredContent !== undefined, 'no structured content');
  const body = bodyOf(result);
  const members = Object.keys(body).sort();
  must(isDeepStrictEqual(members, ['hints', 'result', 'written']), `not the envelope: ${members}`);
  must(Array.isArray(body.written), '`written` is not a list');
  must(Array.isArray(body.hints), '`hints` is not a list');
  return body.result;
}

function refusal(result) {
  must(result.isError === true, `not an error: ${show(result.content[0].text)}`);
  const refused = bodyOf(result).refusal;
  must(refused && typeof refused === 'object', 'no `refusal`');
  for (const member of ['code', 'say', 'fix']) {
    must(refused[member], `the refusal has no \`${member}\``);
  }
  return refused;
}

/** Every string in a value, names of members among them. */
function strings(value) {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(strings);
  if (value && typeof value === 'object') {
    return [...Object.keys(value), ...Object.values(value).flatMap(strings)];
  }
  return [];
}

/** What a slice holds: its `text`, or else the longest string in the answer. */
function textOf(value) {
  if (typeof value === 'string') return value;
  if (!value || typeof value !== 'object') return '';
  if (typeof value.text === 'string') return value.text;
  return Object.entries(value)
    .filter(([member]) => member !== 'handle')
    .map(([, inner]) => textOf(inner))
    .reduce((longest, text) => (text.length > longest.length ? text : longest), '');
}

/** The `handle` of a summary, wherever in it. */
function handleIn(value) {
  if (!value || typeof value !== 'object') return '';
  if (typeof value.handle === 'string') return value.handle;
  return Object.values(value).map(handleIn).find(Boolean) ?? '';
}

/** One walk through one client, in one era. */
class Drive {
  handle = '';

  constructor(scenario, era, sdk, tally) {
    this.scenario = scenario;
    this.era = era;
    this.sdk = sdk;
    this.tally = tally;
    this.agent = scenario.tokens.agent;
    this.url = scenario.mcp_url;
    this.plainUrl = `${scenario.url.replace(/\/$/, '')}/mcp`;
    this.mode = era === 'modern' ? 'auto' : 'legacy';
  }

  step(name, act) {
    return this.tally.step(`${this.sdk.prefix}${name}`, act);
  }

  async with(url, token, mode, act, fetch) {
    const client = await this.sdk.connect(url, token, mode, fetch);
    try {
      return await act(client);
    } finally {
      await client.close();
    }
  }

  async walk() {
    // Without a connection every further step would only repeat the fault.
    const connect = () =>
      this.with(this.url, this.agent, this.mode, async (client) => {
        const wanted = this.era === 'modern' ? MODERN : LEGACY;
        const spoken = this.sdk.revision(client);
        must(spoken === wanted, `speaks ${spoken}, not ${wanted}`);
        must(client.getServerVersion(), 'the server does not say who it is');
        must(client.getServerCapabilities()?.tools, 'no tools capability');
      });
    if (!(await this.step('connect', connect))) return;
    await this.with(this.url, this.agent, this.mode, async (client) => {
      for (const [name, act] of Object.entries(this.steps(client))) await this.step(name, act);
    });
    for (const [name, act] of Object.entries(this.outside())) await this.step(name, act);
  }

  steps(client) {
    const { scenario } = this;
    const tool = (name, args) => client.callTool({ name, arguments: args });
    const call = ({ address, arguments: args = {} }) =>
      tool('catalogue_call', { address, arguments: args });
    const cut = async (range) => {
      must(this.handle, 'no handle from the step before');
      return done(
        await call({ address: 'content.slice', arguments: { handle: this.handle, ...range } }),
      );
    };

    return {
      'five-tools': async () => {
        const listed = await client.listTools();
        const names = listed.tools.map((t) => t.name);
        must(isDeepStrictEqual([...names].sort(), [...FIVE].sort()), `announced: ${names}`);
        must(listed.nextCursor === undefined, 'the list goes on');
        const again = (await client.listTools()).tools.map((t) => t.name);
        must(isDeepStrictEqual(again, names), 'the order changes');
      },
      'described-tools': async () => {
        for (const t of (await client.listTools()).tools) {
          must(/^[a-zA-Z0-9_-]{1,64}$/.test(t.name), `name ${t.name}`);
          must(t.description, `${t.name} has no description`);
          must(t.annotations, `${t.name} has no annotations`);
        }
      },
      'announced-bytes': async () => {
        const toolsBytes = Buffer.byteLength(JSON.stringify((await client.listTools()).tools));
        const instructions = client.getInstructions();
        must(instructions, 'no instructions');
        const totalBytes = toolsBytes + Buffer.byteLength(instructions);
        must(toolsBytes <= TOOLS_LIMIT_BYTES, `the tools take ${toolsBytes} bytes`);
        must(totalBytes <= ANNOUNCED_LIMIT_BYTES, `tools and instructions: ${totalBytes} bytes`);
      },
      overview: async () => {
        const answer = done(await tool('catalogue_overview', {}));
        must(answer && Object.keys(answer).length > 0, 'empty');
      },
      place: async () => {
        const { address } = scenario.read;
        const cutAt = address.lastIndexOf('/');
        must(cutAt > 0, "the scenario's read address names no place");
        const answer = done(await tool('catalogue_place', { place: address.slice(0, cutAt) }));
        const server = address.slice(cutAt + 1).split('.')[0];
        must(JSON.stringify(answer).includes(server), `does not show the server ${server}`);
      },
      search: async () => {
        const { query, expect_address: wanted } = scenario.search;
        const answer = done(await tool('catalogue_search', { query }));
        must(strings(answer).includes(wanted), `not found in ${show(answer)}`);
        const one = done(await tool('catalogue_search', { query, limit: 1 }));
        const bytes = (value) => JSON.stringify(value).length;
        must(bytes(one) <= bytes(answer), 'a limit of 1 gives more');
      },
      'search-empty': async () => {
        done(await tool('catalogue_search', { query: 'zzqxv' }));
      },
      describe: async () => {
        const addresses = [scenario.read.address, scenario.large.address];
        const answer = strings(done(await tool('catalogue_describe', { addresses })));
        for (const address of addresses) {
          must(answer.includes(address), `does not describe ${address}`);
        }
      },
      read: async () => {
        must(done(await call(scenario.read)) !== null, 'no result');
      },
      refused: async () => {
        must(refusal(await call(scenario.refused)).decision_id, 'no `decision_id`');
      },
      'unknown-field': async () => {
        const refused = refusal(await tool('catalogue_search', { query: 'x', limitt: 1 }));
        must(JSON.stringify(refused).includes('limitt'), 'does not name the field `limitt`');
      },
      'unknown-tool': async () => {
        await rejected(() => tool('catalogue_nothing', {}), INVALID_PARAMS);
      },
      held: async () => {
        const answer = await call(scenario.held);
        must(!answer.isError, `an error: ${show(answer.content[0].text)}`);
        const { held } = bodyOf(answer);
        must(held && typeof held === 'object', `not held: ${show(bodyOf(answer))}`);
        for (const member of ['approval', 'why', 'expires']) {
          must(held[member], `\`held\` has no \`${member}\``);
        }
      },
      large: async () => {
        const answer = await call(scenario.large);
        const summary = done(answer);
        this.handle = handleIn(summary);
        must(this.handle.startsWith('content_'), `no handle in ${show(summary)}`);
        must(answer.content[0].text.length <= 16_384, 'the summary is as large as a result');
      },
      'slice-bytes': async () => {
        const short = textOf(await cut({ bytes: { start: 0, end: 32 } }));
        const long = textOf(await cut({ bytes: { start: 0, end: 96 } }));
        must(short && long.startsWith(short), `${show(short)} does not begin ${show(long)}`);
        must(long.length > short.length, '96 bytes are no more than 32');
      },
      'slice-lines': async () => {
        must((await cut({ lines: { start: 1, end: 2 } })) !== null, 'no result');
      },
      'slice-unknown': async () => {
        const handle = 'content_00000000-0000-7000-8000-000000000000';
        const range = { bytes: { start: 0, end: 8 } };
        refusal(await call({ address: 'content.slice', arguments: { handle, ...range } }));
      },
    };
  }

  /** Steps that need a connection of their own, or none of the SDK's. */
  outside() {
    const { neighbour } = this.scenario.tokens;
    const { address, arguments: args = {} } = this.scenario.read;
    const read = (client) =>
      client.callTool({ name: 'catalogue_call', arguments: { address, arguments: args } });
    const reads = async (client) => void done(await read(client));
    const isRefused = async (client) => void refusal(await read(client));
    const steps = {
      'plain-endpoint': () => this.with(this.plainUrl, this.agent, this.mode, reads),
      'no-token': async () => {
        const answer = await post(this.url, undefined, this.era, 'tools/list', '{}');
        must(answer.status === 401, `HTTP ${answer.status}`);
        const challenge = answer.headers.get('www-authenticate') ?? '';
        must(challenge.includes('resource_metadata='), `challenge: ${challenge}`);
      },
      'unknown-token': async () => {
        const answer = await post(this.url, 'bw_agent_unknown', this.era, 'tools/list', '{}');
        must(answer.status === 401, `HTTP ${answer.status}`);
      },
      // Case M3: no two parts of a request may name two tools.
      'm3-name-twice': () =>
        this.unanswered('{"name":"catalogue_overview","name":"catalogue_search","arguments":{}}'),
      'm3-name-in-two-cases': () =>
        this.unanswered('{"name":"catalogue_overview","Name":"catalogue_search","arguments":{}}'),
      'm3-argument-twice': () =>
        this.unanswered('{"name":"catalogue_overview","arguments":{"x":1,"x":2}}'),
    };
    if (neighbour) {
      steps['neighbour-at-our-door'] = async () => {
        const params = '{"name":"catalogue_overview","arguments":{}}';
        const answer = await post(this.url, neighbour, this.era, 'tools/call', params);
        must(answer.status >= 400 && answer.status < 500, `HTTP ${answer.status}`);
      };
      steps['neighbour-reads'] = () => this.with(this.plainUrl, neighbour, this.mode, isRefused);
    }
    if (this.era === 'modern') {
      steps['pinned-revision'] = () => this.with(this.url, this.agent, { pin: MODERN }, reads);
      steps['m3-header-names-another-tool'] = () => this.mismatched('mcp-name', 'catalogue_search');
      steps['m3-header-names-another-method'] = () => this.mismatched('mcp-method', 'tools/list');
    } else {
      steps['m3-header-differs'] = async () => {
        const params = '{"name":"catalogue_overview","arguments":{}}';
        await this.unanswered(params, { 'Mcp-Name': 'catalogue_search' });
        await this.unanswered(params, { 'Mcp-Method': 'tools/list' });
      };
    }
    return steps;
  }

  /** A call is refused: by its HTTP status, as a protocol error, or as a tool's refusal. */
  async unanswered(params, more) {
    const answer = await post(this.url, this.agent, this.era, 'tools/call', params, more);
    if (answer.status >= 400 && answer.status < 500) return;
    must(answer.status === 200, `HTTP ${answer.status}`);
    const body = await answer.json();
    must(body.error || body.result?.isError === true, `answered ${show(body)}`);
  }

  /** The SDK's own request with a header changed on the way is a HeaderMismatch. */
  mismatched(header, value) {
    const changing = (input, init) => {
      const headers = new Headers(init?.headers);
      if (headers.get('mcp-method') === 'tools/call') headers.set(header, value);
      return fetch(input, { ...init, headers });
    };
    const request = { name: 'catalogue_overview', arguments: {} };
    const act = (client) => rejected(() => client.callTool(request), HEADER_MISMATCH);
    return this.with(this.url, this.agent, this.mode, act, changing);
  }
}

/** The SDK reports a protocol error with this code. */
async function rejected(act, code) {
  let answer;
  try {
    answer = await act();
  } catch (error) {
    must(error.code === code, `code ${error.code}, not ${code}: ${error}`);
    return;
  }
  throw new Wrong(`answered ${show(answer)}`);
}

// Requests that no SDK would send.

/** Posts one request whose `params` are this JSON text, in the form of the era. */
function post(url, token, era, method, params, more = {}) {
  const headers = {
    ...bearer(token),
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': era === 'modern' ? MODERN : LEGACY,
  };
  let text = params;
  if (era === 'modern') {
    headers['Mcp-Method'] = method;
    if (method === 'tools/call') headers['Mcp-Name'] = 'catalogue_overview';
    const meta = JSON.stringify({
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'drive', version: '1' },
    });
    text = params === '{}' ? `{"_meta":${meta}}` : `{"_meta":${meta},${params.slice(1)}`;
  }
  const body = `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${text}}`;
  Object.assign(headers, more);
  return fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(STEP_LIMIT_MS) });
}

async function main() {
  const [path, era] = process.argv.slice(2);
  if (!path || !['modern', 'legacy'].includes(era)) {
    console.error('Usage: drive.mjs SCENARIO.json modern|legacy');
    return 2;
  }
  const scenario = JSON.parse(await readFile(path, 'utf8'));
  const tally = new Tally();
  await new Drive(scenario, era, V2, tally).walk();
  if (era === 'legacy') await new Drive(scenario, era, V1, tally).walk();
  console.log(`${tally.passed} passed, ${tally.failed} failed`);
  return tally.failed > 0 || tally.passed === 0 ? 1 : 0;
}

process.exit(await main());
