// Our own commands about boxes, as a person uses them, and the certificate for names of ports.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sdkOf } from '../support/e2b.js';
import { Server, program } from '../support/server.js';

const needsRoot = process.getuid() === 0 ? {} : { skip: 'boxes need root' };
const folder = mkdtempSync(join(tmpdir(), 'viv-e2e-cli-'));
let server;
before(async () => {
  if (needsRoot.skip) return;
  const made = spawnSync(program, ['cert', 'box.test', '--folder', join(folder, 'tls')], { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  server = await Server.start({
    boxes: true,
    args: ['--tls-listen', '127.0.0.1:0', '--domain', 'box.test', '--tls-certificate', join(folder, 'tls/cert.pem'), '--tls-key', join(folder, 'tls/key.pem')],
  });
});
after(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs `viv …` against the server without holding this process up, which may have to serve. */
const viv = (args, input = '') =>
  new Promise((done) => {
    const child = spawn(program, args, { env: { ...process.env, VIV_URL: server.url, VIV_API_KEY: server.key } });
    let stdout = '', stderr = '';
    child.stdout.on('data', (piece) => (stdout += piece));
    child.stderr.on('data', (piece) => (stderr += piece));
    child.on('close', (status) => done({ status, stdout, stderr }));
    child.stdin.end(input);
  });
const ok = async (args, input) => {
  const result = await viv(args, input);
  assert.equal(result.status, 0, `viv ${args.join(' ')}: ${result.stderr}`);
  return result.stdout.trim();
};

test('a box is made, used, copied and removed', needsRoot, async () => {
  const id = await ok(['create', '--env', 'GIVEN=yes']);
  assert.match(id, /^i[a-z0-9]{20}$/);
  assert.equal(await ok(['exec', id, '--', 'sh', '-c', 'echo $GIVEN; id -un']), 'yes\nuser');
  assert.equal(await ok(['exec', '--user', 'root', '--cwd', '/tmp', id, '--', 'sh', '-c', 'pwd; id -u']), '/tmp\n0');
  assert.equal(await ok(['exec', id, 'cat'], 'through the pipe'), 'through the pipe');
  const failed = await viv(['exec', id, '--', 'sh', '-c', 'echo bad >&2; exit 7']);
  assert.deepEqual([failed.status, failed.stderr], [7, 'bad\n']);
  assert.match(await ok(['ls']), new RegExp(id));
  assert.match(await ok(['logs', id]), /Sandbox created/);
  assert.match(await ok(['stats', id]), new RegExp(id));
  const json = async (...args) => JSON.parse(await ok([...args, '--json']));
  assert.ok((await json('ls')).boxes.some((box) => box.sandboxID === id));
  assert.ok((await json('template', 'ls')).some((one) => one.aliases.includes('base')));
  assert.deepEqual(await json('secret', 'ls'), []);
  assert.deepEqual(Object.keys(await json('stats', id)), [id]);
  assert.equal(JSON.parse((await ok(['logs', id, '--json'])).split('\n')[0]).message, 'Sandbox created');

  await ok(['pause', id]);
  assert.match(await ok(['ls']), /paused/);
  await ok(['resume', id]);
  const snapshot = await ok(['snapshot', id, '--name', 'kept']);
  const again = await ok(['create', '--from', snapshot]);
  const forks = (await ok(['fork', id, '--count', '2'])).split('\n');
  assert.equal(forks.length, 2);
  await ok(['rm', id, again, ...forks]);
  const gone = await viv(['exec', id, 'true']);
  assert.equal(gone.status, 1);
  assert.match(gone.stderr, /doesn't exist/);
});

test('files and folders are copied both ways, links are not followed', needsRoot, async () => {
  const id = await ok(['create']);
  mkdirSync(join(folder, 'in/sub'), { recursive: true });
  writeFileSync(join(folder, 'in/a b'), 'one');
  writeFileSync(join(folder, 'in/sub/c'), Buffer.alloc(3_000_000, 'x'));
  symlinkSync('/etc/hostname', join(folder, 'in/link'));
  await ok(['cp', join(folder, 'in'), `${id}:/home/user/`]);
  assert.equal(await ok(['exec', id, '--', 'sh', '-c', 'cd in; find . -type f -o -type l | sort; wc -c < sub/c']), './a b\n./sub/c\n3000000');
  await ok(['exec', id, '--', 'ln', '-s', '/etc/passwd', 'in/out']);
  await ok(['cp', `${id}:/home/user/in`, join(folder, 'out')]);
  assert.equal(readFileSync(join(folder, 'out/a b'), 'utf8'), 'one');
  assert.equal(readFileSync(join(folder, 'out/sub/c')).length, 3_000_000);
  assert.throws(() => readFileSync(join(folder, 'out/out')));
  await ok(['cp', `${id}:in/a b`, join(folder, 'single')]);
  assert.equal(readFileSync(join(folder, 'single'), 'utf8'), 'one');
  assert.match((await viv(['cp', `${id}:missing`, join(folder, 'x')])).stderr, /does not exist/);
  assert.match((await viv(['cp', 'here', 'there'])).stderr, /one of the two paths must be in a box/);
  await ok(['rm', id]);
});

test('mistakes are told, with what to do', needsRoot, async () => {
  assert.match((await viv(['create', '--from', 'nothing'])).stderr, /nothing/);
  assert.match((await viv(['create', '--env', 'novalue'])).stderr, /NAME=VALUE/);
  assert.match((await viv(['template', 'build', 'Bad Name', '--from', 'debian'])).stderr, /lower-case/);
  assert.match((await viv(['template', 'build', 'x', '--from', 'oci-archive', join(folder, 'absent.tar')])).stderr, /absent\.tar/);
  assert.match((await viv(['cert', 'localhost'])).stderr, /no domain/);
  assert.match(await ok(['template', 'ls']), /base/);
  assert.match((await viv(['template', 'rm', 'base'])).stderr, /base/);
});

test('a port is reached by its name over TLS, with the certificate made here', needsRoot, async () => {
  const { Sandbox } = sdkOf(server);
  const box = await Sandbox.create();
  assert.equal(box.getHost(8000), `8000-${box.sandboxId}.box.test`);
  await box.commands.run('echo hello > index.html; python3 -m http.server 8000', { background: true });
  const port = Number(/server\.tls port=(\d+)/.exec(server.log)?.[1]);
  const get = () =>
    new Promise((done, fail) => {
      const request = https.get(
        { host: box.getHost(8000), port, ca: readFileSync(join(folder, 'tls/ca.pem')), lookup: (_, options, answer) => (options.all ? answer(null, [{ address: '127.0.0.1', family: 4 }]) : answer(null, '127.0.0.1', 4)) },
        (response) => {
          let text = '';
          response.on('data', (piece) => (text += piece));
          response.on('end', () => done({ status: response.statusCode, text }));
        });
      request.on('error', fail);
    });
  let answer = await get();
  for (let tries = 0; answer.status === 502 && tries < 100; tries++) {
    assert.match(answer.text, /port is not open/);
    await new Promise((done) => setTimeout(done, 50));
    answer = await get();
  }
  assert.deepEqual(answer, { status: 200, text: 'hello\n' });
  await box.kill();
});
