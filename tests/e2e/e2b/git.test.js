// The SDK's git module, which runs the git of the sandbox, against a bare repository in the same sandbox.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandExitError, GitUpstreamError, InvalidArgumentError } from 'e2b';
import { rejection, withBoxes } from '../support/e2b.js';

const host = withBoxes();
const repository = '/home/user/project';
const author = { authorName: 'A. Tester', authorEmail: 'tester@example.com' };

/** A repository with one commit on `main`. */
async function start(t) {
  const sandbox = await host.create(t);
  const { git, files } = sandbox;
  await git.init(repository, { initialBranch: 'main' });
  await files.write(`${repository}/readme`, 'first\n');
  await git.add(repository);
  await git.commit(repository, 'The first', author);
  return sandbox;
}

test('a repository is made, changed and looked at', async (t) => {
  const { git, files, commands } = await start(t);
  assert.equal((await commands.run('git log --format="%s by %an <%ae>"', { cwd: repository })).stdout, 'The first by A. Tester <tester@example.com>\n');
  const clean = await git.status(repository);
  assert.equal(clean.currentBranch, 'main');
  assert.equal(clean.isClean, true);
  await files.write(`${repository}/readme`, 'second\n');
  await files.write(`${repository}/new`, 'new\n');
  const changed = await git.status(repository);
  assert.equal(changed.isClean, false);
  assert.equal(changed.totalCount, 2);
  assert.equal(changed.untrackedCount, 1);
  assert.equal(changed.hasStaged, false);
  await git.add(repository, { files: ['readme'] });
  assert.equal((await git.status(repository)).stagedCount, 1);
  await git.add(repository, { all: true });
  assert.equal((await git.status(repository)).stagedCount, 2);
  await git.commit(repository, 'The "second"', author);
  await git.commit(repository, 'Nothing new', { ...author, allowEmpty: true });
  assert.equal((await commands.run('git rev-list --count HEAD', { cwd: repository })).stdout, '3\n');
});

test('branches are made, entered and removed', async (t) => {
  const { git } = await start(t);
  await git.createBranch(repository, 'topic');
  const both = await git.branches(repository);
  assert.deepEqual([...both.branches].sort(), ['main', 'topic']);
  assert.equal(both.currentBranch, 'topic');
  await git.checkoutBranch(repository, 'main');
  await git.deleteBranch(repository, 'topic');
  assert.deepEqual((await git.branches(repository)).branches, ['main']);
  await git.createBranch(repository, 'ahead');
  await git.commit(repository, 'Ahead', { ...author, allowEmpty: true });
  await git.checkoutBranch(repository, 'main');
  await rejection(git.deleteBranch(repository, 'ahead'), CommandExitError);
  await git.deleteBranch(repository, 'ahead', { force: true });
});

test('changes are taken back', async (t) => {
  const { git, files } = await start(t);
  await files.write(`${repository}/readme`, 'worse\n');
  await git.add(repository);
  await git.reset(repository, { paths: ['readme'] });
  assert.equal((await git.status(repository)).stagedCount, 0);
  await git.restore(repository, { paths: ['readme'] });
  assert.equal(await files.read(`${repository}/readme`), 'first\n');
  await files.write(`${repository}/readme`, 'worse\n');
  await git.add(repository);
  await git.restore(repository, { paths: ['.'], staged: true, worktree: true });
  assert.equal(await files.read(`${repository}/readme`), 'first\n');
  await files.write(`${repository}/readme`, 'kept\n');
  await git.add(repository);
  await git.commit(repository, 'To be dropped', author);
  await git.reset(repository, { mode: 'hard', target: 'HEAD~1' });
  assert.equal(await files.read(`${repository}/readme`), 'first\n');
});

test('commits travel to a remote and from it', async (t) => {
  const { git, files, commands } = await start(t);
  await git.init('/tmp/remote.git', { bare: true, initialBranch: 'main' });
  assert.equal(await git.remoteGet(repository, 'origin'), undefined);
  await git.remoteAdd(repository, 'origin', '/tmp/elsewhere.git');
  await git.remoteAdd(repository, 'origin', '/tmp/remote.git', { overwrite: true });
  assert.equal(await git.remoteGet(repository, 'origin'), '/tmp/remote.git');
  await rejection(git.pull(repository), GitUpstreamError);
  await git.push(repository, { remote: 'origin', branch: 'main', setUpstream: true });

  await git.clone('/tmp/remote.git', { path: '/home/user/copy', branch: 'main' });
  await git.clone('file:///tmp/remote.git', { path: '/home/user/shallow', depth: 1 });
  await files.write('/home/user/copy/more', 'more\n');
  await git.add('/home/user/copy', { all: true });
  await git.commit('/home/user/copy', 'More', author);
  await git.push('/home/user/copy');
  await git.pull(repository);
  assert.equal(await files.read(`${repository}/more`), 'more\n');
  const status = await git.status(repository);
  assert.equal(status.ahead, 0);
  assert.equal(status.behind, 0);
  assert.equal((await commands.run('git rev-list --count HEAD', { cwd: '/home/user/shallow' })).stdout, '1\n');
});

test('settings and credentials are kept', async (t) => {
  const { git, commands } = await start(t);
  assert.equal(await git.getConfig('pull.rebase'), undefined);
  await git.setConfig('pull.rebase', 'true');
  assert.equal(await git.getConfig('pull.rebase'), 'true');
  await git.setConfig('core.fileMode', 'false', { scope: 'local', path: repository });
  assert.equal(await git.getConfig('core.fileMode', { scope: 'local', path: repository }), 'false');
  await rejection(git.setConfig('a.b', 'c', { scope: 'local' }), InvalidArgumentError);
  await git.configureUser('Somebody', 'somebody@example.com');
  assert.equal(await git.getConfig('user.name'), 'Somebody');
  assert.equal(await git.getConfig('user.email'), 'somebody@example.com');
  await git.dangerouslyAuthenticate({ username: 'me', password: 'pa55', host: 'git.example.com' });
  const filled = await commands.run("printf 'protocol=https\\nhost=git.example.com\\n\\n' | git credential fill");
  assert.match(filled.stdout, /username=me\npassword=pa55/);
});
