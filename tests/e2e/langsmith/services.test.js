// Services, download links and the waking of stopped sandboxes, by the SDK where it has a method for it.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { test } from 'node:test';
import { LangSmithResourceNotFoundError, LangSmithSandboxError, LangSmithValidationError } from 'langsmith/sandbox';
import WebSocket from 'ws';
import { atEnd, rejection, until } from '../support/e2b.js';
import { mirror, socketMirror } from '../support/guests.js';
import { clientOf, makeAccount, withSandboxes } from '../support/langsmith.js';
import { Server } from '../support/server.js';

const host = withSandboxes();
const TOKEN = 'X-Langsmith-Sandbox-Service-Token';

/** Runs a Python program in the sandbox until it listens. */
async function serve(sandbox, program, port) {
  await sandbox.write(`/tmp/serve-${port}.py`, program);
  const started = await sandbox.run(
    `setsid nohup python3 /tmp/serve-${port}.py 0.0.0.0 ${port} > /tmp/log-${port} 2>&1 < /dev/null & ` +
      `until grep -q listening /tmp/log-${port}; do sleep 0.05; done`,
  );
  assert.equal(started.exit_code, 0, started.stderr);
}

/** A token's grant, raw. */
async function share(sandbox, body) {
  const { status, body: grant } = await host.call('POST', `/boxes/${sandbox.name}/service-url`, body);
  assert.equal(status, 200, JSON.stringify(grant));
  return grant;
}

/** A raw request, whose head may say anything: { status, headers, text }. With `send: null` its body never comes. */
const rawRequest = (url, { method = 'GET', headers = {}, send = '' } = {}) =>
  new Promise((done, fail) => {
    const asked = request(url, { method, headers }, (response) => {
      let text = '';
      response.on('data', (data) => (text += data)).on('end', () => {
        done({ status: response.statusCode, headers: response.headers, text });
        if (send === null) asked.destroy();
      });
    });
    asked.on('error', fail);
    if (send === null) asked.flushHeaders();
    else asked.end(send);
  });

/** The id that other dialects know a sandbox by, out of the UUID in its addresses. */
function boxOfUuid(uuid) {
  const bits = BigInt('0x' + uuid.replaceAll('-', ''));
  let number = (((bits >> 80n) << 74n) | (((bits >> 64n) & 0xfffn) << 62n) | (bits & ((1n << 62n) - 1n))) >> 18n;
  let id = '';
  for (let i = 0; i < 20; i++, number /= 36n) id = 'abcdefghijklmnopqrstuvwxyz0123456789'[Number(number % 36n)] + id;
  return `i${id}`;
}

const status = async (url, init) => {
  const response = await fetch(url, { redirect: 'manual', ...init });
  await response.arrayBuffer();
  return response.status;
};

test('the SDK fetches from a service in the sandbox', async (t) => {
  const sandbox = await host.create(t);
  await serve(sandbox, mirror, 8000);
  const service = await host.client.serviceUrl(sandbox.name, { port: 8000 });
  assert.ok((await service.serviceUrl()).endsWith('/'));
  assert.ok(Date.parse(await service.expiresAt()) > Date.now() + 500_000);
  assert.equal((await service.token()).split('.').length, 3);
  const body = randomBytes(3_000_000);
  const response = await service.fetch('/a%20b/c?d=%C3%A9&e', { method: 'PUT', body, headers: { 'X-Custom': 'kept' } });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('x-from'), 'box');
  const seen = await response.json();
  assert.equal(seen.method, 'PUT');
  assert.equal(seen.path, '/a%20b/c?d=%C3%A9&e');
  assert.equal(seen.headers['x-custom'], 'kept');
  assert.equal(seen.sha256, createHash('sha256').update(body).digest('hex'));
  assert.ok(!(TOKEN.toLowerCase() in seen.headers), 'the token stays outside');
  for (const method of ['GET', 'POST', 'DELETE', 'PATCH', 'OPTIONS']) {
    assert.equal((await (await service.fetch('/', { method })).json()).method, method);
  }
  assert.equal((await service.fetch('/teapot')).status, 418);
  const head = await service.fetch('/', { method: 'HEAD' });
  assert.ok(Number(head.headers.get('content-length')) > 0);
});

