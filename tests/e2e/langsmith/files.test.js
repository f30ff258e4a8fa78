// Files of a sandbox through the LangSmith SDK: written and read whole and in ranges, listed and searched; and every
// failure as the SDK's own class.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import {
  LangSmithResourceNotFoundError, LangSmithSandboxError, LangSmithSandboxOperationError, LangSmithValidationError,
} from 'langsmith/sandbox';
import { rejection } from '../support/e2b.js';
import { withSandboxes } from '../support/langsmith.js';

const host = withSandboxes();
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const text = (bytes) => new TextDecoder().decode(bytes);

/** A request to the box itself, for what the SDK cannot send. */
const raw = (sandbox, operation, { headers = {}, ...init } = {}) =>
  fetch(`${sandbox.dataplane_url}/${operation}`, { ...init, headers: { 'X-Api-Key': host.server.key, ...headers } });

/** What a promise is rejected with, when it is an operation's failure. */
async function failed(promise, operation, errorType) {
  const error = await rejection(promise, LangSmithSandboxOperationError);
  assert.equal(error.operation, operation, error.message);
  if (errorType) assert.equal(error.errorType, errorType, error.message);
  return error;
}

/** A box whose commands and files are an ordinary user's. */
const createForUser = (t) => host.create(t, { runConfig: { user: 'user' } });

test('what is written is read back, whatever its name', async (t) => {
  const sandbox = await createForUser(t);
  await sandbox.write('/tmp/accept/a.txt', '0123456789');
  assert.equal(text(await sandbox.read('/tmp/accept/a.txt')), '0123456789');
  for (const name of ['with space.txt', 'größe €.txt', 'a+b&c=d?.txt', '100%.txt', '#x', "it's \"so\".txt", '-rf', '.hidden', '漢字/深い/ファイル']) {
    const path = `/tmp/accept/${name}`;
    await sandbox.write(path, `content of ${name}`);
    assert.equal(text(await sandbox.read(path)), `content of ${name}`);
  }
  const listed = await sandbox.run('cat "/tmp/accept/größe €.txt" /tmp/accept/漢字/深い/ファイル');
  assert.equal(listed.stdout, 'content of größe €.txtcontent of 漢字/深い/ファイル');
});

test('relative paths are where commands run', async (t) => {
  const sandbox = await createForUser(t);
  await sandbox.write('below/relative.txt', 'here');
  assert.equal((await sandbox.run('cat below/relative.txt')).stdout, 'here');
  assert.equal(text(await sandbox.read('below/relative.txt')), 'here');
  const owner = await sandbox.run('stat -c "%U %a" below below/relative.txt; id -un');
  assert.equal(owner.stdout, 'user 755\nuser 644\nuser\n');
});

test('a file is replaced at once and keeps its mode', async (t) => {
  const sandbox = await createForUser(t);
  await sandbox.run('printf "old and much longer" > f; chmod 750 f; ln f other-name');
  await sandbox.write('f', 'new');
  assert.equal((await sandbox.run('cat f other-name; stat -c " %a" f')).stdout, 'newnew 750\n');
  await sandbox.write('f', new Uint8Array());
  assert.equal((await sandbox.read('f')).length, 0);
});

test('bytes come back unchanged', async (t) => {
  const sandbox = await createForUser(t);
  const bytes = randomBytes(300_000);
  await sandbox.write('/tmp/bytes.bin', bytes);
  assert.equal(sha256(await sandbox.read('/tmp/bytes.bin')), sha256(bytes));
  await sandbox.write('/tmp/boundary.txt', '\r\n--\r\n------\r\n--formdata');
  assert.equal(text(await sandbox.read('/tmp/boundary.txt')), '\r\n--\r\n------\r\n--formdata');
});

test('64 MB go both ways unchanged', async (t) => {
  const sandbox = await createForUser(t);
  const bytes = randomBytes(64 * 2 ** 20);
  await sandbox.write('/tmp/big.bin', bytes, 300);
  assert.equal((await sandbox.run('sha256sum < /tmp/big.bin')).stdout.split(' ')[0], sha256(bytes));
  assert.equal(sha256(await sandbox.read('/tmp/big.bin', 300)), sha256(bytes));
  const middle = await sandbox.readRange('/tmp/big.bin', { start: 2 ** 20, end: 40 * 2 ** 20 - 1, timeout: 300 });
  assert.equal(middle.partial, true);
  assert.equal(sha256(middle.content), sha256(bytes.subarray(2 ** 20, 40 * 2 ** 20)));
});

