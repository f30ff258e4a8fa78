// desktop-commander: files, searches and processes that live on between calls; and what an agent should not get away with.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { callTool, openLocal } from '../support/local.js';

let box;
before(async () => {
  if (process.env.VIV_TOOLS_STDIO) process.env.HOME = mkdtempSync(join(tmpdir(), 'viv-home-'));
  box = await openLocal(['desktop-commander']);
});
after(() => box?.close());

const call = (tool, args) => callTool(box, 'desktop-commander', tool, args);
const shell = async (command) => (await call('start_process', { command, timeout_ms: 60000 })).text;
const pidOf = (text) => Number(/PID (\d+)/.exec(text)[1]);

/** Rows of tool, arguments and what the answer must match; a fourth `true` means that it is an error. */
async function table(rows) {
  for (const [tool, args, expected, isError = false] of rows) {
    const answer = await call(tool, args);
    const shown = `${tool} ${JSON.stringify(args).slice(0, 200)}: ${answer.text.slice(0, 500)}`;
    if (typeof expected === 'string') assert.equal(answer.text, expected, shown);
    else assert.match(answer.text, expected, shown);
    assert.equal(answer.isError, isError, shown);
  }
}

test('lists the tools of its original', async () => {
  const { tools } = await (await box.client('desktop-commander')).listTools();
  assert.equal(tools.length, 21);
  for (const tool of tools) assert.ok(tool.description.length > 20, tool.name);
});

