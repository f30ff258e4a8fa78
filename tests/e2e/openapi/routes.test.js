// The OpenAPI documents say what is served: every route, no other, and true answers fit their schemas.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { until } from '../support/e2b.js';
import { Server, projectVersion } from '../support/server.js';

const dialects = ['klavis', 'e2b', 'langsmith', 'recoup', 'viv'];
const prefixed = ['klavis', 'e2b', 'langsmith', 'recoup'];
const documents = {};
let server;

before(async () => {
  server = await Server.start({ boxes: true, args: ['--parked', '0', '--builtin-apps', new URL('../../../apps', import.meta.url).pathname] });
  for (const name of dialects) documents[name] = (await server.call('GET', `/openapi/${name}.json`, { headers: {} })).body;
});
after(() => server.stop());

const operationsOf = (name) =>
  Object.entries(documents[name].paths).flatMap(([path, item]) => Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })));
const nameOf = ({ method, path }) => `${method} ${path.replaceAll('...}', '}')}`;

/** A schema in which objects have what is described and nothing else. */
const closed = (schema) => {
  if (Array.isArray(schema)) return schema.map(closed);
  if (schema === null || typeof schema !== 'object') return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, key === 'required' || key === 'enum' ? value : closed(value)]));
  if (copy.type === 'object' && copy.properties && copy.additionalProperties === undefined) copy.additionalProperties = false;
  return copy;
};

test('the documents are there for everybody, with the version of the program', async () => {
  const { status, body } = await server.call('GET', '/openapi', { headers: {} });
  assert.equal(status, 200);
  assert.deepEqual(body.documents, dialects.map((name) => `/openapi/${name}.json`));
  for (const name of dialects) {
    assert.equal(documents[name].openapi, '3.1.0');
    assert.equal(documents[name].info.version, projectVersion());
    const ids = operationsOf(name).map((one) => one.operation.operationId);
    assert.equal(new Set(ids).size, ids.length, `${name}: every operationId is one operation's`);
  }
  assert.equal((await server.call('GET', '/openapi/nothing.json', { headers: {} })).status, 404);
});

test('every route is in one document, and every operation of a document is a route', async () => {
  const { body } = await server.call('GET', '/api/viv/routes');
  const routes = body.routes.filter((one) => one.method !== 'OPTIONS').map(nameOf);
  const served = new Set(routes);
  const described = dialects.flatMap((name) => operationsOf(name).map(nameOf));
  assert.equal(new Set(described).size, described.length, 'none is described twice');
  assert.deepEqual(described.filter((one) => !served.has(one)), [], 'described, but not served');
  const aliases = prefixed.flatMap((name) => operationsOf(name).map(({ method, path }) => nameOf({ method, path: `/${name}${path}` })));
  const langsmith = operationsOf('langsmith').filter(({ path }) => path.startsWith('/v2/')).flatMap(({ method, path }) => [`${method} /api${path}`, `${method} /langsmith/api${path}`]);
  const known = new Set([...described, ...aliases, ...langsmith]);
  assert.deepEqual(routes.filter((one) => !known.has(one)), [], 'served, but not described');
  assert.deepEqual([...aliases, ...langsmith].filter((one) => !served.has(one)), [], "also under the dialect's own prefix");
});

test('every reference leads somewhere and every schema compiles', () => {
  for (const name of dialects) {
    const ajv = addFormats(new Ajv({ strict: false, allErrors: true }));
    ajv.addSchema({ $id: name, ...documents[name] });
    for (const schema of Object.keys(documents[name].components.schemas)) {
      assert.ok(ajv.getSchema(`${name}#/components/schemas/${schema}`), `${name} ${schema}`);
    }
    for (const { method, path, operation } of operationsOf(name)) {
      const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, one]) => one);
      const given = (operation.parameters ?? []).filter((one) => one.in === 'path').map((one) => one.name);
      assert.deepEqual(given, wanted, `${method} ${path}`);
      assert.ok(Object.keys(operation.responses).length > 0, `${method} ${path}`);
    }
  }
});

