// Programs as agents use them, inside a box whose rules add a key to some hosts: each works as it is, the origin gets
// the key, and hosts without a rule are left alone.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { wheelOf } from '../support/archives.js';
import { attempt, python } from '../support/attack.js';
import { withBoxes } from '../support/e2b.js';
import { ask, curl, injecting } from '../support/egress.js';
import { startOrigins } from '../support/origins.js';

const origins = await startOrigins();
after(() => origins.stop());
const host = withBoxes({ args: origins.serverArgs });
const { skip, port } = origins;

const key = 'Bearer k3y-of-the-origin';
const network = injecting(['api.test', 'nginx.test', 'ws.test', '*.example.test'], key);
const create = (t) => host.create(t, { network });
const at = (name, which, path = '/') => `https://${name}:${port[which]}${path}`;

/** Runs a program of node in the box and gives what it printed as JSON. */
async function node(box, program) {
  await box.files.write('/tmp/program.mjs', program);
  const { stdout } = await box.commands.run('node /tmp/program.mjs', { timeoutMs: 90_000 });
  return JSON.parse(stdout);
}

test('curl speaks either version of HTTP, and so does the origin, whatever the other speaks', { skip }, async (t) => {
  const box = await create(t);
  for (const [flag, guest] of [['--http1.1', '1.1'], ['--http2', '2']]) {
    for (const [origin, version] of [['tls', '2.0'], ['http1', '1.1'], ['http2', '2.0']]) {
      const echo = await ask(box, at('api.test', origin, '/a/b?c=d'), flag, '-d', 'some text', '-H', 'X-Own: kept', '-H', 'Authorization: Bearer own');
      const said = `${flag} to ${origin}: ${JSON.stringify(echo)}`;
      assert.equal(echo.guestVersion, guest, said);
      assert.equal(echo.version, version, said);
      assert.equal(echo.headers.authorization, key, said);
      assert.deepEqual([echo.method, echo.url, echo.body, echo.headers['x-own']], ['POST', '/a/b?c=d', 'some text', 'kept'], said);
      assert.equal(echo.authority, `api.test:${port[origin]}`, said);
      assert.equal(echo.servername, 'api.test', said);
    }
  }
});

test('a wildcard is for names below it, and plain HTTP gets its key too', { skip }, async (t) => {
  const box = await create(t);
  assert.equal((await ask(box, at('one.example.test', 'tls'))).headers.authorization, key);
  assert.equal((await ask(box, `http://api.test:${port.plain}/p`)).headers.authorization, key);
  assert.equal((await ask(box, `http://API.test:${port.plain}/p`)).headers.authorization, key);
  assert.equal((await ask(box, `http://other.test:${port.plain}/p`)).headers.authorization, undefined);
  assert.equal((await ask(box, `http://${origins.address}:${port.plain}/p`)).headers.authorization, undefined);
  assert.equal((await ask(box, `http://other.test:${port.plain}/p`, '-H', 'Authorization: own')).headers.authorization, 'own');
});

test('what no rule names passes through: the origin shows its own certificate, which the box need not trust', { skip }, async (t) => {
  const box = await create(t);
  const shown = async (name) => {
    const { stdout } = await attempt(box, `openssl s_client -connect ${name}:${port.tls} -servername ${name} -showcerts </dev/null 2>/dev/null | openssl x509`, { user: 'user' });
    return new X509Certificate(stdout);
  };
  assert.equal((await shown('other.test')).fingerprint256, new X509Certificate(origins.identity.cert).fingerprint256);
  const ours = await shown('api.test');
  assert.match(ours.issuer, /Vivarium/);
  assert.equal(ours.checkHost('api.test'), 'api.test');
  assert.equal(ours.checkHost('other.test'), undefined);
  assert.equal(ours.ca, false);

  const verify = (name) => attempt(box, `openssl s_client -connect ${name}:${port.tls} -servername ${name} -verify_hostname ${name} -verify_return_error </dev/null`, { user: 'user' });
  const trusted = await verify('api.test');
  assert.equal(trusted.exitCode, 0, trusted.stderr);
  assert.match(trusted.stdout, /Verify return code: 0 \(ok\)/);
  assert.notEqual((await verify('other.test')).exitCode, 0);

  assert.equal((await curl(box, at('other.test', 'tls'))).code, 60);
  await box.files.write('/tmp/ca.pem', readFileSync(origins.ca, 'utf8'));
  const echo = await ask(box, at('other.test', 'tls'), '--cacert', '/tmp/ca.pem', '-H', 'Authorization: own');
  assert.equal(echo.headers.authorization, 'own');
});

