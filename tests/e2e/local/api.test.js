// The API of local sandboxes by plain HTTP: every operation, signed URLs, hostile archives.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { KlavisClient } from 'klavis';
import { archiveOf, dumped, initialize, madeByPython, upload } from '../support/archives.js';
import { boxIdOf, callTool, openLocal } from '../support/local.js';
import { connect, post, request, withClient } from '../support/mcp.js';
import { Server } from '../support/server.js';

let server;
before(async () => {
  server = await Server.start({ boxes: true });
});
after(() => server.stop());

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const acquire = (names, more = {}) => server.call('POST', '/local-sandbox', { json: { server_names: names, ...more } });

test('a local sandbox is acquired, looked at, listed and released', async () => {
  const { status, body } = await acquire(['git', 'filesystem', 'git'], { benchmark: 'Toolathlon', ttl_seconds: 600, test_account_email: 'a@b.c', other: 1 });
  assert.equal(status, 201);
  assert.match(body.local_sandbox_id, uuid);
  assert.equal(body.status, 'occupied');
  assert.equal(body.benchmark, 'Toolathlon');
  assert.equal(typeof body.message, 'string');
  assert.deepEqual(body.servers.map((it) => it.server_name), ['git', 'filesystem']);
  for (const item of body.servers) {
    assert.match(item.id, uuid);
    assert.equal(item.mcp_server_url, `${server.url}/${item.server_name}/mcp/?local_sandbox_id=${body.local_sandbox_id}`);
    assert.match(item.updated_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
    assert.deepEqual(Object.keys(item).sort(), ['auth_data', 'benchmark', 'id', 'mcp_server_url', 'metadata', 'server_name', 'status', 'tags', 'updated_at']);
  }
  const path = `/local-sandbox/${body.local_sandbox_id}`;
  const shown = await server.call('GET', path);
  assert.equal(shown.status, 200);
  assert.deepEqual(shown.body.servers, body.servers);
  assert.match(shown.body.created_at, /^\d{4}-/);
  const list = await server.call('GET', '/klavis/local-sandbox');
  assert.equal(list.body.total_count, list.body.local_sandboxes.length);
  assert.ok(list.body.local_sandboxes.some((it) => it.local_sandbox_id === body.local_sandbox_id));
  const port = { 'E2b-Sandbox-Id': boxIdOf(body.local_sandbox_id), 'E2b-Sandbox-Port': '8000' };
  assert.equal((await server.call('GET', '/', { headers: port })).status, 403, 'its ports are not public: the id is in their addresses');
  const released = await server.call('DELETE', `${path}?is_ttl=false`);
  assert.equal(released.status, 200);
  assert.equal(typeof released.body.message, 'string');
  assert.equal((await server.call('GET', path)).status, 404);
  assert.equal((await server.call('DELETE', path)).status, 404);
});

test('ALL means every server that there is', async () => {
  const { status, body } = await acquire('ALL');
  assert.equal(status, 201);
  assert.deepEqual(body.servers.map((it) => it.server_name).sort(),
    ['code-executor', 'code-runner', 'desktop-commander', 'excel', 'filesystem', 'git', 'localmemory', 'pdf-tools', 'terminal']);
  assert.equal((await server.call('DELETE', `/local-sandbox/${body.local_sandbox_id}`)).status, 200);
});

test('what the vendor has and this server has not is an error of that server alone', async () => {
  const asked = ['filesystem', 'git', 'terminal', 'desktop-commander', 'arxiv', 'code-executor', 'code-runner', 'localmemory'];  // as MCP-Atlas asks
  const { status, body } = await acquire([...asked, 'word', 'powerpoint', 'google_cloud', 'poste_email_toolathlon', 'canvas', 'playwright'], { benchmark: 'MCP_Atlas' });
  assert.equal(status, 201, JSON.stringify(body));
  assert.equal(body.status, 'occupied');
  const missing = body.servers.filter((item) => item.status === 'error');
  assert.deepEqual(missing.map((item) => item.server_name), ['arxiv', 'word', 'powerpoint', 'google_cloud', 'poste_email_toolathlon', 'canvas', 'playwright']);
  for (const item of missing) {
    assert.match(item.metadata.error, new RegExp(`'${item.server_name}' is not offered`));
    const answer = await post(item.mcp_server_url, request('tools/list'));
    assert.deepEqual([answer.status, answer.body.error.message], [200, item.metadata.error]);
  }
  await assert.rejects(() => connect(missing[0].mcp_server_url), /'arxiv' is not offered here yet/);
  for (const item of body.servers.filter((one) => one.status !== 'error')) {
    assert.equal(item.status, 'occupied');
    await withClient(item.mcp_server_url, async (client) => assert.ok((await client.listTools()).tools.length > 0, item.server_name));
  }
  const shown = await server.call('GET', `/local-sandbox/${body.local_sandbox_id}`);
  assert.deepEqual(shown.body.servers, body.servers);
  assert.equal((await server.call('DELETE', `/local-sandbox/${body.local_sandbox_id}`)).status, 200);
});

test('the SDK lists and calls the tools of local servers by their URLs', async () => {
  const klavis = new KlavisClient({ apiKey: server.key, baseUrl: server.url });
  const { body } = await acquire(['filesystem', 'arxiv']);
  const [serverUrl, absent] = body.servers.map((item) => item.mcp_server_url);
  const listed = await klavis.mcpServer.listTools({ serverUrl, format: 'anthropic' });
  assert.ok(listed.tools.some((tool) => tool.name === 'write_file' && tool.input_schema.properties.path));
  const written = await klavis.mcpServer.callTools({ serverUrl, toolName: 'write_file', toolArgs: { path: '/data/a.txt', content: 'grüße' } });
  assert.deepEqual([written.success, written.error], [true, null]);
  const read = await klavis.mcpServer.callTools({ serverUrl, toolName: 'read_text_file', toolArgs: { path: '/data/a.txt' } });
  assert.equal(read.result.content[0].text, 'grüße');
  const failed = await klavis.mcpServer.callTools({ serverUrl, toolName: 'read_text_file', toolArgs: { path: '/etc/shadow' } });
  assert.deepEqual([failed.success, failed.result.isError], [true, true]);
  const refused = await klavis.mcpServer.listTools({ serverUrl: absent });
  assert.equal(refused.success, false);
  assert.match(refused.error, /'arxiv' is not offered/);
  const { body: other } = await server.call('POST', '/api/viv/accounts', { json: { name: 'local-tools-other' } });
  const theirs = new KlavisClient({ apiKey: other.key, baseUrl: server.url });
  assert.match((await theirs.mcpServer.listTools({ serverUrl })).error, /no sandbox of yours/);
  assert.equal((await server.call('DELETE', `/local-sandbox/${body.local_sandbox_id}`)).status, 200);
  assert.match((await klavis.mcpServer.listTools({ serverUrl })).error, /no sandbox of yours/);
});

test('what cannot be acquired is a 422 that says why', async () => {
  for (const [json, reason] of [
    [undefined, /Field required/], [{}, /Field required/], [[], /dictionary/], [{ server_names: 'filesystem' }, /'ALL'/],
    [{ server_names: [] }, /at least|between/], [{ server_names: ['nope'] }, /'filesystem'/], [{ server_names: [null] }, /'filesystem'/],
    [{ server_names: ['git', 'arxiv', 'nope'] }, /'filesystem'/], [{ server_names: ['arxiv', 'word'] }, /none of these local servers is offered.*filesystem/],
    [{ server_names: ['git'], benchmark: 'None' }, /MCP_Atlas/], [{ server_names: ['git'], ttl_seconds: 10 }, /60/],
    [{ server_names: ['git'], ttl_seconds: 'soon' }, /integer/],
  ]) {
    const { status, body } = await server.call('POST', '/local-sandbox', { json });
    assert.equal(status, 422, JSON.stringify(json));
    assert.match(JSON.stringify(body.detail), reason);
  }
  assert.equal((await server.call('POST', '/local-sandbox', { raw: '{', headers: server.headers() })).status, 422);
  assert.equal((await server.call('GET', '/local-sandbox', { headers: {} })).status, 401);
});

test('an archive goes in, servers work on it, and it comes out again', async () => {
  const box = await openLocal(['filesystem', 'terminal'], { server, benchmark: 'Toolathlon' });
  const answer = await initialize(server, box.id, archiveOf({ 'a.txt': 'one', 'deep/er/b.csv': 'x,y\n1,2\n', 'sp ace/ü.txt': 'three' }));
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal(answer.body.sandbox_id, box.id);
  assert.equal(answer.body.status, 'occupied');
  assert.equal((await callTool(box, 'filesystem', 'read_text_file', { path: '/data/deep/er/b.csv' })).text, 'x,y\n1,2\n');
  await callTool(box, 'filesystem', 'write_file', { path: '/data/made.txt', content: 'by a tool' });
  assert.match((await callTool(box, 'terminal', 'run_command', { command: 'cat a.txt made.txt' })).text, /oneby a tool/);
  // Members without a prefix are as good; a second archive adds to the first.
  assert.equal((await initialize(server, box.id, archiveOf({ 'a.txt': 'changed', 'new.txt': 'n' }, ['a.txt', 'new.txt']))).status, 200);
  assert.deepEqual(await dumped(server, box.id), { 'a.txt': 'changed', 'deep/er/b.csv': 'x,y\n1,2\n', 'made.txt': 'by a tool', 'new.txt': 'n', 'sp ace/ü.txt': 'three' });
  const reset = await server.call('POST', `/local-sandbox/${box.id}/reset`);
  assert.equal(reset.status, 200);
  assert.deepEqual(await dumped(server, box.id), {});
  await box.close();
});

test('links out of the workspace are not in the dump, for clients refuse them', async () => {
  const box = await openLocal(['filesystem'], { server });
  await box.write('good.txt', 'good');
  const commands = await box.files().then(() => box.box.commands);
  await commands.run('cd /data && ln -s /etc/passwd out && ln -s good.txt in && mkfifo pipe && truncate -s 20M sparse && sudo sh -c "echo r > rooted; chmod 600 rooted"');
  assert.deepEqual(Object.keys(await dumped(server, box.id)).sort(), ['good.txt', 'in', 'rooted', 'sparse']);
  await box.close();
});

test('an upload comes in pieces, a download in parts', async () => {
  const { body } = await acquire(['filesystem']);
  const id = body.local_sandbox_id;
  const bytes = archiveOf({ 'random.bin': randomBytes(300_000) });
  const { upload_url: url } = (await server.call('POST', `/local-sandbox/${id}/upload-url?region=asia`)).body;
  const half = Math.floor(bytes.length / 2);
  const first = await upload(url, bytes.subarray(0, half), { 'Content-Range': `bytes 0-${half - 1}/${bytes.length}` });
  assert.equal(first.status, 308);
  assert.equal(first.headers.get('range'), `bytes=0-${half - 1}`);
  assert.equal((await server.call('POST', `/local-sandbox/${id}/initialize`)).status, 400);
  const asked = await upload(url, undefined, { 'Content-Range': `bytes */${bytes.length}` });
  assert.equal(asked.status, 308);
  const rest = await upload(url, bytes.subarray(half), { 'Content-Range': `bytes ${half}-${bytes.length - 1}/${bytes.length}` });
  assert.equal(rest.status, 200);
  assert.equal((await server.call('POST', `/local-sandbox/${id}/initialize`)).status, 200);
  const { download_url: from } = (await server.call('GET', `/local-sandbox/${id}/dump`)).body;
  const whole = Buffer.from(await (await fetch(from)).arrayBuffer());
  const part = await fetch(from, { headers: { Range: 'bytes=10-19' } });
  assert.equal(part.status, 206);
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), whole.subarray(10, 20));
  const head = await fetch(from, { method: 'HEAD' });
  assert.equal(Number(head.headers.get('content-length')), whole.length);
  assert.equal((await fetch(from, { headers: { 'If-None-Match': head.headers.get('etag') } })).status, 304);
  await server.call('DELETE', `/local-sandbox/${id}`);
  assert.equal((await fetch(from)).status, 404);
});