test('a token near its end is refreshed by the SDK, and both hold', async (t) => {
  const sandbox = await host.create(t);
  await serve(sandbox, mirror, 8000);
  const service = await host.client.serviceUrl(sandbox.name, { port: 8000, expiresInSeconds: 30 });
  const [first, second] = [await service.token(), await service.token()];
  assert.notEqual(first, second);
  const url = await service.serviceUrl();
  for (const token of [first, second]) assert.equal(await status(url, { headers: { [TOKEN]: token } }), 200);
});

test('a WebSocket reaches a service', async (t) => {
  const sandbox = await host.create(t);
  await serve(sandbox, socketMirror, 9000);
  const service = await host.client.serviceUrl(sandbox.name, { port: 9000 });
  const url = (await service.serviceUrl()).replace('http', 'ws') + 'chat';
  const socket = new WebSocket(url, { headers: { [TOKEN]: await service.token() }, perMessageDeflate: false });
  await new Promise((done, fail) => socket.once('open', done).once('error', fail));
  const say = (data) => new Promise((done) => (socket.once('message', (reply, binary) => done(binary ? reply : String(reply))), socket.send(data)));
  assert.equal(await say('grüße'), 'grüße');
  const large = randomBytes(100_000);
  assert.deepEqual(await say(large), large);
  const closed = new Promise((done) => socket.once('close', done));
  socket.close(1000);
  assert.equal(await closed, 1000);
  const refused = new WebSocket(url);
  const error = await new Promise((done) => refused.once('error', done));
  assert.match(error.message, /401/);
});

test('a browser gets a cookie for this service alone', async (t) => {
  const sandbox = await host.create(t);
  await serve(sandbox, mirror, 8000);
  const service = await host.client.serviceUrl(sandbox.name, { port: 8000 });
  const url = await service.serviceUrl();
  const login = await fetch(await service.browserUrl(), { redirect: 'manual' });
  assert.equal(login.status, 302);
  const prefix = new URL(url).pathname;
  assert.equal(login.headers.get('location'), prefix);
  const cookie = login.headers.get('set-cookie');
  assert.match(cookie, /; HttpOnly; SameSite=Lax/);
  assert.ok(cookie.includes(`; Path=${prefix};`), cookie);
  assert.ok(!cookie.includes('Secure'));
  const own = cookie.split(';')[0];
  const seen = await (await fetch(url + 'page', { headers: { Cookie: `a=b; ${own}; c=d` } })).json();
  assert.equal(seen.path, '/page');
  assert.equal(seen.headers.cookie, 'a=b; c=d');
  const browser = { Cookie: own, 'User-Agent': 'Mozilla/5.0', Accept: 'text/html' };
  const away = await fetch(url + 'away', { headers: browser, redirect: 'manual' });
  assert.equal(away.headers.get('location'), prefix + 'login?from=away');
  const sets = (await fetch(url + 'cookie', { headers: browser })).headers;
  assert.equal(sets.get('set-cookie'), `sid=1; HttpOnly; Path=${prefix}`);
  assert.equal(sets.get('service-worker-allowed'), null);
  assert.equal((await fetch(url + 'steal', { headers: browser })).headers.get('set-cookie'), null);
  assert.equal(await status(url, { method: 'POST', headers: { ...browser, Origin: 'https://evil.example' } }), 401);
  const page = await rawRequest(url, { headers: { 'User-Agent': 'Mozilla/5.0', Accept: 'text/html' } });
  assert.equal(page.status, 401);
  assert.match(page.text, /<h1>Authentication required<\/h1>/);
  for (const next of ['//evil.example', 'https://evil.example', '/../../x', '/\\evil.example']) {
    const odd = await fetch(`${await service.browserUrl()}&next=${encodeURIComponent(next)}`, { redirect: 'manual' });
    assert.equal(odd.headers.get('location'), prefix, next);
  }
  const right = await fetch(`${await service.browserUrl()}&next=${encodeURIComponent('/page?x=1')}`, { redirect: 'manual' });
  assert.equal(right.headers.get('location'), prefix + 'page?x=1');
});

