// The git server, on repositories made with its own tools and with plain git.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { callTool, openLocal } from '../support/local.js';

let box;
let repo;
const call = (name, args = {}) => callTool(box, 'git', name, { repo_path: repo, ...args });
const shell = (command) => callTool(box, 'terminal', 'run_command', { command });

before(async () => {
  box = await openLocal(['git', 'terminal']);
  repo = `${box.workspace}/repo`;
  await box.write('repo/a.txt', 'one\n');
  for (const command of ['git init -q -b main repo', 'git -C repo config user.name Ann', 'git -C repo config user.email ann@example.org'])
    assert.match((await shell(command)).text, /return code: 0$/, command);
});
after(() => box?.close());

test('lists its twelve tools with descriptions', async () => {
  const { tools } = await (await box.client('git')).listTools();
  assert.equal(tools.length, 12);
  for (const tool of tools) assert.ok(tool.description.length > 20 && tool.annotations, tool.name);
});

test('a repository grows from nothing', async () => {
  assert.match((await call('git_status')).text, /^Repository status:\nOn branch main\n\nNo commits yet/);
  const { text, isError } = await call('git_log');
  assert.deepEqual([text, isError], ["Reference at 'refs/heads/main' does not exist", true]);
  assert.equal((await call('git_add', { files: ['a.txt'] })).text, 'Files staged successfully');
  assert.match((await call('git_diff_staged')).text, /^Staged changes:\ndiff --git a\/a.txt b\/a.txt\nnew file/);
  assert.match((await call('git_commit', { message: "first's" })).text, /^Changes committed successfully with hash [0-9a-f]{40}$/);
  await box.write('repo/a.txt', 'two\n');
  assert.match((await call('git_diff_unstaged', { context_lines: 0 })).text, /^Unstaged changes:\n[^]*@@ -1 \+1 @@\n-one\n\+two$/);
  await call('git_add', { files: ['.'] });
  assert.equal((await call('git_reset')).text, 'All staged changes reset');
  assert.equal((await call('git_diff_staged')).text, 'Staged changes:\n');
  await call('git_add', { files: ['.'] });
  await call('git_commit', { message: 'second\n\nwith "both" \'quotes\'' });
  const log = (await call('git_log', { max_count: 1 })).text;
  assert.match(log, /^Commit history:\nCommit: '[0-9a-f]{40}'\nAuthor: <git\.Actor "Ann <ann@example\.org>">\nDate: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d:\d\d\n/);
  assert.ok(log.endsWith(`Message: 'second\\n\\nwith "both" \\'quotes\\''\n`), log);
  const since = (await call('git_log', { start_timestamp: '2 weeks ago' })).text;
  assert.equal(since.match(/^Commit: [0-9a-f]{40}$/gm).length, 2);
});

test('commits are shown, compared and branched from', async () => {
  assert.match((await call('git_show', { revision: 'HEAD' })).text, /Date: datetime\.datetime\(\d{4}, [^]*\n--- a\.txt\n\+\+\+ a\.txt\n@@ -1 \+1 @@\n-one\n\+two\n$/);
  assert.match((await call('git_diff', { target: 'HEAD~1' })).text, /^Diff with HEAD~1:\n/);
  assert.equal((await call('git_create_branch', { branch_name: 'side' })).text, "Created branch 'side' from 'main'");
  assert.equal((await call('git_checkout', { branch_name: 'side' })).text, "Switched to branch 'side'");
  assert.equal((await call('git_branch', { branch_type: 'local' })).text, '  main\n* side');
  assert.equal((await call('git_branch', { branch_type: 'other' })).text, 'Invalid branch type: other');
  await call('git_checkout', { branch_name: 'main' });
});

test('what cannot be done is an error that says why', async () => {
  await box.write('plain/x', '');
  const unresolved = (name) => `Ref '${name}' did not resolve to an object`;
  const cases = [
    ['git_status', { repo_path: `${box.workspace}/plain` }, `${box.workspace}/plain`],
    ['git_status', { repo_path: '/nowhere' }, '/nowhere'],
    ['git_diff_unstaged', { context_lines: 'x' }, /^Input validation error: 'x' is not of type 'integer'/],
    ['git_reset', { repo_path: `${box.workspace}/plain` }, `${box.workspace}/plain`],
    ['git_status', { repo_path: 7 }, /^Input validation error: 7 is not of type 'string'/],
    ['git_diff', { target: 'nope' }, unresolved('nope')],
    ['git_diff', { target: '--output=/tmp/x' }, unresolved("Invalid target: '--output=/tmp/x' - cannot start with '-'")],
    ['git_show', { revision: 'HEAD~99' }, unresolved("Invalid revision spec 'HEAD~99' - not enough parent commits to reach '~99'")],
    ['git_log', { start_timestamp: '--all' }, "Invalid start_timestamp: '--all' - cannot start with '-'"],
    ['git_checkout', { branch_name: '-f' }, unresolved("Invalid branch name: '-f' - cannot start with '-'")],
    ['git_create_branch', { branch_name: 'a b' }, /^Invalid reference 'refs\/heads\/a b'/],
    ['git_create_branch', { branch_name: 'x', base_branch: 'nope' }, 'No item found with id nope'],
    ['git_add', { files: ['../plain/x'] }, `Path '../plain/x' is outside the repository '${repo}'`],
    ['git_add', { files: ['nope'] }, "Cmd('git') failed due to: exit code(128)\n  cmdline: git add -- nope\n  stderr: 'fatal: pathspec 'nope' did not match any files'"],
    ['git_branch', { branch_type: 'local', contains: '-x' }, unresolved("Invalid contains value: '-x' - cannot start with '-'")],
    ['git_commit', {}, "Input validation error: 'message' is a required property"],
  ];
  for (const [name, args, expected] of cases) {
    const { text, isError } = await call(name, args);
    assert.equal(isError, true, name + text);
    if (expected instanceof RegExp) assert.match(text, expected);
    else assert.equal(text, expected);
  }
});

test('a repository cannot run programs through its hooks, nor a link lead out of it', async () => {
  await box.write('repo/.git/hooks/post-checkout', '#!/bin/sh\necho ran > ../hooked\n');
  await shell('chmod +x repo/.git/hooks/post-checkout');
  assert.equal((await call('git_checkout', { branch_name: 'side' })).text, "Switched to branch 'side'");
  await call('git_checkout', { branch_name: 'main' });
  await assert.rejects(box.read('hooked'));
  const linked = await callTool(box, 'terminal', 'run_command', { command: `python -c "__import__('os').symlink('/etc', 'repo/out')"` });
  assert.match(linked.text, /return code: 0$/);
  assert.match((await call('git_add', { files: ['out/passwd'] })).text, /^Path 'out\/passwd' is outside the repository/);
});

test('large and binary changes come back whole or cut, never broken', async () => {
  await box.write('repo/big.txt', 'x'.repeat(99) + '\n' + `${'y'.repeat(99)}\n`.repeat(60_000));
  await box.write('repo/bin.dat', Buffer.from([0, 255, 254, 10]));
  await call('git_add', { files: ['.'] });
  const { text } = await call('git_diff_staged');
  assert.ok(text.length < 4.5e6 && text.endsWith('[cut after 4 MiB; ask for less at once]'), String(text.length));
  await call('git_commit', { message: 'big' });
  assert.match((await call('git_show', { revision: 'HEAD' })).text, /\n--- None\n\+\+\+ big\.txt\n[^]*\[cut after 4 MiB/);
});
