// The server goes, the sandboxes stay: after a crash and after an orderly end, until one ends them with itself.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SandboxNotFoundError } from 'e2b';
import { atEnd, rejection, sdkOf, until } from '../support/e2b.js';
import { Server } from '../support/server.js';

const mountsIn = (folder) => readFileSync('/proc/self/mountinfo', 'utf8').split('\n').filter((line) => line.includes(folder));
const bootId = async (sandbox) => (await sandbox.commands.run('cat /proc/sys/kernel/random/boot_id')).stdout;

test('a killed server leaves its sandboxes to its successor', async (t) => {
  const server = await Server.start({ boxes: true });
  atEnd(t, () => server.stop());
  let { Sandbox } = sdkOf(server);
  const [busy, paused, stopped, brief] = await Promise.all([
    Sandbox.create({ envs: { KEPT: 'yes' }, metadata: { name: 'busy' } }), Sandbox.create(), Sandbox.create(),
    Sandbox.create({ timeoutMs: 4_000 }),
  ]);
  const handle = await busy.commands.run('read line; echo "heard $line"', { background: true, stdin: true, timeoutMs: 0 });
  handle.wait().catch(() => {});
  await busy.files.write('kept', 'busy');
  await stopped.files.write('kept', 'stopped');
  const boot = await bootId(busy);
  const snapshot = await busy.createSnapshot();
  await paused.pause();
  await stopped.pause({ keepMemory: false });

  await server.crashAndRestart();
  ({ Sandbox } = sdkOf(server));
  const again = await Sandbox.connect(busy.sandboxId);
  assert.equal(await bootId(again), boot);
  assert.deepEqual({ ...(await again.getInfo()).metadata }, { name: 'busy' });
  const taken = await again.commands.connect(handle.pid);
  await again.commands.sendStdin(handle.pid, 'me\n');
  assert.equal((await taken.wait()).stdout, 'heard me\n');
  assert.equal((await again.commands.run('echo $KEPT; cat kept')).stdout, 'yes\nbusy');

  assert.equal((await Sandbox.getInfo(paused.sandboxId)).state, 'paused');
  assert.equal((await (await Sandbox.connect(paused.sandboxId)).commands.run('echo awake')).stdout, 'awake\n');
  assert.equal(await (await Sandbox.connect(stopped.sandboxId)).files.read('kept'), 'stopped');
  const copy = await Sandbox.create(snapshot.snapshotId);
  assert.equal(await copy.files.read('kept'), 'busy');
  assert.equal((await copy.commands.run('echo fresh')).stdout, 'fresh\n');
  await until(() => Sandbox.getInfo(brief.sandboxId).then(() => false, (error) => error instanceof SandboxNotFoundError), 'the end of the brief one');
  for (const one of [busy, paused, stopped, copy]) assert.equal(await Sandbox.kill(one.sandboxId), true);
});

test('a server that ends in order leaves its sandboxes too, unless it was told to end them', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'viv-e2e-restart-'));
  atEnd(t, () => rmSync(data, { recursive: true, force: true }));
  const first = await Server.start({ boxes: 'keep', data });
  const sandbox = await sdkOf(first).Sandbox.create();
  const sleeper = await sandbox.commands.run('sleep 600', { background: true, timeoutMs: 0 });
  sleeper.wait().catch(() => {});
  await first.stop();

  const second = await Server.start({ boxes: true, data });
  const { Sandbox } = sdkOf(second);
  const again = await Sandbox.connect(sandbox.sandboxId);
  assert.ok((await again.commands.list()).some((one) => one.pid === sleeper.pid));
  assert.deepEqual(await second.stop(), { code: 0, signal: null });
  assert.deepEqual(mountsIn(data), []);

  const third = await Server.start({ boxes: true, data });
  atEnd(t, () => third.stop());
  await rejection(sdkOf(third).Sandbox.connect(sandbox.sandboxId), SandboxNotFoundError);
});

test('a hundred sandboxes come and go and leave nothing', async (t) => {
  const server = await Server.start({ boxes: true });
  atEnd(t, () => server.stop());
  const { Sandbox } = sdkOf(server);
  for (let round = 0; round < 4; round++) {
    const made = await Promise.all(Array.from({ length: 25 }, () => Sandbox.create()));
    const words = await Promise.all(made.map(async (one, i) => (await one.commands.run(`echo ${round}-${i}`)).stdout));
    assert.deepEqual(words, made.map((_, i) => `${round}-${i}\n`));
    assert.ok((await Promise.all(made.map((one) => one.kill()))).every(Boolean));
  }
  assert.deepEqual(await Sandbox.list().nextItems(), []);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  assert.deepEqual(mountsIn(server.data), []);
});
