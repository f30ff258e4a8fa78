#!/usr/bin/env python3
"""What a tool can see of our rules: layers, await expressions, leftover prints, files that nothing builds, dead links."""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
sources = sorted(p for p in SRC.rglob("*") if p.suffix in (".h", ".cc"))


def await_expressions():
    """g++ 12 destroys a braced aggregate or an owning lambda capture written inside co_await twice."""
    for file in sources:
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if re.search(r"co_await\s+[\w:.>()*-]+\([^;]*\{[^}]*\}", line) or re.search(r"co_await\s+[^;]*\[[&=\w]*\]\s*\(", line):
                yield f"{file}:{number}: a braced list or lambda inside co_await; give it a name first"


def leftover_prints():
    for file in sources:
        if file.parts[-2] in ("cli", "server") or file.name.endswith("_test.cc"):
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if re.search(r"\b(std::cout|std::cerr|printf\(|puts\()", line) and "snprintf" not in line and "fprintf(stderr" not in line:
                if "printf('" in line or 'printf("%' in line and "sqlite3" in line:
                    continue
                yield f"{file}:{number}: a leftover print"


def unbuilt_files():
    for file in sources:
        if file.suffix != ".cc":
            continue
        folder = file.parent
        while folder != SRC.parent and not (folder / "CMakeLists.txt").exists():
            folder = folder.parent
        if str(file.relative_to(folder)) not in (folder / "CMakeLists.txt").read_text():
            yield f"{file}: no CMakeLists.txt builds it"


def repeated_names():
    """Files of a module are compiled together, so a type or constant of one file's own must not recur in another's."""
    seen = {}
    for file in sources:
        if file.suffix != ".cc" or file.name.endswith("_bench.cc"):
            continue
        module = next(folder for folder in file.parents if (folder / "CMakeLists.txt").exists())
        for hidden in re.findall(r"^namespace \{$(.*?)^\}  // namespace$", file.read_text(), re.M | re.S):
            for name in re.findall(r"^(?:struct|class|enum class) (\w+)|^using (\w+) =|^(?:inline |static )?const\w* [^=({;]*?\b(k[A-Z]\w*)", hidden, re.M):
                key = (module, file.name.endswith("_test.cc"), "".join(name))
                if seen.setdefault(key, file) != file:
                    yield f"{file}: {key[2]} is also a name of {seen[key].name}; name it by the idea of its file"


def beast_in_headers():
    for file in sources:
        if file.suffix == ".h" and "boost/beast" in file.read_text():
            yield f"{file}: Beast in a header costs every includer four seconds"


def dead_links():
    for file in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *SRC.rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", file.read_text()):
            if not (file.parent / target).exists():
                yield f"{file}: dead link {target}"


def lost_files():
    """Documents name sources by their paths' ends; a rename must follow there, too."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    if not tracked:
        return  # not a checkout
    for file in [ROOT / "ARCHITECTURE.md", *ROOT.glob("docs/**/*.md")]:
        for name in set(re.findall(r"`((?:[\w.-]+/)*[\w-]+\.(?:cc|h))`", file.read_text())):
            if not any(("/" + path).endswith("/" + name) for path in tracked):
                yield f"{file}: there is no {name}"


def layers():
    run = subprocess.run([sys.executable, ROOT / "tests/tidy/layers.py"], capture_output=True, text=True)
    yield from (line for line in run.stdout.splitlines() if line)


def format():
    """Sources are as clang-format 14 writes them; make format does it."""
    program = shutil.which("clang-format-14")
    if program is None:
        return
    run = subprocess.run([program, "--dry-run", "-Werror", *sources], capture_output=True, text=True)
    yield from sorted({line.split(":")[0] + ": not formatted; run make format" for line in run.stderr.splitlines() if "error:" in line})


passed = failed = 0
for check in (layers, format, await_expressions, leftover_prints, unbuilt_files, repeated_names, beast_in_headers, dead_links, lost_files):
    found = list(check())
    for problem in found:
        print(problem)
    passed, failed = passed + (not found), failed + bool(found)
print(f"{passed} passed, {failed} failed")
sys.exit(bool(failed))
