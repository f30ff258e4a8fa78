// Behind a reverse proxy: a real nginx, configured as docs/operations.md shows it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/nginx.js';
import { Server } from '../support/server.js';

const folder = mkdtempSync(join(tmpdir(), 'viv-proxy-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The `location` block of the documentation, as it stands there. */
const documented = () => {
  const text = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  const [, block] = /```nginx\n([\s\S]*?)```/.exec(text);
  const location = /location \/ \{[\s\S]*?\n {2}\}/.exec(block)[0];
  assert.ok(location.includes('proxy_pass http://127.0.0.1:7373;'));
  return location;
};

/** nginx on a free port of loopback, plain, since who ends TLS is not the question; it says https to the server. */
async function startProxy(location, server) {
  const port = await freePort('127.0.0.1');
  const own = mkdtempSync(join(folder, 'nginx-'));
  writeFileSync(join(own, 'nginx.conf'), `daemon off; master_process off; user root; pid ${own}/pid; error_log ${own}/error.log;
    events { worker_connections 64; }
    http { access_log off; client_body_temp_path ${own}/body; proxy_temp_path ${own}/proxy; fastcgi_temp_path ${own}/f; uwsgi_temp_path ${own}/u; scgi_temp_path ${own}/s;
      map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
      server { listen 127.0.0.1:${port};
        ${location.replaceAll('127.0.0.1:7373', server.address).replaceAll('$scheme', 'https')} } }`);
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', '/usr/sbin/nginx', '-p', own, '-e', join(own, 'error.log'), '-c', join(own, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '', ended = false;
  child.stderr.on('data', (data) => (said += data));
  const exited = new Promise((done) => child.once('exit', () => done((ended = true))));
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${url}/healthz`).then(() => true, () => false))) {
    if (ended) throw new Error(`nginx did not start: ${said}`);
    await sleep(20);
  }
  return { port, url, stop: () => child.kill('SIGTERM') && exited };
}

/** A request with a Host of our own, which fetch does not allow: { status, body }. */
const ask = (port, path, { host, method = 'POST', headers = {}, json = {} }) =>
  new Promise((done, fail) => {
    const request = http.request({ host: '127.0.0.1', port, path, method, headers: { Host: host, 'Content-Type': 'application/json', ...headers } }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => done({ status: response.statusCode, body: JSON.parse(text) }));
    });
    request.on('error', fail);
    request.end(JSON.stringify(json));
  });
const initialize = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const pathOf = (url) => new URL(url).pathname + new URL(url).search;

test('MCP works behind a proxy that keeps Host, once the public URL is told', async () => {
  const server = await Server.start({ args: ['--public-url', 'https://viv.example'] });
  const proxy = await startProxy(documented(), server);
  try {
    const authorization = { Authorization: `Bearer ${server.key}` };
    const made = await ask(proxy.port, '/sandbox/calculator', { host: 'viv.example', headers: authorization });
    assert.equal(made.status, 201);
    assert.ok(made.body.server_url.startsWith('https://viv.example/mcp/'), made.body.server_url);
    const path = pathOf(made.body.server_url);
    const listed = await ask(proxy.port, path, { host: 'viv.example', json: initialize });
    assert.equal(listed.status, 200, JSON.stringify(listed.body));
    assert.ok(listed.body.result.tools.length > 0);
    assert.equal((await ask(proxy.port, path, { host: 'viv.example', headers: { Origin: 'https://viv.example' }, json: initialize })).status, 200);
    const foreign = await ask(proxy.port, path, { host: 'viv.example', headers: { Origin: 'https://evil.example' }, json: initialize });
    assert.equal(foreign.status, 403);
    assert.match(foreign.body.error.message, /--allow-origin/);
    assert.equal((await ask(proxy.port, path, { host: 'evil.example', json: initialize })).status, 403);
  } finally {
    await proxy.stop();
    await server.stop();
  }
});

test('without the public URL the refusal says which flag is missing', async () => {
  const server = await Server.start();
  const proxy = await startProxy(documented(), server);
  try {
    const { server_url } = await server.acquire('calculator');
    const refused = await ask(proxy.port, pathOf(server_url), { host: 'viv.example', json: initialize });
    assert.equal(refused.status, 403);
    assert.match(refused.body.error.message, /Host 'viv\.example'.*--public-url/);
  } finally {
    await proxy.stop();
    await server.stop();
  }
});

test('X-Forwarded-Proto and -Host count from trusted addresses only', async () => {
  const location = 'location / { proxy_pass http://127.0.0.1:7373; proxy_set_header X-Forwarded-Proto $scheme; proxy_set_header X-Forwarded-Host $http_host; }';
  for (const [args, expected] of [[[], 'https://localhost:4711'], [['--trusted-proxy', '10.0.0.0/8'], null]]) {
    const server = await Server.start({ args });
    const proxy = await startProxy(location, server);
    try {
      const headers = { Authorization: `Bearer ${server.key}` };
      const { body } = await ask(proxy.port, '/sandbox/calculator', { host: 'localhost:4711', headers });
      assert.equal(new URL(body.server_url).origin, expected ?? server.url);
      // A page that bound its own name to this machine does not pass by saying another.
      const rebound = await ask(Number(server.address.split(':')[1]), pathOf(body.server_url), { host: 'evil.example', headers: { 'X-Forwarded-Host': 'localhost' }, json: initialize });
      assert.equal(rebound.status, 403);
    } finally {
      await proxy.stop();
      await server.stop();
    }
  }
});
