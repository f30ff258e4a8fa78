// Boxes that take all they can get: each hits its own limit, and its neighbour works on.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { attempt, python } from '../support/attack.js';
import { until, withBoxes } from '../support/e2b.js';

const host = withBoxes();

/** Runs the attack in one box and commands in another meanwhile; both must be usable afterwards. */
async function besideANeighbour(t, attack) {
  const [attacker, neighbour] = [await host.create(t), await host.create(t)];
  const [result] = await Promise.all([
    attack(attacker),
    (async () => {
      for (let i = 0; i < 5; i++) assert.equal((await neighbour.commands.run(`echo ${i}; touch /tmp/${i}`)).stdout, `${i}\n`);
    })(),
  ]);
  assert.equal((await neighbour.commands.run('echo fine')).stdout, 'fine\n');
  return { attacker, result };
}

test('a fork bomb stays in its box', async (t) => {
  const { attacker } = await besideANeighbour(t, (box) => attempt(box, "timeout -s KILL 5 bash -c 'b() { b | b & }; b; sleep 4' >/dev/null 2>&1; true"));
  await attempt(attacker, 'true').catch(() => {});  // it may still be full of processes
  assert.equal(await host.Sandbox.kill(attacker.sandboxId), true);
});

test('a memory bomb kills processes of its box only', async (t) => {
  const { attacker, result } = await besideANeighbour(t, (box) => attempt(box, "python3 -c 'x = []\nwhile True: x.append(bytearray(1 << 24))'"));
  assert.notEqual(result.exitCode, 0);
  assert.equal((await attacker.commands.run('echo alive')).stdout, 'alive\n');
});

test('shared memory counts as memory', async (t) => {
  const { result } = await besideANeighbour(t, (box) => attempt(box, 'head -c 2G /dev/zero > /dev/shm/x'));
  assert.notEqual(result.exitCode, 0);
});

test('descriptors end before the machine has none', async (t) => {
  const { result } = await besideANeighbour(t, (box) => python(box, `
import json, os
held = []
try:
    while True: held.append(os.open('/dev/null', os.O_RDONLY))
except OSError: pass
print(json.dumps(len(held)))`));
  assert.ok(result < 1_100_000 && result > 500, `${result} descriptors`);
});

test('many processes with many descriptors take a small part of what the machine has', async (t) => {
  const { attacker } = await besideANeighbour(t, async (box) => {
    await box.files.write('/tmp/attack.py', `
import os, resource, time
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
for i in range(20):
    if os.fork() == 0:
        try:
            while True: os.open('/dev/null', os.O_RDONLY)
        except OSError: pass
        os.close(3)
        os.close(os.open(f'/tmp/full{i}', os.O_CREAT | os.O_WRONLY))
        time.sleep(3600)
time.sleep(3600)`, { user: 'root' });
    await box.commands.run('python3 /tmp/attack.py', { user: 'root', background: true, timeoutMs: 0 });
    await until(async () => (await attempt(box, 'ls /tmp/full* 2>/dev/null | wc -l')).stdout.trim() === '20', 'the attack');
  });
  const [open, , most] = readFileSync('/proc/sys/fs/file-nr', 'utf8').split('\t').map(Number);
  assert.ok(open / most < 1 / 16, `${open} of the machine's ${most} are open`);
  assert.equal(await host.Sandbox.kill(attacker.sandboxId), true);
});

test('watches and timers end too', async (t) => {
  await besideANeighbour(t, (box) => python(box, `
import ctypes, json
libc = ctypes.CDLL(None)
held = 0
while held < 100000 and libc.inotify_init() >= 0: held += 1
print(json.dumps(held))`));
});

test('endless output is read by whoever can, and kept by nobody', async (t) => {
  const box = await host.create(t);
  const command = await box.commands.run('yes | head -c 1G', { background: true, onStdout: () => {} }).catch((error) => error);
  await (command.disconnect?.() ?? command);
  assert.equal((await box.commands.run('echo alive')).stdout, 'alive\n');
  const memory = Number((await attempt(box, "awk '/VmRSS/ {print $2}' /proc/1/status")).stdout);
  assert.ok(memory < 200_000, `the agent holds ${memory} KiB`);
});
