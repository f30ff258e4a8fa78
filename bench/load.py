#!/usr/bin/env python3
"""Load scenarios through the real API, beside nginx serving a static file in the same run. Prints figure, reference and ratio."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[1]
SECONDS = int(os.environ.get("BENCH_SECONDS", "3"))
ROUNDS = 3


class Work:
    """A folder for everything the run makes, gone at the end."""

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="viv-bench-"))

    def write(self, name, text):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


def seed_app(work, megabytes=10):
    """An app whose seed makes a database of about that many megabytes."""
    work.write("apps/bench/app.yaml", "name: bench\nprofiles:\n  default: {tools: [tools/t.yaml], seed: seed/s.json}\n"
               "data:\n  rows: {table: item, fields: {name: string!, body: string!}}\n")
    work.write("apps/bench/schema.sql", "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL, body TEXT NOT NULL);\n"
               "CREATE INDEX item_name ON item (name);\n")
    work.write("apps/bench/tools/t.yaml", """
- name: read
  description: Read one item.
  input: {id: {type: integer, required: true}}
  steps:
    - require: SELECT name, body FROM item WHERE id = :id
      error: not_found
  result: SELECT json_object('id', :id, 'name', :name, 'body', substr(:body, 1, 100))
- name: write
  description: Add one item.
  input: {name: {type: string, required: true}}
  steps:
    - run: INSERT INTO item (name, body) VALUES (:name, 'new') RETURNING id
  result: SELECT json_object('id', :id)
""")
    rows = [{"name": f"item {i}", "body": f"{i:06d} " + "x" * 900} for i in range(megabytes * 1024 * 1024 // 1000)]
    work.write("apps/bench/seed/s.json", json.dumps({"rows": rows}))
    return work.path / "apps"


@contextlib.contextmanager
def vivarium(work, apps):
    data = work.path / "data"
    process = subprocess.Popen([ROOT / "build/release/viv", "serve", "--listen", "127.0.0.1:0", "--data", data, "--apps", apps,
                                "--log-level", "warn", "--pool-max", "1000000"], stdout=subprocess.PIPE, stderr=sys.stderr, text=True)
    for line in process.stdout:
        if match := re.search(r"ready at (http://\S+)", line):
            break
    url, key = match[1], (data / "key").read_text().strip()
    try:
        yield Viv(url, key, process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


class Viv:
    def __init__(self, url, key, pid):
        self.url, self.key, self.pid = url, key, pid

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
                                         headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    def rss_kib(self):
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])


@contextlib.contextmanager
def nginx(work):
    root = work.path / "www"
    root.mkdir()
    (root / "a.json").write_text('{"id":"sbx_0123456789abcdef","state":"running","pad":"' + "x" * 148 + '"}')
    port = 18473
    conf = work.write("nginx.conf", f"""
worker_processes 2; daemon off; pid {work.path}/nginx.pid; error_log /dev/null;
events {{ worker_connections 4096; }}
http {{ access_log off; keepalive_requests 10000000;
  client_body_temp_path {work.path}; proxy_temp_path {work.path}; fastcgi_temp_path {work.path}; uwsgi_temp_path {work.path}; scgi_temp_path {work.path};
  server {{ listen 127.0.0.1:{port} reuseport; root {root}; default_type application/json; }} }}
