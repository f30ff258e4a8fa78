// Commands over the SDK: run() in all its forms, handles, reconnects, and what goes wrong with them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import WebSocket from 'ws';
import { until } from '../support/e2b.js';
import { clientOf, withSandboxes } from '../support/langsmith.js';
import { Server } from '../support/server.js';

const host = withSandboxes();

/** A raw exec WebSocket: `frames` so far, `closed` with the code. */
function openSocket(sandbox, ...first) {
  const socket = new WebSocket(`${sandbox.dataplane_url.replace('http', 'ws')}/execute/ws`, { headers: { 'X-Api-Key': host.server.key } });
  socket.frames = [];
  socket.on('message', (data) => socket.frames.push(JSON.parse(data)));
  socket.closed = new Promise((done) => socket.on('close', done));
  socket.on('open', () => first.forEach((frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))));
  return socket;
}

test('run() gives output, errors and the exit code', async (t) => {
  const sandbox = await host.create(t);
  assert.deepEqual(await sandbox.run('echo out; echo err >&2; exit 3'), { stdout: 'out\n', stderr: 'err\n', exit_code: 3 });
  assert.equal((await sandbox.run('echo "$A $PWD"', { env: { A: 'b c' }, cwd: '/var' })).stdout, 'b c /var\n');
  const config = { runConfig: { user: 'root', work_dir: '/etc', env_vars: { A: 'x' } } };
  assert.equal((await sandbox.run('echo $A $PWD $(id -un)', config)).stdout, 'x /etc root\n');
  assert.equal((await sandbox.run('echo $0', { shell: '/bin/sh' })).stdout, '/bin/sh\n');
  assert.equal((await sandbox.run('cat; echo end')).stdout, 'end\n', 'stdin is closed by default');
  assert.equal((await sandbox.run('tty', { pty: true })).stdout.trim().startsWith('/dev/pts/'), true);
  const many = await Promise.all([...Array(8).keys()].map((i) => sandbox.run(`echo ${i}`)));
  assert.deepEqual(many.map((it) => it.stdout), [...Array(8).keys()].map((i) => `${i}\n`));
});

test('what cannot run is an error of the SDK', async (t) => {
  const sandbox = await host.create(t);
  const refused = (name, type) => (error) => error.name === name && (type === undefined || error.errorType === type);
  await assert.rejects(sandbox.run('sleep 600', { timeout: 1 }), { name: 'LangSmithCommandTimeoutError' });
  await assert.rejects(sandbox.run('true', { cwd: '/missing' }), refused('LangSmithSandboxOperationError', 'CommandError'));
  await assert.rejects(sandbox.run('true', { cwd: '/missing' }), /cwd '\/missing' does not exist/);
  await assert.rejects(sandbox.run('true', { runConfig: { user: 'who' } }), /user 'who' does not exist/);
  await assert.rejects(sandbox.run('true', { shell: '/bin/none' }), /\/bin\/none/);
  await assert.rejects(sandbox.reconnect('0199-unknown').then((it) => it.result), refused('LangSmithSandboxOperationError', 'CommandNotFound'));
  const brief = await sandbox.run('true', { wait: false, ttlSeconds: 0 });
  await brief.result;
  await assert.rejects((await brief.reconnect()).result, refused('LangSmithSandboxOperationError', 'SessionExpired'));
  assert.equal((await sandbox.run('echo fine')).stdout, 'fine\n');
});

test('output streams to callbacks and iterators', async (t) => {
  const sandbox = await host.create(t);
  const heard = { out: '', err: '' };
  const result = await sandbox.run('for i in 1 2 3; do echo $i; sleep 0.05; done; echo bad >&2', {
    onStdout: (text) => (heard.out += text),
    onStderr: (text) => (heard.err += text),
  });
  assert.deepEqual(heard, { out: '1\n2\n3\n', err: 'bad\n' });
  assert.equal(result.stdout, heard.out);

  const handle = await sandbox.run('echo a; sleep 0.1; echo b; exit 4', { wait: false });
  assert.ok(handle.pid > 1);
  assert.match(handle.commandId, /^[0-9a-f-]{36}$/);
  let text = '';
  for await (const chunk of handle) {
    assert.equal(chunk.stream, 'stdout');
    assert.equal(chunk.offset, text.length);
    text += chunk.data;
  }
  assert.equal(text, 'a\nb\n');
  assert.equal((await handle.result).exit_code, 4);
  assert.equal(handle.lastStdoutOffset, 4);
});

