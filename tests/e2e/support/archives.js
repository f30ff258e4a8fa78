// Archives for local sandboxes, good ones and bad ones, and the way of their bytes to a signed URL and back.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const inScratch = (work) => {
  const folder = mkdtempSync(join(tmpdir(), 'viv-archive-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** A tar.gz of files by their paths, as the vendor's runner makes it. */
export const archiveOf = (files, members = ['.']) =>
  inScratch((folder) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return execFileSync('tar', ['czf', '-', '-C', folder, ...members], { maxBuffer: 1 << 30 });
  });

/** Archives that no tar would make: lines of Python that `add(name, data, **fields)` members. */
export function madeByPython(lines, mode = 'w:gz') {
  const program = `
import io, os, sys, tarfile
out = io.BytesIO()
t = tarfile.open(fileobj=out, mode="${mode}")
def add(name, data=b"x", **more):
    info = tarfile.TarInfo(name)
    info.size = 0 if more else len(data)
    for key, value in more.items(): setattr(info, key, value)
    t.addfile(info, io.BytesIO(data))
${lines}
t.close()
sys.stdout.buffer.write(out.getvalue())`;
  return execFileSync('python3', ['-c', program], { maxBuffer: 1 << 30 });
}

/** A wheel of one module, which pip installs without asking anybody. */
export const wheelOf = (name, source) => {
  const program = `
import io, sys, zipfile
name, source = sys.argv[1:]
out = io.BytesIO()
with zipfile.ZipFile(out, "w") as z:
    z.writestr(f"{name}.py", source)
    z.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n")
    z.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    z.writestr(f"{name}-1.0.dist-info/RECORD", "")
sys.stdout.buffer.write(out.getvalue())`;
  return execFileSync('python3', ['-c', program, name, source]);
};

export const upload = (url, bytes, headers = {}) => fetch(url, { method: 'PUT', body: bytes, headers: { 'Content-Type': 'application/gzip', ...headers } });

export async function initialize(server, id, bytes) {
  const { body } = await server.call('POST', `/local-sandbox/${id}/upload-url`);
  assert.equal((await upload(body.upload_url, bytes)).status, 200);
  return server.call('POST', `/local-sandbox/${id}/initialize`);
}

const unpackProgram = `
import io, json, os, sys, tarfile, tempfile
with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(sys.stdin.buffer.read()), mode="r:gz") as t:
    names = t.getnames()
    assert names[0] == "." and all(n.startswith("./") for n in names[1:]), names
    t.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))  # from 3.11.4 on
    found = {}
    for n in names[1:]:
        path = os.path.join(folder, n)
        if os.path.isfile(path): found[n[2:]] = open(path, errors="replace").read()[:100]
    print(json.dumps(found))`;

/** What a dump (or another operation that gives a download_url) has, unpacked as the vendor's clients do: path to text. */
export async function dumped(server, id, { method = 'GET', operation = 'dump', json } = {}) {
  const { status, body } = await server.call(method, `/local-sandbox/${id}/${operation}`, { json });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.expires_in_minutes, 30);
  const response = await fetch(body.download_url);
  assert.equal(response.status, 200);
  const input = Buffer.from(await response.arrayBuffer());
  return JSON.parse(execFileSync('python3', ['-c', unpackProgram], { input, encoding: 'utf8' }));
}
