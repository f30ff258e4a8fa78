// The command line as a newcomer uses it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Server, program } from '../support/server.js';

let server;
before(async () => (server = await Server.start()));
after(() => server.stop());

const viv = (args, env = {}) =>
  new Promise((done) =>
    execFile(program, args, { env: { ...process.env, VIV_API_KEY: '', ...env } }, (error, out, err) => done({ code: error?.code ?? 0, out, err })));
const remote = () => ['--url', server.url, '--data', server.data];

test('every command explains itself with an example', async () => {
  for (const command of [[], ['serve'], ['doctor'], ['ls'], ['key'], ['key', 'create'], ['key', 'list'], ['key', 'revoke'], ['apps'], ['apps', 'ls'], ['apps', 'test']]) {
    const { code, out } = await viv([...command, '--help']);
    assert.equal(code, 0);
    assert.match(out, /Example/, command.join(' '));
  }
  assert.notEqual((await viv(['nonsense'])).code, 0);
});

test('doctor finds this machine ready', async () => {
  const { code, out } = await viv(['doctor', '--data', server.data]);
  assert.equal(code, 0, out);
  assert.match(out, /This machine is ready/);
  assert.match(out, /network of boxes +TCP and DNS are redirected to the server/);
  const sick = await viv(['doctor', '--data', '/proc/nowhere']);
  assert.equal(sick.code, 1);
  assert.match(sick.out, /choose another with --data/);
});

test('keys are made, listed and revoked', async () => {
  const made = await viv(['key', 'create', '--name', 'from the test', ...remote()]);
  const key = made.out.trim();
  assert.match(key, /^e2b_[0-9a-f]{40}$/);
  const listed = await viv(['key', 'list', ...remote()]);
  assert.match(listed.out, /from the test/);
  assert.equal(listed.out.includes(key), false);
  const id = listed.out.split('\n').find((line) => line.includes('from the test')).split(' ')[0];
  assert.equal((await viv(['ls', '--url', server.url, '--key', key])).code, 0);
  assert.equal((await viv(['key', 'revoke', id, ...remote()])).code, 0);
  const refused = await viv(['ls', '--url', server.url, '--key', key]);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /not valid/);
});

test('ls shows what is held, and says what to do when nobody answers', async () => {
  const { sandbox_id } = await server.acquire('jira');
  assert.match((await viv(['ls', '--server', 'jira', ...remote()])).out, new RegExp(sandbox_id));
  const nobody = await viv(['ls', '--url', 'http://127.0.0.1:1', '--data', server.data]);
  assert.equal(nobody.code, 1);
  assert.match(nobody.err, /start one with `viv serve`/);
});

test('apps are listed and tested', async () => {
  assert.match((await viv(['apps', 'ls'])).out, /slack +Slack/);
  const tested = await viv(['apps', 'test', 'calculator']);
  assert.equal(tested.code, 0);
  assert.match(tested.out, /\d+ passed, 0 failed/);
  assert.equal((await viv(['apps', 'test', 'nothing'])).code, 1);
});

test('serve refuses what would be a mistake', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'viv-cli-'));
  const fails = async (args, pattern) => {
    const { code, err } = await viv(['serve', '--data', join(folder, 'data'), ...args]);
    assert.equal(code, 1);
    assert.match(err, pattern);
  };
  await fails(['--listen', '0.0.0.0:0'], /choose the key yourself/);
  await fails(['--listen', 'nonsense'], /HOST:PORT is expected/);
  await fails(['--listen', server.address], /listen on/);
  await fails(['--tls-key', 'x.pem'], /TLS needs both/);
  writeFileSync(join(folder, 'viv.yaml'), 'listen: 127.0.0.1:0\nlissen: 5\n');
  await fails(['--config', join(folder, 'viv.yaml')], /viv\.yaml:2: unknown setting 'lissen'/);
  const { code, err } = await viv(['serve', '--listen', '127.0.0.1:0', '--data', server.data]);
  assert.equal(code, 1);
  assert.match(err, /in use by another/);
  rmSync(folder, { recursive: true });
});
