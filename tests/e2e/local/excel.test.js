// The excel server: its workbooks are looked at with openpyxl, pandas and LibreOffice, and it is given broken and hostile ones.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { callTool, openLocal } from '../support/local.js';

let box, python, answers;
before(async () => {
  python = spawn('/usr/bin/python3', [new URL('../support/workbooks.py', import.meta.url).pathname], { stdio: ['pipe', 'pipe', 'inherit'] });
  answers = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
  box = await openLocal(['excel', 'desktop-commander']);
});
after(async () => {
  python?.stdin.end();
  await box?.close();
});

async function ask(request) {
  python.stdin.write(JSON.stringify(request) + '\n');
  const { answer, error } = JSON.parse((await answers.next()).value);
  if (error) throw new Error(error);
  return answer;
}
const bytesOf = async (path) => (await box.read(path)).toString('base64');
const look = async (path) => ask({ do: 'look', data: await bytesOf(path) });
const call = (name, args) => callTool(box, 'excel', name, args);
/** Calls a tool that must not fail, nor say "Error". */
async function ok(name, args) {
  const { text, isError } = await call(name, args);
  assert.ok(!isError && !text.startsWith('Error'), `${name}: ${text}`);
  return text;
}
const write = (filepath, data, rest = {}) => ok('write_data_to_excel', { filepath, sheet_name: 'Sheet1', data, ...rest });
const fresh = async (filepath, data) => {
  await ok('create_workbook', { filepath });
  if (data) await write(filepath, data);
};

test('lists its 25 tools, each described', async () => {
  const { tools } = await (await box.client('excel')).listTools();
  assert.equal(tools.length, 25);
  for (const tool of tools) assert.ok(tool.description.length > 20, tool.name);
});

test('what is written reads back in openpyxl, pandas and LibreOffice, computed', async () => {
  assert.equal(await ok('create_workbook', { filepath: 'sub/a.xlsx' }), `Created workbook at ${box.workspace}/sub/a.xlsx`);
  const rows = [['item', 'qty', 'price', 'total', 'ok', 'note'], ['Äpfel', 3, 1.25, '=B2*C2', true, '2024-01-05'], ['b "q"', 10, 0.1, '=B3*C3', false, ' x\ny '],
    ['sum', '=SUM(B2:B3)', null, '=SUM(D2:D3)', null, '=IF(D4>4,"much","little")']];
  assert.equal(await write(`${box.workspace}/sub/a.xlsx`, rows), 'Data written to Sheet1');
  const { cells } = (await look('sub/a.xlsx')).Sheet1;
  assert.deepEqual([cells.D2.value, cells.D2.computed], ['=B2*C2', 3.75]);
  assert.deepEqual([cells.B4.computed, cells.D4.computed, cells.F4.computed], [13, 4.75, 'much']);
  assert.deepEqual([cells.A2.value, cells.E2.value, cells.F2.value, cells.F3.value], ['Äpfel', true, '2024-01-05', ' x\ny ']);
  const frame = await ask({ do: 'frame', sheet: 'Sheet1', data: await bytesOf('sub/a.xlsx') });
  assert.deepEqual(frame.columns, rows[0]);
  assert.deepEqual(frame.data[0], ['Äpfel', 3, 1.25, 3.75, 1, '2024-01-05']); // a column with blanks has no type of its own
  const csv = await ask({ do: 'csv', data: await bytesOf('sub/a.xlsx') });
  assert.match(csv, /^item,qty,price,total,ok,note\nÄpfel,3,1.25,3.75,TRUE,2024-01-05\n/);
  assert.match(csv, /\nsum,13,,4.75,,much\n$/);
});

