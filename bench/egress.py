#!/usr/bin/env python3
"""The way out of a box, beside a direct connection to the same nginx in the same run: what each kind of rule adds.

usage: egress.py [PART …]     parts: latency rate memory (default: all)
"""
import base64
import concurrent.futures
import contextlib
import itertools
import json
import pathlib
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import boxes
import langsmith
from boxes import ROUNDS, Server, show

NAME = "origin.bench"
PYTHON = "/usr/bin/python3"  # what boxes have, too: another one would bring another TLS
SECONDS = 6
PORTS = 12
GOALS_MS = {"plain": 0.2, "passed through by SNI": 0.3, "passed through by SNI, kept": 0.3, "intercepted, all new": 2.0, "intercepted, new to a kept origin": 2.0, "intercepted, kept": 0.3}

# Prints what each request took, in milliseconds. Two of these run at once and take turns of half a second by the clock, for the machine
# may be twice as quick at one time as at another. Nobody checks certificates here, so that both do the same: a context that
# knows the machine's authorities would look into their folder at each handshake, which takes a box longer than a host.
CALLER = """
import socket, ssl, sys, time
kind, address, port, turn = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
name = '%s'
if address == 'resolve': address = socket.gethostbyname(name)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
request = ('GET /a.txt HTTP/1.1\\r\\nHost: %%s:%%d\\r\\n\\r\\n' %% (name, port)).encode()
def connect():
    s = socket.create_connection((address, port))
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s if kind == 'plain' else context.wrap_socket(s, server_hostname=name)
def ask(s):
    s.sendall(request)
    data = b''
    while not data.endswith(b'END\\n'):
        piece = s.recv(65536)
        assert piece, data
        data += piece
    assert data.startswith(b'HTTP/1.1 200'), data
def once():
    with connect() as s: ask(s)
work, fresh = once, 5
if kind == 'kept':
    held = connect()
    work = lambda: ask(held)
samples = []
end = time.time() + %d
while time.time() < end and len(samples) < 2000:  # more would use up the ports
    if int(time.time() * 2) %% 2 != turn:
        time.sleep(0.001)
        fresh = 5  # the first of a turn find nothing in the caches
        continue
    began = time.perf_counter()
    work()
    if fresh == 0: samples.append((time.perf_counter() - began) * 1000)
    fresh = max(fresh - 1, 0)
print(*samples)
""" % (NAME, SECONDS)


class Names:
    """Answers every question for an address with this one."""

    def __init__(self, address):
        self.raw = socket.inet_aton(address)
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.bind(("127.0.0.1", 0))
        self.where = f"127.0.0.1:{self.sock.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            message, sender = self.sock.recvfrom(4096)
            end = message.index(b"\0", 12) + 5
            known = message[end - 4:end - 2] == b"\0\1"
            record = b"\xc0\x0c\0\1\0\1\0\0\x0e\x10\0\4" + self.raw if known else b""
            self.sock.sendto(message[:2] + b"\x81\x80\0\1\0" + bytes([known]) + b"\0\0\0\0" + message[12:end] + record, sender)


@contextlib.contextmanager
def nginx(folder, name, config, address, port):
    """An nginx with this configuration, once it listens there."""
    path = pathlib.Path(folder, name + ".conf")
    path.write_text(f"worker_processes 1; user root; daemon off; pid {folder}/{name}.pid; error_log /dev/null;\n" + config)
    process = subprocess.Popen(["/usr/sbin/nginx", "-c", str(path), "-p", folder, "-e", "/dev/null"])
    try:
        while process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection((address, port)):
                break
            time.sleep(0.02)
        if process.poll() is not None:
            raise RuntimeError(f"nginx does not start with {path}")
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


@contextlib.contextmanager
def origin(address):
    """Ports by what they are: plain, tls, tls without keep-alive, and tls behind another nginx that passes it through by SNI, as
    we do; and the certificate that vouches for itself. Each measurement takes the next port, for a connection to one where
    thousands have just ended looks long for a number of its own."""
    folder = tempfile.mkdtemp(prefix="viv-bench-origin-")
    (pathlib.Path(folder) / "a.txt").write_text("x" * 200 + "END\n")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", folder + "/key.pem", "-out",
                    folder + "/cert.pem", "-days", "2", "-subj", "/CN=" + NAME, "-addext", "subjectAltName=DNS:" + NAME], check=True, capture_output=True)
    with contextlib.ExitStack() as stack:
        free = lambda: stack.enter_context(socket.create_server((address, 0))).getsockname()[1]
        ports = {kind: [free() for _ in range(PORTS)] for kind in ("plain", "tls", "once", "relayed")}
    listen = lambda kind, options="": " ".join(f"listen {address}:{port}{options};" for port in ports[kind])
    http = f"""
events {{ worker_connections 4096; }}
http {{ access_log off; keepalive_requests 100000000; root {folder}; ssl_protocols TLSv1.2 TLSv1.3; ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;
  client_body_temp_path {folder}/1; proxy_temp_path {folder}/2; fastcgi_temp_path {folder}/3; uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
  server {{ {listen("plain")} {listen("tls", " ssl http2")} }}
  server {{ {listen("once", " ssl")} keepalive_timeout 0; }} }}
"""
    relay = f"""
load_module /usr/lib/nginx/modules/ngx_stream_module.so;
events {{ worker_connections 4096; }}
stream {{
  map $ssl_preread_server_name $origin {{ {NAME} {address}:{ports["tls"][-1]}; }}
  server {{ {listen("relayed")} ssl_preread on; proxy_pass $origin; }} }}
"""
    try:
        with nginx(folder, "origin", http, address, ports["once"][-1]), nginx(folder, "relay", relay, address, ports["relayed"][-1]):
            yield {kind: itertools.cycle(several) for kind, several in ports.items()}, folder + "/cert.pem"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def world():
    """A server whose boxes reach nginx by its name."""
    address = langsmith.outside_address()
    if not address:
        sys.exit("this machine has no address but loopback")
    with origin(address) as (ports, certificate):
        server = Server("--open-private", address + "/32", "--resolver", Names(address).where, "--egress-ca", certificate)
        try:
            yield server, address, ports
        finally:
            server.stop()


