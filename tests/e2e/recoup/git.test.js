// An account's repository as plain git uses it: over HTTP, with the key as password.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Server } from '../support/server.js';

let server;
let folder;
before(async () => {
  server = await Server.start({ boxes: true });
  folder = mkdtempSync(join(tmpdir(), 'viv-git-'));
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const environment = {
  ...process.env,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
};
/** Runs git in `cwd`: { code, out, err }. */
const tryGit = (cwd, ...args) =>
  new Promise((done) =>
    execFile('git', args, { cwd, env: environment, maxBuffer: 1 << 26, timeout: 120_000, killSignal: 'SIGKILL' }, (error, out, err) => done({ code: error ? (error.code ?? 1) : 0, out, err })));
const git = async (cwd, ...args) => {
  const { code, out, err } = await tryGit(cwd, ...args);
  assert.equal(code, 0, `git ${args.join(' ')}: ${err}`);
  return out;
};

/** The same with something to read. */
const feed = (cwd, input, ...args) =>
  new Promise((done, fail) => {
    const child = execFile('git', args, { cwd, env: environment, encoding: 'buffer', maxBuffer: 1 << 26 }, (error, out) => (error ? fail(error) : done(out)));
    child.stdin.end(input);
  });

let number = 0;
const fresh = (name) => join(folder, `${name}-${++number}`);

/** A new account: { uuid, key, url } with the key in the URL. */
const makeAccount = async (organization) => {
  const name = `account-${++number}`;
  const { status, body } = await server.call('POST', '/api/viv/accounts', { json: { name, organization } });
  assert.equal(status, 201, JSON.stringify(body));
  return { name, uuid: body.uuid, key: body.key, url: urlOf(body.uuid, body.key) };
};
const urlOf = (uuid, key, user = 'git') => `http://${user}:${key}@${server.address}/git/${uuid}.git`;
const makeOrganization = async () => {
  const name = `organization-${++number}`;
  const { status } = await server.call('POST', '/api/viv/organizations', { json: { name } });
  assert.equal(status, 201);
  return name;
};

/** A clone with one commit that is not pushed yet. */
const cloneAndCommit = async (url, files = { 'a.txt': 'hello\n' }) => {
  const at = fresh('clone');
  await git(folder, 'clone', '-q', url, at);
  await commit(at, files);
  return at;
};
const commit = async (at, files, message = 'a change') => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(at, name, '..'), { recursive: true });
    writeFileSync(join(at, name), content);
  }
  await git(at, 'add', '-A');
  await git(at, 'commit', '-q', '-m', message);
  return (await git(at, 'rev-parse', 'HEAD')).trim();
};
const headOf = async (url, ref = 'HEAD') => (await git(folder, 'ls-remote', url, ref)).split('\t')[0];

test('an empty repository is cloned, pushed to, cloned again and fetched from', async () => {
  const account = await makeAccount();
  const one = await cloneAndCommit(account.url, { 'a.txt': 'hello\n', 'deep/er/b.txt': 'b' });
  await git(one, 'push', '-q', 'origin', 'HEAD');
  const two = fresh('clone');
  await git(folder, 'clone', '-q', account.url, two);
  assert.equal(readFileSync(join(two, 'a.txt'), 'utf8'), 'hello\n');
  assert.equal(readFileSync(join(two, 'deep/er/b.txt'), 'utf8'), 'b');
  const next = await commit(one, { 'a.txt': 'changed\n' });
  await git(one, 'push', '-q', 'origin', 'HEAD');
  await git(two, 'fetch', '-q');
  assert.equal((await git(two, 'rev-parse', 'FETCH_HEAD')).trim(), next);
  await git(two, 'pull', '-q');
  assert.equal(readFileSync(join(two, 'a.txt'), 'utf8'), 'changed\n');
});

test('the first push decides which branch is the default', async () => {
  const account = await makeAccount();
  const at = await cloneAndCommit(account.url);
  await git(at, 'branch', '-m', 'trunk');
  await git(at, 'push', '-q', 'origin', 'trunk');
  assert.match(await git(folder, 'ls-remote', '--symref', account.url, 'HEAD'), /ref: refs\/heads\/trunk/);
  const again = fresh('clone');
  await git(folder, 'clone', '-q', account.url, again);
  assert.equal((await git(again, 'branch', '--show-current')).trim(), 'trunk');
});

