// LangSmith's control plane: every control method of the SDK's client and sandbox, its failures, and what only raw
// requests can say.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  LangSmithResourceNameConflictError, LangSmithResourceNotFoundError, LangSmithSandboxAPIError,
  LangSmithSandboxAuthenticationError, LangSmithSandboxError, LangSmithSandboxNotReadyError, LangSmithValidationError, SandboxClient, gitMount, mountConfig, opaqueSecret,
} from 'langsmith/sandbox';
import { rejection, sdkOf, until } from '../support/e2b.js';
import { clientOf, makeAccount, withSandboxes } from '../support/langsmith.js';

const host = withSandboxes();
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const unknown = '7d8f2c56-31ae-4f0b-9d0e-6f3f1b7a9c11';

test('a sandbox is created ready, with the defaults', async (t) => {
  const box = await host.create(t);
  assert.match(box.id, uuid);
  assert.match(box.name, /^sandbox-[0-9a-f]{8}$/);
  assert.equal(box.status, 'ready');
  assert.equal(box.status_message, undefined);
  assert.equal(box.dataplane_url, `${host.server.url}/v2/sandboxes/${box.id}`);
  assert.equal(box.idle_ttl_seconds, 600);
  assert.equal(box.delete_after_stop_seconds, 1_209_600);
  assert.equal(box.stopped_at, undefined);
  assert.equal(box.vCpus, 1);
  assert.equal(box.fs_capacity_bytes, 16 * 2 ** 30);
  assert.ok(Math.abs(Date.parse(box.created_at) - Date.now()) < 60_000, box.created_at);
});

test('every option of a create is kept and shown', async (t) => {
  const box = await host.create(t, {
    name: 'options', timeout: 60, idleTtlSeconds: 0, deleteAfterStopSeconds: 3600, vCpus: 1, memBytes: 3 * 2 ** 30, fsCapacityBytes: 17 * 2 ** 30,
    proxyConfig: {
      rules: [{ name: 'r', match_hosts: ['api.example.com'], headers: [{ name: 'Authorization', ...opaqueSecret('Bearer s3cret') }] }],
      access_control: { deny_list: ['bad.example.com'] },
    },
    mountConfig: mountConfig({ mounts: [gitMount({ id: 'repo', mountPath: '/mnt/mounts/repo', remoteUrl: 'https://git.example.com/a.git' })] }),
    runConfig: { user: 'user', work_dir: '/tmp', env_vars: { A: '1' } },
    accessDelegation: { mode: 'EXPLICIT', permissions: ['runs:read'] },
  });
  assert.equal(box.name, 'options');
  assert.deepEqual([box.idle_ttl_seconds, box.delete_after_stop_seconds], [0, 3600]);
  assert.deepEqual([box.vCpus, box.mem_bytes, box.fs_capacity_bytes], [1, 3 * 2 ** 30, 17 * 2 ** 30]);
  assert.deepEqual(box.run_config, { user: 'user', work_dir: '/tmp', env_vars: { A: '1' } });
  assert.deepEqual(box.access_delegation, { mode: 'EXPLICIT', permissions: ['runs:read'] });
  const { body } = await host.call('GET', '/boxes/options');
  assert.ok(!JSON.stringify(body).includes('s3cret'), 'a secret is never shown');
  const [header] = body.proxy_config.rules[0].headers;
  assert.deepEqual([header.type, header.is_set, header.value], ['opaque', true, undefined]);
  assert.deepEqual(body.proxy_config.access_control.deny_list, ['bad.example.com']);
  assert.equal(body.mount_config.mounts[0].mount_path, '/mnt/mounts/repo');
  assert.equal(body.created_by, body.updated_by);
});

test('who does not wait polls until the sandbox is ready', async (t) => {
  const box = await host.create(t, { name: 'no-wait', waitForReady: false });
  assert.ok(['provisioning', 'ready'].includes(box.status), box.status);
  const ready = await host.client.waitForSandbox('no-wait', { timeout: 60, pollInterval: 0.1 });
  assert.equal(ready.status, 'ready');
  assert.equal(ready.id, box.id);
  assert.equal(ready.dataplane_url, box.dataplane_url);
  assert.deepEqual(await host.client.getSandboxStatus('no-wait'), { status: 'ready' });
});