test('the authority is trusted by root, by sudo and by programs without the variables', { skip }, async (t) => {
  const box = await create(t);
  const url = at('api.test', 'tls', '/drain');
  for (const [user, command] of [['root', `curl -sSf ${url}`], ['user', `sudo curl -sSf ${url}`], ['user', `env -i /usr/bin/curl -sSf ${url}`], ['user', `env -i /usr/bin/wget -qO- ${url} || ! test -x /usr/bin/wget`]]) {
    const { exitCode, stderr } = await attempt(box, command, { user });
    assert.equal(exitCode, 0, `${user}: ${command}: ${stderr}`);
  }
});

test('git clones over HTTPS from a server that asks for a key', { skip }, async (t) => {
  const folder = join(origins.nginx.files, 'private');
  mkdirSync(folder, { recursive: true });
  const git = (...args) => execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'init.defaultBranch=main', ...args], { cwd: folder, stdio: 'pipe' });
  git('init', '-q', 'work');
  writeFileSync(join(folder, 'work/read.me'), 'a file of the repository\n');
  git('-C', 'work', 'add', '.');
  git('-C', 'work', 'commit', '-qm', 'one');
  git('clone', '-q', '--bare', 'work', 'repo.git');
  git('-C', 'repo.git', 'update-server-info');
  const box = await create(t);
  const { stdout } = await box.commands.run(`GIT_TERMINAL_PROMPT=0 git clone -q ${at('nginx.test', 'nginx', '/private/repo.git')} /tmp/clone && cat /tmp/clone/read.me`);
  assert.equal(stdout, 'a file of the repository\n');
  const keyless = await host.create(t);
  assert.notEqual((await attempt(keyless, `GIT_SSL_NO_VERIFY=1 GIT_TERMINAL_PROMPT=0 git clone -q ${at('nginx.test', 'nginx', '/private/repo.git')} /tmp/clone`)).exitCode, 0);
});

test('pip installs from an index that asks for a key', { skip }, async (t) => {
  const folder = join(origins.nginx.files, 'private/simple/tinything');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'tinything-1.0-py3-none-any.whl'), wheelOf('tinything', 'answer = 42\n'));
  const box = await create(t);
  const { stdout } = await box.commands.run(
    `python3 -m pip --disable-pip-version-check -q install --no-deps --target /tmp/got --index-url ${at('nginx.test', 'nginx', '/private/simple/')} tinything 2>&1; ` +
      'PYTHONPATH=/tmp/got python3 -c "import tinything; print(tinything.answer)"', { timeoutMs: 90_000 });
  assert.equal(stdout, '42\n');
});

test('Python: requests, urllib and http.client', { skip }, async (t) => {
  const box = await create(t);
  const got = await python(box, `
import json, http.client, ssl, urllib.request, requests
url = '${at('api.test', 'tls')}'
client = http.client.HTTPSConnection('api.test', ${port.tls})
client.request('PUT', '/client', body=b'x' * 10, headers={'X-Own': 'kept'})
print(json.dumps({
  'requests': requests.post(url + 'requests', json={'a': 1}).json(),
  'urllib': json.load(urllib.request.urlopen(url + 'urllib')),
  'client': json.load(client.getresponse()),
}))`, { user: 'user' });
  for (const [name, echo] of Object.entries(got)) assert.equal(echo.headers.authorization, key, name);
  assert.equal(got.requests.body, '{"a": 1}');
  assert.equal(got.client.size, 10);
});

test('node: fetch, https and http2', { skip }, async (t) => {
  const box = await create(t);
  const got = await node(box, `
import https from 'node:https';
import http2 from 'node:http2';
const url = '${at('api.test', 'tls')}';
const fetched = await (await fetch(url + 'fetch', { method: 'POST', body: 'from fetch' })).json();
const asked = await new Promise((done, fail) => https.get(url + 'https', (answer) => {
  let text = '';
  answer.on('data', (data) => (text += data)).on('end', () => done(JSON.parse(text)));
}).on('error', fail));
const session = http2.connect(url);
const stream = session.request({ ':path': '/http2' });
let text = '';
for await (const piece of stream) text += piece;
session.close();
console.log(JSON.stringify({ fetched, asked, second: JSON.parse(text) }));`);
  for (const [name, echo] of Object.entries(got)) assert.equal(echo.headers.authorization, key, name);
  assert.equal(got.fetched.body, 'from fetch');
});

