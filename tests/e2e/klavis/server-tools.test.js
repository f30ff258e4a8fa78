// mcpServer.listTools, callTools and getTools of the unmodified klavis SDK, for the URLs of sandboxes.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { KlavisClient } from 'klavis';
import { Server } from '../support/server.js';

let server, klavis, serverUrl;
before(async () => {
  server = await Server.start();
  klavis = new KlavisClient({ apiKey: server.key, baseUrl: server.url });
  serverUrl = (await klavis.sandbox.createSandbox('slack')).server_url;
});
after(() => server.stop());

const named = (tools) => tools.map((tool) => tool.name).sort();

test('the tools of a sandbox, as each maker of models wants them', async () => {
  const native = await klavis.mcpServer.listTools({ serverUrl });
  assert.deepEqual([native.success, native.format, native.error], [true, 'mcp_native', null]);
  assert.equal(native.tools.length, 13);
  assert.ok(native.tools.every((tool) => tool.inputSchema.type === 'object' && tool.description));
  const names = named(native.tools);

  const openai = await klavis.mcpServer.listTools({ serverUrl, format: 'openai', connectionType: 'StreamableHttp', headers: { 'X-Any': 'thing' } });
  assert.equal(openai.format, 'openai');
  assert.deepEqual(named(openai.tools.map((tool) => tool.function)), names);
  assert.ok(openai.tools.every((tool) => tool.type === 'function' && tool.function.parameters.type === 'object'));

  const anthropic = await klavis.mcpServer.listTools({ serverUrl, format: 'anthropic' });
  assert.deepEqual(named(anthropic.tools), names);
  assert.ok(anthropic.tools.every((tool) => tool.input_schema.type === 'object' && tool.inputSchema === undefined));

  const gemini = await klavis.mcpServer.listTools({ serverUrl, format: 'gemini', connectionType: 'SSE' });
  assert.deepEqual(named(gemini.tools[0].functionDeclarations), names);
  assert.ok(!/additionalProperties|\$schema|"default"/.test(JSON.stringify(gemini.tools)));
});

test('a tool is called, and what it changed is there', async () => {
  const posted = await klavis.mcpServer.callTools({
    serverUrl, toolName: 'slack_user_post_message', toolArgs: { channel_id: 'C01GENERAL', text: 'by the SDK' },
  });
  assert.deepEqual([posted.success, posted.error, posted.result.isError], [true, null, undefined]);
  assert.equal(JSON.parse(posted.result.content[0].text).ok, true);
  const read = await klavis.mcpServer.callTools({ serverUrl, toolName: 'slack_get_channel_history', toolArgs: { channel_id: 'C01GENERAL' } });
  assert.equal(JSON.parse(read.result.content[0].text).messages[0].text, 'by the SDK');
  const wrong = await klavis.mcpServer.callTools({ serverUrl, toolName: 'slack_get_channel_history', toolArgs: {} });
  assert.deepEqual([wrong.success, wrong.result.isError], [true, true]);
  const unknown = await klavis.mcpServer.callTools({ serverUrl, toolName: 'no_such_tool' });
  assert.equal(unknown.success, false);
  assert.match(unknown.error, /no_such_tool/);
  assert.equal((await klavis.mcpServer.callTools({ serverUrl, toolName: 'slack_list_users' })).success, true);
});

test('the tools of a server by its name', async () => {
  for (const name of ['Slack', 'slack', 'SLACK']) {
    assert.equal((await klavis.mcpServer.getTools(name)).tools.length, 13);
  }
  const calendar = await klavis.mcpServer.getTools('Google Calendar', { format: 'openai', legacy: true });
  assert.deepEqual([calendar.success, calendar.format, calendar.tools.length], [true, 'openai', 9]);
  await assert.rejects(() => klavis.mcpServer.getTools('No Such Server'), { statusCode: 422 });
  const local = await klavis.mcpServer.getTools('filesystem');
  assert.deepEqual([local.success, local.tools], [false, null]);
  assert.match(local.error, /mcp_server_url/);
});

