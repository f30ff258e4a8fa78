// The server as a service of systemd, which ends whatever is left of a service that it stops: boxes are not.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sdkOf, until } from '../support/e2b.js';
import { program } from '../support/server.js';

const systemctl = (...args) => execFileSync('systemctl', args, { stdio: 'ignore' });

/** Starts the server as a service and gives the SDK on it. `systemctl stop` of its unit returns when it has ended. */
async function serve(unit, data, onExit) {
  const log = join(data, `${unit}.log`);
  execFileSync('systemd-run', ['--quiet', '--collect', `--unit=${unit}`, `--property=StandardError=file:${log}`,
    program, 'serve', '--listen', '127.0.0.1:0', '--data', data, '--boxes', 'on', '--on-exit', onExit, '--builtin-apps', '']);
  const address = await until(() => existsSync(log) && /server\.started listen=(\S+)/.exec(readFileSync(log, 'utf8'))?.[1], 'the start');
  return sdkOf({ url: `http://${address}`, key: readFileSync(join(data, 'key'), 'utf8').trim() });
}

test('a service that is stopped leaves its boxes to the next', { skip: !existsSync('/run/systemd/system') && 'no systemd here' }, async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'viv-service-'));
  const units = ['one', 'two', 'last'].map((name) => `viv-${name}-${process.pid}`);
  t.after(async () => {
    for (const unit of units) systemctl('stop', `${unit}*`);
    await serve(units[2], data, 'kill');  // takes over whatever there is, and takes it along
    systemctl('stop', units[2]);
    rmSync(data, { recursive: true, force: true });
  });
  let { Sandbox } = await serve(units[0], data, 'keep');
  const box = await Sandbox.create();
  const sleeper = await box.commands.run('sleep 1000', { background: true, timeoutMs: 0 });
  systemctl('daemon-reload');  // systemd sets its groups up anew; ours are none of its business
  const other = await Sandbox.create();
  assert.equal((await other.commands.run('echo made')).stdout, 'made\n');
  systemctl('stop', units[0]);

  ({ Sandbox } = await serve(units[1], data, 'keep'));
  const same = await Sandbox.connect(box.sandboxId);
  assert.ok((await same.commands.list()).some((it) => it.pid === sleeper.pid), 'its command runs on');
  assert.equal((await (await Sandbox.connect(other.sandboxId)).commands.run('echo here')).stdout, 'here\n');
});
