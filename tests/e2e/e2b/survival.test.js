// The server is killed; boxes are not. The next one adopts every box, and what has no record is removed.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sdkOf, until } from '../support/e2b.js';
import { Server, firstProcesses } from '../support/server.js';

// Other files' servers run at the same time, so what is looked for is this one's.
const groupsNamed = (group) => ['/sys/fs/cgroup', ...readdirSync('/sys/fs/cgroup').map((it) => join('/sys/fs/cgroup', it))]
  .map((root) => join(root, group)).filter((path) => existsSync(path));
const groupOf = (pid) => {
  try {
    return /vivarium-\w+/.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))?.[0];
  } catch {} // it ended meanwhile
};
const mountsOf = (data) => readFileSync('/proc/self/mountinfo', 'utf8').split('\n').filter((line) => line.includes(data));
const agents = (...options) => {
  try {
    return execFileSync('pgrep', [...options, '-x', 'viv-agent'], { encoding: 'utf8' }).trim().split('\n');
  } catch {
    return [];
  }
};
const makersOf = (server) => agents('-P', String(server.process.pid));

test('kill -9 with running, paused and stopped boxes loses none of them', async (t) => {
  const server = await Server.start({ boxes: true });
  const makers = makersOf(server);
  let { Sandbox } = sdkOf(server);
  const running = await Sandbox.create({ metadata: { role: 'running' }, envs: { KEPT: 'yes' }, timeoutMs: 600_000 });
  const counter = await running.commands.run('i=0; while true; do echo $i; echo $i > ~/last; i=$((i+1)); sleep 0.05; done', { background: true });
  const paused = await Sandbox.create({ metadata: { role: 'paused' } });
  const sleeper = await paused.commands.run('sleep 1000', { background: true });
  await paused.pause();
  const stopped = await Sandbox.create({ metadata: { role: 'stopped' } });
  await stopped.files.write('f', 'kept');
  await stopped.pause({ keepMemory: false });
  const { snapshotId } = await running.createSnapshot();
  const info = await Sandbox.getInfo(running.sandboxId);
  const group = groupOf(firstProcesses(server)[0]);
  assert.ok(makers.length > 0 && groupsNamed(group).length > 0, `${makers} ${group}`);

  await server.crashAndRestart();
  makers.push(...makersOf(server));
  ({ Sandbox } = sdkOf(server));
  const again = await Sandbox.connect(running.sandboxId, { timeoutMs: 1000 });
  assert.equal((await again.commands.run('echo $KEPT')).stdout, 'yes\n');
  assert.equal(+(await Sandbox.getInfo(running.sandboxId)).endAt, +info.endAt, 'its end has not moved');
  const list = await again.commands.list();
  assert.ok(list.some((it) => it.pid === counter.pid), 'the command runs on under its pid');
  const last = Number(await again.files.read('last'));
  await until(async () => Number(await again.files.read('last')) > last, 'the counter goes on');
  const attached = await again.commands.connect(counter.pid);
  assert.equal(await attached.kill(), true);

  const woken = await Sandbox.connect(paused.sandboxId);
  assert.ok((await woken.commands.list()).some((it) => it.pid === sleeper.pid), 'the paused command is there');
  assert.equal(await (await Sandbox.connect(stopped.sandboxId)).files.read('f'), 'kept');
  const copy = await Sandbox.create(snapshotId);
  assert.ok(await copy.files.exists('last'));

  // Killed in the middle of many creations: each is there whole, or not at all.
  const storm = Array.from({ length: 30 }, () => Sandbox.create({ metadata: { role: 'storm' } }).catch(() => null));
  await Promise.race(storm);
  server.process.kill('SIGKILL');
  const made = (await Promise.all(storm)).filter(Boolean);
  await server.exited;
  await server.launch();
  makers.push(...makersOf(server));
  ({ Sandbox } = sdkOf(server));
  for (const box of made) assert.equal((await (await Sandbox.connect(box.sandboxId)).commands.run('echo here')).stdout, 'here\n');

  const { data } = server;
  server.ownsData = false;
  await server.stop();
  await until(() => !agents().some((pid) => makers.includes(pid) || groupOf(pid) === group), 'every agent is gone');
  assert.deepEqual(mountsOf(data), []);
  assert.deepEqual(groupsNamed(group), []);
  assert.ok(!existsSync(join(data, 'boxes/run')) || readdirSync(join(data, 'boxes/run')).length === 0, 'no socket is left');
  execFileSync('rm', ['-rf', data]);
});
