// Vivarium's own abilities: diff, verify, fork, faults, clock, apps of one's own, hot reload.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Server } from '../support/server.js';
import { call, post, request, withClient } from '../support/mcp.js';

let server;
before(async () => (server = await Server.start()));
after(() => server.stop());

const api = (method, id, what, json) => server.call(method, `/api/viv/worlds/${id}/${what}`, json === undefined ? {} : { json });

async function slackWithOneMessage() {
  const sandbox = await server.acquire('slack');
  const channel = await withClient(sandbox.server_url, async (client) => {
    const { channels } = await call(client, 'slack_user_list_channels');
    await call(client, 'slack_user_post_message', { channel_id: channels[0].id, text: 'from the test' });
    return channels[0].id;
  });
  return { ...sandbox, channel };
}

test('the diff names what changed, and only that', async () => {
  const { sandbox_id } = await slackWithOneMessage();
  const { status, body } = await api('GET', sandbox_id, 'diff');
  assert.equal(status, 200);
  assert.equal(body.summary.inserted, 1);
  assert.deepEqual(Object.keys(body.tables), ['message']);
  assert.equal(body.tables.message.inserted[0].text, 'from the test');
  await server.call('POST', `/sandbox/slack/${sandbox_id}/reset`);
  assert.deepEqual((await api('GET', sandbox_id, 'diff')).body.tables, {});
});