/** Calls an operation and holds the answer against what the document says about its status. */
class Checker {
  constructor(name, headers) {
    this.name = name;
    this.headers = headers;
    this.seen = new Set();
    this.document = closed(documents[name]);
    this.ajv = addFormats(new Ajv({ strict: false, allErrors: true }));
    this.ajv.addSchema({ $id: name, ...this.document });
  }
  async call(method, template, { status, path = {}, query = '', json, headers = this.headers } = {}) {
    const target = template.replace(/\{(\w+)\}/g, (_, one) => encodeURIComponent(path[one] ?? 'x')) + query;
    const answer = await server.call(method, target, { json, headers });
    const place = `${method} ${target}: ${answer.status} ${JSON.stringify(answer.body)?.slice(0, 600)}`;
    if (status !== undefined) assert.equal(answer.status, status, place);
    let described = this.document.paths[template]?.[method.toLowerCase()]?.responses[answer.status];
    assert.ok(described, `not described: ${place}`);
    if (described.$ref) described = this.document.components.responses.Error;
    const schema = described.content?.['application/json']?.schema;
    if (schema !== undefined) {
      const valid = this.ajv.compile(this.absolute(schema));
      assert.ok(valid(answer.body), `${place}\n${JSON.stringify(valid.errors)}`);
    } else if (!described.content) {
      assert.equal(answer.body ?? '', '', place);
    }
    if (answer.status < 300) this.seen.add(`${method} ${template}`);
    return answer.body;
  }
  /** References within a schema that stands alone are the document's. */
  absolute(schema) {
    if (Array.isArray(schema)) return schema.map((one) => this.absolute(one));
    if (schema === null || typeof schema !== 'object') return schema;
    return Object.fromEntries(Object.entries(schema).map(([key, one]) => [key, key === '$ref' ? this.name + one : this.absolute(one)]));
  }
  /** Those with an answer in JSON that no call of the test has shown, but for the excused. */
  missing(excused) {
    return operationsOf(this.name)
      .filter(({ operation }) => Object.entries(operation.responses).some(([code, one]) => Number(code) < 300 && (one.content === undefined || 'application/json' in one.content)))
      .map(nameOf)
      .filter((one) => !this.seen.has(one) && !excused.includes(one));
  }
}
const bearer = () => ({ Authorization: `Bearer ${server.key}`, 'Content-Type': 'application/json' });
const apiKey = () => ({ 'X-API-Key': server.key, 'Content-Type': 'application/json' });

test('answers of the Klavis dialect fit', async () => {
  const check = new Checker('klavis', bearer());
  const one = '/sandbox/{server_name}/{sandbox_id}';
  const { sandbox_id, server_url: serverUrl } = await check.call('POST', '/sandbox/{server_name}', { path: { server_name: 'slack' }, json: { tags: { a: 'b' } }, status: 201 });
  await check.call('POST', '/mcp-server/list-tools', { json: { serverUrl, format: 'openai' }, status: 200 });
  await check.call('POST', '/mcp-server/list-tools', { json: {}, status: 422 });
  await check.call('POST', '/mcp-server/call-tool', { json: { serverUrl, toolName: 'slack_user_search_messages', toolArgs: { query: 'firmware' } }, status: 200 });
  await check.call('POST', '/mcp-server/call-tool', { json: { serverUrl: 'http://elsewhere.example/', toolName: 'x' }, status: 200 });
  await check.call('GET', '/mcp-server/tools/{server_name}', { path: { server_name: 'slack' }, status: 200 });
  const path = { server_name: 'slack', sandbox_id };
  await check.call('GET', '/sandbox', { status: 200 });
  await check.call('POST', '/sandbox/prepare', { status: 200 });
  await check.call('GET', one, { path, status: 200 });
  await check.call('POST', `${one}/reset`, { path, status: 200 });
  await check.call('POST', `${one}/initialize`, { path, query: '?init_default_data=true', status: 200 });
  await check.call('POST', `${one}/initialize`, { path, json: { channels: 5 }, status: 422 });
  await check.call('GET', `${one}/dump`, { path, status: 200 });
  await check.call('DELETE', one, { path, status: 200 });
  await check.call('GET', one, { path, status: 404 });
  await check.call('GET', '/sandbox', { headers: {}, status: 401 });
  await check.call('POST', '/sandbox/{server_name}', { path: { server_name: 'nothing' }, status: 422 });

  const local = '/local-sandbox/{local_sandbox_id}';
  const made = await check.call('POST', '/local-sandbox', { json: { server_names: ['filesystem', 'code-executor', 'localmemory'] }, status: 201 });
  const at = { path: { local_sandbox_id: made.local_sandbox_id } };
  await check.call('GET', '/local-sandbox', { status: 200 });
  await check.call('GET', local, { ...at, status: 200 });
  await check.call('POST', `${local}/reset`, { ...at, status: 200 });
  await check.call('POST', `${local}/initialize`, { ...at, status: 400 });
  await check.call('GET', `${local}/dump`, { ...at, status: 200 });
  const { upload_url } = await check.call('POST', `${local}/upload-url`, { ...at, status: 200 });
  const archive = await fetch((await check.call('GET', `${local}/dump`, at)).download_url).then((answer) => answer.arrayBuffer());
  assert.ok((await fetch(upload_url, { method: 'PUT', body: archive })).ok);
  await check.call('POST', `${local}/initialize`, { ...at, status: 200 });
  await check.call('POST', `${local}/memory-upload-url`, { ...at, json: {}, status: 200 });
  await check.call('POST', '/sandbox/local_memory/{local_sandbox_id}/upload-url', { ...at, json: {}, status: 200 });
  await check.call('DELETE', local, { ...at, status: 200 });
  // Executions need an archive of the vendor's shape: tests/e2e/local/executions.test.js.
  assert.deepEqual(check.missing(['execution-upload-url', 'execute', 'execution-status', 'execution-logs', 'export-artifacts'].map((name) => `${/status|logs/.test(name) ? 'GET' : 'POST'} ${local}/${name}`)), []);
});

