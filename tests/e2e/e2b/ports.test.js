// Traffic to the ports of a sandbox: what listens there is reached as if it stood here.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';
import { atEnd, rejection, sdkOf, until, withBoxes } from '../support/e2b.js';
import { socketMirror } from '../support/guests.js';
import { Server } from '../support/server.js';

const host = withBoxes();

// Tells what it was asked, byte for byte; /events counts to three, waiting for /next in between.
const echo = String.raw`
import hashlib, http.server, json, ssl, sys, threading
step = threading.Semaphore(0)
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def log_message(self, *args): pass
    def body(self):
        if self.headers.get('Transfer-Encoding', '') == 'chunked':
            parts = []
            while (size := int(self.rfile.readline(), 16)) > 0:
                parts.append(self.rfile.read(size)); self.rfile.readline()
            self.rfile.readline()
            return b''.join(parts)
        return self.rfile.read(int(self.headers.get('Content-Length', 0)))
    def do(self):
        if self.path == '/events': return self.events()
        if self.path == '/next': step.release()
        data = self.body()
        answer = json.dumps({'method': self.command, 'path': self.path, 'headers': {k.lower(): v for k, v in self.headers.items()},
                             'size': len(data), 'sha256': hashlib.sha256(data).hexdigest()}).encode()
        self.send_response(418 if self.path == '/teapot' else 200)
        self.send_header('Content-Type', 'application/json'); self.send_header('X-From', 'box')
        self.send_header('Content-Length', str(len(answer))); self.end_headers()
        if self.command != 'HEAD': self.wfile.write(answer)
    def events(self):
        self.send_response(200); self.send_header('Content-Type', 'text/event-stream'); self.send_header('Transfer-Encoding', 'chunked'); self.end_headers()
        for i in range(3):
            self.wfile.write(f'9\r\ndata: {i}\n\n\r\n'.encode()); self.wfile.flush(); step.acquire()
        self.wfile.write(b'0\r\n\r\n')
    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = do
server = http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Handler)
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); context.load_cert_chain(sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True)
print('listening', flush=True)
server.serve_forever()
`;

/** Runs a Python program in the sandbox until it listens. */
async function serve(sandbox, program, ...args) {
  await sandbox.files.write('/tmp/serve.py', program);
  let output = '';
  await sandbox.commands.run(`python3 /tmp/serve.py ${args.join(' ')}`, {
    background: true, timeoutMs: 0, onStdout: (data) => void (output += data), onStderr: (data) => void (output += data),
  });
  await until(() => output !== '', 'the server in the sandbox');
  assert.equal(output, 'listening\n');
}

test('requests of every kind reach a server in the sandbox unchanged', async (t) => {
  const sandbox = await host.create(t);
  await serve(sandbox, echo, '0.0.0.0', 8000);
  const body = randomBytes(3_000_000);
  const response = await host.fetchPort(sandbox, 8000, '/a%20b/c?d=%C3%A9&e', { method: 'PUT', body, headers: { 'X-Custom': 'kept', 'Content-Type': 'x/y' } });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('x-from'), 'box');
  const seen = await response.json();
  assert.equal(seen.method, 'PUT');
  assert.equal(seen.path, '/a%20b/c?d=%C3%A9&e');
  assert.equal(seen.headers['x-custom'], 'kept');
  assert.equal(seen.size, body.length);
  assert.equal(seen.sha256, createHash('sha256').update(body).digest('hex'));
  for (const method of ['GET', 'POST', 'DELETE', 'PATCH', 'OPTIONS']) {
    assert.equal((await (await host.fetchPort(sandbox, 8000, '/', { method })).json()).method, method);
  }
  const head = await host.fetchPort(sandbox, 8000, '/', { method: 'HEAD' });
  assert.equal(head.status, 200);
  assert.ok(Number(head.headers.get('content-length')) > 0);
  assert.equal((await host.fetchPort(sandbox, 8000, '/teapot')).status, 418);
  const stream = new ReadableStream({ start: (controller) => (controller.enqueue(body.subarray(0, 9)), controller.enqueue(body.subarray(9)), controller.close()) });
  const chunked = await (await host.fetchPort(sandbox, 8000, '/', { method: 'POST', body: stream, duplex: 'half' })).json();
  assert.equal(chunked.sha256, seen.sha256);
});

test('a server that listens on loopback only is reached too', async (t) => {
  const sandbox = await host.create(t);
  await serve(sandbox, echo, '127.0.0.1', 8080);
  assert.equal((await host.fetchPort(sandbox, 8080)).status, 200);
});