test('reads and writes files by lines', async () => {
  await box.write('read/a.txt', 'one\ntwo\nthree\nfour\n');
  await box.write('read/i.png', Buffer.from('89504e470d0a1a0a', 'hex'));
  await box.write('read/b.bin', Buffer.from([0, 1, 2, 255]));
  await table([
    ['read_file', { path: 'read/a.txt' }, '[Reading 4 lines from start (total: 5 lines, 1 remaining)]\n\none\ntwo\nthree\nfour'],
    ['read_file', { path: 'read/a.txt', offset: 1, length: 2 }, '[Reading 2 lines from line 1 (total: 5 lines, 2 remaining)]\n\ntwo\nthree'],
    ['read_file', { path: 'read/a.txt', offset: -2 }, '[Reading last 2 lines (total: 5 lines)]\n\nthree\nfour'],
    ['read_file', { path: 'read/a.txt', offset: 99 }, /^\[Reading 0 lines from line 99 /],
    ['read_file', { path: 'read/b.bin' }, /^Cannot read binary file as text: b\.bin/],
    ['read_file', { path: 'read/none' }, /ENOENT: no such file or directory, stat/, true],
    ['read_file', { path: 'read' }, /was not a file/, true],
    ['read_file', {}, /path/, true],
    ['read_file', { path: 'file:///etc/passwd', isUrl: true }, /^Error: Failed to fetch URL/, true],
    ['read_file', { path: 'http://127.0.0.1:1/', isUrl: true }, /^Error: Failed to fetch URL/, true],
    ['read_multiple_files', { paths: ['read/a.txt', 'read/none'] }, /^read\/a\.txt: text\/plain \(text\)\nread\/none: Error - ENOENT[^]*--- read\/a\.txt contents: ---\n\[Reading 4/],
    ['read_multiple_files', { paths: Array(300).fill('x') }, /200/, true],
    ['write_file', { path: 'read/n.txt', content: 'a\nb' }, 'Successfully wrote to read/n.txt (2 lines) '],
    ['write_file', { path: 'read/n.txt', content: '\nc', mode: 'append' }, 'Successfully appended to read/n.txt (2 lines) '],
    ['write_file', { path: 'read/n.txt', content: 'x', mode: 'prepend' }, /./, true],
    ['write_file', { path: 'read/no/n.txt', content: 'x' }, /ENOENT: no such file or directory, open/, true],
    ['write_file', { path: 'read', content: 'x' }, /EISDIR/, true],
    ['write_file', { path: 'read/long.txt', content: Array(60).fill('x').join('\n') }, /File written successfully! \(60 lines\)/],
  ]);
  assert.equal(String(await box.read('read/n.txt')), 'a\nb\nc');
  const image = (await call('read_file', { path: 'read/i.png' })).result.content;
  assert.equal(image[1].type, 'image');
  assert.equal(image[1].data, 'iVBORw0KGgo=');
});

test('makes, lists, moves and describes', async () => {
  await box.write('dir/f.txt', 'x\ny');
  await table([
    ['create_directory', { path: 'dir/a/b/c' }, 'Successfully created directory dir/a/b/c'],
    ['create_directory', { path: 'dir/f.txt' }, /EEXIST/, true],
    ['create_directory', { path: 'dir/f.txt/g' }, /ENOTDIR/, true],
    ['list_directory', { path: 'dir' }, '[DIR] a\n[FILE] f.txt'],
    ['list_directory', { path: 'dir/none' }, /ENOENT: no such file or directory, scandir/, true],
    ['get_file_info', { path: 'dir/f.txt' }, /^size: 3\ncreated: \w{3} \w{3} \d\d \d{4} [\d:]{8} GMT\+0000 \(Coordinated Universal Time\)\n[^]*isFile: true\npermissions: \d{3}\nlineCount: 2\nlastLine: 1\nappendPosition: 2$/],
    ['get_file_info', { path: 'dir/none' }, /ENOENT/, true],
    ['move_file', { source: 'dir/f.txt', destination: 'dir/g.txt' }, 'Successfully moved dir/f.txt to dir/g.txt'],
    ['move_file', { source: 'dir/f.txt', destination: 'dir/h.txt' }, /ENOENT[^]*rename [^]*-> /, true],
    ['move_file', { source: '.', destination: 'dir/h' }, /./, true],
  ]);
});

test('searches names and contents', async () => {
  await box.write('search/src/Main.js', 'const hello = 1;\nhello(hello)\n');
  await box.write('search/.hidden', 'hello');
  await box.write('search/.git/HEAD', 'hello');
  await box.write('search/.gitignore', '*.log\n/out/\n');
  await box.write('search/x.log', 'hello');
  await box.write('search/out/y.txt', 'hello');
  await box.write('search/b.bin', Buffer.from('hello\0hello'));
  const main = `${box.workspace}/search/src/Main.js`;
  await table([
    ['search_files', { path: 'search', pattern: 'MAIN' }, main],
    ['search_files', { path: 'search', pattern: 'zzz' }, 'No matches found or search timed out after 30000ms.'],
    ['search_code', { path: 'search', pattern: 'HELLO' }, `${main}:\n  1: hello\n  2: hello\n  2: hello`],
    ['search_code', { path: 'search', pattern: 'HELLO', ignoreCase: false }, /^No matches found/],
    ['search_code', { path: 'search', pattern: '^const', contextLines: 1 }, `${main}:\n  1: const\n  2: hello(hello)`],
    ['search_code', { path: 'search', pattern: 'hello', filePattern: '*.log' }, /x\.log:\n {2}1: hello$/],
    ['search_code', { path: 'search', pattern: 'hello', includeHidden: true, maxResults: 1 }, /\.hidden:\n {2}1: hello/],
    ['search_code', { path: 'search', pattern: '(' }, /^Error: Invalid pattern/, true],
    ['search_code', { path: 'search', pattern: '(?=a)\\1' }, /^Error: Invalid pattern/, true],
    ['search_code', { path: 'search', pattern: '(a+)+$'.repeat(20), timeoutMs: 5000 }, /^No matches/],
  ]);
});

test('edits exactly what was meant, and says what comes close', async () => {
  await box.write('edit/a.js', 'const value = 10;\r\nfoo();\r\nfoo();\r\n');
  const edit = (old_string, new_string, more = {}) => ['edit_block', { file_path: 'edit/a.js', old_string, new_string, ...more }];
  await table([
    [...edit('value = 10;\nfoo', 'value = 11;\nbar'), 'Successfully applied 1 edit to edit/a.js'],
    [...edit('o', '0'), /^Expected 1 occurrences but found 3 in/],
    [...edit('o', '0', { expected_replacements: 3 }), 'Successfully applied 3 edits to edit/a.js'],
    [...edit('c0nst vlaue = 11;', 'x'), /similar text with 88% similarity [^]*\nc0nst v\{-la-\}\{\+al\+\}ue = 11;\n/],
    [...edit('nothing like it at all', 'x'), /below the 70% threshold/],
    [...edit('', 'x'), /^Empty search strings are not allowed/],
    ['edit_block', { file_path: 'edit/none', old_string: 'a', new_string: 'b' }, /ENOENT/, true],
  ]);
  assert.equal(String(await box.read('edit/a.js')), 'c0nst value = 11;\r\nbar();\r\nf00();\r\n');
});

test('no file tool leaves the allowed directories', async () => {
  await shell('mkdir -p out; ln -s /etc/passwd out/link; ln -s / out/root; ln -s /nowhere/at/all out/dangling; mkfifo out/pipe');
  for (const path of ['/etc/passwd', '../../../../etc/passwd', 'out/link', 'out/root/etc/passwd', '~/.bashrc', 'out/../../x']) {
    for (const [tool, args] of [
      ['read_file', { path }],
      ['write_file', { path, content: 'x' }],
      ['get_file_info', { path }],
      ['list_directory', { path }],
      ['create_directory', { path }],
      ['move_file', { source: path, destination: 'out/mine' }],
      ['edit_block', { file_path: path, old_string: 'root', new_string: 'x' }],
      ['search_files', { path, pattern: 'a' }],
      ['search_code', { path, pattern: 'root' }],
    ]) {
      const { text, isError } = await call(tool, args);
      assert.ok(isError && text.startsWith('Error: Path not allowed: '), `${tool} ${path}: ${text.slice(0, 200)}`);
    }
  }
  for (const path of ['out/dangling', 'out/pipe', 'a\0b', 'x'.repeat(5000)]) {
    assert.ok((await call('read_file', { path })).isError, path.slice(0, 20));
    assert.ok((await call('write_file', { path, content: 'x', mode: 'append' })).isError, path.slice(0, 20));
  }
  assert.doesNotMatch((await call('search_code', { path: 'out', pattern: 'root:' })).text, /passwd/);
});

test('keeps processes between calls', async () => {
  assert.match(await shell('echo hi; pwd'), new RegExp(`^Process started with PID \\d+ \\(shell: /bin/sh\\)\nInitial output:\nhi\n${box.workspace}\n$`));
  const started = await call('start_process', { command: 'python3 -i', timeout_ms: 20000 });
  assert.match(started.text, /is waiting for input \(detected: ">>>"\)$/);
  const pid = pidOf(started.text);
  await table([
    ['interact_with_process', { pid, input: 'x = 6 * 7' }, /Input executed in process/],
    ['interact_with_process', { pid, input: 'print(x)' }, /📤 Output:\n42\n/],
    ['interact_with_process', { pid, input: '1/0' }, /ZeroDivisionError[^]*waiting for input/],
    ['list_sessions', {}, new RegExp(`PID: ${pid}, Blocked: true, Runtime: \\d+s`)],
    ['list_processes', {}, new RegExp(`PID: ${pid}, Command: -i, CPU: [\\d.]+, Memory: [\\d.]+`)],
    ['interact_with_process', { pid, input: 'exit()' }, /Process completed with exit code 0[^]*has finished execution/],
    ['read_process_output', { pid }, /Process completed with exit code 0\nRuntime: [\d.]+s$/],
    ['interact_with_process', { pid, input: 'x' }, /^Error: Failed to send input/, true],
    ['force_terminate', { pid }, `No active session found for PID ${pid}`],
    ['read_process_output', { pid: 99999999 }, 'No session found for PID 99999999', true],
    ['start_process', { command: 'ls; sudo id', timeout_ms: 1000 }, 'Error: Command not allowed: ls; sudo id', true],
    ['start_process', { command: 'true', timeout_ms: 1000, shell: '/no/such/shell' }, /^Error: Failed to get process ID/, true],
    ['start_process', { command: 'x'.repeat(200000), timeout_ms: 1000 }, /120000/, true],
    ['kill_process', { pid: 99999999 }, 'Error: Failed to kill process: kill ESRCH', true],
    ['kill_process', { pid: -1 }, /^Error: Failed to kill process/, true],
    ['kill_process', { pid: 'x' }, /./, true],
  ]);
});

test('floods, deaf and endless processes are bounded and can be ended', async () => {
  const endless = pidOf((await call('start_process', { command: 'trap "" INT TERM; while :; do sleep 1; done', timeout_ms: 200 })).text);
  const flood = await call('start_process', { command: 'yes 0123456789', timeout_ms: 500 });
  assert.ok(flood.text.length < 400000, String(flood.text.length));
  assert.match(flood.text, /bytes of earlier output were dropped\][^]*Process is running/);
  const unread = await call('read_process_output', { pid: pidOf(flood.text), timeout_ms: 500 });
  assert.ok(unread.text.length < 400000);
  const deaf = pidOf((await call('start_process', { command: 'exec sleep 1000', timeout_ms: 100 })).text);
  const typed = await Promise.all([1, 2, 3, 4].map(() => call('interact_with_process', { pid: deaf, input: 'x'.repeat(400000), wait_for_prompt: false })));
  assert.ok(typed.some(({ isError }) => isError));
  const background = await call('start_process', { command: '(sleep 1000; echo late) & echo now', timeout_ms: 5000 });
  assert.match(background.text, /Initial output:\nnow\n$/);
  for (const pid of [endless, pidOf(flood.text), deaf]) await table([['force_terminate', { pid }, `Successfully initiated termination of session ${pid}`]]);
  const waited = await Promise.all([endless, deaf].map((pid) => call('read_process_output', { pid, timeout_ms: 20000 })));
  for (const { text } of waited) assert.match(text, /Process completed with exit code null/);
  assert.equal((await call('list_sessions', {})).text, 'No active sessions');
});

test('settings and statistics', async () => {
  await table([
    ['get_config', {}, /^Current configuration:\n\{[^]*"blockedCommands": \[\n {4}"mkfs"[^]*"allowedDirectories": \[[^]*"systemInfo"/],
    ['set_config_value', { key: 'fileWriteLineLimit', value: 5 }, /^Successfully set fileWriteLineLimit to 5\n\nUpdated configuration:\n/],
    ['write_file', { path: 's.txt', content: '1\n2\n3\n4\n5\n6' }, /Performance tip/],
    ['set_config_value', { key: 'allowedDirectories', value: `["${box.workspace}/only"]` }, /only"\n\]/],
    ['read_file', { path: 's.txt' }, /^Error: Path not allowed: s\.txt\. Must be within one of these directories: .*\/only$/, true],
    ['set_config_value', { key: 'allowedDirectories', value: box.workspace }, /Successfully set allowedDirectories/],
    ['set_config_value', { key: 'usageStats', value: [1, 2] }, /Successfully/],
    ['set_config_value', { key: 'huge', value: 'x'.repeat(300000) }, /^Error setting value/, true],
    ['set_config_value', { value: 1 }, /key/, true],
    ['get_usage_stats', {}, /^📊 \*\*Usage Summary\*\*\n• Total calls: \d+ /],
    ['give_feedback_to_desktop_commander', {}, /no browser/],
    ['no_such_tool', {}, 'Error: Unknown tool: no_such_tool', true],
  ]);
});
