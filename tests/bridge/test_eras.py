"""Clients of both eras of MCP on servers of both eras, through the bridge of a box: each pair must do."""
import io
import json
import pathlib
import subprocess
import sys
import tarfile

import httpx
import pytest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "e2e/python"))
from conftest import running_server  # noqa: E402

SERVERS = {"old": "mcp-1.12", "new": "mcp-2.3", "fast": "fastmcp-4"}
KINDS = {"old": "mcp-1.12", "new": "mcp-2.3", "fast": "fastmcp"}
CLIENTS = {"old": ("mcp-1.12", "session"), "new": ("mcp-2.3", "session"), "modern": ("mcp-2.3", "modern")}


def packages(venv):
    """Where a venv has its packages; the box has the same Python."""
    return next((HERE / ".venv" / venv / "lib").glob("python3*/site-packages"))


def workspace():
    out = io.BytesIO()

    def wanted(member):
        skipped = ("/pip", "/setuptools", "/__pycache__")
        return None if any(part in member.name for part in skipped) else member

    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as archive:
        archive.add(HERE / "server.py", "server.py")
        for name, venv in SERVERS.items():
            archive.add(packages(venv), f"packages/{name}", filter=wanted)
    return out.getvalue()


@pytest.fixture(scope="module")
def urls(tmp_path_factory):
    servers = {name: {"command": "python3", "args": ["/data/server.py", KINDS[name]], "start_seconds": 120,
                      "env": {"PYTHONPATH": f"/data/packages/{name}", "FASTMCP_CHECK_FOR_UPDATES": "off"}} for name in SERVERS}
    file = tmp_path_factory.mktemp("bridge") / "servers.yaml"
    file.write_text(json.dumps({"servers": servers}))
    with running_server("--boxes", "on", "--on-exit", "kill", "--builtin-apps", "", "--parked", "0", "--servers", str(file)) as (url, key):
        with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=120) as api:
            acquired = api.post("/local-sandbox", json={"server_names": list(SERVERS)})
            assert acquired.status_code == 201, acquired.text
            path = f"/local-sandbox/{acquired.json()['local_sandbox_id']}"
            put = httpx.put(api.post(f"{path}/upload-url").json()["upload_url"], content=workspace(), timeout=300,
                            headers={"Content-Type": "application/gzip"})
            assert put.status_code == 200, put.text
            initialized = api.post(f"{path}/initialize", timeout=300)
            assert initialized.status_code == 200, initialized.text
            yield {item["server_name"]: item["mcp_server_url"] for item in acquired.json()["servers"]}
            api.delete(path)


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("client", CLIENTS)
def test_each_client_works_with_each_server(urls, client, server):
    venv, way = CLIENTS[client]
    run = subprocess.run([HERE / ".venv" / venv / "bin/python", HERE / "client.py", urls[server], way], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-3000:]
    said = json.loads(run.stdout)
    assert said["version"] == {"old": "2025-06-18", "new": "2025-11-25", "modern": "2026-07-28"}[client]
    assert said["tools"] == ["add", "count", "fail", "slow"]
    assert said["sum"] == "42"
    assert int(said["count"]) == list(CLIENTS).index(client) + 1  # one process serves them all
    assert said["slow"].startswith("3 steps")
    assert said["heard"] == [[1, 3], [2, 3], [3, 3]]
    assert said["failed"][0] is True and said["failed"][1]  # the newest servers do not say why
    assert said["resource"] == "a note"
    assert said["prompt"] == "Say hello to Ada"
