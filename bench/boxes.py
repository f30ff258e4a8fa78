#!/usr/bin/env python3
"""Boxes through the real API, beside fork+exec, bwrap and crun in the same run. Prints p50 / p99 in milliseconds and ratios.

usage: boxes.py [PART …]     parts: warm cold burst sustained exec files power copies many adopt steps (default: all)
"""
import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

from recorded import RECORD

ROOT = pathlib.Path(__file__).resolve().parents[1]
VIV = os.environ.get("VIV", str(ROOT / "build/release/viv"))
KEY = "e2b_" + "0123456789" * 4
ROUNDS = 3


class Server:
    def __init__(self, *args):
        self.data = tempfile.mkdtemp(prefix="viv-bench-")
        self.args = args
        self.launch()

    def launch(self):
        command = [VIV, "serve", "--listen", "127.0.0.1:0", "--data", self.data, "--key", KEY, "--boxes", "on",
                   "--on-exit", "kill", "--log-level", "info", *self.args]
        self.log = tempfile.NamedTemporaryFile("w+", prefix="viv-bench-log-")
        began = time.perf_counter()
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=self.log)
        while True:
            found = re.search(r"server\.started listen=\S+:(\d+)", pathlib.Path(self.log.name).read_text())
            if found:
                break
            if self.process.poll() is not None:
                sys.exit("the server did not start:\n" + pathlib.Path(self.log.name).read_text())
            time.sleep(0.002)
        self.started_in = time.perf_counter() - began
        self.port = int(found[1])

    def wait_parked(self, count):
        for _ in range(400):
            if metric(self, "viv_boxes_parked") >= count:
                return
            time.sleep(0.025)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        shutil.rmtree(self.data, ignore_errors=True)


def metric(server, name):
    text = Client(server).call("GET", "/metrics", raw=True)
    found = re.search(rf"^{name} (\S+)", text, re.M)
    return float(found[1]) if found else 0


class Client:
    """One kept-alive connection that speaks as the SDK does."""

    def __init__(self, server):
        self.http = http.client.HTTPConnection("127.0.0.1", server.port)
        self.http.connect()
        self.http.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def call(self, method, path, body=None, raw=False, headers=None):
        send = None if body is None else json.dumps(body)
        self.http.request(method, path, send, {"X-API-Key": KEY, "Content-Type": "application/json", **(headers or {})})
        answer = self.http.getresponse()
        text = answer.read()
        if answer.status >= 400:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]}")
        return text.decode() if raw else (json.loads(text) if text else None)

    def create(self, template="base"):
        return self.call("POST", "/v2/sandboxes", {"templateID": template, "timeout": 3600})

    def kill(self, box):
        self.call("DELETE", "/sandboxes/" + box["sandboxID"])

    def envd(self, box):
        return {"E2b-Sandbox-Id": box["sandboxID"], "E2b-Sandbox-Port": "49983", "X-Access-Token": box["envdAccessToken"]}

    def run(self, box, cmd="/bin/true", args=()):
        message = json.dumps({"process": {"cmd": cmd, "args": list(args)}, "stdin": False}).encode()
        headers = {"Content-Type": "application/connect+json", "Connect-Protocol-Version": "1", **self.envd(box)}
        self.http.request("POST", "/process.Process/Start", b"\0" + struct.pack(">I", len(message)) + message, headers)
        answer = self.http.getresponse()
        data = answer.read()
        if b'"end"' not in data:
            raise RuntimeError(f"run: {answer.status} {data[:300]}")
        return data


def spread(samples):
    ordered = sorted(samples)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]


def timed(work, count, pause=0.0):
    samples = []
    for _ in range(count):
        began = time.perf_counter()
        work()
        samples.append((time.perf_counter() - began) * 1000)
        if pause:
            time.sleep(pause)
    return samples


def show(name, value, reference=None):
    line = f"{name:<58} {value}"
    print(line + (f"   {RECORD.beside(name, reference)}" if reference else ""), flush=True)


