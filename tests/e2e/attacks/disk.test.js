// A box fills its own disk, not the machine's.
import assert from 'node:assert/strict';
import { statfsSync } from 'node:fs';
import { test } from 'node:test';
import { attempt } from '../support/attack.js';
import { withBoxes } from '../support/e2b.js';

const host = withBoxes();

test('a box cannot hold more than its limit', async (t) => {
  const [box, neighbour] = [await host.create(t), await host.create(t)];
  // Preallocation takes space without writing it: the whole limit in a moment.
  const { exitCode, stderr } = await attempt(box, 'cd /home/user && for i in $(seq 1 12); do fallocate -l 1G f$i || exit 9; done');
  assert.equal(exitCode, 9, 'twelve gigabytes do not fit into ten');
  assert.match(stderr, /No space left|Disk quota exceeded/i);
  assert.equal((await neighbour.commands.run('echo kept > ~/f && cat ~/f')).stdout, 'kept\n');
  assert.ok(statfsSync(host.server.data).bavail > 0);
});

test('what is written to a full box fails with a clear error and loses nothing', async (t) => {
  const box = await host.create(t);
  await box.files.write('kept.txt', 'before');
  await attempt(box, 'cd /home/user && for i in $(seq 1 12); do fallocate -l 1G f$i || break; done; for i in $(seq 1 300); do fallocate -l 64M g$i || break; done');
  await assert.rejects(box.files.write('kept.txt', 'x'.repeat(200 << 20)), /space|full|507/i);
  assert.equal(await box.files.read('kept.txt'), 'before');
});
