// Limits of accounts: set by the operator on the command line, held by every API, seen by their owner.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { KlavisClient } from 'klavis';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { post, request } from '../support/mcp.js';
import { Server, program } from '../support/server.js';

let server;
before(async () => (server = await Server.start()));
after(() => server.stop());

const viv = (args) =>
  new Promise((done) =>
    execFile(program, args, { env: { ...process.env, VIV_API_KEY: '' } }, (error, out, err) => done({ code: error?.code ?? 0, out, err })));
const run = (...args) => viv([...args, '--url', server.url, '--data', server.data]);
const as = (key, ...args) => viv([...args, '--url', server.url, '--key', key]);

let number = 0;
/** A new account: its name, key, and raw calls as it. */
async function makeAccount() {
  const name = `account-${++number}`;
  const { status, body } = await server.call('POST', '/api/viv/accounts', { json: { name } });
  assert.equal(status, 201, JSON.stringify(body));
  const headers = { 'X-API-Key': body.key, 'Content-Type': 'application/json' };
  return { ...body, name, headers, call: (method, path, json) => server.call(method, path, { json, headers }) };
}
const limit = async (account, ...flags) => {
  const set = await run('account', 'limits', account.name, ...flags);
  assert.equal(set.code, 0, set.err);
  return set.out;
};
const sdk = (key) => new KlavisClient({ apiKey: key, baseUrl: server.url });

test('the command shows and sets limits, and explains itself', async () => {
  const account = await makeAccount();
  const help = await viv(['account', 'limits', '--help']);
  assert.match(help.out, /--boxes[\s\S]*Example/);
  const set = await limit(account, '--boxes', '50', '--cpus', '1.5', '--memory', '16GiB', '--requests', '1000');
  assert.match(set, /^boxes +0 +50 +50$/m);
  assert.match(set, /^cpus +0 +1\.5 +1\.5$/m);
  assert.match(set, /^memory +0 B +16 GiB +16 GiB$/m);
  assert.match(set, /^worlds +0 +- +75000$/m, 'what is not set is a fair share');
  const own = await as(account.key, 'account', 'limits');
  assert.equal(own.code, 0, own.err);
  assert.match(own.out, /^boxes +0 +50 +50$/m, 'an account sees its own');
  assert.match(await limit(account, '--boxes', 'none'), /^boxes +0 +- +7125$/m);
  const cleared = await limit(account, '--clear', '--worlds', '3');
  assert.match(cleared, /^memory +0 B +- /m);
  assert.match(cleared, /^worlds +0 +3 +3$/m);
  const json = JSON.parse((await run('account', 'limits', account.name, '--json')).out);
  assert.equal(json.limits.worlds, 3);
  assert.equal(json.limits.cpus, null);
});

test('wrong values change nothing and say what is expected', async () => {
  const account = await makeAccount();
  for (const flags of [['--boxes', '-1'], ['--boxes', 'many'], ['--boxes', '1.5'], ['--memory', '16XB'], ['--cpus', 'x']]) {
    const { code, err } = await run('account', 'limits', account.name, ...flags);
    assert.notEqual(code, 0, flags.join(' '));
    assert.match(err, /expected/, flags.join(' '));
  }
  for (const json of [{ boxes: -1 }, { boxes: '5' }, { nothing: 1 }, [], { cpus: -0.5 }]) {
    const { status, body } = await server.call('PATCH', `/api/viv/accounts/${account.name}/limits`, { json });
    assert.equal(status, 400, JSON.stringify(json));
    assert.equal(body.error.code, 'invalid_argument');
  }
  const { body } = await server.call('GET', `/api/viv/accounts/${account.id}/limits`);
  assert.ok(Object.values(body.limits).every((it) => it === null), JSON.stringify(body));
});

test('only the operator sets limits, and nobody sees those of others', async () => {
  const [one, two] = [await makeAccount(), await makeAccount()];
  const raised = await as(one.key, 'account', 'limits', '--worlds', '1000000');
  assert.notEqual(raised.code, 0);
  assert.match(raised.err, /operator/);
  assert.equal((await one.call('PATCH', '/api/viv/accounts/me/limits', { worlds: 5 })).status, 403);
  assert.equal((await one.call('DELETE', '/api/viv/accounts/me/limits')).status, 403);
  assert.equal((await one.call('GET', '/api/viv/accounts/me/usage')).status, 200);
  assert.equal((await one.call('GET', `/api/viv/accounts/${one.uuid}/usage`)).status, 200);
  for (const path of ['limits', 'usage']) {
    assert.equal((await one.call('GET', `/api/viv/accounts/${two.id}/${path}`)).status, 404);
    assert.equal((await one.call('GET', `/api/viv/accounts/default/${path}`)).status, 404);
  }
  assert.equal((await server.call('GET', '/api/viv/accounts/nobody/limits')).status, 404);
  assert.equal((await server.call('GET', '/api/viv/accounts/me/limits', { headers: {} })).status, 401);
});

