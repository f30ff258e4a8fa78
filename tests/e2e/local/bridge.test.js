// Any stdio MCP server as a server of a local sandbox: one process per sandbox, started on first use, behind streamable HTTP.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { atEnd, rejection, sdkOf, until } from '../support/e2b.js';
import { boxIdOf, openLocal } from '../support/local.js';
import { connect, mcpHeaders, post, request } from '../support/mcp.js';
import { program, Server } from '../support/server.js';

const skip = process.env.VIV_TOOLS_STDIO ? 'the bridge is part of a server' : false;
const packageName = '@modelcontextprotocol/server-everything';

// A server of few words, so that what the bridge does is not hidden by an SDK.
const counter = `
import json, os, sys
count, waiting, cancelled = 0, 0, []
def say(m): print(json.dumps(m), flush=True)
def text(id, value): say({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": json.dumps(value)}]}})
for line in sys.stdin:
    m = json.loads(line); id = m.get("id"); p = m.get("params") or {}; tool = p.get("name")
    if m["method"] == "initialize":
        say({"jsonrpc": "2.0", "id": id, "result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "counter", "version": "1"}}})
    elif m["method"] == "notifications/cancelled": cancelled.append(p["requestId"])
    elif m["method"] == "tools/list": say({"jsonrpc": "2.0", "id": id, "result": {"tools": [{"name": "count", "inputSchema": {"type": "object"}}]}})
    elif tool == "count": count += 1; text(id, {"count": count, "pid": os.getpid(), "uid": os.getuid(), "cwd": os.getcwd(), "mark": os.environ.get("MARK")})
    elif tool == "echo": text(id, p.get("arguments"))
    elif tool == "cancelled": text(id, cancelled)
    elif tool == "die": sys.stderr.write("the last straw\\n"); sys.stderr.flush(); os._exit(p["arguments"]["code"])
    elif tool == "never": waiting += 1
    elif tool == "waiting": text(id, waiting)
    elif tool == "noise": sys.stdout.write("not json\\n"); text(id, "after noise")
    elif id is not None: say({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no such method"}})
`;

const script = { command: 'python3', args: ['-c', counter], env: { MARK: 'from servers.yaml' } };
const servers = {
  everything: {
    command: 'node',
    args: [`/opt/everything/node_modules/${packageName}/dist/index.js`, 'stdio'],
    template: 'everything',
    description: 'Every feature of the protocol',
  },
  counter: script,
  'counter-idle': { ...script, idle_seconds: 1 },
  broken: { command: 'sh', args: ['-c', 'echo no luck today >&2; exit 3'] },
  missing: { command: '/no/such/program' },
  silent: { command: 'sh', args: ['-c', 'echo fetching >&2; getent ahosts no-such-registry.invalid; echo still fetching >&2; cat > /dev/null'], start_seconds: 2 },
};