test('the paths of the server itself belong to the sandbox when it is named', async (t) => {
  const sandbox = await host.create(t);
  await serve(sandbox, echo, '0.0.0.0', 8000);
  for (const path of ['/', '/healthz', '/metrics', '/sandboxes', '/v2/sandboxes', '/files', '/mcp/slack/']) {
    assert.equal((await (await host.fetchPort(sandbox, 8000, path)).json()).path, path);
  }
});

test('where the server has a domain, a port has a name in it', async (t) => {
  const own = await Server.start({ boxes: true, args: ['--domain', 'box.test:7443'] });
  atEnd(t, () => own.stop());
  const sandbox = await sdkOf(own).Sandbox.create();
  await serve(sandbox, echo, '0.0.0.0', 8000);
  assert.equal(sandbox.getHost(8000), `8000-${sandbox.sandboxId}.box.test:7443`);
  const get = (name) =>
    new Promise((done, fail) => {
      const asked = request(`${own.url}/by/name`, { headers: { Host: name } }, (response) => {
        let text = '';
        response.on('data', (data) => (text += data)).on('end', () => done({ status: response.statusCode, text }));
      });
      asked.on('error', fail).end();
    });
  const found = await get(sandbox.getHost(8000));
  assert.equal(found.status, 200);
  assert.equal(JSON.parse(found.text).path, '/by/name');
  assert.equal((await get(`8001-${sandbox.sandboxId}.box.test:7443`)).status, 502);
  assert.equal((await get('8000-i00000000000000000000.box.test:7443')).status, 502);
});

test('many requests at once are answered each with its own', async (t) => {
  const sandbox = await host.create(t);
  await serve(sandbox, echo, '0.0.0.0', 8000);
  const paths = Array.from({ length: 100 }, (_, i) => `/number/${i}`);
  const answers = await Promise.all(paths.map(async (path) => (await (await host.fetchPort(sandbox, 8000, path)).json()).path));
  assert.deepEqual(answers, paths);
});

test('a port nobody listens on is a bad gateway', async (t) => {
  const sandbox = await host.create(t);
  const response = await host.fetchPort(sandbox, 9);
  assert.equal(response.status, 502);
  const { code, message } = await response.json();
  assert.equal(code, 502);
  assert.ok(message);
  assert.equal((await host.fetchPort({ sandboxId: 'i00000000000000000000' }, 8000)).status, 502);
  for (const port of ['0', '65536', '-1', 'x', '']) {
    const bad = await host.fetchPort(sandbox, port);
    assert.ok(bad.status >= 400 && bad.status < 600 && bad.status !== 500, `port ${port}: ${bad.status}`);
    await bad.arrayBuffer();
  }
});

test('events arrive one by one', async (t) => {
  const sandbox = await host.create(t);
  await serve(sandbox, echo, '0.0.0.0', 8000);
  const response = await host.fetchPort(sandbox, 8000, '/events');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let i = 0; i < 3; i++) {
    while (!text.includes(`data: ${i}\n\n`)) {
      const { done, value } = await reader.read();
      assert.equal(done, false);
      text += value;
    }
    assert.ok(!text.includes(`data: ${i + 1}`), 'the next one waits');
    await (await host.fetchPort(sandbox, 8000, '/next')).arrayBuffer();
  }
  while (!(await reader.read()).done);
});

test('a WebSocket carries text and bytes both ways', async (t) => {
  const sandbox = await host.create(t);
  await serve(sandbox, socketMirror, '0.0.0.0', 9000);
  const socket = new WebSocket(host.server.url.replace('http', 'ws') + '/chat', {
    headers: { 'E2b-Sandbox-Id': sandbox.sandboxId, 'E2b-Sandbox-Port': '9000' }, perMessageDeflate: false,
  });
  await new Promise((done, fail) => socket.once('open', done).once('error', fail));
  const say = (data) => new Promise((done) => (socket.once('message', (reply, binary) => done(binary ? reply : String(reply))), socket.send(data)));
  assert.equal(await say('grüße'), 'grüße');
  const large = randomBytes(100_000);
  assert.deepEqual(await say(large), large);
  assert.equal(await say('x'.repeat(1000)), 'x'.repeat(1000));
  const closed = new Promise((done) => socket.once('close', done));
  socket.close(1000);
  assert.equal(await closed, 1000);
});