def spawn(argv):
    pid = os.posix_spawn(argv[0], argv, os.environ)
    os.waitpid(pid, 0)


BWRAP = ["/usr/bin/bwrap", "--unshare-all", "--unshare-user", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev",
         "--tmpfs", "/tmp", "/bin/true"]


def reference_times(count=100):
    return {"fork+exec": spread(timed(lambda: spawn(["/bin/true"]), count))[0], "bwrap": spread(timed(lambda: spawn(BWRAP), count))[0]}


def ratios(value, reference):
    return ", ".join(f"{value / of:.2f}x {name} ({of:.2f})" for name, of in reference.items())


def create_and_run(client, keep):
    box = client.create()
    client.run(box)
    keep.append(box)


def drop(client, boxes):
    while boxes:
        client.kill(boxes.pop())


def part_warm():
    server = Server("--parked", "64")
    client = Client(server)
    for _ in range(ROUNDS):
        reference = reference_times()
        for name, pause in (("back to back", 0), ("one every 50 ms", 0.05)):
            server.wait_parked(60)
            boxes = []
            p50, p99 = spread(timed(lambda: create_and_run(client, boxes), 40, pause))
            show(f"create → first command, warm, {name}", f"p50 {p50:.2f}  p99 {p99:.2f} ms", ratios(p50, reference))
            drop(client, boxes)
        server.wait_parked(60)
        boxes = []
        p50, p99 = spread(timed(lambda: boxes.append(client.create()), 40))
        show("create alone, warm", f"p50 {p50:.2f}  p99 {p99:.2f} ms", ratios(p50, reference))
        drop(client, boxes)
    server.stop()


def part_cold():
    server = Server("--parked", "0")
    client = Client(server)
    for _ in range(ROUNDS):
        reference = reference_times()
        boxes = []
        p50, p99 = spread(timed(lambda: create_and_run(client, boxes), 60))
        show("create → first command, cold", f"p50 {p50:.2f}  p99 {p99:.2f} ms", ratios(p50, reference))
        drop(client, boxes)
    server.stop()


def part_burst():
    server = Server("--parked", "100")
    for _ in range(ROUNDS):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            began = time.perf_counter()
            list(pool.map(lambda _: spawn(BWRAP), range(100)))
            bwrap = (time.perf_counter() - began) * 1000
        server.wait_parked(100)
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            clients = [Client(server) for _ in range(16)]
            boxes = []

            def share(n):
                for _ in range(n, 100, 16):
                    create_and_run(clients[n], boxes)

            began = time.perf_counter()
            list(pool.map(share, range(16)))
            wall = (time.perf_counter() - began) * 1000
        show("burst of 100 creates + command", f"{wall:.0f} ms", f"{wall / bwrap:.2f}x 100 bwraps on 2 workers ({bwrap:.0f} ms)")
        drop(clients[0], boxes)
    server.stop()


def cycles(server, seconds):
    client = Client(server)
    count, until = 0, time.perf_counter() + seconds
    while time.perf_counter() < until:
        box = client.create()
        client.run(box)
        client.kill(box)
        count += 1
    return count


def part_sustained():
    server = Server()
    for _ in range(ROUNDS):
        def bwraps(_):
            count, until = 0, time.perf_counter() + 3
            while time.perf_counter() < until:
                spawn(BWRAP)
                count += 1
            return count
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            bwrap = sum(pool.map(bwraps, range(2))) / 3
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            rate = sum(pool.map(lambda _: cycles(server, 5), range(4))) / 5
        show("create → command → destroy, 4 clients", f"{rate:.0f}/s", f"{rate / bwrap:.2f}x bwrap on 2 workers ({bwrap:.0f}/s)")
    time.sleep(1)
    show("left after it", f"{metric(server, 'viv_boxes'):.0f} boxes, {metric(server, 'viv_boxes_parked'):.0f} parked")
    server.stop()


