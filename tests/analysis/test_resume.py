"""A run that is killed leaves a readable file, and goes on to the same end, bit for bit."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import catalogue
import numpy as np
import pytest
from pendulums import pendulum

import flexnet as fx
from flexnet.errors import FileFormatError, ResultError, StorageError
from flexnet.integrators import METHODS

ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
import catalogue, flexnet as fx
fx.simulate(catalogue.build("squeezer"), {end}, 1e-6, interval=1e-5, out={path!r}, block=16, {more})
"""


def kill_when(path: Path, rows: int, end: float, more: str = "") -> None:
    """Run the squeezer in a process of its own and kill it when its file has so many rows."""
    code = SCRIPT.format(tests=str(ROOT / "tests"), end=end, path=str(path), more=more)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-c", code], env=environment)
    try:
        limit = time.monotonic() + 100
        while time.monotonic() < limit:
            assert process.poll() is None, "the run ended before it could be killed"
            if rows_of(path) >= rows:
                break
            time.sleep(0.005)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def rows_of(path: Path) -> int:
    """Rows of a file that another process is writing; it may be read while it grows."""
    try:
        return fx.Results.open(path).rows
    except fx.FlexnetError:
        return 0


def go_on(path: Path, **more: object) -> fx.Run:
    return fx.simulate(
        catalogue.build("squeezer"), 0.02, 1e-6, interval=1e-5, out=path, block=16, resume=True, **more
    )


@pytest.mark.slow
def test_a_killed_run_is_readable_and_resumes_to_the_same_bits(tmp_path):
    path, whole = tmp_path / "killed.h5", tmp_path / "whole.h5"
    kill_when(path, 65, end=0.02)
    left = fx.Results.open(path)
    assert left.status.state == "running"
    assert 65 <= left.rows < 2001
    run = go_on(path)
    assert run.status.is_done
    assert fx.Results.open(path).status.state == "finished"
    expected = fx.simulate(catalogue.build("squeezer"), 0.02, 1e-6, interval=1e-5, out=whole, block=16)
    for column in ("time", "state/q", "state/v", "state/a", "state/lambda", "energy/work", "channels/beta"):
        np.testing.assert_array_equal(run[column], expected[column], err_msg=column)


def test_an_adaptive_run_resumes_too(tmp_path):
    path = tmp_path / "adaptive.h5"
    with pytest.raises(KeyboardInterrupt):
        fx.simulate(pendulum(), 5.0, 1e-3, tolerance=1e-6, out=path, block=16, progress=stop_at(100))
    assert fx.Results.open(path).status.state == "interrupted"
    run = fx.simulate(pendulum(), 5.0, 1e-3, tolerance=1e-6, out=path, block=16, resume=True)
    whole = fx.simulate(pendulum(), 5.0, 1e-3, tolerance=1e-6, block=16)
    np.testing.assert_array_equal(run["state/q"], whole["state/q"])


def stop_at(rows: int):
    """A progress that presses Ctrl-C after so many rows."""

    def progress(status: fx.Status, done: int, total: int, balance: float) -> None:
        if done >= rows:
            raise KeyboardInterrupt

    return progress


def test_angles_stay_continuous_over_a_stop(tmp_path):
    spin = {"angle": 0.0, "rate": 40.0}
    path = tmp_path / "spin.h5"
    with pytest.raises(KeyboardInterrupt):
        fx.simulate(pendulum(**spin), 1.0, 1e-3, tree="absolute", out=path, block=64, progress=stop_at(256))
    run = fx.simulate(pendulum(**spin), 1.0, 1e-3, tree="absolute", out=path, block=64, resume=True)
    assert np.abs(np.diff(run.channel("angle"))).max() < 0.1
    assert run.channel("angle")[-1] > 6 * np.pi


def test_a_finished_run_can_be_made_longer(tmp_path):
    path = tmp_path / "longer.h5"
    fx.simulate(pendulum(), 0.256, 1e-3, out=path)
    run = fx.simulate(pendulum(), 0.5, 1e-3, out=path, resume=True)
    np.testing.assert_array_equal(run["state/q"], fx.simulate(pendulum(), 0.5, 1e-3)["state/q"])


@pytest.mark.sweep(3)
@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
@pytest.mark.parametrize("method", [m for m in METHODS if METHODS[m]().traits.is_fixed])
def test_a_run_that_ended_between_two_rows_goes_on_as_if_it_had_not(method, engine, tmp_path):
    """Its last row, which no other end has, is taken back; ends in between are met, earlier ones kept."""
    path, way = tmp_path / "longer.h5", {"method": METHODS[method](), "engine": engine}
    for end in (0.2573, 0.25735, 0.2639, 0.5004):
        run = fx.simulate(pendulum(), end, 1e-3, out=path, resume=True, **way)
        whole = fx.simulate(pendulum(), end, 1e-3, **way)
        assert run.t[-1] == end
        for column in ("time", "state/q", "state/v", "state/a", "energy/work"):
            np.testing.assert_array_equal(run[column], whole[column])
    earlier = fx.simulate(pendulum(), 0.4, 1e-3, out=path, resume=True, **way)
    np.testing.assert_array_equal(earlier["state/q"], whole["state/q"])


def test_resuming_a_finished_run_changes_nothing(tmp_path):
    path = tmp_path / "done.h5"
    first = fx.simulate(pendulum(), 0.1, 1e-3, out=path)["state/q"]
    run = fx.simulate(pendulum(), 0.1, 1e-3, out=path, resume=True)
    assert run.status.is_done
    assert run.status.t == pytest.approx(0.1)
    np.testing.assert_array_equal(run["state/q"], first)


