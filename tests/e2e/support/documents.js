// The examples of our documents, run as they stand. Only the address of the server is another than the one they show.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { program } from './server.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
export const shownAddress = '127.0.0.1:7373';

/** The code blocks of a document of the repository: [{language, text, line}]. */
export function blocksOf(file) {
  const blocks = [];
  let block;
  readFileSync(join(root, file), 'utf8').split('\n').forEach((line, number) => {
    const fence = /^```(\w*)$/.exec(line);
    if (fence && block) {
      blocks.push({ ...block, text: block.lines.join('\n') });
      block = undefined;
    } else if (fence) {
      block = { language: fence[1], line: number + 1, lines: [] };
    } else {
      block?.lines.push(line);
    }
  });
  return blocks;
}

const finished = (file, args, options) =>
  new Promise((done) => {
    const child = execFile(file, args, { ...options, maxBuffer: 1 << 26 }, (error, out, err) => done({ code: error ? (error.code ?? error.signal ?? 1) : 0, out, err }));
    child.stdin.end();
  });

/** NAME=VALUE of a comment in the first line, with $KEY filled in: how the example says that it is started. */
const variablesOf = (text, key) =>
  Object.fromEntries([...text.split('\n')[0].matchAll(/([A-Z][A-Z0-9_]+)=(\S+)/g)].map(([, name, value]) => [name, value.replace('$KEY', key)]));

export class Examples {
  /** `folder` is where they run; `server.data` lies below it as ~/.local/share/vivarium. */
  constructor(server, folder) {
    this.server = server;
    this.folder = folder;
    const variables = Object.entries(process.env).filter(([name]) => !name.startsWith('VIV_') && !name.startsWith('E2B_') && !name.startsWith('LANGSMITH_'));
    this.env = { ...Object.fromEntries(variables), HOME: folder, PATH: `${dirname(program)}:${process.env.PATH}`, VIV_URL: server.url, KEY: server.key, GIT_TERMINAL_PROMPT: '0' };
  }
  atServer(text) {
    return text.replaceAll(shownAddress, this.server.address);
  }
  /** Bash, which ends at the first failure: {code, out, err}. */
  shell(text) {
    return finished('bash', ['-euo', 'pipefail', '-c', this.atServer(text)], { cwd: this.folder, env: this.env });
  }
  /** A module beside the packages that the documents name. */
  javascript(text, extra = {}) {
    const own = mkdtempSync(join(this.folder, 'js-'));
    symlinkSync(join(root, 'tests/e2e/node_modules'), join(own, 'node_modules'));
    const code = this.atServer(text);
    writeFileSync(join(own, 'example.mjs'), code);
    return finished(process.execPath, ['example.mjs'], { cwd: own, env: { ...this.env, ...variablesOf(code, this.server.key), ...extra } });
  }
}
