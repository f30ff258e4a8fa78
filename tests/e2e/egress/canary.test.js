// Canaries: secrets of every kind that a box's requests can be given. After a run they are known at the origins, and
// nowhere else: not in the box, the data folder, the log, an answer, a snapshot or a core.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { attempt } from '../support/attack.js';
import { sdkOf } from '../support/e2b.js';
import { namesIn, search } from '../support/haystack.js';
import { clientOf } from '../support/langsmith.js';
import { startOrigins } from '../support/origins.js';
import { Server, firstProcesses, program } from '../support/server.js';

const bucket = 's3.us-east-1.amazonaws.com';
const origins = await startOrigins({ names: [bucket, 'direct.test'], addresses: { [bucket]: () => origins.address } });
const { skip, port } = origins;

const made = () => randomBytes(12).toString('hex');
const secrets = {
  'E2B secret': made(), 'E2B secret, rotated': made(), 'E2B rule': made(), 'proxy password': made(), 'opaque header': made(), 'workspace secret': made(),
  'callback answer': made(), 'callback key': made(), 'AWS key': made(), 'command line secret': made(),
};
/** The canary as it is given: with characters that codings change. */
const valueOf = (name) => `k+${secrets[name]}/=`;

const answers = [];  // of the server, all of them
const asked = [];  // of the callback's server
let server, box, agentBox, callbacks;

/** A call whose answer is kept for the search. */
async function call(method, path, json, headers = { 'X-API-Key': server.key, 'Content-Type': 'application/json' }) {
  const answer = await server.call(method, path, { json, headers });
  answers.push(`${method} ${path} ${answer.status} ${JSON.stringify(answer.body)} ${JSON.stringify([...answer.headers])}`);
  return answer;
}
const ok = async (...args) => {
  const { status, body } = await call(...args);
  assert.ok(status < 300, `${args.slice(0, 2).join(' ')}: ${status} ${JSON.stringify(body)}`);
  return body;
};
/** Runs `viv` as a person does; what it prints is kept for the search. */
const viv = (args, input) => {
  const result = spawnSync(program, args, { encoding: 'utf8', input, env: { ...process.env, VIV_URL: server.url, VIV_API_KEY: server.key } });
  answers.push(`viv ${args.join(' ')}: ${result.stdout}${result.stderr}`);
  assert.equal(result.status, 0, `viv ${args.join(' ')}: ${result.stderr}`);
  return result.stdout;
};

before(async () => {
  if (skip) return;
  callbacks = createServer((request, response) => {
    request.resume();
    asked.push(JSON.stringify(request.headers));
    response.end(JSON.stringify({ headers: { 'X-Api-Key': valueOf('callback answer') } }));
  });
  await new Promise((done) => callbacks.listen(0, origins.address, done));
  server = await Server.start({ boxes: true, args: [...origins.serverArgs, '--log-level', 'debug', '--parked', '0'] });
});
after(async () => {
  await server?.stop();
  callbacks?.close();
  await origins.stop();
});

/** Requests from inside, to origins that do not echo. */
const request = (to, which, path) => `curl -sS --max-time 30 -o /dev/null -w '%{http_code} ' ${which === 'plain' ? 'http' : 'https'}://${to}:${port[which]}${path}`;

