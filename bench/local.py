#!/usr/bin/env python3
"""Klavis' local sandboxes on the real server, beside plain tar and plain programs in the same run.

usage: local.py [PART …]     parts: acquire calls reset files gigabyte (default: all)
"""
import http.client
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

import boxes
from boxes import Server, ratios, show, spawn, spread, timed

ROUNDS = boxes.ROUNDS
API = "/local-sandbox"


def goal(value, most):
    return f"goal ≤ {most:g} ms: {'met' if value <= most else 'MISSED'}"


class Client(boxes.Client):
    def acquire(self, benchmark=None, servers="ALL"):
        return self.call("POST", API, {"server_names": servers, "benchmark": benchmark, "ttl_seconds": 3600},
                         headers={"Authorization": "Bearer " + boxes.KEY})

    def local(self, method, sandbox, operation=""):
        path = f"{API}/{sandbox['local_sandbox_id']}{operation}"
        return self.call(method, path, headers={"Authorization": "Bearer " + boxes.KEY})

    def release(self, sandbox):
        self.local("DELETE", sandbox)


class Mcp:
    """A session with one server of a sandbox, over one kept-alive connection."""

    def __init__(self, server, sandbox, name):
        url = next(item["mcp_server_url"] for item in sandbox["servers"] if item["server_name"] == name)
        parts = urllib.parse.urlsplit(url)
        self.path = parts.path + "?" + parts.query
        self.http = boxes.Client(server).http
        self.headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.http.request("POST", self.path, json.dumps(message), self.headers)
        answer = self.http.getresponse()
        text = answer.read().decode()
        if answer.status >= 400:
            raise RuntimeError(f"{message['method']}: {answer.status} {text[:300]}")
        if answer.headers.get("Mcp-Session-Id"):
            self.headers["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]
        return text

    def ask(self, method, params):
        text = self.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        events = [line[5:] for line in text.splitlines() if line.startswith("data:")]
        answer = json.loads(events[-1] if events else text)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def tool(self, name, arguments):
        result = self.ask("tools/call", {"name": name, "arguments": arguments})
        if result.get("isError"):
            raise RuntimeError(f"{name}: {result['content']}")
        return result


def part_acquire():
    for name, parked in (("warm", 32), ("cold", 0)):
        server = Server("--parked", str(parked))
        client = Client(server)
        client.release(client.acquire())  # from now on boxes of this kind wait ready
        for _ in range(ROUNDS):
            reference = {"fork+exec": spread(timed(lambda: spawn(["/bin/true"]), 100))[0]}
            if parked:
                server.wait_parked(2 * parked - 2)
            held = []
            p50, p99 = spread(timed(lambda: held.append(client.acquire()), 20))
            show(f"acquire ALL, {name}", f"p50 {p50:.2f}  p99 {p99:.2f} ms",
                 ratios(p50, reference) + (", " + goal(p50, 15) if parked else ""))
            if parked:
                server.wait_parked(2 * parked - 2)
            p50, p99 = spread(timed(lambda: acquire_and_call(server, client, held), 20))
            show(f"acquire ALL → first call of filesystem, {name}", f"p50 {p50:.2f}  p99 {p99:.2f} ms")
            while held:
                client.release(held.pop())
        server.stop()


def acquire_and_call(server, client, held):
    held.append(client.acquire())
    Mcp(server, held[-1], "filesystem").tool("list_directory", {"path": "/data"})


# What each server is asked, and what the same takes on the machine itself where it starts a program.
CALLS = {
    "filesystem": ("read_text_file", {"path": "/data/animals.csv"}, None),
    "localmemory": ("read_graph", {}, None),
    "desktop-commander": ("read_file", {"path": "/data/animals.csv"}, None),
    "excel": ("read_data_from_excel", {"filepath": "/data/bench.xlsx", "sheet_name": "Sheet1"}, None),
    "pdf-tools": ("get_pdf_info", {"pdf_file_path": "/data/bench.pdf"}, ["/usr/bin/pdfinfo", "-v"]),
    "terminal": ("run_command", {"command": "ls"}, ["/bin/ls"]),
    "git": ("git_status", {"repo_path": "/data/repos/feeding_planner"}, ["/usr/bin/git", "--version"]),
    "code-executor": ("execute_code", {"code": "print(1)"}, ["/usr/bin/python3", "-c", "print(1)"]),
    "code-runner": ("run-code", {"code": "print(1)", "languageId": "python"}, ["/usr/bin/python3", "-c", "print(1)"]),
}


def smallest_pdf():
    objects = ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>"]
    text, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(text))
        text += f"{number} 0 obj{body}endobj\n"
    table = len(text)
    text += "xref\n0 4\n0000000000 65535 f \n" + "".join(f"{place:010} 00000 n \n" for place in places)
    return text + f"trailer<</Size 4/Root 1 0 R>>\nstartxref\n{table}\n%%EOF\n"


def quietly(argv):
    subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def prepare(server, sandbox):
    """What the calls read; made through servers whose first call is not measured in this sandbox."""
    Mcp(server, sandbox, "filesystem").tool("write_file", {"path": "/data/bench.pdf", "content": smallest_pdf()})
    book = Mcp(server, sandbox, "excel")
    book.tool("create_workbook", {"filepath": "/data/bench.xlsx"})
    rows = [[i, i * i, f"row {i}"] for i in range(40)]
    book.tool("write_data_to_excel", {"filepath": "/data/bench.xlsx", "sheet_name": "Sheet1", "data": rows})


