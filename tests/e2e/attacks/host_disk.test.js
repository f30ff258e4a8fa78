// The machine's disk runs full below the boxes: they stand still instead of losing what they wrote, and a file system that
// broke all the same is opened again.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { attempt } from '../support/attack.js';
import { atEnd, sdkOf, until } from '../support/e2b.js';
import { Server, program } from '../support/server.js';

const MiB = 2 ** 20;
const reserve = 32 * MiB;  // of a disk as small as this one

/** A disk of its own for the data folder, on a loop device. */
function smallDisk(t) {
  const folder = mkdtempSync(join(tmpdir(), 'viv-disk-')), image = join(folder, 'disk.img'), at = join(folder, 'at');
  execFileSync('bash', ['-c', 'truncate -s 1500M "$0" && mkfs.ext4 -q -F -m 0 "$0" && mkdir "$1" && mount -o loop "$0" "$1"', image, at]);
  atEnd(t, () => {
    execFileSync('bash', ['-c', 'for m in $(awk -v at="$0" \'index($5, at "/") == 1 {print $5}\' /proc/self/mountinfo | tac); do umount -l "$m"; done; umount -l "$0"', at]);
    rmSync(folder, { recursive: true, force: true });
  });
  const free = () => statfsSync(at).bavail * statfsSync(at).bsize;
  return {
    data: join(at, 'data'),
    free,
    /** Takes all but so many bytes. */
    fill: (left) => execFileSync('fallocate', ['-l', String(free() - left), join(at, 'filler')]),
    /** Takes all there is, while others write too. */
    fillUp: () => execFileSync('bash', ['-c', 'cat /dev/zero > "$0" 2> /dev/null || true', join(at, 'filler')]),
    clear: () => rmSync(join(at, 'filler')),
  };
}

async function serverOn(t, disk, boxes) {
  const server = await Server.start({ boxes, data: disk.data, args: ['--parked', '0'] });
  atEnd(t, () => server.stop());
  return { server, Sandbox: sdkOf(server).Sandbox };
}

const gauge = async (server, name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec((await server.call('GET', '/metrics')).body)[1]);

test('a disk that is almost full: nothing new begins, who writes stands still, and goes on', async (t) => {
  const disk = smallDisk(t);
  const { server, Sandbox } = await serverOn(t, disk, true);
  const [writer, reader] = [await Sandbox.create(), await Sandbox.create()];
  await writer.commands.run('i=0; while true; do printf "%8000d\\n" $((i++)) >> log; sleep 0.02; done', { background: true, timeoutMs: 0 });
  assert.equal((await server.call('GET', '/readyz')).status, 200);

  disk.fill(reserve * 3 / 4);
  const notReady = await until(async () => {
    const answer = await server.call('GET', '/readyz');
    return answer.status === 503 && answer;
  }, 'not being ready');
  assert.match(notReady.body.reasons[0], /disk of this server is almost full/);
  await assert.rejects(Sandbox.create(), /almost full/);
  await assert.rejects(reader.createSnapshot(), /almost full/);
  await until(async () => (await gauge(server, 'viv_boxes_held')) === 1, 'the writer standing still');
  const answer = await fetch(`${server.url}/health`, { headers: { 'E2b-Sandbox-Id': writer.sandboxId, 'E2b-Sandbox-Port': '49983' } });
  assert.match(await answer.text(), /almost full/);
  assert.equal((await reader.commands.run('cat /etc/hostname > /dev/null; echo fine')).stdout, 'fine\n');
  const said = execFileSync('bash', ['-c', '"$0" doctor --builtin-apps "" --data "$1" || true', program, disk.data], { encoding: 'utf8' });
  assert.match(said, /FAIL +space for boxes/);

  disk.clear();
  await until(async () => (await server.call('GET', '/readyz')).status === 200, 'being ready again');
  await until(async () => (await gauge(server, 'viv_boxes_held')) === 0, 'the writer going on');
  const lines = Number((await writer.commands.run('wc -l < log')).stdout);
  await until(async () => Number((await writer.commands.run('wc -l < log')).stdout) > lines, 'more lines');
  const log = (await writer.commands.run("tr -d ' ' < log")).stdout.trim().split('\n');
  assert.deepEqual(log, log.map((_, i) => String(i)), 'nothing is missing');
});

test('a disk that runs full at once does not break the boxes', async (t) => {
  const disk = smallDisk(t);
  const { server, Sandbox } = await serverOn(t, disk, true);
  const box = await Sandbox.create();
  await attempt(box, 'echo kept > /kept; sync');
  disk.fill(reserve / 4);
  await until(async () => (await gauge(server, 'viv_boxes_held')) === 1, 'the box standing still');
  disk.clear();
  await until(async () => (await server.call('GET', '/readyz')).status === 200, 'being ready again');
  await until(async () => (await gauge(server, 'viv_boxes_held')) === 0, 'the box going on');
  assert.equal((await attempt(box, 'cat /kept; head -c 10M /dev/zero > /more; sync; stat -c %s /more')).stdout, `kept\n${10 * MiB}\n`);
});

test('a file system that broke while nobody watched is opened again by the next start', async (t) => {
  const disk = smallDisk(t);
  const { server, Sandbox } = await serverOn(t, disk, 'keep');
  const magic = execFileSync('head', ['-c', '4', join(disk.data, 'boxes/store.img')], { encoding: 'latin1' });
  if (magic === 'XFSB') return t.skip('XFS waits for room instead of breaking');
  const box = await Sandbox.create({ timeoutMs: 3_600_000 });
  atEnd(t, () => sdkOf(server).Sandbox.kill(box.sandboxId).catch(() => {}));
  await attempt(box, 'echo kept > /kept; sync');
  await box.commands.run('sleep 1; while true; do head -c 200M /dev/urandom > /big; sync; done', { user: 'root', background: true, timeoutMs: 0 });
  server.process.kill('SIGKILL');
  await server.exited;
  disk.fillUp();
  const mounted = join(disk.data, 'boxes/mnt');
  const isBroken = () => {
    try {
      execFileSync('touch', [join(mounted, 'probe')], { stdio: 'ignore' });
      return false;
    } catch {
      return true;
    }
  };
  await until(isBroken, 'the file system to break');
  const said = execFileSync('bash', ['-c', '"$0" doctor --builtin-apps "" --data "$1" || true', program, disk.data], { encoding: 'utf8' });
  assert.match(said, /FAIL +files of boxes/);

  disk.clear();
  await server.launch();
  assert.match(server.log, /storage\.reopened/);
  const again = await sdkOf(server).Sandbox.connect(box.sandboxId);
  assert.equal((await again.commands.run('cat /kept')).stdout, 'kept\n');
});
