#!/usr/bin/env python3
"""Load scenarios through the real API, beside nginx serving a static file in the same run. Prints figure, reference and ratio.

usage: load.py [PART …]     parts: calls control scoring many (default: all)
"""
import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

from recorded import RECORD

ROOT = pathlib.Path(__file__).resolve().parents[1]
VIV = os.environ.get("VIV", str(ROOT / "build/release/viv"))
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
    process = subprocess.Popen([VIV, "serve", "--listen", "127.0.0.1:0", "--data", data, "--apps", apps,
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

    def cpu_ms(self):
        """Processor time of the server so far, all threads."""
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

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
    ratio = RECORD.beside(what, ratio)
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


class Client:
    """One kept-alive connection; counts nothing, asserts that every answer is a success."""

    def __init__(self, viv):
        parts = urllib.parse.urlsplit(viv.url)
        self.http = http.client.HTTPConnection(parts.hostname, parts.port)
        self.headers = {"Authorization": f"Bearer {viv.key}", "Content-Type": "application/json"}

    def call(self, method, path, body=None):
        self.http.request(method, path, None if body is None else json.dumps(body), self.headers)
        answer = self.http.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]}")
        return json.loads(text) if text else None

    def tool(self, path, name, arguments):
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        answer = self.call("POST", path, message)
        if "error" in answer or answer["result"].get("isError"):
            raise RuntimeError(f"{name}: {answer}")
        return answer


def mcp_path(sandbox):
    return "/mcp/" + sandbox["server_url"].split("/mcp/")[1]


def tool_call(name, arguments):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}})


def part_calls(work, viv, static):
    report("footprint: idle server, all apps loaded", f"{viv.rss_kib() / 1024:.1f} MiB RSS", f"binary {os.stat(VIV).st_size / 1e6:.1f} MB")
    held = [viv.call("POST", "/sandbox/bench", {"ttl_seconds": None}) for _ in range(64)]
    urls = [mcp_path(one) for one in held]
    read = lua(work, "read.lua", viv, "POST", tool_call("read", {"id": 77}), urls)
    write = lua(work, "write.lua", viv, "POST", tool_call("write", {"name": "n"}), urls)
    for connections in (1, 16, 64):
        compare(work, viv, static, f"tools/call read, {connections} clients, 64 worlds", connections, read)
    for connections in (1, 16, 64):
        compare(work, viv, static, f"tools/call write, {connections} clients, 64 worlds", connections, write)


def part_control(work, viv, static):
    acquire = lua(work, "acquire.lua", viv, "POST", '{"ttl_seconds":null}')
    acquire_p50 = single(work, viv, "acquire a world, 10 MB seed", acquire, "/sandbox/bench")
    used, changed = (viv.call("POST", "/sandbox/bench", {"ttl_seconds": None}) for _ in range(2))
    Client(viv).tool(mcp_path(changed), "write", {"name": "n"})
    reset = lua(work, "reset.lua", viv, "POST")
    reset_p50 = single(work, viv, "reset of an unchanged world, 10 MB seed", reset, f"/sandbox/bench/{used['sandbox_id']}/reset")
    report("  reset against acquire", "", "", f"{reset_p50 / acquire_p50:.2f}x")
    fork = lua(work, "fork.lua", viv, "POST")
    single(work, viv, "fork of a changed world, 10 MB seed", fork, f"/api/viv/worlds/{changed['sandbox_id']}/fork")
    get = lua(work, "get.lua", viv, "GET")
    compare(work, viv, static, "control API: get a sandbox, 64 clients", 64, get, f"/sandbox/bench/{used['sandbox_id']}")


def goal(value, most, unit="ms"):
    return f"goal ≤ {most:g} {unit}: {'met' if value <= most else 'MISSED'}"


def scored(work, viv, what, script, path, most):
    """As `single`, beside the processor time of the server, which says more on a busy machine."""
    before, runs, requests = viv.cpu_ms(), [], 0
    for _ in range(ROUNDS):
        runs.append(wrk(viv.url + path, 1, script, 2))
        requests += runs[-1]["rate"] * 2
    p50, failed = median(runs, "p50"), sum(run["failed"] for run in runs)
    report(what, f"p50 {p50:.3f} p99 {median(runs, 'p99'):.2f} ms, {(viv.cpu_ms() - before) / requests:.3f} ms of processor"
           + (f" {failed} FAILED" if failed else ""), goal(p50, most))


