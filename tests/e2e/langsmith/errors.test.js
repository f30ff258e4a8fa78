// Each class of error that the SDK tells apart, met on a real server; and those of its methods that no other test drives.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  LangSmithDataplaneNotConfiguredError, LangSmithQuotaExceededError, LangSmithResourceCreationError, LangSmithResourceTimeoutError,
  LangSmithSandboxConnectionError, LangSmithSandboxCreationError, LangSmithSandboxNotReadyError, Sandbox,
} from 'langsmith/sandbox';
import { atEnd, rejection, until } from '../support/e2b.js';
import { clientOf, withSandboxes } from '../support/langsmith.js';
import { Server, firstProcesses } from '../support/server.js';

const host = withSandboxes({ args: ['--parked', '0'] });

/** A new sandbox, and what kills or stops the first process of its box. */
async function mortal(t, name) {
  const earlier = new Set(firstProcesses(host.server));
  const sandbox = await host.create(t, { name });
  const [pid] = firstProcesses(host.server).filter((one) => !earlier.has(one));
  return { sandbox, signal: (signal) => process.kill(Number(pid), signal) };
}

test('a Dockerfile is not built: the guest has no BuildKit, and nothing stays behind', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'viv-dockerfile-'));
  atEnd(t, () => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'Dockerfile'), 'FROM debian:12\nRUN true\n');
  let log = '';
  const options = { context: folder, onBuildLog: (text) => (log += text) };
  const error = await rejection(host.client.createSnapshotFromDockerfile('built', 'Dockerfile', options), LangSmithResourceCreationError);
  assert.equal(error.message, 'Dockerfile snapshot build failed');
  assert.equal(error.resourceType, 'snapshot');
  assert.match(log, /buildkitd: command not found/);
  assert.deepEqual((await host.client.listSandboxes()).filter((box) => box.name.startsWith('snapshot-builder-')), []);
  assert.deepEqual((await host.client.listSnapshots({ nameContains: 'built' })).filter((one) => one.name === 'built'), []);
});

test('what the client was made with goes along with every call', async (t) => {
  const client = clientOf(host.server, { headers: { 'X-Trace': 'abc' } });
  assert.equal(client.getApiKey(), host.server.key);
  assert.deepEqual(client.getDefaultHeaders(), { 'X-Trace': 'abc' });
  client.getDefaultHeaders()['X-Trace'] = 'changed';
  assert.deepEqual(client.getDefaultHeaders(), { 'X-Trace': 'abc' }, 'it is a copy');
  const sandbox = host.keep(t, await client.createSandbox({ name: 'headers' }));
  assert.equal((await sandbox.run('echo over a socket', { onStdout() {} })).stdout, 'over a socket\n');
});

test('a sandbox says where its data plane is, or that it has none', async (t) => {
  const sandbox = await host.create(t, { name: 'addressed' });
  assert.equal(sandbox.requireDataplaneUrl(), `${host.server.url}/v2/sandboxes/${sandbox.id}`);
  const { body } = await host.call('GET', '/boxes/addressed');
  const without = new Sandbox({ ...body, dataplane_url: undefined }, host.client);
  assert.throws(() => without.requireDataplaneUrl(), LangSmithDataplaneNotConfiguredError);
  await rejection(without.run('true'), LangSmithDataplaneNotConfiguredError);
});

test('a command can be taken up again where both of its streams stood', async (t) => {
  const sandbox = await host.create(t, { name: 'offsets' });
  const handle = await sandbox.run('printf 12345 >&2; printf abc; while [ ! -e /tmp/go ]; do sleep 0.02; done; printf 678 >&2; printf de', { wait: false });
  for await (const chunk of handle) {
    assert.ok(chunk.data);
    if (handle.lastStderrOffset === 5 && handle.lastStdoutOffset === 3) break;
  }
  assert.deepEqual([handle.lastStdoutOffset, handle.lastStderrOffset], [3, 5]);
  const again = await sandbox.reconnect(handle.commandId, { stdoutOffset: handle.lastStdoutOffset, stderrOffset: handle.lastStderrOffset });
  await sandbox.write('/tmp/go', '');
  const result = await again.result;
  assert.deepEqual([result.stdout, result.stderr, result.exit_code], ['de', '678', 0]);
  assert.deepEqual([again.lastStdoutOffset, again.lastStderrOffset], [5, 8]);
});

test('one sandbox more than the server may hold is over the quota', async (t) => {
  const server = await Server.start({ boxes: true, args: ['--boxes-max', '1', '--parked', '0'] });
  atEnd(t, () => server.stop());
  const client = clientOf(server);
  const first = await client.createSandbox({ name: 'first' });
  for (const options of [{ name: 'second' }, { name: 'second', waitForReady: false }]) {
    const error = await rejection(client.createSandbox(options), LangSmithQuotaExceededError);
    assert.equal(error.quotaType, 'sandbox_count');
    assert.match(error.message, /--boxes-max/);
  }
  await first.delete();
  await (await client.createSandbox({ name: 'second' })).delete();
});

test('a sandbox that dies is a lost connection to its command, then not ready, and waiting for it fails', async (t) => {
  const { sandbox, signal } = await mortal(t, 'dying');
  const handle = await sandbox.run('echo up; sleep 600', { wait: false });
  for await (const chunk of handle) if (chunk.data.includes('up')) break;
  const lost = rejection((await handle.reconnect()).result, LangSmithSandboxConnectionError);  // it tries again for some seconds
  signal('SIGKILL');
  await until(async () => (await host.client.getSandboxStatus('dying')).status === 'failed', 'the failure');
  for (const work of [() => sandbox.read('/etc/hostname'), () => sandbox.write('/root/a', 'x')])
    assert.match((await rejection(work(), LangSmithSandboxNotReadyError)).message, /failed/);
  await rejection(sandbox.run('true'), LangSmithSandboxConnectionError);
  const error = await rejection(host.client.waitForSandbox('dying', { timeout: 30 }), LangSmithResourceCreationError);
  assert.equal(error.resourceType, 'sandbox');
  assert.match(error.message, /ended/);
  await lost;
});

test('who waits too short a time is told so, by what was waited for', async (t) => {
  // An address that answers nothing keeps a build waiting.
  const building = host.client.createSnapshot('waiting', '192.0.2.1/team/tool:1', 4 * 2 ** 30, { timeout: 1 });
  const snapshot = await rejection(building, LangSmithResourceTimeoutError);
  assert.deepEqual([snapshot.resourceType, snapshot.lastStatus], ['snapshot', 'building']);
  const { sandbox } = await mortal(t, 'stopped');
  await sandbox.stop();
  const waiting = await rejection(host.client.waitForSandbox('stopped', { timeout: 0.3, pollInterval: 0.1 }), LangSmithResourceTimeoutError);
  assert.deepEqual([waiting.resourceType, waiting.lastStatus], ['sandbox', 'stopped']);
});

test('a sandbox of a snapshot that failed cannot be created', async () => {
  const { body } = await host.call('POST', '/snapshots', { name: 'broken', docker_image: '127.0.0.1:1/no/such:1', fs_capacity_bytes: 4 * 2 ** 30 });
  await rejection(host.client.waitForSnapshot(body.id, { timeout: 60, pollInterval: 0.2 }), LangSmithResourceCreationError);
  const error = await rejection(host.client.createSandbox({ snapshotName: 'broken' }), LangSmithSandboxCreationError);
  assert.equal(error.errorType, 'ImagePull');
});