test('a signed URL is for one object, one method and one half hour', async () => {
  const id = (await acquire(['filesystem'])).body.local_sandbox_id;
  const { upload_url: url } = (await server.call('POST', `/local-sandbox/${id}/upload-url`)).body;
  const parts = new URL(url);
  const changed = (name, value) => {
    const copy = new URL(url);
    copy.searchParams.set(name, value);
    return copy.href;
  };
  for (const wrong of [changed('expires', Number(parts.searchParams.get('expires')) + 60), changed('signature', '0'.repeat(64)), url + 'a',
    parts.origin + parts.pathname, url.replace(/-u/, '-d'), url.replace('/blobs/', '/blobs/x'), changed('expires', '1')]) {
    const answer = await upload(wrong, 'x');
    assert.equal(answer.status, 403, wrong);
    assert.equal((await answer.json()).error.code, 'access_denied');
  }
  assert.equal((await fetch(url)).status, 403);
  assert.equal((await upload(`${server.url}/blobs/..%2f..%2fkey`, 'x')).status, 403);
  assert.equal((await server.call('POST', `/local-sandbox/${id}/upload-url?region=mars`)).status, 422);
  await server.call('DELETE', `/local-sandbox/${id}`);
  assert.equal((await upload(url, 'x')).status, 404);
});

