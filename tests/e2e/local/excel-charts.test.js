// Formulas, charts and pivot tables of the excel server, looked at with openpyxl and recalculated by LibreOffice.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { callTool, openLocal } from '../support/local.js';

let box, folder;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'viv-charts-'));
  box = await openLocal(['excel']);
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await box?.close();
});

const call = async (name, args) => (await callTool(box, 'excel', name, args)).text;
/** What a Python expression says of the workbook `book`, read with openpyxl; `values` is the same with computed values. */
async function python(path, expression) {
  const file = join(folder, 'book.xlsx');
  writeFileSync(file, await box.read(path));
  const code = `import json, sys, openpyxl
book, values = openpyxl.load_workbook(sys.argv[1]), openpyxl.load_workbook(sys.argv[1], data_only=True)
print(json.dumps(${expression}, default=str))`;
  return JSON.parse(execFileSync('/usr/bin/python3', ['-c', code, file], { encoding: 'utf8' }));
}
async function fresh(filepath, data) {
  assert.match(await call('create_workbook', { filepath }), /^Created/);
  assert.match(await call('write_data_to_excel', { filepath, sheet_name: 'Sheet1', data }), /^Data written/);
}

const sales = [
  ['Region', 'Product', 'Sales', 'Year'], ['N', 'a', 10, 2023], ['S', 'b', 20.5, 2024], ['N', 'b', 30, 2023], ['S', 'a', null, 2024],
  ['N', 'a', '=C2/2', 2023],
];
const formulas = [
  'SUM(C2:C6)', 'AVERAGE(C2:C4)', 'SUMIFS(C2:C6,A2:A6,"N",B2:B6,"a")', 'COUNTIF(A2:A6,"S")', 'VLOOKUP("S",A2:D6,3,FALSE)',
  'INDEX(B2:B6,MATCH(30,C2:C6,0))', 'IFERROR(1/0,"none")', 'IF(AND(C2>5,C2<20),"mid","other")', 'TEXT(DATE(2024,3,5),"yyyy-mm-dd")',
  'ROUND(PMT(0.05/12,60,-10000),2)', 'SUMPRODUCT((A2:A6="N")*C2:C6)', 'UPPER(LEFT("hello",2))&"-"&LEN("abc")',
  'NETWORKDAYS(DATE(2024,1,1),DATE(2024,1,31))', 'LARGE(C2:C6,2)', 'MEDIAN(C2:C6)', 'STDEV(C2:C6)', 'ROUND(IRR({-100,60,60}),6)',
  '_xlfn.TEXTJOIN(",",TRUE,A2:A4)', 'EOMONTH(DATE(2024,1,15),1)', 'RANK(30,C2:C6)', 'MOD(-7,3)', 'C2&" and "&C3', '1/0', 'NA()',
];

test('computed results are those of LibreOffice', async () => {
  await fresh('f.xlsx', sales);
  for (const [i, formula] of formulas.entries())
    assert.match(await call('apply_formula', { filepath: 'f.xlsx', sheet_name: 'Sheet1', cell: `F${i + 1}`, formula: '=' + formula }), /^Applied formula/, formula);
  const cells = `[values["Sheet1"].cell(i + 1, 6).value for i in range(${formulas.length})]`;
  // openpyxl drops computed results when it saves, so LibreOffice has to make its own.
  const ours = (await python('f.xlsx', `[${cells}, book.save("${folder}/bare.xlsx")]`))[0];
  execFileSync('soffice', [`-env:UserInstallation=file://${folder}/profile`, '--headless', '--convert-to', 'xlsx:Calc MS Excel 2007 XML', '--outdir', join(folder, 'out'), join(folder, 'bare.xlsx')], { stdio: 'ignore' });
  const code = `import json, sys, openpyxl
values = openpyxl.load_workbook(sys.argv[1], data_only=True)
print(json.dumps(${cells}, default=str))`;
  const theirs = JSON.parse(execFileSync('/usr/bin/python3', ['-c', code, join(folder, 'out/bare.xlsx')], { encoding: 'utf8' }));
  for (const [i, formula] of formulas.entries()) {
    if (typeof ours[i] === 'number' && typeof theirs[i] === 'number') assert.ok(Math.abs(ours[i] - theirs[i]) <= 1e-9 * Math.max(1, Math.abs(theirs[i])), `${formula}: ${ours[i]} ${theirs[i]}`);
    else if (formula.startsWith('EOMONTH')) assert.equal(ours[i], 45351, formula);
    else assert.equal(ours[i], theirs[i], formula);
  }
});

