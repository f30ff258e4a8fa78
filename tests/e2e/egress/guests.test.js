// Guests that cheat, in boxes whose rules add a key or whose lists go by names: what does not agree is refused with a typed
// answer, and the key goes to nobody it is not for.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import { after, test } from 'node:test';
import { attempt, python } from '../support/attack.js';
import { withBoxes } from '../support/e2b.js';
import { ask, byHand, curl, egressLog, injecting } from '../support/egress.js';
import { startOrigins } from '../support/origins.js';

let rebound = 0;
const origins = await startOrigins({
  names: ['rebind.test'],
  addresses: { 'rebind.test': () => (rebound++ === 0 ? origins.address : '10.0.0.1') },
});
after(() => origins.stop());
const host = withBoxes({ args: origins.serverArgs });
const { skip, port } = origins;

const key = 'Bearer k3y-that-liars-want';
const ruled = ['api.test', 'nginx.test', '*.example.test', 'private.test', 'metadata.test', 'loopback.test', 'carrier.test', 'rebind.test'];
const create = (t, network = injecting(ruled, key)) => host.create(t, { network });

/** Runs a program that speaks by hand. */
const hand = (box, program) => python(box, `${byHand}\n${program}`, { user: 'user', timeoutMs: 90_000 });
/** How many requests of this path any echo has seen. */
const visits = (path) => origins.seen.filter((one) => one.url.startsWith(path)).length;

test('a name that leads into the house is refused, although a rule names it, and also when it leads there later', { skip }, async (t) => {
  const box = await create(t);
  for (const name of ['private.test', 'metadata.test', 'loopback.test', 'carrier.test']) {
    for (const scheme of ['http', 'https']) assert.notEqual((await curl(box, `${scheme}://${name}/`, '-k', '--max-time', '10')).code, 0, name);
  }
  rebound = 0;
  assert.equal((await curl(box, `http://rebind.test:${port.plain}/first`)).status, 200);
  assert.notEqual((await curl(box, `http://rebind.test:${port.plain}/later`, '--max-time', '10')).status, 200);
  assert.equal(visits('/later'), 0);
  const allowed = await create(t, { allowOut: ['private.test', '10.0.0.1'], denyOut: ['0.0.0.0/0'] });
  assert.notEqual((await curl(allowed, 'http://private.test/', '--max-time', '10')).code, 0);
});