let server, folder;
before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), 'viv-servers-'));
  writeFileSync(join(folder, 'servers.yaml'), JSON.stringify({ servers }, null, 2));
  server = await Server.start({ boxes: true, args: ['--parked', '0', '--servers', join(folder, 'servers.yaml')] });
});
after(async () => {
  await server?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function open(t, names) {
  const box = await openLocal(names, { server });
  atEnd(t, () => box.close());
  return box;
}
async function clientOf(t, url) {
  const client = await connect(url);
  atEnd(t, () => client.close());
  return client;
}
const textOf = async (client, name, args = {}) => JSON.parse((await client.callTool({ name, arguments: args })).content[0].text);

/** The package and everything it needs, as folders below this one. */
function closure(name, found = new Set()) {
  const place = `node_modules/${name}`;
  if (found.has(place) || !existsSync(place)) return found;
  found.add(place);
  const { dependencies = {} } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  for (const needed of Object.keys(dependencies)) closure(needed, found);
  return found;
}

test('@modelcontextprotocol/server-everything, from a template of its own', { skip }, async (t) => {
  const { Sandbox } = sdkOf(server);
  const maker = await Sandbox.create();
  atEnd(t, () => Sandbox.kill(maker.sandboxId));
  const archive = execFileSync('tar', ['cz', ...closure(packageName)], { maxBuffer: 256 << 20 });
  await maker.files.write('/tmp/everything.tgz', new Uint8Array(archive).buffer);
  await maker.commands.run('mkdir -p /opt/everything && tar xzf /tmp/everything.tgz -C /opt/everything', { user: 'root' });
  const { snapshotId } = await maker.createSnapshot({ name: 'everything' });
  atEnd(t, () => Sandbox.deleteSnapshot(snapshotId));

  const box = await open(t, ['everything', 'filesystem']);
  const client = await box.client('everything');
  assert.equal(client.getServerVersion().name, 'mcp-servers/everything');
  assert.ok(client.getServerCapabilities().prompts && client.getServerCapabilities().resources);
  assert.match(client.getInstructions(), /Everything Server/);

  const { tools } = await client.listTools();
  assert.ok(tools.some((tool) => tool.name === 'echo') && tools.length > 8, tools.map((tool) => tool.name).join());
  assert.equal((await client.callTool({ name: 'echo', arguments: { message: 'grüße' } })).content[0].text, 'Echo: grüße');
  assert.equal((await client.callTool({ name: 'get-tiny-image' })).content.find((block) => block.type === 'image').mimeType, 'image/png');
  const structured = await client.callTool({ name: 'get-structured-content', arguments: { location: 'Chicago' } });
  assert.equal(typeof structured.structuredContent.temperature, 'number');

  const { resources } = await client.listResources();
  const read = await client.readResource({ uri: resources[0].uri });
  assert.ok(read.contents[0].text.length > 100);
  assert.ok((await client.listResourceTemplates()).resourceTemplates.length > 0);
  const prompt = await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Lund' } });
  assert.match(prompt.messages[0].content.text, /Lund/);
  await rejection(client.getPrompt({ name: 'no-such-prompt' }));

  // Progress comes while the call goes on: the first step is heard before the last one.
  const heard = [];
  const started = Date.now();
  const long = await client.callTool({ name: 'trigger-long-running-operation', arguments: { duration: 2, steps: 4 } }, undefined, {
    onprogress: (step) => heard.push({ ...step, at: Date.now() - started }),
  });
  assert.match(long.content[0].text, /completed/);
  assert.deepEqual(heard.map((step) => step.progress), [1, 2, 3, 4]);
  assert.ok(heard[3].at - heard[0].at > 1000, JSON.stringify(heard));

  // Two callers with the same ids and tokens hear each their own.
  const others = await Promise.all([1, 2, 3].map(() => clientOf(t, box.urls.everything)));
  const totals = await Promise.all(others.map(async (other, index) => {
    const steps = [];
    await other.callTool({ name: 'trigger-long-running-operation', arguments: { duration: 0.3, steps: index + 2 } }, undefined, {
      onprogress: (step) => steps.push(step.total),
    });
    return steps;
  }));
  assert.deepEqual(totals, [[2, 2], [3, 3, 3], [4, 4, 4, 4]]);
  assert.match((await (await box.client('filesystem')).callTool({ name: 'list_allowed_directories' })).content[0].text, /\/data/);
});

test('one process serves every session, as the box\'s user in its workspace, and outlives the server', { skip }, async (t) => {
  const box = await open(t, ['counter']);
  const first = await clientOf(t, box.urls.counter);
  const second = await clientOf(t, box.urls.counter);
  const one = await textOf(first, 'count');
  assert.deepEqual({ ...one, pid: 0 }, { count: 1, pid: 0, uid: 1000, cwd: '/data', mark: 'from servers.yaml' });
  assert.deepEqual(await textOf(second, 'count'), { ...one, count: 2 });
  await first.close();
  assert.equal((await textOf(second, 'count')).count, 3);
  await server.crashAndRestart();
  const url = box.urls.counter.replace(/^http:\/\/[^/]+/, server.url);
  const third = await clientOf(t, url);
  assert.deepEqual(await textOf(third, 'count'), { ...one, count: 4 });
  const without = await post(url, request('tools/call', { name: 'count' }));  // no session at all
  assert.equal(JSON.parse(without.body.result.content[0].text).count, 5);
  assert.match((await textOf(third, 'echo', { deep: [1.5, null, '\u2028', 'x'.repeat(100_000)] })).deep[3], /^x{100000}$/);
  assert.equal((await third.callTool({ name: 'noise' })).content[0].text, '"after noise"');
  const fourth = await clientOf(t, url);
  const many = await Promise.all(Array.from({ length: 50 }, (_, i) => textOf(i % 2 ? third : fourth, 'echo', { i })));
  assert.deepEqual(many.map((answer) => answer.i), Array.from({ length: 50 }, (_, i) => i));
});

test('a crash is told to the call under way, and the next call starts anew', { skip }, async (t) => {
  const box = await open(t, ['counter', 'broken', 'missing']);
  const client = await box.client('counter');
  await textOf(client, 'count');
  const waiting = rejection(client.callTool({ name: 'never' }));
  await until(async () => await textOf(client, 'waiting') === 1, 'the call arrives');
  const error = await rejection(client.callTool({ name: 'die', arguments: { code: 7 } }));
  assert.match(error.message, /'counter' ended with exit status 7.*the last straw.*next call starts it anew/);
  assert.match((await waiting).message, /exit status 7/);
  assert.equal((await textOf(client, 'count')).count, 1);
  const broken = await post(box.urls.broken, request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }));
  assert.match(broken.body.error.message, /'broken' did not start: it ended with exit status 3 .*no luck today/);
  await rejection(connect(box.urls.broken));
  const missing = await post(box.urls.missing, request('tools/list'));
  assert.match(missing.body.error.message, /'missing' cannot be started: .*\/no\/such\/program/);
});

