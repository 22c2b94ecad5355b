"""Result files as their writer sees them."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sample import LAYOUT, MECHANISM, rows, write_sample

from flexnet.errors import FileFormatError, ResultError
from flexnet.results import ChannelSpec, ResultLayout, Results, ResultWriter

TIMES = np.linspace(0.0, 2.0, 1001)


def test_every_row_appended_is_read_whatever_the_blocks(tmp_path):
    with ResultWriter.create(tmp_path / "a.h5", LAYOUT, block=64) as writer:
        for part in np.split(TIMES, [1, 2, 60, 70, 500, 501]):
            writer.append(rows(part))
        assert writer.rows == len(TIMES)
    results = Results.open(tmp_path / "a.h5")
    for path, expected in rows(TIMES).items():
        np.testing.assert_array_equal(results.read(path), expected, err_msg=path)
    assert set(results.paths()) == set(rows(TIMES))


def test_appended_arrays_may_be_used_again(tmp_path):
    with ResultWriter.create(tmp_path / "a.h5", LAYOUT) as writer:
        block = rows(TIMES[:10])
        writer.append(block)
        for array in block.values():
            array[...] = 0
        writer.append(rows(TIMES[10:20]))
    np.testing.assert_array_equal(Results.open(tmp_path / "a.h5").time, TIMES[:20])


def test_the_file_says_what_made_it(tmp_path):
    path = tmp_path / "a.h5"
    settings = {"name": "hht", "alpha": -0.1}
    with ResultWriter.create(path, LAYOUT, case="bar", mechanism=MECHANISM, settings=settings):
        pass
    attributes = Results.open(path).attributes
    assert attributes["case"] == "bar"
    assert attributes["schema"] == "flexnet-results"
    assert attributes["model_hash"] == MECHANISM.fingerprint()
    assert json.loads(attributes["integrator"]) == settings
    assert attributes["created"].endswith("+00:00")


def test_the_end_of_the_run_is_its_status(tmp_path):
    path = tmp_path / "a.h5"
    write_sample(path)
    assert Results.open(path).status.state == "finished"
    writer = ResultWriter.create(path, LAYOUT)
    writer.append(rows(TIMES[:3]))
    with pytest.raises(ValueError, match="NaN"), writer:
        raise ValueError("NaN at t = 0.1 s")
    assert Results.open(path).status.state == "failed"
    assert Results.open(path).status.message == "NaN at t = 0.1 s"
    assert Results.open(path).rows == 3
    with pytest.raises(KeyboardInterrupt), ResultWriter.create(path, LAYOUT):
        raise KeyboardInterrupt
    assert Results.open(path).status.state == "interrupted"
    with ResultWriter.create(path, LAYOUT) as writer:
        assert Results.open(path).status.state == "running"
        writer.finish("failed", "step too small at t = 0.3 s")
    assert Results.open(path).status.message == "step too small at t = 0.3 s"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"time": None}, "rows lack time"),
        ({"state/q": np.zeros((3, 2))}, r"state/q has shape \(3, 2\), expected \(3, 1\)"),
        ({"frames/B/position": np.zeros((3, 3))}, "'frames/B/position' is not in the layout"),
        ({"time": np.array([0.0, 0.2, 0.1])}, "output times do not increase"),
        ({"time": np.array([0.0, 0.1, np.nan])}, "output times do not increase"),
    ],
)
def test_rows_that_do_not_fit_are_refused_by_name(tmp_path, change, sentence):
    block = {k: v for k, v in {**rows(TIMES[:3]), **change}.items() if v is not None}
    with (
        pytest.raises(ResultError, match=sentence),
        ResultWriter.create(tmp_path / "a.h5", LAYOUT) as writer,
    ):
        writer.append(block)


def test_quantities_without_entries_need_no_column(tmp_path):
    layout = ResultLayout(q=("x",), v=("x",), energies=())
    with ResultWriter.create(tmp_path / "a.h5", layout) as writer:
        zero = np.zeros(1)
        writer.append(
            {
                "time": zero, "state/q": zero[:, None], "state/v": zero[:, None], "state/a": zero[:, None],
                "state/lambda": np.zeros((1, 0)), "constraints/position": zero, "constraints/velocity": zero,
                "solver/step": zero, "solver/iterations": zero,
            }
        )  # fmt: skip
    assert Results.open(tmp_path / "a.h5").state("lambda").shape == (1, 0)


def test_thousands_of_names_are_stored(tmp_path):
    names = tuple(f"coupler.node_{k}.rotation_about_z" for k in range(5000))
    with ResultWriter.create(tmp_path / "a.h5", ResultLayout(q=names, v=names)):
        pass
    assert Results.open(tmp_path / "a.h5").names("state/q") == names


@pytest.mark.parametrize(
    ("layout", "sentence"),
    [
        ({"frames": ("a/b",)}, "frame 'a/b' cannot be stored"),
        ({"joints": ("O", "O")}, "joint 'O' is named twice"),
        ({"channels": (ChannelSpec("x", rate="vx"),)}, "its rate 'vx' is not a channel"),
        ({"q": ("x",), "units": {"q": ()}}, "0 units for 'q', which has 1"),
        ({"q": ("x",), "is_vector_space": True}, "1 coordinates .* 0 velocities"),
    ],
)
def test_a_layout_that_cannot_be_is_refused(layout, sentence):
    with pytest.raises(ResultError, match=sentence):
        ResultLayout(**layout)


def test_a_resumed_run_goes_on_from_its_last_row(tmp_path):
    path = tmp_path / "a.h5"
    with ResultWriter.create(path, LAYOUT, mechanism=MECHANISM) as writer:
        writer.append(rows(TIMES[:500]))
        writer.finish("interrupted")
    last = Results.open(path).row(-1)
    np.testing.assert_array_equal(last["state/q"], rows(TIMES[499:500])["state/q"][0])
    with ResultWriter.resume(path, MECHANISM.fingerprint()) as writer:
        assert writer.last_time == TIMES[499]
        assert Results.open(path).status.state == "running"
        with pytest.raises(ResultError, match="do not increase"):
            writer.append(rows(TIMES[499:]))
        writer.append(rows(TIMES[500:]))
    results = Results.open(path)
    for name, expected in rows(TIMES).items():
        np.testing.assert_array_equal(results.read(name), expected)
    assert results.mechanism().name == "turning bar"


def test_a_changed_model_is_not_resumed(tmp_path):
    path = write_sample(tmp_path / "a.h5")
    with pytest.raises(ResultError, match="cannot be resumed, the model has changed"):
        ResultWriter.resume(path, "0123456789abcdef")
    (tmp_path / "b.h5").write_text("no")
    with pytest.raises(FileFormatError, match=r"b\.h5"):
        ResultWriter.resume(tmp_path / "b.h5", "")


KILLED = """
import sys, time
sys.path.insert(0, {here!r})
import numpy as np
from sample import LAYOUT, MECHANISM, rows
from flexnet.results import ResultWriter
writer = ResultWriter.create({path!r}, LAYOUT, mechanism=MECHANISM, block=50, flush_seconds=0.0)
t = 0
while True:
    writer.append(rows(np.arange(t, t + 20) / 500))
    t += 20
    print(t, flush=True)
"""


def test_a_killed_run_is_readable_and_resumes(tmp_path):
    path = tmp_path / "a.h5"
    code = KILLED.format(here=str(Path(__file__).parent), path=str(path))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    told = int(process.stdout.read().splitlines()[-1])
    process.wait()
    process.stdout.close()
    results = Results.open(path)
    assert results.rows >= told
    assert results.status.state == "running"
    for name, expected in rows(np.arange(results.rows) / 500).items():
        np.testing.assert_array_equal(results.read(name), expected)
    with ResultWriter.resume(path, MECHANISM.fingerprint()) as writer:
        writer.append(rows(np.arange(results.rows, results.rows + 7) / 500))
    assert Results.open(path).rows == results.rows + 7