test('a WebSocket ends with its sandbox', async (t) => {
  const sandbox = await host.create(t);
  await serve(sandbox, socketMirror, '0.0.0.0', 9000);
  const socket = new WebSocket(host.server.url.replace('http', 'ws'), {
    headers: { 'E2b-Sandbox-Id': sandbox.sandboxId, 'E2b-Sandbox-Port': '9000' },
  });
  await new Promise((done, fail) => socket.once('open', done).once('error', fail));
  socket.on('error', () => {});
  const closed = new Promise((done) => socket.once('close', done));
  await sandbox.kill();
  await closed;
});

test('the host that a server sees can be chosen', async (t) => {
  const sandbox = await host.create(t, { network: { maskRequestHost: 'inner.example:${PORT}' } });
  await serve(sandbox, echo, '0.0.0.0', 8000);
  assert.equal((await (await host.fetchPort(sandbox, 8000)).json()).headers.host, 'inner.example:8000');
  assert.equal((await sandbox.getInfo()).network?.maskRequestHost, 'inner.example:${PORT}');
  assert.equal((await sandbox.commands.run('echo commands go on')).exitCode, 0);
});

test('closed to the public, ports ask for the traffic token', async (t) => {
  const sandbox = await host.create(t, { network: { allowPublicTraffic: false } });
  assert.ok(sandbox.trafficAccessToken);
  await serve(sandbox, echo, '0.0.0.0', 8000);
  const status = async (token) => (await host.fetchPort(sandbox, 8000, '/', { headers: token ? { 'e2b-traffic-access-token': token } : {} })).status;
  assert.equal(await status(), 403);
  assert.equal(await status('wrong'), 403);
  const open = await host.create(t);
  assert.ok(!open.trafficAccessToken);
  assert.equal(await status(sandbox.trafficAccessToken), 200);
  const other = await host.create(t, { network: { allowPublicTraffic: false } });
  assert.equal(await status(other.trafficAccessToken), 403);
  assert.equal((await sandbox.commands.run('echo fine')).stdout, 'fine\n');
});

test('a key of ours goes no further than the server, and other credentials do', async (t) => {
  const sandbox = await host.create(t);
  await serve(sandbox, echo, '0.0.0.0', 8000);
  const seen = async (headers) => (await (await host.fetchPort(sandbox, 8000, '/', { headers })).json()).headers;
  const { key } = host.server;
  const basic = (pair) => `Basic ${Buffer.from(pair).toString('base64')}`;
  for (const Authorization of [`Bearer ${key}`, `bearer ${key}`, basic(`me:${key}`), basic(`${key}:`), key, `Token ${key}`]) {
    const got = await seen({ Authorization, 'X-API-Key': key });
    assert.deepEqual([got.authorization, got['x-api-key']], [undefined, undefined], Authorization);
  }
  const own = await seen({ Authorization: 'Bearer of-the-guest', 'X-API-Key': 'of-the-guest' });
  assert.deepEqual([own.authorization, own['x-api-key']], ['Bearer of-the-guest', 'of-the-guest']);
});

test('a port that speaks TLS itself is reached when it is named so', async (t) => {
  const sandbox = await host.create(t, { network: { httpsPorts: [8443] } });
  await sandbox.commands.run('openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout /tmp/k -out /tmp/c -days 2 -subj /CN=box 2>&1 && cat /tmp/k /tmp/c > /tmp/pem');
  await serve(sandbox, echo, '0.0.0.0', 8443, '/tmp/pem');
  const response = await host.fetchPort(sandbox, 8443, '/secure');
  assert.equal(response.status, 200);
  assert.equal((await response.json()).path, '/secure');
});

test('traffic wakes a paused sandbox where that was asked for, and else is a bad gateway', async (t) => {
  const waking = await host.create(t, { lifecycle: { onTimeout: 'pause', autoResume: true } });
  await serve(waking, echo, '0.0.0.0', 8000);
  await waking.pause();
  assert.equal((await host.fetchPort(waking, 8000, '/wake')).status, 200);
  const sleeping = await host.create(t);
  await serve(sleeping, echo, '0.0.0.0', 8000);
  await sleeping.pause();
  assert.equal((await host.fetchPort(sleeping, 8000)).status, 502);
  await sleeping.connect();
  assert.equal((await host.fetchPort(sleeping, 8000)).status, 200);
});

test('an answer under way is cut off, not ended, when its sandbox is killed', async (t) => {
  const sandbox = await host.create(t);
  await serve(sandbox, echo, '0.0.0.0', 8000);
  const response = await host.fetchPort(sandbox, 8000, '/events');
  const reading = response.text();
  reading.catch(() => {});
  await sleep(100);
  await sandbox.kill();
  await rejection(reading);
  assert.equal((await host.fetchPort(sandbox, 8000)).status, 502);
});
