// Pushes that are small and unpack to much, or have far too many parts: they end, and other accounts work on.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Server } from '../support/server.js';

const environment = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Test', GIT_AUTHOR_EMAIL: 't@example.com', GIT_COMMITTER_NAME: 'Test', GIT_COMMITTER_EMAIL: 't@example.com' };
let server, folder, number = 0;
before(async () => {
  server = await Server.start({ boxes: true });
  folder = mkdtempSync(join(tmpdir(), 'viv-bombs-'));
});
after(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function makeAccount() {
  const { status, body } = await server.call('POST', '/api/viv/accounts', { json: { name: `bomb-${++number}` } });
  assert.equal(status, 201, JSON.stringify(body));
  return { key: body.key, url: `http://git:${body.key}@${server.address}/git/${body.uuid}.git`, uuid: body.uuid };
}

/** Runs a shell script in a new repository; $1 is where to push to. Never fails: { code, said }. */
function pushed(account, script) {
  const at = join(folder, `repository-${++number}`);
  execFileSync('git', ['init', '-q', '-b', 'main', at], { env: environment });
  return new Promise((done) =>
    execFile('bash', ['-c', `set -e; ${script}`, 'bash', account.url], { cwd: at, env: environment, maxBuffer: 1 << 26 }, (error, out, err) => done({ code: error ? error.code ?? 1 : 0, said: out + err })));
}

/** Somebody else pushes and clones while, and after, a bomb is handled. */
async function besideAnother(bomb) {
  const other = await makeAccount();
  const work = async () => {
    const { code, said } = await pushed(other, 'echo hello > a; git add a; git commit -q -m a; git push -q -f "$1" main; git clone -q "$1" again; cat again/a');
    assert.equal(code, 0, said);
    assert.equal(said, 'hello\n');
  };
  const [result] = await Promise.all([bomb(), work()]);
  await work();
  assert.equal((await server.call('GET', '/healthz')).status, 200);
  return result;
}

const tree = (account) => server.call('GET', `/api/sandboxes`, { headers: { Authorization: `Bearer ${account.key}` } });

test('a file of zeros: a thousand times what it takes to push', async () => {
  const account = await makeAccount();
  const { code, said } = await besideAnother(() => pushed(account, `
    blob=$(head -c 400M /dev/zero | git hash-object -w --stdin)
    tree=$(printf '100644 blob %s\\tzeros\\n' $blob | git mktree)
    git push -q "$1" $(git commit-tree -m zeros $tree):refs/heads/main`));
  // Accepted as it came: it lies in the repository compressed, and nobody unpacks it.
  assert.equal(code, 0, said);
  const size = Number(execFileSync('bash', ['-c', 'du -sk "$0" | cut -f1', join(server.data, 'repositories')], { encoding: 'utf8' }));
  assert.ok(size < 50_000, `${size} KiB on disk`);
  const listed = await tree(account);
  assert.equal(listed.status, 200);
});

test('folders that contain each other ten times over, ten levels deep', async () => {
  const account = await makeAccount();
  const { code, said } = await besideAnother(() => pushed(account, `
    id=$(echo x | git hash-object -w --stdin); kind='100644 blob'
    for level in $(seq 10); do
      id=$(for i in $(seq 0 9); do printf '%s %s\\t%s\\n' "$kind" $id $i; done | git mktree); kind='040000 tree'
    done
    git push -q "$1" $(git commit-tree -m bomb $id):refs/heads/main`));
  assert.equal(code, 0, said);
  const listed = await besideAnother(() => tree(account));
  assert.equal(listed.status, 200, 'ten thousand million files are not listed, nor does it fail');
});

test('folders nested thousands deep', async () => {
  const account = await makeAccount();
  await besideAnother(() => pushed(account, `
    python3 - > stream <<'PY'
import sys
print('commit refs/heads/main\\ncommitter T <t@example.com> 0 +0000\\ndata 1\\nx')
print('M 100644 inline ' + '/'.join('d' for i in range(2000)) + '\\ndata 1\\nx')
PY
    git fast-import --quiet < stream
    tree=$(git rev-parse main^{tree})
    for i in $(seq 500); do tree=$(printf '040000 tree %s\\td\\n' $tree | git mktree); done
    git push -q "$1" $(git commit-tree -m deep $tree):refs/heads/main`));
  await besideAnother(() => tree(account));
});

test('two thousand branches at once', async () => {
  const account = await makeAccount();
  await besideAnother(() => pushed(account, `
    git commit -q --allow-empty -m x
    id=$(git rev-parse HEAD)
    for i in $(seq 2000); do echo "create refs/heads/b$i $id"; done | git update-ref --stdin
    git push -q --all "$1"`));
});

test('twenty thousand objects', async () => {
  const account = await makeAccount();
  await besideAnother(() => pushed(account, `
    python3 - > stream <<'PY'
print('commit refs/heads/main\\ncommitter T <t@example.com> 0 +0000\\ndata 1\\nx')
for i in range(20_000):
    text = str(i)
    print(f'M 100644 inline f{i % 1000}/{i}\\ndata {len(text)}\\n{text}')
PY
    git fast-import --quiet < stream
    git push -q "$1" main`));
});