RULE = {"rules": [{"name": "key", "match_hosts": [NAME], "headers": [{"name": "Authorization", "type": "opaque", "value": "Bearer " + "k" * 40}]}]}
CONFIGS = {"plain": None, "passed": {"access_control": {"allow_list": [NAME]}}, "ruled": RULE}


def make_box(client, kind):
    box = client.create(vcpus=2, **({"proxy_config": CONFIGS[kind]} if CONFIGS[kind] else {}))
    client.execute(box, f"echo {base64.b64encode(CALLER.encode()).decode()} | base64 -d > /tmp/caller.py")
    return box


def show_added(what, goal, ours, direct):
    ours, direct = (statistics.median(map(float, samples.split())) for samples in (ours, direct))
    show(what + ", p50", f"{ours:.3f} ms, {ours - direct:+.3f} ms{goal}", f"{ours / direct:.2f}x direct ({direct:.3f})")


def part_latency():
    with world() as (server, address, ports):
        client = langsmith.Client(server)
        made = {kind: make_box(client, kind) for kind in CONFIGS}
        # What is measured, by which kind of box, with which kind of request, on which port.
        asked = {"plain": ("plain", "plain", "plain"), "passed through by SNI": ("passed", "new", "tls"), "passed through by SNI, kept": ("passed", "kept", "tls"),
                 "intercepted, all new": ("ruled", "new", "once"), "intercepted, new to a kept origin": ("ruled", "new", "tls"), "intercepted, kept": ("ruled", "kept", "tls")}
        call = lambda request, number, turn: subprocess.Popen([PYTHON, "-c", CALLER, request, address, str(number), turn], stdout=subprocess.PIPE, text=True)
        for _ in range(ROUNDS):
            for what, (kind, request, port) in asked.items():
                number = next(ports[port])
                with call(request, number, "0") as beside:
                    ours = client.execute(made[kind], f"{PYTHON} /tmp/caller.py {request} resolve {number} 1")
                    show_added(what, f" (goal {GOALS_MS[what]})", ours, beside.communicate()[0])
            # What the field has for the same: no box, and nobody who writes a log.
            with call("new", next(ports["tls"]), "0") as beside, call("new", next(ports["relayed"]), "1") as relayed:
                show_added("nginx passes through by SNI", "", relayed.communicate()[0], beside.communicate()[0])
        for box in made.values():
            client.kill(box)


def wrk_rate(text):
    if "Non-2xx" in text or "Socket errors" in text:
        raise RuntimeError(text)
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])


def part_rate():
    with world() as (server, address, ports):
        clients = [langsmith.Client(server) for _ in range(4)]
        for what, kind, scheme, port in (("plain", "plain", "http", "plain"), ("passed through by SNI", "passed", "https", "tls"), ("intercepted", "ruled", "https", "tls")):
            made = [make_box(client, kind) for client in clients]
            where = f"{next(ports[port])}/a.txt"
            command = f"wrk -t1 -c8 -d5s {scheme}://{NAME}:{where}"
            for _ in range(ROUNDS):
                direct = wrk_rate(subprocess.run(["wrk", "-t1", "-c32", "-d5s", "-H", "Host: " + NAME, f"{scheme}://{address}:{where}"],
                                                 capture_output=True, text=True, check=True).stdout)
                with concurrent.futures.ThreadPoolExecutor(4) as pool:
                    rates = list(pool.map(lambda pair: wrk_rate(pair[0].execute(pair[1], command)), zip(clients, made)))
                show(f"four boxes, 32 connections: {what}", f"{sum(rates):,.0f}/s (goal 5,000)", f"{sum(rates) / direct:.2f}x direct ({direct:,.0f}/s)")
            for client, box in zip(clients, made):
                client.kill(box)


def resident_kib(server):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{server.process.pid}/status").read_text())[1])


def part_memory():
    """E2B's largest set of domains, with two headers each."""
    count = 1000
    headers = {"Authorization": "Bearer " + "k" * 80, "X-Team": "${e2b.secrets.team}"}
    rules = {f"api{i}.example.com": [{"transform": {"headers": headers}}] for i in range(10)}
    network = {"rules": rules, "allowOut": [*rules, *(f"*.cdn{i}.example.com" for i in range(20))], "denyOut": ["0.0.0.0/0"]}
    server = Server("--parked", "0")
    client = boxes.Client(server)
    made = [client.create() for _ in range(count)]
    before = resident_kib(server)
    for box in made:
        client.call("PUT", f"/sandboxes/{box['sandboxID']}/network", network)
    each = (resident_kib(server) - before) / count
    show(f"server's memory for the rules of a box, {count:,} boxes", f"{each:.1f} KiB each (goal 64)", f"{len(json.dumps(network)) / 1024:.1f} KiB as JSON")
    boxes.drop(client, made)
    server.stop()


PARTS = {name[5:]: function for name, function in list(globals().items()) if name.startswith("part_")}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