test('a sandbox is got by its name and by its id', async (t) => {
  const box = await host.create(t, { name: 'known' });
  assert.equal((await host.client.getSandbox('known')).id, box.id);
  assert.equal((await host.client.getSandbox(box.id)).name, 'known');
  for (const prefix of ['/v2/sandboxes', '/api/v2/sandboxes'])
    assert.equal((await clientOf(host.server, { prefix }).getSandbox('known')).dataplane_url, box.dataplane_url);
});

test('the list has every sandbox', async (t) => {
  const first = await host.create(t, { name: 'listed-1' });
  const second = await host.create(t, { name: 'listed-2', waitForReady: false });
  const list = await host.client.listSandboxes();
  assert.deepEqual(list.slice(0, 2).map((one) => one.id), [second.id, first.id]);
  assert.equal(list[1].dataplane_url, first.dataplane_url);
});

test('an update changes name, times, proxy and run configuration', async (t) => {
  const box = await host.create(t, { name: 'before', runConfig: { env_vars: { A: '1' } } });
  assert.equal((await host.client.updateSandbox('before', 'after')).name, 'after');
  await rejection(host.client.getSandbox('before'), LangSmithResourceNotFoundError);
  const changed = await host.client.updateSandbox('after', {
    idleTtlSeconds: 120, deleteAfterStopSeconds: 0, proxyConfig: { access_control: { allow_list: ['example.com'] } },
    runConfig: { work_dir: '/tmp', env_vars: { B: '2' } },
  });
  assert.deepEqual([changed.id, changed.idle_ttl_seconds, changed.delete_after_stop_seconds], [box.id, 120, 0]);
  assert.deepEqual(changed.run_config, { work_dir: '/tmp', env_vars: { A: '1', B: '2' } });
  assert.deepEqual((await host.call('GET', '/boxes/after')).body.proxy_config.access_control.allow_list, ['example.com']);
  assert.ok(Date.parse(changed.updated_at) >= Date.parse(box.updated_at));
  assert.equal((await host.client.updateSandbox('after', {})).name, 'after', 'nothing to change is a get');

  await host.create(t, { name: 'taken' });
  const conflict = await rejection(host.client.updateSandbox('after', 'taken'), LangSmithResourceNameConflictError);
  assert.equal(conflict.resourceType, 'sandbox');
  await rejection(host.client.updateSandbox('nobody', 'x'), LangSmithResourceNotFoundError);
  await rejection(host.client.updateSandbox('after', 'not a name'), LangSmithValidationError);
});

test('a sandbox stops, keeps its address, and starts again', async (t) => {
  const box = await host.create(t, { name: 'power' });
  await box.stop();
  assert.equal(box.status, 'stopped');
  const stopped = await host.client.getSandbox('power');
  assert.equal(stopped.status, 'stopped');
  assert.ok(Date.parse(stopped.stopped_at) >= Date.parse(stopped.created_at));
  assert.match((await rejection(box.stop(), LangSmithSandboxError)).message, /stopped/);
  await box.start({ timeout: 60 });
  assert.equal(box.status, 'ready');
  assert.equal(box.dataplane_url, stopped.dataplane_url);
  assert.equal((await host.client.getSandbox('power')).stopped_at, undefined);
  assert.match((await rejection(host.client.startSandbox('power'), LangSmithSandboxError)).message, /ready/);

  await host.client.stopSandbox('power');
  assert.equal((await host.client.startSandbox('power', { timeout: 60 })).status, 'ready');
  await rejection(host.client.stopSandbox('nobody'), LangSmithResourceNotFoundError);
  await rejection(host.client.startSandbox('nobody'), LangSmithResourceNotFoundError);
});

