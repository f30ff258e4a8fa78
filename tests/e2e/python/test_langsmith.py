"""Commands with the Python SDK of LangSmith: over the WebSocket and over server-sent events."""
import asyncio
import os

import pytest
from langsmith.sandbox import AsyncSandboxClient, CommandTimeoutError, SandboxClient, SandboxOperationError

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="boxes need root")


@pytest.fixture(autouse=True)
def environment(server_with_boxes, monkeypatch):
    url, key = server_with_boxes
    monkeypatch.setenv("LANGSMITH_ENDPOINT", url)
    monkeypatch.setenv("LANGSMITH_API_KEY", key)
    monkeypatch.setenv("LANGSMITH_TRACING", "false")


@pytest.fixture
def sandbox(environment):
    with SandboxClient().sandbox(timeout=60) as made:
        yield made


@pytest.fixture(params=["websocket", "sse"])
def transport(request, monkeypatch):
    monkeypatch.setenv("LANGSMITH_EXPERIMENTAL_FEATURES", "sandbox_sse_exec" if request.param == "sse" else "")
    return request.param


def test_commands(sandbox, transport):
    result = sandbox.run("echo out; echo err >&2; exit 3")
    assert (result.stdout, result.stderr, result.exit_code) == ("out\n", "err\n", 3)
    assert sandbox.run('echo "$A $PWD"', env={"A": "b"}, cwd="/var").stdout == "b /var\n"
    config = {"user": "root", "work_dir": "/etc", "env_vars": {"A": "x"}}
    assert sandbox.run("echo $A $PWD $(id -un)", run_config=config).stdout == "x /etc root\n"
    with pytest.raises(CommandTimeoutError):
        sandbox.run("sleep 600", timeout=1)
    with pytest.raises(SandboxOperationError, match="does not exist"):
        sandbox.run("true", cwd="/missing")


def test_streaming(sandbox, transport):
    heard = []
    result = sandbox.run("for i in 1 2 3; do echo $i; sleep 0.1; done; echo bad >&2", on_stdout=heard.append)
    assert "".join(heard) == result.stdout == "1\n2\n3\n"
    assert result.stderr == "bad\n"

    handle = sandbox.run("printf 'a\\342\\202'; sleep 0.2; printf '\\254b\\377'; exit 4", wait=False)
    assert handle.pid > 1
    assert "".join(chunk.data for chunk in handle) == "a€b\ufffd"
    assert handle.result.exit_code == 4
    again = sandbox.reconnect(handle.command_id, stdout_offset=4)
    assert again.result.stdout == "b\ufffd"


def test_much_output(sandbox, transport):
    """More than is under way unacknowledged, so that the events stop and are resumed several times."""
    result = sandbox.run("seq 1 700000", timeout=120)
    assert result.stdout == "".join(f"{i}\n" for i in range(1, 700001))
    assert result.exit_code == 0


def test_unknown_commands(sandbox, transport):
    with pytest.raises(SandboxOperationError) as failed:
        sandbox.reconnect("0199-unknown").result
    assert failed.value.error_type == "CommandNotFound"
    brief = sandbox.run("true", wait=False, ttl_seconds=0)
    assert brief.result.exit_code == 0
    with pytest.raises(SandboxOperationError) as failed:
        sandbox.reconnect(brief.command_id).result
    assert failed.value.error_type == "SessionExpired"


def test_input_and_kill(sandbox):
    handle = sandbox.run('read line; echo "got $line"; cat', wait=False, close_input=False)
    handle.send_input("it\n")
    handle.send_input("rest")
    handle.close_input()
    assert handle.result.stdout == "got it\nrest"

    sleeper = sandbox.run("sleep 600", wait=False, timeout=0)
    sleeper.kill()  # which closes the socket at once
    assert sandbox.reconnect(sleeper.command_id).result.exit_code == 137


def test_asynchronously(server_with_boxes):
    async def flow():
        async with AsyncSandboxClient() as client:
            async with await client.sandbox(timeout=60) as sandbox:
                results = await asyncio.gather(*(sandbox.run(f"sleep 0.2; echo {i}") for i in range(5)))
                assert [it.stdout for it in results] == [f"{i}\n" for i in range(5)]
                handle = await sandbox.run("echo a; sleep 0.1; echo b", wait=False)
                assert "".join([chunk.data async for chunk in handle]) == "a\nb\n"

    asyncio.run(flow())
