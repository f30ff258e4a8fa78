// The life of a sandbox through the E2B SDK: its end, pausing with and without memory, waking up, and lists.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidArgumentError, SandboxError, SandboxNotFoundError } from 'e2b';
import { rejection, sdkOf, until, withBoxes } from '../support/e2b.js';

const host = withBoxes();
const bootId = async (sandbox) => (await sandbox.commands.run('cat /proc/sys/kernel/random/boot_id')).stdout;
const stateOf = async (sandbox) => (await sandbox.getInfo()).state;

/** Every item of a paginator. */
async function all(pages) {
  const items = [];
  while (pages.hasNext) items.push(...(await pages.nextItems()));
  return items;
}

test('a new sandbox runs and describes itself', async (t) => {
  const begun = Date.now();
  const sandbox = await host.create(t, { metadata: { purpose: 'test' }, timeoutMs: 120_000 });
  assert.match(sandbox.sandboxId, /^i[a-z0-9]{20}$/);
  assert.equal(await sandbox.isRunning(), true);
  const info = await sandbox.getInfo();
  assert.equal(info.sandboxId, sandbox.sandboxId);
  assert.equal(info.name, 'base');
  assert.equal(info.state, 'running');
  assert.deepEqual({ ...info.metadata }, { purpose: 'test' });
  assert.ok(Math.abs(info.startedAt - begun) < 30_000);
  assert.ok(Math.abs(info.endAt - info.startedAt - 120_000) < 2_000);
  assert.ok(info.cpuCount >= 1 && info.memoryMB >= 128);
  assert.deepEqual({ ...info.lifecycle }, { onTimeout: 'kill', autoResume: false });
  assert.deepEqual(await host.Sandbox.getInfo(sandbox.sandboxId), info);
  assert.deepEqual(await host.Sandbox.getFullInfo(sandbox.sandboxId), info);
  assert.ok(sandbox.getHost(3000).startsWith(`3000-${sandbox.sandboxId}.`));
  assert.ok(sandbox.getMcpUrl().startsWith(`https://50005-${sandbox.sandboxId}.`));
  assert.equal(await sandbox.getMcpToken().catch(() => undefined), undefined);
});

test('a paused sandbox is not woken only to end at once', async (t) => {
  const sandbox = await host.create(t);
  await sandbox.files.write('kept.txt', 'kept');
  await sandbox.pause();
  assert.match((await rejection(host.Sandbox.connect(sandbox.sandboxId, { timeoutMs: 0 }), SandboxError)).message, /Timeout must be greater than 0/);
  assert.equal(await (await host.Sandbox.connect(sandbox.sandboxId)).files.read('kept.txt'), 'kept');
});

test('a killed sandbox is gone, once and for all', async (t) => {
  const sandbox = await host.create(t);
  assert.equal(await sandbox.kill(), true);
  assert.equal(await sandbox.kill(), false);
  assert.equal(await sandbox.isRunning(), false);
  await rejection(sandbox.getInfo(), SandboxNotFoundError);
  await rejection(host.Sandbox.connect(sandbox.sandboxId), SandboxNotFoundError);
  await rejection(sandbox.files.read('x'), SandboxError);
  await rejection(host.Sandbox.setTimeout(sandbox.sandboxId, 1000), SandboxError);
  await rejection(sandbox.pause(), SandboxError);
});

test('what cannot be is refused when it is asked for', async () => {
  await rejection(host.Sandbox.create('no-such-template'), SandboxError);
  await rejection(host.Sandbox.create({ timeoutMs: -1000 }), SandboxError);
  await rejection(host.Sandbox.create({ timeoutMs: 1000 * 86_400_000 }), SandboxError);
  const wrongKey = sdkOf(host.server, { apiKey: `e2b_${'0'.repeat(40)}` });
  assert.equal((await rejection(wrongKey.Sandbox.create())).name, 'AuthenticationError');
  await rejection(host.Sandbox.create({ lifecycle: { onTimeout: { action: 'pause', keepMemory: false }, autoResume: true } }), Error);
});

test('a sandbox ends at its time', async (t) => {
  const sandbox = await host.create(t, { timeoutMs: 1_000 });
  await until(async () => !(await sandbox.isRunning()), 'its end');
  await until(() => sandbox.getInfo().then(() => false, (error) => error instanceof SandboxNotFoundError), 'that it is forgotten');
});

