// filesystem: every tool does its work and says what went wrong, and nothing leads out of the workspace.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { callTool, openLocal } from '../support/local.js';

let box, W;
before(async () => {
  box = await openLocal(['filesystem', 'code-runner']);
  W = box.workspace;
});
after(() => box?.close());

const call = (tool, args) => callTool(box, 'filesystem', tool, args);
/** Prepares what the tools themselves cannot make. */
const shell = (code) => callTool(box, 'code-runner', 'run-code', { languageId: 'shellscript', code });

/** Rows of tool, arguments and what the answer must be; a fourth `true` means that it is an error. */
async function table(rows) {
  for (const [tool, args, expected, isError = false] of rows) {
    const { text, isError: failed, result } = await call(tool, args);
    const shown = `${tool} ${JSON.stringify(args).slice(0, 200)}: ${text.slice(0, 500)}`;
    if (typeof expected === 'string') assert.equal(text, expected, shown);
    else assert.match(text, expected, shown);
    assert.equal(failed, isError, shown);
    if (!isError && tool !== 'read_media_file') assert.deepEqual(result.structuredContent, { content: text }, shown);
    if (isError) assert.equal(result.structuredContent, undefined, shown);
  }
}
const denied = (kind, path) => `Access denied - ${kind} outside allowed directories: ${path} not in ${W}`;

test('lists the tools of its original, with their output schemas', async () => {
  const { tools } = await (await box.client('filesystem')).listTools();
  const names = ['read_file', 'read_text_file', 'read_media_file', 'read_multiple_files', 'write_file', 'edit_file', 'create_directory', 'list_directory'];
  names.push('list_directory_with_sizes', 'directory_tree', 'move_file', 'search_files', 'get_file_info', 'list_allowed_directories');
  assert.deepEqual(tools.map((tool) => tool.name), names);
  for (const tool of tools) {
    assert.ok(tool.description.length > 20, tool.name);
    assert.deepEqual(tool.outputSchema.required, ['content'], tool.name);
  }
});

test('reads text, as a whole and in parts', async () => {
  await box.write('read/a.txt', 'one\ntwo\nthree\n');
  await box.write('read/crlf.txt', 'one\r\ntwo\r\n');
  await box.write('read/bin', Buffer.from([0xff, 0x41, 0xe2, 0x82, 0x42, 0]));
  await table([
    ['read_text_file', { path: 'read/a.txt' }, 'one\ntwo\nthree\n'],
    ['read_file', { path: `${W}/read/../read/a.txt` }, 'one\ntwo\nthree\n'],
    ['filesystem_read_text_file', { path: 'read/a.txt', head: 1 }, 'one'],
    ['read_text_file', { path: 'read/a.txt', head: 2 }, 'one\ntwo'],
    ['read_text_file', { path: 'read/a.txt', tail: 2 }, 'three\n'],
    ['read_text_file', { path: 'read/crlf.txt', tail: 3 }, 'one\ntwo\n'],
    ['read_text_file', { path: 'read/bin' }, '\ufffdA\ufffdB\0'],
    ['read_text_file', { path: 'read/a.txt', head: 1, tail: 1 }, 'Cannot specify both head and tail parameters simultaneously', true],
    ['read_text_file', { path: 'read/none' }, `ENOENT: no such file or directory, open '${W}/read/none'`, true],
    ['read_text_file', { path: 'none/a' }, `Parent directory does not exist: ${W}/none`, true],
    ['read_text_file', { path: 'read' }, 'EISDIR: illegal operation on a directory, read', true],
    ['read_text_file', { path: 'read/a.txt/b' }, `ENOTDIR: not a directory, realpath '${W}/read/a.txt/b'`, true],
    ['read_multiple_files', { paths: ['read/a.txt', 'no'] }, `read/a.txt:\none\ntwo\nthree\n\n\n---\nno: Error - ENOENT: no such file or directory, open '${W}/no'`],
  ]);
});

