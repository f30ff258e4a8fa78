"""Looks at workbooks with openpyxl, pandas and LibreOffice: one JSON request a line, one answer a line."""
import base64, datetime, io, json, os, subprocess, sys, tempfile
import openpyxl, pandas
from openpyxl.worksheet.datavalidation import DataValidation


def plain(value):
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def look(data):
    book = openpyxl.load_workbook(io.BytesIO(data))
    computed = openpyxl.load_workbook(io.BytesIO(data), data_only=True)
    out = {}
    for sheet in book:
        cells = {}
        for row in sheet.iter_rows():
            for cell in row:
                if cell.value is None and not cell.has_style:
                    continue
                cells[cell.coordinate] = {
                    'value': plain(cell.value), 'computed': plain(computed[sheet.title][cell.coordinate].value),
                    'bold': bool(cell.font.b), 'color': plain(cell.font.color and cell.font.color.rgb), 'size': cell.font.sz,
                    'fill': plain(cell.fill.fgColor.rgb) if cell.fill.patternType else None, 'format': cell.number_format,
                    'border': cell.border.left.style, 'align': cell.alignment.horizontal, 'locked': cell.protection.locked}
        out[sheet.title] = {
            'cells': cells, 'merged': sorted(map(str, sheet.merged_cells.ranges)), 'charts': len(sheet._charts),
            'tables': {t.name: [t.ref, [c.name for c in t.tableColumns]] for t in sheet.tables.values()},
            'validations': [str(v.sqref) for v in sheet.data_validations.dataValidation],
            'rules': [r.type for rules in sheet.conditional_formatting for r in rules.rules],
            'widths': {k: d.width for k, d in sheet.column_dimensions.items()}}
    return out


def frame(data, sheet):
    table = pandas.read_excel(io.BytesIO(data), sheet_name=sheet)
    return json.loads(table.to_json(orient='split', date_format='iso'))


def csv(data):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'book.xlsx')
        with open(path, 'wb') as file:
            file.write(data)
        subprocess.run(['soffice', f'-env:UserInstallation=file://{folder}/profile', '--headless', '--convert-to', 'csv:Text - txt - csv (StarCalc):44,34,76', '--outdir', folder, path],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(os.path.join(folder, 'book.csv'), encoding='utf-8') as file:
            return file.read()


def sample():
    """A workbook with what agents find in files of other programs: dates, validation, widths, a chart, a comment."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = 'Data'
    sheet.append(['Name', 'Qty', 'When', 'OK'])
    for i in range(4):
        sheet.append([f'n{i}', i * 3, datetime.datetime(2024, 1, 1 + i, 6), i % 2 == 0])
    sheet['F1'] = '=SUM(B2:B5)'
    rule = DataValidation(type='list', formula1='"Yes,No"', allow_blank=True)
    sheet.add_data_validation(rule)
    rule.add('D2:D5')
    sheet.column_dimensions['A'].width = 33
    chart = openpyxl.chart.BarChart()
    chart.add_data(openpyxl.chart.Reference(sheet, min_col=2, min_row=1, max_row=5), titles_from_data=True)
    sheet.add_chart(chart, 'H2')
    sheet['A2'].comment = openpyxl.comments.Comment('keep me', 'Ann')
    other = book.create_sheet('Other')
    other['A1'] = '=Data!B3'
    file = io.BytesIO()
    book.save(file)
    return base64.b64encode(file.getvalue()).decode()


for line in sys.stdin:
    request = json.loads(line)
    data = base64.b64decode(request.get('data', ''))
    try:
        answer = {'look': lambda: look(data), 'frame': lambda: frame(data, request['sheet']), 'csv': lambda: csv(data), 'sample': sample}[request['do']]()
        print(json.dumps({'answer': answer}), flush=True)
    except Exception as error:  # The test shows what went wrong.
        print(json.dumps({'error': f'{type(error).__name__}: {error}'}), flush=True)
