// proxy_config's callbacks: a server of the user's own tells which headers a request shall have. It knows by a token
// that the question is ours; when it fails, nothing leaves the sandbox.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { opaqueSecret } from 'langsmith/sandbox';
import { giving, startCallback, verified } from '../support/callback.js';
import { until } from '../support/e2b.js';
import { withSandboxes } from '../support/langsmith.js';
import { startOrigins } from '../support/origins.js';

const origins = await startOrigins();
after(() => origins.stop());
const { skip, port } = origins;
const host = withSandboxes({ args: origins.serverArgs });

const secure = (path = '/', name = 'api.test') => `https://${name}:${port.tls}${path}`;
const plain = (path = '/', name = 'api.test') => `http://${name}:${port.plain}${path}`;
const failure = 'callback resolution failed';

async function callbackFor(t, answer) {
  const callback = await startCallback(answer);
  t.after(() => callback.stop());
  return callback;
}
const asking = (url, more = {}, rules = []) => ({ rules, callbacks: [{ match_hosts: ['api.test'], url, ttl_seconds: 60, ...more }] });

async function curl(box, url, options = '') {
  const { stdout, stderr } = await box.run(`curl -sS --max-time 100 -w '\\n%{http_code}' ${options} '${url}'`, { timeout: 150 });
  const [, text, status] = /^([^]*)\n(\d+)$/.exec(stdout) ?? assert.fail(stdout + stderr);
  return { status: Number(status), text };
}
async function headersOf(box, url, options) {
  const answer = await curl(box, url, options);
  assert.equal(answer.status, 200, `${url}: ${answer.text}`);
  return JSON.parse(answer.text).headers;
}

