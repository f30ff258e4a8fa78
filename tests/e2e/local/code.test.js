// code-runner and code-executor: programs in many languages, and Python files that are built, run and kept.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { wheelOf } from '../support/archives.js';
import { callTool, openLocal } from '../support/local.js';

let box;
before(async () => (box = await openLocal(['code-runner', 'code-executor'])));
after(() => box?.close());

const runner = (languageId, code) => callTool(box, 'code-runner', 'run-code', { languageId, code });
/** What code-executor says: its JSON, with the block's isError checked against it. */
async function executor(name, args = {}) {
  const { text, isError, result } = await callTool(box, 'code-executor', name, args);
  assert.equal(isError, false);
  const body = JSON.parse(text);
  if ('isError' in result.content[0]) assert.equal(result.content[0].isError, body.status === 'error');
  return body;
}

test('code-runner runs what has an interpreter, in the workspace', async () => {
  await box.write('in.txt', 'data');
  assert.equal((await runner('python', 'print(open("in.txt").read())')).text, 'data\n');
  assert.equal((await runner('javascript', 'console.log(require("fs").readFileSync("in.txt", "utf8"))')).text, 'data\n');
  assert.equal((await runner('shellscript', 'pwd')).text, `${box.workspace}\n`);
  assert.equal((await runner('perl', 'print "hi"')).text, 'hi');
});

test('code-runner says what went wrong', async () => {
  const cases = [
    [['shellscript', 'echo bad >&2; exit 2'], /^Error: Command failed: bash ".*\/tmp\.shellscript"\nbad\n$/],
    [['shellscript', 'echo out; echo warned >&2'], /^Stderr: warned\n$/],
    [['python', 'raise ValueError("x")'], /^Error: Command failed: python3? -u ".*"\nTraceback[^]*ValueError: x\n$/],
    [['shellscript', ''], /^Code is required\.$/],
    [['autoit', 'x'], /The program 'autoit3', which runs autoit, is not installed in this sandbox\. Languages that can run here: javascript, /],
    [['cobol', 'x'], /^MCP error -32602: Input validation error: [^]*languageId/],
    [['shellscript', 'yes | head -c 2G'], /^Error: stdout maxBuffer length exceeded$/],
  ];
  for (const [args, expected] of cases) {
    const { text, isError } = await runner(...args);
    assert.equal(isError, true, text);
    assert.match(text, expected);
  }
  const extra = await callTool(box, 'code-runner', 'run-code', { languageId: 'perl', code: '1', more: 1 });
  assert.ok(extra.isError === false || /unrecognized/i.test(extra.text), extra.text);
  assert.equal((await runner('shellscript', "printf 'a\\377b'")).text, 'a\ufffdb');
});

test('code-runner leaves neither files nor processes behind', async () => {
  const [file, pid] = (await runner('shellscript', 'echo "$0"; sleep 1000 & echo $!')).text.split('\n');
  assert.match((await runner('shellscript', `ls ${file} && echo there; true`)).text, /No such file/);
  const alive = `case "$(ps -o stat= -p ${pid})" in [RSD]*) echo alive;; esac`;
  while ((await runner('shellscript', alive)).text === 'alive\n');
});

test('code-executor runs code among the workspace and keeps the file', async () => {
  const body = await executor('execute_code', { code: 'print(open("in.txt").read())', filename: 'look.py' });
  assert.match(body.generated_filename, /^look_[0-9a-f]{8}\.py$/);
  assert.deepEqual(body, { status: 'success', output: 'data\n', file_path: `${box.workspace}/.code_executor/${body.generated_filename}`, generated_filename: body.generated_filename });
  assert.match((await executor('execute_code', { code: 'print(1)' })).generated_filename, /^code_[0-9a-f]{8}\.py$/);
  const warned = await executor('execute_code', { code: 'import sys; print("w", file=sys.stderr)' });
  assert.deepEqual([warned.status, warned.output], ['error', 'w\n']);
  const failed = await executor('execute_code', { code: '1/0' });
  assert.match(failed.error, /^Command failed: python3 -u ".*"\nTraceback[^]*ZeroDivisionError: division by zero\n$/);
  assert.equal((await executor('execute_code', { code: 'for i in range(300): print("x" * 9999)' })).error, 'stdout maxBuffer length exceeded');
});