def change_ten_rows(client, sandbox):
    """Five issues opened and five comments written, beside the rows of the timeline that come with them."""
    where = {"owner": "acme-robotics", "repo": "arm-firmware"}
    for i in range(5):
        client.tool(mcp_path(sandbox), "github_create_issue", {**where, "title": f"one more {i}", "body": "text"})
        client.tool(mcp_path(sandbox), "github_add_issue_comment", {**where, "issue_number": 48, "body": f"a word {i}"})


EXPECTATIONS = [{"sql": "SELECT count(*) FROM message WHERE text = :t", "params": {"t": "done 3"}, "equals": 1},
                {"diff": {"table": "message", "inserted": 5, "deleted": 0}}, {"unchanged": ["channel"]}]


def episode(client, is_scored):
    """What a trainer does: a world, five changes, what they led to, and away with it."""
    world = client.call("POST", "/sandbox/slack", {})
    path = mcp_path(world)
    for i in range(5):
        client.tool(path, "slack_user_post_message", {"channel_id": "C01GENERAL", "text": f"done {i}"})
    if is_scored:
        own = f"/api/viv/worlds/{world['sandbox_id']}"
        client.call("GET", own + "/diff")
        verdict = client.call("POST", own + "/verify", EXPECTATIONS)
        if not verdict["passed"]:
            raise RuntimeError(f"an episode failed: {verdict}")
    client.call("DELETE", f"/sandbox/slack/{world['sandbox_id']}")


def part_scoring(work, viv, _static):
    client = Client(viv)
    for changed in (False, True):
        world = client.call("POST", "/sandbox/github", {"ttl_seconds": None})
        if changed:
            change_ten_rows(client, world)
        rows = "ten rows changed" if changed else "nothing changed"
        own = f"/api/viv/worlds/{world['sandbox_id']}"
        if changed:
            summary = client.call("GET", own + "/diff")["summary"]
            report("  the diff of the largest seed", f"{summary['inserted']} inserted, {summary['updated']} updated")
        scored(work, viv, f"diff, largest seed, {rows}", lua(work, "diff.lua", viv, "GET"), own + "/diff", 1)
        for name, expectations in (("one of SQL", [{"sql": "SELECT count(*) FROM issue", "exists": True}]),
                                   ("one of each kind but json", [{"sql": "SELECT count(*) FROM issue", "exists": True},
                                                                  {"unchanged": ["repository"]},
                                                                  {"diff": {"table": "issue", "deleted": 0}}])):
            script = lua(work, "verify.lua", viv, "POST", json.dumps(expectations))
            scored(work, viv, f"verify, {name}, largest seed, {rows}", script, own + "/verify", 1)
    plain, with_score = [], []
    for _ in range(ROUNDS):  # in turns
        for times, is_scored in ((plain, False), (with_score, True)):
            began = time.perf_counter()
            for _ in range(500):
                episode(client, is_scored)
            times.append(time.perf_counter() - began)
    ours, reference = statistics.median(with_score), statistics.median(plain)
    report("500 Slack episodes, scored", f"{ours:.2f} s", f"unscored {reference:.2f} s", f"{ours / reference:.2f}x (goal ≤ 2)")


def part_many(work, viv, static):
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
    compare(work, viv, static, "list: page of 100 of 100,000, by server, 1 client", 1, get, "/sandbox?server_name=slack&limit=100")
    compare(work, viv, static, "list: page of 100 of 100,000, by server and tag, 1 client", 1, get,
            "/sandbox?server_name=slack&tag=blue&limit=100")


PARTS = {name[5:]: function for name, function in list(globals().items()) if name.startswith("part_")}


def main():
    for tool in ("wrk", "nginx"):
        if not shutil.which(tool):
            sys.exit(f"{tool} is missing: make setup installs it")
    print(f"{'what':<58} {'ours':<34} {'reference':<24} ratio, and the last one on this machine: {RECORD.machine}")
    for part in sys.argv[1:] or PARTS:
        work = Work()
        try:
            with vivarium(work, seed_app(work)) as viv, nginx(work) as static:
                PARTS[part](work, viv, static)
        finally:
            shutil.rmtree(work.path, ignore_errors=True)


main()