test('only URLs of this server and of one\'s own sandboxes are answered, and nobody is dialled', async () => {
  let dialled = 0;
  const stranger = createServer((request, response) => {
    dialled += 1;
    response.end('{}');
  });
  await new Promise((done) => stranger.listen(0, '127.0.0.1', done));
  try {
    const { body: other } = await server.call('POST', '/api/viv/accounts', { json: { name: 'tools-other' } });
    const theirs = new KlavisClient({ apiKey: other.key, baseUrl: server.url });
    const query = new URL(serverUrl).search;
    const at = `http://127.0.0.1:${stranger.address().port}`;
    const lease = new URL(serverUrl).searchParams.get('instance_id');
    for (const [client, url] of [
      [theirs, serverUrl],
      [klavis, serverUrl.replace(lease, crypto.randomUUID())],
      [klavis, serverUrl.replace('/slack/', '/jira/')],
      [klavis, serverUrl.replace(query, '')],
      [klavis, serverUrl.replace(query, '?local_sandbox_id=00000000-0000-4000-8000-000000000000')],
      [klavis, 'http://169.254.169.254/latest/meta-data'], [klavis, `http://169.254.169.254/mcp/slack/${query}`],
      [klavis, `${at}/`], [klavis, `${at}/mcp/slack`], [klavis, 'file:///etc/passwd'], [klavis, 'slack'], [klavis, ''],
      [klavis, `http://evil.example@${new URL(serverUrl).host}/mcp/slack/${query}`],
      [klavis, `http://127.0.0.1@evil.example/mcp/slack/${query}`], [klavis, `http://127.evil.example/mcp/slack/${query}`],
      [klavis, `${serverUrl}${'x'.repeat(5000)}`],
    ]) {
      for (const answer of [await client.mcpServer.listTools({ serverUrl: url }), await client.mcpServer.callTools({ serverUrl: url, toolName: 'slack_list_users' })]) {
        assert.equal(answer.success, false, url);
        assert.match(answer.error, /serverUrl/, url);
        assert.equal(answer.tools ?? answer.result ?? null, null, url);
      }
    }
    assert.equal(dialled, 0);
  } finally {
    stranger.close();
  }
  const released = await klavis.sandbox.createSandbox('slack');
  await klavis.sandbox.deleteSandbox('slack', released.sandbox_id);
  assert.equal((await klavis.mcpServer.listTools({ serverUrl: released.server_url })).success, false);
});

test('wrong bodies are 422 in pydantic\'s words, and a key is needed', async () => {
  for (const [path, json, reason] of [
    ['list-tools', undefined, /Field required/], ['list-tools', {}, /serverUrl/], ['list-tools', [], /dictionary/],
    ['list-tools', { serverUrl: 7 }, /valid string/], ['list-tools', { serverUrl, format: 'xml' }, /'openai'/],
    ['list-tools', { serverUrl, connectionType: 'carrier pigeon' }, /'SSE'/], ['list-tools', { serverUrl, headers: 'x' }, /dictionary/],
    ['call-tool', { serverUrl }, /toolName/], ['call-tool', { serverUrl, toolName: null }, /valid string/],
    ['call-tool', { serverUrl, toolName: 'x', toolArgs: [] }, /dictionary/],
  ]) {
    const { status, body } = await server.call('POST', `/mcp-server/${path}`, { json });
    assert.equal(status, 422, JSON.stringify(json));
    assert.match(JSON.stringify(body.detail), reason);
  }
  assert.equal((await server.call('GET', '/mcp-server/tools/slack?format=xml')).status, 422);
  assert.equal((await server.call('POST', '/klavis/mcp-server/list-tools', { json: { serverUrl } })).body.tools.length, 13);
  for (const [method, path] of [['POST', 'list-tools'], ['POST', 'call-tool'], ['GET', 'tools/slack']]) {
    assert.equal((await server.call(method, `/mcp-server/${path}`, { headers: {} })).status, 401, path);
  }
});