test('a stopped sandbox takes changes for its next start', async (t) => {
  const box = await host.create(t, { name: 'asleep' });
  await box.stop();
  const proxyConfig = { access_control: { deny_list: ['a.example.com'] } };
  await rejection(host.client.updateSandbox('asleep', { proxyConfig }), LangSmithSandboxNotReadyError);
  const { status, body } = await host.call('PATCH', '/boxes/asleep', { vcpus: 2, mem_bytes: 6 * 2 ** 30 });
  assert.deepEqual([status, body.vcpus, body.mem_bytes], [200, 2, 6 * 2 ** 30]);
  await box.start();
  assert.equal((await host.client.updateSandbox('asleep', { proxyConfig })).status, 'ready');
});

test('memory and processors are chosen apart, and a Context Hub may stand at /memories', async (t) => {
  const mount_config = { mounts: [{ id: 'hub', type: 'contexthub', mount_path: '/memories', contexthub: { repo: 'r' } }] };
  const { status, body } = await host.call('POST', '/boxes', { vcpus: 1, mem_bytes: 2 ** 30, mount_config });
  assert.equal(status, 201, JSON.stringify(body));
  host.keep(t, body);
  assert.deepEqual([body.vcpus, body.mem_bytes, body.mount_config.mounts[0].mount_path], [1, 2 ** 30, '/memories']);
});

test('unknown methods and paths are answered in the shape of the errors of this dialect', async () => {
  for (const prefix of ['/v2/sandboxes', '/api/v2/sandboxes', '/langsmith/v2/sandboxes']) {
    await host.refused(405, 'MethodNotAllowed', 'PUT', '/boxes/x', {}, { prefix });
    await host.refused(405, 'MethodNotAllowed', 'DELETE', '/usage', undefined, { prefix });
    await host.refused(404, 'ResourceNotFound', 'GET', '/no/such/path/here', undefined, { prefix });
  }
  const recoup = await host.server.call('PUT', '/api/sandboxes', { json: {} });
  assert.deepEqual([recoup.status, recoup.body], [405, { status: 'error', error: 'Method Not Allowed' }]);
  assert.equal(recoup.headers.get('access-control-allow-origin'), '*');
  const e2b = await host.server.call('PUT', '/v2/sandboxes', { json: {} });
  assert.deepEqual([e2b.status, e2b.body.code], [405, 405]);
});

test('a sandbox with its memory kept stops and starts, too', async (t) => {
  const { status, body } = await host.call('POST', '/boxes', { name: 'memory', preserve_memory_on_stop: true });
  assert.equal(status, 201);
  host.keep(t, body);
  assert.equal(body.preserve_memory_on_stop, true);
  await host.client.stopSandbox('memory');
  assert.equal((await host.client.getSandbox('memory')).status, 'stopped');
  assert.equal((await host.client.startSandbox('memory')).status, 'ready');
});

test('a sandbox that is not persistent begins anew at each start', async (t) => {
  const { status, body } = await host.call('POST', '/boxes', { name: 'brief', persistent: false });
  assert.equal(status, 201, JSON.stringify(body));
  host.keep(t, body);
  assert.equal(body.persistent, false);
  const box = await host.client.getSandbox('brief');
  for (const way of ['start', 'request']) {
    await box.write('/root/note', 'gone soon');
    await host.client.stopSandbox('brief');
    if (way === 'start') await host.client.startSandbox('brief');
    assert.equal((await box.run('ls /root/note')).exit_code, 2, way);
  }
  await host.refused(400, 'InvalidRequest', 'POST', '/boxes/brief/snapshot', { name: 'brief' });
  await host.client.stopSandbox('brief');
  await box.delete();
});

test('a deleted sandbox is gone', async (t) => {
  const box = await host.create(t, { name: 'gone' });
  await box.delete();
  await rejection(box.delete(), LangSmithResourceNotFoundError);
  await rejection(host.client.deleteSandbox(box.id), LangSmithResourceNotFoundError);
  await rejection(host.client.getSandbox('gone'), LangSmithResourceNotFoundError);
  await rejection(host.client.getSandboxStatus('gone'), LangSmithResourceNotFoundError);
  await rejection(host.client.waitForSandbox('gone'), LangSmithResourceNotFoundError);
  const again = await host.create(t, { name: 'gone' });
  assert.notEqual(again.id, box.id, 'its name is free');
});

