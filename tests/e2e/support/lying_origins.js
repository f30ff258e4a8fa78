// Origins that lie in their certificate, break HTTP or leave. Each keeps what it was told after the handshake, so that a
// test can say that no secret was among it.
import net from 'node:net';
import tls from 'node:tls';

const ok = (body, headers = '') => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`;
const endless = Buffer.from('X-Filler: ' + 'a'.repeat(1000) + '\r\n');

/** Writes the same piece until the other side leaves. */
function flood(socket, piece) {
  const write = () => {
    while (!socket.destroyed && socket.writable && socket.write(piece));
  };
  socket.on('drain', write);
  write();
}

// What each does once it has the first bytes of a request. All have a true certificate.
const misbehaviours = {
  endlessHeaders: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    flood(socket, endless);
  },
  endlessInterim: (socket) => flood(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')),
  garbage: (socket) => socket.end('\0\x01\x02 this is no HTTP\r\n\r\n'),
  badLength: (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello'),
  twoLengths: (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!'),
  badChunk: (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n'),
  splitHeader: (socket) => socket.end('HTTP/1.1 200 OK\r\nX-A: b\rSet-Cookie: c=d\r\nContent-Length: 2\r\n\r\nok'),
  hangUp: (socket) => socket.destroy(),
  truncated: (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nten bytes.'),
  twoAnswers: (socket) => socket.write(ok('first') + ok('second', 'X-Smuggled: yes\r\n')),
  surpriseUpgrade: (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
  silent: () => {},
};
// It ends without reading a thing.
const atOnce = {
  halfClosed: (socket) => socket.end(),  // its reading side stays open
};
// TCP that is no TLS.
const noTls = {
  noTls: (socket) => socket.end('220 mail.test ESMTP\r\n'),
  deafTls: () => {},
};

const listen = (server, address) => new Promise((done) => server.listen(0, address, () => done(server.address().port)));

/** {port, heard, stop}: ports by name; `heard(name)` is all that this origin was told in clear text. */
export async function startLiars({ address, authority, stranger, name }) {
  const told = {}, port = {}, servers = [], sockets = new Set();
  const keep = (socket, who) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.on('data', (data) => told[who].push(data));
  };
  const open = async (who, server, event, act) => {
    told[who] = [];
    server.on(event, (socket) => {
      keep(socket, who);
      act(socket);
    });
    server.on('tlsClientError', () => {});
    port[who] = await listen(server, address);
    servers.push(server);
  };
  const answer = (socket) => socket.once('data', () => socket.write(ok('believed')));
  const identities = {
    wrongName: authority.sign(['elsewhere.test']),
    wideName: authority.sign(['*.test']),  // a star may not stand for a whole top-level domain
    expired: authority.sign([name], { from: -40, until: -10 }),
    notYet: authority.sign([name], { from: 5, until: 20 }),
    selfSigned: authority.selfSigned([name]),
    unknownCa: stranger.sign([name]),
  };
  for (const [who, { key, cert }] of Object.entries(identities)) await open(who, tls.createServer({ key, cert }), 'secureConnection', answer);
  const honest = authority.sign([name, `*.${name}`]);
  const secure = () => tls.createServer({ key: honest.key, cert: honest.cert, allowHalfOpen: true });
  for (const [who, act] of Object.entries(misbehaviours)) await open(who, secure(), 'secureConnection', (socket) => socket.once('data', () => act(socket)));
  for (const [who, act] of Object.entries(atOnce)) await open(who, secure(), 'secureConnection', act);
  for (const [who, act] of Object.entries(noTls)) await open(who, net.createServer({ allowHalfOpen: true }), 'connection', act);
  return {
    port,
    certificates: Object.keys(identities),
    heard: (who) => Buffer.concat(told[who]).toString('latin1'),
    stop: () => {
      sockets.forEach((socket) => socket.destroy());
      servers.forEach((server) => server.close());
    },
  };
}
