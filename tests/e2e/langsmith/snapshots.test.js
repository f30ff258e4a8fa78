// LangSmith's snapshots, taken of sandboxes and built from images, and the registries images come from.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  LangSmithResourceCreationError, LangSmithResourceNotFoundError, LangSmithSandboxError, LangSmithValidationError,
} from 'langsmith/sandbox';
import { atEnd, rejection, sdkOf, until } from '../support/e2b.js';
import { clientOf, makeAccount, withSandboxes } from '../support/langsmith.js';
import { Registry, address, hasSkopeo, makeImage } from '../support/registry.js';
import { Server } from '../support/server.js';

const host = withSandboxes(address ? { args: ['--open-private', `${address}/32`] } : {});
const noNetwork = address ? false : 'this machine has no IPv4 address but loopback';
const skip = noNetwork || (hasSkopeo ? false : 'skopeo is not installed');
const GiB = 2 ** 30;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Removes a snapshot when the test ends, after the sandboxes that stand on it. */
const drop = (t, id) => atEnd(t, () => host.call('DELETE', `/snapshots/${id}`));
async function capture(t, box, name, options) {
  const snapshot = await host.client.captureSnapshot(box, name, options);
  drop(t, snapshot.id);
  return snapshot;
}
const text = async (box, path) => Buffer.from(await box.read(path)).toString();
const output = async (box, command) => (await box.run(command)).stdout;

test('a snapshot of a sandbox has its files, and a sandbox starts from it by id and by name', async (t) => {
  const box = await host.create(t, { name: 'origin' });
  await box.write('/root/kept.txt', 'from before');
  const snapshot = await capture(t, 'origin', 'kept', { runConfig: { env_vars: { LAYER: 'snapshot' } } });
  assert.match(snapshot.id, uuid);
  assert.equal(snapshot.name, 'kept');
  assert.equal(snapshot.status, 'ready');
  assert.equal(snapshot.source_sandbox_id, box.id);
  assert.equal(snapshot.fs_capacity_bytes, 16 * GiB);
  assert.deepEqual(snapshot.tags, ['latest']);
  assert.ok(Math.abs(Date.parse(snapshot.created_at) - Date.now()) < 60_000, snapshot.created_at);
  await box.write('/root/kept.txt', 'changed since');

  const byId = await host.create(t, snapshot.id);
  const byName = await host.create(t, { snapshotName: 'kept' });
  const byTag = await host.create(t, { snapshotName: 'kept:latest' });
  for (const copy of [byId, byName, byTag]) {
    assert.equal(copy.snapshot_id, snapshot.id);
    assert.equal(await text(copy, '/root/kept.txt'), 'from before');
  }
  assert.equal(await output(byName, 'echo $LAYER'), 'snapshot\n');
  assert.equal(await text(box, '/root/kept.txt'), 'changed since');
});

test('variables of a sandbox, of its rules and of its providers stay out of its snapshot', async (t) => {
  const secret = { type: 'opaque', value: 'k' };
  const { status, body } = await host.call('POST', '/boxes', {
    name: 'secretive', env_vars: { MY_SECRET: 's3cret' }, run_config: { env_vars: { RUN: 'box' } },
    proxy_config: { rules: [
      { name: 'gh', match_hosts: ['api.github.com'], env_vars: { GH_TOKEN: 'placeholder' } },
      { name: 'aws', type: 'aws', aws: { access_key_id: secret, secret_access_key: secret } },
    ] },
  });
  assert.equal(status, 201, JSON.stringify(body));
  host.keep(t, body);
  const names = 'env | grep -E "^(MY_SECRET|RUN|GH_TOKEN|AWS_[A-Z_]*KEY[A-Z_]*|LAYER)=" | sort';
  assert.match(await output(await host.client.getSandbox('secretive'), names), /AWS_ACCESS_KEY_ID=[^]*GH_TOKEN=placeholder\nMY_SECRET=s3cret/);
  const snapshot = await capture(t, 'secretive', 'no-secrets', { runConfig: { env_vars: { LAYER: 'snapshot' } } });
  const copy = await host.create(t, snapshot.id);
  assert.equal(await output(copy, names), 'LAYER=snapshot\nRUN=box\n');
  // Nor does a copy of the copy lose what stood below it.
  const again = await capture(t, copy.name, 'no-secrets-again');
  assert.equal(await output(await host.create(t, again.id), names), 'LAYER=snapshot\nRUN=box\n');
  // A snapshot that E2B's client takes keeps what its sandboxes have.
  const { Sandbox } = sdkOf(host.server);
  const other = await Sandbox.create({ envs: { OF_E2B: '1' } });
  atEnd(t, () => other.kill());
  const foreign = await other.createSnapshot({ name: 'with-envs' });
  atEnd(t, () => Sandbox.deleteSnapshot(foreign.snapshotId).catch(() => {}));
  const kept = await Sandbox.create(foreign.snapshotId);
  atEnd(t, () => kept.kill());
  assert.equal((await kept.commands.run('echo $OF_E2B')).stdout, '1\n');
});

