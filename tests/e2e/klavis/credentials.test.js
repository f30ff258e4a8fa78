// auth_data and metadata: what public clients read before their first call.
import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { after, before, test } from 'node:test';
import { Server } from '../support/server.js';

let server;
before(async () => (server = await Server.start()));
after(() => server.stop());

async function details(app) {
  const { sandbox_id } = await server.acquire(app);
  const read = async () => (await server.call('GET', `/sandbox/${app}/${sandbox_id}`)).body;
  const body = await read();
  assert.deepEqual((await read()).auth_data, body.auth_data, 'always the same for a lease');
  return body;
}

test('each server has the members that clients read, of the product’s form and its own', async () => {
  const forms = {
    github: [(auth) => auth.access_token, /^ghp_[A-Za-z0-9]{36}$/],
    notion: [(auth) => auth.mcp_auth_data.token.access_token, /^ntn_[A-Za-z0-9]{46}$/],
    gmail: [(auth) => auth.refresh_token, /^1\/\/0/],
    google_calendar: [(auth) => auth.client_id, /^\d{12}-\w{32}\.apps\.googleusercontent\.com$/],
    slack: [(auth) => auth.access_token, /^xoxb-\d{12}-\d{13}-\w{24}$/],
    jira: [(auth) => auth.access_token, /^ATATT/],
  };
  for (const [app, [pick, form]] of Object.entries(forms)) {
    const [one, two] = [await details(app), await details(app)];
    assert.match(pick(one.auth_data), form, app);
    assert.notEqual(pick(one.auth_data), pick(two.auth_data), app);
  }
});

test("Snowflake's key is a private key in PEM that signs", async () => {
  const [one, two] = [(await details('snowflake')).auth_data, (await details('snowflake')).auth_data];
  for (const name of ['ACCOUNT', 'WAREHOUSE', 'ROLE', 'USER', 'DATABASE', 'SCHEMA']) assert.ok(one[`SNOWFLAKE_${name}`], name);
  assert.notEqual(one.SNOWFLAKE_PRIVATE_KEY, two.SNOWFLAKE_PRIVATE_KEY);
  const key = createPrivateKey(one.SNOWFLAKE_PRIVATE_KEY);
  assert.equal(key.asymmetricKeyType, 'rsa');
  assert.equal(key.asymmetricKeyDetails.modulusLength, 2048);
  const text = Buffer.from('a token');
  assert.ok(verify('sha256', text, createPublicKey(key), sign('sha256', text, key)));
});

test('Notion names the pages and keys of its benchmarks', async () => {
  const { metadata } = await details('notion');
  for (const prefix of ['toolathon', 'mcpmark']) {
    assert.match(metadata[`${prefix}_notion_integration_key`], /^ntn_/);
    assert.match(metadata[`${prefix}_notion_integration_key_eval`], /^ntn_/);
    assert.match(metadata[`${prefix}_source_notion_page_url`], /^https:\/\/www\.notion\.so\/.*[0-9a-f]{32}$/);
    assert.match(metadata[`${prefix}_eval_notion_page_url`], /^https:\/\/www\.notion\.so\/.*[0-9a-f]{32}$/);
  }
});
