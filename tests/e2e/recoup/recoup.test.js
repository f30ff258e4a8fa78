// Every operation of Recoup's sandbox API against the real server and real boxes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { atEnd, sdkOf, until } from '../support/e2b.js';
import { clientOf } from '../support/langsmith.js';
import { Recoup, boxIdOf } from '../support/recoup.js';
import { Server, program } from '../support/server.js';
import { check } from './schemas.js';

let server;
let recoup;
let Sandbox;
before(async () => {
  server = await Server.start({ boxes: true });
  recoup = new Recoup(server);
  Sandbox = sdkOf(server).Sandbox;
});
after(() => server?.stop());

const viv = (...args) => execFileSync(program, [...args, '--url', server.url, '--data', server.data], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
let number = 0;
/** A new account: { id, key, recoup }. */
function makeAccount(organization) {
  const name = `recoup-${++number}`;
  const key = viv('account', 'create', name, ...(organization ? ['--org', organization] : []));
  const line = viv('account', 'ls').split('\n').find((it) => it.includes(name));
  const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(line)[0];
  return { id, key, recoup: new Recoup(server, key) };
}
function makeOrganization() {
  const name = `organization-${++number}`;
  viv('org', 'create', name);
  return name;
}
const remove = (t, sandbox, sdk = Sandbox) => atEnd(t, () => sdk.kill(boxIdOf(sandbox)));

test('exactly one header carries the key', async () => {
  const text = 'Exactly one of x-api-key or Authorization must be provided';
  const both = { 'x-api-key': server.key, Authorization: `Bearer ${server.key}` };
  for (const headers of [{}, both]) assert.equal((await recoup.refused(401, 'GET', '/api/sandboxes', undefined, { headers })).error, text);
  for (const headers of [{ 'x-api-key': 'wrong' }, { Authorization: 'Bearer recoup_sk_wrong' }, { Authorization: `Basic ${server.key}` }]) {
    const { status, body } = await recoup.call('GET', '/api/sandboxes', undefined, { headers });
    assert.equal(status, 401);
    assert.equal(check('rejected', body).message, 'Unauthorized');
  }
  for (const headers of [{ 'x-api-key': server.key }, { Authorization: `Bearer ${server.key}` }])
    await recoup.ok('list', 'GET', '/api/sandboxes', undefined, { headers });
});

test('browsers may ask first', async () => {
  for (const path of ['/api/sandboxes', '/api/sandboxes/setup', '/api/sandboxes/file', '/api/sandboxes/files', '/api/tasks/runs'])
    assert.equal((await recoup.call('OPTIONS', path, undefined, { headers: {} })).status, 200, path);
  for (const path of ['/api/sandbox', '/api/sandbox/status', '/api/sandbox/reconnect'])
    assert.equal((await recoup.call('OPTIONS', path, undefined, { headers: {} })).status, 204, path);
});

test('a sandbox is created and listed with the time that is left', async (t) => {
  const account = makeAccount();
  assert.deepEqual(await account.recoup.list(), { status: 'success', sandboxes: [], snapshot_id: null, github_repo: null, filetree: null });
  const sdk = sdkOf(server, { apiKey: account.key }).Sandbox;
  const first = await account.recoup.create();
  remove(t, first, sdk);
  assert.equal(first.sandboxStatus, 'running');
  assert.ok(first.timeout > 1_700_000 && first.timeout <= 1_800_000, String(first.timeout));
  assert.ok(Math.abs(Date.parse(first.createdAt) - Date.now()) < 60_000);
  const second = await account.recoup.create();
  remove(t, second, sdk);
  const { sandboxes } = await account.recoup.list();
  assert.deepEqual(sandboxes.map((it) => it.sandboxId), [second.sandboxId, first.sandboxId], 'newest first');
  assert.ok(sandboxes[1].timeout <= first.timeout, 'time passes');
  assert.deepEqual((await account.recoup.list(`?sandbox_id=${first.sandboxId}`)).sandboxes.map((it) => it.sandboxId), [first.sandboxId]);
  for (const unknown of ['sbx_00000000000000000000', 'nothing', '..%2f..'])
    assert.deepEqual((await account.recoup.list(`?sandbox_id=${unknown}`)).sandboxes, []);
  assert.deepEqual((await recoup.list(`?sandbox_id=${first.sandboxId}`)).sandboxes, [], 'the operator is of another organization');
});

test('bodies that are no JSON count as empty, wrong fields are named', async (t) => {
  const { body, status } = await recoup.call('POST', '/api/sandboxes', undefined, { raw: '{"command": ' });
  assert.equal(status, 200);
  remove(t, check('created', body).sandboxes[0]);
  for (const [json, field] of [
    [{ command: '' }, 'command'],
    [{ command: 5 }, 'command'],
    [{ command: 'ls', args: 'x' }, 'args'],
    [{ prompt: '' }, 'prompt'],
    [{ account_id: 'me' }, 'account_id'],
  ])
    assert.deepEqual((await recoup.refused(400, 'POST', '/api/sandboxes', json)).missing_fields, [field]);
  assert.equal((await recoup.refused(400, 'POST', '/api/sandboxes', { command: 'ls', prompt: 'x' })).error, 'Cannot specify both command and prompt');
});

test('a command runs to its end: output, errors and exit code', async (t) => {
  const sandbox = await recoup.create({ command: 'bash', args: ['-c', 'echo "it\'s $0"; pwd; echo oh >&2; exit 7', 'here'], cwd: '/tmp' });
  remove(t, sandbox);
  const run = await recoup.ended(sandbox.runId);
  assert.equal(run.status, 'COMPLETED', JSON.stringify(run));
  assert.deepEqual(run.output, { stdout: "it's here\n/tmp\n", stderr: 'oh\n', exitCode: 7 });
  assert.equal(run.taskIdentifier, 'run-sandbox-command');
  assert.equal(run.error, null);
  assert.ok(run.finishedAt >= run.startedAt && run.startedAt >= run.createdAt);
  assert.equal((await recoup.list(`?sandbox_id=${sandbox.sandboxId}`)).sandboxes[0].runId, sandbox.runId);
  const account = run.tags[0].replace('account:', '');
  const { runs } = await recoup.ok('runs', 'GET', `/api/tasks/runs?limit=100&account_id=${account}`);
  assert.ok(runs.some((it) => it.id === run.id));
});

test('a command alone is a line for the shell, a prompt is for opencode', async (t) => {
  const sandbox = await recoup.create({ command: 'echo a && echo b | tr b c' });
  remove(t, sandbox);
  const prompted = await recoup.create({ prompt: 'say "hi"; echo no' });
  remove(t, prompted);
  assert.deepEqual((await recoup.ended(sandbox.runId)).output, { stdout: 'a\nc\n', stderr: '', exitCode: 0 });
  const { status, output } = await recoup.ended(prompted.runId);
  assert.equal(status, 'COMPLETED');
  assert.equal(output.exitCode, 127, 'a plain box has no opencode');
  assert.equal(output.stdout, '');
});

test('much output is kept by its end', async (t) => {
  const sandbox = await recoup.create({ command: 'seq 1 700000; echo done >&2' });
  remove(t, sandbox);
  const { status, output } = await recoup.ended(sandbox.runId);
  assert.equal(status, 'COMPLETED');
  assert.match(output.stdout, /^\[the first \d+ bytes were not kept\]\n/);
  assert.ok(output.stdout.endsWith('\n699999\n700000\n'));
  assert.ok(output.stdout.length < 1_100_000);
  assert.equal(output.stderr, 'done\n');
});

test('a command that cannot start has failed, one whose box goes has crashed', async (t) => {
  const nowhere = await recoup.create({ command: 'ls', cwd: '/no/such/folder' });
  remove(t, nowhere);
  const failed = await recoup.ended(nowhere.runId);
  assert.equal(failed.status, 'FAILED', JSON.stringify(failed));
  assert.ok(failed.error.message.length > 0);
  const sandbox = await recoup.create({ command: 'echo begun; sleep 1000' });
  await until(async () => (await recoup.run(sandbox.runId)).status === 'EXECUTING');
  await Sandbox.kill(boxIdOf(sandbox));
  const crashed = await recoup.ended(sandbox.runId);
  assert.equal(crashed.status, 'CRASHED');
  assert.match(crashed.error.message, /removed/);
  assert.equal(crashed.output.exitCode, null);
});

test('runs are asked for by id or by number', async () => {
  assert.equal((await recoup.refused(404, 'GET', '/api/tasks/runs?runId=run_none')).error, 'Task run not found');
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'runId=', 'account_id=x']) await recoup.refused(400, 'GET', `/api/tasks/runs?${query}`);
  assert.ok((await recoup.ok('runs', 'GET', '/api/tasks/runs?limit=1')).runs.length <= 1);
});