test('WebSockets, with TLS and without: the key is in the upgrade, messages pass both ways', { skip }, async (t) => {
  const box = await create(t);
  const from = join(dirname(fileURLToPath(import.meta.url)), '../node_modules/ws');
  for (const file of ['index.js', 'package.json', ...readdirSync(join(from, 'lib')).map((one) => `lib/${one}`)]) {
    await box.files.write(`/tmp/node_modules/ws/${file}`, readFileSync(join(from, file), 'utf8'));
  }
  const got = await node(box, `
import { createRequire } from 'node:module';
const WebSocket = createRequire('/tmp/')('ws');
async function talk(url) {
  const socket = new WebSocket(url);
  const messages = [], waiting = [];
  socket.on('message', (data, binary) => { messages.push(binary ? data.length : data.toString()); waiting.shift()?.(); });
  const next = () => new Promise((done) => waiting.push(done));
  const greeted = next();
  await new Promise((done, fail) => { socket.on('open', done); socket.on('error', fail); });
  await greeted;
  for (const message of ['one', Buffer.alloc(1 << 20, 7)]) { const answered = next(); socket.send(message); await answered; }
  const closed = new Promise((done) => socket.on('close', (code) => done(code)));
  socket.close(4001, 'enough');
  return { messages, code: await closed };
}
const denied = await new Promise((done) => new WebSocket('wss://ws.test:${port.wss}/denied').on('error', (error) => done(error.message)));
console.log(JSON.stringify({ wss: await talk('wss://ws.test:${port.wss}/greet'), ws: await talk('ws://ws.test:${port.ws}/greet'), denied }));`);
  for (const which of ['wss', 'ws']) assert.deepEqual(got[which], { messages: [`hello ${key}`, 'one', 1 << 20], code: 4001 }, which);
  assert.match(got.denied, /403/);
});

test('server-sent events arrive one by one', { skip }, async (t) => {
  const box = await create(t);
  // The next event is sent only after the last one was read.
  const reading = (version) => python(box, `
import json, subprocess, urllib.request
reader = subprocess.Popen(['curl', '-sSN', '--${version}', '${at('api.test', 'tls', `/steps?name=steps-${version}&count=4`)}'], stdout=subprocess.PIPE, text=True)
events = []
for line in reader.stdout:
    if not line.startswith('data:'): continue
    events.append(line.strip())
    urllib.request.urlopen('${at('api.test', 'tls', `/ring?name=steps-${version}`)}').read()
print(json.dumps(events))`, { user: 'user' });
  for (const version of ['http1.1', 'http2']) {
    assert.deepEqual(await reading(version), ['data: step 0', 'data: step 1', 'data: step 2', 'data: step 3'], version);
  }
});

test('an answer begins before the request has ended, and pieces go to and fro', { skip }, async (t) => {
  const box = await create(t);
  for (const origin of ['http1', 'http2']) {
    const got = await node(box, `
import http2 from 'node:http2';
const session = http2.connect('${at('api.test', origin)}');
const stream = session.request({ ':path': '/duplex', ':method': 'POST' });
const pieces = stream[Symbol.asyncIterator]();
const said = [];
const next = async () => said.push((await pieces.next()).value?.toString());
await next();
for (const word of ['one', 'two', 'three']) { stream.write(word); await next(); }
stream.end();
await next();
session.close();
console.log(JSON.stringify(said.filter(Boolean)));`);
    assert.deepEqual(got, ['begin\n', 'ONE', 'TWO', 'THREE'], `HTTP/2 to ${origin}`);
    const first = await python(box, `
import http.client, json
client = http.client.HTTPSConnection('api.test', ${port[origin]}, timeout=30)
client.putrequest('POST', '/duplex'); client.putheader('Transfer-Encoding', 'chunked'); client.endheaders()
client.send(b'3\\r\\none\\r\\n')
answer = client.response_class(client.sock, method='POST'); answer.begin()
said = answer.read1(100)
while b'ONE' not in said: said += answer.read1(100)
client.send(b'3\\r\\ntwo\\r\\n0\\r\\n\\r\\n')
print(json.dumps((said + answer.read()).decode()))`, { user: 'user' });
    assert.equal(first, 'begin\nONETWO', `HTTP/1.1 to ${origin}`);
  }
});

