// kill -9 in the middle of a storm: nothing acknowledged is lost, nobody shares a sandbox, no file is left without a record.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Server } from '../support/server.js';
import { post, request } from '../support/mcp.js';

const rounds = 4;
const workers = 12;

test('a killed server takes back nothing it acknowledged', async () => {
  const server = await Server.start();
  const held = new Map(); // sandbox_id → { lease, texts, app }
  const unsure = new Set(); // sandboxes with a request under way when the server died
  let counter = 0;

  const toolCall = (lease, name, args) =>
    post(`${server.url}/mcp/slack/?instance_id=${lease}`, request('tools/call', { name, arguments: args }));

  async function work(stopped) {
    while (!stopped.now) {
      const mine = [...held.entries()].filter(([id]) => !unsure.has(id));
      const dice = Math.random();
      let id;
      try {
        if (dice < 0.3 || mine.length === 0) {
          const body = await server.acquire('slack');
          assert.ok(!held.has(body.sandbox_id), 'a held sandbox was given out again');
          held.set(body.sandbox_id, { lease: new URL(body.server_url).searchParams.get('instance_id'), texts: [] });
        } else if (dice < 0.8) {
          const [sandbox, record] = mine[Math.floor(Math.random() * mine.length)];
          id = sandbox;
          unsure.add(id);
          const text = `message ${++counter}`;
          const { body } = await toolCall(record.lease, 'slack_user_post_message', { channel_id: 'C01GENERAL', text });
          if (!body.result || body.result.isError) throw new Error(JSON.stringify(body));
          record.texts.push(text);
          unsure.delete(id);
        } else {
          // Given up before it is asked for: another worker may hold it before our answer arrives.
          [id] = mine[Math.floor(Math.random() * mine.length)];
          held.delete(id);
          const { status } = await server.call('DELETE', `/sandbox/slack/${id}`);
          if (status !== 200) throw new Error(`release: ${status}`);
        }
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        return; // the server is gone; `id`, if any, stays unsure
      }
    }
  }

  try {
    for (let round = 0; round < rounds; ++round) {
      const stopped = { now: false };
      const storm = Array.from({ length: workers }, () => work(stopped));
      await new Promise((done) => setTimeout(done, 400));
      server.process.kill('SIGKILL');
      stopped.now = true;
      await server.exited;
      await Promise.all(storm);
      await server.launch();

      const listed = new Set((await server.call('GET', '/sandbox')).body.sandboxes.map((one) => one.sandbox_id));
      for (const [id, { lease, texts }] of held) {
        if (unsure.has(id)) continue;
        assert.ok(listed.has(id), `acknowledged sandbox ${id} is lost`);
        const { body } = await toolCall(lease, 'slack_get_channel_history', { channel_id: 'C01GENERAL', limit: 1000 });
        const found = new Set(JSON.parse(body.result.content[0].text).messages.map((one) => one.text));
        for (const text of texts) assert.ok(found.has(text), `acknowledged ${text} is lost`);
      }
      for (const id of unsure) held.delete(id);
      for (const id of listed) {
        if (!held.has(id)) await server.call('DELETE', `/sandbox/slack/${id}`);
      }
      unsure.clear();
    }
    assert.ok(counter > 20, 'the storm did blow');
    const leases = new Set([...held.values()].map((one) => one.lease));
    const files = readdirSync(join(server.data, 'worlds'), { recursive: true }).filter((name) => name.includes('.'));
    for (const file of files) assert.ok(leases.has(file.replace(/^.*\//, '').replace(/\.log$/, '')), `${file} has no record`);
  } finally {
    await server.stop();
  }
});

test('SIGTERM lets requests under way finish', async () => {
  const server = await Server.start();
  const { sandbox_id, server_url } = await server.acquire('slack');
  await server.call('PUT', `/api/viv/worlds/${sandbox_id}/faults`, { json: { faults: [{ tool: '*', latency_ms: 500 }] } });
  const slow = post(server_url, request('tools/call', { name: 'slack_list_users', arguments: {} }));
  await new Promise((done) => setTimeout(done, 100));
  const stopped = server.stop();
  assert.equal((await slow).status, 200);
  assert.deepEqual(await stopped, { code: 0, signal: null });
});
