// A real nginx in a folder of its own: TLS with HTTP/2 and plain, serving files. It ends with us, however we end.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const config = ({ folder, address, port, identity }) => `
daemon off;
master_process off;
user root;
pid ${folder}/pid;
error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  default_type application/octet-stream;
  types { text/html html; text/plain txt; }
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  keepalive_requests 1000000;
  server {
    listen ${address}:${port.tls} ssl http2;
    listen ${address}:${port.plain};
    ssl_certificate ${identity.certFile};
    ssl_certificate_key ${identity.keyFile};
    root ${folder}/files;
    autoindex on;
    add_header X-Asked-With "$http_authorization" always;
    add_header X-Version "$server_protocol" always;
    location /whoami { return 200 "$http_authorization $server_protocol $host\\n"; }
    location /closed { if ($http_authorization = "") { return 401 "no key\\n"; } return 200 "open\\n"; }
    location /private/ { if ($http_authorization = "") { return 401 "no key\\n"; } }
  }
  server {
    listen ${address}:${port.brief} ssl http2;
    ssl_certificate ${identity.certFile};
    ssl_certificate_key ${identity.keyFile};
    keepalive_requests 20;
    location / { return 200 "served\\n"; }
  }
}
`;

/** A port that nobody uses at this moment. */
export async function freePort(address) {
  const server = net.createServer();
  await new Promise((done) => server.listen(0, address, done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** {port: {tls, plain, brief}, files, stop}: `files` is the folder that it serves; `brief` ends a connection after 20 requests. */
export async function startNginx({ address, identity }) {
  const folder = mkdtempSync(join(tmpdir(), 'viv-nginx-'));
  const files = join(folder, 'files');
  mkdirSync(files);
  const port = { tls: await freePort(address), plain: await freePort(address), brief: await freePort(address) };
  writeFileSync(join(folder, 'nginx.conf'), config({ folder, address, port, identity }));
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', '/usr/sbin/nginx', '-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '', ended = false;
  child.stderr.on('data', (data) => (said += data));
  const exited = new Promise((done) => child.once('exit', () => done((ended = true))));
  const answers = () => new Promise((done) => {
    const socket = net.connect(port.tls, address, () => done(true) ?? socket.destroy());
    socket.on('error', () => done(false));
  });
  while (!(await answers())) {
    if (ended) throw new Error(`nginx did not start: ${said}`);
    await sleep(20);
  }
  return {
    port,
    files,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