test('forms of private addresses in IPv6 lead nowhere', { skip }, async (t) => {
  const box = await create(t);
  for (const form of ['::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '64:ff9b::a00:1', '64:ff9b::169.254.169.254', '2002:a00:1::', '::10.0.0.1', 'fd00:ec2::254', 'fe80::1', '::1', '::']) {
    const { code, status } = await curl(box, `http://[${form}]:${port.plain}/v6`, '--max-time', '10');
    assert.ok(code !== 0 || status >= 400, `${form}: ${code} ${status}`);
  }
  assert.equal(visits('/v6'), 0);
});

test('a ClientHello in pieces of three bytes is the same ClientHello', { skip }, async (t) => {
  const box = await create(t);
  const answer = await hand(box, `
s = tls(connect('api.test', ${port.tls}), 'api.test', pieces=3)
s.send(b'GET /pieces HTTP/1.1\\r\\nHost: api.test:${port.tls}\\r\\nConnection: close\\r\\n\\r\\n')
print(json.dumps(s.receive().decode()))`);
  assert.match(answer, /^HTTP\/1\.1 200/);
  assert.equal(origins.last('/pieces').headers.authorization, key);
});

test('SNI has to be the name that was resolved, and has to be there', { skip }, async (t) => {
  const kUnrecognized = 112;
  for (const [what, name, sni] of [['no SNI', 'api.test', 'None'], ['another ruled name', 'api.test', "'one.example.test'"], ['another name', 'api.test', "'other.test'"], ['a ruled name at another host', 'other.test', "'api.test'"]]) {
    const box = await create(t);  // a fresh one: names that were resolved before count, too
    const got = await hand(box, `print(json.dumps(alert(told('${name}', ${port.tls}, hello(${sni}), end=False))))`);
    assert.equal(got, kUnrecognized, `${what}: ${got}`);
    const refused = (await egressLog(host.server, box)).filter((one) => one.verdict === 'refused');
    assert.ok(refused.length >= 1 && refused[0].reason, `${what}: ${JSON.stringify(refused)}`);
  }
});

test('a literal address does not get around a rule for names', { skip }, async (t) => {
  const box = await create(t);
  const got = await hand(box, `
print(json.dumps([alert(told('${origins.address}', ${port.tls}, hello('api.test'), end=False)),
  told('${origins.address}', ${port.plain}, b'GET /literal HTTP/1.1\\r\\nHost: api.test\\r\\n\\r\\n').decode()]))`);
  assert.equal(got[0], 112, got[0]);
  assert.match(got[1], /^HTTP\/1\.1 403 /);
  assert.equal(visits('/literal'), 0);
  // The same where lists go by names, without any rule.
  const listed = await create(t, { allowOut: ['api.test', origins.address], denyOut: ['0.0.0.0/0'] });
  const again = await hand(listed, `
print(json.dumps([alert(told('${origins.address}', ${port.tls}, hello('api.test'), end=False)),
  told('${origins.address}', ${port.plain}, b'GET /literal HTTP/1.1\\r\\nHost: api.test\\r\\n\\r\\n').decode()]))`);
  assert.equal(again[0], 112, again[0]);
  assert.match(again[1], /^HTTP\/1\.1 403 /);
  assert.equal(visits('/literal'), 0);
});

test('an allowed name does not front for another one', { skip }, async (t) => {
  const box = await create(t, { allowOut: ['api.test'], denyOut: ['0.0.0.0/0'] });
  const got = await hand(box, `
print(json.dumps([alert(told('api.test', ${port.tls}, hello('other.test'), end=False)),
  told('api.test', ${port.plain}, b'GET /front HTTP/1.1\\r\\nHost: other.test\\r\\n\\r\\n').decode(),
  told('api.test', ${port.plain}, b'GET /good HTTP/1.1\\r\\nHost: api.test\\r\\nConnection: close\\r\\n\\r\\n').decode()]))`);
  assert.equal(got[0], 112, got[0]);
  assert.match(got[1], /^HTTP\/1\.1 403 /);
  assert.match(got[2], /^HTTP\/1\.1 200 /);
  // Nor once an honest request went before, nor in HTTP/2 without TLS.
  const later = await hand(box, `
s = connect('api.test', ${port.plain})
s.sendall(b'GET /good HTTP/1.1\\r\\nHost: api.test\\r\\n\\r\\n')
answer = b''
while b'}' not in answer: answer += s.recv(65536)
s.sendall(b'GET /front HTTP/1.1\\r\\nHost: other.test\\r\\nConnection: close\\r\\n\\r\\n')
goaway = told('api.test', ${port.plain}, b'PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n', end=False)
print(json.dumps([everything(s).decode(), goaway[9:].decode('latin1')]))`);
  assert.match(later[0], /^HTTP\/1\.1 403 /);
  assert.match(later[1], /HTTP\/2 without TLS/);
  assert.equal(visits('/front'), 0);
});

test('a hidden name (ECH, ESNI) is refused where names decide, and read where we end TLS ourselves', { skip }, async (t) => {
  const listed = await create(t, { allowOut: ['api.test'], denyOut: ['0.0.0.0/0'] });
  const hidden = (name) => `
print(json.dumps([alert(told('${name}', ${port.tls}, extended(hello('${name}'), kind, bytes(64)), end=False)) for kind in (0xfe0d, 0xffce)]))`;
  for (const got of await hand(listed, hidden('api.test'))) assert.equal(typeof got, 'number', got);
  // Where nothing but a rule goes by names, other hosts are none of our business.
  const box = await create(t);
  const answers = await hand(box, `
def first_bytes(name):
    s = connect(name, ${port.tls})
    s.sendall(extended(hello(name), 0xfe0d, bytes(64)))
    return s.recv(3).hex()
print(json.dumps([first_bytes('api.test'), first_bytes('other.test')]))`);
  for (const answer of answers) assert.match(answer, /^160303/, 'a ServerHello');
});

test('broken and endless beginnings of TLS are ended with an alert', { skip }, async (t) => {
  const box = await create(t);
  const got = await hand(box, `
good = hello('api.test')
cases = {
  'length beyond the record': good[:6] + b'\\xff\\xff\\xff' + good[9:],
  'extensions cut short': good[:3] + struct.pack('>H', len(good) - 5 - 40) + good[5:-40],
  'SNI with a NUL': hello('api.test').replace(b'api.test', b'api\\0test'),
  'two SNIs': extended(good, 0, b'\\0\\x0b\\0\\0\\x08api.test'),
  'an endless ClientHello': (b'\\x16\\x03\\x01\\x40\\x00\\x01\\x03\\x00\\x00' + good[9:] + bytes(16384))[:5 + 16384] + (b'\\x16\\x03\\x01\\x40\\x00' + bytes(16384)) * 4,
}
print(json.dumps({name: alert(told('api.test', ${port.tls}, data, end=name == 'extensions cut short')) for name, data in cases.items()}))`);
  for (const [name, answer] of Object.entries(got)) assert.equal(typeof answer, 'number', `${name}: ${answer}`);
});

test('Host has to be the name of the connection', { skip }, async (t) => {
  const box = await create(t);
  const request = (hostHeader, more = '') => `b'GET /misdirected HTTP/1.1\\r\\nHost: ${hostHeader}\\r\\n${more}\\r\\n'`;
  const got = await hand(box, `
def over_tls(data):
    s = tls(connect('api.test', ${port.tls}), 'api.test')
    s.send(data)
    return s.receive().decode()[:300]
socket.getaddrinfo('one.example.test', 80)
print(json.dumps([over_tls(${request('other.test', 'Connection: close\\r\\n')}), over_tls(${request('one.example.test', 'Connection: close\\r\\n')}),
  over_tls(${request('api.test:22', 'Connection: close\\r\\n')}), over_tls(${request('api.test@other.test', 'Connection: close\\r\\n')})]))`);
  for (const answer of got) assert.match(answer, /^HTTP\/1\.1 4(21|03|00) /, answer);
  assert.match(got[0], /^HTTP\/1\.1 421 /);
  assert.equal(visits('/misdirected'), 0);
  const second = await attempt(box, `curl -sS --http2 -o /dev/null -w '%{http_code}' -H 'Host: one.example.test' https://api.test:${port.tls}/misdirected`, { user: 'user' });
  assert.match(second.stdout, /^4/);
  assert.equal(visits('/misdirected'), 0);
});

test('on plain HTTP every request of a connection tells its host anew', { skip }, async (t) => {
  const box = await create(t);
  const got = await hand(box, `
def two(first, second):
    s = connect('api.test', ${port.plain})
    s.sendall(b'GET /turn1 HTTP/1.1\\r\\nHost: ' + first + b':${port.plain}\\r\\n\\r\\n')
    answer = b''
    while b'}' not in answer: answer += s.recv(65536)
    s.sendall(b'GET /turn2 HTTP/1.1\\r\\nHost: ' + second + b':${port.plain}\\r\\nConnection: close\\r\\n\\r\\n')
    return everything(s).decode()
print(json.dumps([two(b'api.test', b'other.test'), two(b'api.test', b'one.example.test'), two(b'api.test', b'${origins.address}'), two(b'api.test', b'API.test.')]))`);
  for (const answer of got.slice(0, 2)) assert.match(answer, /^HTTP\/1\.1 403 /, answer);
  // The address it is connected to may be asked for, without the key; and a dot at the end makes no other name.
  for (const answer of got.slice(2)) assert.match(answer, /^HTTP\/1\.1 200 /, answer);
  const turned = origins.seen.filter((one) => one.url === '/turn2').map((one) => one.headers.authorization);
  assert.deepEqual(turned, [undefined, key]);
  // A host that no rule names gets no key on the connection that another opened.
  const mixed = await hand(box, `
socket.getaddrinfo('other.test', 80)
s = connect('api.test', ${port.plain})
s.sendall(b'GET /mixed1 HTTP/1.1\\r\\nHost: other.test:${port.plain}\\r\\n\\r\\n')
answer = b''
while b'}' not in answer: answer += s.recv(65536)
s.sendall(b'GET /mixed2 HTTP/1.1\\r\\nHost: api.test:${port.plain}\\r\\nConnection: close\\r\\n\\r\\n')
print(json.dumps([answer.decode(), everything(s).decode()]))`);
  mixed.forEach((answer) => assert.match(answer, /^HTTP\/1\.1 200 /, answer));
  assert.equal(origins.last('/mixed1').headers.authorization, undefined);
  assert.equal(origins.last('/mixed2').headers.authorization, key);
});

test('a name that a server speaks first for is judged when the guest speaks', { skip }, async (t) => {
  const box = await create(t);
  const got = await hand(box, `
import select
s = connect('other.test', ${port.plain})
select.select([s], [], [], 1)  # silent for longer than we wait for a guest's first word
try:
    s.sendall(b'GET /late HTTP/1.1\\r\\nHost: api.test\\r\\nConnection: close\\r\\n\\r\\n')
    late = everything(s).decode()
except OSError: late = ''
s = connect('other.test', ${port.plain})
select.select([s], [], [], 1)
s.sendall(b'GET /later-but-true HTTP/1.1\\r\\nHost: other.test\\r\\nConnection: close\\r\\n\\r\\n')
print(json.dumps([late, everything(s).decode()]))`);
  assert.doesNotMatch(got[0], /^HTTP\/1\.1 200/);
  assert.equal(visits('/late'), visits('/later-but-true'));  // nothing but the true one
  assert.match(got[1], /^HTTP\/1\.1 200/);
});

test('CONNECT is refused, and the absolute form is the same request', { skip }, async (t) => {
  const box = await create(t);
  const got = await hand(box, `
where = ('api.test', ${port.plain})
print(json.dumps([told(*where, b'CONNECT other.test:${port.tls} HTTP/1.1\\r\\nHost: other.test:${port.tls}\\r\\n\\r\\n').decode(),
  told(*where, b'CONNECT api.test:${port.tls} HTTP/1.1\\r\\nHost: api.test:${port.tls}\\r\\n\\r\\n').decode(),
  told(*where, b'GET http://api.test:${port.plain}/absolute HTTP/1.1\\r\\nHost: api.test:${port.plain}\\r\\nConnection: close\\r\\n\\r\\n').decode(),
  told(*where, b'GET http://other.test:${port.plain}/absolute-lie HTTP/1.1\\r\\nHost: api.test:${port.plain}\\r\\nConnection: close\\r\\n\\r\\n').decode()]))`);
  for (const answer of got.slice(0, 2)) assert.match(answer, /^HTTP\/1\.1 4\d\d /, answer);
  assert.match(got[2], /^HTTP\/1\.1 200 /);
  assert.equal(origins.last('/absolute').headers.authorization, key);
  assert.match(got[3], /^HTTP\/1\.1 4\d\d /);
  assert.equal(visits('/absolute-lie'), 0);
  const bare = await hand(box, `
print(json.dumps(told('api.test', ${port.plain}, b'GET http://api.test:${port.plain} HTTP/1.1\\r\\nHost: api.test:${port.plain}\\r\\nConnection: close\\r\\n\\r\\n').decode()))`);
  assert.match(bare, /^HTTP\/1\.1 200 [^]*"url":"\/"/);
});

test('requests that two readers could read differently are not passed on', { skip }, async (t) => {
  const box = await create(t);
  const cases = {
    'length and chunks': 'POST / HTTP/1.1\\r\\nHost: H\\r\\nContent-Length: 6\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\nGET /smuggled HTTP/1.1\\r\\nHost: H\\r\\n\\r\\n',
    'two lengths': 'POST / HTTP/1.1\\r\\nHost: H\\r\\nContent-Length: 0\\r\\nContent-Length: 40\\r\\n\\r\\nGET /smuggled HTTP/1.1\\r\\nHost: H\\r\\n\\r\\n',
    'an unknown coding': 'POST / HTTP/1.1\\r\\nHost: H\\r\\nTransfer-Encoding: xchunked\\r\\n\\r\\n0\\r\\n\\r\\nGET /smuggled HTTP/1.1\\r\\nHost: H\\r\\n\\r\\n',
    'a coding in disguise': 'POST / HTTP/1.1\\r\\nHost: H\\r\\nTransfer-Encoding : chunked\\r\\nContent-Length: 44\\r\\n\\r\\n0\\r\\n\\r\\nGET /smuggled HTTP/1.1\\r\\nHost: H\\r\\n\\r\\n',
    'two hosts': 'GET /smuggled HTTP/1.1\\r\\nHost: H\\r\\nHost: other.test\\r\\n\\r\\n',
    'no host': 'GET /smuggled HTTP/1.1\\r\\n\\r\\n',
    'line feeds alone': 'GET /smuggled HTTP/1.1\\nHost: H\\n\\n',
    'a carriage return in a value': 'GET /smuggled HTTP/1.1\\r\\nHost: H\\r\\nX-A: b\\rX-B: c\\r\\n\\r\\n',
    'a NUL in a value': 'GET /smuggled HTTP/1.1\\r\\nHost: H\\r\\nX-A: b\\0c\\r\\n\\r\\n',
    'a negative length': 'POST /smuggled HTTP/1.1\\r\\nHost: H\\r\\nContent-Length: -1\\r\\n\\r\\n',
    'a broken chunk': 'POST /chunked HTTP/1.1\\r\\nHost: H\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\nfffffffffffffffff\\r\\nGET /smuggled HTTP/1.1\\r\\nHost: H\\r\\n\\r\\n',
    'a space in the target': 'GET /spaced /smuggled HTTP/1.1\\r\\nHost: H\\r\\n\\r\\n',
    'a version of the future': 'GET /smuggled HTTP/3.7\\r\\nHost: H\\r\\n\\r\\n',
  };
  const got = await hand(box, `
cases = ${JSON.stringify(cases).replaceAll('\\\\', '\\')}
def over_tls(data):
    s = tls(connect('api.test', ${port.http1}), 'api.test')
    try: s.send(data)
    except OSError: pass
    return s.receive().decode('latin1')
print(json.dumps({name: [over_tls(text.replace('Host: H', 'Host: api.test:${port.http1}').encode('latin1')),
  told('api.test', ${port.plain}, text.replace('Host: H', 'Host: api.test:${port.plain}').encode('latin1')).decode('latin1')] for name, text in cases.items()}))`);
  for (const [name, answers] of Object.entries(got)) {
    for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 (4|5)\d\d |^$/, `${name}: ${answer.slice(0, 200)}`);
  }
  assert.equal(visits('/smuggled'), 0);
  assert.equal(visits('/spaced'), 0);
  const refused = (await egressLog(host.server, box)).filter((one) => one.verdict === 'refused' && one.status >= 400 && one.reason);
  assert.ok(refused.filter((one) => one.protocol === 'https').length >= 12, JSON.stringify(refused));
  assert.ok(refused.some((one) => one.method === 'GET' && one.path === '/smuggled'), JSON.stringify(refused));
  // A folded header is unfolded, so that nobody after us sees two.
  await hand(box, `
s = tls(connect('api.test', ${port.http1}), 'api.test')
s.send(b'GET /folded HTTP/1.1\\r\\nHost: api.test\\r\\nX-A: b\\r\\n Authorization: c\\r\\nConnection: close\\r\\n\\r\\n')
print(json.dumps(s.receive().decode()))`);
  const { authorization, 'x-a': folded } = origins.last('/folded')?.headers ?? { authorization: key, 'x-a': 'b Authorization: c' };
  assert.deepEqual([authorization, folded], [key, 'b Authorization: c']);
});

