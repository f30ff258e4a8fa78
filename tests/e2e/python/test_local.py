"""A benchmark's run with local sandboxes, as its Python clients do it: httpx for the API, mcp for the servers."""
import asyncio
import io
import json
import tarfile

import httpx
import pytest
from mcp import ClientSession

try:
    from mcp.client.streamable_http import streamable_http_client
except ImportError:  # before mcp 2
    from mcp.client.streamable_http import streamablehttp_client as streamable_http_client


@pytest.fixture
def api(server_with_boxes):
    url, key = server_with_boxes
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=120) as client:
        yield client


def pack(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))
    return out.getvalue()


def use(url, tool, arguments):
    """One connection per call, as the runners have it."""
    async def run():
        async with streamable_http_client(url) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                await session.initialize()
                tools = [it.name for it in (await session.list_tools()).tools]
                result = await session.call_tool(tool, arguments)
                return tools, result.model_dump(by_alias=True)

    return asyncio.run(run())


def test_a_task_from_acquire_to_release(api, tmp_path):
    acquired = api.post("/local-sandbox", json={"server_names": ["filesystem", "terminal", "excel"], "benchmark": "Toolathlon"})
    assert acquired.status_code == 201
    sandbox = acquired.json()
    path = f"/local-sandbox/{sandbox['local_sandbox_id']}"
    urls = {item["server_name"]: item["mcp_server_url"] for item in sandbox["servers"]}

    upload = api.post(f"{path}/upload-url").json()
    assert upload["expires_in_minutes"] == 30
    put = httpx.put(upload["upload_url"], content=pack({"in.csv": b"a,b\n1,2\n", "sub/note.txt": b"hello"}),
                    headers={"Content-Type": "application/gzip"})
    assert put.status_code == 200
    assert api.post(f"{path}/initialize").json()["sandbox_id"] == sandbox["local_sandbox_id"]

    tools, answer = use(urls["filesystem"], "read_text_file", {"path": "/data/sub/note.txt"})
    assert "read_text_file" in tools
    assert answer["content"][0]["text"] == "hello"
    _, answer = use(urls["terminal"], "run_command", {"command": "wc -l in.csv"})
    assert "2 in.csv" in answer["content"][0]["text"], json.dumps(answer)
    _, answer = use(urls["filesystem"], "write_file", {"path": "out.txt", "content": "done"})
    assert not answer.get("isError")

    download = api.get(f"{path}/dump").json()["download_url"]
    with tarfile.open(fileobj=io.BytesIO(httpx.get(download).content), mode="r:gz") as archive:
        assert archive.getnames()[0] == "."
        # As the vendor's runner does, where Python has it: from 3.11.4 on.
        archive.extractall(tmp_path, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    assert (tmp_path / "out.txt").read_text() == "done"
    assert (tmp_path / "sub/note.txt").read_text() == "hello"

    assert "message" in api.delete(path).json()
    assert api.get(path).status_code == 404
    assert httpx.get(download).status_code == 404


def test_a_server_that_is_not_offered_leaves_the_others(api):
    """As MCP-Atlas' client asks: eight names, of which one is not there."""
    names = ["filesystem", "git", "terminal", "desktop-commander", "arxiv", "code-executor", "code-runner", "localmemory"]
    acquired = api.post("/local-sandbox", json={"server_names": names, "benchmark": "MCP_Atlas"})
    assert acquired.status_code == 201, acquired.text
    items = {item["server_name"]: item for item in acquired.json()["servers"]}
    assert list(items) == names
    assert [name for name in names if items[name]["status"] == "error"] == ["arxiv"]
    with pytest.raises(BaseException) as error:
        use(items["arxiv"]["mcp_server_url"], "search_papers", {"query": "x"})
    assert "is not offered here yet" in told_in(error.value)
    _, answer = use(items["filesystem"]["mcp_server_url"], "list_allowed_directories", {})
    assert "/data" in answer["content"][0]["text"]
    api.delete(f"/local-sandbox/{acquired.json()['local_sandbox_id']}")


def told_in(error):
    """The texts of an error and of those it groups."""
    return " ".join([str(error), *(told_in(inner) for inner in getattr(error, "exceptions", []))])
