// viv secret and viv logs --egress, as a person uses them.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import { sdkOf } from '../support/e2b.js';
import { startOrigins } from '../support/origins.js';
import { Server, program } from '../support/server.js';

const origins = await startOrigins();
const skip = process.getuid() === 0 ? origins.skip : 'boxes need root';
let server;
before(async () => {
  if (!skip) server = await Server.start({ boxes: true, args: origins.serverArgs });
});
after(async () => {
  await server?.stop();
  await origins.stop();
});

const run = (command, args, input = '') =>
  new Promise((done) => {
    const child = spawn(command, args, { env: { ...process.env, VIV_URL: server.url, VIV_API_KEY: server.key } });
    let stdout = '', stderr = '';
    child.stdout.on('data', (piece) => (stdout += piece));
    child.stderr.on('data', (piece) => (stderr += piece));
    child.on('close', (status) => done({ status, stdout, stderr }));
    child.stdin.on('error', () => {}).end(input);
  });
const viv = (args, input) => run(program, args, input);
const ok = async (args, input) => {
  const result = await viv(args, input);
  assert.equal(result.status, 0, `viv ${args.join(' ')}: ${result.stderr}`);
  return result.stdout;
};

/** A box whose requests to api.test have the secret of this name; removed when the test ends. */
async function boxWith(t, secret) {
  const { Sandbox } = sdkOf(server);
  const box = await Sandbox.create({ network: { rules: { 'api.test': [{ transform: { headers: { Authorization: `\${e2b.secrets.${secret}}` } } }] } } });
  t.after(() => box.kill());
  return box;
}
const authorization = async (id) =>
  JSON.parse(await ok(['exec', id, '--', 'curl', '-sS', `https://api.test:${origins.port.tls}/cli?not=logged`])).headers.authorization;

test('a secret is set from a pipe, used, renewed, listed and removed', { skip }, async (t) => {
  assert.match(await ok(['secret', 'set', 'cli_key'], 'piped-0123456789\n'), /^cli_key +version 1\n$/);
  const box = await boxWith(t, 'cli_key');
  assert.equal(await authorization(box.sandboxId), 'piped-0123456789');
  assert.match(await ok(['secret', 'set', 'cli_key', '--value', 'second']), /version 2/);
  assert.equal(await authorization(box.sandboxId), 'second');
  await ok(['secret', 'set', 'several'], 'two\nlines\n');
  const listed = await ok(['secret', 'ls']);
  assert.match(listed, /^NAME/);
  assert.match(listed, /^cli_key +2 /m);
  assert.match(listed, /^several +1 /m);
  assert.ok(!/piped|second|lines/.test(listed), listed);
  await ok(['secret', 'rm', 'cli_key', 'several']);
  assert.ok(!/cli_key|several/.test(await ok(['secret', 'ls'])));
});