test('its headers are added, and its question says who asks, signed', { skip }, async (t) => {
  const callback = await callbackFor(t, giving({ Authorization: 'Bearer from-callback', 'x-more': 'yes' }));
  const url = callback.url('/headers?for=test');
  const box = await host.create(t, {
    proxyConfig: asking(url, { request_headers: [{ name: 'X-Plain', type: 'plaintext', value: 'shown' }, { name: 'X-Opaque', ...opaqueSecret('sealed-0123456789') }] }),
  });
  const headers = await headersOf(box, secure('/secret?query=1'), `-H 'Authorization: own' -d 'the body'`);
  assert.deepEqual([headers.authorization, headers['x-more']], ['Bearer from-callback', 'yes']);
  assert.equal(callback.asked.length, 1);
  const [question] = callback.asked;
  assert.deepEqual([question.method, question.path, question.headers['content-type']], ['POST', '/headers?for=test', 'application/json']);
  assert.deepEqual([question.headers['x-plain'], question.headers['x-opaque']], ['shown', 'sealed-0123456789']);
  const { identity, ...rest } = question.body;
  assert.deepEqual(rest, { host: 'api.test', port: port.tls }, 'nothing of the request is told');
  assert.equal(identity.sandbox_id, box.id);
  for (const id of [identity.tenant_id, identity.organization_id]) assert.match(id, /^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  const claims = await verified(question, host.server.url);
  assert.deepEqual([claims.iss, claims.sub, claims.aud], [host.server.url, 'langsmith-sandbox-callback', url]);
  assert.ok(claims.jti);
  const shown = JSON.stringify((await host.call('GET', `/boxes/${box.id}`)).body.proxy_config.callbacks);
  assert.ok(shown.includes('"is_set":true') && !shown.includes('sealed-'), shown);
});

test('its own headers are sent as they are given, but for those that the question has itself', { skip }, async (t) => {
  const callback = await callbackFor(t, giving({ 'X-Given': 'yes' }));
  const given = { 'User-Agent': 'mine/1', Accept: 'text/mine', 'Content-Type': 'text/plain', 'X-LangSmith-Signature-JWT': 'forged' };
  const request_headers = Object.entries(given).map(([name, value]) => ({ name, type: 'plaintext', value }));
  const url = callback.url().replace('http:', 'HTTP:');
  const box = await host.create(t, { proxyConfig: asking(url, { request_headers }) });
  assert.equal((await headersOf(box, secure()))['x-given'], 'yes');
  const [question] = callback.asked;
  assert.deepEqual([question.headers['user-agent'], question.headers.accept], ['mine/1', 'text/mine']);
  assert.equal(question.headers['content-type'], 'application/json');
  assert.equal((await verified(question, host.server.url)).aud, url);
});

test('an answer is kept for its host; rules come before callbacks', { skip }, async (t) => {
  let count = 0;
  const callback = await callbackFor(t, (response) => giving({ 'X-Count': String(++count) })(response));
  const rule = { name: 'ruled', match_hosts: ['api.test'], match_paths: ['/ruled/*'], headers: [{ name: 'X-Count', type: 'plaintext', value: 'rule' }] };
  const box = await host.create(t, { proxyConfig: asking(callback.url(), { match_hosts: ['api.test', '*.api.test'] }, [rule]) });
  const countOf = async (url) => (await headersOf(box, url))['x-count'];
  assert.equal(await countOf(secure('/ruled/x')), 'rule');
  assert.equal(count, 0);
  assert.equal(await countOf(secure('/one')), '1');
  assert.equal(await countOf(secure('/two')), '1');
  assert.equal(await countOf(secure('/', 'sub.api.test')), '2');
  assert.equal(await countOf(secure('/three')), '1');
  assert.deepEqual(callback.asked.map(({ body }) => body.host), ['api.test', 'sub.api.test']);
  // Another sandbox asks for itself, and so does this one after an update.
  const second = await host.create(t, { proxyConfig: asking(callback.url()) });
  assert.equal((await headersOf(second, secure()))['x-count'], '3');
  await host.client.updateSandbox(box.name, { proxyConfig: asking(callback.url(), { ttl_seconds: 3600 }) });
  assert.equal(await countOf(secure()), '4');
  await host.client.stopSandbox(box.name);
  await host.client.startSandbox(box.name, { timeout: 60 });
  assert.match(await countOf(secure()), /^[45]$/);
});

test('requests that come at once share one question', { skip }, async (t) => {
  const callback = await callbackFor(t, giving({ 'X-Given': 'yes' }));
  const box = await host.create(t, { proxyConfig: asking(callback.url()) });
  const { stdout } = await box.run(`seq 20 | xargs -P 20 -I{} curl -sS '${secure('/at-once/')}{}' | grep -o '"x-given":"yes"' | wc -l`, { timeout: 120 });
  assert.equal(stdout.trim(), '20');
  assert.equal(callback.asked.length, 1);
});

test('full_request asks every time and tells all of the request', { skip }, async (t) => {
  const callback = await callbackFor(t, giving({ 'X-Given': 'yes' }));
  const box = await host.create(t, { proxyConfig: asking(callback.url(), { full_request: true }) });
  await headersOf(box, plain('/first/path?a=1&b=%20'), `-X PUT -H 'X-Own: mine' -d 'the body'`);
  const { request } = callback.asked[0].body;
  assert.deepEqual([request.method, request.scheme, request.host, request.path, request.query], ['PUT', 'http', 'api.test', '/first/path', 'a=1&b=%20']);
  assert.ok(request.url.startsWith('http://api.test') && request.url.endsWith('/first/path?a=1&b=%20'), request.url);
  assert.equal(Buffer.from(request.body_base64, 'base64').toString(), 'the body');
  assert.equal(request.body_truncated, false);
  const own = Object.entries(request.headers).find(([name]) => name.toLowerCase() === 'x-own');
  assert.deepEqual(own?.[1], ['mine']);
  await verified(callback.asked[0], host.server.url);
  await headersOf(box, plain('/second'));
  await headersOf(box, secure('/third'));
  assert.deepEqual(callback.asked.map(({ body }) => body.request.path), ['/first/path', '/second', '/third']);
  // Of a body that is larger a mebibyte is told, and the origin gets all of it.
  const large = await box.run(`head -c 3000000 /dev/zero | curl -sS --data-binary @- '${secure('/drain')}'`, { timeout: 120 });
  assert.equal(JSON.parse(large.stdout).size, 3_000_000);
  const told = callback.asked.at(-1).body.request;
  assert.equal(Buffer.from(told.body_base64, 'base64').length, 1 << 20);
  assert.equal(told.body_truncated, true);
});

test('a callback that fails lets nothing out, and is asked again', { skip }, async (t) => {
  const failures = {
    refusing: (response) => response.writeHead(403).end('no'),
    breaking: (response) => response.destroy(),
    redirecting: (response) => response.writeHead(302, { Location: '/elsewhere' }).end(),
    'not JSON': (response) => response.end('<html>'),
    'not an object': (response) => response.end('[]'),
    'without headers': (response) => response.end('{"header": {}}'),
    'headers that are none': (response) => response.end('{"headers": {"X-A": 1}}'),
    'a header of two lines': giving({ 'X-A': 'a\r\nX-B: b' }),
    'a name with a space': giving({ 'X A': 'a' }),
    'a reserved header': giving({ Host: 'evil.test' }),
    'a length': giving({ 'content-length': '0' }),
    'much too much': giving({ 'X-A': 'x'.repeat(200_000) }),
  };
  let answer;
  const callback = await callbackFor(t, (response, question) => answer(response, question));
  const box = await host.create(t, { proxyConfig: asking(callback.url()) });
  const seen = origins.seen.length;
  for (const [name, failing] of Object.entries(failures)) {
    answer = failing;
    const before = callback.asked.length;
    assert.deepEqual(await curl(box, secure(`/fails`)), { status: 502, text: failure }, name);
    assert.equal(callback.asked.length, before + 1, `${name}: a redirect is not followed, a failure not kept`);
  }
  assert.deepEqual(await curl(box, plain('/fails')), { status: 502, text: failure });
  assert.equal(origins.seen.length, seen, 'a request went out');
  answer = giving({ 'X-Given': 'at last' });
  assert.equal((await headersOf(box, secure()))['x-given'], 'at last');
});

test('a callback that hangs, or is nowhere, is given up', { skip }, async (t) => {
  const hanging = await callbackFor(t, () => {});
  const box = await host.create(t, { proxyConfig: asking(hanging.url()) });
  assert.deepEqual(await curl(box, secure('/hangs')), { status: 502, text: failure });
  await until(() => hanging.asked.length > 0);
  hanging.stop();
  assert.deepEqual(await curl(box, secure('/hangs')), { status: 502, text: failure });
  await host.client.updateSandbox(box.name, { proxyConfig: asking('http://nowhere.invalid/') });
  assert.deepEqual(await curl(box, secure('/hangs')), { status: 502, text: failure });
  assert.equal(origins.last('/hangs'), undefined);
});
