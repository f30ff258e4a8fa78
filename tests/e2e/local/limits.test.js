// Budgets of accounts for local sandboxes and the archives on their way to them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../support/server.js';

let server;
before(async () => (server = await Server.start({ boxes: true })));
after(() => server.stop());

async function makeAccount(name, limits) {
  const { status, body } = await server.call('POST', '/api/viv/accounts', { json: { name } });
  assert.equal(status, 201, JSON.stringify(body));
  const headers = { 'X-API-Key': body.key, 'Content-Type': 'application/json' };
  const call = (method, path, json) => server.call(method, path, { json, headers });
  const set = async (changes) => {
    const answer = await server.call('PATCH', `/api/viv/accounts/${body.id}/limits`, { json: changes });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  };
  await set(limits);
  return { ...body, call, set, usage: async () => (await call('GET', '/api/viv/accounts/me/usage')).body.usage };
}
const acquire = (account) => account.call('POST', '/local-sandbox', { server_names: ['filesystem'] });
const put = (url, body, headers = {}) => fetch(url, { method: 'PUT', body, headers });

test('one local sandbox too many is 403 with the reason', async () => {
  const account = await makeAccount('local', { boxes: 1 });
  assert.equal((await acquire(account)).status, 201);
  const refused = await acquire(account);
  assert.equal(refused.status, 403);
  assert.match(refused.body.detail, /box limit of this account/);
  const other = await makeAccount('neighbour', {});
  assert.equal((await acquire(other)).status, 201);
});

test('uploads beyond the limit are refused before they are written', async () => {
  const account = await makeAccount('uploads', { blob_bytes: 1 << 20, blobs: 2 });
  const { body } = await acquire(account);
  const { status, body: link } = await account.call('POST', `/local-sandbox/${body.local_sandbox_id}/upload-url`);
  assert.equal(status, 200, JSON.stringify(link));
  const url = link.upload_url;
  const large = await put(url, Buffer.alloc(2 << 20));
  assert.equal(large.status, 413);
  assert.match((await large.json()).error.message, /blob storage limit of this account: 1 MiB allowed, 0 bytes in use/);
  assert.equal((await account.usage()).blob_bytes, 0);
  const streamed = await fetch(url, { method: 'PUT', duplex: 'half', body: new ReadableStream({
    pull(controller) {
      this.sent = (this.sent ?? 0) + 1;
      if (this.sent > 40) controller.close();
      else controller.enqueue(Buffer.alloc(64 << 10));
    },
  }) }).catch(() => null);
  assert.ok(streamed === null || streamed.status === 413, String(streamed?.status));
  assert.equal((await account.usage()).blob_bytes, 0, 'what was written of it is gone');
  assert.equal((await put(url, Buffer.alloc(600 << 10))).status, 200);
  const kept = await account.usage();
  assert.deepEqual([kept.blobs, kept.blob_bytes], [1, 600 << 10]);
  const piece = await put(url, Buffer.alloc(500 << 10), { 'Content-Range': `bytes 0-${(500 << 10) - 1}/${600 << 10}` });
  assert.equal(piece.status, 413, 'pieces count as well');
  await server.crashAndRestart();
  const counted = await account.usage();
  assert.deepEqual([counted.blobs, counted.blob_bytes], [1, 600 << 10], 'counted again from the disk');
  assert.equal((await account.call('DELETE', `/local-sandbox/${body.local_sandbox_id}`)).status, 200);
  const released = await account.usage();
  assert.deepEqual([released.blobs, released.blob_bytes, released.boxes], [0, 0, 0]);
});