test('branches and tags come and go; a rejected push changes nothing until it is forced', async () => {
  const account = await makeAccount();
  const at = await cloneAndCommit(account.url);
  const first = (await git(at, 'rev-parse', 'HEAD')).trim();
  await git(at, 'tag', '-a', 'v1', '-m', 'one');
  await git(at, 'push', '-q', 'origin', 'HEAD:main', 'HEAD:side', 'v1');
  await git(at, 'push', '-q', 'origin', '--delete', 'side');
  assert.deepEqual((await git(folder, 'ls-remote', account.url)).match(/refs\/\S+$/gm).sort(), ['refs/heads/main', 'refs/tags/v1', 'refs/tags/v1^{}']);
  await git(at, 'commit', '-q', '--amend', '-m', 'rewritten');
  const refused = await tryGit(at, 'push', 'origin', 'HEAD:main');
  assert.notEqual(refused.code, 0);
  assert.equal(await headOf(account.url), first);
  await git(at, 'push', '-q', '--force', 'origin', 'HEAD:main');
  assert.equal(await headOf(account.url), (await git(at, 'rev-parse', 'HEAD')).trim());
});

test('every version of the protocol works, and shallow clones', async () => {
  const account = await makeAccount();
  const at = await cloneAndCommit(account.url);
  for (let i = 0; i < 5; ++i) await commit(at, { 'a.txt': `${i}` });
  await git(at, 'push', '-q', 'origin', 'HEAD');
  for (const version of ['0', '1', '2']) {
    const into = fresh('clone');
    await git(folder, '-c', `protocol.version=${version}`, 'clone', '-q', account.url, into);
    assert.equal((await git(into, 'rev-list', '--count', 'HEAD')).trim(), '6');
  }
  const shallow = fresh('clone');
  await git(folder, 'clone', '-q', '--depth', '2', account.url, shallow);
  assert.equal((await git(shallow, 'rev-list', '--count', 'HEAD')).trim(), '2');
  await git(shallow, 'fetch', '-q', '--unshallow');
  assert.equal((await git(shallow, 'rev-list', '--count', 'HEAD')).trim(), '6');
});

test('many commits and refs are negotiated', async () => {
  const account = await makeAccount();
  const at = await cloneAndCommit(account.url);
  const stream = ['commit refs/heads/many\n'];
  for (let i = 0; i < 1500; ++i) {
    if (i > 0) stream.push('commit refs/heads/many\n');
    stream.push(`committer T <t@example.com> ${1_700_000_000 + i} +0000\ndata 1\nx\nM 100644 inline f${i % 50}\ndata ${String(i).length}\n${i}\n`);
  }
  await feed(at, stream.join('') + 'done\n', 'fast-import', '--quiet', '--done');
  await feed(at, [...Array(300).keys()].map((i) => `create refs/tags/t${i} many~${i * 4}\n`).join(''), 'update-ref', '--stdin');
  await git(at, 'push', '-q', 'origin', 'many', '--tags');
  const into = fresh('clone');
  await git(folder, 'clone', '-q', '-b', 'many', account.url, into);
  assert.equal((await git(into, 'rev-list', '--count', 'HEAD')).trim(), '1500');
  await git(at, 'checkout', '-q', '-f', 'many');
  await commit(at, { extra: 'x' });
  await git(at, 'push', '-q', 'origin', 'many');
  await git(into, 'pull', '-q');
  assert.equal((await git(into, 'rev-list', '--count', 'HEAD')).trim(), '1501');
});

test('a file of 50 MB goes there and back', async () => {
  const account = await makeAccount();
  const bytes = randomBytes(50 << 20);
  const at = await cloneAndCommit(account.url, { 'large.bin': bytes });
  await git(at, 'push', '-q', 'origin', 'HEAD');
  const into = fresh('clone');
  await git(folder, 'clone', '-q', account.url, into);
  const digest = (data) => createHash('sha256').update(data).digest('hex');
  assert.equal(digest(readFileSync(join(into, 'large.bin'))), digest(bytes));
});

