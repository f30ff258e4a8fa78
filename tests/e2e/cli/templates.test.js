// `viv template build`, as people use it: images and a real Debian become templates that boxes start from.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { sdkOf } from '../support/e2b.js';
import { makeImage } from '../support/registry.js';
import { Server, program } from '../support/server.js';

let server, folder;
before(async () => {
  server = await Server.start({ boxes: true });
  folder = mkdtempSync(join(tmpdir(), 'viv-template-'));
});
after(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = promisify(execFile);
const viv = (...args) => run(program, [...args, '--url', server.url, '--key', server.key], { maxBuffer: 64 << 20 });

/** An image as a folder in the OCI layout. */
function writeLayout(at, image) {
  mkdirSync(join(at, 'blobs/sha256'), { recursive: true });
  const digest = execFileSync('sha256sum', { input: image.manifest, encoding: 'utf8' }).split(' ')[0];
  for (const [name, bytes] of image.blobs) writeFileSync(join(at, 'blobs', name.replace(':', '/')), bytes);
  writeFileSync(join(at, 'blobs/sha256', digest), image.manifest);
  writeFileSync(join(at, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  const manifests = [{ mediaType: 'application/vnd.oci.image.manifest.v1+json', digest: `sha256:${digest}`, size: image.manifest.length }];
  writeFileSync(join(at, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }));
  return at;
}

async function inBox(template, command) {
  const sandbox = await sdkOf(server).Sandbox.create(template);
  try {
    return (await sandbox.commands.run(command, { user: 'root' })).stdout;
  } finally {
    await sandbox.kill();
  }
}

test('an OCI layout becomes a template, with its variables and files', async () => {
  const layout = writeLayout(join(folder, 'layout'), makeImage({ files: { 'srv/hello': 'from the image' }, config: { Env: ['COLOUR=blue'] } }));
  const { stdout } = await viv('template', 'build', 'app', '--from', 'oci-layout', layout);
  assert.match(stdout, /app/);
  assert.equal(await inBox('app', 'cat /srv/hello; echo " $COLOUR"'), 'from the image blue\n');
  assert.match((await viv('template', 'ls')).stdout, /\bapp\b/);
  await viv('template', 'rm', 'app');
  await assert.rejects(inBox('app', 'true'), /app/);
});

test('an archive of one does, too; a broken one changes nothing', async () => {
  const layout = writeLayout(join(folder, 'packed'), makeImage({ files: { 'srv/hello': 'packed' } }));
  const archive = join(folder, 'image.tar');
  execFileSync('tar', ['-C', layout, '-cf', archive, '.']);
  await viv('template', 'build', 'packed', '--from', 'oci-archive', archive);
  assert.equal(await inBox('packed', 'cat /srv/hello'), 'packed');

  execFileSync('truncate', ['-s', '20000', archive]);
  await assert.rejects(viv('template', 'build', 'packed', '--from', 'oci-archive', archive), ({ code, stderr }) => code !== 0 && stderr.length > 0);
  assert.equal(await inBox('packed', 'cat /srv/hello'), 'packed');
  await assert.rejects(viv('template', 'build', 'none', '--from', 'oci-archive', join(folder, 'absent.tar')), /absent\.tar/);
});

/** Whether the mirror gives its list of packages, some 9 MB, within seconds: a system is twenty times that. */
async function isQuick(mirror) {
  const architecture = { x64: 'amd64', arm64: 'arm64' }[process.arch];
  const list = `${mirror}dists/bookworm/main/binary-${architecture}/Packages.xz`;
  try {
    const answer = await fetch(list, { signal: AbortSignal.timeout(5000) });
    return answer.ok && (await answer.arrayBuffer()).byteLength > 0;
  } catch {
    return false;
  }
}

test('Debian is built with mmdebstrap, and a further package', async (t) => {
  const sources = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)']).catch(() => ({ stdout: '' }));
  const mirror = sources.stdout.split('\n').find((line) => line.startsWith('http'));
  if (!(await isQuick(mirror))) return t.skip('no Debian mirror can be reached, or only a slow one');
  await viv('template', 'build', 'deb', '--from', 'debian', '--package', 'jq');
  assert.equal(await inBox('deb', `. /etc/os-release; echo $ID; echo '{"a":1}' | jq .a`), 'debian\n1\n');
});
