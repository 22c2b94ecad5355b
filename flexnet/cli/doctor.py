"""``flexnet doctor``: whether everything flexnet needs is here, and how fast this machine is."""

import os
import platform
import re
import sys
import time
from importlib import import_module, metadata
from pathlib import Path

import typer

from flexnet.cli.clean import caches
from flexnet.cli.console import complain, say, show_table

#: panel and place in the list of verbs
PLACE = "Begin", 13

Row = tuple[str, str, str]
_STEPS = 20_000  # of the pendulum that is timed


def doctor() -> None:
    """Say versions, caches and the speed of this machine; exits with 1 if something is missing or too old."""
    rows: list[Row] = [
        ("flexnet", f"{import_module('flexnet').__version__} in {Path(__file__).parents[1]}", "well"),
        ("Python", platform.python_version(), "well" if sys.version_info >= (3, 11) else "3.11 is needed"),
        ("machine", f"{platform.machine()}, {os.cpu_count()} processors, {platform.system()}", "well"),
        *_libraries(),
        _terminal(),
        *_caches(),
    ]
    missing = [name for name, _, verdict in rows if "needed" in verdict]
    if not missing:
        rows += _speed()
    show_table(("what", "found", "verdict"), rows)
    if missing:
        again = f"{sys.executable} -m pip install --upgrade {' '.join(missing)}"
        complain(f"missing or too old: {', '.join(missing)}. Try: {again}")
        raise typer.Exit(1)
    say("all is well", "bold green")


def _libraries() -> list[Row]:
    """Every requirement of the installed package: its version beside the lowest that is supported."""
    found = []
    for text in metadata.requires("flexnet") or ():
        match = re.match(r"([\w.-]+)\s*(?:>=\s*([\d.]+))?[^;]*(?:;.*extra\s*==\s*['\"]([\w-]+)['\"])?", text)
        assert match is not None
        name, lowest, extra = match.groups()
        if extra == "all":  # all the others, which say it themselves
            continue
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            verdict = f'pip install "flexnet[{extra}]" brings it' if extra else "needed"
            found.append((name, "not installed", verdict))
            continue
        is_old = lowest is not None and _numbers(version) < _numbers(lowest)
        found.append((name, version, f"{lowest} is needed" if is_old else "well"))
    return list(dict.fromkeys(found))


def _numbers(version: str) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", version)[:3]]


def _terminal() -> Row:
    encoding = (sys.stdout.encoding or "unknown").lower()
    is_well = encoding.replace("-", "") == "utf8"
    return "terminal", encoding, "well" if is_well else "PYTHONUTF8=1 shows Greek and frames of tables"


def _caches() -> list[Row]:
    from flexnet.cache import folder_of

    root = folder_of("tables").parent
    there = next(place for place in (root, *root.absolute().parents) if place.exists())
    verdict = "well" if os.access(there, os.W_OK) else "not writable: everything is compiled in every process"
    size = sum(file.lstat().st_size for _, _, files in caches() for file in files)
    return [("caches", f"{root}, {size / 1e6:.0f} MB", verdict)]


def _speed() -> list[Row]:
    """A pendulum twice: what the first run has to compile or load, and what the second does in a second."""
    from flexnet.analysis import simulate
    from flexnet.cli.case import build_case
    from flexnet.examples import find

    system = build_case(find("simple_pendulum").path)
    spent = []
    for _ in range(2):
        before = time.process_time()
        simulate(system, _STEPS * 1e-4, 1e-4, interval=0.1)
        spent.append(time.process_time() - before)
    return [
        ("first run", f"{spent[0]:.1f} s of the processor, compiling what was not compiled before", "well"),
        ("speed", f"{_STEPS / spent[1]:,.0f} steps/s of a pendulum", "well"),
    ]