def first_call(server, client, name, tool, arguments):
    """In a sandbox where that server has not run before, unless it made the file itself."""
    sandbox = client.acquire("MCP_Atlas")
    if "bench." in str(arguments):
        prepare(server, sandbox)
    milliseconds, mcp = took(lambda: Mcp(server, sandbox, name))
    milliseconds += took(lambda: mcp.tool(tool, arguments))[0]
    return sandbox, mcp, milliseconds * 1000


def part_calls():
    server = Server()
    client = Client(server)
    for _ in range(ROUNDS):
        for name, (tool, arguments, program) in CALLS.items():
            sandbox, mcp, first = first_call(server, client, name, tool, arguments)
            p50, p99 = spread(timed(lambda: mcp.tool(tool, arguments), 100 if program is None else 30))
            reference = goal(p50, 2)
            if program is not None:
                reference = ratios(p50, {"that program alone": spread(timed(lambda: quietly(program), 30))[0]})
            show(f"{name} {tool}: first, repeated", f"{first:.1f} ms, p50 {p50:.2f}  p99 {p99:.2f} ms", reference)
            client.release(sandbox)
    server.stop()


def part_reset():
    server = Server("--parked", "32")
    client = Client(server)
    sandbox = client.acquire("MCP_Atlas")
    for _ in range(ROUNDS):
        def change_and_reset():
            files = Mcp(server, sandbox, "filesystem")
            files.tool("write_file", {"path": "/data/changed.txt", "content": "x" * 10_000})
            began = time.perf_counter()
            client.local("POST", sandbox, "/reset")
            return (time.perf_counter() - began) * 1000
        samples = [change_and_reset() for _ in range(20)]
        listed = Mcp(server, sandbox, "filesystem").tool("list_directory", {"path": "/data"})["content"][0]["text"]
        assert "changed.txt" not in listed and "animals.csv" in listed, listed
        show("reset", "p50 {:.2f}  p99 {:.2f} ms".format(*spread(samples)))
    client.release(sandbox)
    server.stop()


def fill(folder, count, size):
    """Text that gzip makes about a third of: pieces of a pool in random order."""
    rng = random.Random(7)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 11))) for _ in range(4000)]
    pool = [" ".join(rng.choices(words, k=700)).encode() + b"\n" for _ in range(1000)]
    for number in range(count):
        path = folder / f"folder-{number % 25:02}" / f"file-{number:04}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            left = size
            while left > 0:
                left -= file.write(rng.choice(pool)[:left])


def took(work):
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def put(url, path):
    parts = urllib.parse.urlsplit(url)
    with path.open("rb") as file:
        connection = http.client.HTTPConnection(parts.netloc, blocksize=1 << 20)
        connection.request("PUT", parts.path + "?" + parts.query, file,
                           {"Content-Type": "application/gzip", "Content-Length": str(path.stat().st_size)})
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status == 200, (answer.status, text[:300])


def get(url, path):
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc)
    connection.request("GET", parts.path + "?" + parts.query)
    answer = connection.getresponse()
    assert answer.status == 200, answer.status
    with path.open("wb") as file:
        shutil.copyfileobj(answer, file, 1 << 20)


def archive(name, count, size, rounds):
    server = Server()
    client = Client(server)
    with tempfile.TemporaryDirectory(prefix="viv-bench-local-") as folder:
        folder = pathlib.Path(folder)
        fill(folder / "source", count, size)
        plain, dumped = folder / "plain.tar.gz", folder / "dumped.tar.gz"
        for _ in range(rounds):
            sandbox = client.acquire()
            pack, _ = took(lambda: subprocess.run(["tar", "czf", plain, "-C", folder / "source", "."], check=True))
            (folder / "out").mkdir()
            unpack, _ = took(lambda: subprocess.run(["tar", "xzf", plain, "-C", folder / "out"], check=True))
            upload, _ = took(lambda: put(client.local("POST", sandbox, "/upload-url")["upload_url"], plain))
            initialize, _ = took(lambda: client.local("POST", sandbox, "/initialize"))
            dump, answer = took(lambda: client.local("GET", sandbox, "/dump"))
            download, _ = took(lambda: get(answer["download_url"], dumped))
            shutil.rmtree(folder / "out")
            (folder / "out").mkdir()
            subprocess.run(["tar", "xzf", dumped, "-C", folder / "out"], check=True)
            subprocess.run(["diff", "-r", folder / "source", folder / "out"], check=True)
            shutil.rmtree(folder / "out")
            for what, alone, moved, tar in (("initialize", initialize, upload, unpack), ("dump", dump, download, pack)):
                speed = tar / (alone + moved)
                show(f"{what} of {name}", f"{alone:.3f} s, and {moved:.3f} s to move {plain.stat().st_size / 1e6:.1f} MB",
                     f"{tar / alone:.2f}x, with both {speed:.2f}x tar's speed ({tar:.3f} s), goal ≥ 0.5x: {'met' if speed >= 0.5 else 'MISSED'}")
            client.release(sandbox)
    server.stop()


def part_files():
    archive("1,000 files of 16 KiB", 1000, 16 << 10, ROUNDS)


def part_gigabyte():
    archive("1 GiB in 64 files", 64, 16 << 20, 1)


PARTS = {name[5:]: function for name, function in list(globals().items()) if name.startswith("part_")}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