test('the end is moved both ways by a timeout, and only later by a connect', async (t) => {
  const sandbox = await host.create(t, { timeoutMs: 60_000 });
  const secondsLeft = async () => ((await sandbox.getInfo()).endAt - Date.now()) / 1000;
  const near = async (seconds) => assert.ok(Math.abs((await secondsLeft()) - seconds) < 15, `${await secondsLeft()} s left instead of ${seconds}`);
  await near(60);
  await sandbox.setTimeout(600_000);
  await near(600);
  await sandbox.connect({ timeoutMs: 120_000 });
  await near(600);
  await host.Sandbox.connect(sandbox.sandboxId, { timeoutMs: 1_200_000 });
  await near(1200);
  await host.Sandbox.setTimeout(sandbox.sandboxId, 100_000);
  await near(100);
  await sandbox.setTimeout(0);
  await until(async () => !(await sandbox.isRunning()), 'its end');
});

test('a pause keeps processes, memory and files', async (t) => {
  const sandbox = await host.create(t, { envs: { KEPT: 'yes' } });
  const counter = await sandbox.commands.run('value=41; read line; echo "$((value + 1)) $line"', { background: true, stdin: true, timeoutMs: 0 });
  await counter.disconnect();
  await sandbox.files.write('kept', 'file');
  const boot = await bootId(sandbox);
  assert.equal(await sandbox.pause(), true);
  assert.equal(await sandbox.pause(), false);
  assert.equal(await host.Sandbox.betaPause(sandbox.sandboxId), false);
  assert.equal(await sandbox.isRunning(), false);
  assert.equal(await stateOf(sandbox), 'paused');
  await rejection(sandbox.commands.run('true'), SandboxError);

  const same = await sandbox.connect();
  assert.equal(same.sandboxId, sandbox.sandboxId);
  assert.equal(await stateOf(sandbox), 'running');
  assert.equal(await bootId(sandbox), boot);
  assert.ok((await sandbox.commands.list()).some((one) => one.pid === counter.pid));
  const again = await sandbox.commands.connect(counter.pid);
  await sandbox.commands.sendStdin(counter.pid, 'awake\n');
  assert.equal((await again.wait()).stdout, '42 awake\n');
  assert.equal(await sandbox.files.read('kept'), 'file');
  assert.equal((await sandbox.commands.run('echo $KEPT')).stdout, 'yes\n');
});

test('a paused process does not run', async (t) => {
  const sandbox = await host.create(t);
  const handle = await sandbox.commands.run('while :; do date +%s%N > /tmp/beat; sleep 0.05; done', { background: true, timeoutMs: 0 });
  await until(() => sandbox.files.exists('/tmp/beat'), 'the first beat');
  await sandbox.pause();
  const pausedAt = Date.now();
  await new Promise((done) => setTimeout(done, 1_500));
  await sandbox.connect();
  const gaps = Number((await sandbox.commands.run('stat -c %Y /tmp/beat')).stdout) * 1000 - pausedAt;
  assert.ok(gaps >= -1000, 'it beats again');
  await handle.kill();
});

test('a pause without memory keeps the files and boots anew', async (t) => {
  const sandbox = await host.create(t);
  await sandbox.files.write('kept', 'file');
  const sleeper = await sandbox.commands.run('sleep 600', { background: true, timeoutMs: 0 });
  const boot = await bootId(sandbox);
  assert.equal(await sandbox.pause({ keepMemory: false }), true);
  assert.equal(await stateOf(sandbox), 'paused');
  await rejection(sleeper.wait());
  await host.Sandbox.connect(sandbox.sandboxId);
  assert.notEqual(await bootId(sandbox), boot);
  assert.equal(await sandbox.files.read('kept'), 'file');
  assert.equal((await sandbox.commands.list()).length, 0);
  assert.equal((await sandbox.commands.run('ps ax | grep -c "[s]leep 600" || true')).stdout.trim(), '0');
});

test('a pause may be woken by a reboot', async (t) => {
  const sandbox = await host.create(t);
  await sandbox.files.write('kept', 'file');
  const boot = await bootId(sandbox);
  await sandbox.pause();
  await sandbox.connect({ onResume: 'reboot' });
  assert.notEqual(await bootId(sandbox), boot);
  assert.equal(await sandbox.files.read('kept'), 'file');
});