test('cells are read as JSON with their validation', async () => {
  await box.write('sample.xlsx', Buffer.from(await ask({ do: 'sample' }), 'base64'));
  const read = JSON.parse(await ok('read_data_from_excel', { filepath: 'sample.xlsx', sheet_name: 'Data', start_cell: 'C2', end_cell: 'F2' }));
  assert.equal(read.range, 'C2:F2');
  assert.deepEqual(read.cells.map((cell) => cell.value), ['2024-01-01 06:00:00', true, null, null]);
  assert.deepEqual(read.cells[0].validation, { has_validation: false });
  assert.deepEqual(read.cells[1].validation, { cell: 'D2', has_validation: true, validation_type: 'list', allow_blank: true, allowed_values: ['Yes', 'No'] });
  const whole = JSON.parse(await ok('read_data_from_excel', { filepath: 'sample.xlsx', sheet_name: 'Data' }));
  assert.equal(whole.range, 'A1:F5');
  assert.equal(whole.cells.find((cell) => cell.address === 'F1').value, '=SUM(B2:B5)');
  assert.equal(await ok('read_data_from_excel', { filepath: 'sample.xlsx', sheet_name: 'Data', start_cell: 'Z99' }), 'No data found in specified range');
  const rules = JSON.parse(await ok('get_data_validation_info', { filepath: 'sample.xlsx', sheet_name: 'Data' }));
  assert.deepEqual(rules.validation_rules, [{ ranges: 'D2:D5', validation_type: 'list', allow_blank: true, allowed_values: ['Yes', 'No'] }]);
  assert.equal(await ok('get_data_validation_info', { filepath: 'sample.xlsx', sheet_name: 'Other' }), 'No data validation rules found in this worksheet');
  assert.match(await ok('get_workbook_metadata', { filepath: 'sample.xlsx', include_ranges: true }),
    /^\{'filename': 'sample.xlsx', 'sheets': \['Data', 'Other'\], 'size': \d+, 'modified': \d+\.\d+, 'used_ranges': \{'Data': 'A1:F5', 'Other': 'A1:A1'\}\}$/);
  const range = { filepath: 'sample.xlsx', sheet_name: 'Data', start_cell: 'A1', end_cell: 'B2' };
  assert.equal(await ok('validate_excel_range', range), "Range 'A1:B2' is valid. Sheet contains data in range 'A1:F5'");
});

test('a file of another program keeps what the tools do not know', async () => {
  await box.write('kept.xlsx', Buffer.from(await ask({ do: 'sample' }), 'base64'));
  await write('kept.xlsx', [[100]], { sheet_name: 'Data', start_cell: 'B3' });
  const { Data, Other } = await look('kept.xlsx');
  assert.deepEqual([Data.charts, Data.validations, Data.widths.A], [1, ['D2:D5'], 33]);
  assert.deepEqual([Data.cells.F1.computed, Other.cells.A1.computed], [115, 100]);
  assert.equal(Data.cells.C2.value, '2024-01-01 06:00:00');
});

test('formulas are checked before they are applied', async () => {
  await fresh('f.xlsx', [[2, 3]]);
  const formula = (name, text, cell = 'C1') => call(name, { filepath: 'f.xlsx', sheet_name: 'Sheet1', cell, formula: text });
  assert.equal((await formula('validate_formula_syntax', '=A1*B1')).text, 'Formula is valid but cell contains no formula');
  assert.equal((await formula('apply_formula', '=A1^B1')).text, "Applied formula '=A1^B1' to cell C1");
  assert.equal((await formula('validate_formula_syntax', '=A1^B1')).text, 'Formula is valid and matches cell content');
  assert.equal((await formula('validate_formula_syntax', '=1')).text, "Formula is valid but doesn't match cell content");
  assert.equal((await look('f.xlsx')).Sheet1.cells.C1.computed, 8);
  for (const [text, message] of [['A1', "Formula must start with '='"], ['=SUM(A1', 'Unclosed parenthesis'], ['=A1)', 'Unmatched closing parenthesis'], ['=INDIRECT("A1")', 'Unsafe function: INDIRECT']]) {
    for (const tool of ['apply_formula', 'validate_formula_syntax']) {
      const { text: answer, isError } = await formula(tool, text);
      assert.deepEqual([answer, isError], [`Error: Invalid formula syntax: ${message}`, false]);
    }
  }
  assert.equal((await formula('apply_formula', '=1', 'bogus')).text, 'Error: Invalid cell reference: bogus');
  await write('f.xlsx', [['=F1+1', '=A5', '=1/0', '=NOSUCH(1)', '='.padEnd(5000, '(') + '1' + ')'.repeat(4999)]], { start_cell: 'A5' });
});