test('answers of the E2B dialect fit', async () => {
  const check = new Checker('e2b', apiKey());
  const S = '/sandboxes/{id}', json = { templateID: 'base', timeout: 300 };
  const { sandboxID: id, templateID } = await check.call('POST', '/v2/sandboxes', { json, status: 201 });
  const other = await check.call('POST', '/sandboxes', { json, status: 201 });
  const path = { id };
  for (const list of ['/v2/sandboxes', '/sandboxes', '/snapshots', '/templates', '/v2/templates', '/secrets', '/api-keys']) await check.call('GET', list, { status: 200 });
  const [team] = await check.call('GET', '/teams', { status: 200 });
  await check.call('GET', S, { path, status: 200 });
  await check.call('GET', '/sandboxes/metrics', { query: `?sandbox_ids=${id}`, status: 200 });
  await check.call('GET', `${S}/metrics`, { path, status: 200 });
  await check.call('POST', '/v2/sandboxes/{id}/connect', { path, json: { timeout: 300 }, status: 200 });
  await check.call('POST', `${S}/connect`, { path, json: { timeout: 300 }, status: 200 });
  await check.call('POST', `${S}/timeout`, { path, json: { timeout: 300 }, status: 204 });
  await check.call('POST', `${S}/refreshes`, { path, json: { duration: 300 }, status: 204 });
  await check.call('PUT', `${S}/network`, { path, json: { denyOut: ['192.0.2.1'] }, status: 204 });
  await check.call('GET', S, { path, status: 200 });
  await check.call('POST', `${S}/fork`, { path, json: { count: 1, timeout: 60 }, status: 201 });
  const { snapshotID } = await check.call('POST', `${S}/snapshots`, { path, json: { name: 'kept' }, status: 201 });
  await check.call('GET', '/snapshots', { status: 200 });
  await check.call('GET', '/v2/sandboxes/{id}/logs', { path, status: 200 });
  await check.call('GET', `${S}/logs`, { path, status: 200 });
  await check.call('POST', `${S}/pause`, { path, json: {}, status: 204 });
  await check.call('POST', `${S}/resume`, { path, json: { timeout: 60 }, status: 201 });
  await check.call('GET', '/templates/{templateID}', { path: { templateID }, status: 200 });
  await check.call('GET', '/templates/{templateID}/tags', { path: { templateID: 'base' }, status: 200 });
  await check.call('GET', '/templates/aliases/{alias}', { path: { alias: 'base' }, status: 200 });
  await check.call('PATCH', '/templates/{templateID}', { path: { templateID: snapshotID }, json: { public: false }, status: 200 });
  await check.call('PATCH', '/v2/templates/{templateID}', { path: { templateID: snapshotID }, json: { public: false }, status: 200 });
  await check.call('GET', '/teams/{teamID}/metrics', { path: team, status: 200 });
  await check.call('GET', '/teams/{teamID}/metrics/max', { path: team, query: '?metric=concurrent_sandboxes', status: 200 });
  const secret = { path: { secretID: 'one' } };
  await check.call('POST', '/secrets', { json: { name: 'one', value: 'x' }, status: 201 });
  await check.call('GET', '/secrets', { status: 200 });
  await check.call('GET', '/secrets/{secretID}', { ...secret, status: 200 });
  await check.call('POST', '/secrets/{secretID}', { ...secret, json: { value: 'y' }, status: 200 });
  await check.call('DELETE', '/secrets/{secretID}', { ...secret, status: 204 });
  const key = await check.call('POST', '/api-keys', { json: { name: 'another' }, status: 201 });
  const apiKeyID = { path: { apiKeyID: key.id } };
  await check.call('PATCH', '/api-keys/{apiKeyID}', { ...apiKeyID, json: { name: 'other' }, status: 400 });
  await check.call('DELETE', '/api-keys/{apiKeyID}', { ...apiKeyID, status: 204 });
  await check.call('DELETE', S, { path, status: 204 });
  await check.call('DELETE', S, { path: { id: other.sandboxID }, status: 204 });
  await check.call('DELETE', S, { path, status: 404 });
  await check.call('GET', '/v2/sandboxes', { headers: {}, status: 401 });
  await check.call('DELETE', '/templates/{templateID}', { path: { templateID: snapshotID } });
  for (const { method, path: template, operation } of operationsOf('e2b').filter((one) => one.operation.operationId.startsWith('notAvailable'))) {
    assert.ok(operation);
    await check.call(method, template, { json: method === 'GET' ? undefined : {}, status: 400 });
  }
  assert.deepEqual(check.missing([]), []);
});