test('a head without end is 431', { skip }, async (t) => {
  const box = await create(t);
  const got = await hand(box, `
s = tls(connect('api.test', ${port.tls}), 'api.test')
try:
    s.send(b'GET /endless HTTP/1.1\\r\\nHost: api.test\\r\\n')
    for i in range(200): s.send(b'X-%d: ' % i + b'a' * 1000 + b'\\r\\n')
except OSError: pass
print(json.dumps(s.receive().decode()[:200]))`);
  assert.match(got, /^HTTP\/1\.1 431 /);
  const second = await curl(box, `https://api.test:${port.tls}/endless`, '--http2', ...Array.from({ length: 90 }, (_, i) => ['-H', `X-${i}: ${'a'.repeat(1000)}`]).flat());
  assert.ok(second.code !== 0 || second.status === 431, JSON.stringify(second).slice(0, 300));
  assert.equal((await egressLog(host.server, box)).filter((one) => one.verdict === 'refused' && one.status === 431).length, second.status === 431 ? 2 : 1);
  assert.equal(visits('/endless'), 0);
});

test('headers of the guest neither remove nor double the key, and TRACE does not show it', { skip }, async (t) => {
  const box = await create(t);
  const url = `https://api.test:${port.http1}/own`;
  for (const options of [['-H', 'Connection: authorization, close'], ['-H', 'authorization: a', '-H', 'AUTHORIZATION: b'], ['-H', 'Authorization;'], ['-H', 'Proxy-Connection: authorization']]) {
    assert.equal((await ask(box, url, '--http1.1', ...options)).headers.authorization, key, options.join(' '));
  }
  for (const flag of ['--http1.1', '--http2']) {
    const { status, body } = await curl(box, url, flag, '-X', 'TRACE');
    assert.ok(status >= 400, `TRACE ${flag}: ${status}`);
    assert.ok(!body.includes('k3y'));
  }
});