def part_exec():
    server = Server()
    client = Client(server)
    box = client.create()
    for _ in range(ROUNDS):
        reference = {"fork+exec": reference_times()["fork+exec"]}
        p50, p99 = spread(timed(lambda: client.run(box), 300))
        show("command in a live box, round trip", f"p50 {p50:.2f}  p99 {p99:.2f} ms", ratios(p50, reference))
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            clients = [Client(server) for _ in range(8)]
            began = time.perf_counter()
            list(pool.map(lambda c: [c.run(box) for _ in range(100)], clients))
            show("commands, 8 clients", f"{800 / (time.perf_counter() - began):.0f}/s")
    client.kill(box)
    server.stop()


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
            headers = {**client.envd(box), "Content-Type": "application/octet-stream"}
            began = time.perf_counter()
            client.http.request("POST", "/files?path=/home/user/big", data, headers)
            client.http.getresponse().read()
            up = size / (time.perf_counter() - began) / 1e6
            began = time.perf_counter()
            client.http.request("GET", "/files?path=/home/user/big", None, client.envd(box))
            got = client.http.getresponse().read()
            down = size / (time.perf_counter() - began) / 1e6
            assert got == data
            show("upload, download of 128 MiB", f"{up:.0f}, {down:.0f} MB/s", f"{up / copy:.2f}x, {down / copy:.2f}x cp ({copy:.0f} MB/s)")
    client.kill(box)
    server.stop()


def part_power():
    server = Server()
    client = Client(server)
    box = client.create()
    path = "/sandboxes/" + box["sandboxID"]
    for _ in range(ROUNDS):
        pauses, resumes = [], []
        for _ in range(50):
            pauses += timed(lambda: client.call("POST", path + "/pause"), 1)
            resumes += timed(lambda: client.call("POST", path + "/connect", {"timeout": 600}), 1)
        show("pause", "p50 {:.2f}  p99 {:.2f} ms".format(*spread(pauses)))
        show("resume", "p50 {:.2f}  p99 {:.2f} ms".format(*spread(resumes)))
    client.kill(box)
    server.stop()


def part_copies():
    server = Server()
    client = Client(server)
    for files in (0, 1000):
        box = client.create()
        if files:
            client.run(box, "/bin/bash", ["-c", f"mkdir -p ~/d && cd ~/d && for i in $(seq {files}); do echo $i > $i; done"])
        path = "/sandboxes/" + box["sandboxID"]
        for _ in range(ROUNDS):
            snapshots, forks = [], []
            p50 = spread(timed(lambda: snapshots.append(client.call("POST", path + "/snapshots", {})), 20))
            show(f"snapshot, {files} changed files", "p50 {:.2f}  p99 {:.2f} ms".format(*p50))
            p50 = spread(timed(lambda: forks.append(client.call("POST", path + "/fork", {"timeout": 600})), 20))
            show(f"fork, {files} changed files", "p50 {:.2f}  p99 {:.2f} ms".format(*p50))
            for snapshot in snapshots:
                client.call("DELETE", "/templates/" + snapshot["snapshotID"])
            drop(client, [it[0]["sandbox"] for it in forks])
        client.kill(box)
    server.stop()


