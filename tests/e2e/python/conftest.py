"""The real server on a free port with a data folder of its own."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@contextlib.contextmanager
def running_server(*arguments):
    """Yields the server's URL and key; ends it, which must go well, and takes its data away."""
    data = tempfile.mkdtemp(prefix="viv-py-")
    program = os.environ.get("VIV", ROOT / "build/release/viv")
    process = subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0", "--data", data, *arguments],
                               stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    try:
        for line in process.stderr:
            if match := re.search(r"server\.started listen=(\S+)", line):
                break
        else:
            raise RuntimeError("the server did not start")
        # Its log is read on, lest it wait for a full pipe.
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield f"http://{match[1]}", (pathlib.Path(data) / "key").read_text().strip()
    finally:
        process.send_signal(signal.SIGTERM)
        code = process.wait()
        shutil.rmtree(data)
    assert code == 0


@pytest.fixture(scope="module")
def server():
    with running_server("--boxes", "off") as url_and_key:
        yield url_and_key


@pytest.fixture(scope="module")
def server_with_boxes():
    with running_server("--boxes", "on", "--on-exit", "kill") as url_and_key:
        yield url_and_key
