// Two boxes on one machine see, reach and disturb nothing of each other, and are nobody on the host.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { attempt, python } from '../support/attack.js';
import { withBoxes } from '../support/e2b.js';

const host = withBoxes();

test('processes, queues, memory and sockets of another box are not there', async (t) => {
  const [one, other] = [await host.create(t), await host.create(t)];
  await other.commands.run('sleep 1000', { background: true });
  await python(other, `
import json, socket, subprocess, threading, time
s = socket.socket(socket.AF_UNIX); s.bind('\\0secret'); s.listen()
open('/dev/shm/secret', 'w').write('x')
t = socket.socket(); t.bind(('0.0.0.0', 5555)); t.listen()
print(json.dumps(subprocess.run(['ipcmk', '-M', '100'], capture_output=True).returncode))
`);
  const seen = await python(one, `
import json, os, socket, subprocess
def reach(family, address):
    try:
        socket.socket(family).connect(address); return True
    except OSError: return False
print(json.dumps({
  'processes': [open(f'/proc/{p}/cmdline').read() for p in os.listdir('/proc') if p.isdigit() and 'sleep' in open(f'/proc/{p}/cmdline').read()],
  'abstract': reach(socket.AF_UNIX, '\\0secret'),
  'shm': os.path.exists('/dev/shm/secret'),
  'port': reach(socket.AF_INET, ('127.0.0.1', 5555)) or reach(socket.AF_INET, ('10.255.0.1', 5555)),
  'ipc': subprocess.run(['ipcs', '-m'], capture_output=True, text=True).stdout.count('0x'),
}))`);
  assert.deepEqual(seen, { processes: [], abstract: false, shm: false, port: false, ipc: 0 });
});

test('root of a box is nobody of the host: ids of its own, and of no other box', async (t) => {
  const ids = [];
  for (const box of [await host.create(t), await host.create(t)]) {
    const marker = `marker-${box.sandboxId}`;
    await box.commands.run(`exec -a ${marker} sleep 1000`, { background: true, user: 'root' });
    let pid = '';
    for (let tries = 0; pid === '' && tries < 100; tries++) {
      try {
        pid = execFileSync('pgrep', ['-f', `^${marker}`], { encoding: 'utf8' }).trim();
      } catch {}
    }
    const uid = Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
    assert.ok(uid >= 0x100000, `uid ${uid}`);
    ids.push(uid);
  }
  assert.notEqual(ids[0], ids[1]);
});

test('a set-user-id program makes root of the box, nothing else', async (t) => {
  const box = await host.create(t);
  await attempt(box, 'cp /bin/bash /tmp/suid && chown root /tmp/suid && chmod 4755 /tmp/suid');
  const { stdout } = await attempt(box, '/tmp/suid -p -c "id -u; grep CapBnd /proc/self/status; echo 1 > /proc/sys/kernel/core_pattern || echo refused"', { user: 'user' });
  assert.match(stdout, /^0\n/);
  assert.match(stdout, /refused/);
});

test('capabilities that are gone do not come back', async (t) => {
  const box = await host.create(t);
  const { stdout } = await attempt(box, 'cp $(readlink -f $(which python3)) /tmp/py; setcap cap_sys_admin,cap_net_admin,cap_sys_ptrace+ep /tmp/py 2>&1; /tmp/py -c "print(open(\'/proc/self/status\').read())" 2>&1 | grep CapEff; sudo grep CapEff /proc/self/status');
  const bounding = (await attempt(box, 'grep CapBnd /proc/self/status')).stdout.split(/\s+/)[1];
  for (const [, effective] of stdout.matchAll(/CapEff:\s+(\w+)/g)) {
    assert.equal(BigInt(`0x${effective}`) & ~BigInt(`0x${bounding}`), 0n);
  }
  const forbidden = [2, 12, 13, 16, 17, 18, 19, 21, 22, 23, 24, 25, 27, 38, 39, 40];  // DAC_READ_SEARCH … SYS_ADMIN … BPF
  for (const bit of forbidden) assert.equal((BigInt(`0x${bounding}`) >> BigInt(bit)) & 1n, 0n, `capability ${bit}`);
});

test('the token of one box opens no other, and without one the agent says no', async (t) => {
  const [one, other] = [await host.create(t), await host.create(t)];
  const token = (box) => box.connectionConfig?.envdAccessToken ?? box.envdAccessToken;
  const list = (headers) => fetch(`${host.server.url}/process.Process/List`, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json', 'E2b-Sandbox-Id': one.sandboxId, 'E2b-Sandbox-Port': '49983', ...headers } });
  assert.equal((await list({})).status, 401);
  assert.equal((await list({ 'X-Access-Token': token(other) ?? 'x' })).status, 401);
  for (const path of ['/init', '/logs', '/envs']) {
    const response = await fetch(host.server.url + path, { method: path === '/init' ? 'POST' : 'GET', body: path === '/init' ? '{"accessToken":"mine"}' : undefined, headers: { 'E2b-Sandbox-Id': one.sandboxId, 'E2b-Sandbox-Port': '49983' } });
    assert.ok([401, 404].includes(response.status), `${path}: ${response.status}`);
  }
});
