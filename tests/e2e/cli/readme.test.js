// Every example of README.md runs as it stands.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Examples, blocksOf } from '../support/documents.js';
import { startOrigins } from '../support/origins.js';
import { Server } from '../support/server.js';

const blocks = blocksOf('README.md');
const folder = mkdtempSync(join(tmpdir(), 'viv-readme-'));
const data = join(folder, '.local/share/vivarium');
let server, examples, origins;

before(async () => {
  mkdirSync(data, { recursive: true });
  origins = await startOrigins({ names: ['api.openai.com'], addresses: { 'api.openai.com': (await import('../support/resolver.js')).outside } });
  // The operator's servers are those of the README, so that its yaml is read, too.
  const servers = join(folder, 'servers.yaml');
  writeFileSync(servers, blocks.find((one) => one.language === 'yaml').text);
  server = await Server.start({ data, boxes: true, args: ['--builtin-apps', join(import.meta.dirname, '../../../apps'), '--servers', servers, ...origins.serverArgs] });
  examples = new Examples(server, folder);
});
after(async () => {
  await server?.stop();
  await origins?.stop();
  rmSync(folder, { recursive: true, force: true });
});

// What an example must have done, by a piece of it. Those that have no line here only have to end well.
const expected = [
  ['slack_user_search_messages', ({ out }) => assert.match(out, /"result"/)],
  ['KlavisClient', ({ out }) => assert.match(out, /Hello/)],
  ['createSnapshot', ({ out }) => assert.match(out, /^42$/m)],
  ['SandboxClient', ({ out }) => assert.match(out, /^42$/m)],
  ['/api/sandboxes', ({ out }) => assert.match(out, /"status": ?"success"/)],
  ['/local-sandbox', ({ out }) => assert.deepEqual(JSON.parse(out).servers.map((one) => one.mcp_server_name ?? one.server_name ?? one.name).length, 3)],
];

const skipped = (block) => {
  if (/^make /m.test(block.text)) return 'it builds and starts the server, which this test has done';
  if (block.language === 'yaml') return 'the server was started with it';
  return false;
};

for (const block of blocks) {
  test(`the example at line ${block.line}`, async (context) => {
    const why = skipped(block);
    if (why) return context.diagnostic(why);
    assert.ok(['sh', 'js'].includes(block.language), `nobody runs ${block.language}`);
    // Outside hosts are this machine's: the name stays, the port is that of a local origin.
    const text = block.text.replaceAll('https://api.openai.com/', `https://api.openai.com:${origins.port.tls}/`);
    const result = block.language === 'sh' ? await examples.shell(text) : await examples.javascript(text, { OPENAI_API_KEY: 'sk-canary' });
    assert.equal(result.code, 0, `${block.text}\n${result.out}${result.err}`);
    for (const [piece, check] of expected) if (block.text.includes(piece)) check(result);
    if (block.text.includes('api.openai.com') && !origins.skip) {
      assert.equal(origins.last('/v1/models').headers.authorization, 'Bearer sk-canary', 'the origin got the secret');
    }
  });
}

test('nothing of the README is left out', () => {
  assert.ok(blocks.filter((one) => one.language === 'js').length >= 4);
  assert.ok(blocks.filter((one) => one.language === 'sh').length >= 4);
});
