// What a newcomer types in the first minutes: flags and variables, help, wrong words, keys, lists for programs, completion.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Server, program, projectVersion } from '../support/server.js';

let server;
let folder;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'viv-minutes-'));
  server = await Server.start();
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const clean = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VIV_')));
const run = (file, args, { env = {}, input = '', cwd = folder } = {}) =>
  new Promise((done) => {
    const child = execFile(file, args, { cwd, env: { ...clean(), ...env }, maxBuffer: 1 << 26 }, (error, out, err) => done({ code: error ? (error.code ?? 1) : 0, out, err }));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
const viv = (args, options) => run(program, args, options);
const remote = (of = server) => ['--url', of.url, '--data', of.data];
const good = async (args, options) => {
  const { code, out, err } = await viv(args, options);
  assert.equal(code, 0, `viv ${args.join(' ')}: ${err}${out}`);
  return out;
};

test('flags win over the environment, and that over vivarium.yaml, for every command', async () => {
  const other = await Server.start();
  try {
    const { sandbox_id: here } = await server.acquire('calculator');
    const { sandbox_id: there } = await other.acquire('calculator');
    const env = { VIV_URL: other.url, VIV_DATA: other.data };
    assert.ok((await good(['ls'], { env })).includes(there), 'variables alone');
    const both = await good(['ls', ...remote()], { env });
    assert.ok(both.includes(here) && !both.includes(there), '--url and --data');
    const keyed = await good(['ls', '--url', server.url, '--key', server.key], { env: { ...env, VIV_API_KEY: other.key } });
    assert.ok(keyed.includes(here), '--key');
    writeFileSync(join(folder, 'vivarium.yaml'), `url: ${server.url}\ndata: ${server.data}\n`);
    assert.ok((await good(['ls'])).includes(here), 'the file alone');
    assert.ok((await good(['ls'], { env })).includes(there), 'a variable over the file');
    assert.ok((await good(['key', 'ls', ...remote(other)], {})).includes('valid'));
  } finally {
    rmSync(join(folder, 'vivarium.yaml'), { force: true });
    await other.stop();
  }
});

test('serve takes the flag where a variable says something else', async () => {
  const data = join(folder, 'by-flag');
  const own = await Server.start({ data, env: { VIV_DATA: join(folder, 'by-variable'), VIV_LISTEN: '127.0.0.1:1', VIV_LOG_LEVEL: 'info', VIV_BOXES: 'on' } });
  assert.equal(await own.stop().then(({ code }) => code), 0);
  assert.ok(statSync(join(data, 'viv.db')));
  assert.throws(() => statSync(join(folder, 'by-variable')));
  const bad = await viv(['serve', '--data', data], { env: { VIV_LOG_LEVEL: 'loud' } });
  assert.equal(bad.code, 1);
  assert.match(bad.err, /VIV_LOG_LEVEL: .*'loud'/);
});

test('viv alone shows help; a wrong word is named, with the one that was meant', async () => {
  const bare = await viv([]);
  assert.equal(bare.code, 0);
  assert.match(bare.out, /Usage: viv/);
  const group = await viv(['key']);
  assert.equal(group.code, 2, 'a command is missing');
  assert.match(group.out, /rotate/);
  for (const [words, pattern] of [
    [['serv'], /'viv' has no command 'serv'; did you mean 'serve'\?/],
    [['key', 'lst'], /'viv key' has no command 'lst'; did you mean 'ls'\?/],
    [['world', 'aquire', 'slack'], /did you mean 'acquire'\?/],
    [['ls', '--jsn'], /'viv ls' has no option '--jsn'; did you mean '--json'\?/],
    [['qqqqqq'], /'viv' has no command 'qqqqqq'\n/],
    [['ls', 'something'], /'viv ls' takes no 'something' here/],
  ]) {
    const { code, err, out } = await viv(words);
    assert.equal(code, 2, words.join(' '));
    assert.match(err, pattern);
    assert.equal(out, '');
  }
});

test('one version, said in two ways', async () => {
  assert.equal(await good(['version']), `viv ${projectVersion()}\n`);
  assert.equal(await good(['--version']), `viv ${projectVersion()}\n`);
});

test('every listing can be had as JSON', async () => {
  const { sandbox_id } = await server.acquire('slack');
  const json = async (...args) => JSON.parse(await good([...args, '--json', ...remote()]));
  const all = await json('ls');
  assert.ok(all.worlds.some((one) => one.id === sandbox_id));
  assert.deepEqual(all.boxes, []);
  assert.ok((await json('world', 'ls')).some((one) => one.id === sandbox_id));
  assert.ok((await json('key', 'ls'))[0].prefix.startsWith('e2b_'));
  assert.ok((await json('org', 'ls')).some((one) => one.id === 'default'));
  assert.ok((await json('account', 'ls')).some((one) => one.id === 'default'));
  assert.ok((await json('world', 'tools', sandbox_id)).tools.length > 10);
  const apps = JSON.parse(await good(['apps', 'ls', '--json']));
  assert.ok(apps.some((one) => one.name === 'slack' && one.profiles.length > 1));
  assert.match(await good(['key', 'list', ...remote()]), /valid/, 'the old word for ls');
});

test('the last key is not revoked; rotating puts a new one in its place, in the file too', async () => {
  const own = await Server.start();
  try {
    const [{ id }] = JSON.parse(await good(['key', 'ls', '--json', ...remote(own)]));
    const refused = await viv(['key', 'revoke', id, ...remote(own)]);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /only valid key.*viv key rotate/);
    const fresh = (await good(['key', 'rotate', ...remote(own)])).trim();
    assert.match(fresh, /^e2b_[0-9a-f]{40}$/);
    assert.notEqual(fresh, own.key);
    assert.equal(readFileSync(join(own.data, 'key'), 'utf8').trim(), fresh);
    assert.equal(statSync(join(own.data, 'key')).mode & 0o777, 0o600);
    assert.equal((await viv(['ls', '--url', own.url, '--key', own.key])).code, 1);
    await good(['ls', ...remote(own)]);
    await own.crashAndRestart();
    assert.equal(own.key, fresh);
    await good(['ls', ...remote(own)]);
    const other = (await good(['key', 'create', '--name', 'other', ...remote(own)])).trim();
    const next = (await good(['key', 'rotate', '--url', own.url, '--key', other])).trim();
    assert.equal(readFileSync(join(own.data, 'key'), 'utf8').trim(), fresh, "another key's rotation leaves the file");
    await good(['ls', '--url', own.url, '--key', next]);
  } finally {
    await own.stop();
  }
});

test('the key is printed to a terminal only', async () => {
  const start = (command, args) => new Promise((done) => {
    const data = mkdtempSync(join(folder, 'banner-'));
    const all = ['serve', '--listen', '127.0.0.1:0', '--boxes', 'off', '--builtin-apps', '', '--data', data];
    const [file, words] = command === 'pty' ? ['script', ['-qec', [program, ...all.map((it) => `'${it}'`)].join(' '), '/dev/null']] : [program, all];
    const child = spawn(file, words, { env: clean(), stdio: ['pipe', 'pipe', 'pipe'] });
    let said = '';
    const hear = (chunk) => {
      said += chunk;
      if (said.includes('Stop with Ctrl-C') && said.includes('server.started')) child.kill('SIGTERM');
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('close', () => done({ said, key: readFileSync(join(data, 'key'), 'utf8').trim(), data }));
  });
  const piped = await start('pipe');
  assert.equal(piped.said.includes(piped.key), false);
  assert.ok(piped.said.includes(`KEY=$(cat ${piped.data}/key)`), piped.said);
  const terminal = await start('pty');
  assert.ok(terminal.said.includes(terminal.key), terminal.said);
});

test('a world is acquired, called, compared, verified, forked, saved and given back', async () => {
  const at = remote();
  const id = (await good(['world', 'acquire', 'slack', ...at])).trim();
  assert.match(await good(['world', 'show', id, ...at]), /server_url +http.*instance_id=/);
  assert.match(await good(['world', 'tools', id, ...at]), /slack_user_post_message/);
  assert.equal(await good(['world', 'diff', id, ...at]), '');
  const said = await good(['world', 'call', id, 'slack_user_post_message', '{"channel_id": "C01GENERAL", "text": "from a shell"}', ...at]);
  assert.match(said, /from a shell/);
  await good(['world', 'call', id, 'slack_user_post_message', '-', ...at], { input: '{"channel_id": "C01GENERAL", "text": "from a pipe"}' });
  assert.equal((await viv(['world', 'call', id, 'slack_user_post_message', '{"channel_id": "C0NOWHERE", "text": "x"}', ...at])).code, 1);
  assert.equal((await viv(['world', 'call', id, 'slack_user_post_message', 'nonsense', ...at])).code, 1);
  assert.match(await good(['world', 'diff', id, ...at]), /^\+ message .*from a shell/m);
  const expectations = JSON.stringify([{ name: 'two', diff: { table: 'message', inserted: 2 } }]);
  assert.match(await good(['world', 'verify', id, '-', ...at], { input: expectations }), /^pass {2}two$/m);
  const failed = await viv(['world', 'verify', id, '-', ...at], { input: '[{"sql": "SELECT 1", "equals": 2}]' });
  assert.equal(failed.code, 1);
  assert.match(failed.out, /^FAIL {2}expectations\[0\]: expected 2, got 1$/m);
  const copy = (await good(['world', 'fork', id, ...at])).trim();
  assert.match(await good(['world', 'diff', copy, ...at]), /from a pipe/);
  assert.match(await good(['world', 'clock', id, '--mode', 'frozen', '--now', '2030-01-01T00:00:00Z', ...at]), /^2030-01-01T00:00:00.* frozen$/m);
  await good(['world', 'faults', id, '-', ...at], { input: '{"faults": [{"tool": "*", "error": "broken"}]}' });
  assert.match((await viv(['world', 'call', id, 'slack_list_users', ...at])).out, /broken/);
  assert.ok(JSON.parse(await good(['world', 'dump', copy, ...at])));
  await good(['world', 'reset', copy, ...at]);
  assert.equal(await good(['world', 'diff', copy, ...at]), '');
  await good(['world', 'release', id, copy, ...at]);
  const gone = await viv(['world', 'show', id, ...at]);
  assert.equal(gone.code, 1);
  assert.notEqual((await viv(['world', 'acquire', 'nothing', ...at])).code, 0);
});

test('the tables of an app are shown', async () => {
  const shown = await good(['apps', 'schema', 'slack']);
  assert.match(shown, /^message\n/m);
  assert.match(shown, /^ {2}channel_id +TEXT/m);
  assert.equal(shown.includes('_world'), false);
  const tables = JSON.parse(await good(['apps', 'schema', 'slack', '--json']));
  const { sandbox_id } = await server.acquire('slack');
  const expectations = tables.map(({ table, columns }) => ({ sql: `SELECT count(*) FROM "${table}" WHERE ${columns.map((one) => `"${one.name}" IS NULL`).join(' AND ')}`, equals: 0 }));
  const { status, body } = await server.call('POST', `/api/viv/worlds/${sandbox_id}/verify`, { json: { expectations } });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal((await viv(['apps', 'schema', 'nothing'])).code, 1);
  assert.equal((await viv(['apps', 'schema', '../apps/slack'])).code, 1);
});

const installed = async (shell) => (await run('sh', ['-c', `command -v ${shell}`])).code === 0;

/** What bash offers for the last of these words. */
const bashOffers = async (words) => {
  const script = `source <("$VIV" completion bash); COMP_WORDS=(${words.map((it) => `'${it}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _viv; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { code, out, err } = await run('bash', ['-c', script], { env: { VIV: program } });
  assert.equal(code, 0, err);
  assert.equal(err, '');
  return out.split('\n').filter(Boolean);
};

test('bash completes commands, options and values', async () => {
  assert.deepEqual(await bashOffers(['viv', 'wor']), ['world']);
  assert.deepEqual(await bashOffers(['viv', 'world', 'ac']), ['acquire']);
  assert.deepEqual(await bashOffers(['viv', 'key', '']), ['create', 'ls', 'rotate', 'revoke']);
  assert.deepEqual(await bashOffers(['viv', 'serve', '--boxes', '']), ['auto', 'on', 'off']);
  assert.deepEqual(await bashOffers(['viv', 'serve', '--pub']), ['--public-url']);
  assert.deepEqual(await bashOffers(['viv', 'ls', '--url', 'http://x', '--js']), ['--json']);
  assert.deepEqual(await bashOffers(['viv', 'completion', '']), ['bash', 'zsh', 'fish']);
  const { code } = await viv(['completion', 'tcsh']);
  assert.equal(code, 1);
});

test('fish completes them too', async (context) => {
  if (!(await installed('fish'))) return context.skip('fish is not installed');
  const offers = async (line) => {
    const { code, out, err } = await run('fish', ['--no-config', '-c', `"$VIV" completion fish | source; complete -C '${line}'`], { env: { VIV: program, HOME: folder } });
    assert.equal(code, 0, err);
    return out.split('\n').filter(Boolean).map((it) => it.split('\t')[0]);
  };
  assert.deepEqual(await offers('viv wor'), ['world']);
  assert.deepEqual((await offers('viv key ')).sort(), ['create', 'ls', 'revoke', 'rotate']);
  assert.deepEqual((await offers('viv serve --boxes ')).sort(), ['auto', 'off', 'on']);
  assert.deepEqual(await offers('viv ls --js'), ['--json']);
});

test('and so does zsh', async (context) => {
  if (!(await installed('zsh'))) return context.skip('zsh is not installed');
  // The completion system wants a terminal, so that its builtins are replaced by ones that print.
  const offers = async (words) => {
    const script = `compdef() { :; }; _describe() { local -a list; list=("\${(@P)2}"); print -l -- "\${list[@]%%:*}"; }; compadd() { shift; print -l -- "$@"; }; _files() { print files; }
      source <("$VIV" completion zsh); words=(${words.map((it) => `'${it}'`).join(' ')}); CURRENT=${words.length}; _viv`;
    const { code, out, err } = await run('zsh', ['-f', '-c', script], { env: { VIV: program } });
    assert.equal(code, 0, err);
    assert.equal(err, '');
    return out.split('\n').filter(Boolean);
  };
  assert.ok((await offers(['viv', 'wor'])).includes('world'));
  assert.deepEqual(await offers(['viv', 'key', '']), ['create', 'ls', 'rotate', 'revoke']);
  assert.deepEqual(await offers(['viv', 'serve', '--boxes', '']), ['auto', 'on', 'off']);
  assert.deepEqual(await offers(['viv', 'serve', '--data', '']), ['files']);
  assert.ok((await offers(['viv', 'ls', '--'])).includes('--json'));
});