test('a file is told about without being read', async (t) => {
  const sandbox = await createForUser(t);
  await sandbox.write('/tmp/stat.json', '{"a": 1}');
  const first = await sandbox.stat('/tmp/stat.json');
  assert.equal(first.size_bytes, 8);
  assert.match(first.etag, /^"[^"]+"$/);
  assert.equal(first.content_type, 'application/json');
  assert.ok(Math.abs(Date.parse(first.last_modified) - Date.now()) < 120_000, first.last_modified);
  assert.deepEqual(await sandbox.stat('/tmp/stat.json'), first);
  await sandbox.write('/tmp/stat.json', '{"a": 2}');
  assert.notEqual((await sandbox.stat('/tmp/stat.json')).etag, first.etag);
  await sandbox.run('truncate -s 3G /tmp/huge');
  assert.equal((await sandbox.stat('/tmp/huge')).size_bytes, 3 * 2 ** 30);
});

test('ranges are read, and resumed while the file is the same', async (t) => {
  const sandbox = await createForUser(t);
  await sandbox.write('/tmp/r', '0123456789');
  const read = (options) => sandbox.readRange('/tmp/r', options);
  const head = await read({ start: 0, end: 3 });
  assert.equal(text(head.content), '0123');
  assert.deepEqual([head.start, head.total_bytes, head.partial, head.unchanged], [0, 10, true, false]);
  const rest = await read({ start: 4, ifRange: head.etag });
  assert.deepEqual([text(rest.content), rest.start, rest.partial], ['456789', 4, true]);
  assert.equal(text((await read({ suffixBytes: 3 })).content), '789');
  assert.equal(text((await read({ suffixBytes: 300 })).content), '0123456789');
  assert.equal(text((await read({ start: 8, end: 4000 })).content), '89');
  const same = await read({ start: 0, ifNoneMatch: head.etag });
  assert.deepEqual([same.unchanged, same.content.length, same.etag], [true, 0, head.etag]);

  await sandbox.write('/tmp/r', 'changed meanwhile');
  const changed = await read({ start: 4, ifRange: head.etag });
  assert.deepEqual([text(changed.content), changed.partial, changed.start], ['changed meanwhile', false, 0]);
  assert.equal((await read({ start: 0, ifNoneMatch: head.etag })).unchanged, false);
});

test('a range past the end is refused, and so are the SDK’s own nonsense ones', async (t) => {
  const sandbox = await createForUser(t);
  await sandbox.write('/tmp/r', '0123456789');
  const error = await failed(sandbox.readRange('/tmp/r', { start: 10 }), 'read');
  assert.match(error.message, /bytes \*\/10/);
  await rejection(sandbox.readRange('/tmp/r', { start: 5, end: 2 }), LangSmithValidationError);
  await rejection(sandbox.readRange('/tmp/r', {}), LangSmithValidationError);
  const several = await raw(sandbox, 'download?path=/tmp/r', { headers: { Range: 'bytes=0-1,3-4' } });
  assert.deepEqual([several.status, await several.text()], [200, '0123456789']);
});

test('what is not there is not found', async (t) => {
  const sandbox = await createForUser(t);
  for (const call of [
    () => sandbox.read('/tmp/nope'), () => sandbox.stat('/tmp/nope'), () => sandbox.readRange('/tmp/nope', { start: 0 }),
    () => sandbox.ls('/tmp/nope'), () => sandbox.glob('*', '/tmp/nope'), () => sandbox.grep('x', '/tmp/nope'),
    () => sandbox.read('/etc/passwd/below'),
  ]) {
    assert.equal((await rejection(call(), LangSmithResourceNotFoundError)).resourceType, 'file');
  }
});

