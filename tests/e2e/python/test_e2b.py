"""The main flows with the Python SDK of E2B, blocking and asynchronous."""
import asyncio
import hashlib
import os
import time
import urllib.request

import pytest
from e2b import (AsyncSandbox, CommandExitException, FileType, FilesystemEventType, NotFoundException, PtySize, Sandbox,
                 SandboxNotFoundException, SandboxQuery, SandboxState, TimeoutException)

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="boxes need root")


@pytest.fixture(autouse=True)
def environment(server_with_boxes, monkeypatch):
    url, key = server_with_boxes
    monkeypatch.setenv("E2B_API_KEY", key)
    monkeypatch.setenv("E2B_API_URL", url)
    monkeypatch.setenv("E2B_SANDBOX_URL", url)


@pytest.fixture
def sandbox():
    with Sandbox.create(timeout=300) as made:
        yield made


def until(ask):
    for _ in range(1200):
        if answer := ask():
            return answer
        time.sleep(0.05)
    pytest.fail("it did not come true within a minute")


def test_commands(sandbox):
    result = sandbox.commands.run("echo out; echo err >&2")
    assert (result.stdout, result.stderr, result.exit_code) == ("out\n", "err\n", 0)
    with pytest.raises(CommandExitException) as failed:
        sandbox.commands.run("exit 3")
    assert failed.value.exit_code == 3
    assert sandbox.commands.run('echo "$A $PWD $(whoami)"', envs={"A": "b"}, cwd="/tmp", user="root").stdout == "b /tmp root\n"
    with pytest.raises(TimeoutException):
        sandbox.commands.run("sleep 600", timeout=1)


def test_background_commands(sandbox):
    lines = []
    handle = sandbox.commands.run('read line; echo "got $line"', background=True, stdin=True)
    assert any(one.pid == handle.pid for one in sandbox.commands.list())
    sandbox.commands.send_stdin(handle.pid, "it\n")
    assert handle.wait(on_stdout=lines.append).stdout == "got it\n"
    assert "".join(lines) == "got it\n"

    sleeper = sandbox.commands.run("sleep 600", background=True)
    sleeper.disconnect()
    again = sandbox.commands.connect(sleeper.pid)
    assert sandbox.commands.kill(sleeper.pid) is True
    with pytest.raises(CommandExitException):
        again.wait()
    until(lambda: sandbox.commands.kill(sleeper.pid) is False)


def test_terminal(sandbox):
    terminal = sandbox.pty.create(PtySize(rows=24, cols=80))
    sandbox.pty.resize(terminal.pid, PtySize(rows=40, cols=100))
    sandbox.pty.send_stdin(terminal.pid, b"stty size; exit\n")
    text = b""

    def collect(data):
        nonlocal text
        text += data

    terminal.wait(on_pty=collect)
    assert b"40 100" in text


def test_files(sandbox):
    written = sandbox.files.write("notes/a.txt", "hällo\n")
    assert written.path == "/home/user/notes/a.txt"
    assert sandbox.files.read("notes/a.txt") == "hällo\n"
    data = os.urandom(2_000_000)
    sandbox.files.write("data.bin", data)
    assert hashlib.sha256(sandbox.files.read("data.bin", format="bytes")).digest() == hashlib.sha256(data).digest()
    assert b"".join(sandbox.files.read("data.bin", format="stream")) == data
    sandbox.files.write_files([{"path": "many/1", "data": "one"}, {"path": "many/2", "data": b"two"}])
    assert [one.name for one in sandbox.files.list("many")] == ["1", "2"]
    assert sandbox.files.make_dir("fresh") is True
    assert sandbox.files.make_dir("fresh") is False
    assert sandbox.files.get_info("fresh").type == FileType.DIR
    sandbox.files.rename("many/1", "fresh/1")
    assert sandbox.files.exists("many/1") is False
    sandbox.files.remove("fresh")
    assert sandbox.files.exists("fresh") is False
    with pytest.raises(NotFoundException):
        sandbox.files.read("never-was")


