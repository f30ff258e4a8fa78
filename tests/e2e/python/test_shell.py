"""`viv shell` in a real terminal."""
import fcntl
import os
import pathlib
import pty
import struct
import termios

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="boxes need root")


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, *command, **environment):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(command[0], command, {**os.environ, **environment})
        self.seen = b""

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        os.write(self.fd, text.encode())

    def read_until(self, text):
        """What came up to and with the text; the test's own limit ends a wait that is in vain."""
        while text.encode() not in self.seen:
            self.seen += os.read(self.fd, 65536)
        at = self.seen.index(text.encode()) + len(text)
        told, self.seen = self.seen[:at], self.seen[at:]
        return told.decode()

    def exit_code(self):
        try:
            while os.read(self.fd, 65536):
                pass
        except OSError:  # how Linux says that nobody has the other end any more
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def test_a_shell_has_a_terminal_its_size_and_its_exit_code(server_with_boxes):
    url, key = server_with_boxes
    program = str(os.environ.get("VIV", ROOT / "build/release/viv"))
    terminal = Terminal(program, "shell", VIV_URL=url, VIV_API_KEY=key)
    terminal.resize(40, 120)
    terminal.read_until("$ ")
    terminal.type("stty size; whoami\r")
    assert "user" in terminal.read_until("user\r\n")
    terminal.resize(50, 90)
    terminal.read_until("$ ")
    # The new size travels on a way of its own.
    terminal.type("until [ \"$(stty size)\" = '50 90' ]; do :; done; echo resi''zed\r")
    terminal.read_until("resized\r\n")
    terminal.type("exit 3\r")
    assert terminal.exit_code() == 3