test('code-executor installs a package, and says which it cannot', async () => {
  await box.write('wheels/tiny-1.0-py3-none-any.whl', wheelOf('tiny', 'word = "from a wheel"'));
  await (await box.files()).write('/home/user/.config/pip/pip.conf', `[global]\nno-index = true\nfind-links = ${box.workspace}/wheels\n`);
  const installed = await executor('install_dependencies', { packages: ['tiny'] });
  assert.deepEqual([installed.status, installed.installed_packages], ['success', ['tiny']], JSON.stringify(installed));
  assert.equal((await executor('execute_code', { code: 'import tiny; print(tiny.word)' })).output, 'from a wheel\n');
  const lacking = await executor('install_dependencies', { packages: ['no-such-package'] });
  assert.equal(lacking.status, 'error');
  assert.match(lacking.error, /No matching distribution found for no-such-package/);
});

test('code-executor builds, reads and runs files', async () => {
  const made = await executor('initialize_code_file', { content: 'import pandas as pd\n', filename: 'table' });
  assert.equal(made.message, 'File initialized successfully');
  const file_path = made.file_path;
  assert.deepEqual(await executor('append_to_code_file', { file_path, content: 'print(pd.DataFrame({"a": [1, 2]}).a.sum())\n' }), { status: 'success', message: 'Content appended successfully', file_path });
  assert.match((await executor('read_code_file', { file_path })).content, /^import pandas as pd\nprint/);
  assert.equal((await executor('execute_code_file', { file_path })).output, '3\n');
  assert.match((await box.read(`.code_executor/${made.filename}`)).toString(), /^import pandas/);
});

test('code-executor stays in the workspace', async () => {
  for (const name of ['read_code_file', 'execute_code_file'])
    assert.deepEqual(await executor(name, { file_path: 'nope.py' }), { status: 'error', error: "ENOENT: no such file or directory, access 'nope.py'", file_path: 'nope.py' });
  for (const file_path of ['/etc/passwd', '../../../etc/passwd'])
    assert.match((await executor('read_code_file', { file_path })).error, /^Access denied/);
  assert.match((await executor('append_to_code_file', { file_path: '/etc/passwd', content: 'x' })).error, /^Access denied/);
  assert.match((await executor('initialize_code_file', { content: 'x', filename: '../../../../tmp/x' })).error, /^Access denied/);
});

test('code-executor knows its packages and its environment', async () => {
  const found = await executor('check_installed_packages', { packages: ['json', 'no_such_module'] });
  assert.deepEqual([found.status, found.all_installed, found.not_installed], ['success', false, ['no_such_module']]);
  assert.deepEqual(found.package_details.no_such_module, { installed: false, error: 'Package not found' });
  assert.equal((await executor('check_installed_packages', { packages: [] })).error, 'No packages specified');
  assert.equal((await executor('install_dependencies', { packages: ['--index-url=http://x'] })).error, "Invalid package name: '--index-url=http://x'");
  assert.deepEqual(await executor('get_environment_config'), { status: 'success', config: { type: 'venv', venv_path: '/usr' } });
  assert.equal((await executor('configure_environment', { type: 'venv-uv' })).error, "uv_venv_path is required when type is 'venv-uv'");
  await executor('configure_environment', { type: 'venv', venv_path: '/nowhere' });
  assert.match((await executor('execute_code', { code: '1' })).error, /^Command failed: source \/nowhere\/bin\/activate && python3 -u [^]*No such file or directory/);
  const back = await executor('configure_environment', { type: 'venv', venv_path: '/usr' });
  assert.deepEqual([back.previous.venv_path, back.current.venv_path], ['/nowhere', '/usr']);
});

test('what code-executor lacks fails the call itself', async () => {
  for (const [name, args] of [['execute_code', {}], ['execute_code', { code: '' }], ['nope', {}], ['configure_environment', { type: 'other' }]])
    await assert.rejects(callTool(box, 'code-executor', name, args), /-32603/, name);
});

test('MCP_Atlas keeps code in its own folder and runs it there', async () => {
  const atlas = await openLocal(['code-executor'], { benchmark: 'MCP_Atlas' });
  try {
    const { text } = await callTool(atlas, 'code-executor', 'execute_code', { code: 'import os; print(os.getcwd())' });
    assert.equal(JSON.parse(text).output, `${atlas.workspace}/repos/mcp_code_executor_workspace\n`);
  } finally {
    await atlas.close();
  }
});