test('ranges are formatted', async () => {
  await fresh('s.xlsx', [['a', 1], ['b', 2], ['c', 3]]);
  const format = (args) => ok('format_range', { filepath: 's.xlsx', sheet_name: 'Sheet1', ...args });
  assert.equal(await format({ start_cell: 'A1', end_cell: 'B1', bold: true, font_size: 14, font_color: '0000FF', bg_color: '00FF00', alignment: 'center', border_style: 'thin' }), 'Range formatted successfully');
  await format({ start_cell: 'B2', number_format: '#,##0.00', protection: { locked: false } });
  await format({ start_cell: 'D1', end_cell: 'E2', merge_cells: true });
  const rules = { cell_is: { operator: '>', formula: ['2'], fill: { fgColor: 'FFC7CE' } }, formula: { formula: ['B1>1'] }, color_scale: { start_type: 'min', start_color: 'AA0000', end_type: 'max', end_color: '00AA00' },
    data_bar: { start_type: 'min', end_type: 'max', color: '638EC6' }, icon_set: { icon_style: '3Arrows', type: 'percent', values: [0, 33, 67] } };
  for (const [type, params] of Object.entries(rules)) await format({ start_cell: 'B1', end_cell: 'B3', conditional_format: { type, params } });
  const { cells, merged, rules: types } = (await look('s.xlsx')).Sheet1;
  assert.deepEqual(cells.A1, { value: 'a', computed: 'a', bold: true, color: 'FF0000FF', size: 14, fill: 'FF00FF00', format: 'General', border: 'thin', align: 'center', locked: true });
  assert.deepEqual([cells.B2.format, cells.B2.locked, merged], ['#,##0.00', false, ['D1:E2']]);
  assert.deepEqual(types, ['cellIs', 'expression', 'colorScale', 'dataBar', 'iconSet']);
  await ask({ do: 'csv', data: await bytesOf('s.xlsx') });
  for (const [args, message] of [[{ font_color: 'red' }, 'Invalid font color: Colors must be aRGB hex values'], [{ start_cell: 'x' }, 'Invalid start cell reference: x'], [{ sheet_name: 'No' }, "Sheet 'No' not found"],
    [{ end_cell: 'XFD1048576' }, 'The range A1:XFD1048576 has 17179869184 cells'], [{ conditional_format: {} }, 'Conditional format type not specified'], [{ border_style: 'wavy' }, 'Invalid border settings: Value must be one of {']]) {
    const { text } = await call('format_range', { filepath: 's.xlsx', sheet_name: 'Sheet1', start_cell: 'A1', ...args });
    assert.ok(text.startsWith(`Error: ${message}`), text);
  }
});

