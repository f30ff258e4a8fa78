// Files of a sandbox through the E2B SDK: content in every form, folders, metadata, watching, signed links.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AuthenticationError, FileNotFoundError, FilesystemEventType, FileType, InvalidArgumentError, SandboxError,
} from 'e2b';
import { rejection, until, withBoxes } from '../support/e2b.js';

const host = withBoxes();
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const streamOf = (...chunks) => new ReadableStream({ start: (controller) => (chunks.forEach((chunk) => controller.enqueue(chunk)), controller.close()) });

test('a written text is read back, and overwritten', async (t) => {
  const sandbox = await host.create(t);
  const info = await sandbox.files.write('notes/größe.txt', 'hällo €\n');
  assert.deepEqual({ ...info }, { name: 'größe.txt', path: '/home/user/notes/größe.txt', type: FileType.FILE, metadata: undefined });
  assert.equal(await sandbox.files.read('notes/größe.txt'), 'hällo €\n');
  await sandbox.files.write('/home/user/notes/größe.txt', 'short');
  assert.equal(await sandbox.files.read('notes/größe.txt'), 'short');
  await sandbox.files.write('empty.txt', '');
  assert.equal(await sandbox.files.read('empty.txt'), '');
  assert.equal((await sandbox.commands.run('stat -c "%U %a" notes notes/größe.txt')).stdout, 'user 755\nuser 644\n');
});

