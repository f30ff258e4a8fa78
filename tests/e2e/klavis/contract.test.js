// The hosted API's contract, request by request: shapes, filters, leases, and every refusal in FastAPI's form.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Server } from '../support/server.js';
import { post, request } from '../support/mcp.js';

let server;
before(async () => (server = await Server.start()));
after(() => server.stop());

const problem = (body, index = 0) => body.detail[index];

test('acquire takes an empty body, {} and null', async () => {
  for (const raw of [undefined, '', '{}', 'null']) {
    const { status, body } = await server.call('POST', '/sandbox/slack', { raw });
    assert.equal(status, 201, `body ${raw}`);
    assert.match(body.sandbox_id, /^[0-9a-f-]{36}$/);
  }
});

test('unknown fields are ignored, names match whatever their case', async () => {
  const { status, body } = await server.call('POST', '/sandbox/SLACK', { json: { color: 'red' } });
  assert.equal(status, 201);
  assert.equal(body.server_name, 'slack');
});

test('wrong types are named with their place', async () => {
  const cases = [
    [{ benchmark: 'Nope' }, ['body', 'benchmark'], 'enum'],
    [{ benchmark: 5 }, ['body', 'benchmark'], 'enum'],
    [{ test_account_email: 5 }, ['body', 'test_account_email'], 'string_type'],
    [{ tags: 'x' }, ['body', 'tags'], 'dict_type'],
    [{ tags: ['a', 5] }, ['body', 'tags', 1], 'string_type'],
    [{ tag: 5 }, ['body', 'tag'], 'string_type'],
    [{ ttl_seconds: 59 }, ['body', 'ttl_seconds'], 'greater_than_equal'],
    [{ ttl_seconds: 86401 }, ['body', 'ttl_seconds'], 'less_than_equal'],
    [{ ttl_seconds: 60.5 }, ['body', 'ttl_seconds'], 'int_from_float'],
    [{ ttl_seconds: 'soon' }, ['body', 'ttl_seconds'], 'int_parsing'],
    [{ ttl_seconds: [] }, ['body', 'ttl_seconds'], 'int_type'],
    [[1], ['body'], 'model_attributes_type'],
    ['text', ['body'], 'model_attributes_type'],
  ];
  for (const [json, loc, type] of cases) {
    const { status, body } = await server.call('POST', '/sandbox/slack', { json });
    assert.equal(status, 422, JSON.stringify(json));
    assert.deepEqual(problem(body).loc, loc, JSON.stringify(json));
    assert.equal(problem(body).type, type);
    assert.equal(typeof problem(body).msg, 'string');
  }
  const both = await server.call('POST', '/sandbox/slack', { json: { benchmark: 'X', ttl_seconds: 1 } });
  assert.equal(both.body.detail.length, 2, 'every problem is reported at once');
  assert.deepEqual(problem(both.body, 1).ctx, { ge: 60 });
});

test('broken JSON, deep JSON and invalid UTF-8 are refused', async () => {
  const broken = await server.call('POST', '/sandbox/slack', { raw: '{"benchmark": ' });
  assert.equal(broken.status, 422);
  assert.equal(problem(broken.body).type, 'json_invalid');
  assert.equal(problem(broken.body).loc[0], 'body');
  const deep = await server.call('POST', '/sandbox/slack', { raw: '['.repeat(100_000) });
  assert.equal(deep.status, 422);
  const latin = await server.call('POST', '/sandbox/slack', { raw: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) });
  assert.equal(latin.status, 422);
});