test('sheets are made, copied, renamed and deleted, and references follow', async () => {
  await fresh('w.xlsx', [[1], [2], ['=SUM(A1:A2)']]);
  const sheet = (name, args) => call(name, { filepath: 'w.xlsx', ...args });
  assert.equal((await sheet('create_worksheet', { sheet_name: 'Two' })).text, 'Sheet Two created successfully');
  await write('w.xlsx', [['=Sheet1!A3*10']], { sheet_name: 'Two' });
  assert.equal((await sheet('copy_worksheet', { source_sheet: 'Sheet1', target_sheet: 'Copy' })).text, "Sheet 'Sheet1' copied to 'Copy'");
  assert.equal((await sheet('rename_worksheet', { old_name: 'Sheet1', new_name: 'My data' })).text, "Sheet renamed from 'Sheet1' to 'My data'");
  assert.equal((await sheet('delete_worksheet', { sheet_name: 'Copy' })).text, "Sheet 'Copy' deleted");
  const book = await look('w.xlsx');
  assert.deepEqual(Object.keys(book), ['My data', 'Two']);
  assert.deepEqual([book.Two.cells.A1.value, book.Two.cells.A1.computed], ["='My data'!A3*10", 30]);
  for (const [name, args, message] of [['create_worksheet', { sheet_name: 'Two' }, 'Sheet Two already exists'], ['create_worksheet', { sheet_name: 'a/b' }, 'Invalid character / found in sheet title'],
    ['copy_worksheet', { source_sheet: 'No', target_sheet: 'X' }, "Source sheet 'No' not found"], ['copy_worksheet', { source_sheet: 'Two', target_sheet: 'Two' }, "Target sheet 'Two' already exists"],
    ['rename_worksheet', { old_name: 'No', new_name: 'X' }, "Sheet 'No' not found"], ['delete_worksheet', { sheet_name: 'No' }, "Sheet 'No' not found"]]) {
    const { text, isError } = await sheet(name, args);
    assert.deepEqual([text, isError], [`Error: ${message}`, false]);
  }
  await fresh('only.xlsx');
  assert.equal((await call('delete_worksheet', { filepath: 'only.xlsx', sheet_name: 'Sheet1' })).text, 'Error: Cannot delete the only sheet in workbook');
});

test('rows, columns and ranges move, and formulas with them', async () => {
  await fresh('r.xlsx', [[1, 2], [3, 4], ['=SUM(A1:A2)', '=B1*$B$2']]);
  const range = (name, args) => call(name, { filepath: 'r.xlsx', sheet_name: 'Sheet1', ...args });
  assert.equal((await range('insert_rows', { start_row: 2, count: 2 })).text, "Inserted 2 row(s) starting at row 2 in sheet 'Sheet1'");
  assert.equal((await range('insert_columns', { start_col: 1 })).text, "Inserted 1 column(s) starting at column 1 in sheet 'Sheet1'");
  assert.equal((await range('copy_range', { source_start: 'B5', source_end: 'C5', target_start: 'D6' })).text, 'Range copied successfully');
  assert.equal((await range('delete_sheet_rows', { start_row: 2, count: 2 })).text, "Deleted 2 row(s) starting at row 2 in sheet 'Sheet1'");
  assert.equal((await range('delete_sheet_columns', { start_col: 1 })).text, "Deleted 1 column(s) starting at column 1 in sheet 'Sheet1'");
  const { cells } = (await look('r.xlsx')).Sheet1;
  assert.deepEqual([cells.A3.value, cells.A3.computed, cells.B3.computed], ['=SUM(A1:A2)', 4, 8]);
  assert.deepEqual([cells.C4.value, cells.D4.value], ['=SUM(C2:C3)', '=#REF!*$B$2']);
  assert.equal((await range('delete_range', { start_cell: 'A1', end_cell: 'A1', shift_direction: 'up' })).text, 'Range A1:A1 deleted successfully');
  for (const [name, args, message] of [['insert_rows', { start_row: 0 }, 'Start row must be 1 or greater'], ['insert_columns', { start_col: 1, count: 0 }, 'Count must be 1 or greater'],
    ['delete_sheet_rows', { start_row: 99 }, 'Start row 99 exceeds worksheet bounds (max row: 3)'], ['delete_sheet_columns', { start_col: 99 }, 'Start column 99 exceeds worksheet bounds (max column: 4)'],
    ['insert_rows', { start_row: 1, count: 1048576 }, 'this would push cells beyond the last row of the sheet, 1048576'], ['copy_range', { source_start: '?', source_end: 'B2', target_start: 'D1' }, 'Invalid source range: Invalid cell reference: ?'],
    ['delete_range', { start_cell: 'A1', end_cell: 'A2', shift_direction: 'down' }, "Invalid shift direction: down. Must be 'up' or 'left'"], ['delete_range', { start_cell: 'A1', end_cell: 'A99' }, 'End row 99 out of bounds (1-3)'],
    ['validate_excel_range', { start_cell: 'Z99' }, 'Start row 99 out of bounds (1-3)']]) {
    const { text, isError } = await range(name, args);
    assert.deepEqual([text, isError], [`Error: ${message}`, false]);
  }
});

