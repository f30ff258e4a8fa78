// What a box must never reach: the host itself, private ranges, metadata; nor by a name that leads there.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { python } from '../support/attack.js';
import { withBoxes } from '../support/e2b.js';

// A resolver that lies: every name of ours leads into the house.
const answers = { 'loop.test': [127, 0, 0, 1], 'meta.test': [169, 254, 169, 254], 'lan.test': [10, 0, 0, 1], 'out.test': [93, 184, 216, 34] };
const resolver = dgram.createSocket('udp4');
let asked = [];
resolver.on('message', (message, from) => {
  const labels = [];
  let at = 12;
  for (; message[at]; at += message[at] + 1) labels.push(message.subarray(at + 1, at + 1 + message[at]).toString());
  const name = labels.join('.').toLowerCase();
  asked.push(name);
  const question = message.subarray(12, at + 5);
  const address = message.readUInt16BE(at + 1) === 1 ? answers[name] : undefined;
  const head = Buffer.from([message[0], message[1], 0x81, address || message.readUInt16BE(at + 1) !== 1 ? 0x80 : 0x83, 0, 1, 0, address ? 1 : 0, 0, 0, 0, 0]);
  const record = address ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address]) : Buffer.alloc(0);
  resolver.send(Buffer.concat([head, question, record]), from.port, from.address);
});
await new Promise((done) => resolver.bind(0, '127.0.0.1', done));

const visits = [];
const service = http.createServer((request, response) => {
  visits.push(request.url);
  response.end('secret');
});
before(() => new Promise((done) => service.listen(0, '0.0.0.0', done)));
after(() => {
  service.close();
  resolver.close();
});

const host = withBoxes({ args: ['--resolver', `127.0.0.1:${resolver.address().port}`] });

const connector = (targets) => `
import json, socket
def reach(host, port):
    try:
        s = socket.create_connection((host, port), 3)
        s.sendall(b'GET / HTTP/1.0\\r\\n\\r\\n')
        return s.recv(100).decode('latin1')[:20] or 'closed'
    except OSError as e:
        return 'refused'
print(json.dumps({h: reach(h, p) for h, p in ${JSON.stringify(targets)}}))`;

test('the host, its networks and its metadata service are out of reach', async (t) => {
  const box = await host.create(t);
  const port = service.address().port;
  const targets = [['127.0.0.1', port], ['localhost', port], ['::1', port], ['0.0.0.0', port], ['10.255.0.1', port], ['10.0.0.1', port], ['172.16.0.1', port],
    ['192.168.0.1', port], ['169.254.169.254', 80], ['100.64.0.1', port], ['::ffff:127.0.0.1', port], ['fd00::1', port], ['fe80::1', port], ['127.1.2.3', port]];
  const reached = await python(box, connector(targets));
  for (const [target, answer] of Object.entries(reached)) assert.ok(['refused', 'closed'].includes(answer), `${target}: ${answer}`);
  assert.deepEqual(visits, []);
});

test('a name that leads into the house leads nowhere', async (t) => {
  const box = await host.create(t);
  asked = [];
  const port = service.address().port;
  const reached = await python(box, connector([['loop.test', port], ['meta.test', 80], ['lan.test', port]]));
  for (const [target, answer] of Object.entries(reached)) assert.ok(['refused', 'closed'].includes(answer), `${target}: ${answer}`);
  assert.ok(asked.includes('loop.test'), 'the name was asked for, and its answer not believed');
  assert.deepEqual(visits, []);
});

test('nothing but TCP and questions for names leaves a box', async (t) => {
  const box = await host.create(t);
  const udp = dgram.createSocket('udp4');
  const got = [];
  udp.on('message', (m) => got.push(m.toString()));
  await new Promise((done) => udp.bind(0, '0.0.0.0', done));
  await python(box, `
import json, socket
for target in ('127.0.0.1', '10.255.0.1', '8.8.8.8', '255.255.255.255'):
    try:
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'out', (target, ${udp.address().port}))
    except OSError: pass
print(json.dumps(True))`);
  udp.close();
  assert.deepEqual(got, []);
});

test('an offline box resolves and reaches nothing', async (t) => {
  const box = await host.create(t, { allowInternetAccess: false });
  asked = [];
  const reached = await python(box, connector([['out.test', 80], ['93.184.216.34', 80]]));
  assert.deepEqual(Object.values(reached).filter((it) => !['refused', 'closed'].includes(it)), []);
});

test('the box cannot change its network', async (t) => {
  const box = await host.create(t);
  const result = await python(box, `
import json, subprocess
print(json.dumps([subprocess.run(c, shell=True, capture_output=True).returncode for c in
  ('ip link set lo down', 'ip addr add 1.2.3.4/32 dev lo', 'ip route del default', 'nft flush ruleset', 'iptables -F', 'ip link add d type dummy')]))`);
  assert.ok(result.every((code) => code !== 0), JSON.stringify(result));
});