test('many are deleted at once', async (t) => {
  const boxes = await Promise.all(['batch-1', 'batch-2'].map((name) => host.create(t, { name })));
  const { status, body } = await host.call('POST', '/boxes/batch-delete', { names: ['batch-1', boxes[1].id, 'nobody'] });
  assert.equal(status, 200);
  assert.deepEqual(body, { deleted: ['batch-1', boxes[1].id], skipped: [{ name: 'nobody', reason: 'not found' }] });
  await host.refused(422, null, 'POST', '/boxes/batch-delete', { names: 'batch-1' });
});

test('a create that makes no sense is refused by its field', async (t) => {
  await host.create(t, { name: 'here' });
  const validation = await rejection(host.client.createSandbox({ name: 'no good' }), LangSmithValidationError);
  assert.equal(validation.field, 'name');
  const both = { access_control: { allow_list: ['a.example.com'], deny_list: ['b.example.com'] } };
  await rejection(host.client.createSandbox({ proxyConfig: both }), LangSmithValidationError);
  await rejection(host.client.createSandbox({ proxyConfig: { access_control: { allow_list: ['~('] } } }), LangSmithValidationError);
  await rejection(host.client.createSandbox({ memBytes: 1 }), LangSmithValidationError);
  await rejection(host.client.createSandbox({ idleTtlSeconds: 61 }), LangSmithValidationError);
  await rejection(host.client.createSandbox({ idleTtlSeconds: -60 }), LangSmithValidationError);
  await rejection(host.client.createSandbox({ accessDelegation: { mode: 'ALL' } }), LangSmithValidationError);
  await rejection(host.client.createSandbox('a', { snapshotName: 'b' }), LangSmithValidationError);
  await rejection(host.client.createSandbox(unknown), LangSmithResourceNotFoundError);
  await rejection(host.client.createSandbox({ snapshotName: 'absent:v1' }), LangSmithResourceNotFoundError);
  assert.match((await rejection(host.client.createSandbox({ name: 'here' }), LangSmithSandboxError)).message, /here/);

  for (const [json, field] of [
    [{ idle_ttl_seconds: 61 }, 'idle_ttl_seconds'], [{ delete_after_stop_seconds: -60 }, 'delete_after_stop_seconds'],
    [{ snapshot_id: 'a', snapshot: 'b' }, 'snapshot'], [{ timeout: 0 }, 'timeout'], [{ wait_for_ready: 'yes' }, 'wait_for_ready'],
    [{ labels: { a: 1 } }, 'labels'], [{ env_vars: { 'A=B': 'c' } }, 'env_vars'], [{ restore_memory: true }, 'restore_memory'],
    [{ persistent: 'no' }, 'persistent'], [{ persistent: false, preserve_memory_on_stop: true }, 'preserve_memory_on_stop'],
    [{ volumes: [{ volume: 'v', mount_path: '/data' }] }, 'volumes'],
  ]) {
    const detail = await host.refused(422, null, 'POST', '/boxes', json);
    assert.equal(detail[0].type, 'value_error');
    assert.ok(detail[0].loc.includes(field), JSON.stringify(detail));
  }
  await host.refused(409, 'Conflict', 'POST', '/boxes', { name: 'here' });
  for (const raw of ['{', '[]', '', 'null']) await host.refused(400, 'InvalidRequest', 'POST', '/boxes', undefined, { raw });
});

test('a sandbox that is not ready in time is a timeout, and leaves nothing behind', async (t) => {
  // No start is done within a millisecond, which the SDK cannot ask for.
  const detail = await host.refused(408, 'Timeout', 'POST', '/boxes', { name: 'hurry', timeout: 0.001 });
  assert.match(detail.message, /provisioning/);
  // Once the late one is removed, its name is free.
  const made = await until(async () => {
    const answer = await host.call('POST', '/boxes', { name: 'hurry' });
    return answer.status === 201 && answer.body;
  });
  host.keep(t, made);
});