test('labels, description and the size of the disk go on to sandboxes of a snapshot', async (t) => {
  await host.create(t, { name: 'described' });
  const { status, body: snapshot } = await host.call('POST', '/boxes/described/snapshot',
    { name: 'described', description: 'has nothing', labels: { team: 'red', env: 'test' }, include: ['labels'] });
  assert.equal(status, 201, JSON.stringify(snapshot));
  drop(t, snapshot.id);
  assert.equal(snapshot.description, 'has nothing');
  assert.deepEqual(snapshot.included, ['labels']);
  const { body: box } = await host.call('POST', '/boxes', { snapshot: 'described', labels: { team: 'blue' } });
  host.keep(t, box);
  assert.deepEqual(box.labels, { team: 'blue', env: 'test' });
  const small = await rejection(host.client.createSandbox({ snapshotName: 'described', fsCapacityBytes: 15 * GiB }), LangSmithValidationError);
  assert.match(small.message, /cannot be smaller/);
});

test('captureSnapshot of the sandbox itself, and of a stopped one', async (t) => {
  const box = await host.create(t, { name: 'asleep' });
  await box.write('/root/a', 'one');
  const first = await box.captureSnapshot('own');
  drop(t, first.id);
  await host.client.stopSandbox('asleep');
  const second = await capture(t, 'asleep', 'own-stopped');
  const copy = await host.create(t, second.id);
  assert.equal(await text(copy, '/root/a'), 'one');
});

test('a tag moves to the newest, and a name without a tag is latest', async (t) => {
  const box = await host.create(t, { name: 'tagged' });
  const take = async (content, tag) => {
    await box.write('/root/version', content);
    const { status, body } = await host.call('POST', '/boxes/tagged/snapshot', { name: 'moving', tag, labels: { of: content } });
    assert.equal(status, 201, JSON.stringify(body));
    drop(t, body.id);
    return body;
  };
  const first = await take('one', 'v1');
  const second = await take('two', undefined);
  const third = await take('three', 'v1');
  assert.deepEqual((await host.client.getSnapshot(first.id)).tags, []);
  assert.equal((await host.client.getSnapshot('moving')).id, second.id);
  assert.equal((await host.client.getSnapshot('moving:v1')).id, third.id);
  assert.equal(await text(await host.create(t, { snapshotName: 'moving:v1' }), '/root/version'), 'three');
  assert.equal(await text(await host.create(t, { snapshotName: 'moving' }), '/root/version'), 'two');
  const { body } = await host.call('GET', '/snapshots-by-name/moving');
  assert.deepEqual(body.tags.sort((a, b) => a.tag.localeCompare(b.tag)),
    [{ tag: 'latest', snapshot_id: second.id }, { tag: 'v1', snapshot_id: third.id }]);
  const { body: labelled } = await host.call('GET', '/snapshots?label=of%3Dthree');
  assert.deepEqual(labelled.items.map((one) => one.id), [third.id]);
  await rejection(host.client.createSandbox({ snapshotName: 'moving:v9' }), LangSmithResourceNotFoundError);
});

