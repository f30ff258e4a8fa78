// Looking for secrets wherever bytes are kept: in texts, files, disk images and the memory of processes, in plain and in
// the usual codings.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Base64 of a text in the middle of another: three forms, by where it begins, without what its neighbours decide. */
const base64Within = (text, coding) => [0, 1, 2].map((shift) => Buffer.from('\0'.repeat(shift) + text).toString(coding).slice(shift ? 4 : 0).replace(/=+$/, '').slice(0, -2));

/** All forms in which a text of letters and digits may stand somewhere. */
export function formsOf(text) {
  const bytes = Buffer.from(text);
  const forms = [text, bytes.toString('hex'), bytes.toString('hex').toUpperCase(), [...text].reverse().join(''), ...base64Within(text, 'base64'), ...base64Within(text, 'base64url'),
    [...bytes].map((byte) => `%${byte.toString(16)}`).join(''), [...bytes].map((byte) => `%${byte.toString(16).toUpperCase()}`).join('')];
  return [...new Set(forms)];
}

/** Which of these secrets (by name) are in a text, in any form. */
export const namesIn = (text, secrets) => Object.keys(secrets).filter((name) => formsOf(secrets[name]).some((form) => text.includes(form)));

// Prints "PATH<TAB>FORM" for each find. Holes of files are skipped, so that a disk image costs what it holds.
const searcher = String.raw`
import os, stat, subprocess, sys
forms = [line.encode() for line in open(sys.argv[1]).read().split('\n') if line]
longest = max(map(len, forms))
skipped = set(sys.argv[3].split(',')) if len(sys.argv) > 3 else set()
total = 0
def have(window):
    # A hundred forms at once are grep's trade; small windows are not worth a process.
    if len(window) > 65536:
        quick = subprocess.run(['grep', '-qazF', '-f', sys.argv[1]], input=window, env={'LC_ALL': 'C'})
        if quick.returncode == 1: return []
    return [form for form in forms if form in window]
def scan(path, fd, start, end):
    global total
    tail, at = b'', start
    while at < end:
        data = os.pread(fd, min(32 << 20, end - at), at)
        if not data: break
        at += len(data); total += len(data)
        window = tail + data
        for form in have(window): print(f'{path}\t{form.decode()}')
        tail = window[-longest:]
def file(path):
    try: fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError: return
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode): return
        at = 0
        while at < info.st_size:
            try: at = os.lseek(fd, at, os.SEEK_DATA)
            except OSError: break
            end = os.lseek(fd, at, os.SEEK_HOLE)
            scan(path, fd, at, end)
            at = end
    except OSError: pass
    finally: os.close(fd)
def memory(pid):
    for name in ('environ', 'cmdline'):
        try: data = open(f'/proc/{pid}/{name}', 'rb').read()
        except OSError: continue
        for form in forms:
            if form in data: print(f'/proc/{pid}/{name}\t{form.decode()}')
    try:
        maps = open(f'/proc/{pid}/maps').read().splitlines()
        fd = os.open(f'/proc/{pid}/mem', os.O_RDONLY)
    except OSError: return
    for line in maps:
        span, rights = line.split()[:2]
        if 'w' not in rights: continue
        start, end = (int(part, 16) for part in span.split('-'))
        try: scan(f'/proc/{pid}/mem', fd, start, end)
        except OSError: pass
    os.close(fd)
for line in sys.stdin.read().split('\n'):
    kind, _, what = line.partition(' ')
    if kind == 'pid': memory(what)
    if kind == 'tree':
        for folder, folders, files in os.walk(what):
            folders[:] = [one for one in folders if os.path.relpath(os.path.join(folder, one), what) not in skipped]
            for one in files: file(os.path.join(folder, one))
print(f'searched\t{total}')
`;

/** Searches folders and the memory of processes: {found: ["NAME in PATH"], bytes}. */
export async function search({ trees = [], pids = [], skip = [] }, secrets) {
  const folder = mkdtempSync(join(tmpdir(), 'viv-haystack-'));
  try {
    const owners = new Map(Object.entries(secrets).flatMap(([name, text]) => formsOf(text).map((form) => [form, name])));
    writeFileSync(join(folder, 'forms'), [...owners.keys()].join('\n'));
    writeFileSync(join(folder, 'search.py'), searcher);
    const child = spawn('python3', [join(folder, 'search.py'), join(folder, 'forms'), skip.join(',')], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end([...trees.map((one) => `tree ${one}`), ...pids.map((one) => `pid ${one}`)].join('\n'));
    let said = '';
    child.stdout.on('data', (data) => (said += data));
    const code = await new Promise((done) => child.on('close', done));
    const lines = said.trim().split('\n').map((line) => line.split('\t'));
    if (code !== 0 || lines.at(-1)[0] !== 'searched') throw new Error(`the search ended with ${code}: ${said}`);
    return { found: [...new Set(lines.slice(0, -1).map(([path, form]) => `${owners.get(form)} in ${path}`))], bytes: Number(lines.at(-1)[1]) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