test('the key comes as password, as user name, as bearer or as X-API-Key; nothing else will do', async () => {
  const account = await makeAccount();
  const path = `/git/${account.uuid}.git/info/refs?service=git-upload-pack`;
  const status = async (headers) => (await fetch(server.url + path, { headers })).status;
  const basic = (text) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });
  assert.equal(await status(basic(`anyone:${account.key}`)), 200);
  assert.equal(await status(basic(`${account.key}:`)), 200);
  assert.equal(await status({ Authorization: `Bearer ${account.key}` }), 200);
  assert.equal(await status({ 'X-API-Key': account.key }), 200);
  for (const headers of [{}, basic('anyone:wrong'), basic(account.key), basic(':'), { Authorization: 'Basic ???' }, { Authorization: 'Basic' }, { Authorization: 'Bearer wrong' }, { 'X-API-Key': 'wrong' }]) {
    const answer = await fetch(server.url + path, { headers });
    assert.equal(answer.status, 401, JSON.stringify(headers));
    assert.match(answer.headers.get('www-authenticate'), /^Basic realm=/);
  }
  const wrong = await tryGit(folder, 'clone', urlOf(account.uuid, 'wrong'), fresh('clone'));
  assert.notEqual(wrong.code, 0);
  assert.match(wrong.err, /Authentication failed|terminal prompts disabled|could not read/);
});

test('the account in the URL is its name, its id or its UUID', async () => {
  const owner = await makeAccount();
  const at = await cloneAndCommit(owner.url);
  await git(at, 'push', '-q', 'origin', 'HEAD');
  await git(folder, 'clone', '-q', urlOf(owner.name, owner.key), fresh('by-name'));
  const stranger = await makeAccount();
  assert.notEqual((await tryGit(folder, 'clone', '-q', urlOf(owner.name, stranger.key), fresh('stranger'))).code, 0);
  await git(folder, 'clone', '-q', urlOf('default', server.key), fresh('default'));
});

