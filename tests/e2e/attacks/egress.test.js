// What a box tries at the gateway: its authority's key, its doors, the rules and connections of other boxes, and its
// patience.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { attempt, python } from '../support/attack.js';
import { until, withBoxes } from '../support/e2b.js';
import { ask, byHand, curl, injecting } from '../support/egress.js';
import { namesIn, search } from '../support/haystack.js';
import { startOrigins } from '../support/origins.js';
import { firstProcesses } from '../support/server.js';

const origins = await startOrigins();
after(() => origins.stop());
const host = withBoxes({ args: [...origins.serverArgs, '--parked', '0'] });
const { skip, port } = origins;
const key = 'Bearer k3y-of-another-box';
const ruled = (t) => host.create(t, { network: injecting(['api.test', '*.example.test'], key) });
const hand = (box, program) => python(box, `${byHand}\n${program}`, { user: 'root', timeoutMs: 0 });
const residentMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${host.server.process.pid}/status`, 'utf8'))[1]) / 1024;

test('the authority\'s key is in no box: no file, no process, and it signs nothing for a guest', { skip }, async (t) => {
  const box = await ruled(t);
  const pem = readFileSync(join(host.server.data, 'gateway/authority.key'), 'utf8');
  const wanted = { key: pem.split('\n')[1].slice(-40) };  // the beginning of every such key is the same
  const pids = firstProcesses(host.server);
  const { found } = await search({ trees: pids.flatMap((pid) => ['etc', 'run', 'tmp', 'var/tmp', 'var/log', 'home', 'root', 'usr/local/share'].map((one) => `/proc/${pid}/root/${one}`)), pids }, wanted);
  assert.deepEqual(found, []);
  const { stdout } = await attempt(box, 'cat /usr/local/share/ca-certificates/*.crt /etc/ssl/certs/ca-certificates.crt; ls -la /usr/local/share/ca-certificates; grep -rls "PRIVATE KEY" /etc /usr/local /run /var/lib 2>/dev/null');
  assert.match(stdout, /BEGIN CERTIFICATE/);
  assert.doesNotMatch(stdout, /BEGIN [A-Z ]*PRIVATE KEY/);
  assert.deepEqual(namesIn(stdout, wanted), []);
  // A leaf for a host that no rule of this box names is not made for it.
  const { stdout: shown } = await attempt(box, `openssl s_client -connect other.test:${port.tls} -servername other.test </dev/null 2>/dev/null | openssl x509 -noout -issuer`);
  assert.doesNotMatch(shown, /Vivarium/);
});

test('the doors do not open when they are knocked on directly', { skip }, async (t) => {
  const box = await ruled(t);
  const got = await hand(box, `
socket.getaddrinfo('api.test', 80)
request = b'GET /door HTTP/1.1\\r\\nHost: api.test\\r\\nConnection: close\\r\\n\\r\\n'
answers = {}
for address in ('127.0.0.1', '127.0.0.2', '::1'):
    for door in (15001, 15053):
        answers[f'{address} {door}'] = [told(address, door, request).decode('latin1'), told(address, door, hello('api.test'), end=False)[:5].hex()]
print(json.dumps(answers))`);
  for (const [door, [plain, secure]] of Object.entries(got)) {
    assert.doesNotMatch(plain, /^HTTP\/1\.1 200/, door);
    assert.doesNotMatch(secure, /^1603/, `${door}: a ServerHello`);
  }
  assert.equal(origins.last('/door'), undefined);
});

test('a box has its own rules only, and its own connections to an origin', { skip }, async (t) => {
  const [one, two, bare] = [await ruled(t), await host.create(t, { network: injecting(['api.test'], 'Bearer own') }), await host.create(t)];
  const url = `https://api.test:${port.tls}/whose`;
  const first = await ask(one, url), second = await ask(two, url);
  assert.equal(first.headers.authorization, key);
  assert.equal(second.headers.authorization, 'Bearer own');
  assert.notEqual(first.connection, second.connection, 'a connection of one box serves another');
  assert.equal((await ask(one, url)).connection, first.connection);
  const third = await ask(bare, url, '-k');
  assert.equal(third.headers.authorization, undefined);
  assert.equal((await ask(bare, `http://api.test:${port.plain}/whose`)).headers.authorization, undefined);
  assert.equal((await ask(two, `http://one.example.test:${port.plain}/whose`)).headers.authorization, undefined);
});

