// Terminals in a sandbox through the E2B SDK.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandExitError, NotFoundError } from 'e2b';
import { rejection, until, withBoxes } from '../support/e2b.js';

const host = withBoxes();

/** A terminal whose output is collected in `text`; `type` sends keys. */
async function open(sandbox, options = {}) {
  const decoder = new TextDecoder();
  const terminal = { text: '' };
  terminal.handle = await sandbox.pty.create({
    cols: 80, rows: 24, onData: (data) => void (terminal.text += decoder.decode(data, { stream: true })), ...options,
  });
  terminal.pid = terminal.handle.pid;
  terminal.type = (keys) => sandbox.pty.sendInput(terminal.pid, new TextEncoder().encode(keys));
  terminal.shows = (what) => until(() => (what instanceof RegExp ? what.test(terminal.text) : terminal.text.includes(what)), `"${what}" in the terminal`);
  return terminal;
}

test('a terminal runs a login shell of its size in the home of the user', async (t) => {
  const sandbox = await host.create(t);
  const terminal = await open(sandbox);
  await terminal.type('stty size; tty; echo "$TERM $PWD $(whoami)"\n');
  await terminal.shows('24 80');
  await terminal.shows('/dev/pts/');
  await terminal.shows('xterm-256color /home/user user');
  await terminal.type('exit\n');
  assert.equal((await terminal.handle.wait()).exitCode, 0);
});

test('a terminal takes variables, a folder and a user', async (t) => {
  const sandbox = await host.create(t);
  const terminal = await open(sandbox, { envs: { COLOUR: 'blue' }, cwd: '/tmp', user: 'root' });
  await terminal.type('echo "=$COLOUR=$PWD=$(id -u)="\n');
  await terminal.shows('=blue=/tmp=0=');
  await terminal.handle.kill();
});

test('a resized terminal tells its programs', async (t) => {
  const sandbox = await host.create(t);
  const terminal = await open(sandbox);
  await terminal.type(`sh -c 'trap "stty size; exit" WINCH; echo ready-$((1+1)); while :; do sleep 0.1; done'\n`);
  await terminal.shows('ready-2');
  await sandbox.pty.resize(terminal.pid, { cols: 132, rows: 50 });
  await terminal.shows('50 132');
  await terminal.handle.kill();
  await rejection(sandbox.pty.resize(999_999, { cols: 1, rows: 1 }), NotFoundError);
});

test('control keys reach the program in front', async (t) => {
  const sandbox = await host.create(t);
  const terminal = await open(sandbox);
  await terminal.type('echo up-$((2+2)); sleep 600\n');
  await terminal.shows('up-4');
  await terminal.type('\x03');
  await terminal.type('echo code-$?\n');
  await terminal.shows('code-130');
  await terminal.type('cat > /tmp/typed\n');
  await until(() => sandbox.files.exists('/tmp/typed'), 'the file');
  await terminal.type('written\n\x04echo ended-$((5+5))\n');
  await terminal.shows('ended-10');
  await until(async () => (await sandbox.files.read('/tmp/typed')) === 'written\n', 'its text');
  await terminal.handle.kill();
});

test('a terminal ends with the code of its shell', async (t) => {
  const sandbox = await host.create(t);
  const terminal = await open(sandbox);
  await terminal.type('exit 7\n');
  assert.equal((await rejection(terminal.handle.wait(), CommandExitError)).exitCode, 7);
});

test('a killed terminal is gone', async (t) => {
  const sandbox = await host.create(t);
  const terminal = await open(sandbox);
  assert.equal(await sandbox.pty.kill(terminal.pid), true);
  await rejection(terminal.handle.wait(), CommandExitError);
  await until(async () => (await sandbox.pty.kill(terminal.pid)) === false, 'that it is gone');
  await rejection(sandbox.pty.sendInput(terminal.pid, new Uint8Array([10])), NotFoundError);
});

test('a terminal is listed, left and taken up again', async (t) => {
  const sandbox = await host.create(t);
  const terminal = await open(sandbox, { timeoutMs: 0 });
  await terminal.type('left=here; echo set-$((3+3))\n');
  await terminal.shows('set-6');
  await terminal.handle.disconnect();
  const listed = (await sandbox.commands.list()).find((one) => one.pid === terminal.pid);
  assert.equal(listed.cmd, '/bin/bash');

  const elsewhere = await host.Sandbox.connect(sandbox.sandboxId);
  let text = '';
  const again = await elsewhere.pty.connect(terminal.pid, { onData: (data) => void (text += new TextDecoder().decode(data)) });
  assert.equal(again.pid, terminal.pid);
  await elsewhere.pty.sendInput(terminal.pid, new TextEncoder().encode('echo "still-$left"\n'));
  await until(() => text.includes('still-here'), 'the shell as it was left');
  assert.equal(await again.kill(), true);
});

test('a terminal whose client is slow loses nothing', async (t) => {
  const sandbox = await host.create(t);
  const terminal = await open(sandbox);
  await terminal.type('stty -echo; for i in $(seq 1 20000); do echo "line-$i"; done; echo all-$((4+4))\n');
  await terminal.shows('all-8');
  const numbers = [...terminal.text.matchAll(/line-(\d+)\r\n/g)].map((match) => Number(match[1]));
  assert.equal(numbers.length, 20_000);
  assert.ok(numbers.every((number, i) => number === i + 1), 'in order');
  await terminal.handle.kill();
});