test("another's repository does not exist, unless the organization is the same", async () => {
  const [here, there] = [await makeOrganization(), await makeOrganization()];
  const owner = await makeAccount(here);
  const friend = await makeAccount(here);
  const stranger = await makeAccount(there);
  const at = await cloneAndCommit(owner.url);
  await git(at, 'push', '-q', 'origin', 'HEAD');
  const head = await headOf(owner.url);
  assert.equal(await headOf(urlOf(owner.uuid, friend.key)), head);
  const clone = await tryGit(folder, 'clone', urlOf(owner.uuid, stranger.key), fresh('clone'));
  assert.notEqual(clone.code, 0);
  assert.match(clone.err, /not found/);
  await commit(at, { 'a.txt': 'taken over' });
  const push = await tryGit(at, 'push', urlOf(owner.uuid, stranger.key), 'HEAD:main');
  assert.notEqual(push.code, 0);
  assert.equal(await headOf(owner.url), head);
  const answer = await fetch(`${server.url}/git/${owner.uuid}.git/git-receive-pack`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${stranger.key}`, 'Content-Type': 'application/x-git-receive-pack-request' },
    body: '0000',
  });
  assert.equal(answer.status, 404);
});

/** A request line as it is, for fetch would tidy up the path. */
const rawStatus = (line, key) =>
  new Promise((done, fail) => {
    const [host, port] = server.address.split(':');
    const socket = net.connect(Number(port), host);
    let text = '';
    socket.on('data', (chunk) => (text += chunk));
    socket.on('end', () => done(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])));
    socket.on('error', fail);
    socket.write(`${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`);
  });

test('names and paths that lead elsewhere are not found', async () => {
  const account = await makeAccount();
  const query = 'info/refs?service=git-upload-pack';
  for (const name of ['default.git', '..%2f..%2f.git', '%2e%2e.git', `${account.uuid}`, `${account.uuid}.git%00.git`, `..%2f${account.uuid}.git`, 'ffffffff-ffff-ffff-ffff-ffffffffffff.git', '.git', '%ff.git'])
    assert.equal(await rawStatus(`GET /git/${name}/${query}`, account.key), 404, name);
  for (const rest of ['HEAD', 'config', 'objects/info/packs', 'info/refs', '../../key', '..%2f..%2fkey', 'info/refs?service=git-upload-archive', 'info/refs?service=--help', 'git-upload-pack'])
    assert.equal(await rawStatus(`GET /git/${account.uuid}.git/${rest}`, account.key), 404, rest);
});

const receive = (account, body, headers = {}) =>
  fetch(`${server.url}/git/${account.uuid}.git/git-receive-pack`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${account.key}`, 'Content-Type': 'application/x-git-receive-pack-request', ...headers },
    body,
  });

test('broken requests are refused and change nothing', async () => {
  const account = await makeAccount();
  const at = await cloneAndCommit(account.url);
  await git(at, 'push', '-q', 'origin', 'HEAD');
  const head = await headOf(account.url);
  assert.equal((await receive(account, 'x', { 'Content-Type': 'text/plain' })).status, 400);
  assert.equal((await receive(account, 'x', { 'Content-Encoding': 'gzip' })).status, 400);
  assert.equal((await receive(account, 'x', { 'Content-Encoding': 'br' })).status, 400);
  assert.equal((await receive(account, gzipSync(randomBytes(1000)).subarray(0, 500), { 'Content-Encoding': 'gzip' })).status, 400);
  for (const body of ['', '0000', 'ffff', 'zzzz', '0004', randomBytes(100_000), `00a5${head} ${'1'.repeat(40)} refs/heads/main\0 report-status\n0000`]) {
    const { status } = await receive(account, body);
    assert.ok(status === 200 || status === 500, `${status}`);
  }
  assert.equal(await headOf(account.url), head);
  const bomb = gzipSync(Buffer.alloc(200 << 20));
  const asked = await fetch(`${server.url}/git/${account.uuid}.git/git-upload-pack`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${account.key}`, 'Content-Type': 'application/x-git-upload-pack-request', 'Content-Encoding': 'gzip' },
    body: bomb,
  }).then((it) => it.status, () => 'reset');
  assert.ok(asked !== 200, `${asked}`);
  assert.equal(await headOf(account.url), head);
});

test('a push that is broken off leaves the old state', async () => {
  const account = await makeAccount();
  const at = await cloneAndCommit(account.url);
  await git(at, 'push', '-q', 'origin', 'HEAD:main');
  const head = await headOf(account.url);
  await commit(at, { 'large.bin': randomBytes(20 << 20) });
  const pushed = (await git(at, 'rev-parse', 'HEAD')).trim();
  const pack = await feed(at, `${pushed}\n^${head}\n`, 'pack-objects', '--stdout', '--revs', '-q');
  const command = `${head} ${pushed} refs/heads/main\0 report-status`;
  const line = (command.length + 4).toString(16).padStart(4, '0') + command;
  const body = Buffer.concat([Buffer.from(`${line}0000`, 'latin1'), pack]);
  const [host, port] = server.address.split(':');
  await new Promise((done, fail) => {
    const socket = net.connect(Number(port), host);
    socket.on('error', fail);
    socket.write(`POST /git/${account.uuid}.git/git-receive-pack HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.key}\r\nContent-Type: application/x-git-receive-pack-request\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.write(body.subarray(0, body.length >> 1), () => {
      socket.on('close', done);
      socket.resetAndDestroy();
    });
  });
  assert.equal(await headOf(account.url), head);
  const whole = await receive(account, body);
  assert.equal(whole.status, 200);
  assert.match(await whole.text(), /unpack ok/);
  assert.equal(await headOf(account.url), pushed);
});

test('objects that would harm whoever checks them out are refused', async () => {
  const account = await makeAccount();
  const at = await cloneAndCommit(account.url);
  await git(at, 'push', '-q', 'origin', 'HEAD:main');
  const head = await headOf(account.url);
  const blob = (await git(at, 'hash-object', '-w', 'a.txt')).trim();
  for (const name of ['.git', '..']) {
    const raw = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')]);
    writeFileSync(join(folder, 'tree'), raw);
    const tree = (await git(at, 'hash-object', '-t', 'tree', '-w', '--literally', join(folder, 'tree'))).trim();
    const evil = (await git(at, 'commit-tree', '-m', 'evil', tree)).trim();
    const push = await tryGit(at, 'push', '--force', 'origin', `${evil}:refs/heads/main`);
    assert.notEqual(push.code, 0, name);
  }
  assert.equal(await headOf(account.url), head);
});