def available_kib():
    return int(re.search(r"MemAvailable:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text())[1])


def part_many():
    server = Server("--parked", "0")
    client = Client(server)
    boxes, before = [], available_kib()
    for target in (50, 1000, 2500, 5000):
        try:
            while len(boxes) < target - 20:
                boxes.append(client.create())
            p50, p99 = spread(timed(lambda: create_and_run(client, boxes), 20))
        except RuntimeError as error:
            show(f"with {len(boxes)} live", str(error))
            break
        each = (before - available_kib()) / len(boxes)
        show(f"create → command with {target} live", f"p50 {p50:.2f}  p99 {p99:.2f} ms", f"{each / 1024:.2f} MB of the host each")
    drop(client, boxes)
    server.stop()


def part_adopt():
    server = Server()
    client = Client(server)
    boxes = [client.create() for _ in range(1000)]
    server.process.kill()
    server.process.wait()
    server.launch()
    client = Client(server)
    alive = sum(1 for box in boxes if client.run(box))
    show("kill -9 with 1,000 boxes: start until served", f"{server.started_in:.2f} s, {alive} of {len(boxes)} adopted and running commands")
    drop(client, boxes)
    server.stop()


class AgentClient(Client):
    """The same calls to a box's agent itself, without the server between."""

    def __init__(self, server):
        [path] = (pathlib.Path(server.data) / "boxes/run").glob("*.sock")
        self.http = http.client.HTTPConnection("agent")
        self.http.sock = socket.socket(socket.AF_UNIX)
        self.http.sock.connect(str(path))


def median(work, count=150, pause=0.01):
    return spread(timed(work, count, pause))[0]


def phases(server, seconds, clients):
    """The median of each phase of create → command → destroy, with that many clients at it."""
    times = {"create": [], "command": [], "destroy": []}

    def cycle():
        client = Client(server)
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            boxes = []
            times["create"] += timed(lambda: boxes.append(client.create()), 1)
            times["command"] += timed(lambda: client.run(boxes[0]), 1)
            times["destroy"] += timed(lambda: client.kill(boxes[0]), 1)

    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        for done in [pool.submit(cycle) for _ in range(clients)]:
            done.result()
    return ", ".join(f"{name} {statistics.median(samples):.2f}" for name, samples in times.items())


def part_steps():
    """Where the time goes that the goals do not have: each step measured by leaving the others out."""
    server = Server("--parked", "0")
    client = Client(server)
    box = client.create()
    agent = AgentClient(server)
    health = lambda through: through.call("GET", "/health", raw=True, headers=client.envd(box))
    show("host: fork+exec of true", f"{median(lambda: spawn(['/bin/true'])):.2f} ms")
    show("agent alone: answer a request / run true", f"{median(lambda: health(agent)):.2f} / {median(lambda: agent.run(box)):.2f} ms")
    show("server and agent: answer a request / run true", f"{median(lambda: health(client)):.2f} / {median(lambda: client.run(box)):.2f} ms")
    path = "/sandboxes/" + box["sandboxID"]
    show("seal (a snapshot without its start)", f"{median(lambda: client.call('POST', path + '/snapshots', {}), 30):.2f} ms")
    boxes = []
    show("start, cold", f"{median(lambda: boxes.append(client.create()), 60):.2f} ms")
    show("first command in a new box", f"{statistics.median(timed(lambda it=iter(boxes): client.run(next(it)), 60, 0.01)):.2f} ms")
    show("end a box", f"{median(lambda: client.kill(boxes.pop()), 60):.2f} ms")
    server.stop()
    for name, arguments in (("records synced", ()), ("records not synced", ("--no-sync",))):
        server = Server("--parked", "64", *arguments)
        client = Client(server)
        server.wait_parked(60)
        boxes = []
        created = median(lambda: boxes.append(client.create()), 40)
        path = "/sandboxes/" + boxes[0]["sandboxID"]
        pauses, resumes = [], []
        for _ in range(60):
            pauses += timed(lambda: client.call("POST", path + "/pause"), 1, 0.005)
            resumes += timed(lambda: client.call("POST", path + "/connect", {"timeout": 600}), 1, 0.005)
        drop(client, boxes)
        show(f"{name}: create, warm / pause / resume", f"{created:.2f} / {statistics.median(pauses):.2f} / {statistics.median(resumes):.2f} ms")
        for clients in (1, 4):
            show(f"{name}: create → command → destroy, {clients} at once", phases(server, 3, clients) + " ms")
        server.stop()


PARTS = {name[5:]: function for name, function in list(globals().items()) if name.startswith("part_")}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
