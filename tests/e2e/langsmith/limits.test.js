// Budgets of accounts, as LangSmith's SDK meets them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LangSmithQuotaExceededError } from 'langsmith/sandbox';
import { atEnd, rejection } from '../support/e2b.js';
import { makeAccount, withSandboxes } from '../support/langsmith.js';

const host = withSandboxes();

async function accountWith(t, name, limits) {
  const account = await makeAccount(host.server, name);
  const set = async (changes) => {
    const { status, body } = await host.server.call('PATCH', `/api/viv/accounts/${account.id}/limits`, { json: changes });
    assert.equal(status, 200, JSON.stringify(body));
  };
  await set(limits);
  atEnd(t, async () => {
    await set({ requests_per_second: null });
    for (const box of await account.client.listSandboxes()) await account.client.deleteSandbox(box.name);
  });
  return { ...account, set };
}

test('each quota is a QuotaExceededError that says what is used up', async (t) => {
  const account = await accountWith(t, 'quotas', { boxes: 1 });
  await account.client.createSandbox({ name: 'first' });
  const count = await rejection(account.client.createSandbox({ name: 'second' }), LangSmithQuotaExceededError);
  assert.equal(count.quotaType, 'sandbox_count');
  assert.match(count.message, /box limit of this account: 1 allowed/);
  await account.set({ boxes: null, memory_bytes: 1 });
  const memory = await rejection(account.client.createSandbox({ name: 'second' }), LangSmithQuotaExceededError);
  assert.equal(memory.quotaType, 'memory');
  await account.set({ memory_bytes: null, cpus: 0.001 });
  const cpu = await rejection(account.client.createSandbox({ name: 'second' }), LangSmithQuotaExceededError);
  assert.equal(cpu.quotaType, 'cpu');
  await account.set({ cpus: null, disk_bytes: 0 });
  const disk = await rejection(account.client.createSandbox({ name: 'second' }), LangSmithQuotaExceededError);
  assert.equal(disk.quotaType, 'storage');
  await account.set({ disk_bytes: null });
  await account.client.createSandbox({ name: 'second' });
});

test('a box that may not be started again for its quota has not failed', async (t) => {
  const account = await accountWith(t, 'restart', { running: 1 });
  await account.client.createSandbox({ name: 'sleeper' });
  await account.client.stopSandbox('sleeper');
  await account.client.createSandbox({ name: 'awake' });
  await rejection(account.client.startSandbox('sleeper'), LangSmithQuotaExceededError);
  assert.equal((await account.client.getSandbox('sleeper')).status, 'stopped');
  await account.client.deleteSandbox('awake');
  await account.client.startSandbox('sleeper');
  assert.equal((await account.client.getSandbox('sleeper')).status, 'ready');
});

test('imports of images are a budget', async (t) => {
  const account = await accountWith(t, 'builds', { builds: 0 });
  const detail = await host.refused(429, 'QuotaExceeded', 'POST', '/snapshots',
    { name: 'image', docker_image: '127.0.0.1:1/image:1', fs_capacity_bytes: 1 << 30 }, { key: account.key });
  assert.match(detail.message, /build limit of this account/);
});

test('too many requests are 429 with Retry-After', async (t) => {
  const account = await accountWith(t, 'rate', { requests_per_second: 1 });
  const answers = await Promise.all(Array.from({ length: 5 }, () => host.call('GET', '/boxes', undefined, { key: account.key })));
  const refused = answers.find((it) => it.status === 429);
  assert.equal(refused.body.detail.error, 'RateLimitExceeded');
  assert.match(refused.headers.get('retry-after'), /^[1-9]\d*$/);
  assert.equal((await host.call('GET', '/boxes')).status, 200);
});
