// MCP over HTTP as clients old and new speak it, and what no client should send.
import assert from 'node:assert/strict';
import { createConnection } from 'node:net';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { Server, projectVersion } from '../support/server.js';
import { call, mcpHeaders, post, request, withClient } from '../support/mcp.js';

let server, url;
before(async () => {
  server = await Server.start();
  url = (await server.acquire('slack')).server_url;
});
after(() => server.stop());

const initialize = (version) =>
  request('initialize', { protocolVersion: version, capabilities: {}, clientInfo: { name: 't', version: '1' } });

test('every revision that clients speak is answered in kind', async () => {
  for (const version of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']) {
    const { status, body } = await post(url, initialize(version));
    assert.equal(status, 200);
    assert.equal(body.result.protocolVersion, version);
    assert.ok(body.result.capabilities.tools);
    assert.equal(body.result.serverInfo.version, projectVersion());
  }
  const future = await post(url, initialize('2099-01-01'));
  assert.equal(future.body.result.protocolVersion, '2025-11-25');
});

test('sessions are optional; one that was ended is gone', async () => {
  const stateless = await post(url, request('tools/list'));
  assert.equal(stateless.status, 200);
  assert.ok(stateless.body.result.tools.length > 5);
  const session = (await post(url, initialize('2025-06-18'))).headers.get('mcp-session-id');
  assert.ok(session);
  assert.equal((await post(url, request('ping'), { 'Mcp-Session-Id': session })).status, 200);
  assert.equal((await fetch(url, { method: 'DELETE', headers: { 'Mcp-Session-Id': session } })).status, 200);
  assert.equal((await post(url, request('ping'), { 'Mcp-Session-Id': session })).status, 404);
  assert.equal((await post(url, request('ping'), { 'Mcp-Session-Id': 'made-up' })).status, 404);
  assert.equal((await fetch(url, { method: 'DELETE' })).status, 400);
});

test('a session outlives a crash of the server', async () => {
  const own = await Server.start();
  try {
    const held = await own.acquire('slack');
    const session = (await post(held.server_url, initialize('2025-06-18'))).headers.get('mcp-session-id');
    await own.crashAndRestart();
    const moved = held.server_url.replace(/127\.0\.0\.1:\d+/, own.address);
    assert.equal((await post(moved, request('ping'), { 'Mcp-Session-Id': session })).status, 200);
  } finally {
    await own.stop();
  }
});

test('answers come as JSON or as events, as the client accepts', async () => {
  const events = await post(url, request('ping'), { Accept: 'text/event-stream' });
  assert.match(events.headers.get('content-type'), /text\/event-stream/);
  assert.match(events.text, /^event: message\ndata: \{"jsonrpc":"2.0","id":1,"result":\{\}\}\n\n$/);
  const json = await post(url, request('ping'), { Accept: 'application/json' });
  assert.match(json.headers.get('content-type'), /application\/json/);
  assert.equal((await post(url, request('ping'), { Accept: 'text/html' })).status, 406);
});

test('batches exist in the one revision that has them', async () => {
  const batch = [request('ping', undefined, 1), { jsonrpc: '2.0', method: 'notifications/initialized' }, request('nope', undefined, 'b')];
  const { status, body } = await post(url, batch, { 'MCP-Protocol-Version': '2025-03-26' });
  assert.equal(status, 200);
  assert.deepEqual(body.map((one) => one.id), [1, 'b']);
  assert.equal(body[1].error.code, -32601);
  assert.equal((await post(url, batch, { 'MCP-Protocol-Version': '2025-06-18' })).status, 400);
  assert.equal((await post(url, [], { 'MCP-Protocol-Version': '2025-03-26' })).status, 400);
  assert.equal((await post(url, [{ jsonrpc: '2.0', method: 'notifications/initialized' }])).status, 202);
});

