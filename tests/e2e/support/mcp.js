// The stock MCP client on a sandbox's URL, and the raw protocol where a test needs to send what no client would.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export async function connect(url) {
  const client = new Client({ name: 'vivarium-e2e', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

/** Calls a tool and gives its text, parsed when it is JSON; an answer with isError is thrown. */
export async function call(client, name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  const text = result.content[0].text;
  if (result.isError) throw new Error(text);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export async function withClient(url, work) {
  const client = await connect(url);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

export const mcpHeaders = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

export async function post(url, message, headers = {}) {
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  const response = await fetch(url, { method: 'POST', body, headers: { ...mcpHeaders, ...headers } });
  const text = await response.text();
  let parsed = text;
  try {
    parsed = JSON.parse(text);
  } catch {}
  return { status: response.status, body: parsed, text, headers: response.headers };
}

export const request = (method, params, id = 1) => ({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) });