test('snapshots are listed in pages, with those of other dialects', async (t) => {
  await host.create(t, { name: 'listed' });
  for (const name of ['page-a', 'page-b', 'Page-c']) await capture(t, 'listed', name);
  assert.deepEqual((await host.client.listSnapshots({ nameContains: 'page-' })).map((one) => one.name), ['Page-c', 'page-b', 'page-a']);
  assert.deepEqual((await host.client.listSnapshots({ nameContains: 'PAGE-', limit: 1, offset: 1 })).map((one) => one.name), ['page-b']);
  assert.deepEqual(await host.client.listSnapshots({ nameContains: 'nothing of that name' }), []);
  const seen = [];
  for (let cursor = ''; cursor !== null;) {
    const { status, body } = await host.call('GET', `/snapshots?name_contains=page-&page_size=2&sort_by=name&sort_order=asc&cursor=${cursor}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body.items, body.snapshots);
    seen.push(...body.items.map((one) => one.name));
    cursor = body.next_cursor;
  }
  assert.deepEqual(seen, ['Page-c', 'page-a', 'page-b']);
  for (const limit of [0, 501]) await rejection(host.client.listSnapshots({ limit }), LangSmithSandboxError);
  await rejection(host.client.listSnapshots({ offset: -1 }), LangSmithSandboxError);

  const { Sandbox } = sdkOf(host.server);
  const other = await Sandbox.create();
  atEnd(t, () => other.kill());
  const foreign = await other.createSnapshot({ name: 'elsewhere' });
  atEnd(t, () => Sandbox.deleteSnapshot(foreign.snapshotId).catch(() => {}));
  const [found] = await host.client.listSnapshots({ nameContains: 'elsewhere' });
  assert.equal(found.status, 'ready');
  await host.client.deleteSnapshot(found.id);
  assert.deepEqual(await host.client.listSnapshots({ nameContains: 'elsewhere' }), []);
});

test('a snapshot in use stays, and one that is gone is not found', async (t) => {
  const box = await host.create(t, { name: 'user-of-it' });
  const snapshot = await host.client.captureSnapshot('user-of-it', 'in-use');
  const copy = await host.create(t, snapshot.id);
  const refused = await rejection(host.client.deleteSnapshot(snapshot.id), LangSmithSandboxError);
  assert.match(refused.message, /in use: delete the sandboxes/);
  assert.equal((await host.refused(409, 'Conflict', 'DELETE', '/snapshots/in-use')).error, 'Conflict');
  await copy.delete();
  await host.client.deleteSnapshot('in-use');
  await rejection(host.client.getSnapshot(snapshot.id), LangSmithResourceNotFoundError);
  await rejection(host.client.deleteSnapshot(snapshot.id), LangSmithResourceNotFoundError);
  await rejection(host.client.createSandbox(snapshot.id), LangSmithResourceNotFoundError);
  assert.equal(box.name, 'user-of-it');
});

test('what cannot be captured is said', async (t) => {
  await host.create(t, { name: 'refusing' });
  await rejection(host.client.captureSnapshot('nobody', 'x'), LangSmithResourceNotFoundError);
  for (const name of ['', 'a:b', 'a b', '../x']) await rejection(host.client.captureSnapshot('refusing', name), LangSmithValidationError);
  const image = await rejection(host.client.captureSnapshot('refusing', 'x', { dockerImage: 'built:1' }), LangSmithValidationError);
  assert.match(image.message, /registry/);
  const small = await rejection(host.client.captureSnapshot('refusing', 'x', { fsCapacityBytes: GiB }), LangSmithValidationError);
  assert.match(small.message, /shrink/);
  for (const extra of [
    { include_memory: true }, { checkpoint: 'c' }, { include: ['env_vars'] }, { image_config: { cmd: ['run'] } }, { description: 'x'.repeat(1025) },
  ])
    await host.refused(422, undefined, 'POST', '/boxes/refusing/snapshot', { name: 'x', ...extra });
  assert.deepEqual(await host.client.listSnapshots({ nameContains: 'x' }), []);
});

test('another account finds none of it', async (t) => {
  await host.create(t, { name: 'private' });
  const snapshot = await capture(t, 'private', 'mine-alone');
  const other = await makeAccount(host.server, 'snapshot-stranger');
  for (const ref of [snapshot.id, 'mine-alone']) {
    await rejection(other.client.getSnapshot(ref), LangSmithResourceNotFoundError);
    await rejection(other.client.deleteSnapshot(ref), LangSmithResourceNotFoundError);
  }
  await rejection(other.client.createSandbox(snapshot.id), LangSmithResourceNotFoundError);
  await rejection(other.client.captureSnapshot('private', 'x'), LangSmithResourceNotFoundError);
  assert.deepEqual(await other.client.listSnapshots(), []);
});

test('registries are made, changed, listed and removed, and their passwords are not shown', async (t) => {
  const { registries } = host.client;
  const made = await registries.create({ name: 'first', url: 'registry.example.com', username: 'me', password: 's3cret-word' });
  atEnd(t, () => registries.delete('second').catch(() => {}));
  assert.match(made.id, uuid);
  assert.deepEqual([made.name, made.url], ['first', 'registry.example.com']);
  assert.deepEqual(await registries.retrieve('first'), made);
  const changed = await registries.update('first', { name: 'second', password: 's3cret-other' });
  assert.deepEqual([changed.id, changed.name, changed.url], [made.id, 'second', made.url]);
  assert.equal((await rejection(registries.retrieve('first'))).status, 404);
  await registries.create({ name: 'third', url: 'https://ghcr.io', username: 'me', password: 's3cret-third' });
  atEnd(t, () => registries.delete('third').catch(() => {}));
  const all = await registries.list();
  assert.deepEqual(all.registries.map((one) => one.name), ['third', 'second'], 'the newest first');
  assert.deepEqual([all.items, all.next_cursor], [all.registries, null]);
  assert.deepEqual((await registries.list({ name_contains: 'THI' })).registries.map((one) => one.name), ['third']);
  const page = await registries.list({ limit: 1 });
  assert.deepEqual([page.registries.length, page.offset], [1, 1]);
  assert.deepEqual((await registries.list({ limit: 1, offset: page.offset })).registries.map((one) => one.name), ['second']);
  const { body: first } = await host.call('GET', '/registries?page_size=1');
  const { body: last } = await host.call('GET', `/registries?page_size=1&cursor=${first.next_cursor}`);
  assert.deepEqual([first.items[0].name, last.items[0].name, last.next_cursor], ['third', 'second', null]);
  const shown = JSON.stringify([made, changed, page, await registries.list()]);
  assert.ok(!shown.includes('s3cret') && !shown.includes('password'), shown);

  const taken = await rejection(registries.create({ name: 'third', url: 'a.io', username: 'u', password: 'p' }, { maxRetries: 0 }));
  assert.equal(taken.status, 409);
  assert.equal((await rejection(registries.update('second', { name: 'third' }, { maxRetries: 0 }))).status, 409);
  assert.equal((await rejection(registries.create({ name: 'no url', url: 'ftp://x', username: 'u', password: 'p' }))).status, 422);
  const other = await makeAccount(host.server, 'registry-stranger');
  assert.equal((await rejection(other.client.registries.retrieve('third'))).status, 404);
  assert.equal((await rejection(other.client.registries.delete('third'))).status, 404);
  assert.deepEqual((await other.client.registries.list()).registries, []);

  await registries.delete('second');
  await registries.delete('third');
  assert.equal((await rejection(registries.delete('third'))).status, 404);
});

test('an image without skopeo on the machine fails with what to install', { skip: hasSkopeo ? 'skopeo is installed' : false }, async () => {
  const failed = await rejection(host.client.createSnapshot('no-tool', 'registry.example.com/a:1', GiB), LangSmithResourceCreationError);
  assert.match(failed.message, /install skopeo/);
});

let open, closed;
before(async () => {
  if (skip) return;
  const image = makeImage({ files: { 'srv/greeting': 'from the image\n' }, config: { Env: ['PATH=/usr/bin:/bin', 'FROM_IMAGE=yes'], WorkingDir: '/srv' } });
  open = await Registry.start({ 'team/tool': image });
  closed = await Registry.start({ 'team/tool': image }, 'robot:pass:word');
});
after(() => Promise.all([open?.stop(), closed?.stop()]));

/** Registers a registry of ours, which speaks no TLS, until the test ends. */
async function register(t, name, registry, login = { username: 'nobody', password: 'none' }) {
  const made = await host.client.registries.create({ name, url: `http://${registry.host}`, ...login });
  atEnd(t, () => host.client.registries.delete(name));
  return made.id;
}

test('a sandbox starts from an image of a registry', { skip }, async (t) => {
  const registryId = await register(t, 'open', open);
  const building = (await host.call('POST', '/snapshots', {
    name: 'tool', docker_image: `${open.host}/team/tool:1`, fs_capacity_bytes: 20 * GiB, registry_id: registryId, labels: { from: 'image' },
  })).body;
  drop(t, building.id);
  assert.equal(building.status, 'building', JSON.stringify(building));
  const snapshot = await host.client.waitForSnapshot(building.id, { timeout: 100, pollInterval: 0.2 });
  assert.deepEqual([snapshot.status, snapshot.name, snapshot.docker_image], ['ready', 'tool', `${open.host}/team/tool:1`]);
  assert.match(snapshot.image_digest, /^sha256:[0-9a-f]{64}$/);
  assert.equal(snapshot.fs_capacity_bytes, 20 * GiB);
  assert.equal(snapshot.registry_id, registryId);
  assert.equal(snapshot.source_sandbox_id, undefined);

  const box = await host.create(t, { snapshotName: 'tool' });
  assert.equal(box.fs_capacity_bytes, 20 * GiB);
  assert.equal(await output(box, 'cat /srv/greeting'), 'from the image\n');
  assert.equal(await output(box, 'echo $FROM_IMAGE; pwd'), 'yes\n/srv\n');
  await box.write('/srv/more', 'added');
  const layered = await capture(t, box.name, 'tool-and-more');
  const copy = await host.create(t, layered.id);
  assert.equal(await output(copy, 'cat /srv/greeting /srv/more'), 'from the image\nadded');

  const other = await makeAccount(host.server, 'image-stranger');
  await rejection(other.client.getSnapshot(snapshot.id), LangSmithResourceNotFoundError);
  await rejection(other.client.createSandbox(snapshot.id), LangSmithResourceNotFoundError);
  const { body: templates } = await host.server.call('GET', '/templates', { headers: { 'X-API-Key': other.key } });
  assert.ok(templates.every((one) => !one.names.some((name) => name.includes('tool') || name.includes('import'))), JSON.stringify(templates));
});

test('createSnapshot waits for the image, and its disk space comes back with its deletion', { skip }, async (t) => {
  const registryId = await register(t, 'space', open);
  const trees = () => readdirSync(join(host.server.data, 'templates/trees')).length;
  await until(() => trees() === 1, 'the removal of earlier images');  // only the base is left
  const before = trees();
  const snapshot = await host.client.createSnapshot('brief', `${open.host}/team/tool`, 4 * GiB, { registryId, runConfig: { work_dir: '/tmp' } });
  assert.deepEqual(snapshot.run_config, { work_dir: '/tmp' });
  assert.equal(trees(), before + 1);
  const box = await host.create(t, snapshot.id);
  assert.equal(await output(box, 'pwd'), '/tmp\n');
  const derived = await host.client.captureSnapshot(box.name, 'brief-derived');
  await box.delete();
  await host.client.deleteSnapshot(snapshot.id);
  const again = await host.create(t, derived.id);
  assert.equal(await output(again, 'cat /srv/greeting'), 'from the image\n');
  await again.delete();
  await host.client.deleteSnapshot(derived.id);
  await until(() => trees() === before, 'the removal of the image');
});

test('a registry with a login is used with it, and refuses without', { skip }, async (t) => {
  const good = await register(t, 'good', closed, { username: 'robot', password: 'pass:word' });
  const bad = await register(t, 'bad', closed, { username: 'robot', password: 'wrong' });
  const snapshot = await host.client.createSnapshot('guarded', `${closed.host}/team/tool:1`, 4 * GiB, { registryId: good });
  drop(t, snapshot.id);
  assert.equal(snapshot.status, 'ready');
  const refused = await rejection(host.client.createSnapshot('guarded-2', `${closed.host}/team/tool:1`, 4 * GiB, { registryId: bad }), LangSmithResourceCreationError);
  assert.match(refused.message, /unauthorized|authentication|401/i);
  assert.ok(!refused.message.includes('wrong'), refused.message);
  // What the registry is called does not lend its password to another one.
  const elsewhere = await rejection(host.client.createSnapshot('guarded-3', `${open.host}/team/tool:1`, 4 * GiB, { registryId: good }), LangSmithValidationError);
  assert.match(elsewhere.message, /must begin with/);
  for (const one of await host.client.listSnapshots({ nameContains: 'guarded-' })) await host.client.deleteSnapshot(one.id);
});

test('what cannot be fetched fails with a reason', { skip }, async (t) => {
  const registryId = await register(t, 'failing', open);
  const unknown = await rejection(host.client.createSnapshot('absent', `${open.host}/team/absent:1`, 4 * GiB, { registryId }), LangSmithResourceCreationError);
  assert.match(unknown.message, /manifest unknown|not found/i);
  const [listed] = await host.client.listSnapshots({ nameContains: 'absent' });
  assert.equal(listed.status, 'failed');
  const { body } = await host.call('GET', '/snapshots?status=failed');
  assert.ok(body.items.some((one) => one.id === listed.id));
  const creation = await host.refused(422, 'ImagePull', 'POST', '/boxes', { snapshot_id: listed.id });
  assert.match(creation.message, /failed/);
  await host.client.deleteSnapshot(listed.id);
  const tooSmall = await rejection(host.client.createSnapshot('too-small', `${open.host}/team/tool:1`, 2 ** 20, { registryId }), LangSmithResourceCreationError);
  assert.match(tooSmall.message, /larger than/);
  // Without the registry's own word that it speaks no TLS nothing is fetched in the clear.
  const plain = await rejection(host.client.createSnapshot('plain', `${open.host}/team/tool:1`, 4 * GiB), LangSmithResourceCreationError);
  assert.match(plain.message, /HTTP|tls|certificate/i);
  for (const image of ['-x', '--authfile=/etc/shadow', 'oci:/etc', 'a b', 'docker://debian'])
    await rejection(host.client.createSnapshot('bad', image, 4 * GiB), LangSmithValidationError);
  for (const one of await host.client.listSnapshots()) if (one.status === 'failed') await host.client.deleteSnapshot(one.id);
  assert.deepEqual(readdirSync(join(host.server.data, 'imports')), []);
});

test('a private address is not fetched from unless the operator opened it', { skip }, async (t) => {
  const server = await Server.start({ boxes: true });
  atEnd(t, () => server.stop());
  const client = clientOf(server);
  const seen = open.seen.length;
  const { id: registryId } = await client.registries.create({ name: 'r', url: `http://${open.host}`, username: 'u', password: 'p' });
  await rejection(client.createSnapshot('inside', `${open.host}/team/tool:1`, 4 * GiB, { registryId }), LangSmithResourceCreationError);
  const loopback = `127.0.0.1:${open.host.split(':')[1]}`;
  const { id: own } = await client.registries.create({ name: 'l', url: `http://${loopback}`, username: 'u', password: 'p' });
  await rejection(client.createSnapshot('loopback', `${loopback}/team/tool:1`, 4 * GiB, { registryId: own }), LangSmithResourceCreationError);
  assert.equal(open.seen.length, seen, open.seen.slice(seen).join(', '));
});

test('snapshots outlive the server, its crash and its orderly end; a build does not', { skip: noNetwork }, async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'viv-e2e-snapshots-'));
  atEnd(t, () => rmSync(data, { recursive: true, force: true }));
  let server = await Server.start({ boxes: 'keep', data, args: ['--open-private', `${address}/32`] });
  atEnd(t, () => server.stop());
  let client = clientOf(server);
  const box = await client.createSandbox({ name: 'lasting' });
  await box.write('/root/a', 'kept');
  const taken = await client.captureSnapshot('lasting', 'lasting', { runConfig: { env_vars: { A: '1' } } });
  await box.delete();
  let built;
  if (!skip) {
    const { id: registryId } = await client.registries.create({ name: 'r', url: `http://${open.host}`, username: 'u', password: 'p' });
    built = await client.createSnapshot('image', `${open.host}/team/tool:1`, 4 * GiB, { registryId });
  }
  // An address that answers nothing keeps a build waiting.
  const { body: hanging } = await server.call('POST', '/v2/sandboxes/snapshots', {
    json: { name: 'hanging', docker_image: '192.0.2.1/team/tool:1', fs_capacity_bytes: 4 * GiB },
  });
  const check = async () => {
    client = clientOf(server);
    const again = await client.createSandbox({ snapshotName: 'lasting' });
    assert.equal(await text(again, '/root/a'), 'kept');
    assert.equal(await output(again, 'echo $A'), '1\n');
    await again.delete();
    if (built) {
      const tool = await client.createSandbox(built.id);
      assert.equal(await output(tool, 'cat /srv/greeting'), 'from the image\n');
      await tool.delete();
    }
    assert.equal((await client.getSnapshot(taken.id)).name, 'lasting');
  };
  await server.crashAndRestart();
  await check();
  const interrupted = await client.getSnapshot(hanging.id);
  assert.equal(interrupted.status, 'failed');
  if (!skip) assert.match(interrupted.status_message, /restarted during the build/);
  await server.stop();
  server = await Server.start({ boxes: true, data, args: ['--open-private', `${address}/32`] });
  await check();
  await client.deleteSnapshot(taken.id);
});
