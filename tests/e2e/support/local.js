// A local sandbox and MCP clients on its servers. With VIV_TOOLS_STDIO=1 the servers run directly, on a temporary workspace of
// the host, which is quick while one is being written.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Sandbox } from 'e2b';
import { connect } from './mcp.js';
import { program, Server } from './server.js';

export const toolsProgram = join(dirname(program), 'viv-tools');

/** The box's id as E2B's dialect spells it: the same number, in letters. */
export function boxIdOf(uuid) {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
  const number = BigInt('0x' + uuid.replaceAll('-', ''));
  const low = (1n << 62n) - 1n;
  let bits = ((number >> 80n) << 74n) | (((number >> 64n) & 0xfffn) << 62n) | (number & low);
  bits >>= 18n;
  let id = '';
  for (let i = 0; i < 20; ++i, bits /= 36n) id = letters[Number(bits % 36n)] + id;
  return 'i' + id;
}

class StdioSandbox {
  constructor(benchmark) {
    this.profile = benchmark ? ['--profile', benchmark] : [];
    this.workspace = mkdtempSync(join(tmpdir(), 'viv-local-'));
    this.clients = new Map();
  }
  async client(name) {
    if (!this.clients.has(name)) {
      const client = new Client({ name: 'vivarium-e2e', version: '1.0.0' });
      const args = [name, '--workspace', this.workspace, ...this.profile];
      await client.connect(new StdioClientTransport({ command: toolsProgram, args, env: { ...process.env, TZ: 'UTC' } }));
      this.clients.set(name, client);
    }
    return this.clients.get(name);
  }
  async write(path, bytes) {
    mkdirSync(dirname(join(this.workspace, path)), { recursive: true });
    writeFileSync(join(this.workspace, path), bytes);
  }
  async read(path) {
    return readFileSync(join(this.workspace, path));
  }
  async close() {
    for (const client of this.clients.values()) await client.close();
    rmSync(this.workspace, { recursive: true, force: true });
  }
}

class BoxSandbox {
  constructor(server, ownsServer, acquired) {
    Object.assign(this, { server, ownsServer, acquired, id: acquired.local_sandbox_id, workspace: '/data', clients: new Map() });
    this.urls = Object.fromEntries(acquired.servers.map((item) => [item.server_name, item.mcp_server_url]));
  }
  async client(name) {
    if (!this.clients.has(name)) this.clients.set(name, await connect(this.urls[name]));
    return this.clients.get(name);
  }
  /** The same box through another dialect: its files, without any of the servers under test. */
  async files() {
    if (this.box === undefined) {
      this.box = await Sandbox.connect(boxIdOf(this.id), { apiKey: this.server.key, apiUrl: this.server.url, sandboxUrl: this.server.url });
    }
    return this.box.files;
  }
  async write(path, bytes) {
    const data = typeof bytes === 'string' ? bytes : new Uint8Array(bytes).buffer;
    await (await this.files()).write(join(this.workspace, path), data);
  }
  async read(path) {
    return Buffer.from(await (await this.files()).read(join(this.workspace, path), { format: 'bytes' }));
  }
  async close() {
    for (const client of this.clients.values()) await client.close();
    await this.server.call('DELETE', `/local-sandbox/${this.id}`);
    if (this.ownsServer) await this.server.stop();
  }
}

/** @param {{benchmark?: string, server?: Server, args?: string[]}} options Without a server one is started for it alone. */
export async function openLocal(names, { benchmark, server, args = [] } = {}) {
  if (process.env.VIV_TOOLS_STDIO) return new StdioSandbox(benchmark);
  const running = server ?? (await Server.start({ boxes: true, args }));
  const { status, body } = await running.call('POST', '/local-sandbox', { json: { server_names: names, benchmark } });
  if (status !== 201) throw new Error(`acquire ${names}: ${status} ${JSON.stringify(body)}`);
  return new BoxSandbox(running, server === undefined, body);
}

/** Calls a tool: { text, isError, result }; `text` is that of all its blocks. */
export async function callTool(box, server, name, args = {}) {
  const client = await box.client(server);
  const result = await client.callTool({ name, arguments: args });
  const text = result.content.map((block) => block.text ?? '').join('');
  return { text, isError: result.isError === true, result };
}
