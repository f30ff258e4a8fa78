// What /data has in a local sandbox before anybody worked in it: nothing, a benchmark's content, or the operator's own.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { atEnd } from '../support/e2b.js';
import { callTool, openLocal } from '../support/local.js';
import { Server } from '../support/server.js';

const skip = process.env.VIV_TOOLS_STDIO ? 'workspaces belong to boxes' : false;
let server;
before(async () => (server = skip ? undefined : await Server.start({ boxes: true, args: ['--parked', '0'] })));
after(() => server?.stop());

/** What a command says that runs in the box beside the servers, as their user. */
async function inBox(box, command) {
  await box.files();
  return (await box.box.commands.run(command, { cwd: '/data' })).stdout;
}

test('MCP_Atlas has tables, a memory, a place for code and repositories with a history', { skip }, async (t) => {
  const box = await openLocal(['filesystem', 'git', 'localmemory', 'terminal'], { server, benchmark: 'MCP_Atlas' });
  atEnd(t, () => box.close());
  const names = (await callTool(box, 'filesystem', 'list_directory', { path: '/data' })).text.split('\n').sort();
  assert.equal(names.filter((name) => /^\[FILE\] \w+\.csv$/.test(name)).length, 8, names.join());
  assert.ok(names.includes('[DIR] repos'));
  const log = (await callTool(box, 'git', 'git_log', { repo_path: '/data/repos/feeding_planner', max_count: 1 })).text;
  assert.match(log, /d6def833f75569bd038f679264639782f7c19208/);
  assert.match(log, /Aoife Brennan/);
  const status = (await callTool(box, 'git', 'git_status', { repo_path: '/data/repos/glasshouse_site' })).text;
  assert.match(status, /nothing to commit, working tree clean/);
  const graph = JSON.parse((await callTool(box, 'localmemory', 'read_graph')).text);
  assert.equal(graph.entities.length, 11);
  assert.equal(graph.relations.length, 13);
  assert.match((await callTool(box, 'terminal', 'run_command', { command: 'cat staff.csv' })).text, /Ines Carvalho,Head keeper/);
  assert.equal((await inBox(box, 'python3 repos/mcp_code_executor_workspace/weekly_revenue.py | tail -1')).trim().slice(0, 8), '2024-W18');
  const owners = await inBox(box, "find /data ! -user user -o ! -group user | head; stat -c '%U %a' /data /data/repos; stat -c %U /opt/vivarium/viv-tools");
  assert.equal(owners, 'user 755\nuser 755\nroot\n');
});

test('without a benchmark, and with those that bring their own data, it is empty and the user may write', { skip }, async (t) => {
  for (const benchmark of [undefined, 'Toolathlon', 'MCP_Mark']) {
    const box = await openLocal(['filesystem'], { server, benchmark });
    atEnd(t, () => box.close());
    assert.equal(await inBox(box, 'ls -A; echo yes > a; mkdir b; cat a; rmdir b; rm a'), 'yes\n', String(benchmark));
  }
});

test('a sandbox changes its own workspace and none else', { skip }, async (t) => {
  const [one, other] = await Promise.all([0, 1].map(() => openLocal(['filesystem'], { server, benchmark: 'MCP_Atlas' })));
  atEnd(t, () => one.close());
  atEnd(t, () => other.close());
  await inBox(one, 'rm -rf repos; echo gone > staff.csv; sudo rm /opt/vivarium/viv-tools');
  assert.match(await inBox(other, 'ls repos | wc -l; cat staff.csv; ls /opt/vivarium'), /^4\nstaff_id,[^]*viv-tools\n$/);
  const { status } = await server.call('POST', `/local-sandbox/${one.id}/reset`);
  assert.equal(status, 200);
  one.box = undefined;
  assert.match(await inBox(one, 'ls repos | wc -l; cat staff.csv; ls /opt/vivarium'), /^4\nstaff_id,[^]*viv-tools\n$/);
});

/** A folder of the operator's, gone with the test. */
function operatorsFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), 'viv-local-data-'));
  atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'MCP_Atlas/sub'), { recursive: true });
  mkdirSync(join(folder, 'default'));
  writeFileSync(join(folder, 'MCP_Atlas/sub/own.txt'), 'first');
  writeFileSync(join(folder, 'default/always.txt'), 'always');
  return folder;
}

test("the operator's data takes the built-in one's place, and sandboxes keep the version they began with", { skip }, async (t) => {
  const folder = operatorsFolder(t);
  const own = await Server.start({ boxes: 'keep', args: ['--local-data', folder, '--parked', '0'] });
  atEnd(t, () => own.stop());
  const older = await openLocal(['filesystem'], { server: own, benchmark: 'MCP_Atlas' });
  assert.equal(await inBox(older, 'ls /data; cat /data/sub/own.txt'), 'sub\nfirst');
  const plain = await openLocal(['filesystem'], { server: own });
  assert.equal(await inBox(plain, 'cat /data/always.txt'), 'always');
  await plain.close();

  writeFileSync(join(folder, 'MCP_Atlas/sub/own.txt'), 'second');
  await own.crashAndRestart();
  const newer = await openLocal(['filesystem'], { server: own, benchmark: 'MCP_Atlas' });
  assert.equal(await inBox(newer, 'cat /data/sub/own.txt'), 'second');
  older.box = undefined;
  assert.equal(await inBox(older, 'cat /data/sub/own.txt'), 'first');
  const versions = () => execFileSync('ls', [join(own.data, 'local/trees')], { encoding: 'utf8' }).trim().split('\n').length;
  const before = versions();
  await older.close();
  await newer.close();
  await own.crashAndRestart();
  assert.equal(versions(), before - 1, 'what nobody stands on goes');
});

test('data that has no business in a workspace stops the start, by its name', { skip }, async (t) => {
  const folder = operatorsFolder(t);
  const refused = (args, pattern) => assert.rejects(Server.start({ boxes: true, args }), pattern);
  symlinkSync('/etc/shadow', join(folder, 'MCP_Atlas/sub/secrets'));
  await refused(['--local-data', folder], /MCP_Atlas: sub\/secrets is a link that leads out of the workspace, to \/etc\/shadow/);
  rmSync(join(folder, 'MCP_Atlas/sub/secrets'));
  execFileSync('mkfifo', [join(folder, 'default/pipe')]);
  await refused(['--local-data', folder], /default: pipe is a device, socket or pipe/);
  await refused(['--local-data', join(folder, 'nowhere')], /nowhere is no folder/);
  await refused(['--tools', join(folder, 'nothing')], /there is no viv-tools at/);
});