test('a bad archive is refused, and the workspace is as it was', async () => {
  const box = await openLocal(['filesystem'], { server });
  assert.equal((await server.call('POST', `/local-sandbox/${box.id}/initialize`)).status, 400);
  assert.equal((await initialize(server, box.id, archiveOf({ 'mine/a': 'A', b: 'B' }))).status, 200);
  const good = archiveOf({ 'mine/a': 'changed', c: randomBytes(200_000) });
  const hostile = {
    absolute: madeByPython('add("good"); add("/tmp/evil")'),
    'dot dot': madeByPython('add("good"); add("../evil")'),
    'link out': madeByPython('add("good"); add("l", type=tarfile.SYMTYPE, linkname="/etc")'),
    'link up': madeByPython('add("l", type=tarfile.SYMTYPE, linkname="../../etc"); add("l/passwd")'),
    'link over a link': madeByPython('add("p/q/up", type=tarfile.SYMTYPE, linkname="../.."); add("z", type=tarfile.SYMTYPE, linkname="p/q/up/../etc")'),
    'through a link': madeByPython('add("l", type=tarfile.SYMTYPE, linkname="mine"); add("l/x")'),
    'hard link out': madeByPython('add("h", type=tarfile.LNKTYPE, linkname="/etc/passwd")'),
    device: madeByPython('add("d", type=tarfile.CHRTYPE, devmajor=1, devminor=3)'),
    pipe: madeByPython('add("f", type=tarfile.FIFOTYPE)'),
    twice: madeByPython('add("x"); add("./x")'),
    'file for a folder': madeByPython('add("new"); add("mine")'),
    'folder for a file': madeByPython('add("new"); add("b/x")'),
    bomb: madeByPython('add("zeros", bytes(200 << 20))'),
    'too many': madeByPython('for i in range(200001): add("./", type=tarfile.DIRTYPE)'),
    'cut off': good.subarray(0, good.length - 9),
    changed: Buffer.concat([good.subarray(0, good.length - 6), Buffer.from([1, 2]), good.subarray(good.length - 4)]),
    'no archive': Buffer.from('hello'.repeat(500)),
    empty: Buffer.alloc(0),
    zip: execFileSync('python3', ['-c', 'import io,sys,zipfile\nb=io.BytesIO()\nzipfile.ZipFile(b,"w").writestr("a","b"*999)\nsys.stdout.buffer.write(b.getvalue())']),
  };
  for (const [name, bytes] of Object.entries(hostile)) {
    const { status, body } = await initialize(server, box.id, bytes);
    assert.equal(status, 422, `${name}: ${JSON.stringify(body)}`);
    assert.match(body.detail, /as it was/);
  }
  assert.deepEqual(await dumped(server, box.id), { 'mine/a': 'A', b: 'B' });
  assert.deepEqual((await callTool(box, 'filesystem', 'list_directory', { path: '/data' })).text.split('\n').sort(), ['[DIR] mine', '[FILE] b']);
  await box.close();
});