test('malformed messages are named', async () => {
  const cases = [
    ['{', 400, -32700],
    ['"text"', 400, -32600],
    ['{"id":1,"method":"ping"}', 400, -32600],
    ['{"jsonrpc":"2.0","id":1}', 400, -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 400, -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', 200, -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope"}}', 200, -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slack_list_users","arguments":[]}}', 200, -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"resources/list"}', 200, -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}', 200, -32602],
    ['['.repeat(10_000), 400, -32700],
  ];
  for (const [text, status, code] of cases) {
    const answer = await post(url, text);
    assert.equal(answer.status, status, text.slice(0, 60));
    assert.equal(answer.body.error.code, code, text.slice(0, 60));
  }
  const invalidUtf8 = await fetch(url, { method: 'POST', headers: mcpHeaders, body: Buffer.from([0x22, 0xff, 0x22]) });
  assert.equal(invalidUtf8.status, 400);
  assert.equal((await post(url, request('ping'), { 'Content-Type': 'text/plain' })).status, 415);
  assert.equal((await post(url, request('ping'), { 'MCP-Protocol-Version': '1999-01-01' })).status, 400);
});

test('a URL that is no capability opens nothing', async () => {
  const base = new URL(url);
  for (const id of ['', crypto.randomUUID(), '../../x', "' OR 1=1 --"]) {
    base.searchParams.set('instance_id', id);
    const { status, body } = await post(base, request('tools/list'));
    assert.equal(status, 404);
    assert.equal(body.error.code, -32001);
  }
  const wrongApp = url.replace('/mcp/slack/', '/mcp/jira/');
  assert.equal((await post(wrongApp, request('ping'))).status, 404);
});

test('web pages from elsewhere are refused', async () => {
  assert.equal((await post(url, request('ping'), { Origin: 'https://evil.example' })).status, 403);
  assert.equal((await post(url, request('ping'), { Origin: 'http://localhost:3000' })).status, 200);
  const rebound = await new Promise((done) => {
    const { hostname, port, pathname, search } = new URL(url);
    const socket = createConnection(Number(port), hostname, () =>
      socket.write(`POST ${pathname}${search} HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`));
    let text = '';
    socket.on('data', (chunk) => (text += chunk)).on('end', () => done(text));
  });
  assert.match(rebound, /^HTTP\/1\.1 403 /);
});

test('the older SSE transport works with the stock client', async () => {
  const sse = new URL(url);
  sse.pathname = sse.pathname.replace(/\/$/, '') + '/sse';
  const client = new Client({ name: 'old', version: '1' });
  await client.connect(new SSEClientTransport(sse));
  const { tools } = await client.listTools();
  assert.ok(tools.length > 5);
  assert.equal((await call(client, 'slack_list_users')).ok, true);
  await client.close();
  const lost = await fetch(new URL(url).origin + `/mcp/slack/messages${new URL(url).search}&session_id=${crypto.randomUUID()}`, { method: 'POST', body: '{}' });
  assert.equal(lost.status, 404);
});

test('event streams end with their sandbox, at once', async () => {
  const held = await server.acquire('slack');
  const kept = await server.acquire('slack');
  const open = async (target, stop) => {
    const response = await fetch(target, { headers: { Accept: 'text/event-stream' }, signal: stop?.signal });
    assert.equal(response.status, 200);
    const reader = response.body.getReader();
    await reader.read();  // its first event, or sign of life
    return reader;
  };
  const sse = (target) => target.replace('/slack/?', '/slack/sse?');
  const stop = new AbortController();
  const other = await open(kept.server_url, stop);
  const streams = [await open(held.server_url), await open(sse(held.server_url))];
  const started = Date.now();
  assert.equal((await server.call('DELETE', `/sandbox/slack/${held.sandbox_id}`)).status, 200);
  for (const stream of streams) while (!(await stream.read()).done);
  assert.ok(Date.now() - started < 10_000, 'signs of life come every 15 seconds: they waited for none');
  const next = other.read().then(() => 'something', () => 'aborted');
  assert.equal((await server.call('GET', `/sandbox/slack/${kept.sandbox_id}`)).status, 200);
  stop.abort();
  assert.equal(await next, 'aborted', 'a stream of another sandbox stays');
});

test('tools/list comes in pages when the server is told so', async () => {
  const own = await Server.start({ args: ['--mcp-page', '4'] });
  try {
    const held = await own.acquire('slack');
    await withClient(held.server_url, async (client) => {
      const names = [];
      let cursor;
      do {
        const page = await client.listTools(cursor ? { cursor } : undefined);
        assert.ok(page.tools.length <= 4);
        names.push(...page.tools.map((tool) => tool.name));
        cursor = page.nextCursor;
      } while (cursor);
      assert.equal(new Set(names).size, 13);
    });
    const wrong = await post(held.server_url, request('tools/list', { cursor: 'nope' }));
    assert.equal(wrong.body.error.code, -32602);
  } finally {
    await own.stop();
  }
});

test('bad arguments are answers the agent can read, and change nothing', async () => {
  const { sandbox_id, server_url } = await server.acquire('slack');
  await withClient(server_url, async (client) => {
    const fails = async (name, args, pattern) => {
      const result = await client.callTool({ name, arguments: args });
      assert.equal(result.isError, true);
      assert.match(result.content[0].text, pattern);
    };
    await fails('slack_user_post_message', { channel_id: 5, text: 'x' }, /5 is not of type 'string'/);
    await fails('slack_user_post_message', { channel_id: 'C1' }, /'text' is a required property/);
    await fails('slack_user_post_message', { channel_id: "x'; DROP TABLE message; --", text: 'x' }, /channel_not_found/);
    await fails('slack_user_post_message', { channel_id: 'C01GENERAL', text: 'x'.repeat(3_000_000) }, /msg_too_long/);
  });
  const { body } = await server.call('GET', `/api/viv/worlds/${sandbox_id}/diff`);
  assert.deepEqual(body.summary, { inserted: 0, updated: 0, deleted: 0 });
});

test('a client that hangs up in the middle of a call does no harm', async () => {
  const { hostname, port, pathname, search } = new URL(url);
  for (let i = 0; i < 20; ++i) {
    const body = JSON.stringify(request('tools/call', { name: 'slack_list_users', arguments: {} }));
    const text = `POST ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    await new Promise((done) => {
      const socket = createConnection(Number(port), hostname, () => {
        socket.write(text.slice(0, 40 + i * 20), () => socket.destroy());
      });
      socket.on('close', done).on('error', () => {});
    });
  }
  assert.equal((await post(url, request('ping'))).status, 200);
});

test('a cancelled call is not answered, and does nothing', async () => {
  const { sandbox_id, server_url } = await server.acquire('slack');
  await server.call('PUT', `/api/viv/worlds/${sandbox_id}/faults`, { json: { faults: [{ tool: '*', latency_ms: 30_000 }] } });
  const call = post(server_url, request('tools/call', { name: 'slack_user_post_message', arguments: { channel_id: 'C01GENERAL', text: 'late' } }, 77));
  let answered = false;
  call.then(() => (answered = true));
  while (!answered) {
    await post(server_url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 77, reason: 'changed my mind' } });
    await new Promise((done) => setTimeout(done, 20));
  }
  assert.equal((await call).status, 202);
  const { body } = await server.call('GET', `/api/viv/worlds/${sandbox_id}/diff`);
  assert.equal(body.summary.inserted, 0);
});

test('the revision without a handshake is served as well', async () => {
  const modern = { 'MCP-Protocol-Version': '2026-07-28' };
  const found = await post(url, request('server/discover', { _meta: {} }), modern);
  assert.equal(found.status, 200);
  assert.equal(found.body.result.resultType, 'complete');
  assert.ok(found.body.result.supportedVersions.includes('2026-07-28'));
  const listed = await post(url, request('tools/list', { _meta: {} }), { ...modern, 'Mcp-Method': 'tools/list' });
  assert.equal(listed.body.result.resultType, 'complete');
  assert.equal(listed.body.result.cacheScope, 'private');
  const mismatch = await post(url, request('tools/list', {}), { ...modern, 'Mcp-Method': 'tools/call' });
  assert.deepEqual([mismatch.status, mismatch.body.error.code], [400, -32020]);
  const users = request('tools/call', { name: 'slack_list_users', arguments: {} });
  const encoded = `=?base64?${Buffer.from('slack_list_users').toString('base64')}?=`;
  for (const [name, status] of [['slack_list_users', 200], [encoded, 200], ['slack_list', 400], ['=?base64?!?=', 400]]) {
    const called = await post(url, users, { ...modern, 'Mcp-Method': 'tools/call', 'Mcp-Name': name });
    assert.deepEqual([called.status, called.body.error?.code], [status, status === 200 ? undefined : -32020], name);
  }
  for (const [name, code] of [['note://ä', -32020], ['note://1', undefined]]) {
    const read = await post(url, request('resources/read', { uri: 'note://1' }), { ...modern, 'Mcp-Name': `=?base64?${Buffer.from(name).toString('base64')}?=` });
    assert.equal(read.body.error?.code === -32020, code === -32020, name);
  }
  const unknown = await post(url, request('ping'), { 'MCP-Protocol-Version': '2099-01-01' });
  assert.deepEqual([unknown.status, unknown.body.error.code], [400, -32022]);
  assert.ok(unknown.body.error.data.supported.includes('2025-11-25'));
});