test('hooks do not run on the server, whoever put them where', async () => {
  const account = await makeAccount();
  const mark = join(folder, 'hook-ran');
  const at = await cloneAndCommit(account.url, { 'hooks/post-receive': `#!/bin/sh\ntouch ${mark}\n`, 'hooks/update': `#!/bin/sh\ntouch ${mark}\n` });
  chmodSync(join(at, 'hooks/post-receive'), 0o755);
  await git(at, 'add', '-A');
  await git(at, 'commit', '-q', '-m', 'executable');
  await git(at, 'push', '-q', 'origin', 'HEAD');
  const hooks = join(server.data, 'repositories', `${account.uuid}.git`, 'hooks');
  mkdirSync(hooks);
  for (const name of ['pre-receive', 'post-receive', 'update', 'post-update', 'reference-transaction']) writeFileSync(join(hooks, name), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
  await commit(at, { 'a.txt': 'again' });
  await git(at, 'push', '-q', 'origin', 'HEAD');
  assert.equal(existsSync(mark), false);
});

test('symbolic links are data', async () => {
  const account = await makeAccount();
  const at = await cloneAndCommit(account.url);
  symlinkSync('/etc/passwd', join(at, 'link'));
  symlinkSync('../../..', join(at, 'up'));
  await git(at, 'add', '-A');
  await git(at, 'commit', '-q', '-m', 'links');
  await git(at, 'push', '-q', 'origin', 'HEAD');
  const into = fresh('clone');
  await git(folder, '-c', 'core.symlinks=false', 'clone', '-q', account.url, into);
  assert.equal(readFileSync(join(into, 'link'), 'utf8'), '/etc/passwd');
});

test('pushes at the same time are all kept or refused as stale', async () => {
  const account = await makeAccount();
  const first = await cloneAndCommit(account.url);
  await git(first, 'push', '-q', 'origin', 'HEAD:main');
  const clones = await Promise.all([...Array(6).keys()].map(async (i) => {
    const at = fresh('clone');
    await git(folder, 'clone', '-q', account.url, at);
    await commit(at, { [`file-${i}`]: `${i}` });
    return at;
  }));
  const ended = await Promise.all(clones.map((at, i) => tryGit(at, 'push', '-q', 'origin', `HEAD:refs/heads/branch-${i}`)));
  for (const { code, err } of ended) assert.equal(code, 0, err);
  assert.equal((await git(folder, 'ls-remote', '--heads', account.url)).trim().split('\n').length, 7);
  const raced = await Promise.all(clones.map((at) => tryGit(at, 'push', '-q', 'origin', 'HEAD:main')));
  assert.equal(raced.filter(({ code }) => code === 0).length, 1);
});

/** Numbers of the gits that the server runs to receive a push. */
const receivers = () => {
  const found = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const parent = Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
      if (parent === server.process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('receive-pack')) found.push(pid);
    } catch {} // it ended meanwhile
  }
  return found;
};
const until = async (holds, what) => {
  for (let i = 0; !holds(); ++i) {
    assert.ok(i < 1500, what);
    await new Promise((done) => setTimeout(done, 20));
  }
};

/** A push that says it is long, and then nothing. */
const beginPush = (account) => {
  const [host, port] = server.address.split(':');
  const socket = net.connect(Number(port), host);
  socket.on('error', () => {});
  socket.write(`POST /git/${account.uuid}.git/git-receive-pack HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.key}\r\nContent-Type: application/x-git-receive-pack-request\r\nContent-Length: 1000000\r\n\r\n00`);
  return socket;
};

test('git ends with its client', async () => {
  const account = await makeAccount();
  await headOf(account.url);
  const socket = beginPush(account);
  await until(() => receivers().length === 1, 'git did not start');
  const [pid] = receivers();
  assert.match(readFileSync(`/proc/${pid}/status`, 'utf8'), /^Uid:\s+65534\s+65534\s+65534\s+65534$/m);
  assert.match(readFileSync(`/proc/${pid}/status`, 'utf8'), /^NoNewPrivs:\s+1$/m);
  socket.resetAndDestroy();
  await until(() => receivers().length === 0, 'git went on');
});

test('repositories survive a crash of the server, and no git is left behind', async () => {
  const account = await makeAccount();
  const at = await cloneAndCommit(account.url);
  await git(at, 'push', '-q', 'origin', 'HEAD:main');
  const head = await headOf(account.url);
  beginPush(account);
  await until(() => receivers().length === 1, 'git did not start');
  const [pid] = receivers();
  await server.crashAndRestart();
  await until(() => !existsSync(`/proc/${pid}`), 'git outlived its server');
  const moved = urlOf(account.uuid, account.key);
  assert.equal(await headOf(moved), head);
  await commit(at, { 'a.txt': 'after the crash' });
  await git(at, 'push', '-q', moved, 'HEAD:main');
});
