// Budgets of accounts in Recoup's API, and for repositories.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Recoup } from '../support/recoup.js';
import { Server } from '../support/server.js';

let server;
let folder;
before(async () => {
  server = await Server.start({ boxes: true });
  folder = mkdtempSync(join(tmpdir(), 'viv-limits-'));
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function makeAccount(name, limits) {
  const { status, body } = await server.call('POST', '/api/viv/accounts', { json: { name } });
  assert.equal(status, 201, JSON.stringify(body));
  const set = async (changes) => {
    const answer = await server.call('PATCH', `/api/viv/accounts/${body.id}/limits`, { json: changes });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  };
  await set(limits);
  const url = `http://git:${body.key}@${server.address}/git/${body.uuid}.git`;
  const usage = async () => (await server.call('GET', `/api/viv/accounts/${body.id}/usage`)).body.usage;
  return { ...body, set, url, usage, api: new Recoup(server, body.key) };
}

const environment = {
  ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Test', GIT_AUTHOR_EMAIL: 'test@example.com', GIT_COMMITTER_NAME: 'Test', GIT_COMMITTER_EMAIL: 'test@example.com',
};
const git = (cwd, ...args) =>
  new Promise((done) => execFile('git', args, { cwd, env: environment, maxBuffer: 1 << 26 }, (error, out, err) => done({ code: error ? (error.code ?? 1) : 0, out, err })));

async function clone(account, name) {
  const at = join(folder, name);
  const { code, err } = await git(folder, 'clone', '-q', account.url, at);
  assert.equal(code, 0, err);
  return at;
}
async function commit(at, bytes) {
  writeFileSync(join(at, `file-${randomBytes(4).toString('hex')}`), randomBytes(bytes));
  await git(at, 'add', '-A');
  assert.equal((await git(at, 'commit', '-q', '-m', 'a change')).code, 0);
}
const push = (at) => git(at, 'push', '-q', 'origin', 'HEAD');

test('one sandbox too many is 403 with the reason; too many requests are 429', async () => {
  const account = await makeAccount('recoup', { boxes: 1 });
  const sandbox = await account.api.create();
  const refused = await account.api.refused(403, 'POST', '/api/sandboxes', {});
  assert.match(refused.error, /box limit of this account: 1 allowed, 1 in use/);
  const other = await makeAccount('neighbour', {});
  await other.api.create();
  assert.ok(sandbox.sandboxId);
  await account.set({ requests_per_second: 1 });
  const answers = await Promise.all(Array.from({ length: 5 }, () => account.api.call('GET', '/api/sandboxes')));
  const limited = answers.find((it) => it.status === 429);
  assert.equal(limited.body.status, 'error');
  assert.match(limited.body.error, /requests per second/);
  assert.match(limited.headers.get('retry-after'), /^[1-9]\d*$/);
});

test('a push beyond the limit is refused by git, which says why; what fits goes in', async () => {
  const account = await makeAccount('pusher', { repository_bytes: 4 << 20 });
  const at = await clone(account, 'one');
  await commit(at, 1 << 20);
  assert.equal((await push(at)).code, 0);
  await commit(at, 8 << 20);
  const refused = await push(at);
  assert.notEqual(refused.code, 0);
  assert.match(refused.err, /exceeds maximum allowed size|limit of this account/);
  const used = (await account.usage()).repository_bytes;
  assert.ok(used > 1 << 20 && used < 4 << 20, `${used}`);
  await git(at, 'reset', '-q', '--hard', 'HEAD~1');
  await commit(at, 1 << 20);
  assert.equal((await push(at)).code, 0, 'what is smaller fits');
  await account.set({ repository_bytes: 1 << 20 });
  await commit(at, 10);
  const full = await push(at);
  assert.notEqual(full.code, 0);
  assert.match(full.err, /repository storage limit of this account: 1 MiB allowed, 2 MiB in use/);
  assert.equal((await git(folder, 'clone', '-q', account.url, join(folder, 'still'))).code, 0, 'it can still be read');
  await account.set({ repository_bytes: null });
  assert.equal((await push(at)).code, 0);
});

test('pushes at the same time do not pass the limit together', async () => {
  const account = await makeAccount('racers', { repository_bytes: 5 << 20 });
  const clones = [];
  for (let i = 0; i < 4; i++) {
    const at = await clone(account, `racer-${i}`);
    await git(at, 'checkout', '-q', '-b', `branch-${i}`);
    await commit(at, 2 << 20);
    clones.push(at);
  }
  const results = await Promise.all(clones.map(push));
  assert.ok(results.some((it) => it.code === 0), results.map((it) => it.err).join('\n'));
  assert.ok((await account.usage()).repository_bytes <= 5 << 20);
});

test('a few deltas do not become a thousand times as much', async () => {
  const account = await makeAccount('bomber', { repository_bytes: 8 << 20 });
  const at = await clone(account, 'bomb');
  const base = randomBytes(2 << 20);
  for (let i = 0; i < 40; i++) writeFileSync(join(at, `file-${i}`), Buffer.concat([base, Buffer.from(`${i}`)]));
  await git(at, 'add', '-A');
  await git(at, 'commit', '-q', '-m', 'alike');
  await git(at, 'repack', '-q', '-a', '-d');
  const pushed = await push(at);
  const used = (await account.usage()).repository_bytes;
  assert.ok(used <= 8 << 20, `${used} after ${pushed.code}`);
});