test('hostile formulas end with an error value and do not hold up the server', async () => {
  await fresh('h.xlsx', [[1, 2]]);
  const hostile = { A2: 'A2+1', A3: 'SUM(SEQUENCE(1000000)*TRANSPOSE(SEQUENCE(1000000)))', A4: 'REPT(REPT("x",99999),99999)', A5: '10^999', A6: `${'-'.repeat(5000)}1` };
  for (const [cell, formula] of Object.entries(hostile))
    assert.match(await call('apply_formula', { filepath: 'h.xlsx', sheet_name: 'Sheet1', cell, formula: '=' + formula }), /^Applied formula/);
  const shown = await python('h.xlsx', '[values["Sheet1"].cell(i, 1).value for i in range(2, 7)]');
  assert.ok(shown.slice(0, 4).every((value) => String(value).startsWith('#')), JSON.stringify(shown));
  assert.equal(shown[4], 1);
  for (const [formula, problem] of [['=SUM(A1', 'Unclosed parenthesis'], ['=A1)', 'Unmatched closing parenthesis'], ['=INDIRECT("A1")', 'Unsafe function: INDIRECT'], ['=WEBSERVICE("x")', 'Unsafe function: WEBSERVICE']])
    assert.equal(await call('apply_formula', { filepath: 'h.xlsx', sheet_name: 'Sheet1', cell: 'C1', formula }), `Error: Invalid formula syntax: ${problem}`);
});

test('each kind of chart is read by openpyxl with its cells, titles and place', async () => {
  await fresh('c.xlsx', [['Month', 'A & B', 'C<D'], ['Jan', 1, 2], ['Feb', 3, '=B3*2'], ['Mar', 5, 6]]);
  const kinds = ['line', 'bar', 'pie', 'scatter', 'area'];
  for (const [i, chart_type] of kinds.entries())
    assert.equal(await call('create_chart', { filepath: 'c.xlsx', sheet_name: 'Sheet1', data_range: 'A1:C4', chart_type, target_cell: `AB${1 + 15 * i}`, title: `T & <${i}>`, x_axis: 'X', y_axis: 'Y' }), `${chart_type[0].toUpperCase()}${chart_type.slice(1)} chart created successfully`);
  const charts = await python('c.xlsx', `[[type(c).__name__, c.anchor._from.col, c.anchor._from.row, c.title.tx.rich.p[0].r[0].t, [[s.tx.strRef.f, (s.val or s.yVal).numRef.f, (s.cat or s.xVal).strRef.f] for s in c.series]] for c in book["Sheet1"]._charts]`);
  const series = [["'Sheet1'!$B$1", "'Sheet1'!$B$2:$B$4", "'Sheet1'!$A$2:$A$4"], ["'Sheet1'!$C$1", "'Sheet1'!$C$2:$C$4", "'Sheet1'!$A$2:$A$4"]];
  assert.deepEqual(charts, ['LineChart', 'BarChart', 'PieChart', 'ScatterChart', 'AreaChart'].map((name, i) => [name, 27, 15 * i, `T & <${i}>`, series]));
  execFileSync('soffice', [`-env:UserInstallation=file://${folder}/profile`, '--headless', '--convert-to', 'pdf', '--outdir', folder, join(folder, 'book.xlsx')], { stdio: 'ignore' });
  assert.ok(readFileSync(join(folder, 'book.pdf')).length > 1000);
});