test('reads media with their types', async () => {
  await box.write('media/i.png', Buffer.from([1, 2, 3]));
  await box.write('media/s.flac', 'x');
  await box.write('media/o ö.bin', 'x');
  const media = async (path) => (await call('read_media_file', { path })).result;
  assert.deepEqual((await media('media/i.png')).content, [{ type: 'image', data: 'AQID', mimeType: 'image/png' }]);
  assert.deepEqual((await media('media/s.flac')).content, [{ type: 'audio', data: 'eA==', mimeType: 'audio/flac' }]);
  const other = await media('media/o ö.bin');
  assert.deepEqual(other.content[0].resource, { uri: `file://${W}/media/o%20%C3%B6.bin`, mimeType: 'application/octet-stream', blob: 'eA==' });
  assert.deepEqual(other.structuredContent, { content: other.content });
  await table([['read_media_file', { path: 'media/none.png' }, `ENOENT: no such file or directory, open '${W}/media/none.png'`, true]]);
});

test('writes, makes folders and moves', async () => {
  await table([
    ['create_directory', { path: 'w' }, 'Successfully created directory w'],
    ['create_directory', { path: 'w' }, 'Successfully created directory w'],
    ['create_directory', { path: 'x/y' }, `Parent directory does not exist: ${W}/x`, true],
    ['write_file', { path: 'w/a', content: 'é😀\0' }, 'Successfully wrote to w/a'],
    ['write_file', { path: 'w/a', content: 'again' }, 'Successfully wrote to w/a'],
    ['write_file', { path: 'w', content: '' }, `EISDIR: illegal operation on a directory, open '${W}/w'`, true],
    ['write_file', { path: 'x/a', content: '' }, `Parent directory does not exist: ${W}/x`, true],
    ['write_file', { path: 'w/b', content: 'old' }, 'Successfully wrote to w/b'],
    ['create_directory', { path: 'w/b' }, `EEXIST: file already exists, mkdir '${W}/w/b'`, true],
    ['move_file', { source: 'w/a', destination: 'w/b' }, 'Successfully moved w/a to w/b'],
    ['move_file', { source: 'w/a', destination: 'w/c' }, `ENOENT: no such file or directory, rename '${W}/w/a' -> '${W}/w/c'`, true],
    ['move_file', { source: 'w', destination: 'w/in' }, `EINVAL: invalid argument, rename '${W}/w' -> '${W}/w/in'`, true],
    ['list_directory', { path: 'w' }, '[FILE] b'],
  ]);
  assert.equal((await box.read('w/b')).toString(), 'again');
});

test('edits by exact text, by lines, and not at all', async () => {
  await box.write('e.py', 'def f():\r\n    if a:\r\n        b()\r\n');
  const diff = (hunk) => `\`\`\`diff\nIndex: ${W}/e.py\n${'='.repeat(67)}\n--- ${W}/e.py\toriginal\n+++ ${W}/e.py\tmodified\n${hunk}\`\`\`\n\n`;
  const edits = [{ oldText: 'if a:\n  b()', newText: 'if c:\n  d()' }];
  const hunk = '@@ -1,3 +1,3 @@\n def f():\n-    if a:\n-        b()\n+    if c:\n+    d()\n';
  await table([
    ['edit_file', { path: 'e.py', edits, dryRun: true }, diff(hunk)],
    ['read_text_file', { path: 'e.py' }, 'def f():\r\n    if a:\r\n        b()\r\n'],
    ['edit_file', { path: 'e.py', edits }, diff(hunk)],
    ['read_text_file', { path: 'e.py' }, 'def f():\n    if c:\n    d()\n'],
    ['edit_file', { path: 'e.py', edits: [{ oldText: 'f', newText: 'g' }, { oldText: 'no\nno', newText: '' }] }, 'Could not find exact match for edit:\nno\nno', true],
    ['read_text_file', { path: 'e.py', head: 1 }, 'def f():'],
    ['edit_file', { path: 'e.py', edits: [] }, diff('')],
    ['edit_file', { path: 'none', edits: [] }, `ENOENT: no such file or directory, open '${W}/none'`, true],
  ]);
});

