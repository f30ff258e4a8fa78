"""What tests of egress need of this machine: an address that is not loopback, a resolver for names below .test, and an
HTTPS origin with a certificate of an authority of the test's own, which tells what headers it was sent."""
import contextlib
import http.server
import json
import pathlib
import socket
import ssl
import struct
import subprocess
import tempfile
import threading


def outside():
    """An IPv4 address of this machine that a box does not take for its own; None when there is none."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return probe.getsockname()[0]
    return None


@contextlib.contextmanager
def resolver(address):
    """Yields host:port of a DNS server for which every name below .test is `address`."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))

    def serve():
        with contextlib.suppress(OSError):
            while True:
                question, asker = server.recvfrom(4096)
                if not question:
                    return
                end, labels = 12, []
                while question[end]:
                    labels.append(question[end + 1:end + 1 + question[end]].lower())
                    end += 1 + question[end]
                known = labels[-1:] == [b"test"]
                wanted = known and question[end + 1:end + 3] == b"\0\1"
                head = question[:2] + bytes([0x81, 0x80 if known else 0x83]) + struct.pack(">HHHH", 1, int(wanted), 0, 0)
                record = b"\xc0\x0c\0\1\0\1" + struct.pack(">IH", 60, 4) + socket.inet_aton(address)
                server.sendto(head + question[12:end + 5] + (record if wanted else b""), asker)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield "127.0.0.1:%d" % server.getsockname()[1]
    finally:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", server.getsockname())
        thread.join()
        server.close()


class Echo(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = json.dumps({name.lower(): value for name, value in self.headers.items()}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def https_origin(address, name):
    """Yields the port of an HTTPS origin for `name`, and the file of the authority that vouches for it."""
    with tempfile.TemporaryDirectory() as folder:
        key, cert, ca_key, ca = (str(pathlib.Path(folder) / one) for one in ("key.pem", "cert.pem", "ca-key.pem", "ca.pem"))
        request = str(pathlib.Path(folder) / "request.pem")
        extensions = pathlib.Path(folder) / "extensions"
        extensions.write_text(f"subjectAltName=DNS:{name}\n")
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

        def openssl(*arguments):
            subprocess.run(["openssl", *arguments], check=True, capture_output=True)

        openssl("req", "-x509", *curve, "-keyout", ca_key, "-out", ca, "-subj", "/CN=Test authority", "-days", "2")
        openssl("req", *curve, "-keyout", key, "-out", request, "-subj", f"/CN={name}")
        openssl("x509", "-req", "-in", request, "-CA", ca, "-CAkey", ca_key, "-CAcreateserial", "-days", "2", "-extfile",
                str(extensions), "-out", cert)
        server = http.server.ThreadingHTTPServer((address, 0), Echo)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.handle_error = lambda *_: None  # guests that do not trust it hang up
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1], ca
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