test('verify answers each expectation with pass or fail and why', async () => {
  const { sandbox_id } = await slackWithOneMessage();
  const { status, body } = await api('POST', sandbox_id, 'verify', {
    expectations: [
      { name: 'posted', sql: 'SELECT count(*) FROM message WHERE text = :t', params: { t: 'from the test' }, equals: 1 },
      { name: 'one more than before', sql: 'SELECT (SELECT count(*) FROM message) - (SELECT count(*) FROM base.message)', equals: 1 },
      { name: 'only a message', diff: { table: 'message', inserted: 1, updated: 0, deleted: 0 } },
      { name: 'people as before', unchanged: ['user', 'channel'] },
      { name: 'document', json: '$.channels[0].name', exists: true },
      { name: 'wrong', sql: 'SELECT 1', equals: 2 },
    ],
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.results.map((one) => one.passed), [true, true, true, true, true, false]);
  assert.equal(body.passed, false);
  assert.equal(body.results[5].reason, 'expected 2, got 1');
});

test('verify only reads, whatever it is asked', async () => {
  const { sandbox_id } = await slackWithOneMessage();
  for (const sql of ['DELETE FROM message', 'SELECT 1; DELETE FROM message', 'PRAGMA writable_schema=1', "ATTACH '/etc/passwd' AS x", 'nonsense',
    "SELECT load_extension('x')", 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c']) {
    const { status, body } = await api('POST', sandbox_id, 'verify', { expectations: [{ sql, equals: 1 }] });
    assert.equal(status, 400, sql);
    assert.equal(body.error.code, 'invalid_argument');
  }
  for (const json of [{}, { expectations: 5 }, { expectations: [5] }, { expectations: [{}] }, { expectations: [{ sql: 5, equals: 1 }] }]) {
    assert.equal((await api('POST', sandbox_id, 'verify', json)).status, 400);
  }
  assert.equal((await api('GET', sandbox_id, 'diff')).body.summary.inserted, 1);
});

test('a fork starts from the same state and goes its own way', async () => {
  const origin = await slackWithOneMessage();
  const { status, body: fork } = await api('POST', origin.sandbox_id, 'fork');
  assert.equal(status, 201);
  assert.notEqual(fork.sandbox_id, origin.sandbox_id);
  const texts = (url) => withClient(url, async (client) =>
    (await call(client, 'slack_get_channel_history', { channel_id: origin.channel, limit: 3 })).messages.map((one) => one.text));
  assert.deepEqual(await texts(fork.server_url), await texts(origin.server_url));
  await withClient(fork.server_url, (client) => call(client, 'slack_user_post_message', { channel_id: origin.channel, text: 'only in the fork' }));
  assert.equal((await texts(fork.server_url))[0], 'only in the fork');
  assert.equal((await texts(origin.server_url))[0], 'from the test');
  assert.equal((await api('GET', fork.sandbox_id, 'diff')).body.summary.inserted, 2, 'the diff is against the common start');
});

test('the same calls on two clones give the same ids and times', async () => {
  const run = async () => {
    const { server_url, sandbox_id } = await server.acquire('slack');
    const posted = await withClient(server_url, (client) => call(client, 'slack_user_post_message', { channel_id: 'C01GENERAL', text: 'same' }));
    await server.call('DELETE', `/sandbox/slack/${sandbox_id}`);
    return posted;
  };
  assert.deepEqual(await run(), await run());
});

test('faults come by tool, are counted, and survive a restart', async () => {
  const own = await Server.start();
  try {
    const { sandbox_id, server_url } = await own.acquire('slack');
    const list = (url) => post(url, request('tools/call', { name: 'slack_list_users', arguments: {} }));
    const set = (faults) => own.call('PUT', `/api/viv/worlds/${sandbox_id}/faults`, { json: { faults } });
    assert.equal((await set([{ tool: 'slack_list_*', error: 'internal_error', times: 1 }])).status, 200);
    const failed = await list(server_url);
    assert.equal(failed.body.result.isError, true);
    assert.equal(failed.body.result.content[0].text, 'internal_error');
    assert.equal((await list(server_url)).body.result.isError, undefined);

    await set([{ tool: '*', rate_limit: { calls: 2, retry_after_s: 7 }, status: 429 }]);
    assert.equal((await list(server_url)).status, 200);
    assert.equal((await list(server_url)).status, 200);
    const limited = await list(server_url);
    assert.equal(limited.status, 429);
    assert.equal(limited.headers.get('retry-after'), '7');

    await set([{ tool: 'slack_list_users', latency_ms: 150 }]);
    const begun = performance.now();
    await list(server_url);
    assert.ok(performance.now() - begun >= 149, 'the latency is there');

    await set([{ tool: '*', error: 'still broken' }]);
    await own.crashAndRestart();
    const moved = server_url.replace(/127\.0\.0\.1:\d+/, own.address);
    assert.equal((await list(moved)).body.result.content[0].text, 'still broken');
    for (const wrong of [[{}], [{ tool: 5, error: 'x' }], [{ tool: '*' }], [{ tool: '*', error: 'x', every: 0 }], [{ tool: '*', latency_ms: -1 }], [{ tool: '*', eror: 'x' }]]) {
      const { status, body } = await set(wrong);
      assert.equal(status, 400, JSON.stringify(wrong));
      assert.match(body.error.message, /faults\[0\]/);
    }
  } finally {
    await own.stop();
  }
});

test('the clock moves with changes, stands still when frozen, and can be set', async () => {
  const { sandbox_id, server_url } = await server.acquire('slack');
  const now = async () => Date.parse((await api('GET', sandbox_id, 'clock')).body.now);
  const say = (client) => call(client, 'slack_user_post_message', { channel_id: 'C01GENERAL', text: 'tick' });
  const start = await now();
  await withClient(server_url, async (client) => {
    await say(client);
    assert.equal(await now(), start + 1000);
    const frozen = await api('PUT', sandbox_id, 'clock', { mode: 'frozen', now: '2030-01-01T00:00:00Z' });
    assert.equal(frozen.status, 200);
    const posted = await say(client);
    assert.equal(Math.floor(Number(posted.ts)), Date.parse('2030-01-01T00:00:00Z') / 1000);
    assert.equal(await now(), Date.parse('2030-01-01T00:00:00Z'));
  });
  assert.equal((await api('PUT', sandbox_id, 'clock', { mode: 'sideways' })).status, 400);
  assert.equal((await api('PUT', sandbox_id, 'clock', { mode: 'frozen', now: 'soon' })).status, 400);
});

test('an app of one\'s own works like the built-in ones, and a changed one serves new sandboxes', async () => {
  const apps = mkdtempSync(join(tmpdir(), 'viv-apps-'));
  const tool = (text) => `- {name: say, description: Say it., text: "SELECT '${text}'"}\n`;
  mkdirSync(join(apps, 'echo/tools'), { recursive: true });
  writeFileSync(join(apps, 'echo/app.yaml'), 'name: echo\nprofiles:\n  default: {tools: [tools/say.yaml]}\n');
  writeFileSync(join(apps, 'echo/schema.sql'), 'CREATE TABLE t (x);\n');
  writeFileSync(join(apps, 'echo/tools/say.yaml'), tool('one'));
  mkdirSync(join(apps, 'broken/tools'), { recursive: true });
  writeFileSync(join(apps, 'broken/app.yaml'), 'name: broken\nprofiles:\n  default: {tools: [tools/x.yaml]}\n');
  writeFileSync(join(apps, 'broken/schema.sql'), '');
  writeFileSync(join(apps, 'broken/tools/x.yaml'), '- name: x\n  description: d\n  steps:\n    - run: SELEC 1\n  text: SELECT 1\n');
  const own = await Server.start({ args: ['--apps', apps] });
  try {
    assert.match(own.log, /app\.not_loaded app=broken error=.*broken\/tools\/x\.yaml:4/, 'a bad app is named with file and line');
    assert.equal((await own.call('POST', '/sandbox/broken')).status, 422);
    const say = (url) => withClient(url, (client) => call(client, 'say'));
    const first = await own.acquire('echo');
    assert.equal(await say(first.server_url), 'one');
    writeFileSync(join(apps, 'echo/tools/say.yaml'), tool('two'));
    let second;
    for (let i = 0; i < 100; ++i) {
      second = await own.acquire('echo');
      if ((await say(second.server_url)) === 'two') break;
      await new Promise((done) => setTimeout(done, 100));
    }
    assert.equal(await say(second.server_url), 'two');
    assert.equal(await say(first.server_url), 'one', 'a sandbox keeps the version it was made from');
    await own.crashAndRestart();
    assert.equal(await say(first.server_url.replace(/127\.0\.0\.1:\d+/, own.address)), 'one', 'after a restart, too');
  } finally {
    await own.stop();
    rmSync(apps, { recursive: true });
  }
});

test('another account sees none of it', async () => {
  const { sandbox_id } = await server.acquire('slack');
  for (const [method, what] of [['GET', 'diff'], ['POST', 'verify'], ['POST', 'fork'], ['PUT', 'faults'], ['GET', 'faults'], ['PUT', 'clock'], ['GET', 'clock'], ['GET', 'dump']]) {
    const raw = method === 'GET' ? undefined : '{"expectations":[],"faults":[],"mode":"tick"}';
    const nobody = await server.call(method, `/api/viv/worlds/${sandbox_id}/${what}`, { raw, headers: {} });
    assert.equal(nobody.status, 401, what);
    const lost = await server.call(method, `/api/viv/worlds/${crypto.randomUUID()}/${what}`, { raw });
    assert.equal(lost.status, 404, what);
  }
});

test('keys are made, listed without their secret, and revoked', async () => {
  const made = await server.call('POST', '/api/viv/keys', { json: { name: 'ci' } });
  assert.equal(made.status, 201);
  assert.match(made.body.key, /^e2b_[0-9a-f]{40}$/);
  const headers = { Authorization: `Bearer ${made.body.key}` };
  assert.equal((await server.call('GET', '/sandbox', { headers })).status, 200);
  const listed = await server.call('GET', '/api/viv/keys');
  assert.equal(JSON.stringify(listed.body).includes(made.body.key), false);
  assert.ok(listed.body.keys.some((key) => key.id === made.body.id && key.name === 'ci'));
  assert.equal((await server.call('DELETE', `/api/viv/keys/${made.body.id}`)).status, 204);
  assert.equal((await server.call('GET', '/sandbox', { headers })).status, 403);
  assert.equal((await server.call('DELETE', '/api/viv/keys/nope')).status, 404);
  assert.equal(readFileSync(join(server.data, 'viv.db')).includes(made.body.key), false, 'the key is not in the store');
  assert.equal(server.log.includes(made.body.key), false, 'nor in the log');
});