test('input, its end, and a kill', async (t) => {
  const sandbox = await host.create(t);
  const handle = await sandbox.run('read line; echo "got $line"; cat', { wait: false, closeInput: false });
  handle.sendInput('it\n');
  handle.sendInput('zwölf €');
  handle.closeInput();
  assert.deepEqual(await handle.result, { stdout: 'got it\nzwölf €', stderr: '', exit_code: 0 });

  const sleeper = await sandbox.run('sleep 600 & sleep 600', { wait: false });
  sleeper.kill();
  assert.equal((await sleeper.result).exit_code, 137);
  const left = await sandbox.run('pgrep -x sleep || true');
  assert.equal(left.stdout, '', 'the whole group is gone');

  const terminal = await sandbox.run('', { wait: false, pty: true });
  terminal.sendInput('stty size; echo $((6*7)); exit 5\n');
  const shell = await terminal.result;
  assert.equal(shell.exit_code, 5);
  assert.match(shell.stdout, /24 80\r\n/);
  assert.match(shell.stdout, /42\r\n/);
});

test('a kill is heard although the client is gone', async (t) => {
  const sandbox = await host.create(t);
  const socket = openSocket(sandbox, { type: 'execute', command: 'sleep 600', command_id: 'gone', timeout_seconds: 0 });
  await until(() => socket.frames.length > 0);
  socket.send(JSON.stringify({ type: 'kill' }));
  socket.close();
  await socket.closed;
  assert.equal((await (await sandbox.reconnect('gone')).result).exit_code, 137);
});

test('20 MB of output arrive intact', async (t) => {
  const sandbox = await host.create(t);
  const { stdout } = await sandbox.run("seq 1 1900000 | sed 's/$/ €/'", { timeout: 120 });
  assert.ok(Buffer.byteLength(stdout) > 20e6);
  const lines = stdout.split('\n');
  assert.equal(lines.length, 1900001);
  assert.equal(lines.findIndex((line, i) => line !== `${i + 1} €`), 1900000);
});

test('characters are never split and what is no text is replaced', async (t) => {
  const sandbox = await host.create(t);
  const split = await sandbox.run("printf 'a\\342\\202'; sleep 0.2; printf '\\254b'", { wait: false });
  const chunks = [];
  for await (const chunk of split) chunks.push(chunk.data);
  assert.equal(chunks.join(''), 'a€b');
  assert.equal(chunks.some((it) => it.includes('\ufffd')), false);
  assert.equal((await sandbox.run("printf 'x\\377y\\342\\202'")).stdout, 'x\ufffdy\ufffd\ufffd');
});

test('a command survives its client, and the same id is the same process', async (t) => {
  const sandbox = await host.create(t);
  const options = { wait: false, commandId: 'survivor', closeInput: false, timeout: 0 };
  const first = await sandbox.run('echo one; read line; echo $line', options);
  for await (const chunk of first) if (chunk.data.includes('one')) break; // which closes the socket
  const again = await sandbox.run('echo one; read line; echo $line', options);
  assert.equal(again.pid, first.pid);
  const late = await sandbox.reconnect('survivor', { stdoutOffset: 4 });
  again.sendInput('two\n');
  assert.equal((await again.result).stdout, 'one\ntwo\n');
  assert.equal((await late.result).stdout, 'two\n');
  assert.equal((await (await first.reconnect()).result).stdout, 'two\n');

  const tied = await sandbox.run('sleep 600', { wait: false, commandId: 'tied', killOnDisconnect: true, timeout: 0 });
  assert.ok(tied.pid > 1);
  tied._control._ws.terminate();
  assert.equal((await (await sandbox.reconnect('tied')).result).exit_code, 137);
});

test('two clients hear the same', async (t) => {
  const sandbox = await host.create(t);
  const one = await sandbox.run('read line; for i in 1 2 3; do echo $line $i; done', { wait: false, closeInput: false });
  const two = await sandbox.reconnect(one.commandId);
  one.sendInput('go\n');
  const results = await Promise.all([one.result, two.result]);
  for (const it of results) assert.equal(it.stdout, 'go 1\ngo 2\ngo 3\n');
});