test('at its time a sandbox can pause instead, and any traffic wakes it', async (t) => {
  const sandbox = await host.create(t, { timeoutMs: 1_500, lifecycle: { onTimeout: 'pause', autoResume: true } });
  assert.deepEqual({ ...(await sandbox.getInfo()).lifecycle }, { onTimeout: 'pause', autoResume: true });
  const boot = await bootId(sandbox);
  await until(async () => (await stateOf(sandbox)) === 'paused', 'the pause');
  assert.equal(await bootId(sandbox), boot);
  assert.equal(await stateOf(sandbox), 'running');
  assert.ok((await sandbox.getInfo()).endAt - Date.now() > 200_000, 'it has time again');
});

test('without auto-resume only a connect wakes a sandbox', async (t) => {
  const sandbox = await host.create(t, { timeoutMs: 1_000, lifecycle: { onTimeout: 'pause' } });
  await until(async () => (await stateOf(sandbox)) === 'paused', 'the pause');
  await rejection(sandbox.commands.run('true'), SandboxError);
  assert.equal(await stateOf(sandbox), 'paused');
  await sandbox.connect({ timeoutMs: 60_000 });
  assert.equal((await sandbox.commands.run('echo awake')).stdout, 'awake\n');
});

test('a pause at the time limit can drop the memory', async (t) => {
  const sandbox = await host.create(t, { timeoutMs: 1_500, lifecycle: { onTimeout: { action: 'pause', keepMemory: false } } });
  const boot = await bootId(sandbox);
  await until(async () => (await stateOf(sandbox)) === 'paused', 'the pause');
  await sandbox.connect({ timeoutMs: 60_000 });
  assert.notEqual(await bootId(sandbox), boot);
});

test('a paused sandbox can be killed', async (t) => {
  const sandbox = await host.create(t);
  assert.equal(await host.Sandbox.pause(sandbox.sandboxId), true);
  assert.equal(await sandbox.betaPause(), false);
  assert.equal(await host.Sandbox.kill(sandbox.sandboxId), true);
  await rejection(host.Sandbox.connect(sandbox.sandboxId), SandboxNotFoundError);
});

test('lists filter by metadata, state, template and time, and go by pages', async (t) => {
  const mark = `m${Date.now()}`;
  const made = [];
  for (let i = 0; i < 5; i++) made.push(await host.create(t, { metadata: { mark, 'odd key': `a&b=ü ${i % 2}` } }));
  await made[4].pause();
  const list = async (query, options = {}) => (await all(host.Sandbox.list({ query: { metadata: { mark }, ...query }, ...options }))).map((one) => one.sandboxId);
  const ids = made.map((one) => one.sandboxId);
  assert.deepEqual(await list({}), [...ids].reverse());
  assert.deepEqual(await list({}, { order: 'asc', limit: 2 }), ids);
  assert.deepEqual(await list({ state: ['paused'] }), [ids[4]]);
  assert.deepEqual((await list({ state: ['running'] })).length, 4);
  assert.deepEqual(await list({ metadata: { mark, 'odd key': 'a&b=ü 1' } }), [ids[3], ids[1]]);
  assert.deepEqual(await list({ template: 'base' }), [...ids].reverse());
  assert.deepEqual(await list({ template: 'unknown' }), []);
  const third = (await made[2].getInfo()).startedAt;
  assert.deepEqual(await list({ startedAfter: third }, { order: 'asc' }), ids.slice(2));
  const pages = host.Sandbox.list({ query: { metadata: { mark } }, limit: 2 });
  assert.equal((await pages.nextItems()).length, 2);
  assert.equal(pages.hasNext, true);
  const rest = host.Sandbox.list({ query: { metadata: { mark } }, limit: 2, nextToken: pages.nextToken });
  assert.deepEqual((await rest.nextItems()).map((one) => one.sandboxId), [ids[2], ids[1]]);
});

test('the use of a sandbox is measured', async (t) => {
  const sandbox = await host.create(t);
  await sandbox.commands.run('head -c 5000000 /dev/zero > /tmp/x');
  const [point] = await until(async () => {
    const points = await sandbox.getMetrics();
    return points.length > 0 && points;
  }, 'the first point');
  assert.ok(point.cpuCount >= 1);
  assert.ok(point.memTotal > point.memUsed && point.memUsed > 0);
  assert.ok(point.diskTotal > 0 && point.diskUsed >= 0);
  assert.ok(Math.abs(point.timestamp - Date.now()) < 120_000);
  assert.deepEqual(await host.Sandbox.getMetrics(sandbox.sandboxId, { start: new Date(1_000_000), end: new Date(2_000_000) }), []);
});

test('options that no server should see are refused by the SDK itself', async (t) => {
  const sandbox = await host.create(t);
  await rejection(sandbox.connect({ onResume: 'hope' }), InvalidArgumentError);
});