const peakKb = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${host.server.process.pid}/status`, 'utf8'))[1]);

test('a large upload is carried, not held: an origin that does not read stops the guest', { skip }, async (t) => {
  const box = await create(t);
  for (const origin of ['http1', 'http2']) {
    writeFileSync(`/proc/${host.server.process.pid}/clear_refs`, '5');
    const before = peakKb();
    const got = await python(box, `
import hashlib, json, select, ssl, socket, urllib.request
total, piece = 64 << 20, bytes(range(256)) * 256
s = ssl.create_default_context().wrap_socket(socket.create_connection(('api.test', ${port[origin]}), 60), server_hostname='api.test')
s.sendall(b'POST /hold?name=held-${origin} HTTP/1.1\\r\\nHost: api.test:${port[origin]}\\r\\nContent-Length: %d\\r\\nConnection: close\\r\\n\\r\\n' % total)
s.setblocking(False)
sent, stalled, digest, view = 0, None, hashlib.sha256(), memoryview(piece)
rest = view
while sent < total:
    try:
        count = s.send(rest)
        digest.update(rest[:count]); sent += count
        rest = rest[count:] or view
    except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
        if not select.select([], [s], [], 1.5)[1] and stalled is None:
            stalled = sent
            urllib.request.urlopen('${at('api.test', 'tls', `/ring?name=held-${origin}`)}').read()
s.setblocking(True)
answer = b''
while data := s.recv(65536): answer += data
print(json.dumps([stalled, digest.hexdigest(), answer.decode()]))`, { user: 'user', timeoutMs: 120_000 });
    const [stalled, sha256, answer] = got;
    assert.ok(stalled !== null && stalled < 40 << 20, `${origin}: the guest was stopped after ${stalled} bytes`);
    assert.ok(answer.includes(`"size":${64 << 20}`) && answer.includes(sha256), answer);
    const grown = (peakKb() - before) / 1024;
    assert.ok(grown < 24, `${origin}: the server grew by ${grown.toFixed(1)} MiB`);
  }
});

test('a large download arrives whole, in either version', { skip }, async (t) => {
  const box = await create(t);
  const url = at('api.test', 'tls', `/large?bytes=${64 << 20}`);
  for (const flag of ['--http1.1', '--http2']) {
    const { stdout } = await box.commands.run(`curl -sS ${flag} '${url}' | wc -c`, { timeoutMs: 90_000 });
    assert.equal(stdout.trim(), String(64 << 20), flag);
  }
});

test('connections to an origin are kept: many requests, one connection', { skip }, async (t) => {
  const box = await create(t);
  for (const origin of ['http1', 'http2', 'tls']) {
    const connections = await python(box, `
import json, requests
session = requests.Session()
kept = [session.get('${at('api.test', origin)}kept').json()['connection'] for _ in range(20)]
new = [requests.get('${at('api.test', origin)}new').json()['connection'] for _ in range(5)]
print(json.dumps(kept + new))`, { user: 'user' });
    assert.equal(new Set(connections).size, 1, `${origin}: ${connections}`);
  }
});

test('fifty requests at once on one connection are answered each with its own', { skip }, async (t) => {
  const box = await create(t);
  for (const origin of ['http1', 'http2', 'nginx']) {
    const name = origin === 'nginx' ? 'nginx.test' : 'api.test';
    const got = await node(box, `
