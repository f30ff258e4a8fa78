// Starts the real server on a free port with a data folder of its own, and takes both away again.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
export const program = process.env.VIV ?? join(root, 'build/release/viv');
/** The version that the sources state. */
export const projectVersion = () => /project\(viv VERSION (\S+)/.exec(readFileSync(join(root, 'CMakeLists.txt'), 'utf8'))[1];

// A test file that is ended, as at its time limit, takes its servers with it.
const running = new Set();
process.once('SIGTERM', () => {
  for (const child of running) child.kill('SIGTERM');
  process.exit(143);
});

export class Server {
  /**
   * @param {{args?: string[], data?: string, env?: object, boxes?: boolean | 'keep'}} options With `boxes`, which need
   * root, they end with the server, or are kept.
   */
  static async start({ args = [], data, env = {}, boxes = false } = {}) {
    const server = new Server();
    server.ownsData = data === undefined;
    server.data = data ?? mkdtempSync(join(tmpdir(), 'viv-e2e-'));
    const onExit = boxes === 'keep' ? 'keep' : 'kill';
    // Boxes need no apps, whose seed data takes seconds to make.
    server.args = [...(boxes ? ['--boxes', 'on', '--on-exit', onExit, '--builtin-apps', ''] : ['--boxes', 'off']), ...args];
    server.env = env;
    try {
      await server.launch();
    } catch (error) {
      if (server.ownsData) rmSync(server.data, { recursive: true, force: true });
      throw error;
    }
    return server;
  }

  async launch(listen = '127.0.0.1:0') {
    const args = ['serve', '--listen', listen, '--data', this.data, ...this.args];
    const child = spawn(program, args, { env: { ...process.env, VIV_API_KEY: '', ...this.env }, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    child.once('exit', () => running.delete(child));
    this.process = child;
    this.log = '';
    this.exited = new Promise((done) => this.process.once('exit', (code, signal) => done({ code, signal })));
    const started = new Promise((done, fail) => {
      this.process.stderr.on('data', (chunk) => {
        this.log += chunk;
        const match = /server\.started listen=(\S+)/.exec(this.log);
        if (match) done(match[1]);
      });
      this.process.stdout.on('data', () => {});
      this.process.once('exit', () => fail(new Error(`the server ended before it was ready:\n${this.log}`)));
    });
    this.address = await started;
    this.url = `http://${this.address}`;
    this.key = readFileSync(join(this.data, 'key'), 'utf8').trim();
  }

  /** Ends it at once, as a crash would, and starts it again on the same data. */
  async crashAndRestart() {
    this.process.kill('SIGKILL');
    await this.exited;
    await this.launch();
  }

  async stop() {
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill('SIGTERM');
    const ended = await this.exited;
    if (this.ownsData) rmSync(this.data, { recursive: true, force: true });
    return ended;
  }

  headers(extra = {}) {
    return { Authorization: `Bearer ${this.key}`, 'Content-Type': 'application/json', ...extra };
  }

  /** A raw call: { status, body, headers }. `json` is sent as such, `raw` untouched. */
  async call(method, path, { json, raw, headers } = {}) {
    const body = raw ?? (json === undefined ? undefined : JSON.stringify(json));
    const response = await fetch(this.url + path, { method, body, headers: headers ?? this.headers() });
    const text = await response.text();
    let parsed;
    try {
      parsed = text === '' ? undefined : JSON.parse(text);
    } catch {
      parsed = text;
    }
    return { status: response.status, body: parsed, headers: response.headers };
  }

  async acquire(server, json) {
    const { status, body } = await this.call('POST', `/sandbox/${server}`, { json });
    if (status !== 201) throw new Error(`acquire ${server}: ${status} ${JSON.stringify(body)}`);
    return body;
  }
}

/** The first processes of a server's boxes: those agents whose parent is an agent, too. */
export function firstProcesses(server) {
  const parents = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [, name, parent] = /\((.*)\) \S+ (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      if (name === 'viv-agent') parents.set(pid, parent);
    } catch {}
  }
  const ours = (pid) => parents.get(pid) === String(server.process.pid) || (parents.has(parents.get(pid)) && ours(parents.get(pid)));
  return [...parents.keys()].filter((pid) => ours(pid) && parents.has(parents.get(pid)));
}
