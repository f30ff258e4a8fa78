// Budgets of accounts for boxes, as E2B's SDK meets them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { RateLimitError } from 'e2b';
import { atEnd, rejection, sdkOf, until, withBoxes } from '../support/e2b.js';
import { Server } from '../support/server.js';

const host = withBoxes({ args: ['--boxes-max', '20'] });

let number = 0;
/** A new account with these limits: the SDK's Sandbox as it, and what it uses. */
async function makeAccount(t, limits = {}) {
  const { status, body } = await host.server.call('POST', '/api/viv/accounts', { json: { name: `account-${++number}` } });
  assert.equal(status, 201, JSON.stringify(body));
  const set = async (changes) => {
    const answer = await host.server.call('PATCH', `/api/viv/accounts/${body.id}/limits`, { json: changes });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  };
  await set(limits);
  const { Sandbox } = sdkOf(host.server, { apiKey: body.key });
  const headers = { 'X-API-Key': body.key, 'Content-Type': 'application/json' };
  atEnd(t, async () => {
    await set({ requests_per_second: null });
    const { body: list } = await host.server.call('GET', '/v2/sandboxes?state=running,paused', { headers });
    for (const it of list) await host.server.call('DELETE', `/sandboxes/${it.sandboxID}`, { headers });
  });
  return {
    Sandbox,
    set,
    key: body.key,
    call: (method, path, json) => host.server.call(method, path, { json, headers }),
    usage: async () => (await host.server.call('GET', '/api/viv/accounts/me/usage', { headers })).body.usage,
  };
}

test('one sandbox too many is a RateLimitError that nobody repeats, and another account is not affected', async (t) => {
  const account = await makeAccount(t, { boxes: 2 });
  const first = await account.Sandbox.create();
  await account.Sandbox.create();
  const begun = Date.now();
  const error = await rejection(account.Sandbox.create());
  assert.ok(error instanceof RateLimitError, String(error));
  assert.match(error.message, /box limit of this account: 2 allowed, 2 in use/);
  assert.ok(Date.now() - begun < 30_000);
  const raw = await account.call('POST', '/v2/sandboxes', { templateID: 'base' });
  assert.equal(raw.status, 429);
  assert.equal(raw.body.code, 429);
  assert.equal(raw.headers.get('retry-after'), null, 'waiting would not help');
  const other = await makeAccount(t);
  await other.Sandbox.create();
  await first.kill();
  await account.Sandbox.create();
});

test('paused sandboxes count as boxes and keep their memory; running is counted by itself', async (t) => {
  const account = await makeAccount(t, { running: 1 });
  const first = await account.Sandbox.create();
  assert.ok((await rejection(account.Sandbox.create())) instanceof RateLimitError);
  const running = await account.usage();
  assert.deepEqual([running.boxes, running.running], [1, 1]);
  assert.ok(running.cpus > 0 && running.memory_bytes > 0, JSON.stringify(running));
  await first.pause();
  const paused = await account.usage();
  assert.deepEqual([paused.boxes, paused.running, paused.cpus, paused.memory_bytes], [1, 0, 0, running.memory_bytes]);
  const second = await account.Sandbox.create();
  const refused = await rejection(account.Sandbox.connect(first.sandboxId));
  assert.match(String(refused), /running box limit/);
  await second.kill();
  const back = await account.Sandbox.connect(first.sandboxId);
  assert.equal((await back.commands.run('echo here')).stdout, 'here\n');
});

test('traffic does not wake a sandbox whose account may run no more, and says so', async (t) => {
  const account = await makeAccount(t, { running: 1 });
  const sleeper = await account.Sandbox.create({ lifecycle: { onTimeout: 'pause', autoResume: true } });
  await sleeper.pause();
  const awake = await account.Sandbox.create();
  const refused = await host.fetchPort(sleeper, 8000);
  assert.equal(refused.status, 429);
  assert.match((await refused.json()).message, /running box limit of this account/);
  await awake.kill();
  assert.equal((await sleeper.commands.run('echo woken')).stdout, 'woken\n');
});