def test_signed_links(sandbox):
    sandbox.files.write("linked", "through a link")
    with urllib.request.urlopen(sandbox.download_url("linked", use_signature_expiration=600)) as response:
        assert response.read() == b"through a link"
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(sandbox.download_url("linked", use_signature_expiration=-10))
    assert refused.value.code == 401


def test_watching_by_asking(sandbox):
    sandbox.files.make_dir("watched/inner")
    watch = sandbox.files.watch_dir("watched", recursive=True)
    sandbox.files.write("watched/inner/file", "x")
    events = []

    def created():
        events.extend(watch.get_new_events())
        return any(one.name == "inner/file" and one.type == FilesystemEventType.CREATE for one in events)

    until(created)
    watch.stop()
    with pytest.raises(NotFoundException):
        sandbox.files.watch_dir("no-such")


def test_pause_and_life(sandbox):
    sandbox.files.write("kept", "yes")
    sleeper = sandbox.commands.run("sleep 600", background=True, timeout=0)
    assert sandbox.pause() is True
    assert sandbox.pause() is False
    assert sandbox.is_running() is False
    assert sandbox.get_info().state == SandboxState.PAUSED
    sandbox.connect(timeout=120)
    assert any(one.pid == sleeper.pid for one in sandbox.commands.list())
    assert sandbox.files.read("kept") == "yes"
    sandbox.set_timeout(600)
    left = sandbox.get_info().end_at.timestamp() - time.time()
    assert 580 < left < 610
    assert sandbox.kill() is True
    assert sandbox.kill() is False
    with pytest.raises(SandboxNotFoundException):
        Sandbox.connect(sandbox.sandbox_id)


def test_snapshot_and_fork(sandbox):
    sandbox.files.write("state", "one")
    snapshot = sandbox.create_snapshot()
    sandbox.files.write("state", "two")
    with Sandbox.create(snapshot.snapshot_id) as copy:
        assert copy.files.read("state") == "one"
    assert snapshot.snapshot_id in [one.snapshot_id for one in sandbox.list_snapshots().next_items()]
    assert Sandbox.delete_snapshot(snapshot.snapshot_id) is True
    assert Sandbox.delete_snapshot(snapshot.snapshot_id) is False
    forks = sandbox.fork(count=2)
    try:
        assert [fork.files.read("state") for fork in forks] == ["two", "two"]
    finally:
        for fork in forks:
            fork.kill()


def test_lists():
    made = [Sandbox.create(metadata={"list": "py", "odd key": "a&b=ü"}) for _ in range(3)]
    try:
        pages = Sandbox.list(query=SandboxQuery(metadata={"list": "py", "odd key": "a&b=ü"}), limit=2)
        found = pages.next_items()
        assert pages.has_next
        found += pages.next_items()
        assert [one.sandbox_id for one in found] == [one.sandbox_id for one in reversed(made)]
        assert not pages.has_next
    finally:
        for one in made:
            one.kill()


def test_the_asynchronous_client():
    async def run():
        sandbox = await AsyncSandbox.create(envs={"WORD": "async"})
        try:
            assert (await sandbox.commands.run("echo $WORD")).stdout == "async\n"
            results = await asyncio.gather(*(sandbox.commands.run(f"echo {i}") for i in range(20)))
            assert [one.stdout for one in results] == [f"{i}\n" for i in range(20)]
            events = asyncio.Queue()
            await sandbox.files.make_dir("watched")
            watch = await sandbox.files.watch_dir("watched", on_event=events.put)
            await sandbox.files.write("watched/a", "x")
            assert (await asyncio.wait_for(events.get(), 60)).name == "a"
            await watch.stop()
            seen = []
            handle = await sandbox.commands.run("echo one; sleep 600", background=True, on_stdout=seen.append)
            while not seen:
                await asyncio.sleep(0.05)
            assert await handle.kill() is True
            with pytest.raises(CommandExitException):
                await handle.wait()
            running = asyncio.create_task(sandbox.commands.run("sleep 600"))
            while not await sandbox.commands.list():
                await asyncio.sleep(0.05)
            assert await sandbox.kill() is True
            with pytest.raises(TimeoutException):
                await running
        finally:
            await sandbox.kill()

    asyncio.run(run())
