// A SOCKS5 proxy of the test's own (RFC 1928, and 1929 when it has a username).
import net from 'node:net';

/** Reads a socket in parts of known size. */
class Reader {
  #held = Buffer.alloc(0);
  #socket;
  constructor(socket) {
    this.#socket = socket;
  }

  async take(count) {
    while (this.#held.length < count) {
      const piece = this.#socket.read();
      if (piece) this.#held = Buffer.concat([this.#held, piece]);
      else if (this.#socket.readableEnded || this.#socket.destroyed) throw new Error('the client left');
      else await new Promise((done) => ['readable', 'end', 'close'].forEach((event) => this.#socket.once(event, done)));
    }
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }

  async text() {
    return (await this.take((await this.take(1))[0])).toString();
  }

  rest() {
    return this.#held;
  }
}

async function authenticate(reader, socket, credentials) {
  const methods = await reader.take((await reader.take(2))[1]);
  const wanted = credentials ? 2 : 0;
  socket.write(Buffer.from([5, methods.includes(wanted) ? wanted : 0xff]));
  if (!methods.includes(wanted)) throw new Error('no method in common');
  if (!credentials) return {};
  await reader.take(1);
  const username = await reader.text(), password = await reader.text();
  const right = username === credentials.username && password === credentials.password;
  socket.write(Buffer.from([1, right ? 0 : 1]));
  if (!right) throw new Error('wrong credentials');
  return { username };
}

async function readDestination(reader) {
  const [, , , type] = await reader.take(4);
  const host = type === 3 ? await reader.text()
    : type === 1 ? [...await reader.take(4)].join('.')
      : (await reader.take(16)).toString('hex');
  return { host, port: (await reader.take(2)).readUInt16BE(), byName: type === 3 };
}

/**
 * Listens on `address`; `dial(host)` says which address a name means. `asked` has each destination that was asked for,
 * `refused` counts clients that were sent away.
 */
export async function startSocks({ address, dial = (host) => host, username, password }) {
  const sockets = new Set();
  const socks = { asked: [], refused: 0 };
  const track = (socket) => {
    sockets.add(socket);
    return socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  };
  const serve = async (client) => {
    const reader = new Reader(client);
    const who = await authenticate(reader, client, username === undefined ? undefined : { username, password });
    const destination = await readDestination(reader);
    socks.asked.push({ ...destination, ...who });
    const origin = track(net.connect(destination.port, dial(destination.host)));
    await new Promise((done, fail) => origin.once('connect', done).once('error', fail));
    client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
    origin.write(reader.rest());
    client.pipe(origin).pipe(client);
    for (const [one, other] of [[client, origin], [origin, client]]) one.on('close', () => other.destroy());
  };
  const server = net.createServer((client) => {
    track(client);
    serve(client).catch(() => {
      socks.refused++;
      client.destroySoon();
    });
  });
  await new Promise((done) => server.listen(0, address, done));
  return Object.assign(socks, {
    port: server.address().port,
    address: `${address}:${server.address().port}`,
    stop() {
      sockets.forEach((socket) => socket.destroy());
      server.close();
    },
  });
}
