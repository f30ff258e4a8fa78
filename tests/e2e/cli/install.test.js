// make install: what it puts where, and that it works from there.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { program } from '../support/server.js';

const stage = mkdtempSync(join(tmpdir(), 'viv-install-'));
after(() => rmSync(stage, { recursive: true, force: true }));
const run = (file, args, env = {}) =>
  new Promise((done) => execFile(file, args, { env: { ...process.env, ...env }, maxBuffer: 1 << 26 }, (error, out, err) => done({ code: error ? (error.code ?? 1) : 0, out, err })));

test('programs, apps, unit and completion are installed under the prefix, and work', async () => {
  const makefile = readFileSync(new URL('../../../Makefile', import.meta.url), 'utf8');
  const [, command] = /^\t(DESTDIR=.*cmake --install.*)$/m.exec(makefile);
  const filled = command.replace('$(DESTDIR)', stage).replace('$(PREFIX)', '/opt/viv').replace('build/release', dirname(program));
  const installed = await run('sh', ['-c', filled]);
  assert.equal(installed.code, 0, installed.err);
  const root = join(stage, 'opt/viv');
  for (const file of ['viv', 'viv-agent', 'viv-tools']) assert.ok(statSync(join(root, 'bin', file)).mode & 0o111, file);
  for (const folder of ['apps/slack/app.yaml', 'profiles']) assert.ok(existsSync(join(root, 'share/vivarium', folder)), folder);
  assert.ok(existsSync(join(root, 'share/doc/viv/LICENSE')), 'whoever gets the programs gets the licence');
  const viv = join(root, 'bin/viv');
  const listed = await run(viv, ['apps', 'schema', 'slack', '--json']);
  assert.equal(listed.code, 0, listed.err);
  for (const [shell, file] of [['bash', 'bash-completion/completions/viv'], ['zsh', 'zsh/site-functions/_viv'], ['fish', 'fish/vendor_completions.d/viv.fish']]) {
    assert.equal(readFileSync(join(root, 'share', file), 'utf8'), (await run(viv, ['completion', shell])).out, shell);
  }
  const unit = readFileSync(join(root, 'lib/systemd/system/vivarium.service'), 'utf8');
  assert.match(unit, /^ExecStart=\/opt\/viv\/bin\/viv serve --data \/var\/lib\/vivarium$/m);
  assert.match(unit, /^KillMode=process$/m, 'boxes live on when the server is restarted');
  assert.equal(unit.includes('@'), false);
});