test('an expired token opens nothing', async (t) => {
  const sandbox = await host.create(t);
  await serve(sandbox, mirror, 8000);
  const grant = await share(sandbox, { port: 8000, expires_in_seconds: 3 });
  const visit = () => fetch(grant.service_url, { headers: { [TOKEN]: grant.token } });
  assert.equal((await visit()).status, 200);
  const refused = await until(async () => {
    const response = await visit();
    return response.status === 401 && response;
  }, 'the end of the token');
  assert.equal((await refused.json()).detail.message, 'Service link has expired');
  assert.equal(await status(grant.browser_url), 401);
});

test('a token opens its own sandbox and port only', async (t) => {
  const [one, two] = [await host.create(t), await host.create(t)];
  for (const sandbox of [one, two]) await serve(sandbox, mirror, 8000);
  const mine = await share(one, { port: 8000 });
  const theirs = await share(two, { port: 8000 });
  assert.equal(await status(mine.service_url, { headers: { [TOKEN]: mine.token } }), 200);
  assert.equal(await status(theirs.service_url, { headers: { [TOKEN]: mine.token } }), 401);
  assert.equal(await status(theirs.service_url, { headers: { Cookie: `viv_service=${mine.token}` } }), 401);
  assert.equal(await status(mine.service_url.replace('/8000/', '/8001/'), { headers: { [TOKEN]: mine.token } }), 401);
  assert.equal(await status(mine.service_url), 401);
  assert.equal(await status(mine.service_url, { headers: { 'X-Api-Key': host.server.key } }), 401);
  const changed = mine.token.slice(0, -2) + (mine.token.endsWith('AA') ? 'BB' : 'AA');
  assert.equal(await status(mine.service_url, { headers: { [TOKEN]: changed } }), 401);
  const link = await one.generateDownloadURL('/etc/hostname');
  assert.equal(await status(mine.service_url, { headers: { [TOKEN]: link.token } }), 401);
});

test('a port nobody listens on is not reachable', async (t) => {
  const sandbox = await host.create(t);
  const service = await host.client.serviceUrl(sandbox.name, { port: 9 });
  const response = await service.fetch('/');
  assert.equal(response.status, 502);
  assert.equal((await response.json()).detail.message, 'Service is not reachable');
});

test('what is wrong with a request for a service is said', async (t) => {
  const sandbox = await host.create(t);
  await rejection(host.client.serviceUrl(sandbox.name, { port: 0 }), LangSmithValidationError);
  await rejection(host.client.serviceUrl('no-such-box', { port: 80 }), LangSmithResourceNotFoundError);
  for (const body of [{}, { port: 0 }, { port: 65536 }, { port: 80, expires_in_seconds: 0 }, { port: 80, expires_in_seconds: 86401 }, { port: 80, access: 'all' }, { port: 80, embed_origins: ['https://app.example.com/page'] }]) {
    await host.refused(422, undefined, 'POST', `/boxes/${sandbox.name}/service-url`, body);
  }
  const stranger = await makeAccount(host.server, 'a stranger to services');
  await rejection(stranger.client.serviceUrl(sandbox.name, { port: 80 }), LangSmithResourceNotFoundError);
  await host.refused(404, 'ResourceNotFound', 'GET', `/boxes/${sandbox.name}/service-urls`, undefined, { key: stranger.key });
});

