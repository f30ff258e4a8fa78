// Commands in a sandbox through the E2B SDK: how they start, what they see, how they are fed, watched and ended.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AuthenticationError, CommandExitError, InvalidArgumentError, NotFoundError, SandboxError, SandboxNotFoundError, TimeoutError,
} from 'e2b';
import { rejection, until, withBoxes } from '../support/e2b.js';

const host = withBoxes();

test('a command gives its output and its exit code', async (t) => {
  const sandbox = await host.create(t);
  const result = await sandbox.commands.run('echo out; echo err >&2');
  assert.deepEqual({ ...result }, { exitCode: 0, stdout: 'out\n', stderr: 'err\n', error: undefined });
});

test('a failed command is an error with its code and output', async (t) => {
  const sandbox = await host.create(t);
  const error = await rejection(sandbox.commands.run('echo said; echo why >&2; exit 3'), CommandExitError);
  assert.equal(error.exitCode, 3);
  assert.equal(error.error, 'exit status 3');
  assert.equal(error.stdout, 'said\n');
  assert.equal(error.stderr, 'why\n');
  assert.equal((await rejection(sandbox.commands.run('no-such-program'), CommandExitError)).exitCode, 127);
  assert.equal((await rejection(sandbox.commands.run('kill -TERM $$'), CommandExitError)).error, 'signal: terminated');
});

test('output arrives while the command runs, in order', async (t) => {
  const sandbox = await host.create(t);
  const seen = [];
  const handle = await sandbox.commands.run('echo first; read line; echo "then $line" >&2; echo last', {
    background: true,
    stdin: true,
    onStdout: (data) => void seen.push(`out:${data}`),
    onStderr: (data) => void seen.push(`err:${data}`),
  });
  await until(() => seen.length === 1, 'the first line');
  await handle.sendStdin('second\n');
  await handle.wait();
  assert.equal(seen[0], 'out:first\n');
  assert.ok(seen.includes('err:then second\n'));
  assert.ok(seen.includes('out:last\n'));
});

test('variables come from the sandbox and the call, the call winning', async (t) => {
  const sandbox = await host.create(t, { envs: { GREETING: 'hello', NAME: 'sandbox' } });
  const run = async (command, options) => (await sandbox.commands.run(command, options)).stdout;
  assert.equal(await run('echo "$GREETING $NAME"', { envs: { NAME: 'call', EXTRA: "it's \"$HOME\"" } }), 'hello call\n');
  assert.equal(await run('printf %s "$EXTRA"', { envs: { EXTRA: 'it\'s "$HOME"\nand on' } }), 'it\'s "$HOME"\nand on');
  assert.equal(await run('echo "$NAME"'), 'sandbox\n');
  const id = sandbox.sandboxId;
  assert.equal(await run('echo "$E2B_SANDBOX $E2B_SANDBOX_ID $HOME $USER"'), `true ${id} /home/user user\n`);
  assert.notEqual(await run('echo "$E2B_TEMPLATE_ID"'), '\n');
});

test('a command starts in the home of its user, or where it is told', async (t) => {
  const sandbox = await host.create(t);
  assert.equal((await sandbox.commands.run('pwd')).stdout, '/home/user\n');
  assert.equal((await sandbox.commands.run('pwd', { user: 'root' })).stdout, '/root\n');
  assert.equal((await sandbox.commands.run('pwd', { cwd: '/tmp' })).stdout, '/tmp\n');
  const error = await rejection(sandbox.commands.run('pwd', { cwd: '/no/such' }), InvalidArgumentError);
  assert.match(error.message, /cwd '\/no\/such' does not exist/);
});

test('a command runs as the user asked for', async (t) => {
  const sandbox = await host.create(t);
  const who = async (options) => (await sandbox.commands.run('echo "$(whoami) $(id -u)"', options)).stdout;
  assert.equal(await who(), 'user 1000\n');
  assert.equal(await who({ user: 'user' }), 'user 1000\n');
  assert.equal(await who({ user: 'root' }), 'root 0\n');
  const error = await rejection(sandbox.commands.run('true', { user: 'nobody-here' }), AuthenticationError);
  assert.match(error.message, /invalid username: 'nobody-here'/);
  assert.equal((await sandbox.commands.run('sudo whoami')).stdout, 'root\n');
  await rejection(sandbox.commands.run('cat /etc/shadow'), CommandExitError);
});

