#!/usr/bin/env python3
"""The LangSmith dialect on the real server, beside the plainest thing that does the same in the same run.

usage: langsmith.py [PART …]     parts: exec files egress list (default: all)
"""
import base64
import json
import os
import pathlib
import shutil
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

import boxes
from boxes import Server, ratios, show, spawn, spread, timed

ROUNDS = boxes.ROUNDS
API = "/v2/sandboxes"
LISTED = 100_000


class Client(boxes.Client):
    """One kept-alive connection that speaks as LangSmith's SDK does."""

    def create(self, **options):
        return self.call("POST", API + "/boxes", {"wait_for_ready": True, "idle_ttl_seconds": 0, **options})

    def kill(self, box):
        self.call("DELETE", API + "/boxes/" + box["id"])

    def execute(self, box, command):
        answer = self.call("POST", f"{API}/{box['id']}/execute", {"command": command, "timeout": 300})
        if answer["exit_code"] != 0:
            raise RuntimeError(f"{command}: {answer}")
        return answer["stdout"]


class Socket:
    """As much of a WebSocket as a command needs."""

    def __init__(self, server, path):
        self.sock = socket.create_connection(("127.0.0.1", server.port))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode()
        self.sock.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                           f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\nX-Api-Key: {boxes.KEY}\r\n\r\n").encode())
        self.bytes = b""
        while b"\r\n\r\n" not in self.bytes:
            self.more()
        head, self.bytes = self.bytes.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise RuntimeError(head.decode())

    def more(self):
        piece = self.sock.recv(65536)
        if not piece:
            raise RuntimeError("the WebSocket ended")
        self.bytes += piece

    def take(self, count):
        while len(self.bytes) < count:
            self.more()
        taken, self.bytes = self.bytes[:count], self.bytes[count:]
        return taken

    def send(self, message):
        data = json.dumps(message).encode()
        size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
        self.sock.sendall(b"\x81" + size + b"\0\0\0\0" + data)  # a mask of zeros is one, too

    def receive(self):
        head = self.take(2)
        size = head[1] & 127
        if size == 126:
            size = struct.unpack(">H", self.take(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self.take(8))[0]
        return head[0] & 15, self.take(size)


def run(server, box, command):
    """A command over a socket of its own, as the SDK runs each."""
    ws = Socket(server, f"{API}/{box['id']}/execute/ws")
    ws.send({"type": "execute", "command": command, "timeout_seconds": 60, "shell": "/bin/bash", "close_stdin": True,
             "command_id": "0199%012x" % int.from_bytes(os.urandom(6), "big")})
    while True:
        kind, data = ws.receive()
        message = json.loads(data) if kind == 1 else {"type": "closed"}
        if message["type"] == "exit":
            break
        if message["type"] in ("error", "closed"):
            raise RuntimeError(str(message))
    ws.sock.close()


def part_exec():
    server = Server()
    client = Client(server)
    box = client.create()
    for _ in range(ROUNDS):
        reference = {"fork+exec": spread(timed(lambda: spawn(["/bin/true"]), 100))[0],
                     "bash": spread(timed(lambda: spawn(["/bin/bash", "-c", "true"]), 100))[0]}
        p50, p99 = spread(timed(lambda: run(server, box, "true"), 300))
        show("command over a WebSocket, round trip", f"p50 {p50:.2f}  p99 {p99:.2f} ms", ratios(p50, reference))
        p50, p99 = spread(timed(lambda: client.execute(box, "true"), 300))
        show("command by POST, round trip", f"p50 {p50:.2f}  p99 {p99:.2f} ms", ratios(p50, reference))
    client.kill(box)
    server.stop()


def upload(client, box, data):
    body = b'--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\nContent-Type: application/octet-stream\r\n\r\n' + data + b"\r\n--b--\r\n"
    headers = {"X-Api-Key": boxes.KEY, "Content-Type": "multipart/form-data; boundary=b"}
    began = time.perf_counter()
    client.http.request("POST", f"{API}/{box['id']}/upload?path=/tmp/big", body, headers)
    answer = client.http.getresponse()
    text = answer.read()
    took = time.perf_counter() - began
    assert answer.status == 200 and json.loads(text)["written"] == len(data), text
    return len(data) / took / 1e6


def download(client, box, data, step):
    began = time.perf_counter()
    parts = []
    for start in range(0, len(data), step):
        headers = {"X-Api-Key": boxes.KEY, "Range": f"bytes={start}-{start + step - 1}"}
        client.http.request("GET", f"{API}/{box['id']}/download?path=/tmp/big", None, headers)
        answer = client.http.getresponse()
        assert answer.status == 206, answer.status
        parts.append(answer.read())
    took = time.perf_counter() - began
    assert b"".join(parts) == data
    return len(data) / took / 1e6


def part_files():
    server = Server()
    client = Client(server)
    box = client.create()
    size = 128 << 20
    data = os.urandom(1 << 20) * (size >> 20)
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "a")
        source.write_bytes(data)
        for _ in range(ROUNDS):
            began = time.perf_counter()
            shutil.copyfile(source, folder + "/b")
            copy = size / (time.perf_counter() - began) / 1e6
            up = upload(client, box, data)
            down = download(client, box, data, 16 << 20)
            show("upload, download in ranges of 16 MiB, of 128 MiB", f"{up:.0f}, {down:.0f} MB/s",
                 f"{up / copy:.2f}x, {down / copy:.2f}x cp ({copy:.0f} MB/s)")
    client.kill(box)
    server.stop()