test('accounts of one organization act for each other, others do not', async (t) => {
  const organization = makeOrganization();
  const [alice, bob] = [makeAccount(organization), makeAccount(organization)];
  const eve = makeAccount(makeOrganization());
  const sandbox = await alice.recoup.create({ account_id: bob.id, command: 'echo for bob' });
  remove(t, sandbox, sdkOf(server, { apiKey: bob.key }).Sandbox);
  assert.deepEqual((await alice.recoup.list()).sandboxes, []);
  assert.equal((await bob.recoup.list()).sandboxes[0].sandboxId, sandbox.sandboxId);
  assert.equal((await alice.recoup.list(`?account_id=${bob.id}`)).sandboxes.length, 1);
  assert.equal((await alice.recoup.list(`?sandbox_id=${sandbox.sandboxId}`)).sandboxes.length, 1);
  const run = await alice.recoup.ended(sandbox.runId);
  assert.equal(run.output.stdout, 'for bob\n');
  assert.deepEqual(run.tags, [`account:${bob.id}`]);
  assert.equal((await alice.recoup.ok('runs', 'GET', `/api/tasks/runs?account_id=${bob.id}`)).runs.length, 1);

  const denied = 'Access denied to specified account_id';
  assert.equal((await eve.recoup.refused(403, 'GET', `/api/sandboxes?account_id=${bob.id}`)).error, denied);
  assert.equal((await eve.recoup.refused(403, 'GET', `/api/tasks/runs?account_id=${bob.id}`)).error, denied);
  for (const [method, path] of [['POST', '/api/sandboxes'], ['PATCH', '/api/sandboxes'], ['DELETE', '/api/sandboxes'], ['POST', '/api/sandboxes/setup']])
    assert.equal((await eve.recoup.refused(403, method, path, { account_id: bob.id })).error, denied);
  await eve.recoup.refused(404, 'GET', `/api/tasks/runs?runId=${sandbox.runId}`);
  assert.deepEqual((await eve.recoup.list(`?sandbox_id=${sandbox.sandboxId}`)).sandboxes, []);
  await eve.recoup.refused(403, 'GET', '/api/sandboxes?account_id=00000000-0000-4000-8000-000000000000');
});