test('a background command is listed while it runs, and no longer', async (t) => {
  const sandbox = await host.create(t);
  const handle = await sandbox.commands.run('read line; echo "got $line"', {
    background: true, stdin: true, cwd: '/tmp', envs: { MARK: '1' },
  });
  assert.ok(handle.pid > 0);
  assert.equal(handle.exitCode, undefined);
  const listed = (await sandbox.commands.list()).find((one) => one.pid === handle.pid);
  assert.equal(listed.cmd, '/bin/bash');
  assert.deepEqual(listed.args, ['-l', '-c', 'read line; echo "got $line"']);
  assert.equal(listed.cwd, '/tmp');
  assert.equal(listed.envs.MARK, '1');
  await sandbox.commands.sendStdin(handle.pid, 'it\n');
  assert.equal((await handle.wait()).stdout, 'got it\n');
  assert.equal(handle.exitCode, 0);
  await until(async () => !(await sandbox.commands.list()).some((one) => one.pid === handle.pid), 'its end');
});

test('standard input takes text and bytes and ends', async (t) => {
  const sandbox = await host.create(t);
  const handle = await sandbox.commands.run('cat', { background: true, stdin: true });
  await handle.sendStdin('grüße ');
  await handle.sendStdin(new Uint8Array([0x6f, 0x6b, 0x0a]));
  await handle.closeStdin();
  assert.equal((await handle.wait()).stdout, 'grüße ok\n');

  const counted = await sandbox.commands.run('wc -c', { background: true, stdin: true });
  await sandbox.commands.sendStdin(counted.pid, 'x'.repeat(300_000));
  await sandbox.commands.closeStdin(counted.pid);
  assert.equal((await counted.wait()).stdout.trim(), '300000');
});

test('without standard input a command sees its end, and sending to it is refused', async (t) => {
  const sandbox = await host.create(t);
  assert.equal((await sandbox.commands.run('cat; echo done')).stdout, 'done\n');
  const handle = await sandbox.commands.run('sleep 60', { background: true });
  await rejection(sandbox.commands.sendStdin(handle.pid, 'x'), SandboxError);
  await rejection(sandbox.commands.sendStdin(999_999, 'x'), NotFoundError);
  await rejection(sandbox.commands.closeStdin(999_999), NotFoundError);
  await handle.kill();
});

test('a command can be killed, once', async (t) => {
  const sandbox = await host.create(t);
  const handle = await sandbox.commands.run('echo started; sleep 600', { background: true });
  assert.equal(await handle.kill(), true);
  const error = await rejection(handle.wait(), CommandExitError);
  assert.equal(error.exitCode, -1);
  assert.equal(error.error, 'signal: killed');
  await until(async () => (await handle.kill()) === false, 'that it is gone');
  assert.equal(await sandbox.commands.kill(999_999), false);

  const other = await sandbox.commands.run('sleep 600', { background: true });
  assert.equal(await sandbox.commands.kill(other.pid), true);
  await rejection(other.wait(), CommandExitError);
});

test('a command that outlives its time limit is ended', async (t) => {
  const sandbox = await host.create(t);
  await rejection(sandbox.commands.run('echo $$ > /tmp/pid; exec sleep 600', { timeoutMs: 2000 }), TimeoutError);
  await until(async () => (await sandbox.commands.run('kill -0 $(cat /tmp/pid) 2>/dev/null && echo lives || echo gone')).stdout === 'gone\n', 'its end');
  assert.equal((await sandbox.commands.run('sleep 1; echo unlimited', { timeoutMs: 0 })).stdout, 'unlimited\n');
});

test('a request can be given up, and the sandbox goes on', async (t) => {
  const sandbox = await host.create(t);
  const controller = new AbortController();
  const run = sandbox.commands.run('sleep 600', { signal: controller.signal });
  setTimeout(() => controller.abort(), 300);
  await rejection(run);
  assert.equal((await sandbox.commands.run('echo on')).stdout, 'on\n');
});

