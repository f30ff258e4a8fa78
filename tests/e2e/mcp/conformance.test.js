// The official MCP conformance suite in server mode. Scenarios that cannot apply to a server of tools are listed with the reason.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Server } from '../support/server.js';

const here = dirname(fileURLToPath(import.meta.url));
const suite = join(here, '../node_modules/@modelcontextprotocol/conformance/dist/index.js');

const applies = [
  'server-initialize', 'logging-set-level', 'ping', 'tools-list', 'tools-call-simple-text', 'tools-call-image', 'tools-call-audio',
  'tools-call-embedded-resource', 'tools-call-mixed-content', 'tools-call-with-logging', 'tools-call-error', 'tools-call-with-progress',
  'json-schema-2020-12', 'server-sse-multiple-streams', 'dns-rebinding-protection',
];
const doesNotApply = {
  'completion-complete': 'there are no prompts or resources whose arguments could be completed',
  'tools-call-sampling': 'simulated apps never ask the client for a model',
  'tools-call-elicitation': 'simulated apps never ask the user',
  'elicitation-sep1034-defaults': 'likewise',
  'elicitation-sep1330-enums': 'likewise',
  'server-sse-polling': 'calls are answered at once, so there is no stream to come back to',
  'resources-list': 'a server of tools has no resources',
  'resources-read-text': 'likewise',
  'resources-read-binary': 'likewise',
  'resources-templates-read': 'likewise',
  'resources-subscribe': 'likewise',
  'resources-unsubscribe': 'likewise',
  'prompts-list': 'a server of tools has no prompts',
  'prompts-get-simple': 'likewise',
  'prompts-get-with-args': 'likewise',
  'prompts-get-embedded-resource': 'likewise',
  'prompts-get-with-image': 'likewise',
};

// The suite itself needs node 22; tests/e2e/run brings one.
const skip = Number(process.versions.node.split('.')[0]) < 22 ? 'the suite needs node 22' : false;

let server, url;
before(async () => {
  server = await Server.start({ args: ['--apps', join(here, '../apps')] });
  url = (await server.acquire('conformance')).server_url;
});
after(() => server.stop());

const run = (args) =>
  new Promise((done) => execFile(process.execPath, [suite, ...args], { encoding: 'utf8' }, (error, out, err) => done({ code: error?.code ?? 0, text: out + err })));

test('every scenario of the suite is accounted for', { skip }, async () => {
  const { text } = await run(['list']);
  const listed = [...text.split('Client scenarios')[0].matchAll(/^ {2}- (\S+)/gm)].map((match) => match[1]);
  assert.deepEqual(listed.filter((name) => !applies.includes(name) && !(name in doesNotApply)), []);
});

for (const scenario of applies) {
  test(`conformance: ${scenario}`, { skip }, async () => {
    const { code, text } = await run(['server', '--url', url, '--scenario', scenario]);
    assert.equal(code, 0, text.slice(-3000));
  });
}