test('charts that cannot be made say why', async () => {
  await fresh('e.xlsx', sales);
  const chart = (args) => call('create_chart', { filepath: 'e.xlsx', sheet_name: 'Sheet1', data_range: 'A1:C4', chart_type: 'bar', target_cell: 'E1', ...args });
  for (const [args, problem] of [
    [{ sheet_name: 'No' }, "Sheet 'No' not found"],
    [{ chart_type: 'donut' }, 'Unsupported chart type: donut. Supported types: line, bar, pie, scatter, area'],
    [{ data_range: 'A1' }, 'Invalid data range format: not enough values to unpack (expected 2, got 1)'],
    [{ data_range: 'x:y' }, 'Invalid data range format: Invalid cell reference: x'],
    [{ data_range: 'No!A1:B2' }, "Sheet 'No' referenced in data range not found"],
    [{ data_range: 'A0:B2' }, 'Failed to create chart data references: Min value is 1'],
    [{ data_range: 'A1:XFE9' }, 'Failed to create chart data references: Max value is 16384'],
    [{ target_cell: '5' }, 'Failed to create chart drawing: Invalid target cell format: 5'],
    [{ filepath: 'none.xlsx' }, `Unexpected error creating chart: [Errno 2] No such file or directory: '${box.workspace}/none.xlsx'`],
  ]) assert.equal(await chart(args), `Error: ${problem}`);
  assert.match(await chart({ filepath: '/etc/passwd.xlsx' }), /^Error: /);
});

test('a pivot table sums up by fields of text and of numbers', async () => {
  await fresh('p.xlsx', sales);
  const pivot = (args) => call('create_pivot_table', { filepath: 'p.xlsx', sheet_name: 'Sheet1', data_range: 'A1:D6', rows: ['Region'], values: ['Sales'], agg_func: 'sum', ...args });
  const table = () => python('p.xlsx', '[[c.value for c in row] for row in book["Sheet1_pivot"].iter_rows()]');
  for (const [args, expected] of [
    [{}, [['Region', 'Sales (sum)'], ['N', 45], ['S', 20.5]]],
    [{ rows: ['Region', 'Product'], agg_func: 'count' }, [['Region', 'Product', 'Sales (count)'], ['N', 'a', 2], ['N', 'b', 1], ['S', 'a', 0], ['S', 'b', 1]]],
    [{ rows: ['Year'], agg_func: 'max' }, [['Year', 'Sales (max)'], ['2023', 30], ['2024', 20.5]]],
    [{ rows: [], agg_func: 'average' }, [['Sales (average)'], [16.375]]],
  ]) {
    assert.equal(await pivot(args), 'Summary table created successfully');
    assert.deepEqual(await table(), expected);
  }
  assert.match((await python('p.xlsx', 'list(book["Sheet1_pivot"].tables.keys())'))[0], /^PivotTable_[0-9a-f]{8}$/);
  for (const [args, problem] of [
    [{ agg_func: 'mean' }, 'Invalid aggregation function. Must be one of: sum, average, count, min, max'],
    [{ rows: ['No'] }, "Invalid row field 'No'. Available fields: Product, Region, Sales, Year"],
    [{ columns: ['No'] }, "Invalid column field 'No'. Available fields: Product, Region, Sales, Year"],
    [{ data_range: 'A1:D1' }, 'Failed to read or process source data: Source data must have a header row and at least one data row.'],
    [{ data_range: 'A1' }, "Data range must be in format 'A1:B2'"],
    [{ sheet_name: 'No' }, "Sheet 'No' not found"],
    [{ filepath: 'none.xlsx' }, `[Errno 2] No such file or directory: '${box.workspace}/none.xlsx'`],
  ]) assert.equal(await pivot(args), `Error: ${problem}`);
});
