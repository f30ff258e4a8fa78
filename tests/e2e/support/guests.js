// Servers that tests run inside a sandbox, as Python programs: `python3 FILE HOST PORT`. Each says "listening" first.

/** Tells what it was asked, byte for byte. */
export const mirror = String.raw`
import hashlib, http.server, json, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def log_message(self, *args): pass
    def body(self):
        if self.headers.get('Transfer-Encoding', '') == 'chunked':
            parts = []
            while (size := int(self.rfile.readline(), 16)) > 0:
                parts.append(self.rfile.read(size)); self.rfile.readline()
            self.rfile.readline()
            return b''.join(parts)
        return self.rfile.read(int(self.headers.get('Content-Length', 0)))
    def do(self):
        data = self.body()
        answer = json.dumps({'method': self.command, 'path': self.path, 'headers': {k.lower(): v for k, v in self.headers.items()},
                             'size': len(data), 'sha256': hashlib.sha256(data).hexdigest()}).encode()
        self.send_response({'/teapot': 418, '/away': 302}.get(self.path, 200))
        if self.path == '/away': self.send_header('Location', '/login?from=away')
        if self.path == '/cookie': self.send_header('Set-Cookie', 'sid=1; Path=/; Domain=example.com; HttpOnly')
        if self.path == '/steal': self.send_header('Set-Cookie', 'viv_service=forged; Path=/')
        self.send_header('Service-Worker-Allowed', '/')
        self.send_header('Content-Type', 'application/json'); self.send_header('X-From', 'box')
        self.send_header('Content-Length', str(len(answer))); self.end_headers()
        if self.command != 'HEAD': self.wfile.write(answer)
    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = do
server = http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Handler)
print('listening', flush=True)
server.serve_forever()
`;

/** Echoes the messages of a WebSocket. */
export const socketMirror = String.raw`
import base64, hashlib, socketserver, sys
class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        key = None
        while (line := self.rfile.readline().strip()):
            if line.lower().startswith(b'sec-websocket-key:'): key = line.split(b':', 1)[1].strip()
        accept = base64.b64encode(hashlib.sha1(key + b'258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest())
        self.wfile.write(b'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ' + accept + b'\r\n\r\n')
        while len(head := self.rfile.read(2)) == 2:
            size = head[1] & 127
            extra = self.rfile.read(2 if size == 126 else 8 if size == 127 else 0)
            length = int.from_bytes(extra, 'big') if extra else size
            mask = self.rfile.read(4)
            data = self.rfile.read(length)
            plain = bytes(b ^ mask[i % 4] for i, b in enumerate(data))
            self.wfile.write(bytes([head[0], size]) + extra + plain); self.wfile.flush()
            if head[0] & 15 == 8: return
socketserver.ThreadingTCPServer.allow_reuse_address = True
server = socketserver.ThreadingTCPServer((sys.argv[1], int(sys.argv[2])), Handler)
print('listening', flush=True)
server.serve_forever()
`;