test('memory and processors are budgets of their own', async (t) => {
  const account = await makeAccount(t);
  const first = await account.Sandbox.create();
  const { memory_bytes, cpus } = await account.usage();
  await account.set({ memory_bytes: memory_bytes + 1 });
  assert.match(String(await rejection(account.Sandbox.create())), /memory limit of this account/);
  await account.set({ memory_bytes: null, cpus: cpus * 1.5 });
  assert.match(String(await rejection(account.Sandbox.create())), /cpu limit of this account/);
  await account.set({ cpus: null });
  await account.Sandbox.create();
  await first.kill();
});

test('creations at the same time do not pass a limit, and each failure gives back what it took', async (t) => {
  const account = await makeAccount(t, { boxes: 3 });
  const answers = await Promise.all(Array.from({ length: 12 }, () => account.call('POST', '/v2/sandboxes', { templateID: 'base' })));
  assert.equal(answers.filter((it) => it.status === 201).length, 3);
  assert.equal(answers.filter((it) => it.status === 429).length, 9);
  const forked = await account.call('POST', `/sandboxes/${answers.find((it) => it.status === 201).body.sandboxID}/fork`, { count: 2 });
  assert.deepEqual(forked.body.map((it) => it.error?.code), [429, 429], 'a fork is one more');
  for (const it of answers.filter((one) => one.status === 201)) await account.Sandbox.kill(it.body.sandboxID);
  await Promise.all(Array.from({ length: 5 }, () => account.call('POST', '/v2/sandboxes', { templateID: 'no-such-template' })));
  const usage = await account.usage();
  assert.deepEqual([usage.boxes, usage.running, usage.cpus, usage.memory_bytes], [0, 0, 0, 0]);
});

test('without limits one account cannot take all boxes from the others', async (t) => {
  const [one, two] = [await makeAccount(t), await makeAccount(t)];
  const answers = [];
  for (let i = 0; i < 20; i++) {
    answers.push(await one.call('POST', '/v2/sandboxes', { templateID: 'base' }));
    if (answers.at(-1).status !== 201) break;
  }
  assert.equal(answers.at(-1).status, 429);
  assert.match(answers.at(-1).body.message, /box limit of this account: \d+ as its fair share/);
  const made = answers.length - 1;
  assert.equal(made, 15, 'three quarters');
  await two.Sandbox.create();
});

test('too many requests are retried by the SDK as Retry-After says', async (t) => {
  const account = await makeAccount(t);
  const sandbox = await account.Sandbox.create();
  await account.set({ requests_per_second: 1 });
  const raw = await Promise.all(Array.from({ length: 5 }, () => account.call('GET', '/v2/sandboxes')));
  const refused = raw.find((it) => it.status === 429);
  assert.equal(refused.body.code, 429);
  assert.match(refused.headers.get('retry-after'), /^\d+$/);
  const info = await sandbox.getInfo();
  assert.equal(info.sandboxId, sandbox.sandboxId, 'it waited and came again');
  await account.set({ requests_per_second: 0 });
  assert.ok((await rejection(sandbox.getInfo({ requestTimeoutMs: 20_000 }))) instanceof RateLimitError);
  await account.set({ requests_per_second: null });
});

test('what an account may write is held to its limit; it can delete and go on', async (t) => {
  const account = await makeAccount(t, { disk_bytes: 64 << 20 });
  const other = await makeAccount(t);
  const [sandbox, neighbour] = [await account.Sandbox.create(), await other.Sandbox.create()];
  await sandbox.commands.run('dd if=/dev/urandom of=/home/user/large bs=1M count=100 status=none');
  await until(async () => (await account.usage()).disk_bytes > 64 << 20, 'the watch to see it');
  assert.ok((await rejection(account.Sandbox.create())) instanceof RateLimitError);
  assert.match(String(await rejection(sandbox.createSnapshot())), /storage limit of this account/);
  const full = await until(async () => {
    const grown = await sandbox.commands.run('dd if=/dev/urandom of=/home/user/more bs=1M count=64 status=none conv=fsync', { timeoutMs: 60_000 }).catch((error) => error);
    return grown.exitCode === 0 ? null : grown;
  }, 'the box to be held');
  assert.match(full.stderr, /quota|space/i);
  await neighbour.commands.run('dd if=/dev/urandom of=/home/user/large bs=1M count=100 status=none conv=fsync');
  await sandbox.commands.run('rm -f /home/user/large /home/user/more; sync');
  await until(async () => (await account.usage()).disk_bytes < 64 << 20, 'the room to be seen');
  await until(async () => (await sandbox.commands.run('dd if=/dev/urandom of=/home/user/small bs=1M count=8 status=none conv=fsync').catch(() => ({ exitCode: 1 }))).exitCode === 0, 'it to write again');
  await account.Sandbox.create();
});

