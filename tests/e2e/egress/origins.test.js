// Origins that lie and misbehave, for a box whose rules add a key: each becomes a typed answer, and none that lies in its
// certificate gets the key.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { attempt } from '../support/attack.js';
import { withBoxes } from '../support/e2b.js';
import { ask, curl, egressLog, injecting } from '../support/egress.js';
import { startOrigins } from '../support/origins.js';

const origins = await startOrigins();
after(() => origins.stop());
const host = withBoxes({ args: origins.serverArgs });
const { skip, port } = origins;

const key = 'Bearer k3y-that-liars-want';
const create = (t) => host.create(t, { network: injecting(['api.test', 'private.test', 'metadata.test', 'loopback.test'], key) });
const liar = (which, path = '/x') => `https://api.test:${port.liar[which]}${path}`;

const reasons = { wrongName: /another name/, wideName: /another name/, expired: /expired/, notYet: /not yet|not valid/, selfSigned: /trust|signed/, unknownCa: /trust|signed/ };

test('an origin with a false certificate gets nothing, and the guest is told why', { skip }, async (t) => {
  const box = await create(t);
  for (const lie of origins.lies) {
    for (const flag of ['--http1.1', '--http2']) {
      const { status, body } = await curl(box, liar(lie), flag, '-d', 'body');
      assert.equal(status, 502, `${lie} ${flag}: ${status} ${body}`);
      assert.match(body, /api\.test/, `${lie}: ${body}`);
      assert.match(body, reasons[lie], `${lie}: ${body}`);
    }
    assert.equal(origins.heard(lie), '', lie);
  }
  const log = await egressLog(host.server, box);
  assert.equal(log.filter((one) => one.verdict === 'failed' && one.status === 502).length, origins.lies.length * 2);
  assert.ok(!JSON.stringify(log).includes('k3y'), 'the key is in the log');
});

test('an origin that breaks HTTP, TLS or the connection becomes a 502', { skip }, async (t) => {
  const box = await create(t);
  const broken = ['endlessHeaders', 'endlessInterim', 'garbage', 'badLength', 'twoLengths', 'splitHeader', 'hangUp', 'surpriseUpgrade', 'halfClosed', 'noTls', 'deafTls'];
  const answers = await Promise.all(broken.flatMap((which) => ['--http1.1', '--http2'].map(async (flag) => [which, flag, await curl(box, liar(which), flag)])));
  for (const [which, flag, { status, body }] of answers) {
    assert.equal(status, 502, `${which} ${flag}: ${status} ${body}`);
    assert.ok(body.length > 0 && body.length < 500, `${which} ${flag}: ${body}`);
    assert.ok(!body.includes('k3y'), `${which} ${flag}: ${body}`);
  }
  assert.ok(!origins.heard('noTls').includes('k3y') && !origins.heard('deafTls').includes('k3y'));
});

test('a body that is cut short or badly framed is seen as broken, never as whole', { skip }, async (t) => {
  const box = await create(t);
  for (const which of ['truncated', 'badChunk']) {
    for (const flag of ['--http1.1', '--http2']) {
      const { code, status } = await curl(box, liar(which), flag);
      assert.ok(code !== 0 || status === 502, `${which} ${flag}: ${code} ${status}`);
    }
  }
});

test('an answer that nobody asked for is nobody\'s answer', { skip }, async (t) => {
  const box = await create(t);
  const { stdout } = await box.commands.run(`curl -sSi --http1.1 '${liar('twoAnswers', '/1')}' '${liar('twoAnswers', '/2')}' '${liar('twoAnswers', '/3')}'`);
  assert.equal(stdout.match(/first/g)?.length, 3, stdout);
  assert.doesNotMatch(stdout, /second|X-Smuggled/i);
});