test('another account finds none of it', async () => {
  const id = (await acquire(['filesystem', 'localmemory'])).body.local_sandbox_id;
  const made = await server.call('POST', '/api/viv/accounts', { json: { name: 'local-stranger' } });
  const headers = server.headers({ Authorization: `Bearer ${made.body.key}` });
  const json = { execution_name: 'x' };
  for (const [method, path, body] of [
    ['GET', ''], ['DELETE', ''], ['POST', '/reset'], ['POST', '/upload-url'], ['POST', '/initialize'], ['GET', '/dump'], ['POST', '/memory-upload-url'],
    ['POST', '/execution-upload-url', json], ['POST', '/execute', json], ['GET', '/execution-status?execution_name=x'],
    ['GET', '/execution-logs?execution_name=x'], ['POST', '/export-artifacts', json],
  ]) {
    for (const [sandbox, as] of [[id, headers], ['00000000-0000-4000-8000-000000000000', undefined], ['..%2f..', undefined]]) {
      const answer = await server.call(method, `/local-sandbox/${sandbox}${path}`, { json: body, headers: as });
      assert.equal(answer.status, 404, `${method} ${path} of ${sandbox}`);
    }
  }
  assert.equal((await server.call('GET', '/local-sandbox', { headers })).body.total_count, 0);
  await server.call('DELETE', `/local-sandbox/${id}`);
});

test('an uploaded memory is there without a further call', async () => {
  const box = await openLocal(['localmemory'], { server, benchmark: 'Toolathlon' });
  const { status, body } = await server.call('POST', `/sandbox/local_memory/${box.id}/upload-url`);
  assert.equal(status, 200);
  assert.equal(body.expires_in_minutes, 30);
  const bad = await upload(body.upload_url, '{"type":"entity","name":"a"}\n');
  assert.equal(bad.status, 422);
  assert.match((await bad.json()).error.message, /line 1/);
  const lines = [{ type: 'entity', name: 'Ada', entityType: 'person', observations: ['wrote notes'] }, { type: 'relation', from: 'Ada', to: 'Ada', relationType: 'knows' }];
  assert.equal((await upload(body.upload_url, lines.map((it) => JSON.stringify(it)).join('\n'))).status, 200);
  assert.match((await callTool(box, 'localmemory', 'read_graph')).text, /wrote notes/);
  // The id of the server's item will do, too.
  assert.equal((await server.call('POST', `/sandbox/local_memory/${box.acquired.servers[0].id}/upload-url`)).status, 200);
  await box.close();
});