test('tags come back in the shape they were given and filter the list', async () => {
  const object = await server.acquire('gmail', { tags: { env: 'prod', team: 'a' } });
  const list = await server.acquire('gmail', { tags: ['blue', 'green'] });
  const tag = await server.acquire('jira', { tag: 'blue' });
  const shown = async (query) => (await server.call('GET', `/sandbox?${query}`)).body;
  const ids = (page) => page.sandboxes.map((one) => one.sandbox_id).sort();

  assert.deepEqual(ids(await shown(`tags=${encodeURIComponent('{"env":"prod"}')}`)), [object.sandbox_id]);
  assert.deepEqual(ids(await shown(`tags=${encodeURIComponent('{"env":"test"}')}`)), []);
  assert.deepEqual(ids(await shown('tag=blue')), [list.sandbox_id, tag.sandbox_id].sort());
  assert.deepEqual(ids(await shown('tag=blue&server_name=JIRA')), [tag.sandbox_id]);
  assert.deepEqual(ids(await shown('server_name=GMail')), [object.sandbox_id, list.sandbox_id].sort());
  const all = await shown('');
  assert.equal(all.total_count, all.sandboxes.length);
  const item = all.sandboxes.find((one) => one.sandbox_id === object.sandbox_id);
  assert.deepEqual(item.tags, { env: 'prod', team: 'a' });
  assert.equal(item.status, 'occupied');
  const details = await server.call('GET', `/sandbox/gmail/${list.sandbox_id}`);
  assert.deepEqual(details.body.tags, ['blue', 'green']);

  const broken = await server.call('GET', '/sandbox?tags=%7Bnope');
  assert.equal(broken.status, 422);
  assert.deepEqual(problem(broken.body).loc, ['query', 'tags']);
});

test('a particular test account can be asked for', async () => {
  const first = await server.acquire('notion', { test_account_email: 'ann@example.com' });
  const again = await server.call('POST', '/sandbox/notion', { json: { test_account_email: 'ann@example.com' } });
  assert.equal(again.status, 409, 'it is held');
  await server.call('DELETE', `/sandbox/notion/${first.sandbox_id}`);
  const later = await server.acquire('notion', { test_account_email: 'ann@example.com' });
  assert.equal(later.sandbox_id, first.sandbox_id);
});

test('a release names the lease it means', async () => {
  const { sandbox_id, server_url } = await server.acquire('slack');
  const lease = new URL(server_url).searchParams.get('instance_id');
  const skipped = await server.call('DELETE', `/sandbox/slack/${sandbox_id}?instance_id=${crypto.randomUUID()}&is_ttl=true`);
  assert.equal(skipped.status, 200);
  assert.equal(skipped.body.status, 'occupied');
  assert.match(skipped.body.message, /skipped/i);
  const wrong = await server.call('DELETE', `/sandbox/slack/${sandbox_id}?is_ttl=maybe`);
  assert.equal(wrong.status, 422);
  const released = await server.call('DELETE', `/sandbox/slack/${sandbox_id}?instance_id=${lease}`);
  assert.equal(released.body.status, 'idle');
  const twice = await server.call('DELETE', `/sandbox/slack/${sandbox_id}`);
  assert.equal(twice.status, 404);
});

test('what is not yours does not exist', async () => {
  const mine = await server.acquire('slack');
  const unknown = await server.call('GET', `/sandbox/slack/${crypto.randomUUID()}`);
  assert.equal(unknown.status, 404);
  for (const id of ['nope', '..%2f..%2fetc%2fpasswd', "'%20OR%201=1"]) {
    const { status, body } = await server.call('GET', `/sandbox/slack/${id}`);
    assert.equal(status, 404);
    assert.deepEqual(body, unknown.body);
  }
  const otherServer = await server.call('GET', `/sandbox/jira/${mine.sandbox_id}`);
  assert.deepEqual([otherServer.status, otherServer.body], [404, unknown.body]);
  for (const [method, path] of [['POST', 'reset'], ['GET', 'dump'], ['POST', 'initialize']]) {
    const { status } = await server.call(method, `/sandbox/slack/${crypto.randomUUID()}/${path}`, { raw: method === 'POST' ? '{}' : undefined });
    assert.equal(status, 404);
  }
});

test('keys are accepted in both headers, in any case, and refused in the vendor\'s words', async () => {
  const list = (headers) => server.call('GET', '/sandbox', { headers });
  assert.equal((await list({ 'x-api-key': server.key })).status, 200);
  assert.equal((await list({ 'X-API-KEY': server.key })).status, 200);
  assert.equal((await list({ authorization: `bearer ${server.key}` })).status, 200);
  assert.deepEqual((await list({})).body, { detail: 'Not authenticated' });
  assert.equal((await list({})).status, 401);
  assert.equal((await list({ Authorization: 'Bearer wrong' })).status, 403);
});

test('the same API stands under its own prefix', async () => {
  assert.equal((await server.call('POST', '/klavis/sandbox/slack')).status, 201);
  assert.equal((await server.call('GET', '/klavis/sandbox')).status, 200);
});

