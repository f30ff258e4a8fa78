// Resolvers that lie and names that change where they lead, against boxes whose rules add a key and against callbacks:
// the key goes to its origin or nowhere, and nothing arrives in the house.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { withBoxes } from '../support/e2b.js';
import { curl, injecting } from '../support/egress.js';
import { clientOf } from '../support/langsmith.js';
import { outside } from '../support/resolver.js';

const skip = outside ? false : 'this machine has no IPv4 address but loopback';
const key = 'Bearer k3y-that-resolvers-want';
const house = ['127.0.0.1', '169.254.169.254', '10.0.0.1', '192.168.0.1', '0.0.0.0', '100.64.0.1'];

/** Parts of a reply: addresses of either family, in one packet that `forge` may change. */
const record = (kind, data) => Buffer.concat([Buffer.from([0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 0, 0, data.length]), data]);
const v4 = (text) => record(1, Buffer.from(text.split('.').map(Number)));
const mapped = (text) => record(28, Buffer.from([...Array(10).fill(0), 255, 255, ...text.split('.').map(Number)]));

function reply(message, records, flags = 0x8180) {
  let at = 12;
  while (message[at]) at += message[at] + 1;
  const head = Buffer.alloc(12);
  message.copy(head, 0, 0, 2);
  head.writeUInt16BE(flags, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  return Buffer.concat([head, message.subarray(12, at + 5), ...records]);
}

let turn = 0;
/** What each name is answered: packets, in their order. */
const lies = {
  'turns.test': (m, is4) => [reply(m, is4 ? [v4(turn++ % 2 ? house[turn % house.length] : outside)] : [])],
  'many.test': (m, is4) => [reply(m, is4 ? [...house.map(v4), v4(outside), ...house.map(v4)] : house.map(mapped))],
  'inward.test': (m, is4) => [reply(m, is4 ? house.map(v4) : house.map(mapped))],
  // Others answer first, with an id or a question that nobody asked.
  'forged.test': (m, is4) => {
    const honest = reply(m, is4 ? [v4(outside)] : []);
    const otherId = Buffer.from(reply(m, is4 ? [v4('127.0.0.1')] : []));
    otherId[0] ^= 0xff;
    const otherName = Buffer.from(reply(m, is4 ? [v4('127.0.0.1')] : []));
    otherName[13] ^= 1;
    return [otherId, otherName, honest];
  },
  // A name that is a pointer to itself, a reply without end, one that is cut, one of nothing.
  'broken.test': (m) => [Buffer.concat([reply(m, []).subarray(0, 12), Buffer.from([0xc0, 12, 0, 1, 0, 1])]), Buffer.alloc(65_000, 0xc0), reply(m, [v4('127.0.0.1')]).subarray(0, 20), Buffer.alloc(0)],
  'plain.test': (m, is4) => [reply(m, is4 ? [v4(outside)] : [])],
};

const resolver = dgram.createSocket('udp4');
resolver.on('message', (message, from) => {
  const labels = [];
  let at = 12;
  for (; message[at]; at += message[at] + 1) labels.push(message.subarray(at + 1, at + 1 + message[at]).toString());
  const packets = lies[labels.join('.').toLowerCase()]?.(message, message.readUInt16BE(at + 1) === 1) ?? [reply(message, [], 0x8183)];
  for (const packet of packets) resolver.send(packet, from.port, from.address);
});
await new Promise((done) => resolver.bind(0, '127.0.0.1', done));

// The origin, and beside it what listens in the house at the same port.
const seen = { origin: [], house: [] };
const listen = (address, port, into) =>
  new Promise((done, fail) => {
    const server = http.createServer((request, response) => {
      into.push(request.headers.authorization);
      response.end('here');
    });
    server.once('error', fail).listen(port, address, () => done(server));
  });
const servers = [];
let port;
before(async () => {
  if (skip) return;
  servers.push(await listen(outside, 0, seen.origin));
  port = servers[0].address().port;
  servers.push(await listen('127.0.0.1', port, seen.house));
});
after(() => {
  for (const server of servers) server.close();
  resolver.close();
});

const host = withBoxes({ args: ['--resolver', `127.0.0.1:${resolver.address().port}`, '--open-private', `${outside}/32`] });
const create = (t, names) => host.create(t, { network: injecting(names, key) });

test('a name that leads elsewhere at every look-up takes the key nowhere else', { skip }, async (t) => {
  const box = await create(t, ['turns.test']);
  let reached = 0;
  for (let i = 0; i < 12; i++) reached += (await curl(box, `http://turns.test:${port}/`, '--max-time', '5')).status === 200;
  assert.ok(reached > 0, 'its own origin is reached now and then');
  assert.equal(seen.origin.length, reached);
  assert.ok(seen.origin.every((one) => one === key));
  assert.deepEqual(seen.house, []);
});

test('of many addresses only those outside are dialled', { skip }, async (t) => {
  const box = await create(t, ['many.test', 'inward.test']);
  assert.notEqual((await curl(box, `http://inward.test:${port}/`, '--max-time', '10')).status, 200);
  assert.equal((await curl(box, `http://many.test:${port}/`, '--max-time', '10')).status, 200);
  assert.deepEqual(seen.house, []);
});

test('a reply to another question, or with another id, is no reply', { skip }, async (t) => {
  const box = await create(t, ['forged.test']);
  const before = seen.origin.length;
  const { status } = await curl(box, `http://forged.test:${port}/`, '--max-time', '20');
  assert.deepEqual(seen.house, []);
  assert.equal(status, 200);
  assert.equal(seen.origin.length - before, 1);
});

test('replies that are broken harm nobody', { skip }, async (t) => {
  const box = await create(t, ['plain.test', 'broken.test']);
  const broken = curl(box, `http://broken.test:${port}/`, '--max-time', '10');
  assert.equal((await curl(box, `http://plain.test:${port}/`)).status, 200, 'another name is answered meanwhile');
  assert.notEqual((await broken).status, 200);
  assert.deepEqual(seen.house, []);
});

test('a callback is not asked at the metadata service, however its address is written', { skip }, async (t) => {
  const client = clientOf(host.server);
  const tried = [];
  const forms = ['169.254.169.254', '[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '[fd00:ec2::254]'];
  for (const form of forms) {
    const proxyConfig = { rules: [], callbacks: [{ match_hosts: ['plain.test'], url: `http://${form}/latest`, ttl_seconds: 60 }] };
    const made = await client.createSandbox({ proxyConfig }).catch((error) => error);
    if (made instanceof Error) {
      assert.equal(made.statusCode ?? made.status ?? 422, 422, `${form}: ${made}`);  // some are no address to begin with
      continue;
    }
    tried.push(form);
    t.after(() => client.deleteSandbox(made.name).catch(() => {}));
    const before = seen.origin.length;
    const { stdout } = await made.run(`curl -sS --max-time 30 -w '\n%{http_code}' http://plain.test:${port}/`, { timeout: 60 });
    assert.match(stdout, /callback resolution failed[^]*502$/, form);
    assert.equal(seen.origin.length, before, 'nothing leaves without what the callback should have said');
  }
  assert.ok(tried.includes('169.254.169.254'), `tried: ${tried}`);
});
