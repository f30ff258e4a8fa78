// What the honest origins answer, over HTTP/1.1 and HTTP/2, with TLS and without. Every path but those of `special`
// tells what it was asked: {origin, method, url, headers, body, size, sha256, trailers, version, connection, servername}.
import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { WebSocketServer } from 'ws';

const bodyShown = 64 * 1024;  // of an echo; `size` and `sha256` are of all

/** Reads a body; `hash` and `size` are of all of it. */
async function readBody(request) {
  const hash = createHash('sha256');
  const kept = [];
  let size = 0;
  for await (const piece of request) {
    hash.update(piece);
    if (size < bodyShown) kept.push(piece);
    size += piece.length;
  }
  return { body: Buffer.concat(kept).subarray(0, bodyShown).toString(), size, sha256: hash.digest('hex') };
}

const plainHeaders = (headers) => Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')));
const sendJson = (response, value, status = 200) => {
  const text = JSON.stringify(value);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
};

/** All honest origins share one: what was seen, and the events by which a test sets the pace of an answer. */
export class Echo {
  seen = [];  // every request, without its body until that was read
  connections = 0;  // so far
  #bell = new EventEmitter().setMaxListeners(0);
  #rung = new Map();

  /** Lets `/steps?name=N` send its next piece, or `/hold?name=N` begin to read. */
  ring(name) {
    this.#rung.set(name, (this.#rung.get(name) ?? 0) + 1);
    this.#bell.emit(`ring ${name}`);
  }

  async #heard(name, count) {
    while ((this.#rung.get(name) ?? 0) < count) await once(this.#bell, `ring ${name}`);
  }

  /** Counts connections of a server; `event` is the one that a TLS server calls its own. */
  watch(server, event) {
    server.on(event, (socket) => {
      socket.vivNumber = ++this.connections;
      socket.on('error', () => {});
    });
  }

  /** Echoes the messages of WebSockets: text as text, bytes as bytes. `/greet` speaks first. */
  takeWebSockets(server, origin) {
    const sockets = new WebSocketServer({ noServer: true });
    server.on('upgrade', (request, socket, head) => {
      this.seen.push({ origin, method: request.method, url: request.url, headers: request.headers, version: '1.1', upgrade: true });
      socket.on('error', () => {});
      if (request.url.startsWith('/denied')) return socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno');
      sockets.handleUpgrade(request, socket, head, (peer) => {
        if (request.url.startsWith('/greet')) peer.send(`hello ${request.headers.authorization ?? 'nobody'}`);
        peer.on('message', (message, binary) => peer.send(message, { binary }));
        peer.on('error', () => {});
      });
    });
  }

  /** The handler of an origin's requests. */
  handler(origin) {
    return (request, response) => {
      this.#answer(origin, request, response).catch(() => response.destroy?.());
    };
  }

  #note(origin, request) {
    const socket = request.stream?.session?.socket ?? request.socket;
    const note = {
      origin,
      method: request.method,
      url: request.url,
      headers: plainHeaders(request.headers),
      authority: request.headers[':authority'] ?? request.headers.host,
      version: request.httpVersion,
      connection: socket.vivNumber,
      servername: socket.servername || undefined,
    };
    this.seen.push(note);
    return note;
  }

  async #answer(origin, request, response) {
    const note = this.#note(origin, request);
    response.on('error', () => {});
    const url = new URL(request.url, 'http://origin');
    const special = this.special[url.pathname.split('/')[1]];
    if (special) return special.call(this, request, response, url, note);
    Object.assign(note, await readBody(request), { trailers: request.trailers });
    return sendJson(response, note);
  }

  special = {
    /** /status/N: that status, with a short body where it may have one. */
    status(request, response, url) {
      request.resume();
      const status = Number(url.pathname.split('/')[2]);
      response.writeHead(status);
      response.end([204, 304].includes(status) ? undefined : `status ${status}`);
    },
    /** /redirect?to=URL */
    redirect(request, response, url) {
      response.writeHead(302, { Location: url.searchParams.get('to') });
      response.end();
    },
    /** /large?bytes=N: so many bytes of known length. */
    async large(request, response, url) {
      let left = Number(url.searchParams.get('bytes'));
      response.writeHead(200, { 'Content-Length': left });
      for (const piece = Buffer.alloc(65536, 'x'); left > 0; left -= piece.length) {
        if (!response.write(piece.subarray(0, Math.min(left, piece.length)))) await once(response, 'drain');
      }
      response.end();
    },
    /** /drain: reads a body and tells its size only. */
    async drain(request, response) {
      const { size, sha256 } = await readBody(request);
      sendJson(response, { size, sha256 });
    },
    /** /hold?name=N: begins to read the body when the bell rings. */
    async hold(request, response, url) {
      await this.#heard(url.searchParams.get('name'), 1);
      const { size, sha256 } = await readBody(request);
      sendJson(response, { size, sha256 });
    },
    /** /steps?name=N&count=C: server-sent events, the first at once and each further one when the bell rings. */
    async steps(request, response, url) {
      const count = Number(url.searchParams.get('count') ?? 3);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      for (let step = 0; step < count; step++) {
        await this.#heard(url.searchParams.get('name'), step);
        response.write(`data: step ${step}\n\n`);
      }
      response.end();
    },
    /** /ring?name=N: rings the bell, for who is inside a box. */
    ring(request, response, url) {
      this.ring(url.searchParams.get('name'));
      sendJson(response, { rung: true });
    },
    /** /slow?bytes=N: a byte at a time. */
    async slow(request, response, url) {
      response.writeHead(200, { 'Content-Type': 'text/plain' });
      for (let i = 0; i < Number(url.searchParams.get('bytes') ?? 16); i++) {
        response.write(String(i % 10));
        await new Promise((done) => setTimeout(done, 10));
      }
      response.end();
    },
    /** /duplex: answers at once, and sends each piece of the body back in capitals as it comes. */
    async duplex(request, response) {
      response.writeHead(200, { 'Content-Type': 'text/plain' });
      response.write('begin\n');
      for await (const piece of request) response.write(piece.toString().toUpperCase());
      response.end();
    },
    /** /early: refuses before it has read the body. */
    early(request, response) {
      response.writeHead(413, { 'Content-Type': 'text/plain' });
      response.end('too large');
    },
    /** /grpc: sends the body back, then trailers as gRPC has them. */
    async grpc(request, response) {
      const { body } = await readBody(request);
      response.writeHead(200, { 'Content-Type': 'application/grpc', ...(request.stream ? {} : { Trailer: 'grpc-status' }) });
      response.write(body);
      response.addTrailers({ 'grpc-status': '0', 'grpc-message': 'fine' });
      response.end();
    },
    /** /hints: 103 before the answer. */
    hints(request, response) {
      request.resume();
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      sendJson(response, { hinted: true });
    },
    /** /reset: breaks the answer off in the middle. */
    reset(request, response) {
      response.writeHead(200, { 'Content-Type': 'text/plain' });
      response.write('half', () => (request.stream ? request.stream.close(2) : request.socket.destroy()));
    },
  };
}
