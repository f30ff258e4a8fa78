// pdf-tools: text, facts, pages and searches of PDFs; and PDFs that are broken, locked or made to do harm.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { callTool, openLocal } from '../support/local.js';

let box;
const scratch = mkdtempSync(join(tmpdir(), 'viv-pdf-'));
before(async () => {
  if (process.env.VIV_TOOLS_STDIO) process.env.HOME = scratch;
  box = await openLocal(['pdf-tools', 'desktop-commander']);
  await box.write('three.pdf', pdf(['Hello one', 'Hello two', 'Hello three'], '/Title (A title) /CreationDate (D:20240102030405Z)'));
  await box.write('many.pdf', pdf(Array.from({ length: 25 }, (_, i) => `needle ${i} here`)));
});
after(async () => {
  await box?.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** A PDF of numbered objects. */
function assemble(objects, trailer = '') {
  let bytes = Buffer.from('%PDF-1.4\n');
  let places = '';
  objects.forEach((object, i) => {
    places += `${String(bytes.length).padStart(10, '0')} 00000 n \n`;
    bytes = Buffer.concat([bytes, Buffer.from(`${i + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]);
  });
  const end = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${bytes.length}\n%%EOF\n`;
  return Buffer.concat([bytes, Buffer.from(end)]);
}

const font = '/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>';

/** A PDF with one line of text on each page. */
function pdf(lines, info) {
  const kids = lines.map((_, i) => `${3 + 2 * i} 0 R`).join(' ');
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>', `<< /Type /Pages /Kids [${kids}] /Count ${lines.length} >>`];
  lines.forEach((line, i) => {
    const stream = `BT /F1 12 Tf 72 700 Td (${line}) Tj ET`;
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${4 + 2 * i} 0 R ${font} >>`);
    objects.push(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
  });
  if (info) objects.push(`<< ${info} >>`);
  return assemble(objects, info ? `/Info ${objects.length} 0 R` : '');
}

async function say(tool, args) {
  const { text, isError } = await callTool(box, 'pdf-tools', tool, args);
  assert.equal(isError, false, `${tool} ${JSON.stringify(args)}: ${text}`);
  return text;
}

async function table(rows) {
  for (const [tool, args, expected] of rows) {
    const text = await say(tool, args);
    if (typeof expected === 'string') assert.equal(text, expected, JSON.stringify(args));
    else assert.match(text, expected, `${tool} ${JSON.stringify(args)}`);
  }
}

test('lists the tools of its original and refuses wrong arguments', async () => {
  const { tools } = await (await box.client('pdf-tools')).listTools();
  assert.equal(tools.length, 9);
  for (const args of [{}, { pdf_file_path: 5 }, { pdf_file_path: 'a', start_page: 'x' }]) {
    const { isError, text } = await callTool(box, 'pdf-tools', 'read_pdf_pages', args);
    assert.ok(isError && /validation error/.test(text), text);
  }
  assert.ok((await callTool(box, 'pdf-tools', 'no_such_tool')).isError);
});

test('reads pages and facts', async () => {
  await table([
    ['read_pdf_pages', { pdf_file_path: 'three.pdf' }, 'PDF total pages: 3\nExtracted page range: 1-1\n\n=== Page 1 ===\nHello one'],
    ['read_pdf_pages', { pdf_file_path: `${box.workspace}/three.pdf`, start_page: 3, end_page: 2 }, 'PDF total pages: 3\nExtracted page range: 2-3\n\n=== Page 2 ===\nHello two\n\n=== Page 3 ===\nHello three'],
    ['read_pdf_pages', { pdf_file_path: 'three.pdf', start_page: -7, end_page: 900 }, /^Warning: Reading more than 50 pages[^]*range: 1-3/],
    ['get_pdf_info', { pdf_file_path: 'three.pdf' }, 'PDF file information:\nTotal pages: 3\nTitle: A title\nAuthor: Unknown\nCreator: Unknown\nCreation date: D:20240102030405Z\n'],
    ['get_pdf_info', { pdf_file_path: 'many.pdf' }, 'PDF file information:\nTotal pages: 25\n'],
    ['pdf_tools_read_pdf', { file_path: 'three.pdf' }, /Hello three/],
  ]);
});

// PyPDF2, or what it is called since.
const importReader = 'import sys\ntry:\n  from PyPDF2 import PdfReader\nexcept ImportError:\n  from pypdf import PdfReader\n';

test('merges and extracts; PyPDF2 reads the results', async () => {
  await table([
    ['merge_pdfs', { pdf_paths: ['three.pdf', 'many.pdf'], output_path: 'merged.pdf' }, "Successfully merged 2 PDFs into 'merged.pdf'\nTotal pages: 28"],
    ['extract_pdf_pages', { source_path: 'merged.pdf', page_numbers: [28, 1, 99, 0], output_path: 'some.pdf' }, "Successfully extracted 2 pages from 'merged.pdf' to 'some.pdf'\nExtracted pages: [28, 1]\nSource PDF total pages: 28"],
    ['extract_pdf_pages', { source_path: 'three.pdf', page_numbers: [7], output_path: 'x.pdf' }, 'Error: No valid pages to extract from PDF (total pages: 3)'],
    ['merge_pdfs', { pdf_paths: ['three.pdf', 'none.pdf'], output_path: 'x.pdf' }, "Error reading PDF 'none.pdf': [Errno 2] No such file or directory: 'none.pdf'"],
    ['merge_pdfs', { pdf_paths: ['three.pdf'], output_path: 'no/x.pdf' }, /^Error merging PDFs: \[Errno 2\]/],
    ['merge_pdfs', { pdf_paths: ['three.pdf'], output_path: 'http://x/y.pdf' }, 'Error: Output path cannot be a URL, must be a local file path'],
    ['merge_pdfs', { pdf_paths: Array(600).fill('three.pdf'), output_path: 'x.pdf' }, /500/],
  ]);
  const file = join(scratch, 'some.pdf');
  writeFileSync(file, await box.read('some.pdf'));
  const script = `${importReader}r = PdfReader(sys.argv[1])\nprint([p.extract_text().strip() for p in r.pages])`;
  assert.equal(execFileSync('/usr/bin/python3', ['-c', script, file]).toString().trim(), "['needle 24 here', 'Hello one']");
});

const python = (script, ...args) => execFileSync('/usr/bin/python3', ['-c', script, ...args], { encoding: 'utf8' });
const hasLibreOffice = (() => {
  try {
    execFileSync('soffice', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

test('lines end where PyPDF2 ends them', async () => {
  const files = {};
  const page = (stream) => assemble(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R ${font} >>`, `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`]);
  files['lines.pdf'] = page('BT /F1 12 Tf 72 700 Td (First line) Tj 0 -14 Td (second line) Tj 0 -40 Td (after a gap) Tj T* (starred) Tj ET');
  files['columns.pdf'] = page('BT /F1 12 Tf 72 700 Td (left) Tj 200 0 Td (right) Tj ET BT /F1 12 Tf 72 680 Td [(ker) -20 (ned) -400 (words)] TJ ET');
  files['quotes.pdf'] = page("BT /F1 12 Tf 14 TL 72 700 Td (one) Tj (two) ' 1 1 (three) \" ET");
  if (hasLibreOffice) {
    writeFileSync(join(scratch, 'sheet.csv'), 'Item,Amount,Note\nCoffee,3.50,"two cups, black"\nTea,2.25,green\n\nTotal,5.75,\n');
    execFileSync('soffice', ['--headless', `-env:UserInstallation=file://${scratch}/profile`, '--convert-to', 'pdf', '--outdir', scratch, join(scratch, 'sheet.csv')], { stdio: 'ignore' });
    files['sheet.pdf'] = readFileSync(join(scratch, 'sheet.pdf'));
    execFileSync('qpdf', ['--object-streams=generate', '--linearize', join(scratch, 'sheet.pdf'), join(scratch, 'linear.pdf')]);
    files['linear.pdf'] = readFileSync(join(scratch, 'linear.pdf'));
  }
  for (const [name, bytes] of Object.entries(files)) {
    await box.write(name, bytes);
    writeFileSync(join(scratch, name), bytes);
    const text = python(`${importReader}sys.stdout.write(PdfReader(sys.argv[1]).pages[0].extract_text())`, join(scratch, name));
    assert.ok(text.trim().includes('\n') || name === 'quotes.pdf', `${name}: ${text}`);
    assert.equal(await say('read_pdf_pages', { pdf_file_path: name }), `PDF total pages: 1\nExtracted page range: 1-1\n\n=== Page 1 ===\n${text}`, name);
  }
});

test('patterns may look around and refer back, and cannot take for ever', async () => {
  await box.write('prices.pdf', pdf(['cost $5 and price $66', `${'a'.repeat(60)}!`]));
  await table([
    ['search_pdf_content', { pdf_file_path: 'prices.pdf', pattern: '(?<=\\$)\\d+' }, /Total matches: 2\n[^]*Text: "5"\n[^]*Text: "66"\n/],
    ['search_pdf_content', { pdf_file_path: 'prices.pdf', pattern: '\\w+(?= \\$66)' }, /Total matches: 1\n[^]*Text: "price"\n/],
    ['search_pdf_content', { pdf_file_path: 'prices.pdf', pattern: '(?i)(C)ost(?!x)' }, /Text: "cost"/],
    ['search_pdf_content', { pdf_file_path: 'prices.pdf', pattern: '(\\d)\\1' }, /Total matches: 1\n[^]*Text: "66"/],
    ['search_pdf_content', { pdf_file_path: 'prices.pdf', pattern: '(?<=a+)b' }, 'Error searching PDF: invalid pattern: look-behind requires fixed-width pattern'],
    ['search_pdf_content', { pdf_file_path: 'prices.pdf', pattern: '(?=b|(a+)+$)x\\1' }, /^Error searching PDF: python3 needed too much time for this pattern$|^No matches found/],
  ]);
});

test('pages through the results of a search', async () => {
  const first = await say('search_pdf_content', { pdf_file_path: 'many.pdf', pattern: 'NEEDLE (\\d+)' });
  const search_id = /^Search ID: (\w{8})\n/.exec(first)[1];
  assert.match(first, /Total matches: 25\nPage: 1\/3\nResults per page: 10\n\nMatch 1:\n {2}Page: 1\n {2}Text: "needle 0"\n {2}Context: \.\.\.\[needle 0\] here\.\.\.\n/);
  assert.match(first, new RegExp(`search_id '${search_id}' to navigate\\.$`));
  await table([
    ['search_pdf_next_page', { search_id }, /Page: 2\/3\n\nMatch 11:/],
    ['search_pdf_go_page', { search_id, page_number: 3 }, /Match 25:/],
    ['search_pdf_next_page', { search_id }, 'Already on last page (3/3)'],
    ['search_pdf_prev_page', { search_id }, /Page: 2\/3/],
    ['search_pdf_info', { search_id }, /^Search Session Information:\n[^]*PDF Path: many\.pdf\n[^]*Current page: 2\/3\n/],
    ['search_pdf_go_page', { search_id, page_number: 4 }, 'Error: Page number 4 is out of range (1-3)'],
    ['search_pdf_info', { search_id: 'nope' }, "Error: Search session 'nope' not found or expired"],
    ['search_pdf_prev_page', { search_id: 'nope' }, "Error: Search session 'nope' not found or expired"],
    ['search_pdf_content', { pdf_file_path: 'many.pdf', pattern: 'x', page_size: 99 }, /^No matches|^Warning/],
    ['search_pdf_content', { pdf_file_path: 'many.pdf', pattern: 'e', page_size: 5 }, /^Warning: Page size 5 is out of range \(10-50\)/],
    ['search_pdf_content', { pdf_file_path: 'many.pdf', pattern: 'zzz' }, 'No matches found for pattern: zzz'],
    ['search_pdf_content', { pdf_file_path: 'many.pdf', pattern: '(' }, /^Error searching PDF: invalid pattern/],
    ['search_pdf_content', { pdf_file_path: 'many.pdf', pattern: '(a+)+$'.repeat(30) }, /^No matches/],
  ]);
});

test('nothing outside the workspace', async () => {
  await callTool(box, 'desktop-commander', 'start_process', { command: 'ln -s /etc/passwd link.pdf; ln -s / up', timeout_ms: 10000 });
  for (const path of ['/etc/passwd', '../x.pdf', 'link.pdf', 'up/etc/passwd']) {
    const refusal = `Error: Path '${path}' is outside the allowed workspace '${box.workspace}'`;
    await table([
      ['read_pdf_pages', { pdf_file_path: path }, refusal],
      ['get_pdf_info', { pdf_file_path: path }, refusal],
      ['search_pdf_content', { pdf_file_path: path, pattern: 'x' }, refusal],
      ['merge_pdfs', { pdf_paths: [path], output_path: 'x.pdf' }, refusal],
      ['merge_pdfs', { pdf_paths: ['three.pdf'], output_path: path }, refusal],
      ['extract_pdf_pages', { source_path: path, page_numbers: [1], output_path: 'x.pdf' }, refusal],
      ['extract_pdf_pages', { source_path: 'three.pdf', page_numbers: [1], output_path: path }, refusal],
    ]);
  }
});

test('broken, locked and hostile files are text errors, in time', async () => {
  const whole = pdf(['x']);
  const plain = join(scratch, 'plain.pdf');
  writeFileSync(plain, whole);
  execFileSync('qpdf', ['--encrypt', 'secret', 'owner', '256', '--', plain, join(scratch, 'locked.pdf')]);
  const bomb = deflateSync(Buffer.alloc(64 << 20, 'q '), { level: 9 });
  const stream = Buffer.concat([Buffer.from(`<< /Length ${bomb.length} /Filter /FlateDecode >>\nstream\n`), bomb, Buffer.from('\nendstream')]);
  const files = {
    'empty.pdf': Buffer.alloc(0),
    'text.pdf': Buffer.from('no PDF at all'),
    'zeros.pdf': Buffer.alloc(100000),
    'head.pdf': whole.subarray(0, 60),
    'locked.pdf': readFileSync(join(scratch, 'locked.pdf')),
    'loop.pdf': assemble(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>']),
    'count.pdf': assemble(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 2147483647 >>']),
    'deep.pdf': assemble([`<< /Type /Catalog /Pages ${'['.repeat(100000)}${']'.repeat(100000)} >>`]),
    'bomb.pdf': assemble(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [3 0 R] /Count 1 >>', `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R ${font} >>`, stream]),
  };
  for (const [name, bytes] of Object.entries(files)) {
    await box.write(name, bytes);
    const answer = /^(Error |Error: |PDF total pages: \d+\nSpecified page range|PDF total pages: 0)/;
    assert.match(await say('read_pdf_pages', { pdf_file_path: name }), answer, name);
    assert.match(await say('search_pdf_content', { pdf_file_path: name, pattern: 'x' }), /^(Error|No matches)/, name);
    assert.match(await say('merge_pdfs', { pdf_paths: [name], output_path: 'made.pdf' }), /^(Error|Successfully)/, name);
  }
  await table([
    ['read_pdf_pages', { pdf_file_path: 'locked.pdf' }, 'Error processing PDF: File has not been decrypted'],
    ['read_pdf_pages', { pdf_file_path: 'empty.pdf' }, 'Error processing PDF: Cannot read an empty file'],
    ['get_pdf_info', { pdf_file_path: 'text.pdf' }, /^Error getting PDF information: EOF marker not found/],
    ['read_pdf_pages', { pdf_file_path: 'none.pdf' }, "Error: File not found 'none.pdf'"],
    ['get_pdf_info', { pdf_file_path: 'three.pdf' }, /Total pages: 3/],
  ]);
});

test('fetches URLs once, into its own folder', async (t) => {
  await table([['read_pdf_pages', { pdf_file_path: 'http://127.0.0.1:1/a.pdf' }, /^Error resolving path: Failed to download PDF from URL: /]]);
  if (!process.env.VIV_TOOLS_STDIO) return t.diagnostic('a box does not reach servers of its host');
  let requests = 0;
  const server = createServer((request, response) => {
    ++requests;
    if (request.url === '/a.pdf') return response.end(pdf(['from afar']));
    response.statusCode = request.url === '/none.pdf' ? 404 : 200;
    response.end('<html>');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  await table([
    ['read_pdf_pages', { pdf_file_path: `${url}/a.pdf` }, /=== Page 1 ===\nfrom afar$/],
    ['get_pdf_info', { pdf_file_path: `${url}/a.pdf` }, /Total pages: 1/],
    ['get_pdf_info', { pdf_file_path: `${url}/none.pdf` }, /^Error resolving path: Failed to download PDF from URL: 404 Client Error/],
    ['get_pdf_info', { pdf_file_path: `${url}/page.pdf` }, 'Error resolving path: Error processing PDF download: Downloaded file is not a valid PDF format'],
  ]);
  assert.equal(requests, 3);
  const index = JSON.parse(await box.read('.pdf_tools_tempfiles/url_tempfile_mapping.json'));
  assert.match(index[`${url}/a.pdf`], /\/\.pdf_tools_tempfiles\/[0-9a-f-]{36}\.pdf$/);
  server.close();
});
