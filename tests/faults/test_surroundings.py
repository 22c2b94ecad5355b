"""Names that are no text, a terminal that knows ASCII only, no home: the same answer."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import flexnet as fx
from flexnet.cache import load, save
from flexnet.cli.main import main
from flexnet.results.export import FORMATS, export_channels
from flexnet.store import write_text
from tests.faults.test_kills import dies_at
from tests.faults.test_plain_writing import write_sample

ROOT = Path(__file__).parents[2]
#: a name that is no UTF-8, one that is cut within a letter, one with a line end
NAMES = [os.fsdecode(b"b\xffad"), "ä" * 80, "two\nlines"]


@pytest.mark.parametrize("name", NAMES, ids=["no text", "long", "two lines"])
def test_a_file_may_have_any_name_the_system_takes(name, tmp_path):
    path = write_sample(tmp_path / f"{name}.h5")
    found = fx.Results.open(path)
    for form in FORMATS:
        made = tmp_path / f"{name}.{form}"
        export_channels(found.channel_set(), form, made)
        assert made.read_text(encoding="utf-8", errors="strict")
    lines = (tmp_path / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    assert [line[:1] for line in lines[:2]] == ["#", "t"]
    write_text(tmp_path / f"{name}.txt", f"# {name}\n")
    assert not list(tmp_path.glob("*.part*"))


@pytest.mark.slow
def test_a_terminal_that_knows_ascii_only_is_told_all_the_same(tmp_path):
    """Nor are pages of the package read by the letters of the terminal."""
    environment = {**os.environ, "LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    words = ["graph", str(ROOT / "cases" / "simple_pendulum.py"), "--explain", "--tree", "variable_based"]
    command = [sys.executable, "-m", "flexnet", *words]
    done = subprocess.run(
        command, env={**environment, "PYTHONPATH": str(ROOT)}, capture_output=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    assert b"R-tree" in done.stdout
    assert done.stdout.isascii()


@pytest.mark.parametrize("missing", ["HOME", "TMPDIR"])
def test_what_is_missing_is_done_without(missing, tmp_path, monkeypatch, caplog):
    monkeypatch.delenv("FLEXNET_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv(missing, "/proc/nowhere")
    save("odd", "key", b"kept")
    assert load("odd", "key") == b"kept"
    assert len(caplog.records) <= 1
    assert write_sample(tmp_path / "a.h5").exists()


def test_a_file_nobody_may_read_is_still_written_whole(tmp_path):
    before = os.umask(0o777)
    try:
        path = write_sample(tmp_path / "a.h5")
    finally:
        os.umask(before)
    path.chmod(0o600)
    assert fx.Results.open(path).damage() == ()


def test_a_process_killed_at_any_line_of_the_cache_leaves_it_to_the_others_as_it_was(tmp_path):
    folder, line = tmp_path / "cache", 1
    save("odd", "key", b"before", folder)
    while dies_at(line, "cache.py", lambda: save("odd", "key", b"after" * 100, folder), room=""):
        assert load("odd", "key", folder) in (b"before", b"after" * 100)
        line += 4
    assert line > 10


def test_python_keeps_no_half_of_its_bytecode(monkeypatch, capsys):
    """It keeps what a limit lets it write: whatever imported that page later ended with "Aborted!"."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (50, resource.RLIM_INFINITY))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "argv", ["flexnet", "--version"])
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().out.startswith("flexnet ")
    assert sys.dont_write_bytecode