""")
    process = subprocess.Popen(["nginx", "-c", conf, "-p", work.path], stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    try:
        yield f"http://127.0.0.1:{port}/a.json"
    finally:
        process.terminate()
        process.wait()


def wrk(url, connections, script=None, seconds=SECONDS):
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency"]
    if script:
        command += ["-s", script]
    out = subprocess.run([*command, url], capture_output=True, text=True, check=True).stdout
    unit = {"us": 0.001, "ms": 1.0, "s": 1000.0}

    def ms(label):
        number, suffix = re.search(rf"^\s+{label}\s+([\d.]+)(us|ms|s)", out, re.M).groups()
        return float(number) * unit[suffix]

    failures = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    return {"rate": float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]), "p50": ms("50%"), "p99": ms("99%"),
            "failed": int(failures[1]) if failures else 0}


def median(runs, key):
    return sorted(run[key] for run in runs)[len(runs) // 2]


def lua(work, name, viv, method, body=None, paths=None):
    """A wrk script: fixed method and body, paths taken in turn."""
    lines = [f'wrk.method = "{method}"', f'wrk.headers["Authorization"] = "Bearer {viv.key}"',
             'wrk.headers["Content-Type"] = "application/json"']
    if body is not None:
        lines.append(f"wrk.body = [==[{body}]==]")
    if paths:
        lines.append("local paths = {" + ", ".join(f'"{path}"' for path in paths) + "}")
        lines.append("local i = 0\nfunction request() i = i % #paths + 1; return wrk.format(nil, paths[i]) end")
    return work.write(name, "\n".join(lines))


def report(what, value, reference="", ratio=""):
    print(f"{what:<58} {value:<34} {reference:<24} {ratio}", flush=True)


def compare(work, viv, static, what, connections, script, path="/"):
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(wrk(viv.url + path, connections, script))
        theirs.append(wrk(static, connections))
    rate, reference = median(ours, "rate"), median(theirs, "rate")
    failed = sum(run["failed"] for run in ours)
    report(what, f"{rate:>9,.0f}/s p50 {median(ours, 'p50'):.3f} p99 {median(ours, 'p99'):.2f} ms" + (f" {failed} FAILED" if failed else ""),
           f"nginx {reference:>9,.0f}/s", f"{rate / reference:.2f}x")
    return rate


def single(work, viv, what, script, path="/"):
    runs = [wrk(viv.url + path, 1, script, 2) for _ in range(ROUNDS)]
    failed = sum(run["failed"] for run in runs)
    report(what, f"p50 {median(runs, 'p50'):.3f} p99 {median(runs, 'p99'):.2f} ms" + (f" {failed} FAILED" if failed else ""))
    return median(runs, "p50")


def main():
    for tool in ("wrk", "nginx"):
        if not shutil.which(tool):
            sys.exit(f"{tool} is missing: make setup installs it")
    work = Work()
    apps = seed_app(work)
    print(f"{'what':<58} {'ours':<34} {'reference':<24} ratio")
    try:
        with vivarium(work, apps) as viv, nginx(work) as static:
            idle = viv.rss_kib()
            report("footprint: idle server, all apps loaded", f"{idle / 1024:.1f} MiB RSS",
                   f"binary {(ROOT / 'build/release/viv').stat().st_size / 1e6:.1f} MB")

            held = [viv.call("POST", "/sandbox/bench", {"ttl_seconds": None}) for _ in range(64)]
            urls = ["/mcp/" + one["server_url"].split("/mcp/")[1] for one in held]
            call = lambda name, args: json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                                                  "params": {"name": name, "arguments": args}})
            read = lua(work, "read.lua", viv, "POST", call("read", {"id": 77}), urls)
            write = lua(work, "write.lua", viv, "POST", call("write", {"name": "n"}), urls)
            for connections in (1, 16, 64):
                compare(work, viv, static, f"tools/call read, {connections} clients, 64 worlds", connections, read)
            for connections in (1, 16, 64):
                compare(work, viv, static, f"tools/call write, {connections} clients, 64 worlds", connections, write)

            acquire = lua(work, "acquire.lua", viv, "POST", '{"ttl_seconds":null}')
            acquire_p50 = single(work, viv, "acquire a world, 10 MB seed", acquire, "/sandbox/bench")
            used = held[0]["sandbox_id"]
            reset = lua(work, "reset.lua", viv, "POST")
            reset_p50 = single(work, viv, "reset of an unchanged world, 10 MB seed", reset, f"/sandbox/bench/{used}/reset")
            report("  reset against acquire", "", "", f"{reset_p50 / acquire_p50:.2f}x")
            fork = lua(work, "fork.lua", viv, "POST")
            single(work, viv, "fork of a changed world, 10 MB seed", fork, f"/api/viv/worlds/{held[1]['sandbox_id']}/fork")
            get = lua(work, "get.lua", viv, "GET")
            compare(work, viv, static, "control API: get a sandbox, 64 clients", 64, get, f"/sandbox/bench/{used}")

        shutil.rmtree(work.path / "data")
        shutil.rmtree(work.path / "www")
        with vivarium(work, apps) as viv, nginx(work) as static:
            fill = lua(work, "fill.lua", viv, "POST", '{"ttl_seconds":null,"tag":"blue"}')
            other = lua(work, "other.lua", viv, "POST", '{"ttl_seconds":null,"tag":"red"}')
            before = viv.rss_kib()
            total = 0
            measured = False
            while total < 100_000:
                wrk(viv.url + ("/sandbox/slack" if total % 2 else "/sandbox/bench"), 64, fill if total % 3 else other, 2)
                total = viv.call("GET", "/sandbox?limit=1")["total_count"]
                if not measured and total >= 10_000:
                    report(f"memory per idle world at {total:,}", f"{(viv.rss_kib() - before) / total:.2f} KiB")
                    measured = True
            report(f"memory per idle world at {total:,}", f"{(viv.rss_kib() - before) / total:.2f} KiB")
            get = lua(work, "list.lua", viv, "GET")
            compare(work, viv, static, f"list: page of 100 of {total:,}, by server, 1 client", 1, get, "/sandbox?server_name=slack&limit=100")
            compare(work, viv, static, f"list: page of 100 of {total:,}, by server and tag, 1 client", 1, get,
                    "/sandbox?server_name=slack&tag=blue&limit=100")
    finally:
        shutil.rmtree(work.path, ignore_errors=True)


main()
