// Organizations and accounts from the command line, as the operator of a server uses them.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { Server, program } from '../support/server.js';

let server;
before(async () => (server = await Server.start({ args: ['--builtin-apps', ''] })));
after(() => server.stop());

const viv = (args, env = {}) =>
  new Promise((done) =>
    execFile(program, args, { env: { ...process.env, VIV_API_KEY: '', ...env } }, (error, out, err) => done({ code: error?.code ?? 0, out, err })));
const run = (...args) => viv([...args, '--url', server.url, '--data', server.data]);
const as = (key, ...args) => viv([...args, '--url', server.url, '--key', key]);

test('every command explains itself with an example', async () => {
  for (const group of ['org', 'account']) {
    for (const command of [[group], [group, 'create'], [group, 'ls'], [group, 'add']]) {
      const { code, out } = await viv([...command, '--help']);
      assert.equal(code, 0);
      assert.match(out, /Example/, command.join(' '));
    }
    assert.notEqual((await viv([group])).code, 0);
    assert.notEqual((await viv([group, 'create'])).code, 0, 'a name is needed');
  }
});

test('an account is made in an organization and has a key that works', async () => {
  const org = await run('org', 'create', 'research');
  assert.equal(org.code, 0, org.err);
  assert.match(org.out.trim(), /^[0-9a-f-]{36}$/);
  const made = await run('account', 'create', 'alice', '--org', 'research');
  assert.equal(made.code, 0, made.err);
  const key = made.out.trim();
  assert.match(key, /^e2b_[0-9a-f]{40}$/);
  assert.match(made.err, /only time/);
  assert.equal((await as(key, 'key', 'list')).code, 0);
  const listed = await run('account', 'ls');
  assert.match(listed.out, /alice +research/);
  assert.match(listed.out, /default +default/);
  assert.equal(listed.out.includes(key), false);
  assert.match((await run('org', 'ls')).out, /research +1 /);
});

test('an account moves by name and by id, from either side', async () => {
  assert.equal((await run('org', 'create', 'one')).code, 0);
  const two = (await run('org', 'create', 'two')).out.trim();
  assert.equal((await run('account', 'create', 'mover', '--org', 'one')).code, 0);
  assert.equal((await run('org', 'add', 'two', 'mover')).code, 0);
  assert.match((await run('account', 'ls')).out, /mover +two/);
  assert.equal((await run('account', 'add', 'mover', '--org', 'one')).code, 0);
  const line = (await run('account', 'ls')).out.split('\n').find((it) => it.includes('mover'));
  assert.match(line, /mover +one/);
  assert.equal((await run('account', 'add', line.split(' ')[0], '--org', two)).code, 0);
  assert.match((await run('account', 'ls')).out, /mover +two/);
});

test('keys are made for other accounts by the operator only', async () => {
  const first = (await run('account', 'create', 'keyholder')).out.trim();
  const second = await run('key', 'create', '--account', 'keyholder', '--name', 'second');
  assert.equal(second.code, 0, second.err);
  assert.match((await as(second.out.trim(), 'key', 'list')).out, /second/);
  assert.match((await as(first, 'key', 'list')).out, /second/);
  const refused = await as(first, 'key', 'create', '--account', 'default');
  assert.equal(refused.code, 1);
  assert.match(refused.err, /the operator/);
  const nobody = await run('key', 'create', '--account', 'nobody');
  assert.equal(nobody.code, 1);
  assert.match(nobody.err, /no account 'nobody'/);
});

test('mistakes are refused with what would be right', async () => {
  const fails = async (pattern, ...args) => {
    const { code, err } = await run(...args);
    assert.equal(code, 1, args.join(' '));
    assert.match(err, pattern);
  };
  assert.equal((await run('org', 'create', 'taken')).code, 0);
  assert.equal((await run('account', 'create', 'taken', '--org', 'taken')).code, 0);
  await fails(/already/, 'org', 'create', 'taken');
  await fails(/already/, 'account', 'create', 'taken');
  await fails(/letters, digits/, 'org', 'create', 'a/b');
  await fails(/letters, digits/, 'account', 'create', '../x');
  await fails(/must not look like an id/, 'account', 'create', '0f8fad5b-d9cb-469f-a165-70867728950e');
  await fails(/no organization 'nowhere'/, 'account', 'create', 'x', '--org', 'nowhere');
  await fails(/no organization 'nowhere'/, 'org', 'add', 'nowhere', 'taken');
  await fails(/no account 'nobody'/, 'org', 'add', 'taken', 'nobody');
  await fails(/operator/, 'org', 'add', 'taken', 'default');
});

test('others than the operator see and change nothing', async () => {
  const key = (await run('account', 'create', 'outsider')).out.trim();
  for (const command of [['org', 'ls'], ['org', 'create', 'mine'], ['org', 'add', 'default', 'outsider'], ['account', 'ls'], ['account', 'create', 'mine']]) {
    const { code, err } = await as(key, ...command);
    assert.equal(code, 1);
    assert.match(err, /the operator/);
  }
  const headers = { Authorization: `Bearer ${key}` };
  for (const [method, path] of [['GET', '/api/viv/organizations'], ['POST', '/api/viv/organizations'], ['GET', '/api/viv/accounts'], ['POST', '/api/viv/accounts'], ['POST', '/api/viv/organizations/default/accounts']]) {
    assert.equal((await server.call(method, path, { headers })).status, 403, `${method} ${path}`);
    assert.equal((await server.call(method, path, { headers: {} })).status, 401, `${method} ${path}`);
  }
});

test('broken requests are answered with what is expected', async () => {
  const status = async (path, raw) => (await server.call('POST', path, { raw })).status;
  for (const path of ['/api/viv/organizations', '/api/viv/accounts', '/api/viv/organizations/default/accounts']) {
    for (const raw of ['', '{', '[]', '{"name": 5, "account": 5}', '{}']) assert.equal(await status(path, raw), 400, `${path} ${raw}`);
  }
  assert.equal(await status('/api/viv/keys', '{"account": 5}'), 400);
});

test('accounts survive a restart', async () => {
  assert.equal((await run('org', 'create', 'lasting')).code, 0);
  const key = (await run('account', 'create', 'survivor')).out.trim();
  assert.equal((await run('org', 'add', 'lasting', 'survivor')).code, 0);
  await server.crashAndRestart();
  assert.match((await run('account', 'ls')).out, /survivor +lasting/);
  assert.equal((await as(key, 'key', 'list')).code, 0);
});
