// Floods through WebSockets, to the server and through it to a box and back: whoever floods is slowed down or cut off,
// and the server's memory does not grow with what is sent.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { test } from 'node:test';
import { withSandboxes } from '../support/langsmith.js';

const MiB = 1 << 20;
const host = withSandboxes();
const memory = () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${host.server.process.pid}/status`, 'utf8'))[1]) * 1024;

/** A connection that asked for an upgrade: {socket, status, closed}; nothing of it is read after the head. */
const upgrade = (path, headers = {}) =>
  new Promise((done, fail) => {
    const [address, port] = host.server.address.split(':');
    const socket = connect({ host: address, port: Number(port) });
    const closed = new Promise((over) => socket.once('close', over));
    const lines = { Host: host.server.address, Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': 13, 'Sec-WebSocket-Key': randomBytes(16).toString('base64'), ...headers };
    socket.on('error', () => {});
    let said = '';
    const read = (data) => {
      said += data;
      if (!said.includes('\r\n\r\n')) return;
      socket.off('data', read);
      socket.pause();
      done({ socket, closed, status: Number(said.split(' ')[1]) });
    };
    socket.on('data', read);
    closed.then(() => fail(new Error(`closed before an answer: ${said}`)));
    socket.write(`GET ${path} HTTP/1.1\r\n${Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
  });

/** A frame of a client; `length` may say anything. */
function frame(opcode, data, { fin = true, length = data.length } = {}) {
  const head = Buffer.alloc(length < 126 ? 6 : 14);
  head[0] = (fin ? 0x80 : 0) | opcode;
  head[1] = 0x80 | (length < 126 ? length : 127);
  if (length >= 126) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, data]);
}

/** Sends the same bytes so often, as fast as they are taken, until they are gone or the connection is. */
const flood = ({ socket, closed }, bytes, times) =>
  Promise.race([
    closed,
    (async () => {
      for (let i = 0; i < times && !socket.destroyed; i++) {
        if (!socket.write(bytes)) await Promise.race([closed, new Promise((done) => socket.once('drain', done))]);
      }
    })(),
  ]);

/** Does the attack while another sandbox works, and tells how much memory the server took for it. */
async function beside(t, attack) {
  const neighbour = await host.create(t);
  const calm = memory();
  let most = calm;
  let over = false;
  const work = (async () => {
    for (let i = 0; !over || i < 5; i++) {
      assert.equal((await neighbour.run(`echo ${i}`)).stdout, `${i}\n`);
      most = Math.max(most, memory());
    }
  })();
  try {
    await attack();
  } finally {
    over = true;
  }
  await work;
  return most - calm;
}

const key = () => ({ 'X-Api-Key': host.server.key });
const pathOf = (sandbox, rest) => new URL(sandbox.dataplane_url).pathname + rest;

test('upgrades without a key are refused, however many', async (t) => {
  const sandbox = await host.create(t);
  const grown = await beside(t, async () => {
    for (let round = 0; round < 5; round++) {
      const all = await Promise.all(Array.from({ length: 200 }, () => upgrade(pathOf(sandbox, '/execute/ws'))));
      for (const { socket, status } of all) {
        assert.equal(status, 401);
        socket.destroy();
      }
    }
  });
  assert.ok(grown < 100 * MiB, `${grown / MiB} MiB`);
});

test('frames without sense, without end or without number end their own connection at most', async (t) => {
  const sandbox = await host.create(t);
  const floods = [
    [frame(9, Buffer.alloc(125)), 40_000],                              // pings
    [frame(1, Buffer.alloc(0)), 40_000],                                // empty messages
    [frame(1, Buffer.from('{}'), { fin: false }), 1],                   // the first of a message without end, then
    [frame(0, Buffer.alloc(64 * 1024), { fin: false }), 1000],          // its pieces
    [frame(2, Buffer.alloc(64 * 1024), { length: 2 ** 52 }), 1000],     // one that says it is endless
    [Buffer.alloc(64 * 1024, 0xff), 200],                               // no frames at all
    [frame(1, Buffer.from('['.repeat(100_000))), 200],                  // no JSON
  ];
  const grown = await beside(t, async () => {
    const attacks = floods.map(async ([bytes, times], i) => {
      const connection = await upgrade(pathOf(sandbox, '/execute/ws'), key());
      assert.equal(connection.status, 101);
      connection.socket.resume();
      if (i === 3) connection.socket.write(floods[2][0]);
      await flood(connection, bytes, times);
      connection.socket.destroy();
    });
    await Promise.all(attacks);
  });
  assert.ok(grown < 150 * MiB, `${grown / MiB} MiB`);
  assert.equal((await sandbox.run('echo alive')).stdout, 'alive\n');
});

test('a box that floods a client which does not read is slowed down', async (t) => {
  const sandbox = await host.create(t);
  await sandbox.write('/tmp/flood.py', String.raw`
import socketserver
class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        while self.rfile.readline().strip(): pass
        self.wfile.write(b'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n')
        piece, sent = b'\x82\x7f' + (65536).to_bytes(8, 'big') + bytes(65536), 0
        try:
            while sent < 1 << 30:
                self.wfile.write(piece); sent += len(piece)
        except OSError: pass
socketserver.ThreadingTCPServer.daemon_threads = True
server = socketserver.ThreadingTCPServer(('0.0.0.0', 9000), Handler)
print('listening', flush=True)
server.serve_forever()
`);
  await sandbox.run('setsid nohup python3 /tmp/flood.py > /tmp/log 2>&1 < /dev/null & until grep -q listening /tmp/log; do sleep 0.05; done');
  const { body } = await host.call('POST', `/boxes/${sandbox.name}/service-url`, { port: 9000 });
  const path = new URL(body.service_url).pathname;
  const held = [];
  const grown = await beside(t, async () => {
    for (let i = 0; i < 20; i++) {
      const connection = await upgrade(path, { 'X-Langsmith-Sandbox-Service-Token': body.token });
      assert.equal(connection.status, 101);
      held.push(connection);
    }
    for (let i = 0; i < 5; i++) assert.equal((await sandbox.run('echo here')).stdout, 'here\n');
  });
  for (const { socket } of held) socket.destroy();
  assert.ok(grown < 150 * MiB, `${grown / MiB} MiB`);
});