// Types into a terminal of its own what stands after its prompt, then tells all that the terminal showed.
const typing = String.raw`
import os, pty, sys
text, command = sys.argv[1], sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0: os.execv(command[0], command)
shown = b''
while b'not shown' not in shown: shown += os.read(terminal, 1000)
os.write(terminal, text.encode())
try:
    while piece := os.read(terminal, 1000): shown += piece
except OSError: pass
sys.stdout.write(shown.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

test('a value that is typed is not shown', { skip }, async (t) => {
  const typed = await run('python3', ['-c', typing, 'tYpEd-value\n', program, 'secret', 'set', 'typed']);
  assert.equal(typed.status, 0, typed.stdout);
  assert.match(typed.stdout, /Value of typed \(not shown\): [^]*version 1/);
  assert.ok(!typed.stdout.includes('tYpEd'), typed.stdout);
  const box = await boxWith(t, 'typed');
  assert.equal(await authorization(box.sandboxId), 'tYpEd-value');
  const cancelled = await run('python3', ['-c', typing, 'half\x03', program, 'secret', 'set', 'typed']);
  assert.equal(cancelled.status, 1, cancelled.stdout);
  assert.match(cancelled.stdout, /nothing was changed/);
  assert.equal(await authorization(box.sandboxId), 'tYpEd-value');
  await ok(['secret', 'rm', 'typed']);
});

test('what left a box is a table, or lines of JSON', { skip }, async (t) => {
  await ok(['secret', 'set', 'logged'], 'lOgGeD-0123456789');
  const box = await boxWith(t, 'logged');
  const id = box.sandboxId;
  const nothing = await viv(['logs', '--egress', id]);
  assert.deepEqual([nothing.status, nothing.stdout], [0, '']);
  assert.match(nothing.stderr, /no connections yet/);
  assert.equal(await authorization(id), 'lOgGeD-0123456789');
  await viv(['exec', id, '--', 'curl', '-sS', '--max-time', '20', 'http://169.254.169.254/']);
  const table = await ok(['logs', '--egress', id]);
  assert.match(table, /^TIME +VERDICT +TO +PROTOCOL +REQUEST +OUT +IN +WHY\n/);
  assert.match(table, new RegExp(`allowed +api\\.test:${origins.port.tls} +https +GET /cli 200 +\\d+ +\\d+ `));
  assert.match(table, /refused +169\.254\.169\.254:80 /);
  const lines = (await ok(['logs', '--egress', '--json', id])).trim().split('\n').map((line) => JSON.parse(line));
  const request = lines.find((one) => one.method === 'GET');
  assert.deepEqual([request.name, request.port, request.path, request.status, request.verdict], ['api.test', origins.port.tls, '/cli', 200, 'allowed']);
  assert.ok(request.bytes_in > 0 && request.at, JSON.stringify(request));
  const { body } = await server.call('GET', `/api/viv/boxes/${id}/egress`);
  assert.deepEqual(body.records, lines);
  assert.equal((await ok(['logs', '--egress', '--limit', '1', '--json', id])).trim(), JSON.stringify(lines.at(-1)));
  for (const text of [table, JSON.stringify(lines)]) assert.ok(!/lOgGeD|logged|not=/.test(text.replaceAll(/rule[^\n]*/g, '')), text);
  await ok(['secret', 'rm', 'logged']);
});

test('the log of a box is its account’s own', { skip }, async (t) => {
  const box = await boxWith(t, 'absent');
  const path = `/api/viv/boxes/${box.sandboxId}/egress`;
  assert.equal((await server.call('GET', path, { headers: {} })).status, 401);
  const { body: other } = await server.call('POST', '/api/viv/accounts', { json: { name: 'egress-other' } });
  const { status, body } = await server.call('GET', path, { headers: { Authorization: `Bearer ${other.key}` } });
  assert.deepEqual([status, body.error.code], [404, 'not_found']);
  for (const limit of ['0', '1001', 'x']) assert.equal((await server.call('GET', `${path}?limit=${limit}`)).status, 400, limit);
});

test('mistakes are told, with what to do', { skip }, async () => {
  assert.match((await viv(['secret', 'set', 'empty'], '\n')).stderr, /empty/);
  assert.match((await viv(['secret', 'set', 'bad name'], 'x')).stderr, /name/);
  assert.match((await viv(['secret', 'set', 'sec_x'], 'x')).stderr, /sec_/);
  assert.match((await viv(['secret', 'set', 'large'], 'x'.repeat(70_000))).stderr, /64 KiB/);
  assert.match((await viv(['secret', 'rm', 'absent'])).stderr, /absent/);
  assert.match((await viv(['logs', '--egress', 'iabsent'])).stderr, /iabsent.*viv ls/);
  assert.notEqual((await viv(['logs', '--limit', '5', 'iabsent'])).status, 0);
  assert.notEqual((await viv(['logs', '--egress', '--limit', '1001', 'iabsent'])).status, 0);
  for (const command of [['secret'], ['secret', 'set'], ['secret', 'ls'], ['secret', 'rm'], ['logs']])
    assert.match((await viv([...command, '--help'])).stdout, /Example/, command.join(' '));
});