test('the row: a snapshot for a week, any URL, and null before there is one', async () => {
  const { recoup: own, id } = makeAccount();
  assert.equal(await own.ok('rowOrNull', 'PATCH', '/api/sandboxes', {}), null);
  const set = await own.ok('row', 'PATCH', '/api/sandboxes', { snapshotId: 'snap_elsewhere' });
  assert.equal(set.account_id, id);
  assert.equal(Date.parse(set.expires_at) - Date.parse(set.created_at), 7 * 24 * 3600_000);
  const both = await own.ok('row', 'PATCH', '/api/sandboxes', { github_repo: 'https://github.com/a/b' });
  assert.equal(both.snapshot_id, 'snap_elsewhere');
  assert.equal((await own.list()).github_repo, 'https://github.com/a/b');
  assert.equal((await own.list()).filetree, null);
  for (const github_repo of ['', 'github.com/a/b', 'git@github.com:a/b'])
    assert.deepEqual((await own.refused(400, 'PATCH', '/api/sandboxes', { github_repo })).missing_fields, ['github_repo']);
  const { deleted_snapshot } = await own.ok('deleted', 'DELETE', '/api/sandboxes');
  assert.equal(deleted_snapshot.github_repo, 'https://github.com/a/b');
  assert.equal((await own.ok('deleted', 'DELETE', '/api/sandboxes')).deleted_snapshot, null);
});