test('answers of the LangSmith dialect fit', async () => {
  const check = new Checker('langsmith', apiKey());
  const B = '/v2/sandboxes', X = `${B}/boxes/{name}`, path = { name: 'two' };
  const box = await check.call('POST', `${B}/boxes`, { json: { name: 'one', labels: { a: 'b' }, proxy_config: { access_control: { allow_list: ['*.debian.org'] } } }, status: 201 });
  for (const list of ['boxes', 'snapshots', 'registries', 'usage', 'usage/costs']) await check.call('GET', `${B}/${list}`, { status: 200 });
  await check.call('GET', X, { path: { name: 'one' }, status: 200 });
  await check.call('PATCH', X, { path: { name: 'one' }, json: { name: 'two' }, status: 200 });
  await check.call('GET', `${X}/status`, { path, status: 200 });
  await check.call('POST', `${X}/service-url`, { path, json: { port: 8000 }, status: 200 });
  await check.call('GET', `${X}/service-urls`, { path, status: 200 });
  await check.call('DELETE', `${X}/service-urls`, { path, query: '?port=8000', status: 204 });
  await check.call('POST', `${X}/download-url`, { path, json: { path: '/etc/hostname' }, status: 200 });
  await check.call('POST', `${B}/{sandbox}/execute`, { path: { sandbox: box.id }, json: { command: 'echo hello' }, status: 200 });
  await check.call('POST', `${X}/snapshot`, { path, json: { name: 'kept' }, status: 201 });
  await check.call('GET', `${B}/snapshots`, { status: 200 });
  await check.call('GET', `${B}/snapshots/{snapshot_ref}`, { path: { snapshot_ref: 'kept' }, status: 200 });
  await check.call('GET', `${B}/snapshots-by-name/{name}`, { path: { name: 'kept' }, status: 200 });
  await check.call('GET', `${B}/auth/sandbox-access`, { query: `?sandbox_id=${box.id}&action=exec`, status: 200 });
  await check.call('POST', `${X}/stop`, { path, status: 204 });
  await check.call('GET', X, { path, status: 200 });
  await check.call('POST', `${X}/start`, { path, status: 202 });
  const registry = { path: { name: 'reg' } };
  await check.call('POST', `${B}/registries`, { json: { name: 'reg', url: 'registry.example', username: 'u', password: 'p' }, status: 201 });
  await check.call('GET', `${B}/registries`, { status: 200 });
  await check.call('GET', `${B}/registries/{name}`, { ...registry, status: 200 });
  await check.call('PATCH', `${B}/registries/{name}`, { ...registry, json: { username: 'v' }, status: 200 });
  await check.call('DELETE', `${B}/registries/{name}`, { ...registry, status: 204 });
  await check.call('POST', '/api/v1/workspaces/current/secrets', { json: [{ key: 'A', value: 'b' }], status: 200 });
  await check.call('GET', '/api/v1/workspaces/current/secrets', { status: 200 });
  await check.call('DELETE', X, { path, status: 204 });
  await check.call('GET', X, { path, status: 404 });
  await check.call('GET', `${B}/boxes`, { headers: {} });
  await check.call('POST', `${B}/boxes/batch-delete`, { json: { names: ['two'] }, status: 200 });
  await check.call('DELETE', `${B}/snapshots/{snapshot_ref}`, { path: { snapshot_ref: 'kept' }, status: 204 });
  // An image needs a registry: tests/e2e/langsmith/snapshots.test.js.
  assert.deepEqual(check.missing([`POST ${B}/snapshots`]), []);
});