# One byte asks: 'p' for one byte back, 'd' for many.
LISTENER = """
import socket, sys, threading
server = socket.create_server((sys.argv[1], 0), backlog=1024)
print(server.getsockname()[1], flush=True)
block = bytes(1 << 20)
def serve(peer):
    with peer:
        asked = peer.recv(1)
        for _ in range(int(sys.argv[2]) if asked == b'd' else 0): peer.sendall(block)
        if asked == b'p': peer.sendall(b'p')
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
"""

CALLER = """
import json, socket, sys, time
where = (sys.argv[1], int(sys.argv[2]))
def call(kind):
    with socket.create_connection(where) as peer:
        peer.sendall(kind)
        total = 0
        while piece := peer.recv(1 << 20): total += len(piece)
        return total
call(b'p')
began = time.perf_counter()
for _ in range(500): assert call(b'p') == 1
each = time.perf_counter() - began
began = time.perf_counter()
total = call(b'd')
print(json.dumps([500 / each, total / (time.perf_counter() - began) / 1e6]))
"""


def outside_address():
    """An address of this machine that is not loopback; empty when it has none."""
    listed = json.loads(subprocess.run(["ip", "-j", "-4", "addr"], capture_output=True, check=True).stdout)
    found = [info["local"] for link in listed for info in link["addr_info"] if not info["local"].startswith("127.")]
    return found[0] if found else ""


def part_egress():
    address = outside_address()
    if not address:
        show("egress", "this machine has no address but loopback")
        return
    server = Server("--open-private", address + "/32")
    client = Client(server)
    listener = subprocess.Popen([sys.executable, "-c", LISTENER, address, "256"], stdout=subprocess.PIPE, text=True)
    port = listener.stdout.readline().strip()
    box = client.create(proxy_config={"access_control": {"allow_list": [address]}})
    path = f"{API}/{box['id']}/upload?path=/tmp/caller.py"
    part = b'--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n' + CALLER.encode() + b"\r\n--b--\r\n"
    client.http.request("POST", path, part, {"X-Api-Key": boxes.KEY, "Content-Type": "multipart/form-data; boundary=b"})
    client.http.getresponse().read()
    for _ in range(ROUNDS):
        direct = json.loads(subprocess.run([sys.executable, "-c", CALLER, address, port], capture_output=True, check=True).stdout)
        inside = json.loads(client.execute(box, f"python3 /tmp/caller.py {address} {port}"))
        show("out of a box through the policy point", f"{inside[0]:.0f} connections/s, {inside[1]:.0f} MB/s",
             f"{inside[0] / direct[0]:.2f}x, {inside[1] / direct[1]:.2f}x direct ({direct[0]:.0f}/s, {direct[1]:.0f} MB/s)")
    listener.kill()
    listener.wait()
    client.kill(box)
    server.stop()


def crash(server):
    server.process.kill()
    server.process.wait()


def copy_records(server, count):
    """Copies the one stopped box on record so often that there are `count`, each with a name and a time of its own."""
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    with sqlite3.connect(server.data + "/viv.db") as store:
        kind, account, text = store.execute("SELECT kind, account_id, body FROM document WHERE kind = 'box'").fetchone()
        record = json.loads(text)
        assert record["state"] == "stopped", record["state"]
        created = record["created"]
        rows = []
        for i in range(1, count):
            name, n = "", i
            for _ in range(4):
                name, n = digits[n % 36] + name, n // 36
            record["id"] = "icopy" + "0" * 12 + name
            record["place"]["folder"] = "copy" + name
            record["spec"]["name"] = f"box-{i:06d}"
            record["created"] = record["started"] = created + i
            rows.append((kind, record["id"], account, json.dumps(record)))
        store.executemany("INSERT INTO document (kind, id, account_id, body) VALUES (?, ?, ?, ?)", rows)


def part_list():
    count = LISTED
    server = Server("--parked", "0")
    client = Client(server)
    box = client.create(name="the-first")
    client.call("POST", f"{API}/boxes/{box['id']}/stop", {})
    crash(server)
    copy_records(server, count)
    server.launch()
    client = Client(server)
    show(f"start with {count:,} stopped boxes", f"{server.started_in:.2f} s")
    deep = client.call("GET", API + "/boxes?page_size=50&sort_by=name&sort_order=asc")["next_cursor"]
    asked = {"the first 50": "", "the last 50, by offset": f"?limit=50&offset={count - 50}", "a page by cursor": f"?page_size=50&sort_by=name&sort_order=asc&cursor={deep}",
             "a part of a name": "?name_contains=BOX-0007", "a name that nobody has": "?name_contains=nobody", "by name": "?sort_by=name&sort_direction=asc",
             "by status": "?status=stopped&sort_by=status"}
    for _ in range(ROUNDS):
        for name, query in asked.items():
            p50, p99 = spread(timed(lambda: client.call("GET", API + "/boxes" + query), 200))
            show(f"list of {count:,}: {name}", f"p50 {p50:.2f}  p99 {p99:.2f} ms")
        p50, p99 = spread(timed(lambda: client.call("GET", API + f"/boxes/box-{count * 3 // 4:06d}"), 200))
        show(f"one of {count:,} by its name", f"p50 {p50:.2f}  p99 {p99:.2f} ms")
    # What the copies stand for never was: their records go before the server tidies up.
    crash(server)
    with sqlite3.connect(server.data + "/viv.db") as store:
        store.execute("DELETE FROM document WHERE kind = 'box' AND id LIKE 'icopy%'")
    server.launch()
    Client(server).kill(box)
    server.stop()


PARTS = {name[5:]: function for name, function in list(globals().items()) if name.startswith("part_")}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