test('a disconnected command runs on, and another client takes it up', async (t) => {
  const sandbox = await host.create(t);
  const handle = await sandbox.commands.run('read a; echo "one $a"; read b; echo "two $b"', { background: true, stdin: true });
  await handle.disconnect();
  assert.ok((await sandbox.commands.list()).some((one) => one.pid === handle.pid));

  const elsewhere = await host.Sandbox.connect(sandbox.sandboxId);
  let heard = '';
  const taken = await elsewhere.commands.connect(handle.pid, { onStdout: (data) => void (heard += data) });
  const third = await sandbox.commands.connect(handle.pid);
  assert.equal(taken.pid, handle.pid);
  await elsewhere.commands.sendStdin(handle.pid, 'x\n');
  await until(() => heard === 'one x\n', 'the first line');
  await sandbox.commands.sendStdin(handle.pid, 'y\n');
  assert.equal((await taken.wait()).stdout, 'one x\ntwo y\n');
  assert.equal((await third.wait()).stdout, 'one x\ntwo y\n');
  await rejection(sandbox.commands.connect(999_999), NotFoundError);
});

test('large output arrives whole', async (t) => {
  const sandbox = await host.create(t);
  const { stdout } = await sandbox.commands.run('head -c 16000000 /dev/zero | tr "\\0" x; echo end');
  assert.equal(stdout.length, 16_000_004);
  assert.match(stdout.slice(-10), /^x+end\n$/);
  assert.equal(stdout.indexOf('end'), 16_000_000);
});

test('characters stay whole wherever the output is cut', async (t) => {
  const sandbox = await host.create(t);
  const slow = await sandbox.commands.run("printf '\\xe2'; sleep 0.2; printf '\\x82'; sleep 0.2; printf '\\xac'; sleep 0.2; printf '\\xf0\\x9f'; sleep 0.2; printf '\\x90\\x9f'");
  assert.equal(slow.stdout, '€🐟');
  const { stdout } = await sandbox.commands.run("python3 -c \"print('a' + '€🐟' * 200000, end='')\"");
  assert.ok(stdout === 'a' + '€🐟'.repeat(200_000), 'the text is as it was printed');
});

test('many commands at once do not mix', async (t) => {
  const sandbox = await host.create(t);
  const numbers = Array.from({ length: 60 }, (_, i) => i);
  const results = await Promise.all(numbers.map((i) => sandbox.commands.run(`echo out${i}; echo err${i} >&2; exit ${i % 2}`).catch((error) => error)));
  results.forEach((result, i) => {
    assert.equal(result.stdout, `out${i}\n`);
    assert.equal(result.stderr, `err${i}\n`);
    assert.equal(result.exitCode, i % 2);
  });
});

test('a daemon that a command leaves behind runs on, until the sandbox ends', async (t) => {
  const sandbox = await host.create(t);
  await sandbox.commands.run('setsid sleep 600 > /dev/null 2>&1 < /dev/null & echo $! > /tmp/daemon');
  assert.equal((await sandbox.commands.run('kill -0 $(cat /tmp/daemon) && echo lives')).stdout, 'lives\n');
});

test('a sandbox killed during a run ends the run with a timeout error', async (t) => {
  const sandbox = await host.create(t);
  const run = sandbox.commands.run('sleep 600');
  run.catch(() => {});
  await until(async () => (await sandbox.commands.list()).length > 0, 'the command');
  assert.equal(await sandbox.kill(), true);
  const error = await rejection(run, TimeoutError);
  assert.match(error.message, /killed or reached its end of life/);
  await rejection(sandbox.commands.run('true'), SandboxNotFoundError);
});

test('two sandboxes see nothing of each other', async (t) => {
  const [one, two] = await Promise.all([host.create(t), host.create(t)]);
  await one.commands.run('echo secret > /tmp/mark; (sleep 600 > /dev/null 2>&1 &)');
  assert.equal((await two.commands.run('cat /tmp/mark 2>/dev/null || echo none')).stdout, 'none\n');
  assert.equal((await two.commands.run('ps ax | grep -c "[s]leep 600" || true')).stdout.trim(), '0');
  assert.equal((await one.commands.run('hostname')).exitCode, 0);
});
