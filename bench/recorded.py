"""The ratios of earlier runs on this machine, printed beside the new ones: what one machine gives is no promise for another.

They are kept in $XDG_STATE_HOME/vivarium/bench.json (~/.local/state by default), by processor and number of cores.
"""
import atexit
import json
import os
import pathlib
import re
import statistics
import time

RATIO = re.compile(r"(\d+\.\d+)x")


def machine():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    model = re.search(r"^model name\s*:\s*(.+)$", text, re.M)
    return f"{model[1] if model else os.uname().machine}, {os.cpu_count()} cores"


class Record:
    def __init__(self):
        state = os.environ.get("XDG_STATE_HOME") or pathlib.Path.home() / ".local/state"
        self.path = pathlib.Path(state) / "vivarium/bench.json"
        self.machine = machine()
        self.seen = {}  # what was measured → its ratios in this run, one per round
        atexit.register(self.write)

    def read(self):
        try:
            found = json.loads(self.path.read_text())
            return found if isinstance(found, dict) else {}
        except (OSError, ValueError):
            return {}

    def beside(self, what, text):
        """`text` with each ratio in it followed by the last one recorded for it, if there is one."""
        earlier = self.read().get(self.machine, {})
        count = 0

        def add(match):
            nonlocal count
            name = f"{what} #{count}" if count else what
            count += 1
            self.seen.setdefault(name, []).append(float(match[1]))
            last = earlier.get(name)
            return match[0] + (f" (last {last['ratio']:.2f}x, {last['date']})" if last else " (first here)")

        return RATIO.sub(add, text)

    def write(self):
        """The medians of this run take the place of the last ones."""
        if not self.seen:
            return
        record = self.read()
        today = time.strftime("%Y-%m-%d")
        known = record.setdefault(self.machine, {})
        for name, values in self.seen.items():
            known[name] = {"ratio": round(statistics.median(values), 3), "date": today}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            fresh = self.path.with_suffix(f".{os.getpid()}.new")
            fresh.write_text(json.dumps(record, indent=1, sort_keys=True))
            fresh.replace(self.path)
        except OSError as error:
            print(f"the ratios were not recorded: {error}")


RECORD = Record()