test('an idle server is stopped and comes back', { skip }, async (t) => {
  const box = await open(t, ['counter-idle']);
  const client = await box.client('counter-idle');
  const { pid } = await textOf(client, 'count');
  await box.files();
  const lives = async () => (await box.box.commands.run(`test -d /proc/${pid} && echo yes || echo no`)).stdout.trim() === 'yes';
  await until(async () => !(await lives()), 'the idle server ends');
  assert.equal((await textOf(client, 'count')).count, 1);
});

test('a cancelled or abandoned call is cancelled in the server', { skip }, async (t) => {
  const box = await open(t, ['counter']);
  const client = await box.client('counter');
  const stop = new AbortController();
  const never = rejection(client.callTool({ name: 'never' }, undefined, { signal: stop.signal }));
  await until(async () => await textOf(client, 'waiting') === 1, 'the call arrives');
  stop.abort('enough');
  await never;
  await until(async () => (await textOf(client, 'cancelled')).length === 1, 'the cancellation arrives');
  const hangUp = new AbortController();
  const hung = rejection(fetch(box.urls.counter, {
    method: 'POST', headers: mcpHeaders, body: JSON.stringify(request('tools/call', { name: 'never' }, 'x')), signal: hangUp.signal,
  }));
  await until(async () => await textOf(client, 'waiting') === 2, 'the second call arrives');
  hangUp.abort();
  await hung;
  await until(async () => (await textOf(client, 'cancelled')).length === 2, 'the hang-up arrives');
});

test('the older transport and the other path lead to the same server', { skip }, async (t) => {
  const box = await open(t, ['counter']);
  const client = new Client({ name: 'vivarium-e2e', version: '1.0.0' });
  await client.connect(new SSEClientTransport(new URL(box.urls.counter.replace('/mcp/?', '/sse?'))));
  atEnd(t, () => client.close());
  assert.equal((await textOf(client, 'count')).count, 1);
  const other = await clientOf(t, `${server.url}/mcp/counter?local_sandbox_id=${box.id}`);
  assert.equal((await textOf(other, 'count')).count, 2);
  const never = rejection(client.callTool({ name: 'never' }, undefined, { timeout: 300 }));
  assert.equal((await textOf(client, 'count')).count, 3);  // a call under way holds up no other
  await never;
  await until(async () => (await textOf(other, 'cancelled')).length === 1, 'the timeout is a cancellation');
});

test('event streams end with the sandbox, whoever ends it', { skip }, async (t) => {
  const { Sandbox } = sdkOf(server);
  for (const end of [(box) => server.call('DELETE', `/local-sandbox/${box.id}`), (box) => Sandbox.kill(boxIdOf(box.id))]) {
    const box = await open(t, ['counter']);
    const streams = [];
    for (const url of [box.urls.counter, box.urls.counter.replace('/mcp/?', '/sse?')]) {
      const response = await fetch(url, { headers: { Accept: 'text/event-stream' } });
      assert.equal(response.status, 200);
      streams.push(response.body.getReader());
      await streams.at(-1).read();
    }
    const started = Date.now();
    await end(box);
    for (const stream of streams) while (!(await stream.read()).done);
    assert.ok(Date.now() - started < 10_000, 'signs of life come every 15 seconds: they waited for none');
  }
});