test('setup makes repository, snapshot and row; boxes start from it; delete takes it back', async (t) => {
  const { recoup: own, id, key } = makeAccount();
  const sdk = sdkOf(server, { apiKey: key }).Sandbox;
  const { runId } = await own.ok('setup', 'POST', '/api/sandboxes/setup', undefined);
  const run = await own.ended(runId);
  assert.equal(run.status, 'COMPLETED', JSON.stringify(run));
  assert.equal(run.taskIdentifier, 'setup-sandbox');
  const list = await own.list();
  assert.deepEqual(list.sandboxes, [], 'the box it was made from is gone');
  assert.equal(list.snapshot_id, run.output.snapshotId);
  assert.equal(list.github_repo, `${server.url}/git/${id}.git`);
  assert.deepEqual(list.filetree, []);

  const from = await own.create({ command: 'true' });
  remove(t, from, sdk);
  await own.ended(from.runId);
  assert.equal((await sdk.getInfo(boxIdOf(from))).templateId, run.output.snapshotId.slice('snap_'.length));
  // A snapshot that is not there is no obstacle.
  await own.ok('row', 'PATCH', '/api/sandboxes', { snapshotId: 'snap_gone' });
  const plain = await own.create();
  remove(t, plain, sdk);
  const { deleted_snapshot } = await own.ok('deleted', 'DELETE', '/api/sandboxes', {});
  assert.equal(deleted_snapshot.snapshot_id, 'snap_gone');
  const left = await own.list();
  assert.deepEqual([left.sandboxes.length, left.snapshot_id, left.github_repo, left.filetree], [2, null, null, null]);
});

test('files go into the repository and can be read', async (t) => {
  const { recoup: own } = makeAccount();
  await own.refused(404, 'GET', '/api/sandboxes/file?path=a.txt');
  await own.refused(404, 'POST', '/api/sandboxes/files', { files: [{ url: 'data:,x', name: 'a' }] });
  await own.ended((await own.ok('setup', 'POST', '/api/sandboxes/setup', {})).runId);
  const inside = createServer((_, response) => response.end('secret'));
  await new Promise((done) => inside.listen(0, '127.0.0.1', done));
  atEnd(t, () => inside.close());

  const files = [
    { url: 'data:text/plain,hello', name: 'a.txt' },
    { url: 'data:;base64,iVBORw==', name: 'pictures/b.png' },
    { url: `http://127.0.0.1:${inside.address().port}/`, name: 'c.txt' },
    { url: 'data:,x', name: '../d.txt' },
  ];
  const answer = await own.ok('files', 'POST', '/api/sandboxes/files', { files, path: 'docs', message: 'Add' });
  assert.deepEqual(answer.uploaded.map((it) => it.path), ['docs/a.txt', 'docs/pictures/b.png']);
  assert.equal(answer.errors.length, 2);
  assert.match(answer.errors[0], /private/);
  const { filetree } = await own.list();
  assert.deepEqual(filetree.map((it) => [it.path, it.type]), [['docs', 'tree'], ['docs/a.txt', 'blob'], ['docs/pictures', 'tree'], ['docs/pictures/b.png', 'blob']]);
  assert.equal(filetree[1].sha, answer.uploaded[0].sha);
  assert.equal(filetree[1].size, 5);
  assert.deepEqual(await own.ok('file', 'GET', '/api/sandboxes/file?path=docs/a.txt'), { status: 'success', content: 'hello' });
  assert.deepEqual(await own.ok('file', 'GET', '/api/sandboxes/file?path=docs/pictures/b.png'), { status: 'success', content: 'iVBORw==', encoding: 'base64' });
  await own.refused(404, 'GET', '/api/sandboxes/file?path=none');
  for (const path of ['', '..%2fx', '.git%2fconfig']) await own.refused(400, 'GET', `/api/sandboxes/file?path=${path}`);
  await own.refused(500, 'POST', '/api/sandboxes/files', { files: [{ url: 'data:,x', name: '..' }] });
  assert.equal((await own.refused(400, 'POST', '/api/sandboxes/files', undefined, { raw: '{' })).error, 'Invalid JSON body');
  assert.deepEqual((await own.refused(400, 'POST', '/api/sandboxes/files', { files: [{ name: 'x' }] })).missing_fields, ['files', '0', 'url']);
});