def test_a_resume_without_a_file_starts_a_new_run(tmp_path):
    assert fx.simulate(pendulum(), 0.1, 1e-3, out=tmp_path / "new.h5", resume=True).status.is_done


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"system": pendulum(length=1.1)}, "the model has changed"),
        ({"system": pendulum(angle=0.4)}, "the model has changed"),
        ({"tree": "absolute"}, "the model has changed"),
        ({"step": 2e-3}, r"step was 0\.001 and is now 0\.002"),
        ({"method": fx.generalised_alpha(0.8)}, "name was hht and is now generalised_alpha"),
        ({"method": fx.hht(-0.2)}, r"alpha was -0\.1 and is now -0\.2"),
        ({"tolerance": 1e-6}, "tolerance was not set and is now 1e-06"),
        ({"interval": 2e-3}, r"interval was not set and is now 0\.002"),
    ],
)
def test_a_resume_with_something_changed_is_an_error_that_names_it(tmp_path, changed, message):
    path = tmp_path / "old.h5"
    fx.simulate(pendulum(), 0.1, 1e-3, out=path)
    before = path.read_bytes()
    given = {"system": pendulum(), "end": 0.1, "step": 1e-3, **changed}
    with pytest.raises(ResultError, match=f"cannot be resumed, .*{message}"):
        fx.simulate(**given, out=path, resume=True)
    assert path.read_bytes() == before


def watched(name: str = "bob", node: str = "a", gain: float = 1.0, **options: str) -> fx.System:
    """A pendulum beside a circuit, of which something is recorded."""
    s = fx.System("watched", planar=True)
    s.gravity([0, -9.81])
    body = s.rigid_body(name, 1.0, 0.1, frames={"pivot": [0.0, 1.0]})
    s.revolute("O", s.ground, body["pivot"])
    s.start("O", angle=0.5)
    s.voltage_source("U", "u", s.ground, 1.0)
    s.resistor(f"R{node}", "u", node, 1.0)
    s.capacitor("C", node, s.ground, 1.0)
    if options:
        place = fx.position(body, along=options["along"])
        s.channel("x", fx.function(lambda x: gain * x, place, unit="m"), unit=options.get("unit", ""))
    return s


OTHERS = {
    "another direction": {"along": "y"},
    "another unit": {"along": "x", "unit": "mm"},
    "another number in a function": {"along": "x", "gain": 2.0},
    "nothing": {},
    "a body of another name": {"along": "x", "name": "bab"},
    "an element of another name": {"along": "x", "node": "b"},
}


@pytest.mark.parametrize("what", OTHERS)
def test_a_resume_that_would_record_something_else_is_refused_before_the_file_is_touched(tmp_path, what):
    """Rows of one stood behind rows of the other, or the file was cut to its first row and refused."""
    path = tmp_path / "old.h5"
    fx.simulate(watched(along="x"), 0.01, 1e-3, out=path)
    before = path.read_bytes()
    with pytest.raises(ResultError, match="cannot be resumed, "):
        fx.simulate(watched(**OTHERS[what]), 0.02, 1e-3, out=path, resume=True)
    assert path.read_bytes() == before
    run = fx.simulate(watched(along="x"), 0.02, 1e-3, out=path, resume=True)
    np.testing.assert_array_equal(run.channel("x"), fx.simulate(watched(along="x"), 0.02, 1e-3).channel("x"))


def test_a_file_that_is_no_result_is_an_error(tmp_path):
    path = tmp_path / "poem.h5"
    path.write_text("Roses are red")
    with pytest.raises(FileFormatError, match=r"poem\.h5"):
        fx.simulate(pendulum(), 0.1, 1e-3, out=path, resume=True)
    assert path.read_text() == "Roses are red"


def test_a_path_that_cannot_be_written_is_an_error(tmp_path):
    with pytest.raises(StorageError, match="cannot be written"):
        fx.simulate(pendulum(), 0.1, 1e-3, out=tmp_path / "missing" / "a.h5")
    with pytest.raises(StorageError, match="it is a folder"):
        fx.simulate(pendulum(), 0.1, 1e-3, out=tmp_path)


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="this system has no limit on the size of files")
def test_a_full_disk_keeps_what_was_written(tmp_path):
    """A limit on the size of files stands for the full disk."""
    path = tmp_path / "full.h5"
    code = f"""
import resource, signal, sys
sys.path.insert(0, {str(ROOT / "tests" / "analysis")!r})
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))
import flexnet as fx
from pendulums import pendulum
try:
    fx.simulate(pendulum(), 20.0, 1e-3, out={str(path)!r})
except fx.StorageError as error:
    sys.exit(str(error))
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    made = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert made.returncode == 1, made.stderr
    assert "cannot be written" in made.stderr
    assert fx.Results.open(path).rows > 100


def test_a_file_of_another_version_that_remembers_less_is_refused_in_words(tmp_path, monkeypatch):
    path = tmp_path / "old.h5"
    fx.simulate(pendulum(), 0.512, 1e-3, out=path)
    last, memory = fx.Results.open(path).memory()
    assert last
    shorter = {**memory, "clock": memory["clock"][:-2]}
    monkeypatch.setattr(fx.Results, "memory", lambda self: (last, shorter))
    with pytest.raises(ResultError, match="another version of flexnet wrote it: 'clock' of its memory has"):
        fx.simulate(pendulum(), 1.0, 1e-3, out=path, resume=True)
