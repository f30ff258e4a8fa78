"""TCP tunnels into a box with the Python SDK of LangSmith: its yamux against ours."""
import asyncio
import concurrent.futures
import hashlib
import http.client
import os
import socket
import time

import pytest
from langsmith.sandbox import AsyncSandboxClient, SandboxClient

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="boxes need root")

# Answers like a file server, and echoes what is posted; each connection on a thread of its own.
WEB_SERVER = """
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        self.answer(self.path.encode() * int(self.headers.get("X-Times", "1")))
    def do_POST(self):
        self.answer(self.rfile.read(int(self.headers["Content-Length"])))
    def log_message(self, *arguments):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", 8123), Handler).serve_forever()
"""

# Says how much it heard once the client has ended its side.
COUNTER = """
import socket
listener = socket.create_server(("::1", 8124), family=socket.AF_INET6)
while True:
    connection, _ = listener.accept()
    with connection:
        total = 0
        while data := connection.recv(65536):
            total += len(data)
        connection.sendall(str(total).encode())
"""


@pytest.fixture(scope="module")
def client(server_with_boxes):
    url, key = server_with_boxes
    with SandboxClient(api_endpoint=f"{url}/v2/sandboxes", api_key=key) as made:
        yield made


@pytest.fixture(scope="module")
def sandbox(client):
    made = client.create_sandbox(timeout=60)
    for name, script, port in (("web", WEB_SERVER, 8123), ("counter", COUNTER, 8124)):
        made.write(f"/tmp/{name}.py", script)
        made.run(f"nohup python3 /tmp/{name}.py > /tmp/{name}.log 2>&1 &")
        ready = made.run(f"for i in $(seq 100); do grep -q ':{port:04X} ' /proc/net/tcp /proc/net/tcp6 && exit 0; sleep 0.1; done;"
                         f" cat /tmp/{name}.log; exit 1")
        assert ready.exit_code == 0, ready.stdout
    yield made
    client.delete_sandbox(made.id)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def fetch(port, path, method="GET", body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body, headers)
        return connection.getresponse().read()
    finally:
        connection.close()


def test_a_web_server_is_reached(sandbox):
    with sandbox.tunnel(8123, local_port=free_port()) as tunnel:
        assert tunnel.remote_port == 8123
        assert fetch(tunnel.local_port, "/hello") == b"/hello"
        # One connection for several requests.
        connection = http.client.HTTPConnection("127.0.0.1", tunnel.local_port, timeout=60)
        for path in ("/a", "/b", "/c"):
            connection.request("GET", path)
            assert connection.getresponse().read() == path.encode()
        connection.close()


def test_many_connections_at_once(sandbox):
    with sandbox.tunnel(8123, local_port=free_port()) as tunnel:
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            answers = pool.map(lambda i: fetch(tunnel.local_port, f"/{i}", **{"X-Times": "1000"}), range(100))
            assert list(answers) == [f"/{i}".encode() * 1000 for i in range(100)]


def test_more_than_the_windows_both_ways(sandbox):
    body = os.urandom(8 * 2**20)
    with sandbox.tunnel(8123, local_port=free_port()) as tunnel:
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda _: fetch(tunnel.local_port, "/", "POST", body), range(4)))
    assert {hashlib.sha256(one).digest() for one in answers} == {hashlib.sha256(body).digest()}


def test_a_server_on_the_other_loopback(sandbox):
    """Only ::1 listens there. The SDK ends a connection as a whole, so its own yamux is used for half of one."""
    with sandbox.tunnel(8124, local_port=free_port()) as tunnel:
        stream = tunnel._ensure_session().open_stream()
        stream.write(b"\x01" + (8124).to_bytes(2, "big"))
        assert stream.read(1) == b"\x00"
        stream.write(b"x" * 1_000_000)
        tunnel._ensure_session()._send_frame(1, 4, stream.stream_id, 0)  # our side is over
        assert stream.read(100) == b"1000000"
        assert stream.read(100) == b""


@pytest.mark.parametrize("header, status", [(b"\x01\x00\x00", 1), (b"\x01\x00\x01", 2), (b"\x07\x00\x50", 3)])
def test_why_a_port_is_refused(sandbox, header, status):
    with sandbox.tunnel(8123, local_port=free_port()) as tunnel:
        stream = tunnel._ensure_session().open_stream()
        stream.write(header)
        assert stream.read(1) == bytes([status])
        assert fetch(tunnel.local_port, "/after") == b"/after"


def test_a_closed_port_ends_the_connection(sandbox):
    with sandbox.tunnel(9, local_port=free_port()) as tunnel:
        with socket.create_connection(("127.0.0.1", tunnel.local_port), timeout=60) as connection:
            assert connection.recv(1) == b""


def test_a_violation_ends_the_session_and_the_next_one_works(sandbox):
    with sandbox.tunnel(8123, local_port=free_port()) as tunnel:
        session = tunnel._ensure_session()
        session._send_frame(1, 1, 2, 0)  # an even stream is not the client's to open
        end = time.monotonic() + 60
        while not session.is_closed and time.monotonic() < end:
            time.sleep(0.05)
        assert session.is_closed
        assert fetch(tunnel.local_port, "/again") == b"/again"


def test_a_stopped_box_wakes_for_a_tunnel(client):
    made = client.create_sandbox(timeout=60)
    try:
        client.stop_sandbox(made.name)
        with made.tunnel(9, local_port=free_port()) as tunnel:
            with socket.create_connection(("127.0.0.1", tunnel.local_port), timeout=60) as connection:
                assert connection.recv(1) == b""
        assert client.get_sandbox_status(made.name).status == "ready"
    finally:
        client.delete_sandbox(made.id)


def test_the_async_client(server_with_boxes, sandbox):
    url, key = server_with_boxes

    async def main():
        async with AsyncSandboxClient(api_endpoint=f"{url}/v2/sandboxes", api_key=key) as asynchronous:
            same = await asynchronous.get_sandbox(sandbox.name)
            async with await same.tunnel(8123, local_port=free_port()) as tunnel:
                return await asyncio.to_thread(fetch, tunnel.local_port, "/async")

    assert asyncio.run(main()) == b"/async"