test('answers of the Recoup dialect fit', async () => {
  const check = new Checker('recoup', apiKey());
  const A = '/api/sandboxes';
  await check.call('GET', A, { status: 200 });
  await check.call('POST', A, { json: { command: 'uname', args: [] }, status: 200 });
  const { runId } = await check.call('POST', `${A}/setup`, { json: {}, status: 200 });
  await until(async () => (await check.call('GET', '/api/tasks/runs', { query: `?runId=${runId}`, status: 200 })).runs[0].finishedAt, 'the setup');
  await check.call('GET', '/api/tasks/runs', { status: 200 });
  const { runs } = await check.call('GET', '/api/tasks/runs', { query: '?limit=1', status: 200 });
  await check.call('GET', '/api/tasks/runs', { query: `?runId=${runs[0].id}`, status: 200 });
  await check.call('PATCH', A, { json: {}, status: 200 });
  await check.call('POST', `${A}/files`, { json: { files: [{ url: 'data:text/plain,hello', name: 'a.txt' }, { url: 'data:,x', name: '..' }] }, status: 200 });
  await check.call('GET', `${A}/file`, { query: '?path=a.txt', status: 200 });
  await check.call('GET', `${A}/file`, { query: '?path=none', status: 404 });
  await check.call('GET', A, { status: 200 });
  await check.call('GET', '/api/sandbox/status', { query: '?sessionId=none', status: 404 });
  await check.call('POST', `${A}/staged-file`, { json: {}, status: 501 });
  await check.call('GET', '/api/admins/sandboxes', { status: 501 });
  await check.call('GET', '/api/admins/sandboxes/orgs', { status: 501 });
  await check.call('DELETE', A, { json: {}, status: 200 });
  await check.call('GET', A, { headers: {}, status: 401 });
  // Sessions clone a repository from outside: tests/e2e/recoup/recoup.test.js.
  assert.deepEqual(check.missing(['POST /api/sandbox', 'GET /api/sandbox/status', 'GET /api/sandbox/reconnect']), []);
});