test('the list filters, sorts and pages', async (t) => {
  const names = ['page-c', 'page-a', 'page-B'];
  for (const [index, name] of names.entries()) {
    const { status, body } = await host.call('POST', '/boxes', { name, idle_ttl_seconds: 60 * (index + 1), labels: { team: index < 2 ? 'red' : 'blue', name }, tag_value_ids: ['all', name] });
    assert.equal(status, 201, JSON.stringify(body));
    host.keep(t, body);
  }
  await host.client.stopSandbox('page-a');
  const list = async (query, key = 'sandboxes') => {
    const { status, body } = await host.call('GET', `/boxes?name_contains=PAGE-&${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body.items, body.sandboxes);
    return body[key].map((box) => box.name);
  };
  assert.deepEqual(await list(''), ['page-B', 'page-a', 'page-c'], 'the newest first');
  assert.deepEqual(await list('sort_by=created_at&sort_direction=asc'), names);
  assert.deepEqual(await list('sort_by=name&sort_order=asc'), ['page-B', 'page-a', 'page-c']);
  assert.deepEqual(await list('sort_by=idle_ttl_seconds'), ['page-B', 'page-a', 'page-c']);
  assert.equal((await list('sort_by=stopped_at'))[0], 'page-a');
  assert.equal((await list('sort_by=status&sort_order=desc'))[0], 'page-a');
  assert.deepEqual(await list('status=stopped'), ['page-a']);
  assert.deepEqual(await list('label=team%3Dred'), ['page-a', 'page-c']);
  assert.deepEqual(await list('label=team&label=name%3Dpage-B'), ['page-B']);
  assert.deepEqual(await list('tag_value_id=all&tag_value_id=page-a'), ['page-a']);
  assert.deepEqual(await list('created_by=me&limit=1&offset=1'), ['page-a']);

  const paged = [];
  let cursor = '';
  do {
    const { body } = await host.call('GET', `/boxes?name_contains=page-&page_size=1&cursor=${cursor}`);
    paged.push(...body.items.map((box) => box.name));
    cursor = body.next_cursor;
  } while (cursor !== null);
  assert.deepEqual(paged, ['page-B', 'page-a', 'page-c']);
  const { body: first } = await host.call('GET', '/boxes?name_contains=page-&limit=2');
  assert.equal(first.offset, 2);

  for (const query of ['limit=0', 'limit=501', 'limit=x', 'offset=-1', 'page_size=0', 'cursor=x', 'status=running', 'sort_by=age', 'sort_order=up', 'created_by=you', 'label='])
    await host.refused(400, 'InvalidRequest', 'GET', `/boxes?${query}`);
});

test('sandboxes of every dialect are listed by the others', async (t) => {
  const { Sandbox: E2bSandbox } = sdkOf(host.server);
  const foreign = await E2bSandbox.create({ metadata: { app: 'cross' } });
  t.after(() => E2bSandbox.kill(foreign.sandboxId));
  const own = await host.create(t, { name: 'cross' });

  const seen = (await host.client.listSandboxes()).find((box) => box.name === foreign.sandboxId);
  assert.equal(seen.status, 'ready');
  assert.match(seen.id, uuid);
  assert.equal((await host.client.getSandbox(seen.id)).name, foreign.sandboxId);
  const { body } = await host.call('GET', '/boxes?label=app%3Dcross');
  assert.deepEqual(body.items.map((box) => box.id), [seen.id]);

  const page = await E2bSandbox.list().nextItems();
  assert.equal(page.filter((one) => one.state === 'running').length >= 2, true);
  await foreign.pause();
  assert.equal((await host.client.getSandboxStatus(seen.id)).status, 'stopped');
  assert.equal((await host.client.startSandbox(seen.id)).status, 'ready');
  await own.stop();
  const states = await E2bSandbox.list({ query: { state: ['paused'] } }).nextItems();
  assert.equal(states.length, 1, 'a stopped one is a paused one there');
});

test('another account sees and touches nothing', async (t) => {
  const box = await host.create(t, { name: 'private' });
  const { client, key, id } = await makeAccount(host.server, 'stranger');
  assert.deepEqual(await client.listSandboxes(), []);
  for (const ref of ['private', box.id]) {
    await rejection(client.getSandbox(ref), LangSmithResourceNotFoundError);
    await rejection(client.getSandboxStatus(ref), LangSmithResourceNotFoundError);
    await rejection(client.updateSandbox(ref, 'mine'), LangSmithResourceNotFoundError);
    await rejection(client.stopSandbox(ref), LangSmithResourceNotFoundError);
    await rejection(client.startSandbox(ref), LangSmithResourceNotFoundError);
    await rejection(client.deleteSandbox(ref), LangSmithResourceNotFoundError);
  }
  await host.refused(403, 'Forbidden', 'GET', `/auth/sandbox-access?sandbox_id=${box.id}&action=exec`, undefined, { key });
  assert.equal((await host.call('GET', `/auth/sandbox-access?sandbox_id=${box.id}&action=exec`)).status, 200);
  const same = await client.createSandbox({ name: 'private' });
  t.after(() => client.deleteSandbox('private'));
  assert.notEqual(same.id, box.id, 'names are per account');
  assert.equal((await host.call('GET', '/boxes/private', undefined, { key })).body.created_by, id);
  assert.equal((await host.client.getSandbox('private')).id, box.id);
});

test('without a valid key nothing is answered', async () => {
  await rejection(clientOf(host.server, { key: 'lsv2_nobody' }).listSandboxes(), LangSmithSandboxAuthenticationError);
  await rejection(clientOf(host.server, { key: '' }).createSandbox(), LangSmithSandboxAuthenticationError);
  await host.refused(401, 'Unauthorized', 'GET', '/boxes', undefined, { key: '' });
  const bearer = { key: '', headers: { Authorization: `Bearer ${host.server.key}`, 'X-Tenant-Id': unknown } };
  assert.equal((await host.call('GET', '/boxes', undefined, bearer)).status, 200);
  const service = new SandboxClient({ apiEndpoint: `${host.server.url}/v2/sandboxes`, apiKey: '', headers: { 'X-Service-Key': host.server.key } });
  assert.ok(Array.isArray(await service.listSandboxes()));
});

test('the client finds the server by its environment', async (t) => {
  const before = { ...process.env };
  t.after(() => Object.assign(process.env, { LANGSMITH_ENDPOINT: '', LANGSMITH_API_KEY: '' }, before));
  Object.assign(process.env, { LANGSMITH_ENDPOINT: `${host.server.url}/`, LANGSMITH_API_KEY: host.server.key });
  assert.ok(Array.isArray(await new SandboxClient().listSandboxes()));
  await rejection(new SandboxClient({ apiEndpoint: `${host.server.url}/nowhere`, apiKey: host.server.key }).listSandboxes(), LangSmithSandboxAPIError);
});

test('usage is counted', async (t) => {
  const { body: before } = await host.call('GET', '/usage');
  await host.create(t, { vCpus: 1 });
  const { status, body } = await host.call('GET', '/usage', undefined, { prefix: '/api/v2/sandboxes' });
  assert.equal(status, 200);
  assert.equal(body.sandboxes_used, before.sandboxes_used + 1);
  assert.equal(body.cpu_used_millicores, before.cpu_used_millicores + 1000);
  assert.ok(body.memory_limit_bytes > 0 && body.cpu_limit_millicores > 0);
  assert.equal((await host.call('GET', '/usage/costs')).status, 200);
});

test('a wrong method or path is an error of the dialect', async () => {
  assert.equal((await host.call('PUT', '/boxes')).status, 405);
  assert.equal((await host.call('GET', '/boxes/a/b/c')).status, 404);
});