test('cells are merged and unmerged', async () => {
  await fresh('m.xlsx', [[1, 2], [3, 4]]);
  const merge = (name, start, end) => call(name, { filepath: 'm.xlsx', sheet_name: 'Sheet1', start_cell: start, end_cell: end });
  assert.equal((await merge('merge_cells', 'a1', 'B2')).text, "Range 'A1:B2' merged in sheet 'Sheet1'");
  assert.equal((await call('get_merged_cells', { filepath: 'm.xlsx', sheet_name: 'Sheet1' })).text, "['A1:B2']");
  assert.equal((await call('write_data_to_excel', { filepath: 'm.xlsx', sheet_name: 'Sheet1', data: [[9]], start_cell: 'B2' })).text, "Error: 'MergedCell' object attribute 'value' is read-only");
  assert.equal((await merge('unmerge_cells', 'A1', 'C3')).text, "Error: Range 'A1:C3' is not merged");
  assert.equal((await merge('unmerge_cells', 'A1', 'B2')).text, "Range 'A1:B2' unmerged successfully");
  assert.equal((await merge('merge_cells', 'B2', 'A1')).text, 'Error: 1 must be greater than 2');
  assert.equal((await call('get_merged_cells', { filepath: 'm.xlsx', sheet_name: 'No' })).text, "Error: Sheet 'No' not found");
  assert.deepEqual(Object.keys((await look('m.xlsx')).Sheet1.cells), ['A1']);
});

test('tables, charts and pivot tables are made', async () => {
  await fresh('t.xlsx', [['region', 'amount'], ['north', 10], ['south', 20], ['north', 5]]);
  const make = (name, args) => call(name, { filepath: 't.xlsx', sheet_name: 'Sheet1', data_range: 'A1:B4', ...args });
  assert.equal((await make('create_table', { table_name: 'Sales' })).text, "Successfully created table 'Sales' in sheet 'Sheet1'.");
  assert.equal((await make('create_table', { table_name: 'sales' })).text, 'Error: Table with name sales already exists');
  assert.equal((await make('create_table', { table_name: 'a b' })).text, 'Error: Table names cannot have spaces');
  await write('t.xlsx', [['=SUM(Sales[amount])']], { start_cell: 'D1' });
  for (const chart_type of ['line', 'bar', 'pie', 'scatter', 'area']) assert.match((await make('create_chart', { chart_type, target_cell: 'F1', title: 'T' })).text, /created successfully/i);
  assert.match((await make('create_chart', { chart_type: 'bogus', target_cell: 'F1' })).text, /^Error: /);
  assert.equal((await make('create_pivot_table', { rows: ['region'], values: ['amount'], agg_func: 'sum' })).text, 'Summary table created successfully');
  assert.match((await make('create_pivot_table', { rows: ['no'], values: ['amount'], agg_func: 'sum' })).text, /^Error: Invalid row field 'no'/);
  const book = await look('t.xlsx');
  assert.deepEqual(book.Sheet1.tables.Sales, ['A1:B4', ['region', 'amount']]);
  assert.deepEqual([book.Sheet1.cells.D1.computed, book.Sheet1.charts], [35, 5]);
  assert.deepEqual(['A2', 'B2', 'A3', 'B3'].map((at) => book.Sheet1_pivot.cells[at].value), ['north', 15, 'south', 20]);
  await ask({ do: 'csv', data: await bytesOf('t.xlsx') });
});

