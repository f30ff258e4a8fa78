// Snapshots and forks of sandboxes through the E2B SDK. Both carry the files; processes start afresh.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SandboxError, SandboxNotFoundError } from 'e2b';
import { atEnd, rejection, withBoxes } from '../support/e2b.js';

const host = withBoxes();
const idsOf = async (pages) => {
  const ids = [];
  while (pages.hasNext) ids.push(...(await pages.nextItems()).map((one) => one.snapshotId));
  return ids;
};

test('a snapshot starts sandboxes as the first one was', async (t) => {
  const sandbox = await host.create(t, { envs: { FROM: 'first' } });
  await sandbox.files.write('state.json', '{"step": 1}');
  await sandbox.commands.run('sudo sh -c "echo changed > /etc/marker; rm -f /etc/motd"; mkdir -p a/b; ln -s ../state.json a/link; chmod 700 a');
  const snapshot = await host.snapshot(t, sandbox);
  assert.ok(snapshot.snapshotId);

  await sandbox.files.write('state.json', '{"step": 2}');
  const [one, two] = await Promise.all([host.create(t, snapshot.snapshotId), host.create(t, snapshot.snapshotId)]);
  for (const copy of [one, two]) {
    assert.notEqual(copy.sandboxId, sandbox.sandboxId);
    assert.equal(await copy.files.read('state.json'), '{"step": 1}');
    assert.equal(await copy.files.read('/etc/marker'), 'changed\n');
    assert.equal((await copy.commands.run('stat -c "%U %a" a; cat a/link; test ! -e /etc/motd')).stdout, 'user 700\n{"step": 1}');
  }
  await one.files.write('state.json', 'mine');
  assert.equal(await two.files.read('state.json'), '{"step": 1}');
  assert.equal(await sandbox.files.read('state.json'), '{"step": 2}');
  assert.equal((await sandbox.commands.run('echo on')).stdout, 'on\n');
});

test('a snapshot has a name, is listed, and survives its sandbox', async (t) => {
  const sandbox = await host.create(t);
  await sandbox.files.write('kept', 'yes');
  const name = `kept-${Date.now()}`;
  const snapshot = await host.Sandbox.createSnapshot(sandbox.sandboxId, { name });
  atEnd(t, () => host.Sandbox.deleteSnapshot(snapshot.snapshotId));
  assert.ok(snapshot.names.some((one) => one.includes(name)), snapshot.names.join());
  const unnamed = await host.snapshot(t, sandbox);
  assert.deepEqual((await idsOf(sandbox.listSnapshots())).sort(), [snapshot.snapshotId, unnamed.snapshotId].sort());
  assert.deepEqual((await idsOf(sandbox.listSnapshots({ limit: 1 }))).length, 2);
  assert.deepEqual(await idsOf(host.Sandbox.listSnapshots({ name })), [snapshot.snapshotId]);
  assert.deepEqual(await idsOf(host.Sandbox.listSnapshots({ name: 'no-such' })), []);

  await sandbox.kill();
  const byName = await host.create(t, name);
  assert.equal(await byName.files.read('kept'), 'yes');
  assert.ok((await idsOf(host.Sandbox.listSnapshots())).includes(snapshot.snapshotId));
});

test('a name is one snapshot: taken again it replaces the older', async (t) => {
  const sandbox = await host.create(t);
  const name = `again-${Date.now()}`;
  atEnd(t, () => host.Sandbox.deleteSnapshot(name));
  atEnd(t, () => host.Sandbox.deleteSnapshot(`${name}:v2`));
  await sandbox.files.write('build', 'first');
  await host.Sandbox.createSnapshot(sandbox.sandboxId, { name });
  const old = await host.create(t, name);
  await sandbox.files.write('build', 'second');
  const { snapshotId } = await host.Sandbox.createSnapshot(sandbox.sandboxId, { name });
  assert.deepEqual(await idsOf(host.Sandbox.listSnapshots({ name })), [snapshotId]);
  assert.equal(await old.files.read('build'), 'first');
  const fresh = await host.create(t, name);
  assert.equal(await fresh.files.read('build'), 'second');
  const tagged = await host.Sandbox.createSnapshot(sandbox.sandboxId, { name: `${name}:v2` });
  assert.deepEqual((await idsOf(host.Sandbox.listSnapshots({ name }))).sort(), [snapshotId, tagged.snapshotId].sort());
  assert.equal((await old.commands.run('cat build')).stdout, 'first');
  await Promise.all([old.kill(), fresh.kill()]);
  assert.equal(await host.Sandbox.deleteSnapshot(name), true);
  await rejection(host.Sandbox.create(name), SandboxError);
  assert.equal(await host.Sandbox.deleteSnapshot(name), false);
});

test('a deleted snapshot is gone, and one in use is kept', async (t) => {
  const sandbox = await host.create(t);
  const snapshot = await sandbox.createSnapshot();
  const copy = await host.create(t, snapshot.snapshotId);
  await rejection(host.Sandbox.deleteSnapshot(snapshot.snapshotId), SandboxError);
  assert.equal((await copy.commands.run('echo fine')).stdout, 'fine\n');
  await copy.kill();
  assert.equal(await host.Sandbox.deleteSnapshot(snapshot.snapshotId), true);
  assert.equal(await host.Sandbox.deleteSnapshot(snapshot.snapshotId), false);
  await rejection(host.Sandbox.create(snapshot.snapshotId), SandboxError);
  assert.ok(!(await idsOf(host.Sandbox.listSnapshots())).includes(snapshot.snapshotId));
});

test('snapshots build on each other', async (t) => {
  let sandbox = await host.create(t);
  for (let i = 0; i < 4; i++) {
    await sandbox.files.write(`layer-${i}`, String(i));
    if (i > 0) await sandbox.files.remove(`layer-${i - 1}`);
    const snapshot = await host.snapshot(t, sandbox);
    const next = await host.create(t, snapshot.snapshotId);
    assert.deepEqual((await next.files.list('.')).map((one) => one.name).filter((one) => one.startsWith('layer')), [`layer-${i}`]);
    sandbox = next;
  }
});

test('a fork gives three copies that part ways', async (t) => {
  const sandbox = await host.create(t, { metadata: { kind: 'origin' }, timeoutMs: 600_000 });
  await sandbox.files.write('shared', 'before');
  const end = (await sandbox.getInfo()).endAt;
  const forks = await sandbox.fork({ count: 3, timeoutMs: 120_000 });
  assert.equal(forks.length, 3);
  forks.forEach((fork) => (assert.ok(!(fork instanceof Error), fork.message), host.keep(t, fork)));
  assert.equal(new Set([sandbox, ...forks].map((one) => one.sandboxId)).size, 4);
  await Promise.all(forks.map((fork, i) => fork.files.write('shared', `fork ${i}`)));
  for (const [i, fork] of forks.entries()) assert.equal(await fork.files.read('shared'), `fork ${i}`);
  assert.equal(await sandbox.files.read('shared'), 'before');
  assert.equal((await sandbox.getInfo()).endAt.getTime(), end.getTime());

  const [one] = await host.Sandbox.fork(sandbox.sandboxId);
  host.keep(t, one);
  assert.equal(await one.files.read('shared'), 'before');
  await rejection(sandbox.fork({ count: 0 }), SandboxError);
  await rejection(sandbox.fork({ count: 101 }), SandboxError);
  await sandbox.kill();
  await rejection(sandbox.fork(), SandboxNotFoundError);
});
