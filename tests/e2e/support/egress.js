// What tests of the gateway have in common: rules that add a header, requests from inside a box, and bytes that no
// decent program sends.
import { attempt } from './attack.js';

/** E2B's network rules: this header for these hosts. */
export const injecting = (hosts, value, name = 'Authorization') => ({
  rules: Object.fromEntries(hosts.map((one) => [one, [{ transform: { headers: { [name]: value } } }]])),
});

/** curl inside a box: {code, status, body, version, error}; `code` is curl's own. */
export async function curl(box, url, ...options) {
  const quoted = [url, ...options].map((one) => `'${one.replaceAll("'", `'\\''`)}'`).join(' ');
  const { exitCode, stdout, stderr } = await attempt(box, `curl -sS --max-time 40 -w '\\n%{http_code} %{http_version}' ${quoted}`, { user: 'user', timeoutMs: 90_000 });
  const [, body, status, version] = /^([^]*)\n(\d+) (\S+)$/.exec(stdout) ?? [undefined, stdout, '0', '0'];
  return { code: exitCode, status: Number(status), body, version, error: stderr.trim() };
}

/** The same of an echo: its JSON. */
export async function ask(box, url, ...options) {
  const answer = await curl(box, url, ...options);
  if (answer.status !== 200) throw new Error(`${url}: ${JSON.stringify(answer)}`);
  return { ...JSON.parse(answer.body), guestVersion: answer.version };
}

/** What left a box or was refused, newest last. */
export async function egressLog(server, box) {
  const { status, body } = await server.call('GET', `/api/viv/boxes/${box.sandboxId ?? box.id}/egress?limit=1000`);
  if (status !== 200) throw new Error(`the egress log: ${status} ${JSON.stringify(body)}`);
  return body.records;
}

/**
 * For programs in a box that speak TLS and HTTP by hand. `hello(name)` is a true ClientHello, `extended` adds an
 * extension to one, `alert(data)` tells an alert's number, `told(host, port, data)` sends bytes and gives all that comes.
 */
export const byHand = String.raw`
import json, socket, ssl, struct, sys
def connect(host, port, timeout=20):
    s = socket.create_connection((host, port), timeout)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s
def hello(name, alpn=('http/1.1',)):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if alpn: context.set_alpn_protocols(list(alpn))
    out = ssl.MemoryBIO()
    try: context.wrap_bio(ssl.MemoryBIO(), out, server_hostname=name).do_handshake()
    except ssl.SSLWantReadError: pass
    return out.read()
def extended(record, kind, data):
    body = record[9:]                       # after the record's and the handshake's heads
    at = 34 + 1 + body[34]                  # version, random, session
    at += 2 + struct.unpack('>H', body[at:at + 2])[0]
    at += 1 + body[at]
    rest = body[at + 2:] + struct.pack('>HH', kind, len(data)) + data
    body = body[:at] + struct.pack('>H', len(rest)) + rest
    handshake = b'\x01' + struct.pack('>I', len(body))[1:] + body
    return record[:3] + struct.pack('>H', len(handshake)) + handshake
def everything(s):
    data = b''
    try:
        while True:
            piece = s.recv(65536)
            if not piece: return data
            data += piece
    except (ConnectionError, socket.timeout): return data
def told(host, port, data, pieces=None, end=True):
    try:
        s = connect(host, port)
        for i in range(0, len(data), pieces or len(data)): s.sendall(data[i:i + (pieces or len(data))])
        if end: s.shutdown(socket.SHUT_WR)
    except OSError: return b''
    with s: return everything(s)
def alert(data):
    return data[6] if len(data) == 7 and data[0] == 21 and data[5] == 2 else 'none: ' + data[:80].decode('latin1')
def tls(s, name, pieces=None, alpn=('http/1.1',), context=None):
    """A handshake whose first flight goes out in small pieces; then send(data) and receive()."""
    context = context or ssl.create_default_context()
    if alpn: context.set_alpn_protocols(list(alpn))
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    session = context.wrap_bio(incoming, outgoing, server_hostname=name)
    class Session:
        def flush(self, size=None):
            data = outgoing.read()
            for i in range(0, len(data), size or len(data) or 1): s.sendall(data[i:i + (size or len(data))])
        def more(self):
            data = s.recv(65536)
            incoming.write(data) if data else incoming.write_eof()
        def send(self, data):
            session.write(data)
            self.flush()
        def receive(self):
            data = b''
            while True:
                try:
                    piece = session.read(65536)
                    if not piece: return data
                    data += piece
                except ssl.SSLWantReadError:
                    try: self.more()
                    except OSError as e: return data + (b'(silence)' if isinstance(e, socket.timeout) else b'')
                except (ssl.SSLError, OSError): return data
        def head(self):
            data = b''
            while b'\r\n\r\n' not in data:
                try: data += session.read(65536) or b'\r\n\r\n'
                except ssl.SSLWantReadError: self.more()
            return data
    made = Session()
    while True:
        try:
            session.do_handshake()
            made.flush(pieces)
            return made
        except ssl.SSLWantReadError:
            made.flush(pieces)
            pieces = None
            made.more()
`;