/** Posts by node, `count` times on each of four kept connections; how often each status or error came. */
async function postMany(box, url, count) {
  await box.files.write('/tmp/post.mjs', `
import https from 'node:https';
const agent = new https.Agent({ keepAlive: true, maxSockets: 4 });
const one = () => new Promise((done) => {
  const request = https.request('${url}', { method: 'POST', agent, headers: { 'content-length': 2 } }, (answer) => answer.resume().on('end', () => done(answer.statusCode)));
  request.on('error', (error) => done(error.code));
  request.flushHeaders();
  setImmediate(() => request.end('hi'));
});
const counts = {};
const worker = async () => {
  for (let i = 0; i < ${count}; i++) {
    const came = await one();
    counts[came] = (counts[came] ?? 0) + 1;
  }
};
await Promise.all([worker(), worker(), worker(), worker()]);
console.log(JSON.stringify(counts));
process.exit();`);
  const { stdout } = await box.commands.run('node /tmp/post.mjs', { timeoutMs: 90_000 });
  return JSON.parse(stdout);
}

test('an origin that answers before it has the body breaks no kept connection of the guest', { skip }, async (t) => {
  const box = await create(t);
  assert.deepEqual(await postMany(box, `https://api.test:${port.nginx}/no/such/file`, 100), { 404: 400 });
  assert.deepEqual(await postMany(box, `https://api.test:${port.nginx}/whoami`, 100), { 200: 400 });
  assert.deepEqual(await postMany(box, `https://api.test:${port.http1}/early`, 50), { 413: 200 });
});

test('what an origin refuses because its connection ends is sent on another one, whatever the method', { skip }, async (t) => {
  const box = await create(t);
  assert.deepEqual(await postMany(box, `https://api.test:${port.nginxBrief}/x`, 100), { 200: 400 });
  const urls = Array.from({ length: 100 }, (_, i) => `-X POST -d some-text-${i} https://api.test:${port.nginxBrief}/y -o /dev/null -w '%{http_code} '`).join(' --next -s --http2 ');
  const { stdout } = await box.commands.run(`curl -s --http2 ${urls}`, { timeoutMs: 90_000 });
  assert.deepEqual([...new Set(stdout.trim().split(' '))], ['200'], stdout);
});

test('a server that ends TLS without a goodbye is heard to its end', { skip }, async (t) => {
  const box = await create(t);
  const { certFile, keyFile } = origins.identity;
  const server = spawn('python3', ['-c', `
import http.server, ssl
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        if self.path == '/short': self.send_header('Content-Length', '1000000')
        self.end_headers()
        self.wfile.write(b'x' * 300000)
    def log_message(self, *args): pass
server = http.server.ThreadingHTTPServer(('${origins.address}', 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain('${certFile}', '${keyFile}')
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()`], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => server.kill());
  const [said] = await once(server.stdout, 'data');
  for (const flag of ['--http1.1', '--http2']) {
    const whole = await curl(box, `https://api.test:${Number(said)}/`, flag);
    assert.deepEqual([whole.code, whole.status, whole.body.length], [0, 200, 300_000], `${flag}: ${whole.error}`);
    const short = await curl(box, `https://api.test:${Number(said)}/short`, flag);
    assert.notEqual(short.code, 0, flag);
  }
});

test('an origin that never answers holds nobody else', { skip }, async (t) => {
  const box = await create(t);
  const waiting = attempt(box, `curl -sS --max-time 8 '${liar('silent')}'`);
  for (let i = 0; i < 5; i++) assert.equal((await ask(box, `https://api.test:${port.tls}/meanwhile`)).headers.authorization, key);
  assert.equal((await waiting).exitCode, 28);
});

test('a redirect is the guest\'s to follow: not to private addresses, and no key goes to other hosts', { skip }, async (t) => {
  const box = await create(t);
  const to = (url) => `https://api.test:${port.tls}/redirect?to=${encodeURIComponent(url)}`;
  assert.equal((await curl(box, to('http://169.254.169.254/'))).status, 302);
  for (const inside of ['http://169.254.169.254/latest/meta-data/', 'http://metadata.test/', 'https://private.test/', 'http://loopback.test/', 'http://[::ffff:10.0.0.1]/']) {
    const { code, status } = await curl(box, to(inside), '-L', '--max-time', '15');
    assert.ok(code !== 0 || status === 403 || status === 502, `${inside}: ${code} ${status}`);
  }
  const echo = await ask(box, to(`http://other.test:${port.plain}/elsewhere`), '-L');
  assert.equal(echo.url, '/elsewhere');
  assert.equal(echo.headers.authorization, undefined);
});