test('lists, draws trees and searches', async () => {
  await box.write('l/b.txt', 'x'.repeat(1536));
  await box.write('l/A.md', '');
  await box.write('l/sub/c.txt', 'x');
  await box.write('l/node_modules/m.js', 'x');
  const tree = [{ name: 'A.md', type: 'file' }, { name: 'b.txt', type: 'file' }];
  tree.push({ name: 'sub', type: 'directory', children: [{ name: 'c.txt', type: 'file' }] });
  const file = (name, size) => `[FILE] ${name.padEnd(30)} ${size.padStart(10)}`;
  const folder = (name) => `[DIR] ${name.padEnd(30)} `;
  const sums = ['', 'Total: 2 files, 2 directories', 'Combined size: 1.50 KB'];
  await table([
    ['list_directory', { path: 'l' }, '[FILE] A.md\n[FILE] b.txt\n[DIR] node_modules\n[DIR] sub'],
    ['list_directory_with_sizes', { path: 'l' }, [file('A.md', '0 B'), file('b.txt', '1.50 KB'), folder('node_modules'), folder('sub'), ...sums].join('\n')],
    ['directory_tree', { path: 'l', excludePatterns: ['node_modules'] }, JSON.stringify(tree, null, 2)],
    ['directory_tree', { path: 'l', excludePatterns: ['*'] }, '[]'],
    ['search_files', { path: 'l', pattern: '**/*.txt' }, `${W}/l/b.txt\n${W}/l/sub/c.txt`],
    ['search_files', { path: 'l', pattern: '**', excludePatterns: ['node_modules', '*.{txt,md}'] }, `${W}/l/sub\n${W}/l/sub/c.txt`],
    ['search_files', { path: 'l', pattern: 'c.txt' }, 'No matches found'],
    ['list_directory', { path: 'l/b.txt' }, `ENOTDIR: not a directory, scandir '${W}/l/b.txt'`, true],
    ['directory_tree', { path: 'no' }, `ENOENT: no such file or directory, scandir '${W}/no'`, true],
    ['list_directory_with_sizes', { path: 'no' }, `ENOENT: no such file or directory, scandir '${W}/no'`, true],
    ['search_files', { path: 'no', pattern: '*' }, `ENOENT: no such file or directory, scandir '${W}/no'`, true],
    ['get_file_info', { path: 'no' }, `ENOENT: no such file or directory, stat '${W}/no'`, true],
    ['list_allowed_directories', {}, `Allowed directories:\n${W}`],
  ]);
  const date = '\\w{3} \\w{3} \\d\\d \\d{4} \\d\\d:\\d\\d:\\d\\d GMT\\+0000 \\(Coordinated Universal Time\\)';
  const info = new RegExp(`^size: 1536\ncreated: ${date}\nmodified: ${date}\naccessed: ${date}\nisDirectory: false\nisFile: true\npermissions: 6\\d\\d$`);
  await table([['get_file_info', { path: 'l/b.txt' }, info]]);
});

test('refuses wrong arguments in the words of its original', async () => {
  const refused = (tool, text) => `MCP error -32602: Input validation error: Invalid arguments for tool ${tool}: ${text}`;
  const type = (expected, received, at) => `Invalid input: expected ${expected}, received ${received} at ${at}`;
  await table([
    ['read_text_file', {}, refused('read_text_file', type('string', 'undefined', 'path')), true],
    ['read_text_file', { path: 5, head: '1' }, refused('read_text_file', `${type('string', 'number', 'path')}\n${type('number', 'string', 'head')}`), true],
    ['read_multiple_files', { paths: [] }, refused('read_multiple_files', 'Too small: expected array to have >=1 items at paths'), true],
    ['edit_file', { path: 'a', edits: [{ oldText: 1, newText: '' }] }, refused('edit_file', type('string', 'number', 'edits[0].oldText')), true],
    ['list_directory_with_sizes', { path: '.', sortBy: 'x' }, refused('list_directory_with_sizes', 'Invalid option: expected one of "name"|"size" at sortBy'), true],
    ['no_such_tool', {}, 'MCP error -32602: Tool no_such_tool not found', true],
    ['list_allowed_directories', { unknown: 1 }, `Allowed directories:\n${W}`],
  ]);
});