/** A zip archive of [name, bytes, claimed size] entries, compressed. */
function zip(entries) {
  const parts = [], directory = [];
  let at = 0;
  for (const [name, bytes, claimed] of entries) {
    const packed = deflateRawSync(bytes), head = Buffer.alloc(30), entry = Buffer.alloc(46);
    head.writeUInt32LE(0x04034b50, 0), entry.writeUInt32LE(0x02014b50, 0);
    for (const [place, from] of [[head, 4], [entry, 6]]) {
      place.writeUInt16LE(20, from), place.writeUInt16LE(8, from + 4), place.writeUInt32LE(crc32(bytes), from + 10);
      place.writeUInt32LE(packed.length, from + 14), place.writeUInt32LE(claimed ?? bytes.length, from + 18), place.writeUInt16LE(name.length, from + 22);
    }
    entry.writeUInt32LE(at, 42);
    parts.push(head, Buffer.from(name), packed), directory.push(entry, Buffer.from(name));
    at += 30 + name.length + packed.length;
  }
  const list = Buffer.concat(directory), end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0), end.writeUInt16LE(entries.length, 8), end.writeUInt16LE(entries.length, 10), end.writeUInt32LE(list.length, 12), end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, list, end]);
}
const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relations = (...targets) => Buffer.from(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets.map(([id, type, target]) => `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`).join('')}</Relationships>`);
/** A workbook whose only sheet is this XML. */
const workbook = (sheet, more = []) => zip([
  ['[Content_Types].xml', Buffer.from('<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>')], ['_rels/.rels', relations(['r', 'officeDocument', 'xl/workbook.xml'])],
  ['xl/workbook.xml', Buffer.from(`<workbook ${main} xmlns:r="${office}"><sheets><sheet name="S" sheetId="1" r:id="s"/></sheets></workbook>`)],
  ['xl/_rels/workbook.xml.rels', relations(['s', 'worksheet', 'worksheets/sheet1.xml'])], ['xl/worksheets/sheet1.xml', Buffer.from(sheet)], ...more]);

test('broken and hostile workbooks are refused, quickly and in words', async () => {
  const cell = (xml) => workbook(`<worksheet ${main}><sheetData>${xml}</sheetData></worksheet>`);
  const good = cell('<row r="1"><c r="A1"><v>1</v></c></row>');
  await box.write('good.xlsx', good);
  assert.match(await ok('read_data_from_excel', { filepath: 'good.xlsx', sheet_name: 'S' }), /"value": 1,/);
  const files = {
    'no zip': [Buffer.from('hello'), /File is not a zip file$/], cut: [good.subarray(0, good.length - 30), /File is not a zip file$/], empty: [Buffer.alloc(0), /File is not a zip file$/],
    'no package': [zip([['a.txt', Buffer.from('x')]]), /no item named '\[Content_Types\].xml'/], 'two of a name': [workbook('<w/>', [['_rels/.rels', Buffer.from('<x/>')]]), /twice/],
    'name out': [workbook('<w/>', [['../../evil', Buffer.from('x')]]), /leads out of it/], 'size lie': [zip([['[Content_Types].xml', Buffer.alloc(5000, 32), 10]]), /damaged/],
    bomb: [workbook(Buffer.alloc(64 << 20, 32)), /zip bomb/], 'huge claim': [zip([['[Content_Types].xml', Buffer.from('x'), 0xf0000000]]), /unpacks to more than/],
    entries: [zip(Array.from({ length: 5000 }, (_, i) => [`p${i}`, Buffer.alloc(0)])), /more than 4096 entries/],
    laughs: [workbook(`<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><worksheet ${main}><sheetData>&b;</sheetData></worksheet>`), /document type/],
    outside: [workbook('<!DOCTYPE w [<!ENTITY a SYSTEM "file:///etc/passwd">]><w>&a;</w>'), /document type/], deep: [cell('<a>'.repeat(50_000) + '</a>'.repeat(50_000)), /nest deeper/],
    'no xml': [workbook('<worksheet><unclosed>'), /no valid XML/], row: [cell('<row r="1048577"><c/></row>'), /not a valid row number/], column: [cell('<row r="1"><c r="XFE1"/></row>'), /not a valid coordinate/],
    string: [cell('<row r="1"><c r="A1" t="s"><v>9</v></c></row>'), /shared string/], number: [cell('<row r="1"><c r="A1"><v>1x</v></c></row>'), /could not convert string to float/],
  };
  for (const [name, [bytes, message]] of Object.entries(files)) {
    await box.write('bad.xlsx', bytes);
    for (const [tool, args] of [['read_data_from_excel', {}], ['write_data_to_excel', { data: [[1]] }]]) {
      const { text, isError } = await call(tool, { filepath: 'bad.xlsx', sheet_name: 'S', ...args });
      assert.match(text, message, `${name}: ${text}`);
      assert.equal(isError, tool === 'read_data_from_excel');
    }
    assert.ok((await box.read('bad.xlsx')).equals(bytes), `${name}: the file is as it was`);
  }
  await box.write('far.xlsx', cell('<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'));
  assert.match((await call('read_data_from_excel', { filepath: 'far.xlsx', sheet_name: 'S' })).text, /17179869184 cells; at most 100000/);
});

test('paths stay in the workspace, and wrong arguments are named', async () => {
  await callTool(box, 'desktop-commander', 'start_process', { command: `ln -sfn /etc ${box.workspace}/etc; ln -sf /etc/passwd ${box.workspace}/link.xlsx; mkfifo ${box.workspace}/pipe.xlsx`, timeout_ms: 2000 });
  for (const filepath of ['../x.xlsx', '/etc/x.xlsx', 'etc/x.xlsx', `${box.workspace}/../x.xlsx`]) assert.match((await call('create_workbook', { filepath })).text, /^Error: /, filepath);
  for (const filepath of ['/etc/passwd', 'link.xlsx', '../../etc/x.xlsx', 'pipe.xlsx', 'missing.xlsx', 'sub', 'x.csv'])
    for (const [tool, args] of [['read_data_from_excel', {}], ['write_data_to_excel', { data: [[1]] }], ['get_workbook_metadata', {}], ['create_table', { data_range: 'A1:B2' }]])
      assert.match((await call(tool, { filepath, sheet_name: 'S', ...args })).text, /^Error/, `${tool} ${filepath}`);
  assert.equal((await call('merge_cells', { filepath: 'missing.xlsx', sheet_name: 'S', start_cell: 'A1', end_cell: 'B2' })).text, `Error: [Errno 2] No such file or directory: '${box.workspace}/missing.xlsx'`);
  assert.match((await call('read_data_from_excel', { filepath: 'x.csv', sheet_name: 'S' })).text, /^Error executing tool read_data_from_excel: openpyxl does not support .csv file format/);
  const wrong = await call('insert_rows', { filepath: 'a.xlsx', sheet_name: 'S', start_row: 'x' });
  assert.ok(wrong.isError && /1 validation error for insert_rowsArguments\nstart_row/.test(wrong.text), wrong.text);
  await fresh('data.xlsx');
  for (const [data, message] of [[[], 'No data provided to write'], [[[{ a: 1 }]], "Cannot convert {'a': 1} to Excel"], [[['a\u0001b']], 'a\u0001b cannot be used in worksheets.']])
    assert.equal((await call('write_data_to_excel', { filepath: 'data.xlsx', sheet_name: 'Sheet1', data })).text, `Error: ${message}`);
  assert.match((await call('write_data_to_excel', { filepath: 'data.xlsx', sheet_name: 'Sheet1', data: [[1], [2]], start_cell: 'A1048576' })).text, /^Error: Row 1048577 is beyond the last row/);
});

test('many rows are written, computed and read by pandas', async () => {
  await fresh('big.xlsx', [['n', 'twice'], ...Array.from({ length: 5000 }, (_, i) => [i, `=A${i + 2}*2`])]);
  const frame = await ask({ do: 'frame', sheet: 'Sheet1', data: await bytesOf('big.xlsx') });
  assert.equal(frame.data.length, 5000);
  assert.deepEqual(frame.data[4999], [4999, 9998]);
});
