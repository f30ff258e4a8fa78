// A world's state: saved, loaded, and on the right clock; and what negated searches find in it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../support/server.js';
import { call, withClient } from '../support/mcp.js';

let server;
before(async () => (server = await Server.start()));
after(() => server.stop());

const world = (method, id, what, json) => server.call(method, `/api/viv/worlds/${id}/${what}`, json === undefined ? {} : { json });
const APPS = ['github', 'gmail', 'google_calendar', 'jira', 'notion', 'slack', 'snowflake'];

test('a full dump brings the whole state back in another world, of every app', async () => {
  for (const app of [...APPS, 'calculator']) {
    const { sandbox_id: one } = await server.acquire(app);
    const { sandbox_id: two } = await server.acquire(app);
    const saved = (await world('GET', one, 'dump')).body;
    const loaded = await world('POST', two, 'load', saved);
    assert.equal(loaded.status, 200, `${app}: ${JSON.stringify(loaded.body)}`);
    assert.deepEqual((await world('GET', two, 'dump')).body, saved, app);
    assert.deepEqual((await world('GET', two, 'diff')).body.tables, {}, app);
    if (app === 'calculator') continue;
    const again = await server.call('POST', `/sandbox/${app}/${one}/initialize`, { json: saved });
    assert.equal(again.status, 200, `${app}: ${JSON.stringify(again.body)}`);
    assert.deepEqual((await world('GET', one, 'dump')).body, saved, app);
  }
});

test('what was done is saved as well, and both worlds go on alike', async () => {
  const one = await server.acquire('slack');
  const two = await server.acquire('slack');
  const channel = await withClient(one.server_url, async (client) => {
    const { channels } = await call(client, 'slack_user_list_channels');
    await call(client, 'slack_user_post_message', { channel_id: channels[0].id, text: 'before' });
    return channels[0].id;
  });
  const saved = (await world('GET', one.sandbox_id, 'dump')).body;
  assert.equal((await world('POST', two.sandbox_id, 'load', saved)).status, 200);
  const say = ({ server_url }) =>
    withClient(server_url, (client) => call(client, 'slack_user_post_message', { channel_id: channel, text: 'after' }));
  assert.deepEqual(await say(one), await say(two));
});

test("the vendor's dump loses nothing in the world that it was taken from", async () => {
  const sandbox = await server.acquire('slack');
  await withClient(sandbox.server_url, async (client) => {
    const { channels } = await call(client, 'slack_user_list_channels');
    await call(client, 'slack_user_post_message', { channel_id: channels[0].id, text: 'kept' });
  });
  const before = (await world('GET', sandbox.sandbox_id, 'dump')).body;
  const { data } = (await server.call('GET', `/sandbox/slack/${sandbox.sandbox_id}/dump`)).body;
  assert.deepEqual(Object.keys(data), ['channels'], "the vendor's shape");
  assert.equal((await server.call('POST', `/sandbox/slack/${sandbox.sandbox_id}/initialize`, { json: data })).status, 200);
  assert.deepEqual((await world('GET', sandbox.sandbox_id, 'dump')).body, before);
});

test('a state that does not fit is refused and changes nothing', async () => {
  const { sandbox_id } = await server.acquire('slack');
  const saved = (await world('GET', sandbox_id, 'dump')).body;
  const spoil = (change) => {
    const copy = structuredClone(saved);
    change(copy._world);
    return copy;
  };
  const cases = [
    [{}, /_world: the state is missing/],
    [spoil((state) => (state.format = 2)), /format 1 is expected/],
    [spoil((state) => (state.app = 'notion')), /of a world of 'notion'/],
    [spoil((state) => delete state.tables), /tables are missing/],
    [spoil((state) => (state.serial = -1)), /serial/],
    [spoil((state) => (state.clock_mode = 'sundial')), /clock_mode/],
    [spoil((state) => (state.tables.nope = { columns: ['a'], rows: [] })), /no table nope/],
    [spoil((state) => (state.tables.sqlite_schema = { columns: ['sql'], rows: [['x']] })), /no table sqlite_schema/],
    [spoil((state) => (state.tables._world = { columns: ['id'], rows: [] })), /no table _world/],
    [spoil((state) => state.tables.user.columns.push('nope') && state.tables.user.rows.forEach((row) => row.push(1))), /no column nope/],
    [spoil((state) => state.tables.user.rows[0].push(1)), /another number of values/],
    [spoil((state) => (state.tables.user.rows[0][0] = { blob: '%' })), /cannot be stored/],
    [spoil((state) => state.tables.user.rows.splice(0, 1)), /refers to one of user that is not there/],
    [spoil((state) => state.tables.user.rows.push(state.tables.user.rows[0])), /the same/],
    [spoil((state) => (state.tables['g$a$b$c'] = { columns: ['x'], types: ['INTEGER, y'], key: ['x'], rows: [] })), /types/],
  ];
  for (const [body, message] of cases) {
    const refused = await world('POST', sandbox_id, 'load', body);
    assert.equal(refused.status, 400, String(message));
    assert.match(refused.body.error.message, message);
  }
  assert.deepEqual((await world('GET', sandbox_id, 'dump')).body, saved);
  assert.equal((await world('POST', crypto.randomUUID(), 'load', saved)).status, 404);
  assert.equal((await server.call('POST', `/api/viv/worlds/${sandbox_id}/load`, { json: saved, headers: {} })).status, 401);
});

test('negated JQL finds the rest', async () => {
  const { server_url } = await server.acquire('jira');
  await withClient(server_url, async (client) => {
    const total = async (jql) => {
      const found = await call(client, 'jira_search', { jql, limit: 1 });
      return found.total ?? found.issues.length;
    };
    const all = await total('ORDER BY created');
    assert.ok(all > 50, `${all} issues`);
    for (const [one, other] of [['status = Done', 'status != Done'], ['status = Done', 'NOT status = Done'], ['type = Bug', 'type != Bug'],
      ['resolution = Done', 'resolution != Done'], ['status in (Done)', 'status not in (Done)'], ['status was Done', 'NOT status was Done']]) {
      assert.equal((await total(one)) + (await total(other)), all, other);
      assert.ok((await total(other)) > 0, other);
    }
  });
});

test('worlds of Toolathlon are on real time, others at their own', async () => {
  const { body: toolathlon } = await server.call('POST', '/sandbox/google_calendar', { json: { benchmark: 'Toolathlon' } });
  const clock = (await world('GET', toolathlon.sandbox_id, 'clock')).body;
  assert.equal(clock.mode, 'real');
  assert.ok(Math.abs(Date.parse(clock.now) - Date.now()) < 60_000, clock.now);
  await server.call('POST', `/sandbox/google_calendar/${toolathlon.sandbox_id}/initialize`, { json: { events: [] } });
  assert.equal((await world('GET', toolathlon.sandbox_id, 'clock')).body.mode, 'real', 'after initialize, too');
  assert.equal((await world('PUT', toolathlon.sandbox_id, 'clock', { mode: 'tick', now: '2025-06-02T09:00:00Z' })).body.mode, 'tick');
  for (const app of APPS) {
    const { body } = await server.call('POST', `/sandbox/${app}`, { json: { benchmark: 'Toolathlon' } });
    assert.equal((await world('GET', body.sandbox_id, 'clock')).body.mode, 'real', app);
  }
  const { sandbox_id } = await server.acquire('google_calendar');
  assert.deepEqual((await world('GET', sandbox_id, 'clock')).body.mode, 'tick');
});