test('folders and forbidden files fail as operations', async (t) => {
  const sandbox = await createForUser(t);
  await sandbox.run('mkdir folder; echo x > locked; chmod 000 locked');
  await failed(sandbox.read('folder'), 'read', 'ReadError');
  await failed(sandbox.write('folder', 'x'), 'write', 'WriteError');
  await failed(sandbox.write('/etc/passwd/below', 'x'), 'write', 'WriteError');
  await failed(sandbox.read('locked'), 'read', 'ReadError');
  await failed(sandbox.read('/etc/shadow'), 'read', 'ReadError');
  await failed(sandbox.write('/etc/forbidden', 'x'), 'write', 'WriteError');
  await failed(sandbox.write('/root/forbidden', 'x'), 'write', 'WriteError');
  await failed(sandbox.write('/dev/null', 'x'), 'write', 'WriteError');
  await failed(sandbox.grep('x', '/root'), 'read', 'ReadError');
  await rejection(sandbox.stat('folder'), LangSmithSandboxError);
  await failed(sandbox.stat('locked'), undefined, 'PermissionDenied');
});

test('broken uploads leave the old file', async (t) => {
  const sandbox = await createForUser(t);
  await sandbox.write('/tmp/f', 'old');
  const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="file"\r\n\r\nnew\r\n--b--\r\n';
  const upload = async (query, body, type = 'multipart/form-data; boundary=b') => {
    const answer = await raw(sandbox, `upload${query}`, { method: 'POST', body, headers: { 'Content-Type': type } });
    return [answer.status, (await answer.json()).detail?.error];
  };
  assert.deepEqual(await upload('?path=/tmp/f', form.slice(0, -6)), [400, 'WriteError']);
  assert.deepEqual(await upload('?path=/tmp/f', ''), [400, 'WriteError']);
  assert.deepEqual(await upload('', form), [400, 'InvalidRequest']);
  assert.deepEqual(await upload('?path=', form), [400, 'InvalidRequest']);
  assert.deepEqual(await upload('?path=/tmp/f', form.replace('"file"', '"other"')), [400, 'InvalidRequest']);
  assert.deepEqual(await upload('?path=/tmp/f', 'new', 'text/plain'), [400, 'InvalidRequest']);
  assert.equal(text(await sandbox.read('/tmp/f')), 'old');
  assert.deepEqual(await upload('?path=/tmp/f', form), [200, undefined]);
  assert.equal(text(await sandbox.read('/tmp/f')), 'new');
  assert.equal((await sandbox.run('ls -A /tmp | grep -c draft')).stdout.trim(), '0');
});

test('folders are listed and searched by name', async (t) => {
  const sandbox = await createForUser(t);
  for (const name of ['b.txt', 'a/x.py', 'a/deep/y.py', 'a/deep/y.js', '.dot', 'a.txt']) await sandbox.write(`/tmp/tree/${name}`, name);
  const paths = async (pattern, options) => {
    const { matches, truncated } = await sandbox.glob(pattern, '/tmp/tree', options);
    return [...matches.map((one) => one.path.replace('/tmp/tree/', '')), ...(truncated ? ['…'] : [])];
  };
  const { matches, truncated } = await sandbox.ls('/tmp/tree');
  assert.equal(truncated, false);
  assert.deepEqual(matches.map(({ path, is_dir: isFolder }) => [path, isFolder]),
    [['/tmp/tree/.dot', false], ['/tmp/tree/a', true], ['/tmp/tree/a.txt', false], ['/tmp/tree/b.txt', false]]);
  assert.equal(matches[3].size_bytes, 5);
  assert.ok(Math.abs(Date.parse(matches[3].modified_at) - Date.now()) < 120_000);
  assert.deepEqual(await paths('**/*.py'), ['a/deep/y.py', 'a/x.py']);
  assert.deepEqual(await paths('**/*.{py,js}'), ['a/deep/y.js', 'a/deep/y.py', 'a/x.py']);
  assert.deepEqual(await paths('[!a].txt'), ['b.txt']);
  assert.deepEqual(await paths('?.txt'), ['a.txt', 'b.txt']);
  assert.deepEqual(await paths('a/**'), ['a', 'a/deep', 'a/deep/y.js', 'a/deep/y.py', 'a/x.py']);
  assert.deepEqual(await paths('**', { limit: 3 }), ['.dot', 'a', 'a.txt', '…']);
  assert.deepEqual(await paths('nothing*'), []);
  await sandbox.run('ln -s .. /tmp/tree/a/loop; ln -s / /tmp/tree/all');
  assert.equal((await paths('**')).length, 10);
  for (const pattern of ['', '[', '/etc/*', '../*', '{a']) await rejection(sandbox.glob(pattern, '/tmp/tree'), LangSmithSandboxError);
  await rejection(sandbox.glob('*', '/tmp/tree', { limit: 0 }), LangSmithSandboxError);
  await failed(sandbox.ls('/tmp/tree/a.txt'), 'read', 'ReadError');
});

