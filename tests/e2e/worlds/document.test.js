// Every example of docs/worlds.md runs as it stands, one after the other in one shell.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Examples, blocksOf } from '../support/documents.js';
import { Server } from '../support/server.js';

const folder = mkdtempSync(join(tmpdir(), 'viv-worlds-'));
const data = join(folder, '.local/share/vivarium');
let server;
before(async () => {
  mkdirSync(data, { recursive: true });
  server = await Server.start({ data });
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('the examples of docs/worlds.md run', async () => {
  const blocks = blocksOf('docs/worlds.md');
  for (const one of blocks) assert.ok(['sh', 'json'].includes(one.language), `line ${one.line}: nobody runs ${one.language}`);
  const shell = blocks.filter((one) => one.language === 'sh');
  const text = shell.map((one) => `echo "## line ${one.line}"\n${one.text}`).join('\n');
  const { code, out, err } = await new Examples(server, folder).shell(text);
  assert.equal(code, 0, `${out.slice(-2000)}\n${err}`);
  assert.match(out, /^\+ message .*Deploy at noon/m);
  assert.equal((out.match(/^pass {2}/gm) ?? []).length, 9, 'every form of expectation');
  assert.match(out, /the first call fails, as told/);
  assert.match(out, /^2030-01-01T00:00:00/m);
  assert.match(out, /^ {2}channel_id +TEXT/m);
  assert.equal((await server.call('GET', '/api/viv/sandboxes')).body.total, 1, 'all but the one by curl were given back');
});

test('the answers that it shows have the shape that is served', async () => {
  const [shown] = blocksOf('docs/worlds.md').filter((one) => one.language === 'json').map((one) => JSON.parse(one.text));
  const { sandbox_id } = await server.acquire('slack');
  const { body } = await server.call('GET', `/api/viv/worlds/${sandbox_id}/diff`);
  assert.deepEqual(Object.keys(body).sort(), Object.keys(shown).sort());
  assert.deepEqual(Object.keys(body.summary).sort(), Object.keys(shown.summary).sort());
});
