// Statements of agents and of verify that try to take the server from everybody else: its threads, its memory, its
// process. Another account's worlds and boxes work on meanwhile.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { post, request } from '../support/mcp.js';
import { sdkOf } from '../support/e2b.js';
import { Server, program } from '../support/server.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
let server, apps, other;

// A server with boxes and the apps of this test alone.
before(async () => {
  apps = mkdtempSync(join(tmpdir(), 'viv-apps-'));
  for (const app of ['snowflake', 'slack']) cpSync(join(root, 'apps', app), join(apps, app), { recursive: true });
  server = await Server.start({ boxes: true, args: ['--apps', apps] });
  other = await account('other');
});
after(async () => {
  await server.stop();
  rmSync(apps, { recursive: true });
});

/** The key of a new account. */
async function account(name) {
  const args = ['account', 'create', name, '--url', server.url, '--data', server.data];
  const out = await new Promise((done, fail) =>
    execFile(program, args, { env: { ...process.env, VIV_API_KEY: '' } }, (error, text) => (error ? fail(error) : done(text))));
  return out.trim();
}

const headersOf = (key) => ({ Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' });

async function acquire(app, key = server.key) {
  const { status, body } = await server.call('POST', `/sandbox/${app}`, { json: {}, headers: headersOf(key) });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

const tool = (world, name, args) => post(world.server_url, request('tools/call', { name, arguments: args }));
const query = (world, sql) => tool(world, 'snowflake_execute_read_query', { query: sql });
const verify = (world, sql, key = server.key) =>
  server.call('POST', `/api/viv/worlds/${world.sandbox_id}/verify`, { json: { expectations: [{ sql, exists: true }] }, headers: headersOf(key) });

const endless = 'WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';
const hostile = [
  "SELECT TRIM(REPEAT('a',400000),REPEAT('b',400000)||'a')",
  "SELECT CONTAINS(REPEAT('a',4000000),REPEAT('a',2000000)||'b')",
  "SELECT TRANSLATE(REPEAT('a',4000000),REPEAT('b',1000000)||'a',REPEAT('c',1000001))",
  "SELECT CHARINDEX(REPEAT('a',2000000)||'b',REPEAT('a',4000000))",
  "SELECT POSITION(REPEAT('a',2000000)||'b',REPEAT('a',4000000))",
  "SELECT REPLACE(REPEAT('a',4000000),REPEAT('a',2000000)||'b','')",
  "SELECT SPLIT_PART(REPEAT('a',4000000),REPEAT('a',2000000)||'b',2)",
  "SELECT REGEXP_COUNT(REPEAT('a',2000000),'a.*b|a')",
  "SELECT REGEXP_REPLACE(REPEAT('a',2000000),'a.*b|a','')",
  "SELECT REPEAT('a',4000000) LIKE '%' || REPEAT('a',2000000) || 'b'",
  "SELECT LTRIM(REPEAT('a',4000000),REPEAT('b',4000000)||'a'), RTRIM(REPEAT('a',4000000),REPEAT('b',4000000)||'a')",
  "SELECT SUM(EDITDISTANCE(REPEAT('a',5000),REPEAT('b',5000))) FROM TABLE(GENERATOR(ROWCOUNT => 100000))",
];

test('hostile SQL in four worlds stops neither the worlds nor the boxes of others', async () => {
  const sdk = sdkOf({ key: other, url: server.url });
  const worlds = await Promise.all([1, 2, 3, 4, 5, 6].map(() => acquire('snowflake')));
  let under_way = true;
  const attack = Promise.all(worlds.map(async (world, i) => {
    for (let n = i; under_way; n += worlds.length) {
      const { status } = await query(world, n % 3 === 0 ? endless : hostile[n % hostile.length]);
      assert.equal(status, 200);
    }
  }));
  try {
    const mine = await acquire('slack', other);
    const box = await sdk.Sandbox.create();
    for (let i = 0; i < 3; i++) {
      assert.equal((await tool(mine, 'slack_user_list_channels', {})).body.result.isError ?? false, false);
      assert.equal((await verify(mine, 'SELECT 1', other)).status, 200);
      assert.equal((await server.call('GET', `/api/viv/worlds/${mine.sandbox_id}/dump`, { headers: headersOf(other) })).status, 200);
      await box.pause();
      const woken = await sdk.Sandbox.connect(box.sandboxId);
      assert.equal((await woken.commands.run('echo fine')).stdout, 'fine\n');
    }
    assert.equal(await sdk.Sandbox.kill(box.sandboxId), true);
  } finally {
    under_way = false;
    await attack;
  }
});

test('what was quadratic is answered', async () => {
  const world = await acquire('snowflake');
  for (const sql of hostile.slice(0, 7)) {
    const { status, body } = await query(world, sql);
    assert.equal(status, 200);
    assert.equal(body.result.isError ?? false, false, `${sql}: ${body.result.content[0].text.slice(0, 200)}`);
  }
});

test('a world that is released ends the call under way in it', async () => {
  const world = await acquire('snowflake');
  const call = query(world, endless);
  await server.call('GET', `/api/viv/worlds/${(await acquire('slack')).sandbox_id}/diff`);
  assert.equal((await server.call('DELETE', `/sandbox/snowflake/${world.sandbox_id}`)).status, 200);
  assert.equal((await call).status, 200);
});

test('verify has none of the powers of the server', async () => {
  const world = await acquire('slack');
  for (const sql of [
    "SELECT fts3_tokenizer('simple')",
    "SELECT hex(fts3_tokenizer('simple', x'4141414141414141'))",
    'SELECT sqlite_compileoption_get(1)',
    "SELECT load_extension('x')",
    'SELECT * FROM pragma_database_list',
    'SELECT * FROM dbstat',
    'SELECT sqlite_offset(text) FROM message',
    "SELECT hex(zeroblob(200000000)) UNION ALL SELECT hex(zeroblob(200000000))",
    'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 12) SELECT hex(zeroblob(8000000)) FROM c',
    'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 1000) SELECT max(b) FROM (SELECT randomblob(15000000) AS b FROM c ORDER BY b)',
    `SELECT ${Array(500).fill('length(hex(zeroblob(8000000)))').join(', ')}`,
    "SELECT json_patch('{' || replace(hex(zeroblob(100000)), '00', '\"a\":1,') || '\"b\":1}', '{' || replace(hex(zeroblob(100000)), '00', '\"c\":1,') || '\"b\":1}')",
    "SELECT replace(hex(zeroblob(4000000)), '00', 'a') LIKE '%' || substr(replace(hex(zeroblob(100000)), '00', 'a'), 1, 40000) || 'b'",
    endless,
  ]) {
    const { status, body } = await verify(world, sql);
    assert.equal(status, 400, `${sql.slice(0, 120)}: ${JSON.stringify(body).slice(0, 200)}`);
  }
  // Searches that took seconds each, now in one answer.
  const { status } = await verify(world, `SELECT ${Array(20).fill("instr(zeroblob(8000000), CAST(zeroblob(4000000) || 'x' AS BLOB))").join(', ')}`);
  assert.equal(status, 200);
  assert.equal((await verify(world, "SELECT count(*) FROM message WHERE text LIKE '%a%'")).status, 200);
});

test('SIGTERM ends the server while such calls run', async () => {
  const worlds = await Promise.all([1, 2, 3, 4, 5].map(() => acquire('snowflake')));
  const calls = worlds.map((world, i) => query(world, i % 2 ? endless : hostile[7]).catch(() => {}));
  const checks = [verify(worlds[0], endless).catch(() => {})];
  // They have reached the server when another call on the same connections has been answered.
  await acquire('slack');
  server.process.kill('SIGTERM');
  const { code } = await server.exited;
  assert.equal(code, 0, server.log.slice(-2000));
  await Promise.all([...calls, ...checks]);
});
