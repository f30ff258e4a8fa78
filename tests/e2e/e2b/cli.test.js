// The vendor's command line against our server, with nothing but its own environment variables.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until, withBoxes } from '../support/e2b.js';

const host = withBoxes();
const program = join(dirname(fileURLToPath(import.meta.url)), '../node_modules/@e2b/cli/dist/index.js');

/** Runs `e2b …` in a home of its own: { code, out, err }. */
async function e2b(...args) {
  const home = mkdtempSync(join(tmpdir(), 'viv-e2b-cli-'));
  const { url, key } = host.server;
  const env = { ...process.env, HOME: home, E2B_API_KEY: key, E2B_API_URL: url, E2B_SANDBOX_URL: url, NO_COLOR: '1', NO_UPDATE_NOTIFIER: '1' };
  try {
    return await new Promise((done) => {
      const child = execFile(process.execPath, [program, ...args], { env }, (error, out, err) => done({ code: error?.code ?? 0, out, err }));
      child.stdin.end();
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
const well = async (...args) => {
  const result = await e2b(...args);
  assert.equal(result.code, 0, `e2b ${args.join(' ')}\n${result.out}\n${result.err}`);
  return result.out;
};

test('a sandbox is made, seen, used and removed', async (t) => {
  const made = await well('sandbox', 'create', 'base', '--detach', '--timeout', '300');
  const id = /\bi[a-z0-9]{20}\b/.exec(made)[0];
  host.keep(t, { sandboxId: id });
  const listed = JSON.parse(await well('sandbox', 'list', '--format', 'json'));
  assert.equal(listed.find((one) => one.sandboxId === id || one.sandboxID === id)?.state, 'running');
  assert.match(await well('sandbox', 'list'), new RegExp(id));
  assert.match(await well('sandbox', 'info', id), new RegExp(id));

  assert.equal(await well('sandbox', 'exec', id, 'echo', 'hello'), 'hello\n');
  assert.equal(await well('sandbox', 'exec', '-u', 'root', '-c', '/tmp', '-e', 'WORD=there', id, 'echo "$(whoami) $PWD $WORD"'), 'root /tmp there\n');
  const failed = await e2b('sandbox', 'exec', id, 'exit 5');
  assert.equal(failed.code, 5);
  await well('sandbox', 'exec', '-b', id, 'sleep 100');

  assert.match(await well('sandbox', 'kill', id), new RegExp(id));
  assert.doesNotMatch(await well('sandbox', 'list'), new RegExp(id));
});

test('a sandbox pauses, resumes and is copied', async (t) => {
  const sandbox = await host.create(t);
  const id = sandbox.sandboxId;
  await well('sandbox', 'pause', id);
  assert.equal((await sandbox.getInfo()).state, 'paused');
  assert.match(await well('sandbox', 'list', '--state', 'paused'), new RegExp(id));
  await well('sandbox', 'resume', id);
  assert.equal((await sandbox.getInfo()).state, 'running');

  await well('sandbox', 'snapshot', 'create', id, '--name', 'cli-copy');
  const listed = await well('sandbox', 'snapshot', 'list', id, '--format', 'json');
  const [{ snapshotId }] = JSON.parse(listed);
  assert.match(await well('sandbox', 'snapshot', 'list'), /cli-copy/);
  const copy = await host.create(t, snapshotId);
  await copy.kill();
  await well('sandbox', 'snapshot', 'delete', snapshotId);
  assert.doesNotMatch(await well('sandbox', 'snapshot', 'list'), /cli-copy/);
});

test('logs and metrics of a sandbox are shown', async (t) => {
  const sandbox = await host.create(t);
  await sandbox.commands.run('echo something');
  await well('sandbox', 'logs', sandbox.sandboxId, '--level', 'DEBUG');
  await until(async () => (await sandbox.getMetrics()).length > 0, 'the first point');
  assert.match(await well('sandbox', 'metrics', sandbox.sandboxId), /CPU/);
});

test('the templates are listed', async () => {
  assert.match(await well('template', 'list'), /base/);
  const listed = JSON.parse(await well('template', 'list', '--format', 'json'));
  assert.ok(listed.some((one) => one.names?.includes('base') || one.aliases?.includes('base')));
});

test('all sandboxes with a label are removed at once', async (t) => {
  const marked = await Promise.all([1, 2, 3].map(() => host.create(t, { metadata: { batch: 'cli' } })));
  const other = await host.create(t);
  await well('sandbox', 'kill', '--all', '--metadata', 'batch=cli');
  for (const one of marked) assert.equal(await one.isRunning(), false);
  assert.equal(await other.isRunning(), true);
});

test('what is not there is said, with a code', async () => {
  const missing = await e2b('sandbox', 'info', 'i00000000000000000000');
  assert.notEqual(missing.code, 0);
  assert.match(missing.out + missing.err, /found/i);
});
