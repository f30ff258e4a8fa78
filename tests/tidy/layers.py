#!/usr/bin/env python3
"""Fails when a file under src/ includes a module that src/LAYERS does not allow."""
import fnmatch, pathlib, re, sys

SRC = pathlib.Path(__file__).resolve().parents[2] / "src"
rules = dict(line.split(":", 1) for line in (SRC / "LAYERS").read_text().splitlines()
             if ":" in line and not line.startswith("#"))


def module(path):
    parts = pathlib.PurePath(path).parts
    return "/".join(parts[:2]) if parts[0] in ("dialects", "tools") else parts[0]


bad = []
for file in sorted(SRC.rglob("*")):
    if file.suffix not in (".h", ".cc") or file.parent == SRC:
        continue
    own = module(file.relative_to(SRC))
    allowed = next((v.split() for k, v in rules.items() if fnmatch.fnmatch(own, k)), None)
    if allowed is None:
        bad.append(f"{file}: module {own} is not in LAYERS")
        continue
    for number, line in enumerate(file.read_text().splitlines(), 1):
        include = re.match(r'#include "(.+)"', line)
        if include and "*" not in allowed and (target := module(include[1])) not in (own, *allowed):
            bad.append(f"{file}:{number}: {own} may not include {target}")
print("\n".join(bad))
sys.exit(bool(bad))
