// /proc shows a box itself and steers nothing; /sys and the groups of the machine are not there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attempt } from '../support/attack.js';
import { withBoxes } from '../support/e2b.js';

const host = withBoxes();

test('nothing of the machine is set through /proc or /sys', async (t) => {
  const box = await host.create(t);
  for (const path of ['/proc/sys/kernel/core_pattern', '/proc/sys/kernel/modprobe', '/proc/sys/vm/overcommit_memory', '/proc/sys/kernel/hostname',
    '/proc/sysrq-trigger', '/proc/sys/net/ipv4/ip_forward', '/proc/irq/default_smp_affinity']) {
    const { exitCode } = await attempt(box, `echo 1 > ${path}`);
    assert.notEqual(exitCode, 0, path);
  }
  assert.equal((await attempt(box, 'ls /sys/fs/cgroup /sys/kernel /sys/class 2>/dev/null | wc -l')).stdout.trim(), '0');
});

test('nothing of the machine is read through /proc', async (t) => {
  const box = await host.create(t);
  for (const path of ['/proc/kcore', '/proc/kallsyms', '/proc/kmsg', '/proc/keys', '/proc/timer_list', '/proc/kpagecount', '/proc/cmdline']) {
    assert.equal((await attempt(box, `head -c 100 ${path} 2>/dev/null | wc -c`)).stdout.trim(), '0', path);
  }
  const { stdout } = await attempt(box, 'ls -d /proc/[0-9]* | wc -l');
  assert.ok(Number(stdout) < 10, `a box sees its own processes only, not ${stdout}`);
});

// Each trigger is taken down by itself, so a process with thousands of them would not die for minutes.
test('no trigger waits for the pressure of the machine', async (t) => {
  const box = await host.create(t);
  for (const kind of ['cpu', 'memory', 'io']) {
    assert.notEqual((await attempt(box, `echo 'some 500000 1000000' 1<> /proc/pressure/${kind}`)).exitCode, 0, kind);
  }
  assert.equal((await attempt(box, 'ls -A /proc/pressure 2>/dev/null | wc -l')).stdout.trim(), '0');
});

test('the agent is not read, traced or entered by root of the box', async (t) => {
  const box = await host.create(t);
  for (const command of ['cat /proc/1/environ', 'cat /proc/1/maps', 'ls -l /proc/1/fd', 'readlink /proc/1/exe', 'ls /proc/1/root/', 'head -c 1 /proc/1/mem',
    'nsenter -t 1 -m true', 'python3 -c "import ctypes; l=ctypes.CDLL(None,use_errno=True); exit(l.ptrace(16,1,0,0) != -1)" && exit 1']) {
    assert.notEqual((await attempt(box, command)).exitCode, 0, command);
  }
});

test('the agent does not die of signals from the box', async (t) => {
  const box = await host.create(t);
  for (const signal of ['TERM', 'KILL', 'STOP', 'SEGV', 'HUP', 'USR1']) await attempt(box, `kill -${signal} 1`);
  assert.equal((await box.commands.run('echo alive')).stdout, 'alive\n');
});

test('no descriptor of the server or the agent reaches a command', async (t) => {
  const box = await host.create(t);
  const { stdout } = await attempt(box, 'for f in /proc/self/fd/*; do readlink $f; done; ls /proc/$$/fd | tr "\\n" " "');
  assert.doesNotMatch(stdout, /socket:.*\n.*socket:/, 'at most its own pipes');
  assert.doesNotMatch(stdout, /\/(boxes|templates|viv)/);
  assert.match(stdout.trim(), /0 1 2( 3)?( 255)?$/);  // 3 and 255 are the shell's own
});