test("answers of Vivarium's own API fit", async () => {
  const check = new Checker('viv', bearer());
  const { sandbox_id: id, server_url } = await server.acquire('slack');
  const W = '/api/viv/worlds/{id}', path = { id };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slack_user_post_message', arguments: { channel_id: 'C01GENERAL', text: 'Hello' } } };
  const lease = new URL(server_url).search;
  await check.call('POST', '/mcp/{server}', { path: { server: 'slack' }, query: lease, json: call, headers: { 'Content-Type': 'application/json' }, status: 200 });
  await check.call('POST', '/{server}/mcp', { path: { server: 'slack' }, query: lease, json: call, headers: { 'Content-Type': 'application/json' }, status: 200 });
  await check.call('GET', W, { path, status: 200 });
  await check.call('GET', `${W}/diff`, { path, status: 200 });
  await check.call('POST', `${W}/verify`, { path, json: [{ sql: 'SELECT 1', equals: 1 }, { sql: 'SELECT 1', equals: 2 }], status: 200 });
  await check.call('POST', `${W}/fork`, { path, status: 201 });
  const saved = await check.call('GET', `${W}/dump`, { path, status: 200 });
  await check.call('POST', `${W}/load`, { path, json: saved, status: 200 });
  await check.call('POST', `${W}/load`, { path, json: {}, status: 400 });
  await check.call('PUT', `${W}/faults`, { path, json: { faults: [{ tool: '*', latency_ms: 1 }] }, status: 200 });
  await check.call('GET', `${W}/faults`, { path, status: 200 });
  await check.call('PUT', `${W}/clock`, { path, json: { mode: 'frozen', now: '2030-01-01T00:00:00Z' }, status: 200 });
  await check.call('GET', `${W}/clock`, { path, status: 200 });
  await check.call('GET', W, { path: { id: 'none' }, status: 404 });
  const mine = { path: { account: 'me' } };
  await check.call('GET', '/api/viv/accounts/{account}/limits', { ...mine, status: 200 });
  await check.call('PATCH', '/api/viv/accounts/{account}/limits', { ...mine, json: { cpus: 1000.5, worlds: 100000 }, status: 200 });
  await check.call('PATCH', '/api/viv/accounts/{account}/limits', { ...mine, json: { worlds: -1 }, status: 400 });
  await check.call('GET', '/api/viv/accounts/{account}/usage', { ...mine, status: 200 });
  await check.call('DELETE', '/api/viv/accounts/{account}/limits', { ...mine, status: 200 });
  await check.call('GET', '/api/viv/accounts/{account}/limits', { path: { account: 'nobody' }, status: 404 });
  const key = await check.call('POST', '/api/viv/keys', { json: { name: 'one' }, status: 201 });
  const fresh = await check.call('POST', '/api/viv/keys/{id}/rotate', { path: { id: key.id }, status: 201 });
  await check.call('GET', '/api/viv/keys', { status: 200 });
  await check.call('DELETE', '/api/viv/keys/{id}', { path: { id: fresh.id }, status: 204 });
  await check.call('POST', '/api/viv/organizations', { json: { name: 'research' }, status: 201 });
  await check.call('GET', '/api/viv/organizations', { status: 200 });
  await check.call('POST', '/api/viv/accounts', { json: { name: 'alice' }, status: 201 });
  await check.call('GET', '/api/viv/accounts', { status: 200 });
  await check.call('POST', '/api/viv/organizations/{organization}/accounts', { path: { organization: 'research' }, json: { account: 'alice' }, status: 200 });
  for (const list of ['sandboxes', 'apps', 'routes']) await check.call('GET', `/api/viv/${list}`, { status: 200 });
  const box = await server.call('POST', '/v2/sandboxes', { json: { templateID: 'base' } });
  await check.call('GET', '/api/viv/boxes/{id}/egress', { path: { id: box.body.sandboxID }, status: 200 });
  await check.call('GET', '/api/viv/boxes', { status: 200 });
  await check.call('DELETE', '/api/viv/boxes', { status: 200 });
  for (const open of ['/openapi', '/healthz', '/readyz', '/.well-known/jwks.json']) await check.call('GET', open, { headers: {}, status: 200 });
  await check.call('GET', '/openapi/{document}', { path: { document: 'viv.json' }, headers: {}, status: 200 });
  await check.call('GET', '/api/viv/keys', { headers: {}, status: 401 });
  await check.call('DELETE', '/api/viv/templates/{name}', { path: { name: 'none' }, status: 404 });
  // Other transports and paths of MCP, archives and builds have tests of their own.
  const excused = operationsOf('viv').map(nameOf).filter((one) => /\/mcp|\/sse|\/messages|\/blobs|templates/.test(one));
  assert.deepEqual(check.missing(excused), []);
});
