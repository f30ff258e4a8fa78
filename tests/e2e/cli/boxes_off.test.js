// A server without boxes: every operation that needs them says how to turn them on, in the shape that its clients understand.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ServiceBusyError } from 'e2b';
import { LangSmithSandboxCreationError, LangSmithSandboxError } from 'langsmith/sandbox';
import { rejection, sdkOf } from '../support/e2b.js';
import { clientOf } from '../support/langsmith.js';
import { Server } from '../support/server.js';

const why = 'boxes are off: start the server with --boxes on';
let server;
before(async () => {
  server = await Server.start({ args: ['--builtin-apps', ''] });
});
after(() => server.stop());

/** What an error body of each dialect says. */
const messageIn = {
  e2b: (body, status) => (body.code === status ? body.message : undefined),
  langsmith: (body) => body.detail?.message,
  recoup: (body) => (body.status === 'error' ? body.error : undefined),
};

test("E2B's client gets the class of a service that is not there, with what to do", async () => {
  const { Sandbox } = sdkOf(server, { retries: 0 });
  for (const call of [() => Sandbox.create(), () => Sandbox.kill('i0123456789abcdefghij'), () => Sandbox.list().nextItems()]) {
    const error = await rejection(call(), ServiceBusyError);
    assert.ok(error.message.includes(why), error.message);
  }
});

test("LangSmith's client gets its own classes, with what to do", async () => {
  const client = clientOf(server, { maxRetries: 0 });
  assert.equal((await rejection(client.createSandbox(), LangSmithSandboxCreationError)).message, why);
  assert.equal((await rejection(client.listSandboxes(), LangSmithSandboxError)).message, why);
  assert.equal((await rejection(client.listSnapshots(), LangSmithSandboxError)).message, why);
});

for (const dialect of Object.keys(messageIn)) {
  test(`every operation of ${dialect}'s document says how to turn boxes on`, async () => {
    const { body: document } = await server.call('GET', `/openapi/${dialect}.json`);
    for (const [path, item] of Object.entries(document.paths)) {
      if (path.startsWith('/git/')) continue; // git shows a text
      for (const name of Object.keys(item)) {
        const method = name.toUpperCase();
        if (method === 'OPTIONS' || method === 'HEAD') continue;
        for (const prefix of ['', `/${dialect}`]) {
          const target = prefix + path.replaceAll(/\{[^}]*\}/g, 'x');
          const { status, body } = await server.call(method, target, method === 'GET' ? {} : { json: {} });
          assert.equal(status, 503, `${method} ${target}`);
          assert.equal(messageIn[dialect](body, status), why, `${method} ${target}: ${JSON.stringify(body)}`);
        }
      }
    }
  });
}

test('a wrong method and an unknown path are answered in the shape of the dialect, too', async () => {
  for (const [dialect, method, path, status] of [
    ['e2b', 'PUT', '/v2/sandboxes', 405],
    ['e2b', 'GET', '/e2b/nothing', 404],
    ['e2b', 'GET', '/sandboxes/x/nothing', 404],
    ['langsmith', 'PUT', '/v2/sandboxes/boxes/x', 405],
    ['langsmith', 'GET', '/langsmith/nothing', 404],
    ['langsmith', 'GET', '/v2/sandboxes/boxes/x/y/z', 404],
    ['recoup', 'PUT', '/api/sandboxes', 405],
    ['recoup', 'GET', '/api/tasks/nothing', 404],
  ]) {
    const response = await server.call(method, path);
    assert.equal(response.status, status, `${method} ${path}`);
    assert.ok(messageIn[dialect](response.body, status), `${method} ${path}: ${JSON.stringify(response.body)}`);
    if (status === 405) assert.ok(response.headers.get('allow'), `${method} ${path} has Allow`);
  }
});

test('what is for a box, and git, are told the same', async () => {
  const toBox = await server.call('GET', '/files', { headers: { 'E2b-Sandbox-Id': 'i0123456789abcdefghij' } });
  assert.deepEqual([toBox.status, toBox.body], [503, { code: 503, message: why }]);
  const toService = await server.call('GET', '/_svc/00000000-0000-4000-8000-000000000000/80/');
  assert.deepEqual([toService.status, toService.body.detail.message], [503, why]);
  const git = await server.call('GET', '/git/default.git/info/refs?service=git-upload-pack');
  assert.deepEqual([git.status, git.body], [503, `${why}\n`]);
  for (const [method, path] of [['GET', '/api/viv/boxes'], ['POST', '/api/viv/templates'], ['DELETE', '/api/viv/templates/x']]) {
    const own = await server.call(method, path, method === 'POST' ? { json: {} } : {});
    assert.deepEqual([own.status, own.body], [503, { error: { code: 'unavailable', message: why } }], `${method} ${path}`);
  }
  const local = await server.call('POST', '/local-sandbox', { json: {} });
  assert.deepEqual([local.status, local.body], [503, { detail: why }]);
});