test('files are searched by their text', async (t) => {
  const sandbox = await createForUser(t);
  await sandbox.write('/tmp/src/a.py', 'import os\nprint("needle")  # größe\n');
  await sandbox.write('/tmp/src/deep/b.py', 'needle.*\nneedle');
  await sandbox.write('/tmp/src/c.js', 'needle\r\n');
  await sandbox.write('/tmp/src/binary', new Uint8Array([110, 101, 101, 100, 108, 101, 0]));
  const found = async (pattern, options) =>
    (await sandbox.grep(pattern, '/tmp/src', options)).matches.map((one) => `${one.path.replace('/tmp/src/', '')}:${one.line}:${one.text}`);
  assert.deepEqual(await found('needle'),
    ['a.py:2:print("needle")  # größe', 'c.js:1:needle', 'deep/b.py:1:needle.*', 'deep/b.py:2:needle']);
  assert.deepEqual(await found('needle.*'), ['deep/b.py:1:needle.*']);
  assert.deepEqual(await found('needle', { glob: '*.js' }), ['c.js:1:needle']);
  assert.deepEqual(await found('needle', { glob: '*.py', limit: 2 }), ['a.py:2:print("needle")  # größe', 'deep/b.py:1:needle.*']);
  assert.deepEqual(await found('needle', { glob: 'deep/**' }), ['deep/b.py:1:needle.*', 'deep/b.py:2:needle']);
  assert.deepEqual(await found('größe'), ['a.py:2:print("needle")  # größe']);
  assert.equal((await sandbox.grep('needle', '/tmp/src', { limit: 2 })).truncated, true);
  assert.equal((await sandbox.grep('needle', '/tmp/src', { limit: 4 })).truncated, false);
  await rejection(sandbox.grep('', '/tmp/src'), LangSmithSandboxError);
  await rejection(sandbox.grep('x', '/tmp/src', { glob: '[' }), LangSmithSandboxError);
});

test('a search of everything ends, and others are served meanwhile', async (t) => {
  const sandbox = await createForUser(t);
  await sandbox.write('/tmp/f', 'x');
  const all = sandbox.grep('a text that no file has, but this one', '/', { limit: 1 });
  for (let i = 0; i < 20; i++) assert.equal(text(await sandbox.read('/tmp/f')), 'x');
  assert.ok(Array.isArray((await all).matches));
  assert.equal((await sandbox.glob('**', '/proc', { limit: 5 })).matches.length, 5);
});

test('several files are written and read at the same time', async (t) => {
  const sandbox = await createForUser(t);
  const contents = Array.from({ length: 20 }, () => randomBytes(100_000));
  await Promise.all(contents.map((bytes, i) => sandbox.write(`/tmp/many/${i}`, bytes)));
  const back = await Promise.all(contents.map((_, i) => sandbox.read(`/tmp/many/${i}`)));
  back.forEach((bytes, i) => assert.equal(sha256(bytes), sha256(contents[i])));
});

test('a stopped sandbox wakes for its files', async (t) => {
  const sandbox = await createForUser(t);
  await sandbox.write('kept.txt', 'kept');
  await sandbox.stop();
  assert.equal(text(await sandbox.read('kept.txt')), 'kept');
  assert.equal((await host.client.getSandbox(sandbox.name)).status, 'ready');
});

test('nobody else reads the files', async (t) => {
  const sandbox = await createForUser(t);
  await sandbox.write('/tmp/f', 'x');
  const without = await fetch(`${sandbox.dataplane_url}/download?path=/tmp/f`);
  assert.ok([401, 403].includes(without.status), String(without.status));
  const wrong = await raw(sandbox, 'download?path=/tmp/f', { headers: { 'X-Api-Key': 'wrong' } });
  assert.ok([401, 403].includes(wrong.status), String(wrong.status));
});