test('unknown paths and methods are answered as FastAPI does', async () => {
  const lost = await server.call('GET', '/sandbox/slack/x/y/z');
  assert.deepEqual([lost.status, lost.body], [404, { detail: 'Not Found' }]);
  const method = await server.call('PATCH', '/sandbox/slack/x');
  assert.deepEqual([method.status, method.body], [405, { detail: 'Method Not Allowed' }]);
  assert.match(method.headers.get('allow'), /GET/);
});

test('initialize replaces the state, dump gives it back, old names work, mistakes change nothing', async () => {
  const { sandbox_id } = await server.acquire('github');
  const path = `/sandbox/github/${sandbox_id}`;
  const repos = (data) => data.repos.map((one) => one.name);
  const started = await server.call('POST', `${path}/initialize`, {
    json: { repos: [{ name: 'alpha', branches: [{ name: 'main' }], issues: [{ title: 'old name', state: 'open', body: 'text' }] }] },
  });
  assert.equal(started.status, 200, JSON.stringify(started.body));
  let dump = (await server.call('GET', `${path}/dump`)).body;
  assert.deepEqual(repos(dump.data), ['alpha']);
  assert.equal(dump.data.repos[0].issues[0].issue_title, 'old name');

  const wrong = await server.call('POST', `${path}/initialize`, { json: { repos: [{ name: 'x' }, { name: 5, issues: [{}] }] } });
  assert.equal(wrong.status, 422);
  assert.deepEqual(wrong.body.detail.map((one) => one.loc), [
    ['body', 'repos', 1, 'name'],
    ['body', 'repos', 1, 'issues', 0, 'issue_title'],
  ]);
  dump = (await server.call('GET', `${path}/dump`)).body;
  assert.deepEqual(repos(dump.data), ['alpha'], 'a refused document changes nothing');

  assert.equal((await server.call('POST', `${path}/initialize`, { raw: '' })).status, 400);
  assert.equal((await server.call('POST', `${path}/initialize?init_default_data=perhaps`, { json: {} })).status, 422);
  const defaults = await server.call('POST', `${path}/initialize?init_default_data=true`, { raw: 'null' });
  assert.equal(defaults.status, 200);
  dump = (await server.call('GET', `${path}/dump`)).body;
  assert.ok(repos(dump.data).length > 1, 'the default data is there');
  await server.call('POST', `${path}/initialize`, { json: {} });
  dump = (await server.call('GET', `${path}/dump`)).body;
  assert.deepEqual(dump.data, { repos: [] });
});

test('the default dump initializes again, and what is there twice is told by its field', async () => {
  const { sandbox_id: one } = await server.acquire('github');
  const { sandbox_id: two } = await server.acquire('github');
  const { body: { data } } = await server.call('GET', `/sandbox/github/${one}/dump`);
  assert.equal((await server.call('POST', `/sandbox/github/${two}/initialize`, { json: data })).status, 200);
  assert.deepEqual((await server.call('GET', `/sandbox/github/${two}/dump`)).body.data, data);
  const twice = await server.call('POST', `/sandbox/github/${two}/initialize`, { json: { repos: [{ name: 'a' }, { name: 'a' }] } });
  assert.deepEqual([twice.status, twice.body.detail], [400, 'repos[1]: owner left out, name "a" are there already; use these together only once']);
});

test('apps without a data model have neither initialize nor dump', async () => {
  const { sandbox_id } = await server.acquire('calculator');
  assert.equal((await server.call('GET', `/sandbox/calculator/${sandbox_id}/dump`)).status, 404);
});

test('a lease that has run out is gone, everywhere', async () => {
  // The shortest lease is a minute; the record is made older by hand while the server is down.
  const own = await Server.start();
  try {
    const held = await own.acquire('slack', { ttl_seconds: 60 });
    own.process.kill('SIGKILL');
    await own.exited;
    execFileSync('python3', ['-c', `
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("UPDATE sandbox SET expires_at_us = expires_at_us - 3600000000")
db.commit()`, `${own.data}/viv.db`]);
    await own.launch();
    assert.equal((await own.call('GET', `/sandbox/slack/${held.sandbox_id}`)).status, 404);
    const gone = await post(held.server_url.replace(/127\.0\.0\.1:\d+/, own.address), request('ping'));
    assert.equal(gone.status, 404);
    const next = await own.acquire('slack');
    assert.notEqual(next.server_url.split('=')[1], held.server_url.split('=')[1]);
  } finally {
    await own.stop();
  }
});

