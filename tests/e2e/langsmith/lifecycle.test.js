// What happens to boxes by itself: they stop when they are idle, go when they were stopped for long, and a dead one is
// a failed one. The shortest times the API has are a minute, so everything waits together.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/e2b.js';
import { withSandboxes } from '../support/langsmith.js';
import { firstProcesses } from '../support/server.js';

const host = withSandboxes({ args: ['--parked', '0'] });
const minute = { idleTtlSeconds: 60 };
const statusOf = async (sandbox) => (await host.call('GET', `/boxes/${sandbox.id}/status`)).body.status;

test('idle boxes stop, those at work do not, and stopped ones go in time', async (t) => {
  const create = (name, options = minute) => host.create(t, { name, ...options });
  const idle = await create('idle');
  const waiting = await create('waiting');
  const computing = await create('computing');
  const called = await create('called');
  const patient = await create('patient', { idleTtlSeconds: 0 });
  const leaving = await create('leaving', { deleteAfterStopSeconds: 60 });
  const staying = await create('staying', { deleteAfterStopSeconds: 0 });

  await idle.run('echo kept > /root/note');
  const command = await waiting.run('sleep 300', { wait: false, timeout: 0 });
  // A process that no client started keeps the processor busy, and nothing else tells of it.
  await computing.run('setsid sh -c "while :; do :; done" > /dev/null 2>&1 < /dev/null &');
  await host.client.stopSandbox('leaving');
  await host.client.stopSandbox('staying');
  const before = Date.now();
  while (Date.now() - before < 90_000) {
    await sleep(10_000);
    await called.run('true');
  }
  assert.equal(await statusOf(idle), 'stopped');
  assert.equal(await statusOf(waiting), 'ready', 'a command runs in it');
  assert.equal(await statusOf(computing), 'ready', 'it uses the processor');
  assert.equal(await statusOf(called), 'ready', 'it is called');
  assert.equal(await statusOf(patient), 'ready', 'it has no idle time');
  assert.equal((await host.call('GET', '/boxes/leaving')).status, 404);
  assert.equal(await statusOf(staying), 'stopped');

  const shown = (await host.call('GET', '/boxes/idle')).body;
  assert.ok(Date.parse(shown.stopped_at) > 0, JSON.stringify(shown));
  assert.equal((await idle.run('cat /root/note')).stdout, 'kept\n');
  assert.equal(await statusOf(idle), 'ready');
  await command.kill();
});

test('a box whose first process dies has failed, keeps its files and can be started again', async (t) => {
  const earlier = new Set(firstProcesses(host.server));
  const sandbox = await host.create(t, { name: 'mortal' });
  await sandbox.write('/root/note', 'kept');
  const [pid] = firstProcesses(host.server).filter((one) => !earlier.has(one));
  process.kill(Number(pid), 'SIGKILL');
  await until(async () => (await statusOf(sandbox)) === 'failed', 'the failure');
  const { body } = await host.call('GET', '/boxes/mortal/status');
  assert.match(body.status_message, /ended/);
  await assert.rejects(sandbox.run('true'));
  await host.client.startSandbox('mortal');
  assert.equal(String(await sandbox.read('/root/note').then((bytes) => Buffer.from(bytes))), 'kept');
});