test('the canaries are set, in every dialect, and used', { skip }, async () => {
  await ok('POST', '/secrets', { name: 'stripe', value: valueOf('E2B secret') });
  viv(['secret', 'set', 'by-hand'], valueOf('command line secret'));
  const network = {
    rules: {
      'api.test': [{ transform: { headers: { Authorization: 'Bearer ${e2b.secrets.stripe}', 'X-Second': '${e2b.secrets.by-hand}' } } }],
      'direct.test': [{ transform: { headers: { Authorization: `Bearer ${valueOf('E2B rule')}` } } }],
    },
  };
  const created = await ok('POST', '/v2/sandboxes', { templateID: 'base', timeout: 600, network });
  box = await sdkOf(server).Sandbox.connect(created.sandboxID);
  const run = async (command) => (await box.commands.run(command, { timeoutMs: 120_000 })).stdout.trim();
  assert.equal(await run([request('api.test', 'tls', '/drain?e2b'), request('api.test', 'plain', '/drain?e2b'), request('direct.test', 'http1', '/drain?rule')].join(';')), '200 200 200');
  await ok('POST', '/secrets/stripe', { value: valueOf('E2B secret, rotated') });
  assert.equal(await run(request('api.test', 'tls', '/drain?rotated')), '200');
  // A proxy that nobody can use: its password is kept all the same.
  await ok('POST', '/v2/sandboxes', { templateID: 'base', timeout: 600, network: { egressProxy: { address: `${origins.address}:9`, username: 'u', password: valueOf('proxy password') } } });

  const key = { 'X-Api-Key': server.key, 'Content-Type': 'application/json' };
  await ok('POST', '/api/v1/workspaces/current/secrets', [{ key: 'WORKSPACE_KEY', value: valueOf('workspace secret') }], key);
  const proxy_config = {
    rules: [
      { name: 'opaque', match_hosts: ['api.test'], match_paths: ['/drain*'], headers: [{ name: 'Authorization', type: 'opaque', value: `Bearer ${valueOf('opaque header')}` }] },
      { name: 'workspace', match_hosts: ['other.test'], headers: [{ name: 'X-Key', type: 'workspace_secret', value: '{WORKSPACE_KEY}' }] },
      { name: 'aws', type: 'aws', aws: { access_key_id: { type: 'opaque', value: 'AKIDEXAMPLE' }, secret_access_key: { type: 'opaque', value: valueOf('AWS key') } } },
    ],
    callbacks: [{
      match_hosts: ['third.test'], url: `http://${origins.address}:${callbacks.address().port}/ask`, ttl_seconds: 60,
      request_headers: [{ name: 'X-Callback-Key', type: 'opaque', value: valueOf('callback key') }],
    }],
  };
  agentBox = await ok('POST', '/v2/sandboxes/boxes', { name: 'canary', wait_for_ready: true, proxy_config }, key);
  const other = await clientOf(server).getSandbox('canary');
  const commands = [request('api.test', 'tls', '/drain?opaque'), request('other.test', 'http2', '/drain?workspace'), request('third.test', 'http1', '/drain?callback'), request(bucket, 'tls', '/drain?aws')];
  assert.equal((await other.run(commands.join(';'), { timeout: 120 })).stdout.trim(), '200 200 200 200');
});