test('worlds: a quota is 403 with the reason, at once, and only for that account', async () => {
  const [account, other] = [await makeAccount(), await makeAccount()];
  await limit(account, '--worlds', '2');
  const acquired = await account.call('POST', '/sandbox/slack', {});
  assert.equal(acquired.status, 201);
  assert.equal((await account.call('POST', '/sandbox/jira', {})).status, 201);
  const refused = await account.call('POST', '/sandbox/slack', {});
  assert.equal(refused.status, 403);
  assert.match(refused.body.detail, /^world limit of this account: 2 allowed, 2 in use/);
  await assert.rejects(() => sdk(account.key).sandbox.createSandbox('slack'), { statusCode: 403 });
  assert.equal((await other.call('POST', '/sandbox/slack', {})).status, 201);
  const forked = await account.call('POST', `/api/viv/worlds/${acquired.body.sandbox_id}/fork`, {});
  assert.equal(forked.status, 403, 'a fork is one more');
  assert.equal(forked.body.error.code, 'limit_exceeded');
  assert.equal((await account.call('DELETE', `/sandbox/slack/${acquired.body.sandbox_id}`)).status, 200);
  const { body } = await account.call('GET', '/api/viv/accounts/me/usage');
  assert.equal(body.usage.worlds, 1);
  assert.equal((await account.call('POST', '/sandbox/slack', {})).status, 201);
});

test('creations at the same time do not pass a limit', async () => {
  const account = await makeAccount();
  await limit(account, '--worlds', '5');
  const answers = await Promise.all(Array.from({ length: 40 }, () => account.call('POST', '/sandbox/slack', {})));
  const made = answers.filter((it) => it.status === 201);
  assert.equal(made.length, 5);
  assert.ok(answers.every((it) => [201, 403].includes(it.status)));
  await Promise.all(made.map((it) => account.call('DELETE', `/sandbox/slack/${it.body.sandbox_id}`)));
  assert.equal((await account.call('GET', '/api/viv/accounts/me/usage')).body.usage.worlds, 0);
});

test('limits and what is held survive a crash', async () => {
  const account = await makeAccount();
  await limit(account, '--worlds', '2', '--requests', '5000');
  const acquired = await account.call('POST', '/sandbox/slack', {});
  await server.crashAndRestart();
  const { body } = await account.call('GET', '/api/viv/accounts/me/usage');
  assert.equal(body.limits.worlds, 2);
  assert.equal(body.limits.requests_per_second, 5000);
  assert.equal(body.usage.worlds, 1);
  assert.equal((await account.call('POST', '/sandbox/slack', {})).status, 201);
  assert.equal((await account.call('POST', '/sandbox/slack', {})).status, 403);
  assert.equal((await account.call('DELETE', `/sandbox/slack/${acquired.body.sandbox_id}`)).status, 200);
  assert.equal((await account.call('POST', '/sandbox/slack', {})).status, 201);
});

test('requests per second: 429 with Retry-After in the shape of the API, and others go on', async () => {
  const [account, other] = [await makeAccount(), await makeAccount()];
  await limit(account, '--requests', '2');
  const answers = await Promise.all(Array.from({ length: 20 }, () => account.call('GET', '/sandbox')));
  const refused = answers.filter((it) => it.status === 429);
  assert.ok(refused.length >= 10, `${refused.length} were refused`);
  assert.ok(answers.some((it) => it.status === 200));
  for (const it of refused) {
    assert.match(it.headers.get('retry-after'), /^[1-9]\d*$/);
    assert.match(it.body.detail, /requests per second/);
  }
  const shown = (await Promise.all(Array.from({ length: 10 }, () => account.call('GET', '/api/viv/keys')))).find((it) => it.status === 429);
  assert.equal(shown.body.error.code, 'too_many_requests');
  const spared = await Promise.all(Array.from({ length: 20 }, () => other.call('GET', '/sandbox')));
  assert.ok(spared.every((it) => it.status === 200));
  assert.ok((await server.call('GET', '/sandbox')).status === 200);
});

test('MCP calls count for the account that holds the sandbox; too many are a JSON-RPC error', async () => {
  const account = await makeAccount();
  const { body } = await account.call('POST', '/sandbox/slack', {});
  const url = body.server_url ?? body.server_urls?.slack ?? Object.values(body).find((it) => String(it).includes('/mcp/'));
  const client = new Client({ name: 'limits', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  await limit(account, '--requests', '1');
  let error;
  for (let i = 0; i < 20 && !error; i++) await client.listTools().catch((thrown) => (error = thrown));
  assert.match(String(error), /429|-32029/);
  assert.match(String(error), /requests per second/);
  const answers = await Promise.all(Array.from({ length: 10 }, (_, id) => post(url, request('tools/list', undefined, id + 1))));
  const refused = answers.find((it) => it.status === 429);
  assert.equal(refused.body.error.code, -32029);
  assert.ok(refused.body.error.data.retry_after_seconds >= 1);
  assert.ok(refused.headers.get('retry-after'));
  const batch = await post(url, Array.from({ length: 50 }, (_, id) => request('tools/list', undefined, id)), { 'MCP-Protocol-Version': '2025-03-26' });
  assert.equal(batch.status, 429, 'a batch counts for as many as it has');
  await limit(account, '--requests', 'none');
  assert.ok((await client.listTools()).tools.length > 0, 'the client goes on');
  await client.close();
});

test('a limit of none at all stops an account', async () => {
  const account = await makeAccount();
  await limit(account, '--requests', '0');
  assert.equal((await account.call('GET', '/sandbox')).status, 429);
  await limit(account, '--clear');
  assert.equal((await account.call('GET', '/sandbox')).status, 200);
});
