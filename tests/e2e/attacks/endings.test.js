// The end of one box waits for nobody and holds up nobody; what is killed leaves nothing behind.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { attempt } from '../support/attack.js';
import { until, withBoxes } from '../support/e2b.js';

const host = withBoxes();

const ending = async () => Number(/^viv_boxes_ending (\S+)$/m.exec((await host.server.call('GET', '/metrics')).body)[1]);

test('boxes full of processes and triggers are gone when their removal was answered', async (t) => {
  const boxes = await Promise.all([1, 2, 3, 4].map(() => host.create(t)));
  await Promise.all(boxes.map((box) => attempt(box, `python3 -c "
import os
for i in range(100):
    if os.fork() == 0:
        for j in range(200):
            try: os.write(os.open('/proc/pressure/memory', os.O_RDWR), b'some 500000 1000000')
            except OSError: pass
        os.execvp('sleep', ['sleep', '3600'])
" > /dev/null 2>&1`)));
  const others = await Promise.all([1, 2, 3, 4].map(() => host.create(t)));
  const removed = [...boxes, ...others].map((box) => host.Sandbox.kill(box.sandboxId));
  assert.deepEqual(await Promise.all(removed), removed.map(() => true));
  assert.equal(await ending(), 0);
});

test('a spawner that was killed leaves no zombie, and boxes start', async (t) => {
  const stat = (pid) => {
    try {
      const [, name, state, parent] = /\((.*)\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      return { pid, name, state, parent: Number(parent) };
    } catch {
      return {};
    }
  };
  const children = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(stat).filter((one) => one.parent === host.server.process.pid);
  const spawners = children().filter((child) => child.name === 'viv-agent');
  assert.ok(spawners.length > 0);
  for (const { pid } of spawners) process.kill(Number(pid), 'SIGKILL');
  await until(() => !children().some((child) => child.state === 'Z'), 'no zombie');
  const box = await host.create(t);
  assert.equal((await box.commands.run('echo fine')).stdout, 'fine\n');
});
