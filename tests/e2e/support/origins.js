// Real servers of this machine for tests of egress, and the names that lead to them. A test file does
//
//   const origins = await startOrigins();
//   after(() => origins.stop());
//   const host = withBoxes({ args: origins.serverArgs });
//   test('…', { skip: origins.skip }, async (t) => { … `https://api.test:${origins.port.tls}/any/path` … });
//
// Every name below .test leads here (but for `inward`), so does the literal address `origins.address`. The certificates,
// of an authority that the server trusts by --egress-ca and boxes do not, are for api.test, other.test, third.test,
// nginx.test, ws.test and one label below api.test, other.test and example.test; `names` adds to them.
//
//   port.tls      HTTPS echo, HTTP/2 and HTTP/1.1: answers {method, url, headers, body, version, …}; see echo_origin.js
//                 for its special paths (/steps, /duplex, /grpc, /redirect, /large, /drain, /hold, /early, /hints, …)
//   port.http1    the same, HTTP/1.1 alone, and WebSockets (also port.wss)
//   port.http2    the same, HTTP/2 alone
//   port.plain    the same without TLS, and WebSockets (also port.ws)
//   port.nginx    nginx with TLS and HTTP/2, port.nginxPlain without; serves the folder origins.nginx.files; its answers
//                 have X-Asked-With: what it got as Authorization; /closed is 401 without one
//   port.nginxBrief  nginx with TLS and HTTP/2 that ends a connection after 20 requests
//   port.liar.X   origins that lie or misbehave, one port each: see lying_origins.js; all are for api.test
//
// origins.seen has every request that an echo got, newest last; origins.last(path) the newest of a path. origins.heard(X)
// is all clear text that a liar got. origins.ca is the authority's file, origins.resolver.asked the names asked for.
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { Certificates } from './certificates.js';
import { Echo } from './echo_origin.js';
import { startLiars } from './lying_origins.js';
import { startNginx } from './nginx.js';
import { outside, startResolver } from './resolver.js';

export { outside } from './resolver.js';
export const skip = outside ? false : 'this machine has no IPv4 address but loopback';

/** Names that lead into the house, or change where they lead. */
export const inward = { 'private.test': '10.0.0.1', 'metadata.test': '169.254.169.254', 'loopback.test': '127.0.0.1', 'carrier.test': '100.64.0.1' };

const certified = ['api.test', '*.api.test', 'other.test', '*.other.test', 'third.test', 'nginx.test', 'ws.test', '*.example.test'];

function startEchoes(echo, address, identity) {
  const { key, cert } = identity;
  const servers = {
    plain: http.createServer(echo.handler('plain')),
    http1: https.createServer({ key, cert, ALPNProtocols: ['http/1.1'] }, echo.handler('http1')),
    http2: http2.createSecureServer({ key, cert, allowHTTP1: false }, echo.handler('http2')),
    tls: http2.createSecureServer({ key, cert, allowHTTP1: true }, echo.handler('tls')),
  };
  const sockets = new Set();
  for (const [name, server] of Object.entries(servers)) {
    echo.watch(server, name === 'plain' ? 'connection' : 'secureConnection');
    server.on('connection', (socket) => sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => {})));
    server.on('tlsClientError', () => {}).on('sessionError', () => {}).on('clientError', (error, socket) => socket.destroy());
    // A body may be refused before it is sent.
    server.on('checkContinue', (request, response) => {
      if (request.url.startsWith('/early')) return echo.handler(name)(request, response);
      response.writeContinue();
      return echo.handler(name)(request, response);
    });
    server.timeout = 0;
    if (name === 'plain' || name === 'http1') echo.takeWebSockets(server, name);
  }
  const listening = Object.entries(servers).map(([name, server]) =>
    new Promise((done) => server.listen(0, address, () => done([name, server.address().port]))));
  const stop = () => {
    sockets.forEach((socket) => socket.destroy());
    Object.values(servers).forEach((server) => server.close());
  };
  return Promise.all(listening).then((ports) => ({ port: Object.fromEntries(ports), stop }));
}

/** See above. `addresses` maps further names to addresses, or to functions that give one for each question. */
export async function startOrigins({ names = [], addresses = {} } = {}) {
  const address = outside ?? '127.0.0.1';
  const authority = new Certificates(), stranger = new Certificates('Nobody trusts this');
  const identity = authority.sign([...certified, ...names]);
  const echo = new Echo();
  const leadsTo = { ...inward, ...addresses };
  const resolver = await startResolver((name) => {
    const found = leadsTo[name];
    if (found) return typeof found === 'function' ? found() : found;
    return name.endsWith('.test') ? address : undefined;
  });
  const echoes = await startEchoes(echo, address, identity);
  const liars = await startLiars({ address, authority, stranger, name: 'api.test' });
  const nginx = await startNginx({ address, identity });
  return {
    skip,
    address,
    resolver,
    nginx,
    ca: authority.file,
    identity,
    serverArgs: ['--resolver', resolver.address, '--open-private', `${address}/32`, '--egress-ca', authority.file],
    port: { ...echoes.port, wss: echoes.port.http1, ws: echoes.port.plain, nginx: nginx.port.tls, nginxPlain: nginx.port.plain, nginxBrief: nginx.port.brief, liar: liars.port },
    lies: liars.certificates,  // the liars with false certificates
    seen: echo.seen,
    last: (path) => echo.seen.findLast((one) => one.url.split('?')[0] === path),
    ring: (name) => echo.ring(name),
    heard: liars.heard,
    async stop() {
      echoes.stop();
      liars.stop();
      resolver.stop();
      await nginx.stop();
      authority.remove();
      stranger.remove();
    },
  };
}
