// The terminal under both policies: what runs, what is refused, and what is stopped.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openLocal } from '../support/local.js';

const boxes = {};
before(async () => {
  for (const benchmark of ['MCP_Atlas', 'Toolathlon']) {
    boxes[benchmark] = await openLocal(['terminal'], { benchmark });
    await boxes[benchmark].write('note.txt', 'hello\n');
    await boxes[benchmark].write('b c.txt', 'space\n');
  }
});
after(() => Promise.all(Object.values(boxes).map((box) => box.close())));

async function run(benchmark, command, options) {
  const client = await boxes[benchmark].client('terminal');
  const result = await client.callTool({ name: 'run_command', arguments: { command } }, undefined, options);
  assert.ok(!result.isError, JSON.stringify(result));
  return result.content.map((block) => block.text);
}
const done = (code) => `\nCommand completed with return code: ${code}`;

test('the rules are told', async () => {
  const rules = async (benchmark) => (await (await boxes[benchmark].client('terminal')).callTool({ name: 'show_security_rules', arguments: {} })).content[0].text;
  assert.equal(await rules('MCP_Atlas'), `Security Configuration:\n==================\nWorking Directory: ${boxes.MCP_Atlas.workspace}\n\nAllowed Commands:\n----------------\ncat, find, ls\n\nAllowed Flags:\n-------------\n\n\nSecurity Limits:\n---------------\nMax Command Length: 1024 characters\nCommand Timeout: 30 seconds\n`);
  const wide = await rules('Toolathlon');
  assert.equal(wide.split('----------------\n')[1].split('\n')[0].split(', ').length, 59);
  assert.match(wide, /Max Stdout Length: 8192 characters\nMax Stderr Length: 2048 characters\nShell Operators: Enabled\n/);
});

test('MCP_Atlas reads and no more', async () => {
  const cases = [
    ['cat note.txt', ['hello\n', done(0)]],
    ['cat "b c.txt" nope', ['space\n', 'cat: nope: No such file or directory\n', done(1)]],
    ['rm note.txt', ["Security violation: Command 'rm' is not allowed"]],
    ['ls; ls', ["Security violation: Shell operator ';' is not supported. Set ALLOW_SHELL_OPERATORS=true to enable."]],
    ['ls $(pwd)', ["ls: cannot access '$(pwd)': No such file or directory\n", done(2)]],
    ['', ['Security violation: Empty command']],
    ["cat 'x", ['Security violation: Invalid command format: No closing quotation']],
    ['x'.repeat(1025), ['Security violation: Command exceeds maximum length of 1024']],
  ];
  for (const [command, blocks] of cases) assert.deepEqual(await run('MCP_Atlas', command), blocks, command);
  const { workspace } = boxes.MCP_Atlas;
  assert.deepEqual(await run('MCP_Atlas', "find . -maxdepth 1 -name 'note*'"), [`${workspace}/note.txt\n`, done(0)]);
  for (const path of ['/etc/passwd', '../x', '..', `${workspace}/../etc`])
    assert.deepEqual(await run('MCP_Atlas', `cat ${path}`), [`Security violation: Path '${path}' is outside of allowed directory: ${workspace}`], path);
});

test('Toolathlon works with operators, each part held to the list', async () => {
  const { workspace } = boxes.Toolathlon;
  assert.deepEqual(await run('Toolathlon', 'echo one > n.txt && cat n.txt note.txt | wc -l'), ['2\n', done(0)]);
  assert.deepEqual(await run('Toolathlon', 'python -c "print(6*7)"'), ['42\n', done(0)]);
  assert.deepEqual(await run('Toolathlon', 'ls | bash'), ["Security violation: Invalid command part 'bash': Command 'bash' is not allowed"]);
  assert.deepEqual(await run('Toolathlon', 'echo x > /etc/x'), [`Security violation: Invalid file path '/etc/x': Path '/etc/x' is outside of allowed directory: ${workspace}`]);
  assert.deepEqual(await run('Toolathlon', 'cd sub'), ["Error: Command execution failed: [Errno 2] No such file or directory: 'cd'"]);
  const python = `__import__('os').symlink('/etc', 'out')`;
  assert.deepEqual(await run('Toolathlon', `python -c "${python}"`), [done(0)]);
  for (const path of ['out', 'out/passwd'])
    assert.deepEqual(await run('Toolathlon', `ls ${path}`), [`Security violation: Path '${path}' is outside of allowed directory: ${workspace}`]);
});

test('floods are cut, binary is named, other arguments are refused', async () => {
  await boxes.Toolathlon.write('flood.py', 'import sys\nfor i in range(200000): sys.stdout.write("y" * 9999 + "\\n")\n');
  const [text, end] = await run('Toolathlon', 'python flood.py');
  assert.equal(text, `${'y'.repeat(8192)}...[output truncated]`);
  assert.equal(end, done(0));
  await boxes.Toolathlon.write('bin', Buffer.from([255, 0, 1]));
  assert.deepEqual(await run('Toolathlon', 'cat bin'), ["Error: Command execution failed: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"]);
  const client = await boxes.Toolathlon.client('terminal');
  const result = await client.callTool({ name: 'run_command', arguments: {} });
  assert.deepEqual([result.isError, result.content[0].text], [true, "Input validation error: 'command' is a required property"]);
});

test('a command that never ends stops when its caller gives up, and so do its children', async () => {
  await boxes.Toolathlon.write('forks.py', [
    'import os, sys, time', 'if os.fork() == 0:', '    open("child", "w").write(str(os.getpid()))', '    time.sleep(1000)', 'time.sleep(1000)', ''].join('\n'));
  const giveUp = new AbortController();
  const running = run('Toolathlon', 'python forks.py', { signal: giveUp.signal });
  let pid = '';
  while (!/^\d+$/.test(pid)) pid = String((await boxes.Toolathlon.read('child').catch(() => '')) ?? '');
  giveUp.abort();
  await assert.rejects(running);
  for (;;) {
    const [out] = await run('Toolathlon', `ps -o stat= -p ${pid}`);
    if (!/^[RSD]/.test(out)) break;
  }
  assert.deepEqual((await run('Toolathlon', 'cat note.txt'))[0], 'hello\n');
});
