// A box fills its own disk, not the machine's.
import assert from 'node:assert/strict';
import { statfsSync } from 'node:fs';
import { test } from 'node:test';
import { attempt } from '../support/attack.js';
import { until, withBoxes } from '../support/e2b.js';

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

test('files that come and go by the ten thousand leave nothing of them', async (t) => {
  const [box, neighbour] = [await host.create(t), await host.create(t)];
  const used = async () => Number((await attempt(box, "df --output=used -B1 / | tail -n 1")).stdout);
  const churn = `python3 -c "
import os
os.mkdir('/churn')
for turn in range(6):
    for i in range(20000): os.close(os.open(f'/churn/{turn}-{i}-' + 'x' * 200, os.O_CREAT | os.O_WRONLY))
    for i in range(20000): os.unlink(f'/churn/{turn}-{i}-' + 'x' * 200)
os.rmdir('/churn')
"; sync`;
  const before = await used();
  const [{ exitCode }] = await Promise.all([
    attempt(box, churn, { timeoutMs: 0 }),
    (async () => {
      for (let i = 0; i < 20; i++) assert.equal((await neighbour.commands.run(`echo ${i} > ~/f && cat ~/f`)).stdout, `${i}\n`);
    })(),
  ]);
  assert.equal(exitCode, 0);
  const after = await until(async () => {
    const now = await used();
    return now < before + 256 * 2 ** 20 && now;
  }, 'the space to be free again');
  assert.ok(after > 0);
});