import http2 from 'node:http2';
const session = http2.connect('${at(name, origin)}');
const one = async (i) => {
  const stream = session.request({ ':path': '/closed?' + i });
  let status, text = '';
  stream.on('response', (headers) => (status = headers[':status']));
  for await (const piece of stream) text += piece;
  return status === 200 && (text.includes('open') || JSON.parse(text).url === '/closed?' + i);
};
const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => one(i)));
session.close();
console.log(JSON.stringify(answers.filter(Boolean).length));`);
    assert.equal(got, 50, origin);
  }
});

test('HEAD, 204 and 304 have no body, and the connection goes on', { skip }, async (t) => {
  const box = await create(t);
  for (const flag of ['--http1.1', '--http2']) {
    for (const origin of ['http1', 'http2']) {
      const urls = ['/large?bytes=1000', '/status/204', '/status/304', '/status/200'].map((path) => at('api.test', origin, path));
      const { stdout } = await box.commands.run(
        `curl -sS ${flag} --max-time 20 -w '%{http_code} %{num_connects} %{size_download}\\n' -o /dev/null -I '${urls[0]}' ` +
          urls.slice(1).map((url) => `--next -sS ${flag} --max-time 20 -w '%{http_code} %{num_connects} %{size_download}\\n' -o /dev/null '${url}'`).join(' '));
      assert.equal(stdout, '200 1 0\n204 0 0\n304 0 0\n200 0 10\n', `${flag} to ${origin}`);
      assert.match((await curl(box, urls[0], flag, '-I')).body, /content-length: 1000\r\n/i);
    }
  }
});

test('100-continue is the origin\'s to say, and so is a refusal before the body', { skip }, async (t) => {
  const box = await create(t);
  await box.commands.run('head -c 3000000 /dev/zero > /tmp/body');
  const send = (path, origin) => attempt(box, `curl -sSv --http1.1 --max-time 30 -H 'Expect: 100-continue' --expect100-timeout 25 -w '\\n%{http_code} %{size_upload}' -T /tmp/body '${at('api.test', origin, path)}'`);
  for (const origin of ['http1', 'http2']) {
    const taken = await send('/drain', origin);
    assert.match(taken.stderr, /< HTTP\/1.1 100 Continue/, origin);
    assert.match(taken.stdout, /"size":3000000[^]*\n200 3000000$/, origin);
    const refused = await send('/early', origin);
    assert.doesNotMatch(refused.stderr, /100 Continue/, origin);
    assert.match(refused.stdout, /too large\n413 0$/, origin);
  }
});

test('an origin that refuses a body halfway is heard', { skip }, async (t) => {
  const box = await create(t);
  await box.commands.run('head -c 20000000 /dev/zero > /tmp/body');
  for (const flag of ['--http1.1', '--http2']) {
    for (const origin of ['http1', 'http2']) {
      const { status, body } = await curl(box, at('api.test', origin, '/early'), flag, '-H', 'Expect:', '-T', '/tmp/body');
      assert.deepEqual([status, body], [413, 'too large'], `${flag} to ${origin}`);
    }
  }
});

test('trailers pass both ways, as gRPC needs them', { skip }, async (t) => {
  const box = await create(t);
  const got = await node(box, `
import http2 from 'node:http2';
const session = http2.connect('${at('api.test', 'http2')}');
const call = (path, trailers) => new Promise((done, fail) => {
  const stream = session.request({ ':path': path, ':method': 'POST', te: 'trailers', 'content-type': 'application/grpc' }, { waitForTrailers: Boolean(trailers) });
  const got = { text: '' };
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.on('response', (headers) => (got.status = headers[':status']));
  stream.on('trailers', (headers) => Object.assign(got, headers));
  stream.on('data', (data) => (got.text += data)).on('end', () => done(got)).on('error', fail);
  stream.end('message');
});
const answered = await call('/grpc');
const sent = JSON.parse((await call('/echo', { 'x-checksum': 'abc' })).text);
session.close();
console.log(JSON.stringify({ answered, sent }));`);
  assert.deepEqual(got.answered, { text: 'message', status: 200, 'grpc-status': '0', 'grpc-message': 'fine' });
  assert.equal(got.sent.headers.te, 'trailers');
  assert.equal(got.sent.trailers['x-checksum'], 'abc');
  for (const flag of ['--http1.1', '--http2']) {
    const { stdout } = await box.commands.run(`curl -sSi ${flag} -H 'TE: trailers' -d message '${at('api.test', 'http2', '/grpc')}'`);
    assert.match(stdout, /message\s*grpc-status: 0/, flag);
  }
});

test('early hints pass, and an answer that breaks off is seen as broken', { skip }, async (t) => {
  const box = await create(t);
  for (const flag of ['--http1.1', '--http2']) {
    for (const origin of ['http1', 'http2']) {
      const { stdout } = await box.commands.run(`curl -sSi ${flag} '${at('api.test', origin, '/hints')}'`);
      assert.match(stdout, /^HTTP\/\S+ 103[^]*link: <\/style.css>[^]*HTTP\/\S+ 200[^]*"hinted":true/i, `${flag} to ${origin}`);
      const broken = await curl(box, at('api.test', origin, '/reset'), flag);
      assert.ok([18, 56, 92].includes(broken.code), `${flag} to ${origin}: ${JSON.stringify(broken)}`);
    }
  }
});

test('a byte at a time is passed on as it comes', { skip }, async (t) => {
  const box = await create(t);
  for (const flag of ['--http1.1', '--http2']) assert.equal((await curl(box, at('api.test', 'tls', '/slow?bytes=12'), flag)).body, '012345678901');
});
