// Executions of local sandboxes, and a server that dies: what it was doing goes on, or leaves nothing behind.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { archiveOf, dumped, madeByPython, upload, wheelOf } from '../support/archives.js';
import { openLocal } from '../support/local.js';
import { Server } from '../support/server.js';

let server;
before(async () => {
  server = await Server.start({ boxes: 'keep' });
});
after(async () => {
  for (const { local_sandbox_id: id } of (await server.call('GET', '/local-sandbox')).body.local_sandboxes) {
    await server.call('DELETE', `/local-sandbox/${id}`);
  }
  await server.stop();
});

async function ended(id, name) {
  for (;;) {
    const { body } = await server.call('GET', `/local-sandbox/${id}/execution-status?execution_name=${name}`);
    if (body.status !== 'pending' && body.status !== 'running') return body.status;
    await new Promise((done) => setTimeout(done, 50));
  }
}

async function prepare(id, name, files) {
  const { status, body } = await server.call('POST', `/local-sandbox/${id}/execution-upload-url`, { json: { execution_name: name } });
  assert.equal(status, 200, JSON.stringify(body));
  if (files) assert.equal((await upload(body.upload_url, archiveOf(files))).status, 200);
  return server.call('POST', `/local-sandbox/${id}/execute`, { json: { execution_name: name } });
}

test('executions run in the background, and a crash of the server does not touch them', async () => {
  const box = await openLocal(['filesystem'], { server });
  const logs = (name, cursor = 0) => server.call('GET', `/local-sandbox/${box.id}/execution-logs?execution_name=${name}&cursor=${cursor}`);
  assert.equal((await server.call('GET', `/local-sandbox/${box.id}/execution-status?execution_name=never`)).status, 404);
  assert.equal((await prepare(box.id, 'nothing')).status, 400);
  assert.equal((await logs('nothing')).body.status, 'pending');
  const script = `
import os, time
print("begin", os.getcwd(), os.environ["AGENT_WORKSPACE"])
open("/data/from-execution", "w").write("made")
open("result.json", "w").write("{}")
while not os.path.exists("/data/go"): time.sleep(0.02)
print("ende \u00fc")`;
  const started = await prepare(box.id, 'one', { 'main.py': script });
  assert.equal(started.status, 200, JSON.stringify(started.body));
  assert.equal(started.body.execution_name, 'one');
  let first;
  do first = (await logs('one')).body; while (first.logs === '');
  assert.equal(first.logs, 'begin /executions/one /data\n');
  assert.equal(first.status, 'running');
  assert.equal((await server.call('POST', `/local-sandbox/${box.id}/execute`, { json: { execution_name: 'one' } })).status, 409);
  await server.crashAndRestart();
  box.box = undefined;
  await box.write('go', '');
  assert.equal(await ended(box.id, 'one'), 'completed');
  const rest = (await logs('one', first.cursor)).body;
  assert.deepEqual(rest, { status: 'completed', logs: 'ende ü\n', cursor: first.cursor + 8 });
  const artifacts = await dumped(server, box.id, { method: 'POST', operation: 'export-artifacts', json: { execution_name: 'one' } });
  assert.deepEqual(Object.keys(artifacts).sort(), ['main.py', 'result.json']);
  assert.equal((await box.read('from-execution')).toString(), 'made');
  await prepare(box.id, 'bad', { 'main.py': 'import sys; print("no", file=sys.stderr); sys.exit(3)' });
  assert.equal(await ended(box.id, 'bad'), 'failed');
  assert.equal((await logs('bad')).body.logs, 'no\n');
  await prepare(box.id, 'empty', { 'other.py': '' });
  assert.equal(await ended(box.id, 'empty'), 'failed');
  const wheel = { 'tiny-1.0-py3-none-any.whl': wheelOf('tiny', 'word = "from a wheel"'), 'requirements.txt': './tiny-1.0-py3-none-any.whl\n' };
  await prepare(box.id, 'required', { ...wheel, 'main.py': 'import tiny; print(tiny.word)' });
  assert.equal(await ended(box.id, 'required'), 'completed', (await logs('required')).body.logs);
  assert.match((await logs('required')).body.logs, /from a wheel/);
  await prepare(box.id, 'lacking', { 'requirements.txt': './no-such-1.0-py3-none-any.whl\n', 'main.py': 'print("never")' });
  assert.equal(await ended(box.id, 'lacking'), 'failed');
  assert.doesNotMatch((await logs('lacking')).body.logs, /never/);
  for (const name of ['../x', '', 'a b', '.state', 7]) {
    assert.equal((await server.call('POST', `/local-sandbox/${box.id}/execution-upload-url`, { json: { execution_name: name } })).status, 422);
  }
  await box.close();
});

test('a server that dies in the middle of initialize leaves the workspace as it was', async () => {
  const box = await openLocal(['filesystem'], { server });
  await box.write('mine', 'mine');
  const { upload_url: url } = (await server.call('POST', `/local-sandbox/${box.id}/upload-url`)).body;
  const large = madeByPython('data = os.urandom(1 << 20)\nfor i in range(600): add(f"many/{i}", data)', 'w');
  assert.equal((await upload(url, large)).status, 200);
  const broken = server.call('POST', `/local-sandbox/${box.id}/initialize`).catch((error) => error);
  await new Promise((done) => setTimeout(done, 150));
  await server.crashAndRestart();
  assert.ok((await broken) instanceof Error);
  box.box = undefined;
  const listed = async () => (await (await box.files()).list('/data')).map((it) => it.name).sort();
  for (let names = await listed(); names.length > 1; names = await listed()) {
    assert.ok(names.every((it) => it === 'mine' || it.startsWith('.viv-unpack-')), names.join());  // being taken away
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.deepEqual(await dumped(server, box.id), { mine: 'mine' });
  assert.equal((await server.call('POST', `/local-sandbox/${box.id}/initialize`)).status, 200);
  assert.deepEqual(await listed(), ['many', 'mine']);
  await box.close();
});
