// E2B's control plane request by request: what the SDK does not show, older operations, and every refusal.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Template, Volume } from 'e2b';
import { rejection, withBoxes } from '../support/e2b.js';

const host = withBoxes();
const unknown = 'i00000000000000000000';
const call = (method, path, json, headers = {}) =>
  host.server.call(method, path, { json, headers: { 'X-API-Key': host.server.key, 'Content-Type': 'application/json', ...headers } });

/** An error with its code in the body, as the clients want it. */
async function refused(status, method, path, json, headers) {
  const answer = await call(method, path, json, headers);
  assert.equal(answer.status, status, `${method} ${path} ${JSON.stringify(json)}: ${answer.status} ${JSON.stringify(answer.body)}`);
  assert.equal(answer.body.code, status);
  assert.ok(answer.body.message, 'it says why');
  return answer.body.message;
}

/** A sandbox made by a raw request. */
async function make(t, json = { templateID: 'base' }, { path = '/v2/sandboxes', headers } = {}) {
  const { status, body } = await call('POST', path, json, headers);
  assert.equal(status, 201, JSON.stringify(body));
  host.keep(t, { sandboxId: body.sandboxID });
  return body;
}

test('the key is taken in either header, and asked for', async () => {
  assert.equal((await call('GET', '/v2/sandboxes')).status, 200);
  const bearer = await host.server.call('GET', '/v2/sandboxes', { headers: { Authorization: `Bearer ${host.server.key}` } });
  assert.equal(bearer.status, 200);
  for (const headers of [{}, { 'X-API-Key': 'e2b_0000' }, { Authorization: 'Bearer nobody' }]) {
    const { status, body } = await host.server.call('GET', '/v2/sandboxes', { headers });
    assert.equal(status, 401);
    assert.equal(body.code, 401);
  }
});

test('both forms of create answer the same shape, with their own default time', async (t) => {
  for (const [path, seconds] of [['/v2/sandboxes', 300], ['/sandboxes', 15]]) {
    const made = await make(t, { templateID: 'base' }, { path });
    assert.match(made.sandboxID, /^i[a-z0-9]{20}$/);
    for (const name of ['templateID', 'clientID', 'envdVersion', 'envdAccessToken']) assert.equal(typeof made[name], 'string', name);
    const { body: info } = await call('GET', `/sandboxes/${made.sandboxID}`);
    assert.ok(Math.abs(Date.parse(info.endAt) - Date.parse(info.startedAt) - seconds * 1000) < 2_000, `${path}: ${info.startedAt} ${info.endAt}`);
    assert.equal((await call('GET', `/sandboxes/${made.sandboxID}-${made.clientID}`)).status, 200);
  }
});

test('a create that makes no sense is refused', async () => {
  const base = { templateID: 'base' };
  for (const json of [
    undefined, [], {}, { templateID: 5 }, { templateID: 'a b' },
    { ...base, timeout: 0 }, { ...base, timeout: -1 }, { ...base, timeout: 86_401 }, { ...base, timeout: '60' },
    { ...base, metadata: { a: 1 } }, { ...base, metadata: 'a=b' }, { ...base, envVars: { 'A=B': 'c' } }, { ...base, envVars: { A: null } },
    { ...base, autoPauseMemory: false }, { ...base, autoPause: true, autoPauseMemory: false, autoResume: { enabled: true } },
    { ...base, network: { httpsPorts: [49983] } }, { ...base, network: { maskRequestHost: 'a\r\nb' } },
    { ...base, network: { rules: { 'a.example': [{ transform: { headers: { Host: 'b' } } }] } } }, { ...base, volumeMounts: [{ name: 'v', path: '/v' }] },
  ]) await refused(400, 'POST', '/v2/sandboxes', json);
  await refused(404, 'POST', '/v2/sandboxes', { templateID: 'no-such-template' });
  const { status, body } = await host.server.call('POST', '/v2/sandboxes', { raw: '{"templateID": ', headers: host.server.headers() });
  assert.equal(status, 400);
  assert.equal(body.code, 400);
});

test('the same idempotency key gives the same sandbox', async (t) => {
  const headers = { 'Idempotency-Key': `k${Date.now()}` };
  const first = await make(t, { templateID: 'base' }, { headers });
  const second = await call('POST', '/v2/sandboxes', { templateID: 'base' }, headers);
  assert.equal(second.status, 201);
  assert.deepEqual(second.body, first);
  await refused(409, 'POST', '/v2/sandboxes', { templateID: 'base', timeout: 7 }, headers);
});