test('a server that never answers shows what it said, and the egress log which names it asked for', { skip }, async (t) => {
  const box = await open(t, ['silent']);
  const answer = await post(box.urls.silent, request('tools/list'));
  assert.match(answer.body.error.message, /'silent' did not start: it did not answer initialize within 2 seconds; the end of its standard error:\nfetching\nstill fetching$/);
  const { body } = await server.call('GET', `/api/viv/boxes/${boxIdOf(box.id)}/egress?limit=100`);
  const asked = body.records.find((record) => record.name === 'no-such-registry.invalid');
  assert.deepEqual([asked?.protocol, asked?.verdict], ['dns', 'failed'], JSON.stringify(body.records));
  assert.ok(asked.reason.length > 0);
});

test('the revision without a handshake', { skip }, async (t) => {
  const box = await open(t, ['counter']);
  const modern = { 'Mcp-Protocol-Version': '2026-07-28' };
  const discovered = await post(box.urls.counter, request('server/discover'), modern);
  assert.equal(discovered.body.result.resultType, 'complete');
  assert.ok(discovered.body.result.capabilities.tools);
  const listed = await post(box.urls.counter, request('tools/list'), modern);
  assert.equal(listed.body.result.resultType, 'complete');
  assert.equal(listed.body.result.cacheScope, 'private');
  assert.equal((await post(box.urls.counter, request('server/discover'))).body.error.code, -32601);
});

test('a URL leads only to what was acquired', { skip }, async (t) => {
  const box = await open(t, ['counter']);
  const gone = 'This sandbox does not exist or has been released';
  const listing = request('tools/list');
  for (const url of [
    box.urls.counter.replace('/counter/', '/filesystem/'),
    box.urls.counter.replace('/counter/', '/nothing/'),
    box.urls.counter.replace(box.id, '00000000-0000-4000-8000-000000000000'),
    box.urls.counter.replace(box.id, 'x'),
    box.urls.counter.replace(`=${box.id}`, '='),
  ]) {
    const refused = await post(url, listing);
    assert.deepEqual([refused.status, refused.body.error.message], [404, gone], url);
  }
  assert.equal((await post(box.urls.counter, listing, { Origin: 'https://evil.example' })).status, 403);
  assert.equal((await post(box.urls.counter, listing, { 'Mcp-Session-Id': 'made-up' })).status, 404);
  assert.equal((await post(box.urls.counter, '{')).body.error.code, -32700);
  assert.equal((await post(box.urls.counter, '[]')).status, 400);
  const batch = await post(box.urls.counter, [request('ping', undefined, 1), request('tools/list', undefined, 2), { jsonrpc: '2.0', method: 'notifications/initialized' }]);
  assert.deepEqual(batch.body.map((answer) => answer.id), [1, 2]);
  const other = await open(t, ['counter']);
  assert.equal((await textOf(await other.client('counter'), 'count')).count, 1);  // a process of its own
  await server.call('DELETE', `/local-sandbox/${other.id}`);
  assert.deepEqual((await post(other.urls.counter, listing)).body.error.message, gone);
});

test('servers.yaml with a mistake stops the start, and says where', { skip }, () => {
  const file = join(folder, 'wrong.yaml');
  for (const [text, complaint] of [
    ['servers:\n  a:\n    comand: x\n', /wrong\.yaml:3: unknown key 'comand'/],
    ['servers:\n  a: {args: [x]}\n', /wrong\.yaml:2: command is missing/],
    ['servers: {a: {command: x\n', /wrong\.yaml:\d+: /],
  ]) {
    writeFileSync(file, text);
    const run = spawnSync(program, ['serve', '--listen', '127.0.0.1:0', '--data', join(folder, 'data'), '--servers', file], { encoding: 'utf8' });
    assert.notEqual(run.status, 0);
    assert.match(run.stderr, complaint);
  }
});