test('a body past the limit is refused and loses nothing', async () => {
  const own = await Server.start({ args: ['--body-max', '10000'] });
  try {
    const { sandbox_id } = await own.acquire('slack');
    const large = { channels: [{ name: 'x', description: 'y'.repeat(20_000) }] };
    const refused = await own.call('POST', `/sandbox/slack/${sandbox_id}/initialize`, { json: large });
    assert.equal(refused.status, 413);
    assert.equal(typeof refused.body.detail, 'string');
    assert.equal((await own.call('GET', `/sandbox/slack/${sandbox_id}`)).status, 200);
  } finally {
    await own.stop();
  }
});

test('a world that cannot be read is an error until it is reset', async () => {
  const own = await Server.start();
  try {
    const { sandbox_id, server_url } = await own.acquire('slack');
    const lease = new URL(server_url).searchParams.get('instance_id');
    own.process.kill('SIGKILL');
    await own.exited;
    writeFileSync(`${own.data}/worlds/${lease.slice(0, 2)}/${lease}.log`, 'this is not what a world log looks like');
    await own.launch();
    const moved = server_url.replace(/127\.0\.0\.1:\d+/, own.address);
    const list = () => post(moved, request('tools/call', { name: 'slack_list_users', arguments: {} }));
    assert.equal((await list()).body.error.code, -32603);
    assert.equal((await own.call('GET', `/sandbox/slack/${sandbox_id}`)).body.status, 'error');
    assert.equal((await own.call('POST', `/sandbox/slack/${sandbox_id}/reset`)).status, 200);
    assert.equal((await own.call('GET', `/sandbox/slack/${sandbox_id}`)).body.status, 'occupied');
    assert.equal((await list()).body.result.isError, undefined);
  } finally {
    await own.stop();
  }
});

test('another account\'s sandbox is answered exactly as one that does not exist', async () => {
  const own = await Server.start();
  try {
    const mine = await own.acquire('slack', { tag: 'mine' });
    own.process.kill('SIGKILL');
    await own.exited;
    // There is no call that makes accounts yet: a second one is put into the store by hand.
    const key = `e2b_${'5'.repeat(40)}`;
    execFileSync('python3', ['-c', `
import hashlib, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("INSERT INTO account (id, organization_id, name, created_at_us) VALUES ('other', 'default', 'other', 1)")
db.execute("INSERT INTO api_key (id, account_id, name, hash, prefix, created_at_us) VALUES ('k', 'other', 'k', ?, 'e2b_5555', 1)",
           (hashlib.sha256(sys.argv[2].encode()).hexdigest(),))
db.commit()`, `${own.data}/viv.db`, key]);
    await own.launch();
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const other = (method, path, raw) => own.call(method, path, { headers, raw });
    assert.deepEqual((await other('GET', '/sandbox')).body, { sandboxes: [], total_count: 0 });
    for (const [method, what, raw] of [['GET', ''], ['DELETE', ''], ['POST', '/reset'], ['GET', '/dump'], ['POST', '/initialize', '{}']]) {
      const theirs = await other(method, `/sandbox/slack/${mine.sandbox_id}${what}`, raw);
      const nobodys = await other(method, `/sandbox/slack/${crypto.randomUUID()}${what}`, raw);
      assert.deepEqual([theirs.status, theirs.body], [404, nobodys.body], `${method} ${what}`);
    }
    for (const [method, what, raw] of [['GET', 'diff'], ['POST', 'fork'], ['POST', 'verify', '[]'], ['PUT', 'faults', '{"faults":[]}'], ['GET', 'clock']]) {
      assert.equal((await other(method, `/api/viv/worlds/${mine.sandbox_id}/${what}`, raw)).status, 404, what);
    }
    const theirOwn = await other('POST', '/sandbox/slack');
    assert.notEqual(theirOwn.body.sandbox_id, mine.sandbox_id);
    assert.equal((await own.call('GET', `/sandbox/slack/${mine.sandbox_id}`)).status, 200, 'and it is still mine');
  } finally {
    await own.stop();
  }
});