test('what belongs to other products is explained', async () => {
  for (const [method, path] of [['POST', '/api/sandboxes/staged-file'], ['GET', '/api/admins/sandboxes'], ['GET', '/api/admins/sandboxes/orgs']])
    await recoup.refused(501, method, path);
});

test('a session opens one sandbox with a working copy, again and again', async (t) => {
  const organization = makeOrganization();
  const { recoup: own, id, key } = makeAccount(organization);
  const eve = makeAccount(makeOrganization());
  const sdk = sdkOf(server, { apiKey: key }).Sandbox;
  await own.ended((await own.ok('setup', 'POST', '/api/sandboxes/setup', {})).runId);
  await own.ok('files', 'POST', '/api/sandboxes/files', { files: [{ url: 'data:,first', name: 'a.txt' }], message: 'One' });
  await own.ok('files', 'POST', '/api/sandboxes/files', { files: [{ url: 'data:,second', name: 'b/c.txt' }], message: 'Two' });
  const repoUrl = `${server.url}/git/${id}.git`;
  const sessionId = `s-${id}`;
  const [one, two] = await Promise.all([1, 2].map(() => own.ok('session', 'POST', '/api/sandbox', { repoUrl, sessionId })));
  assert.equal(one.currentBranch, 'main');
  assert.equal(one.createdAt, two.createdAt, 'both are the same');
  assert.ok(one.timeout > 1_700_000);
  const { sandboxes } = await own.list();
  assert.equal(sandboxes.length, 1);
  remove(t, sandboxes[0], sdk);
  const box = await sdk.connect(boxIdOf(sandboxes[0]));
  assert.equal((await box.commands.run('cd repo && cat a.txt b/c.txt && git log --format=%s && git status -sb')).stdout, 'firstsecondTwo\nOne\n## main...origin/main\n');

  const status = await own.ok('sessionStatus', 'GET', `/api/sandbox/status?sessionId=${sessionId}`);
  assert.deepEqual([status.status, status.lifecycleVersion, status.lifecycle.state], ['active', 2, 'active']);
  const connected = await own.ok('reconnect', 'GET', `/api/sandbox/reconnect?sessionId=${sessionId}`);
  assert.equal(connected.status, 'connected');
  assert.equal(connected.expiresAt, connected.lifecycle.sandboxExpiresAt);

  await box.commands.run('echo kept > repo/work.txt');
  await box.pause({ keepMemory: false });
  const expired = await own.ok('reconnect', 'GET', `/api/sandbox/reconnect?sessionId=${sessionId}`);
  assert.deepEqual([expired.status, expired.hasSnapshot, expired.lifecycle.state], ['expired', true, 'hibernated']);
  assert.equal((await own.list()).sandboxes[0].sandboxStatus, 'stopped');
  const resumed = await own.ok('session', 'POST', '/api/sandbox', { repoUrl, sessionId });
  assert.equal(resumed.createdAt, one.createdAt);
  assert.equal((await box.commands.run('cat repo/work.txt')).stdout, 'kept\n');

  for (const path of ['status', 'reconnect']) {
    await eve.recoup.refused(403, 'GET', `/api/sandbox/${path}?sessionId=${sessionId}`);
    await own.refused(404, 'GET', `/api/sandbox/${path}?sessionId=none`);
    assert.equal((await own.refused(400, 'GET', `/api/sandbox/${path}`)).error, 'Missing sessionId');
  }
  await eve.recoup.refused(403, 'POST', '/api/sandbox', { repoUrl: 'https://github.com/a/b', sessionId });
  await eve.recoup.refused(400, 'POST', '/api/sandbox', { repoUrl });
  for (const json of [{}, { repoUrl: 'https://gitlab.com/a/b' }, { repoUrl, sessionId: 'a/b' }]) await own.refused(400, 'POST', '/api/sandbox', json);
  await sdk.kill(boxIdOf(sandboxes[0]));
  assert.equal((await own.ok('reconnect', 'GET', `/api/sandbox/reconnect?sessionId=${sessionId}`)).status, 'no_sandbox');
  assert.equal((await own.ok('sessionStatus', 'GET', `/api/sandbox/status?sessionId=${sessionId}`)).status, 'no_sandbox');
});

