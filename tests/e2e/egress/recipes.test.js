// The recipes of docs/egress.md, run as they stand there, but for the addresses.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '../support/e2b.js';
import { withSandboxes } from '../support/langsmith.js';
import { freePort } from '../support/nginx.js';
import { startOrigins } from '../support/origins.js';

const origins = await startOrigins();
after(() => origins.stop());
const host = withSandboxes({ args: origins.serverArgs });
const { skip, port } = origins;

const here = dirname(fileURLToPath(import.meta.url));
const recipes = readFileSync(join(here, '../../../docs/egress.md'), 'utf8').match(/(?<=```js\n)[^]*?(?=```)/g);

/** A recipe as a program of its own: {said(), ended, stop}. */
function start(t, recipe, changes, env = {}) {
  let text = recipe;
  for (const [from, to] of changes) {
    assert.ok(text.includes(from), `the recipe has no ${from}`);
    text = text.replaceAll(from, to);
  }
  const folder = mkdtempSync(join(tmpdir(), 'viv-recipe-'));
  symlinkSync(join(here, '../node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'recipe.mjs'), text);
  const child = spawn(process.execPath, [join(folder, 'recipe.mjs')], { env: { ...process.env, KEY: host.server.key, ...env } });
  t.after(() => {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
  const ended = new Promise((done) => child.on('close', (code) => done({ code, said })));
  return { ended, said: () => said };
}

test('E2B: a secret by its name', { skip }, async (t) => {
  const changes = [['http://127.0.0.1:7373', host.server.url], ['https://api.stripe.com', `https://api.test:${port.tls}`], ['api.stripe.com', 'api.test'], ['sk_live_51H8…', 'sk_live_1']];
  const { code, said } = await start(t, recipes[0], changes).ended;
  assert.equal(code, 0, said);
  assert.equal(JSON.parse(said).headers.authorization, 'Bearer sk_live_1');
});

test('LangSmith: a write-only header and a list', { skip }, async (t) => {
  const changes = [['http://127.0.0.1:7373', host.server.url], ['https://api.github.com', `https://api.test:${port.tls}`], ['api.github.com', 'api.test'], ['ghp_…', 'ghp_1']];
  const { code, said } = await start(t, recipes[1], changes).ended;
  assert.equal(code, 0, said);
  assert.equal(JSON.parse(said).headers.authorization, 'Bearer ghp_1');
});

test('a callback server that believes nobody but us', { skip }, async (t) => {
  const at = await freePort(origins.address);
  const url = `http://${origins.address}:${at}/headers`;
  const server = start(t, recipes[2], [], { VIVARIUM: host.server.url, URL_HERE: url, PORT: String(at) });
  await until(() => fetch(url, { method: 'POST', body: '{}' }).then((answer) => answer.status === 401, () => false), 'the callback server');
  const box = await host.create(t, { proxyConfig: { callbacks: [{ match_hosts: ['api.test'], url, ttl_seconds: 60 }] } });
  const { stdout } = await box.run(`curl -sS https://api.test:${port.tls}/who`);
  assert.match(JSON.parse(stdout).headers.authorization, /^Bearer key-of-[0-9a-f-]{36}-for-api\.test$/, server.said());
  // A token of ours for another body, or of somebody else, is not believed.
  const forged = `${Buffer.from('{"alg":"none","kid":"x"}').toString('base64url')}.${Buffer.from(JSON.stringify({ aud: url, exp: 9e9 })).toString('base64url')}.`;
  assert.equal((await fetch(url, { method: 'POST', body: '{}', headers: { 'X-LangSmith-Signature-JWT': forged } })).status, 401);
});
