// Paths and names that lie: they resolve in the box or not at all.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { attempt } from '../support/attack.js';
import { rejection, withBoxes } from '../support/e2b.js';

const host = withBoxes();

test('no path leads to a file of the host', async (t) => {
  const box = await host.create(t);
  const secret = join(tmpdir(), `viv-secret-${box.sandboxId}`);
  writeFileSync(secret, 'of the host');
  t.after(() => rmSync(secret, { force: true }));
  for (const path of [secret, `../../../../../../..${secret}`, `/proc/1/root${secret}`, `/proc/self/root${secret}`, `/proc/self/cwd${secret}`]) {
    await rejection(box.files.read(path));
    await rejection(box.files.read(path, { user: 'root' }));
  }
  await attempt(box, `ln -s ${secret} /home/user/link; ln -s / /home/user/root`);
  await rejection(box.files.read('link'));
  await rejection(box.files.read(`root${secret}`));
  await box.files.write(`root${secret}`, 'of the box', { user: 'root' });
  assert.equal(readFileSync(secret, 'utf8'), 'of the host');
});

test('files are reached with the rights of the box\'s root, and no further: not the agent, not what the box may not change', async (t) => {
  const box = await host.create(t);
  const agent = (await attempt(box, "pgrep -o viv-agent || echo 1")).stdout.trim();
  for (const path of [`/proc/${agent}/mem`, `/proc/${agent}/environ`, '/proc/self/mem', '/proc/self/environ', '/proc/kcore']) await rejection(box.files.read(path));
  for (const path of ['/proc/sys/kernel/core_pattern', '/proc/sys/kernel/hostname', '/proc/sysrq-trigger']) await rejection(box.files.write(path, 'x'));
  assert.equal((await box.commands.run('echo alive')).stdout, 'alive\n');
});

test('loops, pipes and devices do not hold the agent', async (t) => {
  const box = await host.create(t);
  await attempt(box, 'cd /home/user; ln -s a b; ln -s b a; mkfifo pipe; mkdir d; ln -s .. d/up');
  await rejection(box.files.read('a'));
  await rejection(box.files.read('pipe'));
  await rejection(box.files.write('pipe', 'x'));
  await rejection(box.files.read('/dev/zero'));
  assert.ok((await box.files.list('d', { depth: 50 })).length < 10, 'links are not followed');
  assert.equal((await box.commands.run('echo alive')).stdout, 'alive\n');
});

test('names may be anything but what names cannot be', async (t) => {
  const box = await host.create(t);
  for (const name of ['a\nb', 'ü 漢', "quote'\"", '-rf', ' ', 'x'.repeat(255)]) {
    await box.files.write(`/home/user/n/${name}`, name);
    assert.equal(await box.files.read(`/home/user/n/${name}`), name);
  }
  await rejection(box.files.write(`/home/user/${'x'.repeat(256)}`, ''));
  await attempt(box, "touch $'/home/user/n/\\xff\\xfe'");
  assert.ok(Array.isArray(await box.files.list('/home/user/n')), 'a name that is no text does not break the list');
});

test('a watched folder that is replaced by a link is not followed out', async (t) => {
  const box = await host.create(t);
  await attempt(box, 'mkdir -p /home/user/w/d; chown -R user /home/user/w');
  const seen = [];
  const watch = await box.files.watchDir('/home/user/w', (event) => seen.push(event.name), { recursive: true });
  await attempt(box, 'rm -r /home/user/w/d; ln -s /etc /home/user/w/d; touch /etc/touched; touch /home/user/w/own');
  for (let tries = 0; !seen.includes('own') && tries < 100; tries++) await new Promise((done) => setTimeout(done, 50));
  await watch.stop();
  assert.ok(seen.includes('own'));
  assert.ok(!seen.some((name) => name.includes('touched')), seen.join());
});