test('a repository that cannot be cloned leaves no sandbox', async () => {
  const { recoup: own } = makeAccount();
  const { error } = await own.refused(502, 'POST', '/api/sandbox', { repoUrl: 'https://github.com/vivarium-nobody-here/nothing', sessionId: 'no-clone' });
  assert.match(error, /clone/);
  assert.deepEqual((await own.list()).sandboxes, []);
  await own.refused(404, 'GET', '/api/sandbox/status?sessionId=no-clone');
});

test('a box of any dialect is listed by the others', async (t) => {
  const { recoup: own, key } = makeAccount();
  const sdk = sdkOf(server, { apiKey: key }).Sandbox;
  const langsmith = clientOf(server, { key });
  const ours = await own.create();
  remove(t, ours, sdk);
  const e2b = await sdk.create();
  atEnd(t, () => sdk.kill(e2b.sandboxId));
  const smith = await langsmith.createSandbox({ name: 'from-langsmith' });
  atEnd(t, () => langsmith.deleteSandbox('from-langsmith'));

  const listed = (await own.list()).sandboxes.map((it) => boxIdOf(it));
  assert.equal(listed.length, 3);
  assert.deepEqual(listed.slice(1), [e2b.sandboxId, boxIdOf(ours)], 'newest first');
  const paginator = sdk.list();
  const inE2b = (await paginator.nextItems()).map((it) => it.sandboxId);
  assert.deepEqual(new Set(inE2b), new Set(listed));
  const inLangSmith = await langsmith.listSandboxes();
  assert.equal(inLangSmith.length, 3);
  assert.ok(inLangSmith.some((it) => it.id === smith.id));
  // What one dialect stops is stopped for the other.
  await (await sdk.connect(boxIdOf(ours))).pause();
  const paused = (await own.list(`?sandbox_id=${ours.sandboxId}`)).sandboxes[0];
  assert.deepEqual([paused.sandboxStatus, paused.timeout], ['stopped', 0]);
});

test('files come from servers that the operator allows and that prove who they are', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'viv-e2e-tls-'));
  atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
  const [keyFile, certificate] = [join(folder, 'key'), join(folder, 'certificate')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', keyFile, '-out', certificate], { stdio: 'ignore' });
  const answer = (request, response) => (request.url === '/moved' ? response.writeHead(302, { location: '/file' }).end() : response.end(`from ${request.url}`));
  const plain = createServer(answer);
  const secure = createSecureServer({ key: readFileSync(keyFile), cert: readFileSync(certificate) }, answer);
  for (const one of [plain, secure]) {
    await new Promise((done) => one.listen(0, done));
    atEnd(t, () => one.close());
  }
  const other = await Server.start({ boxes: true, args: ['--open-private', '127.0.0.0/8', '--open-private', '::1'], env: { SSL_CERT_FILE: certificate } });
  atEnd(t, () => other.stop());
  const own = new Recoup(other);
  await own.ended((await own.ok('setup', 'POST', '/api/sandboxes/setup', {})).runId);
  const [http, https] = [plain, secure].map((one) => one.address().port);
  const files = [
    { url: `http://127.0.0.1:${http}/moved`, name: 'plain' },
    { url: `https://localhost:${https}/secure`, name: 'secure' },
    { url: `https://127.0.0.1:${https}/`, name: 'misnamed' },
    { url: 'http://10.0.0.1/', name: 'closed' },
  ];
  const { uploaded, errors } = await own.ok('files', 'POST', '/api/sandboxes/files', { files });
  assert.deepEqual(uploaded.map((it) => it.path), ['plain', 'secure']);
  assert.equal((await own.ok('file', 'GET', '/api/sandboxes/file?path=plain')).content, 'from /file');
  assert.equal((await own.ok('file', 'GET', '/api/sandboxes/file?path=secure')).content, 'from /secure');
  assert.match(errors[0], /misnamed: .*TLS with 127\.0\.0\.1.*another name/);
  assert.match(errors[1], /closed: .*private/);
});
