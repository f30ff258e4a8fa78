// Bodies that are sent to take the server's memory: without a key nobody reads them, with one they have limits.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { Server } from '../support/server.js';

const MiB = 1 << 20;
let server;
before(async () => (server = await Server.start()));
after(() => server?.stop());

const memory = () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))[1]) * 1024;

/** Sends a head and as much of a body as the server takes; gives what it said when the connection ended. */
const send = (path, headers, bytes, fill = Buffer.alloc(256 * 1024, '[')) =>
  new Promise((done) => {
    const [host, port] = server.address.split(':');
    let said = '';
    let left = bytes;
    const socket = connect({ host, port: Number(port) });
    const end = () => (socket.destroy(), done(said));
    const write = () => {
      while (left > 0 && !socket.destroyed) {
        const piece = fill.subarray(0, Math.min(left, fill.length));
        left -= piece.length;
        if (!socket.write(piece)) return;
      }
    };
    socket.on('data', (data) => {
      said += data;
      const [head, body] = said.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? NaN);
      if (body !== undefined && !(body.length < length)) end();
    });
    socket.on('drain', write).on('close', end).on('error', () => {});
    const lines = Object.entries({ Host: server.address, 'Content-Type': 'application/json', 'Content-Length': bytes, ...headers });
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
    write();
  });

const statusOf = (said) => Number(said.split(' ')[1]);

test('40 connections of 60 MiB without a key take no memory, and others are served meanwhile', async () => {
  const calm = memory();
  let most = 0;
  const paths = ['/sandbox/slack', '/v2/sandboxes', '/v2/sandboxes/boxes', '/api/sandboxes', '/api/viv/keys', '/mcp/slack/?instance_id=none',
    '/filesystem/mcp/?local_sandbox_id=none', '/nowhere', '/healthz', '/sandbox/slack/x/initialize'];
  const attacks = Array.from({ length: 40 }, (_, i) => send(paths[i % paths.length], {}, 60 * MiB));
  let over = false;
  const others = (async () => {
    let served = 0;
    while (!over || served < 20) {
      const { status } = await server.call('GET', '/api/viv/keys');
      assert.equal(status, 200);
      most = Math.max(most, memory());
      served++;
    }
  })();
  for (const said of await Promise.all(attacks)) assert.ok(statusOf(said) >= 400 && statusOf(said) < 600, said.slice(0, 200));
  over = true;
  await others;
  assert.ok(most - calm < 100 * MiB, `${(most - calm) / MiB} MiB more than before`);
});

test('a wrong key, and one that was revoked, are no key', async () => {
  const { body: made } = await server.call('POST', '/api/viv/keys', { json: { name: 'revoked' } });
  assert.equal((await server.call('DELETE', `/api/viv/keys/${made.id}`)).status, 204);
  for (const headers of [{ 'X-API-Key': 'wrong' }, { Authorization: 'Bearer wrong' }, { 'X-API-Key': made.key }]) {
    assert.equal(statusOf(await send('/api/viv/keys', headers, 60 * MiB)), 401);
    assert.equal(statusOf(await send('/sandbox/slack', headers, 60 * MiB)), 403);
  }
});

test('with a key a body has the limit of what it is for', async () => {
  const key = { Authorization: `Bearer ${server.key}` };
  assert.equal(statusOf(await send('/api/viv/keys', key, 17 * MiB)), 413);
  assert.equal(statusOf(await send('/api/viv/keys', key, 65 * MiB)), 413, 'nobody sends more than --body-max');
});

test('a list of lists does not become forty times as large', async () => {
  const calm = memory();
  const key = { Authorization: `Bearer ${server.key}` };
  const lists = Buffer.from('[],'.repeat(100_000));
  const said = await send('/sandbox/slack', key, 15 * MiB, lists);
  assert.equal(statusOf(said), 413, said);
  assert.match(said, /too many values/);
  assert.ok(memory() - calm < 100 * MiB);
});

test('an MCP message has 4 MiB', async () => {
  const { server_url } = await server.acquire('slack');
  const call = (text) =>
    fetch(server_url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'no_such_tool', arguments: { text } } }),
    });
  assert.equal((await call('x'.repeat(3 * MiB))).status, 200);
  const refused = await call('x'.repeat(5 * MiB));
  assert.equal(refused.status, 413);
  assert.equal((await refused.json()).jsonrpc, '2.0');
});