test('login: those with a key of the owner enter, and the guest learns who', async (t) => {
  const sandbox = await host.create(t);
  await serve(sandbox, mirror, 8000);
  const login = await host.client.serviceUrl(sandbox.name, { port: 8000, access: 'restricted' });
  assert.equal(login.access, 'restricted');
  const url = login.url;
  const asked = await fetch(url);
  assert.equal(asked.status, 401);
  assert.match(asked.headers.get('www-authenticate'), /^Basic /);
  const basic = 'Basic ' + Buffer.from(`me:${host.server.key}`).toString('base64');
  for (const headers of [{ 'X-Api-Key': host.server.key }, { Authorization: `Bearer ${host.server.key}` }, { Authorization: basic }]) {
    const response = await fetch(url, { headers: { ...headers, 'X-Langsmith-User-Id': 'forged', 'X-Langsmith-User-Email': 'forged' } });
    assert.equal(response.status, 200);
    const seen = (await response.json()).headers;
    assert.ok(seen['x-langsmith-user-id'] && seen['x-langsmith-user-id'] !== 'forged');
    for (const name of ['x-api-key', 'authorization', 'x-langsmith-user-email']) assert.ok(!(name in seen), name);
  }
  assert.equal(await status(url, { headers: { 'X-Api-Key': 'wrong' } }), 401);
  const conflict = await rejection(host.client.serviceUrl(sandbox.name, { port: 8000 }), LangSmithSandboxError);
  assert.match(conflict.message, /shared by login/);
  await host.refused(409, 'Conflict', 'POST', `/boxes/${sandbox.name}/service-url`, { port: 8000 });
  assert.equal((await host.client.serviceUrl(sandbox.name, { port: 8000, access: 'workspace' })).access, 'workspace');
  const listed = await host.call('GET', `/boxes/${sandbox.name}/service-urls`);
  assert.deepEqual(listed.body.items.map(({ port, access }) => ({ port, access })), [{ port: 8000, access: 'workspace' }]);
  const off = await host.call('POST', `/boxes/${sandbox.name}/service-url`, { port: 8000, access: 'off' });
  assert.deepEqual([off.status, off.body.access], [200, undefined]);
  assert.equal(await status(off.body.service_url, { headers: { 'X-Langsmith-Sandbox-Service-Token': off.body.token } }), 200);
  assert.equal(await status(url, { headers: { 'X-Api-Key': host.server.key } }), 401);
  assert.ok(await (await host.client.serviceUrl(sandbox.name, { port: 8000 })).token());
});

test('grants are listed, removed, and survive a restart of the server', async (t) => {
  const own = await Server.start({ boxes: 'keep' });
  atEnd(t, () => own.stop());
  const client = clientOf(own);
  const sandbox = await client.createSandbox();
  atEnd(t, () => clientOf(own).deleteSandbox(sandbox.name));
  const call = (method, path, json) =>
    own.call(method, `/v2/sandboxes/boxes/${sandbox.name}${path}`, { json, headers: { 'X-Api-Key': own.key, 'Content-Type': 'application/json' } });
  const { body: grant } = await call('POST', '/service-url', { port: 8000 });
  await call('POST', '/service-url', { port: 8001, access: 'restricted' });
  await own.crashAndRestart();
  const ports = async () => (await call('GET', '/service-urls')).body.items.map((item) => item.port);
  assert.deepEqual(await ports(), [8000, 8001]);
  const address = new URL(grant.service_url).pathname;
  assert.equal(await status(own.url + address, { headers: { [TOKEN]: grant.token } }), 502, 'the token holds, nobody listens');
  assert.equal((await call('DELETE', '/service-urls?port=8000')).status, 204);
  assert.deepEqual(await ports(), [8001]);
  assert.equal((await call('DELETE', '/service-urls')).status, 204);
  assert.deepEqual(await ports(), []);
  assert.equal(await status(own.url + address, { headers: { [TOKEN]: grant.token } }), 401, 'it ended with its grant');
});