test('a snapshot whose box is gone still counts', async (t) => {
  const account = await makeAccount(t);
  const sandbox = await account.Sandbox.create();
  await sandbox.commands.run('dd if=/dev/urandom of=/home/user/large bs=1M count=50 status=none conv=fsync');
  const snapshot = await sandbox.createSnapshot();
  await sandbox.kill();
  await until(async () => (await account.usage()).disk_bytes > 40 << 20, 'the snapshot to count');
  await account.Sandbox.deleteSnapshot(snapshot.snapshotId);
  await until(async () => (await account.usage()).disk_bytes < 1 << 20, 'it to be gone');
});

test('limits and what is held survive a crash of the server', async (t) => {
  const account = await makeAccount(t, { boxes: 2 });
  const sandbox = await account.Sandbox.create();
  await (await account.Sandbox.create()).pause();
  const before = await account.usage();
  await host.server.crashAndRestart();
  const headers = { 'X-API-Key': account.key };
  const { body } = await host.server.call('GET', '/api/viv/accounts/me/usage', { headers });
  for (const name of ['boxes', 'running', 'cpus', 'memory_bytes']) assert.equal(body.usage[name], before[name], name);
  const refused = await host.server.call('POST', '/v2/sandboxes', { json: { templateID: 'base' }, headers: { ...headers, 'Content-Type': 'application/json' } });
  assert.equal(refused.status, 429);
  assert.equal((await host.server.call('DELETE', `/sandboxes/${sandbox.sandboxId}`, { headers })).status, 204);
  const after = await host.server.call('GET', '/api/viv/accounts/me/usage', { headers });
  assert.deepEqual([after.body.usage.boxes, after.body.usage.running], [1, 0]);
});

test('without limits the boxes of one account cannot fill the disk for the others', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'viv-small-'));
  const boxes = join(data, 'boxes');
  mkdirSync(boxes);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1g', 'tmpfs', boxes]);
  atEnd(t, () => {
    execFileSync('umount', ['-l', boxes]);
    rmSync(data, { recursive: true, force: true });
  });
  const server = await Server.start({ boxes: true, data, args: ['--parked', '1'] });
  atEnd(t, () => server.stop());
  const [one, two] = await Promise.all(['one', 'two'].map(async (name) => {
    const { body } = await server.call('POST', '/api/viv/accounts', { json: { name } });
    return { ...body, Sandbox: sdkOf(server, { apiKey: body.key }).Sandbox };
  }));
  const greedy = await Promise.all(Array.from({ length: 6 }, () => one.Sandbox.create({ timeoutMs: 600_000 })));
  // Slower than the watch looks, until nothing more goes in.
  const fill = 'cd /home/user; i=0; while [ $i -lt 400 ] && dd if=/dev/urandom of=file-$i bs=1M count=1 conv=fsync status=none; do i=$((i+1)); sleep 0.3; done; echo $i';
  const written = (await Promise.all(greedy.map((it) => it.commands.run(fill, { timeoutMs: 0 })))).map((it) => Number(it.stdout));
  assert.ok(written.every((it) => it < 400), `all were held: ${written}`);
  assert.match(String(await rejection(one.Sandbox.create())), /storage limit of this account/);
  const neighbour = await two.Sandbox.create();
  await neighbour.commands.run('dd if=/dev/urandom of=/home/user/file bs=1M count=32 conv=fsync status=none');
  await greedy[0].commands.run('rm -f /home/user/file-*');
  for (const it of greedy.slice(1)) await it.kill();
  await until(async () => (await greedy[0].commands.run('dd if=/dev/urandom of=/home/user/again bs=1M count=8 conv=fsync status=none').catch(() => ({ exitCode: 1 }))).exitCode === 0, 'room to be there again');
});
