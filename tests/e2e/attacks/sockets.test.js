// What waits in sockets is a box's own memory, or is taken from it: it does not fill the machine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attempt, python } from '../support/attack.js';
import { until, withBoxes } from '../support/e2b.js';

const host = withBoxes();
const MiB = 2 ** 20;
const memory = 512 * MiB;  // of a box of the base template
// Counted beside memory on cgroup v1, within it on v2; the rest is what is sent before the kernel refuses.
const bound = memory + 64 * MiB;

/** A neighbour sends itself 32 MiB, as a download would, and reads all of it. */
const transfer = `
import json, socket, threading
listener = socket.create_server(('127.0.0.1', 0))
def serve():
    connection, _ = listener.accept()
    connection.sendall(b'x' * (32 << 20))
    connection.close()
threading.Thread(target=serve).start()
client, got = socket.create_connection(listener.getsockname()), 0
while part := client.recv(1 << 16): got += len(part)
print(json.dumps(got))`;

/** Runs the attack in the background of one box until it says what it holds; its neighbour then transfers data. */
async function holds(t, program) {
  const [attacker, neighbour] = [await host.create(t), await host.create(t)];
  await attacker.files.write('/tmp/attack.py', `import json, time\n${program}\nopen('/tmp/held', 'w').write(json.dumps(held))\ntime.sleep(3600)`, { user: 'root' });
  const command = await attacker.commands.run('python3 /tmp/attack.py', { user: 'root', background: true, timeoutMs: 0 });
  const ended = command.wait().then(() => true, () => true);  // v2 may end it, as for any other memory
  const held = await until(async () => {
    const text = (await attempt(attacker, 'cat /tmp/held 2>/dev/null').catch(() => ({ stdout: '' }))).stdout;
    if (text) return { bytes: JSON.parse(text) };
    return (await Promise.race([ended, new Promise((done) => setTimeout(done, 20, false))])) && { bytes: 0 };
  }, 'the attack');
  assert.equal(await python(neighbour, transfer), 32 * MiB);
  return held.bytes;
}

test('TCP connections that nobody reads', async (t) => {
  const held = await holds(t, `
import socket
listener, keep, held = socket.create_server(('127.0.0.1', 0), backlog=128), [], 0
for i in range(1500):
    client = socket.create_connection(listener.getsockname())
    keep += [client, listener.accept()]
    client.setblocking(False)
    try:
        while True: held += client.send(b'x' * 65536)
    except OSError: pass`);
  assert.ok(held < bound, `${held / MiB} MiB`);
});

test('datagrams that nobody reads', async (t) => {
  const held = await holds(t, `
import socket
sender, keep, held = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), [], 0
for i in range(1500):
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    receiver.bind(('127.0.0.1', 0))
    for j in range(16): sender.sendto(b'x' * 60000, receiver.getsockname())
    keep.append(receiver)
for receiver in keep:
    receiver.setblocking(False)
    try:
        while True: held += len(receiver.recv(65536, socket.MSG_PEEK)); break
    except OSError: pass
held = sum(int(line.split()[4].split(':')[1], 16) for line in open('/proc/net/udp').readlines()[1:])`);
  assert.ok(held < bound, `${held / MiB} MiB`);
});

test('connections that nobody accepts are dropped when they hold too much', async (t) => {
  const attacker = await host.create(t);
  await attacker.files.write('/tmp/attack.py', `
import socket, time
listeners = [socket.create_server(('127.0.0.1', 0), backlog=1024) for i in range(8)]
for i in range(900):
    for listener in listeners:
        client = socket.create_connection(listener.getsockname())
        client.setblocking(False)
        try:
            while True: client.send(b'x' * 65536)
        except OSError: pass
        client.close()
open('/tmp/sent', 'w').write('all')
time.sleep(3600)`, { user: 'root' });
  await attacker.commands.run('python3 /tmp/attack.py', { user: 'root', background: true, timeoutMs: 0 });
  const waiting = `python3 -c "print(sum(int(l.split()[4].split(':')[1], 16) for l in open('/proc/net/tcp').readlines()[1:] if l.split()[9] == '0'))"`;
  await until(async () => (await attempt(attacker, 'cat /tmp/sent 2>/dev/null')).stdout === 'all', 'the attack');
  await until(async () => Number((await attempt(attacker, waiting)).stdout) <= memory / 8, 'what waits to become little');
});

test('a box that fills the machine through netlink ends', async (t) => {
  const [attacker, neighbour] = [await host.create(t), await host.create(t)];
  await attacker.files.write('/tmp/attack.py', `
import socket, struct, time
question = struct.pack('=IHHIIBBHiII', 32, 18, 1, 1, 0, 0, 0, 0, 1, 0, 0)  # RTM_GETLINK of lo
keep = []
while len(keep) < 400:
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    s.setblocking(False)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    keep.append(s)
    try:
        for i in range(20000): s.send(question)
    except OSError: pass
time.sleep(3600)`, { user: 'root' });
  attacker.commands.run('python3 /tmp/attack.py', { user: 'root', timeoutMs: 0 }).catch(() => {});
  await until(async () => !(await attacker.isRunning().catch(() => false)), 'the end of the box');
  assert.match(host.server.log, /box\.killed.*netlink/);
  assert.equal(await python(neighbour, transfer), 32 * MiB);
});