test('the address of a service is no key: other dialects do not reach the port either', async (t) => {
  const sandbox = await host.create(t);
  await serve(sandbox, mirror, 8000);
  const grant = await share(sandbox, { port: 8000, access: 'restricted' });
  const [uuid] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(grant.service_url);
  const id = boxOfUuid(uuid);
  for (const headers of [
    { 'E2b-Sandbox-Id': id, 'E2b-Sandbox-Port': '8000' },
    { Host: `8000-${id}.box.test` },
    { 'E2b-Sandbox-Id': id, 'E2b-Sandbox-Port': '8000', 'E2B-Traffic-Access-Token': 'guessed' },
  ]) {
    const { status: code, text } = await rawRequest(host.server.url + '/', { headers });
    assert.equal(code, 403, text);
    assert.match(text, /traffic access token/);
  }
  const seen = await host.server.call('GET', `/sandboxes/${id}`, { headers: { 'X-API-Key': host.server.key } });
  assert.equal(seen.body.network.allowPublicTraffic, false, 'the id is that of the box');
});

test('a service that is shared no more lets nobody in, whatever token or cookie they have', async (t) => {
  const sandbox = await host.create(t);
  await serve(sandbox, mirror, 8000);
  const first = await share(sandbox, { port: 8000 });
  const enter = (token) => status(first.service_url, { headers: { [TOKEN]: token } });
  const enterByCookie = (token) => status(first.service_url, { headers: { Cookie: `viv_service=${token}` } });
  assert.deepEqual([await enter(first.token), await enterByCookie(first.token)], [200, 200]);
  assert.equal((await host.call('DELETE', `/boxes/${sandbox.name}/service-urls?port=8000`)).status, 204);
  assert.deepEqual([await enter(first.token), await enterByCookie(first.token)], [401, 401]);
  const second = await share(sandbox, { port: 8000 });
  assert.deepEqual([await enter(first.token), await enter(second.token)], [401, 200]);
  await share(sandbox, { port: 8000, access: 'restricted' });
  assert.deepEqual([await enter(second.token), await enterByCookie(second.token)], [401, 401]);
});

test('the pages that were named may show a service in a frame', async (t) => {
  const sandbox = await host.create(t);
  await serve(sandbox, mirror, 8000);
  const embed_origins = ['https://app.example.com', 'http://localhost:3000'];
  const grant = await share(sandbox, { port: 8000, embed_origins });
  assert.deepEqual(grant.embed_origins, embed_origins);
  const response = await fetch(grant.service_url, { headers: { [TOKEN]: grant.token } });
  assert.equal(response.headers.get('content-security-policy'), `frame-ancestors 'self' ${embed_origins.join(' ')}`);
  const { body } = await host.call('GET', `/boxes/${sandbox.name}/service-urls`);
  assert.deepEqual(body.items[0].embed_origins, embed_origins);
  await host.refused(422, undefined, 'POST', `/boxes/${sandbox.name}/service-url`, { port: 8000, embed_origins: ['https://*.example.com'] });
});

test('where the server has a domain, a service has a name in it', async (t) => {
  const own = await Server.start({ boxes: true, args: ['--domain', 'box.test:7443'] });
  atEnd(t, () => own.stop());
  const sandbox = await clientOf(own).createSandbox();
  await serve(sandbox, mirror, 8000);
  const service = await clientOf(own).serviceUrl(sandbox.name, { port: 8000 });
  const name = `${sandbox.id}--8000.box.test:7443`;
  assert.equal(await service.serviceUrl(), `http://${name}/`);
  const headers = { Host: name, [TOKEN]: await service.token() };
  const found = await rawRequest(`${own.url}/v2/sandboxes/boxes?x=1`, { headers });
  assert.equal(found.status, 200);
  assert.equal(JSON.parse(found.text).path, '/v2/sandboxes/boxes?x=1');
  assert.equal((await rawRequest(own.url, { headers: { Host: name } })).status, 401);
  const login = await rawRequest(`${own.url}/_svc/auth?token=${headers[TOKEN]}`, { headers: { Host: name } });
  assert.equal(login.headers.location, '/');
  assert.match(String(login.headers['set-cookie']), /; Path=\/;/);
});

