// The LangSmith SDK on a server of ours with boxes, and what its tests have in common.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { SandboxClient } from 'langsmith/sandbox';
import { atEnd } from './e2b.js';
import { Server } from './server.js';

/** The SDK's client, bound to the server as the account of `key`. */
export const clientOf = (server, { key = server.key, prefix = '/v2/sandboxes', ...options } = {}) =>
  new SandboxClient({ apiEndpoint: server.url + prefix, apiKey: key, ...options });

/** Another account: its key, and the SDK's client with it. */
export async function makeAccount(server, name) {
  const { status, body } = await server.call('POST', '/api/viv/accounts', { json: { name } });
  assert.equal(status, 201, JSON.stringify(body));
  return { id: body.id, key: body.key, client: clientOf(server, { key: body.key }) };
}

/**
 * Starts one server for the test file it is called in. Each test makes its sandboxes with `create(t, …)`, which
 * removes them when the test ends.
 */
export function withSandboxes(options = {}) {
  const host = {
    async create(t, ...args) {
      return host.keep(t, await host.client.createSandbox(...args));
    },
    /** Removes a sandbox, which something else made, when the test ends; by its id, for names change. */
    keep(t, sandbox) {
      atEnd(t, () => host.call('DELETE', `/boxes/${sandbox.id}`));
      return sandbox;
    },
    /** A raw call below /v2/sandboxes: { status, body, headers }. */
    call(method, path, json, { key = host.server.key, prefix = '/v2/sandboxes', headers = {}, raw } = {}) {
      const own = { 'Content-Type': 'application/json', ...(key ? { 'X-Api-Key': key } : {}), ...headers };
      return host.server.call(method, prefix + path, { json, raw, headers: own });
    },
    /** A call that must fail: with this status, and this type unless it is a wrong field. */
    async refused(status, type, method, path, json, more) {
      const answer = await host.call(method, path, json, more);
      const said = `${method} ${path} ${JSON.stringify(json)}: ${answer.status} ${JSON.stringify(answer.body)}`;
      assert.equal(answer.status, status, said);
      if (type) assert.equal(answer.body.detail.error, type, said);
      return answer.body.detail;
    },
  };
  before(async () => {
    host.server = await Server.start({ boxes: true, ...options });
    host.client = clientOf(host.server);
  });
  after(() => host.server?.stop());
  return host;
}