test('bytes, blobs and streams go in and come out unchanged', async (t) => {
  const sandbox = await host.create(t);
  const bytes = randomBytes(300_000);
  await sandbox.files.write('bytes.bin', bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  await sandbox.files.write('blob.bin', new Blob([bytes]));
  await sandbox.files.write('stream.bin', streamOf(bytes.subarray(0, 1), bytes.subarray(1, 70_000), bytes.subarray(70_000)));
  for (const name of ['bytes.bin', 'blob.bin', 'stream.bin']) {
    assert.equal(sha256(await sandbox.files.read(name, { format: 'bytes' })), sha256(bytes), name);
  }
  const blob = await sandbox.files.read('blob.bin', { format: 'blob' });
  assert.equal(sha256(Buffer.from(await blob.arrayBuffer())), sha256(bytes));
  const parts = [];
  for await (const part of await sandbox.files.read('stream.bin', { format: 'stream' })) parts.push(part);
  assert.equal(sha256(Buffer.concat(parts)), sha256(bytes));
});

test('compressed and plain-body uploads are the same file', async (t) => {
  const sandbox = await host.create(t);
  const text = 'the same line\n'.repeat(50_000);
  await sandbox.files.write('zip.txt', text, { gzip: true });
  await sandbox.files.write('plain.txt', text, { useOctetStream: true });
  assert.equal(await sandbox.files.read('zip.txt'), text);
  assert.equal(await sandbox.files.read('plain.txt', { gzip: true }), text);
  assert.equal((await sandbox.commands.run('cmp zip.txt plain.txt && wc -c < zip.txt')).stdout.trim(), String(text.length));
});

test('several files are written at once, in order', async (t) => {
  const sandbox = await host.create(t);
  const entries = Array.from({ length: 20 }, (_, i) => ({ path: `many/${i}.txt`, data: `number ${i}` }));
  const written = await sandbox.files.write(entries);
  assert.deepEqual(written.map((one) => one.path), entries.map((one) => `/home/user/${one.path}`));
  assert.equal(await sandbox.files.read('many/13.txt'), 'number 13');
  const mixed = await sandbox.files.writeFiles([
    { path: 'mixed/text', data: 'text' },
    { path: 'mixed/blob', data: new Blob(['blob']) },
    { path: 'mixed/stream', data: streamOf(new TextEncoder().encode('stream')) },
  ]);
  assert.equal(mixed.length, 3);
  for (const name of ['text', 'blob', 'stream']) assert.equal(await sandbox.files.read(`mixed/${name}`), name);
  assert.deepEqual(await sandbox.files.write([]), []);
});

test('files belong to the user who writes them', async (t) => {
  const sandbox = await host.create(t);
  const info = await sandbox.files.write('mine.txt', 'x', { user: 'root' });
  assert.equal(info.path, '/root/mine.txt');
  assert.equal((await sandbox.files.getInfo('/root/mine.txt', { user: 'root' })).owner, 'root');
  await rejection(sandbox.files.write('x', 'x', { user: 'nobody-here' }), AuthenticationError);
});

test('what is not there, or is a folder, is refused by name', async (t) => {
  const sandbox = await host.create(t);
  const missing = await rejection(sandbox.files.read('/no/such/file'), FileNotFoundError);
  assert.match(missing.message, /\/no\/such\/file/);
  await rejection(sandbox.files.read('/tmp'), InvalidArgumentError);
  await rejection(sandbox.files.write('/tmp', 'x'), InvalidArgumentError);
  await rejection(sandbox.files.list('/no/such'), FileNotFoundError);
  await rejection(sandbox.files.getInfo('/no/such'), FileNotFoundError);
  await rejection(sandbox.files.rename('/no/such', '/tmp/x'), FileNotFoundError);
  await rejection(sandbox.files.list('/etc/passwd'), InvalidArgumentError);
});

test('metadata is kept, replaced and cleared by each upload', async (t) => {
  const sandbox = await host.create(t);
  const written = await sandbox.files.write('tagged', 'x', { metadata: { Source: 'test', kind: 'a b' } });
  assert.deepEqual({ ...written.metadata }, { source: 'test', kind: 'a b' });
  assert.deepEqual({ ...(await sandbox.files.getInfo('tagged')).metadata }, { source: 'test', kind: 'a b' });
  await sandbox.files.write('tagged', 'x', { metadata: { only: 'this' }, useOctetStream: true });
  assert.deepEqual({ ...(await sandbox.files.getInfo('tagged')).metadata }, { only: 'this' });
  await sandbox.files.write('tagged', 'x');
  assert.equal((await sandbox.files.getInfo('tagged')).metadata, undefined);
  await rejection(sandbox.files.write('tagged', 'x', { metadata: { bad: 'ü' } }), InvalidArgumentError);
});

test('a folder is listed to the depth asked for, in order', async (t) => {
  const sandbox = await host.create(t);
  await sandbox.commands.run('mkdir -p tree/b/c/d && echo 12345 > tree/a.txt && touch tree/b/x tree/b/c/y && ln -s a.txt tree/link');
  const names = async (depth) => (await sandbox.files.list('tree', { depth })).map((one) => one.path.replace('/home/user/tree/', ''));
  assert.deepEqual(await names(undefined), ['a.txt', 'b', 'link']);
  assert.deepEqual(await names(2), ['a.txt', 'b', 'b/c', 'b/x', 'link']);
  assert.deepEqual(await names(10), ['a.txt', 'b', 'b/c', 'b/c/d', 'b/c/y', 'b/x', 'link']);
  const [file, folder, link] = await sandbox.files.list('/home/user/tree');
  assert.equal(file.type, FileType.FILE);
  assert.equal(file.size, 6);
  assert.equal(file.permissions, '-rw-r--r--');
  assert.equal(file.mode & 0o777, 0o644);
  assert.equal(file.owner, 'user');
  assert.equal(file.group, 'user');
  assert.ok(Math.abs(file.modifiedTime - Date.now()) < 600_000);
  assert.equal(folder.type, FileType.DIR);
  assert.equal(link.symlinkTarget, '/home/user/tree/a.txt');
  await rejection(sandbox.files.list('tree', { depth: 0 }), InvalidArgumentError);
});

test('folders are made, entries moved, looked up and removed', async (t) => {
  const sandbox = await host.create(t);
  assert.equal(await sandbox.files.makeDir('one/two/three'), true);
  assert.equal(await sandbox.files.makeDir('one/two/three'), false);
  assert.equal((await sandbox.files.getInfo('one/two')).type, FileType.DIR);
  await sandbox.files.write('one/file', 'content');
  const moved = await sandbox.files.rename('one/file', 'new/place/file');
  assert.equal(moved.path, '/home/user/new/place/file');
  assert.equal(moved.size, 7);
  assert.equal(await sandbox.files.exists('one/file'), false);
  assert.equal(await sandbox.files.exists('new/place/file'), true);
  await sandbox.files.rename('one', 'renamed');
  assert.equal(await sandbox.files.exists('renamed/two/three'), true);
  await sandbox.files.remove('renamed');
  assert.equal(await sandbox.files.exists('renamed'), false);
  await sandbox.files.remove('never-was');
  await sandbox.files.write('plain', 'x');
  await rejection(sandbox.files.makeDir('plain'), InvalidArgumentError);
});

test('a folder that is watched tells what happens in it', async (t) => {
  const sandbox = await host.create(t);
  await sandbox.files.makeDir('watched');
  const events = [];
  let ended;
  const watch = await sandbox.files.watchDir('watched', (event) => void events.push(event), { onExit: (error) => void (ended = error ?? 'well') });
  const happened = (name, type) => until(() => events.find((one) => one.name === name && one.type === type), `${type} of ${name}`);
  await sandbox.files.write('watched/a', 'x');
  await happened('a', FilesystemEventType.CREATE);
  await happened('a', FilesystemEventType.WRITE);
  await sandbox.commands.run('chmod 600 watched/a');
  await happened('a', FilesystemEventType.CHMOD);
  await sandbox.files.rename('watched/a', 'watched/b');
  await happened('a', FilesystemEventType.RENAME);
  await happened('b', FilesystemEventType.CREATE);
  await sandbox.files.remove('watched/b');
  await happened('b', FilesystemEventType.REMOVE);
  await watch.stop();
  await until(() => ended !== undefined, 'the end of watching');
  const seen = events.length;
  await sandbox.files.write('watched/c', 'x');
  await sleep(200);
  assert.equal(events.length, seen);
});

test('a recursive watch follows new folders and can carry the entry', async (t) => {
  const sandbox = await host.create(t);
  await sandbox.commands.run('mkdir -p deep/inner');
  const events = [];
  const watch = await sandbox.files.watchDir('deep', (event) => void events.push(event), {
    recursive: true, includeEntry: true, timeoutMs: 0, allowNetworkMounts: true,
  });
  await sandbox.files.write('deep/inner/file', 'x');
  const made = await until(() => events.find((one) => one.name === 'inner/file' && one.type === FilesystemEventType.CREATE), 'the file');
  assert.equal(made.entry?.path, '/home/user/deep/inner/file');
  await sandbox.files.makeDir('deep/fresh');
  await until(() => events.some((one) => one.name === 'fresh'), 'the new folder');
  await until(async () => {
    await sandbox.files.write('deep/fresh/late', String(Math.random()));
    return events.some((one) => one.name === 'fresh/late');
  }, 'a file in the new folder');
  await watch.stop();
  await rejection(sandbox.files.watchDir('no-such', () => {}), FileNotFoundError);
  await rejection(sandbox.files.watchDir('/etc/passwd', () => {}), InvalidArgumentError);
});

test('signed links upload and download without the SDK', async (t) => {
  const sandbox = await host.create(t);
  const upload = await sandbox.uploadUrl('linked.txt');
  const form = new FormData();
  form.append('file', new Blob(['through a link']), 'linked.txt');
  const put = await fetch(upload, { method: 'POST', body: form });
  assert.equal(put.status, 200, await put.clone().text());
  assert.equal(await sandbox.files.read('linked.txt'), 'through a link');

  const download = await sandbox.downloadUrl('linked.txt', { useSignatureExpiration: 600 });
  const got = await fetch(download);
  assert.equal(got.status, 200);
  assert.equal(await got.text(), 'through a link');
  const asRoot = await sandbox.downloadUrl('/etc/hostname', { user: 'root' });
  assert.equal((await fetch(asRoot)).status, 200);
  assert.equal((await fetch(await sandbox.downloadUrl('absent.txt'))).status, 404);
});

test('expired, altered and foreign links are refused', async (t) => {
  const [sandbox, other] = await Promise.all([host.create(t), host.create(t)]);
  await sandbox.files.write('secret.txt', 'secret');
  await other.files.write('secret.txt', 'other');
  const refused = async (url, init) => {
    const response = await fetch(url, init);
    const text = await response.text();
    assert.ok([401, 404].includes(response.status), `${response.status} ${text}`);
    assert.doesNotMatch(text, /^secret$/);
    return text;
  };
  assert.match(await refused(await sandbox.downloadUrl('secret.txt', { useSignatureExpiration: -10 })), /signature is already expired/);
  const altered = (change) => async () => {
    const url = new URL(await sandbox.downloadUrl('secret.txt', { useSignatureExpiration: 600 }));
    change(url.searchParams);
    return url.toString();
  };
  await refused(await altered((query) => query.set('path', '/etc/passwd'))());
  await refused(await altered((query) => query.set('username', 'root'))());
  await refused(await altered((query) => query.set('signature_expiration', '4102444800'))());
  await refused(await altered((query) => query.set('signature', 'v1_AAAA'))());
  await refused(await altered((query) => query.delete('signature'))());
  await refused(await sandbox.downloadUrl('secret.txt'), { method: 'POST', body: new FormData() });
  assert.equal(await (await fetch(await other.downloadUrl('secret.txt'))).text(), 'other');
});

test('a hundred megabytes go both ways unchanged', async (t) => {
  const sandbox = await host.create(t);
  const block = randomBytes(1 << 20);
  const hash = createHash('sha256');
  for (let i = 0; i < 100; i++) hash.update(block);
  const wanted = hash.digest('hex');
  let left = 100;
  const source = new ReadableStream({ pull: (controller) => (left-- > 0 ? controller.enqueue(block) : controller.close()) });
  await sandbox.files.write('/tmp/big.bin', source, { requestTimeoutMs: 0 });
  assert.equal((await sandbox.commands.run('sha256sum < /tmp/big.bin')).stdout.slice(0, 64), wanted);
  const back = createHash('sha256');
  let size = 0;
  for await (const part of await sandbox.files.read('/tmp/big.bin', { format: 'stream' })) {
    back.update(part);
    size += part.length;
  }
  assert.equal(size, 100 << 20);
  assert.equal(back.digest('hex'), wanted);
});

test('any place of the sandbox is reached, and what is made there is the caller\'s', async (t) => {
  const sandbox = await host.create(t);
  await sandbox.files.write('/app/main.py', 'print(42)');
  assert.equal((await sandbox.files.getInfo('/app/main.py')).owner, 'user');
  assert.equal((await sandbox.commands.run('python3 /app/main.py && echo more >> /app/main.py')).stdout, '42\n');
  assert.equal(await sandbox.files.makeDir('/data/in'), true);
  assert.equal((await sandbox.files.getInfo('/data/in')).owner, 'user');
  assert.equal(await sandbox.files.exists('/root/.bashrc'), (await sandbox.commands.run('ls -a /root', { user: 'root' })).stdout.includes('.bashrc'));
  await sandbox.commands.run('echo old > /opt/tool; chmod 700 /opt/tool', { user: 'root' });
  await sandbox.files.write('/opt/tool', 'new');
  assert.equal((await sandbox.commands.run('stat -c "%U %a" /opt/tool; cat /opt/tool')).stdout, 'user 700\nnew');
});

test('a path that leads out through a link stays within the sandbox', async (t) => {
  const sandbox = await host.create(t);
  await sandbox.commands.run('ln -s /proc/1/root/etc/hostname out; ln -s ../../../../../../etc/shadow up');
  const inside = (await sandbox.commands.run('sudo cat /etc/hostname')).stdout;
  assert.equal(await sandbox.files.read('/../../../etc/hostname'), inside);
  assert.equal(await sandbox.files.read('up'), (await sandbox.commands.run('sudo cat /etc/shadow')).stdout);
});