test('a download link needs no key, and knows ranges, HEAD and what it was told to say', async (t) => {
  const sandbox = await host.create(t);
  const data = randomBytes(300_000);
  await sandbox.write('/tmp/dir/a file.bin', data);
  const link = await sandbox.generateDownloadURL('/tmp/dir/a file.bin');
  assert.equal(link.expires_at, null);
  const whole = await fetch(link.download_url);
  assert.equal(whole.status, 200);
  assert.deepEqual(Buffer.from(await whole.arrayBuffer()), data);
  const etag = whole.headers.get('etag');
  assert.ok(etag && !etag.startsWith('W/'));
  const part = await fetch(link.download_url, { headers: { Range: 'bytes=100-199', 'If-Range': etag } });
  assert.equal(part.status, 206);
  assert.equal(part.headers.get('content-range'), `bytes 100-199/${data.length}`);
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), data.subarray(100, 200));
  const tail = await fetch(link.download_url, { headers: { Range: 'bytes=-5' } });
  assert.deepEqual(Buffer.from(await tail.arrayBuffer()), data.subarray(-5));
  assert.equal(await status(link.download_url, { headers: { Range: `bytes=${data.length}-` } }), 416);
  assert.equal(await status(link.download_url, { headers: { 'If-None-Match': etag } }), 304);
  const head = await fetch(link.download_url, { method: 'HEAD' });
  assert.equal(head.status, 200);
  assert.equal(head.headers.get('content-length'), String(data.length));
  assert.equal(await status(link.download_url, { method: 'POST', body: 'x' }), 405);
  const shown = await sandbox.generateDownloadURL('/tmp/dir/a file.bin', { contentType: 'text/plain', contentDisposition: 'inline' });
  const said = await fetch(shown.download_url);
  assert.equal(said.headers.get('content-type'), 'text/plain');
  assert.match(said.headers.get('content-disposition'), /^inline/);
  const kept = await sandbox.generateDownloadURL('/tmp/dir/a file.bin', { contentDisposition: 'attachment' });
  assert.match((await fetch(kept.download_url)).headers.get('content-disposition'), /^attachment/);
});

test('a download link that was changed, is over, or has lost its file or sandbox opens nothing', async (t) => {
  const sandbox = await host.create(t);
  await sandbox.write('/tmp/a', 'text');
  const link = await sandbox.generateDownloadURL('/tmp/a');
  assert.equal(await status(link.download_url.slice(0, -3) + 'AAA'), 403);
  assert.equal(await status(link.download_url.slice(0, link.download_url.indexOf('?'))), 403);
  assert.equal(await (await fetch(`${link.download_url}&path=/etc/passwd`)).text(), 'text', 'nothing repoints it');
  const service = await share(sandbox, { port: 80 });
  assert.equal(await status(link.download_url.replace(link.token, service.token)), 403);
  const short = await sandbox.generateDownloadURL('/tmp/a', { expiresInSeconds: 3 });
  assert.ok(Date.parse(short.expires_at) > Date.now());
  assert.equal(await status(short.download_url), 200);
  const over = await until(async () => {
    const response = await fetch(short.download_url);
    return response.status === 410 && response;
  }, 'the end of the link');
  assert.equal((await over.json()).detail.message, 'Download link has expired');
  await sandbox.run('rm /tmp/a');
  assert.equal(await status(link.download_url), 404);
  await rejection(sandbox.generateDownloadURL('/tmp/a', { expiresInSeconds: 0 }), LangSmithValidationError);
  for (const body of [{}, { path: '' }, { path: '/a', content_type: 'a/b\r\nX: y' }, { path: '/a', content_disposition: 'x' }, { path: '/a', expires_in_seconds: 0 }]) {
    await host.refused(422, undefined, 'POST', `/boxes/${sandbox.name}/download-url`, body);
  }
  await sandbox.delete();
  assert.equal(await status(link.download_url), 404);
  assert.equal(await status(service.service_url, { headers: { [TOKEN]: service.token } }), 404);
});