test('nothing leads out of the workspace', async () => {
  await shell('mkdir -p h && ln -s /etc h/etc && ln -s /etc/passwd h/passwd && ln -s nowhere h/dead && ln -s /tmp/viv-escape h/deadout && ln -s l2 h/l1 && ln -s l1 h/l2 && touch h/ok');
  const rows = [];
  for (const tool of ['read_text_file', 'read_media_file', 'get_file_info', 'list_directory', 'list_directory_with_sizes', 'directory_tree', 'create_directory']) {
    for (const path of ['/etc/passwd', `${W}/../etc/passwd`, `${W}x/a`]) rows.push([tool, { path }, /^Access denied - path outside allowed directories: /, true]);
    rows.push([tool, { path: 'h/passwd' }, denied('symlink target', '/etc/passwd'), true]);
    rows.push([tool, { path: 'h/etc/passwd' }, denied('symlink target', '/etc/passwd'), true]);
    rows.push([tool, { path: 'h/l1' }, `ELOOP: too many symbolic links encountered, realpath '${W}/h/l1'`, true]);
    rows.push([tool, { path: 'h/o\0k' }, /^Access denied/, true]);
  }
  for (const path of ['/etc/x', 'h/passwd']) {
    rows.push(['write_file', { path, content: 'x' }, /^Access denied/, true]);
    rows.push(['edit_file', { path, edits: [] }, /^Access denied/, true]);
    rows.push(['move_file', { source: 'h/ok', destination: path }, /^Access denied/, true]);
    rows.push(['move_file', { source: path, destination: 'h/new' }, /^Access denied/, true]);
    rows.push(['search_files', { path, pattern: '*' }, /^Access denied/, true]);
  }
  rows.push(['write_file', { path: 'h/etc/x', content: 'x' }, `Parent directory does not exist: ${W}/h/etc`, true]);
  rows.push(['write_file', { path: 'h/deadout', content: 'x' }, 'Successfully wrote to h/deadout']);
  rows.push(['search_files', { path: 'h', pattern: '**' }, `${W}/h/dead\n${W}/h/deadout\n${W}/h/ok`]);
  await table(rows);
  assert.equal((await shell('ls /tmp/viv-escape; test -L h/deadout || echo file')).text.includes('/tmp/viv-escape\n'), false);
});

test('pipes, huge files, odd names and deep folders neither hang nor break it', async () => {
  await shell('mkdir -p o && mkfifo o/pipe && truncate -s 1G o/huge && printf "\\nend" >> o/huge && printf x > "o/a\nb" && head -c 6M /dev/zero > o/nuls && python3 -c "print(\'é\' * 4000000, end=\'\')" > o/long && printf x > "$(printf "o/\\377")"');
  await shell('d=o; for i in $(seq 300); do d=$d/d; done; mkdir -p $d');
  await table([
    ['read_text_file', { path: 'o/pipe' }, `${W}/o/pipe is not a regular file: pipes, sockets and devices cannot be read`, true],
    ['edit_file', { path: 'o/pipe', edits: [] }, /is not a regular file/, true],
    ['read_text_file', { path: 'o/huge' }, /has more than 12 MiB to read at once: use head or tail/, true],
    ['read_text_file', { path: 'o/huge', tail: 1 }, 'end'],
    ['read_text_file', { path: 'o/huge', head: 1 }, /ask for fewer lines/, true],
    ['read_media_file', { path: 'o/huge' }, /media of up to 8 MiB/, true],
    ['read_text_file', { path: 'o/nuls' }, /^The answer would be too large to pass on/, true],
    ['read_text_file', { path: 'o/long' }, 'é'.repeat(4000000)],
    ['read_text_file', { path: 'o/a\nb' }, 'x'],
    ['list_directory', { path: 'o' }, '[FILE] a\nb\n[DIR] d\n[FILE] huge\n[FILE] long\n[FILE] nuls\n[FILE] pipe\n[FILE] \ufffd'],
    ['directory_tree', { path: 'o' }, /200 levels: ask for a folder within it/, true],
    ['search_files', { path: 'o', pattern: '+(+(+(a|aa)|a*)|a?)z' }, 'No matches found'],
    ['search_files', { path: 'o', pattern: '{1..100000}{1..100000}' }, 'No matches found'],
    ['write_file', { path: 'o/' + 'n'.repeat(300), content: '' }, /^ENAMETOOLONG: name too long/, true],
  ]);
});

test('many calls at once are all answered', async () => {
  await Promise.all(
    Array.from({ length: 40 }, async (_, i) => {
      assert.equal((await call('write_file', { path: `many-${i}`, content: 'x'.repeat(i) })).isError, false);
      assert.equal((await call('read_text_file', { path: `many-${i}` })).text, 'x'.repeat(i));
    }),
  );
});