test('lists name their limits', async (t) => {
  await make(t, { templateID: 'base', metadata: { list: 'yes' } });
  await make(t, { templateID: 'base', metadata: { list: 'yes' } });
  const page = await call('GET', '/v2/sandboxes?metadata=list%3Dyes&limit=1');
  assert.equal(page.body.length, 1);
  assert.equal(page.headers.get('x-total-running'), '2');
  const token = page.headers.get('x-next-token');
  const rest = await call('GET', `/v2/sandboxes?metadata=list%3Dyes&limit=1&nextToken=${token}`);
  assert.notEqual(rest.body[0].sandboxID, page.body[0].sandboxID);
  assert.equal(rest.headers.get('x-next-token'), null);
  await refused(400, 'GET', `/v2/sandboxes?order=asc&nextToken=${token}`);
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'nextToken=!', 'state=gone', 'order=up', 'metadata=x', 'startedAfter=now', 'template=base:v1']) {
    await refused(400, 'GET', `/v2/sandboxes?${query}`);
  }
  assert.equal((await call('GET', '/sandboxes?metadata=list%3Dyes')).body.length, 2);
});

test('what is not there is told in the words that clients know', async () => {
  const words = `Sandbox "${unknown}" doesn't exist or you don't have access to it`;
  for (const [method, path, json] of [
    ['GET', ''], ['DELETE', ''], ['POST', '/pause', {}], ['POST', '/resume', {}], ['POST', '/connect', { timeout: 1 }], ['POST', '/timeout', { timeout: 1 }],
    ['POST', '/refreshes', {}], ['PUT', '/network', {}], ['POST', '/fork', {}], ['POST', '/snapshots', {}], ['GET', '/metrics'], ['GET', '/logs'],
  ]) assert.equal(await refused(404, method, `/sandboxes/${unknown}${path}`, json), words);
  assert.equal(await refused(404, 'POST', `/v2/sandboxes/${unknown}/connect`, {}), words);
});

test('a key is made through the API and works until it is deleted', async (t) => {
  const { sandboxID } = await make(t);
  const { body: made } = await call('POST', '/api-keys', { name: 'another key of the same account' });
  assert.match(made.key, /^e2b_[0-9a-f]{40}$/);
  assert.equal((await call('GET', `/sandboxes/${sandboxID}`, undefined, { 'X-API-Key': made.key })).status, 200);
  assert.equal((await call('DELETE', `/api-keys/${made.id}`)).status, 204);
  await refused(401, 'GET', `/sandboxes/${sandboxID}`, undefined, { 'X-API-Key': made.key });
});

test('older operations still work', async (t) => {
  const { sandboxID } = await make(t);
  const path = `/sandboxes/${sandboxID}`;
  assert.equal((await call('POST', `${path}/refreshes`, { duration: 600 })).status, 204);
  await refused(400, 'POST', `${path}/refreshes`, { duration: 3601 });
  await refused(400, 'POST', `${path}/connect`, {});
  await refused(409, 'POST', `${path}/resume`, {});
  assert.equal((await call('POST', `${path}/pause`)).status, 204);
  assert.equal(await refused(409, 'POST', `${path}/pause`, {}), `Error pausing sandbox - sandbox '${sandboxID}' is already paused`);
  assert.equal((await call('POST', `${path}/resume`, { timeout: 60 })).status, 201);
  assert.equal((await call('POST', `${path}/connect`, { timeout: 60 })).status, 200);
  for (const { line } of (await call('GET', `${path}/logs`)).body.logs) assert.ok(JSON.parse(line).level);
  assert.ok(Array.isArray((await call('GET', `/v2/sandboxes/${sandboxID}/logs?limit=5&direction=backward`)).body.logs));
  assert.ok((await call('GET', `/sandboxes/metrics?sandbox_ids=${sandboxID}`)).body.sandboxes);
});

test('the account describes itself', async () => {
  const { body: [team] } = await call('GET', '/teams');
  assert.equal(team.isDefault, true);
  assert.ok(Array.isArray((await call('GET', `/teams/${team.teamID}/metrics`)).body));
  await refused(403, 'GET', '/teams/somebody/metrics');
  assert.equal((await host.server.call('GET', '/health', { headers: {} })).status, 200);
  const { body: [base] } = await call('GET', '/templates');
  assert.equal((await call('GET', `/templates/${base.templateID}`)).body.builds[0].status, 'ready');
  assert.deepEqual(await Template.exists('base', { apiKey: host.server.key, apiUrl: host.server.url }), true);
  assert.deepEqual(await Template.exists('no-such', { apiKey: host.server.key, apiUrl: host.server.url }), false);
});

test('what is not available says what to use instead', async () => {
  const options = { apiKey: host.server.key, apiUrl: host.server.url };
  assert.match((await rejection(Volume.create('v', options))).message, /not available here/);
  assert.match((await rejection(Template.build(Template().fromBaseImage(), 'mine', options))).message, /snapshot/);
  for (const path of ['/events/sandboxes', '/events/webhooks']) assert.match(await refused(400, 'GET', path), /here: /);
});

test('unknown paths have the same shape', async () => {
  await refused(404, 'GET', '/sandboxes/x/y/z');
  await refused(405, 'PATCH', '/v2/sandboxes', {});
});