test('a stopped sandbox wakes on a command, a file, a link and a service, at the same address', async (t) => {
  const sandbox = await host.create(t);
  const address = sandbox.dataplane_url;
  await sandbox.write('/tmp/kept', 'still here');
  const link = await sandbox.generateDownloadURL('/tmp/kept');
  const service = await share(sandbox, { port: 8000 });
  const statusOf = async () => (await host.client.getSandboxStatus(sandbox.name)).status;
  const ways = {
    command: async () => assert.equal((await sandbox.run('cat /tmp/kept')).stdout, 'still here'),
    file: async () => assert.equal(Buffer.from(await sandbox.read('/tmp/kept')).toString(), 'still here'),
    search: async () => assert.equal((await sandbox.grep('still', '/tmp')).matches.length, 1),
    link: async () => assert.equal(await (await fetch(link.download_url)).text(), 'still here'),
    'service without a listener': async () => assert.equal(await status(service.service_url, { headers: { [TOKEN]: service.token } }), 502),
  };
  for (const [name, wake] of Object.entries(ways)) {
    await host.client.stopSandbox(sandbox.name);
    assert.equal(await statusOf(), 'stopped');
    await wake();
    assert.equal(await statusOf(), 'ready', name);
    assert.equal((await host.client.getSandbox(sandbox.name)).dataplane_url, address);
  }
  await host.client.stopSandbox(sandbox.name);
  const stopped = async () => assert.equal(await statusOf(), 'stopped');
  assert.equal(await status(service.service_url), 401);
  assert.equal(await status(`${address}/execute`, { method: 'POST', body: '{}' }), 401);
  assert.equal(await status(link.download_url.slice(0, -3) + 'AAA'), 403);
  await stopped();
  const all = await Promise.all(Array.from({ length: 10 }, (_, i) => sandbox.run(`echo ${i}`)));
  assert.deepEqual(all.map((one) => one.stdout), Array.from({ length: 10 }, (_, i) => `${i}\n`), 'woken by many at once');
});

test('the data plane knows the owner only, and refuses before it reads', async (t) => {
  const sandbox = await host.create(t);
  const stranger = await makeAccount(host.server, 'a stranger to the data plane');
  const post = (url, key) => fetch(url, { method: 'POST', body: '{"command":"true"}', headers: { 'Content-Type': 'application/json', ...(key ? { 'X-Api-Key': key } : {}) } });
  for (const prefix of ['/v2/sandboxes', '/api/v2/sandboxes']) {
    for (const ref of [sandbox.id, sandbox.name]) {
      const url = `${host.server.url}${prefix}/${ref}/execute`;
      assert.equal((await post(url, host.server.key)).status, 200);
      const foreign = await post(url, stranger.key);
      assert.equal(foreign.status, 404);
      assert.equal((await foreign.json()).detail.error, 'ResourceNotFound');
      assert.equal((await post(url)).status, 401);
    }
  }
  const endless = { 'X-Api-Key': stranger.key, 'Content-Length': '1000000000', 'Content-Type': 'multipart/form-data; boundary=x' };
  const refused = await rawRequest(`${sandbox.dataplane_url}/upload?path=/tmp/x`, { method: 'POST', headers: endless, send: null });
  assert.equal(refused.status, 404);
});

test('a client of the E2B dialect cannot reach the data plane of the agent', async (t) => {
  const sandbox = await host.create(t);
  const box = (await host.server.call('GET', '/v2/sandboxes')).body[0];
  assert.ok(box, 'the other dialect lists it');
  for (const path of ['/dataplane/execute', '/dataplane/download?path=/etc/passwd', '/activity', '//dataplane/glob']) {
    assert.equal(await status(host.server.url + path, { headers: { 'E2b-Sandbox-Id': box.sandboxID } }), 404, path);
  }
  assert.ok(sandbox.id);
});