test('TLS sessions of one host or box are of no use for another', { skip }, async (t) => {
  const [one, two] = [await ruled(t), await host.create(t, { network: injecting(['api.test'], 'Bearer own') })];
  const save = await attempt(one, `(until [ -s /tmp/session ]; do sleep 0.1; done; echo) | openssl s_client -connect api.test:${port.tls} -servername api.test -sess_out /tmp/session >/dev/null 2>&1; base64 -w0 /tmp/session`);
  assert.ok(save.stdout.length > 100, 'a session was given');
  await two.files.write('/tmp/session.b64', save.stdout);
  const request = (name) => `printf 'GET /resumed HTTP/1.1\\r\\nHost: ${name}:${port.tls}\\r\\nConnection: close\\r\\n\\r\\n' | openssl s_client -quiet -ign_eof -connect ${name}:${port.tls} -servername ${name} -sess_in /tmp/session 2>/dev/null`;
  await attempt(two, `base64 -d /tmp/session.b64 > /tmp/session; ${request('api.test')}`);
  assert.equal(origins.last('/resumed').headers.authorization, 'Bearer own');
  await attempt(one, request('one.example.test'));
  assert.equal(origins.last('/resumed').servername, 'one.example.test');
});

test('a thousand handshakes that never end keep nobody else waiting', { skip }, async (t) => {
  const [greedy, other] = [await ruled(t), await ruled(t)];
  const before = residentMb();
  await greedy.files.write('/tmp/half.py', `${byHand}
import resource, time
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
first, held = hello('api.test'), []
socket.getaddrinfo('api.test', 80)
for i in range(1000):
    try:
        s = connect('api.test', ${port.tls}, 5)
        s.sendall([first[:20], first, first[:-1], b'GET / HT'][i % 4])
        held.append(s)
    except OSError: pass
print('held', len(held), flush=True)
time.sleep(600)`, { user: 'root' });
  let said = '';
  const handle = await greedy.commands.run('python3 /tmp/half.py', { background: true, user: 'root', timeoutMs: 0, onStdout: (data) => (said += data) });
  await until(() => /held \d+/.test(said), 'the thousand connections');
  assert.ok(Number(/held (\d+)/.exec(said)[1]) >= 500, said);
  for (let i = 0; i < 10; i++) assert.equal((await ask(other, `https://api.test:${port.tls}/patient`)).headers.authorization, key);
  assert.ok(residentMb() - before < 200, `the server grew by ${(residentMb() - before).toFixed(0)} MiB`);
  await handle.kill();
  assert.equal((await ask(greedy, `https://api.test:${port.tls}/patient`)).headers.authorization, key);
});

test('more names below a wildcard than certificates are kept cost a bounded store', { skip }, async (t) => {
  const [greedy, other] = [await ruled(t), await ruled(t)];
  const before = residentMb();
  const counted = await hand(greedy, `
context = ssl.create_default_context()
made = 0
for i in range(1200):
    name = f'n{i}.example.test'
    with context.wrap_socket(connect(name, ${port.tls}), server_hostname=name): made += 1
print(json.dumps(made))`);
  assert.equal(counted, 1200);
  assert.equal((await ask(other, `https://api.test:${port.tls}/names`)).headers.authorization, key);
  assert.ok(residentMb() - before < 150, `the server grew by ${(residentMb() - before).toFixed(0)} MiB`);
});

test('streams that are opened and reset without end, and floods of frames, end the connection only', { skip }, async (t) => {
  const box = await ruled(t);
  const got = await hand(box, `
def frame(kind, flags, stream, data=b''): return struct.pack('>I', len(data))[1:] + bytes([kind, flags]) + struct.pack('>I', stream) + data
def flood(make, wait=True):
    raw = connect('api.test', ${port.tls})
    s = tls(raw, 'api.test', alpn=('h2',))
    try:
        s.send(b'PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n' + frame(4, 0, 0))
        for i in range(20000): s.send(make(i))
    except OSError: return 'ended'
    return 'still open' if wait and s.receive().endswith(b'(silence)') else 'ended' if wait else 'sent'
head = b'\\x82\\x87\\x84\\x41' + bytes([len('api.test:${port.tls}')]) + b'api.test:${port.tls}'
print(json.dumps({
  'resets': flood(lambda i: frame(1, 5, 2 * i + 1, head) + frame(3, 0, 2 * i + 1, b'\\0\\0\\0\\x08')),
  'continuations': flood(lambda i: frame(1, 1, 1, head) if i == 0 else frame(9, 0, 1, b'\\x40\\x01a\\x0a' + b'b' * 10)),
  'settings': flood(lambda i: frame(4, 0, 0), wait=False), 'pings': flood(lambda i: frame(6, 0, 0, bytes(8)), wait=False),
}))`);
  assert.equal(got.resets, 'ended', JSON.stringify(got));
  assert.equal(got.continuations, 'ended', JSON.stringify(got));
  assert.equal((await curl(box, `https://api.test:${port.tls}/flooded`)).status, 200);
});