test('frames that make no sense are answered and hurt nobody', async (t) => {
  const sandbox = await host.create(t);
  for (const first of ['no json', '[]', { type: 'kill' }, { type: 'execute' }, { type: 'execute', command: 'ls', env: {}, run_config: {} },
    { type: 'execute', command: 'ls', timeout_seconds: 'x' }, { type: 'execute', command: 'ls', command_id: 'a b' }]) {
    const socket = openSocket(sandbox, first);
    assert.equal(await socket.closed, 1000);
    assert.equal(socket.frames.length, 1);
    assert.equal(socket.frames[0].error_type, 'CommandError', JSON.stringify(first));
  }
  const socket = openSocket(sandbox, { type: 'execute', command: 'read line; echo $line', pty: true }, 'no json', { type: 'shout' },
    { type: 'resize', cols: 100, rows: 50 }, { type: 'ssh_agent_close', channel_id: '1' }, { type: 'input', data: 'fine\n' });
  assert.equal(await socket.closed, 1000);
  assert.deepEqual(socket.frames[0].type, 'started');
  assert.equal(socket.frames.filter((it) => it.type === 'error').length, 2);
  assert.deepEqual(socket.frames.at(-1), { type: 'exit', exit_code: 0 });
});

test('POST /execute, which the SDK takes where there are no WebSockets', async (t) => {
  const sandbox = await host.create(t);
  sandbox._wsAvailable = async () => false;
  assert.deepEqual(await sandbox.run('echo $X; pwd; echo e >&2; exit 2', { env: { X: '1' }, cwd: '/var' }), { stdout: '1\n/var\n', stderr: 'e\n', exit_code: 2 });
  assert.equal((await sandbox.run('id -un', { runConfig: { user: 'root' } })).stdout, 'root\n');
  await assert.rejects(sandbox.run('true', { cwd: '/missing' }), { name: 'LangSmithSandboxOperationError' });
  await assert.rejects(sandbox.run('sleep 600', { timeout: 1 }), /longer than its timeout of 1 s/);
  const raw = (body) => host.server.call('POST', new URL(`${sandbox.dataplane_url}/execute`).pathname, { json: body, headers: { 'X-Api-Key': host.server.key, 'Content-Type': 'application/json' } });
  assert.deepEqual((await raw({ command: ['printf', '%s', '$HOME'], timeout_seconds: 5 })).body, { stdout: '$HOME', stderr: '', exit_code: 0 });
  const both = await raw({ command: 'ls', run_config: {}, cwd: '/' });
  assert.equal(both.status, 400);
  assert.equal(both.body.detail.error, 'CommandError');
  assert.equal((await raw({ command: 'sleep 600', timeout: 1 })).status, 408);
});

test('a client that hangs up during a plain POST takes its command along', async (t) => {
  const sandbox = await host.create(t);
  const request = fetch(`${sandbox.dataplane_url}/execute`, {
    method: 'POST',
    headers: { 'X-Api-Key': host.server.key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ command: 'exec sleep 654', timeout: 0 }),
    signal: AbortSignal.timeout(1500),
  });
  await assert.rejects(request);
  await until(async () => (await sandbox.run('pgrep -fx "sleep 654" || true')).stdout === '', 'the command ends');
});

test('commands outlive the server, and clients find them again', async (t) => {
  const server = await Server.start({ boxes: 'keep' });
  t.after(() => server.stop());
  let client = clientOf(server);
  const made = await client.createSandbox();
  const handle = await made.run('i=0; while [ $i -lt 40 ]; do echo line $i; i=$((i+1)); sleep 0.1; done', { wait: false, commandId: 'long', timeout: 0 });
  for await (const chunk of handle) if (chunk.data.includes('line 3')) break;
  await server.crashAndRestart();
  client = clientOf(server);
  const sandbox = await client.getSandbox(made.name);
  t.after(() => sandbox.delete().catch(() => {}));
  const again = await sandbox.reconnect('long');
  const result = await again.result;
  assert.equal(result.stdout, [...Array(40).keys()].map((i) => `line ${i}\n`).join(''));
  assert.equal(result.exit_code, 0);
  await sandbox.delete();
});
