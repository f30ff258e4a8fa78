// The unmodified klavis SDK from acquire to release, with an MCP client working inside.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { KlavisClient, Klavis } from 'klavis';
import { Server } from '../support/server.js';
import { call, connect, withClient } from '../support/mcp.js';

let server, klavis;
before(async () => {
  server = await Server.start();
  klavis = new KlavisClient({ apiKey: server.key, baseUrl: server.url });
});
after(() => server.stop());

test('a sandbox is acquired, used, reset and released', async () => {
  const acquired = await klavis.sandbox.createSandbox('slack');
  assert.equal(acquired.server_name, 'slack');
  assert.equal(acquired.status, 'occupied');
  assert.equal(acquired.server_url, acquired.server_urls.slack);
  assert.match(acquired.message, /acquired successfully/);

  const channel = await withClient(acquired.server_url, async (client) => {
    const { channels } = await call(client, 'slack_user_list_channels');
    assert.ok(channels.length > 1);
    const posted = await call(client, 'slack_user_post_message', { channel_id: channels[0].id, text: 'marker-1' });
    assert.equal(posted.ok, true);
    const history = await call(client, 'slack_get_channel_history', { channel_id: channels[0].id });
    assert.equal(history.messages[0].text, 'marker-1');
    return channels[0].id;
  });

  const details = await klavis.sandbox.getSandbox('slack', acquired.sandbox_id);
  assert.equal(details.status, 'occupied');
  assert.equal(details.server_url, acquired.server_url);
  assert.ok(!Number.isNaN(Date.parse(details.updated_at)));

  const reset = await klavis.sandbox.resetSandbox('slack', acquired.sandbox_id);
  assert.equal(reset.status, 'occupied');
  await withClient(acquired.server_url, async (client) => {
    const history = await call(client, 'slack_get_channel_history', { channel_id: channel });
    assert.notEqual(history.messages[0].text, 'marker-1');
  });

  const released = await klavis.sandbox.deleteSandbox('slack', acquired.sandbox_id);
  assert.equal(released.status, 'idle');
  assert.match(released.message, /released successfully/);
  await assert.rejects(() => connect(acquired.server_url), 'the MCP URL dies with its lease');
  await assert.rejects(() => klavis.sandbox.getSandbox('slack', acquired.sandbox_id), { statusCode: 404 });
});

test('a released sandbox is handed out again, clean and under a new URL', async () => {
  const first = await klavis.sandbox.createSandbox('jira');
  await klavis.sandbox.deleteSandbox('jira', first.sandbox_id);
  const second = await klavis.sandbox.createSandbox('jira');
  assert.equal(second.sandbox_id, first.sandbox_id, 'sandbox_id names the pooled account');
  assert.notEqual(second.server_url, first.server_url, 'the URL names the lease');
  await klavis.sandbox.deleteSandbox('jira', second.sandbox_id);
});

test('two sandboxes of one app see nothing of each other', async () => {
  const [a, b] = await Promise.all([klavis.sandbox.createSandbox('slack'), klavis.sandbox.createSandbox('slack')]);
  assert.notEqual(a.sandbox_id, b.sandbox_id);
  await withClient(a.server_url, async (client) => {
    const { channels } = await call(client, 'slack_user_list_channels');
    await call(client, 'slack_user_post_message', { channel_id: channels[0].id, text: 'only-in-a' });
  });
  await withClient(b.server_url, async (client) => {
    const found = await call(client, 'slack_user_search_messages', { query: 'only-in-a' });
    assert.equal(JSON.stringify(found).includes('"text":"only-in-a"'), false);
  });
  await Promise.all([a, b].map((one) => klavis.sandbox.deleteSandbox('slack', one.sandbox_id)));
});

test('snowflake data goes in through initializeSandbox and comes back through dumpSandbox', async () => {
  const sandbox = await klavis.sandbox.createSandbox('snowflake');
  const databases = [
    {
      name: 'SHOP',
      schemas: [
        {
          name: 'SALES',
          tables: [
            {
              name: 'ORDERS',
              columns: [
                { name: 'ID', data_type: 'NUMBER', nullable: false },
                { name: 'NOTE', data_type: 'VARCHAR' },
              ],
              rows: [{ values: { ID: 1, NOTE: "O'Neil" } }, { values: { ID: 2, NOTE: null } }],
            },
          ],
        },
      ],
    },
  ];
  const initialized = await klavis.sandbox.initializeSandbox(sandbox.sandbox_id, { databases });
  assert.equal(initialized.status, 'occupied');
  assert.equal(initialized.records_created.databases, 1);
  const dumped = await klavis.sandbox.dumpSandbox(sandbox.sandbox_id);
  assert.equal(dumped.server_name, 'snowflake');
  assert.match(dumped.dumped_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/);
  const table = dumped.data.databases[0].schemas[0].tables[0];
  assert.deepEqual(table.rows[0].values, { ID: 1, NOTE: "O'Neil" });
  await withClient(sandbox.server_url, async (client) => {
    const { tools } = await client.listTools();
    assert.ok(tools.length > 10);
  });
  await klavis.sandbox.deleteSandbox('snowflake', sandbox.sandbox_id);
});

test('the SDK raises what the vendor raises', async () => {
  await assert.rejects(() => klavis.sandbox.createSandbox('no_such_app'), (error) => {
    assert.ok(error instanceof Klavis.UnprocessableEntityError);
    assert.deepEqual(error.body.detail[0].loc, ['path', 'server_name']);
    return true;
  });
  const stranger = new KlavisClient({ apiKey: 'e2b_' + '0'.repeat(40), baseUrl: server.url });
  await assert.rejects(() => stranger.sandbox.createSandbox('slack'), { statusCode: 403 });
  const nobody = new KlavisClient({ baseUrl: server.url });
  await assert.rejects(() => nobody.sandbox.createSandbox('slack'), { statusCode: 401 });
});