test('the origins know them: the search finds what there is', { skip }, async () => {
  const known = JSON.stringify(origins.seen) + asked.join('');
  const expected = Object.keys(secrets).filter((name) => !['proxy password', 'AWS key'].includes(name));
  assert.deepEqual(namesIn(known, secrets).sort(), expected.sort());
  assert.match(origins.seen.find((one) => one.url === '/drain?aws').headers.authorization, /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/);
  // The same of files, with codings.
  const folder = mkdtempSync(join(tmpdir(), 'viv-known-'));
  try {
    const names = Object.keys(secrets);
    for (const [i, coding] of ['base64', 'base64url', 'hex', 'latin1'].entries()) writeFileSync(join(folder, String(i)), Buffer.from(`${'-'.repeat(i)}${valueOf(names[i])}`).toString(coding));
    writeFileSync(join(folder, '4'), encodeURIComponent(valueOf(names[4])));
    const { found } = await search({ trees: [folder] }, secrets);
    assert.equal(found.length, 5, found.join('\n'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('they are not in the boxes: no variable, no argument, no file, no memory of a process', { skip }, async () => {
  const inside = await attempt(box, 'env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n"; set; cat /etc/environment /run/* 2>/dev/null; true');
  answers.push(inside.stdout);
  // What the search must find: a variable of a process, and a file.
  const marked = { ...secrets, marker: made() };
  const sleeper = await box.commands.run('exec sleep 600', { background: true, envs: { MARKER: marked.marker }, timeoutMs: 0 });
  await box.files.write('/tmp/marker', Buffer.from(`-${marked.marker}`).toString('base64'));
  const first = firstProcesses(server);
  assert.ok(first.length >= 3, `${first.length} boxes`);
  const children = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const parent = /\) \S+ (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))[1];
      children.set(parent, [...(children.get(parent) ?? []), pid]);
    } catch {}
  }
  const below = (pid) => [pid, ...(children.get(pid) ?? []).flatMap(below)];
  // Of the base template, what is the machine's own (/usr, the list of packages) was there before any secret.
  const trees = first.flatMap((pid) => ['etc', 'home', 'root', 'run', 'tmp', 'var/tmp', 'var/log', 'var/cache', 'dev/shm', 'opt', 'srv', 'mnt'].map((one) => `/proc/${pid}/root/${one}`));
  const { found } = await search({ trees, pids: first.flatMap(below) }, marked);
  assert.deepEqual(found.filter((one) => !one.startsWith('marker in ')), []);
  for (const place of [/^marker in .*\/environ$/, /^marker in .*\/mem$/, /^marker in .*\/tmp\/marker$/]) assert.ok(found.some((one) => place.test(one)), `${place} in ${found}`);
  await sleeper.kill();
});

test('they are not in what the box is copied to: snapshot, fork, pause', { skip }, async () => {
  const id = box.sandboxId;
  await ok('POST', `/sandboxes/${id}/snapshots`, {});
  const [fork] = await ok('POST', `/sandboxes/${id}/fork`, { count: 1 });

  answers.push(JSON.stringify(await clientOf(server).captureSnapshot('canary', 'kept')));
  const copy = await sdkOf(server).Sandbox.connect(fork.sandbox.sandboxID);
  const { stdout } = await copy.commands.run(request('api.test', 'tls', '/drain?fork'));
  assert.equal(stdout.trim(), '200');
  assert.equal(origins.seen.find((one) => one.url === '/drain?fork').headers.authorization, `Bearer ${valueOf('E2B secret, rotated')}`);
  await ok('POST', `/sandboxes/${id}/pause`);
  await ok('POST', `/sandboxes/${id}/connect`, { timeout: 600 });
});

test('they are in no answer and in no log', { skip }, async () => {
  const { sandboxId: id } = box;
  const paths = ['/sandboxes', '/v2/sandboxes', `/sandboxes/${id}`, `/sandboxes/${id}/logs`, `/v2/sandboxes/${id}/logs`, '/secrets', '/secrets/stripe', '/secrets/by-hand', '/snapshots', '/templates',
    '/v2/sandboxes/boxes', '/v2/sandboxes/boxes/canary', '/v2/sandboxes/snapshots', '/api/v1/workspaces/current/secrets', `/api/viv/boxes/${id}/egress`,
    `/api/viv/boxes/${agentBox.id}/egress`, '/api/viv/sandboxes', '/metrics', '/.well-known/jwks.json'];
  for (const path of paths) await call('GET', path);
  assert.ok(answers.find((one) => one.startsWith(`GET /sandboxes/${id} 200`)).includes('direct.test'), 'the rules are shown, without the value');
  assert.match(viv(['logs', '--egress', id]), /api\.test/);
  viv(['secret', 'ls']);
  viv(['ls']);
  viv(['logs', id]);
  // Answers to what is wrong do not repeat what was sent.
  const refused = { 'api.test': [{ transform: { headers: { Host: valueOf('E2B rule') } } }] };
  const { status } = await call('POST', '/v2/sandboxes', { templateID: 'base', network: { rules: refused } });
  assert.equal(status, 400);
  await call('POST', '/secrets', { name: 'sec_reserved', value: valueOf('E2B secret') });
  await call('POST', '/secrets', { name: 'stripe', value: valueOf('E2B secret') });
  await call('POST', '/api/v1/workspaces/current/secrets', [{ key: 'a b', value: valueOf('workspace secret') }]);
  await call('POST', '/v2/sandboxes/boxes', { proxy_config: { rules: [{ name: 'r', match_hosts: ['a.test'], headers: [{ name: 'X', type: 'opaque', value: `${valueOf('opaque header')}\r\n` }] }] } });
  assert.deepEqual(answers.filter((one) => namesIn(one, secrets).length > 0).map((one) => `${namesIn(one, secrets)} in ${one.slice(0, 200)}`), []);
  assert.ok(server.log.length > 1000, 'there is a log');
  assert.deepEqual(namesIn(server.log, secrets), []);
});

test('they are nowhere in the data folder, also after a crash, and work on after it', { skip }, async () => {
  // The marker shows that the search sees what boxes write, in the image too.
  await box.files.write('/home/user/marker', 'm4rk3r-of-the-search-0123456789');
  const marked = { ...secrets, marker: 'm4rk3r-of-the-search-0123456789' };
  await box.commands.run('sync /home/user/marker');
  const both = await search({ trees: [server.data] }, marked);
  assert.ok(both.found.some((one) => one.startsWith('marker in ')), 'a box\'s own file is found');
  assert.deepEqual(both.found.filter((one) => !one.startsWith('marker in ')), []);
  await server.crashAndRestart();
  assert.deepEqual((await search({ trees: [server.data] }, secrets)).found, []);
  assert.deepEqual(namesIn(server.log, secrets), []);
  const key = readdirSync(join(server.data, 'gateway'));
  assert.ok(key.includes('authority.key'));
  for (const one of key.filter((name) => name.endsWith('.key'))) assert.equal(statSync(join(server.data, 'gateway', one)).mode & 0o777, 0o600, one);
  assert.equal(statSync(join(server.data, 'gateway')).mode & 0o777, 0o700);
  // What was sealed still opens.
  const again = await ok('POST', '/v2/sandboxes', { templateID: 'base', timeout: 600, network: { rules: { 'api.test': [{ transform: { headers: { Authorization: 'Bearer ${e2b.secrets.stripe}' } } }] } } });
  const sandbox = await sdkOf(server).Sandbox.connect(again.sandboxID);
  assert.equal((await sandbox.commands.run(request('api.test', 'tls', '/drain?again'))).stdout.trim(), '200');
  assert.equal(origins.last('/drain').headers.authorization, `Bearer ${valueOf('E2B secret, rotated')}`);
});

// Waits for a program's last line, ends it as a crash would and tells whether the kernel wrote a core.
const dumper = String.raw`
import os, resource, signal, subprocess, sys
resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)
child = subprocess.Popen(sys.argv[2:], cwd=sys.argv[1], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
for line in child.stderr:
    if 'ready' in line or 'server.started' in line: break
os.kill(child.pid, signal.SIGABRT)
_, status = os.waitpid(child.pid, 0)
print('core' if os.WCOREDUMP(status) else 'none', os.WTERMSIG(status))
`;

test('a crash of the server leaves no core', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'viv-core-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'data'));
  const ends = (...command) => execFileSync('python3', ['-c', dumper, folder, ...command], { encoding: 'utf8' }).trim();
  // Whether this machine writes cores at all is not ours to choose; where it does, an ordinary program leaves one.
  t.diagnostic(`an ordinary program: ${ends('sh', '-c', 'echo ready >&2; exec sleep 100')}`);
  assert.equal(ends(program, 'serve', '--listen', '127.0.0.1:0', '--data', join(folder, 'data'), '--boxes', 'off', '--builtin-apps', ''), 'none 6');
});