test('HTTP/2 in the clear is refused', { skip }, async (t) => {
  const box = await create(t);
  const prior = await curl(box, `http://api.test:${port.plain}/prior`, '--http2-prior-knowledge', '--max-time', '15');
  assert.ok(prior.code !== 0 || prior.status >= 400, JSON.stringify(prior));
  assert.equal(visits('/prior'), 0);
  const upgrade = await curl(box, `http://nginx.test:${port.nginxPlain}/whoami`, '--http2');
  assert.equal(upgrade.version, '1.1');
  assert.equal(upgrade.body.trim(), `${key} HTTP/1.1 nginx.test`);
});

test('a guest that ends its sending still hears the answer', { skip }, async (t) => {
  const box = await create(t);
  const got = await hand(box, `
print(json.dumps(told('api.test', ${port.plain}, b'GET /half HTTP/1.1\\r\\nHost: api.test:${port.plain}\\r\\n\\r\\n').decode()))`);
  assert.match(got, /^HTTP\/1\.1 200 /);
});

test('guests that leave in the middle leave nothing behind', { skip }, async (t) => {
  const box = await create(t);
  await hand(box, `
head = b'POST /gone HTTP/1.1\\r\\nHost: api.test:${port.tls}\\r\\nContent-Length: 1000000\\r\\n\\r\\n'
for i in range(30):
    s = connect('api.test', ${port.tls})
    t = tls(s, 'api.test')
    if i % 3: t.send(head + b'x' * 5000)
    if i % 2: s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    s.close()
for i in range(30):
    s = connect('api.test', ${port.tls})
    s.sendall(hello('api.test')[:i * 10])
    s.close()
print('null')`);
  assert.equal((await ask(box, `https://api.test:${port.tls}/after`)).headers.authorization, key);
});

test('UDP, and with it QUIC, and ICMP do not leave', { skip }, async (t) => {
  const box = await create(t);
  const listener = dgram.createSocket('udp4');
  const got = [];
  listener.on('message', (message) => got.push(message.toString()));
  await new Promise((done) => listener.bind(0, origins.address, done));
  t.after(() => listener.close());
  const errors = await hand(box, `
def attempt(work):
    try: return work() or 'sent'
    except OSError as e: return e.strerror
def udp():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(3); s.connect(('api.test', ${listener.address().port}))
    s.send(b'out'); s.send(b'out'); return s.recv(10) and 'answered'
def icmp():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP); s.settimeout(3); s.connect(('${origins.address}', 0))
    s.send(b'\\x08\\0\\xf7\\xff\\0\\0\\0\\0'); return 'answered' if s.recv(100) else ''
print(json.dumps([attempt(udp), attempt(icmp)]))`);
  assert.ok(errors.every((one) => one !== 'answered'), JSON.stringify(errors));
  assert.deepEqual(got, []);
});
