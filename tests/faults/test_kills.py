"""A run killed at any moment leaves a readable file, and goes on to the same bits."""

import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import flexnet as fx
from flexnet.integrators import METHODS
from flexnet.results import ChannelSpec, Mechanism, ResultLayout, ResultWriter
from flexnet.store import RecordWriter
from tests import catalogue

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")

#: steps of cases [s], and what is in them that not every method passes: events; states
CASES: dict[str, tuple[float, str]] = {
    "double_pendulum": (1e-3, ""),
    "heavy_top": (1e-3, ""),
    "squeezer": (1e-5, ""),
    "slider_crank_flexible": (2e-6, ""),
    "bouncing_ball": (1.5e-3, "events"),
    "stick_slip": (5e-3, "events"),
    "panel_latch": (5e-3, "events"),
    "motor_four_bar": (1e-4, "states"),
    "gtm_electrical": (1e-4, "states"),
}
IN_TURN = ((0.0, fx.hht()), (0.3, fx.energy_decaying()), (0.61, fx.generalised_alpha(0.8)))
#: cases whose equations are also written out: by one method of every kind
WRITTEN_OUT = ("double_pendulum", "bouncing_ball", "motor_four_bar")
#: what makes a writer
MAKERS = ("create", "reopen")
#: case, method, whether the step is adaptive, engine
Kept = tuple[str, str, bool, str]


def runs() -> Iterator[Kept]:
    """Every method with every case it can run, with a fixed step and by tolerance, in both engines."""
    for case, (_, need) in CASES.items():
        for name, make in METHODS.items():
            traits = make().traits
            for is_adaptive in (False, True):
                if need == "events" and not traits.has_events:
                    continue
                if traits.is_adaptive if is_adaptive else traits.is_fixed:
                    yield case, name, is_adaptive, "numeric"
                    if case in WRITTEN_OUT:
                        yield case, name, is_adaptive, "symbolic"
        if not need:
            yield case, "in turn", False, "numeric"
            yield case, "in turn", True, "numeric"


#: methods of the package: tests enter others as they run
OURS = frozenset(METHODS)
RUNS = list(runs())
random.Random(14).shuffle(RUNS)
SAMPLE = [
    ("double_pendulum", "hht", False, "numeric"),
    ("double_pendulum", "energy_decaying", True, "numeric"),
    ("stick_slip", "generalised_alpha", False, "numeric"),
    ("gtm_electrical", "radau", True, "numeric"),
]


def simulate(run: Kept, path: Path, **more: Any) -> fx.Run:
    case, name, is_adaptive, engine = run
    step, method = CASES[case][0], IN_TURN if name == "in turn" else METHODS[name]()
    how: dict[str, Any] = {"interval": 64 * step, "end": 20 * 64 * step}
    if is_adaptive:
        how = {"interval": 4 * step, "end": 300 * step, "tolerance": 1e-6}
    if isinstance(method, tuple):
        method = [(share * how["end"], scheme) for share, scheme in method]
    return fx.simulate(
        catalogue.build(case), step=step, method=method, engine=engine, out=path, **how, **more
    )


def columns(path: Path) -> dict[str, np.ndarray]:
    found = fx.Results.open(path)
    assert found.status.state == "finished"
    return {name: found.read(name) for name in found.paths()}


class Count:
    """Lines of the store, or of a part of it, that a run goes through; it can die at one of them."""

    def __init__(self, last: float = np.inf, part: str = "", room: str = f"store{os.sep}") -> None:
        self.lines, self.last, self.part = 0, last, f"{os.sep}{room}{part}"

    def __call__(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        if self.part not in f"{frame.f_code.co_filename}:{frame.f_code.co_name}":
            return None
        self.lines += event == "line"
        if self.lines >= self.last:
            os.kill(os.getpid(), signal.SIGKILL)
        return self


@contextmanager
def traced(count: Count) -> Iterator[None]:
    """Count lines while a record is written: to trace all that a run does takes ten times as long."""
    kept = {name: made for name, made in vars(RecordWriter).items() if callable(made) or name in MAKERS}

    def watched(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            before = sys.gettrace()
            sys.settrace(count)
            try:
                return function(*arguments, **named)
            finally:
                sys.settrace(before)

        return call

    for name, made in kept.items():
        is_maker = isinstance(made, classmethod)
        setattr(RecordWriter, name, classmethod(watched(made.__func__)) if is_maker else watched(made))
    try:
        yield
    finally:
        for name, made in kept.items():
            setattr(RecordWriter, name, made)


@cache
def whole(run: Kept, folder: Path) -> tuple[dict[str, np.ndarray], float, int]:
    """What a run finds that is never stopped, how long it takes and how many lines of the store it needs."""
    path, count = folder / f"{abs(hash(run))}.h5", Count()
    simulate(run, path)
    start = time.monotonic()
    simulate(run, path)
    seconds = time.monotonic() - start
    with traced(count):
        simulate(run, path)
    return columns(path), seconds, count.lines


def kill(run: Kept, path: Path, seconds: float, lines: int, chance: random.Random) -> None:
    """Begin a run in a process of its own and kill it: at a moment, or at a line of the store."""
    at_line = chance.random() < 0.5
    child = os.fork()
    if child == 0:
        try:
            with traced(Count(chance.randint(1, lines) if at_line else np.inf)):
                simulate(run, path, block=chance.choice([None, 1, 40]))
        finally:
            os._exit(0)
    if not at_line:
        time.sleep(chance.uniform(0.0, seconds))
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def check(run: Kept, folder: Path, shared: Path, seed: int) -> None:
    expected, seconds, lines = whole(run, shared)
    path, chance = folder / "a.h5", random.Random(seed)
    kill(run, path, seconds, lines, chance)
    if path.exists():
        left = fx.Results.open(path)
        assert left.damage() == ()
        for name in left.paths():
            np.testing.assert_array_equal(left.read(name), expected[name][: left.rows])
    simulate(run, path, resume=True, block=chance.choice([None, 3, 100]))
    found = columns(path)
    assert found.keys() == expected.keys()
    for name, column in found.items():
        if run[1] == "reference":
            np.testing.assert_allclose(column, expected[name], rtol=1e-5, atol=1e-6, err_msg=name)
        else:
            np.testing.assert_array_equal(column, expected[name], err_msg=name)
    assert [p.name for p in folder.iterdir()] == ["a.h5"]


def dies_at(line: int, part: str, work: Callable[[], object], room: str = f"store{os.sep}") -> bool:
    """Do something in a process of its own that is killed at a line of a part; False if there is none."""
    child = os.fork()
    if child == 0:
        try:
            sys.settrace(Count(line, part, room))
            work()
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def every_death(part: str, work: Callable[[], object]) -> Iterator[int]:
    """Do something once for every line of a part of the store it goes through, and die there."""
    line = 1
    while dies_at(line, part, work):
        yield line
        line += 1
    assert line > 10


def small(path: Path) -> ResultWriter:
    """A result file that is being written."""
    layout = ResultLayout(q=("x",), v=("x",), channels=(ChannelSpec("c"),), energies=(), memory={"m": 2})
    writer = ResultWriter.create(path, layout, mechanism=Mechanism("m", ("ground",)), block=2)
    writer.append({c.path: np.arange(1.0, 6.0).reshape(5, *c.shape) for c in layout.columns()})
    return writer


def test_killed_at_any_line_a_run_stands_as_before_or_as_after(tmp_path):
    path = tmp_path / "a.h5"
    found = set()
    for _ in every_death("record_writer.py:set_status", lambda: small(path).finish("failed", "why")):
        if path.exists():
            left = fx.Results.open(path)
            assert left.damage() == ()
            found.add((left.status.state, left.status.message))
            path.unlink()
    assert found == {("running", ""), ("failed", "why")}


@pytest.mark.slow
def test_killed_at_any_line_a_file_leaves_no_second_name_for_the_next(tmp_path):
    path = tmp_path / "a.h5"
    for _ in every_death("draft.py", lambda: small(path)):
        small(path).finish("finished")
        assert [p.name for p in tmp_path.iterdir()] == ["a.h5"]
        path.unlink()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("whole")


@pytest.mark.parametrize(("seed", "run"), list(enumerate(SAMPLE)), ids=str)
def test_a_killed_run_goes_on_to_the_same_bits(run, seed, tmp_path, shared):
    check(run, tmp_path, shared, seed)


def test_a_network_alone_is_the_same_in_a_file_as_in_memory(tmp_path):
    """It has no coordinates: a file has no columns of them, and a run asks for them all the same."""
    system = catalogue.build("gtm_electrical")
    kept, held = fx.simulate(system, 2e-3, 1e-4, out=tmp_path / "a.h5"), fx.simulate(system, 2e-3, 1e-4)
    for key in ("q", "v", "a", "lambda", "z"):
        np.testing.assert_array_equal(kept[f"state/{key}"], held[f"state/{key}"])
    with pytest.raises(fx.ResultError):
        kept["state/x"]


def test_every_method_is_killed() -> None:
    assert {name for _, name, _, _ in RUNS} == {*OURS, "in turn"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(max(200, len(RUNS))))
def test_two_hundred_killed_runs_go_on_to_the_same_bits(seed, tmp_path, shared):
    check(RUNS[seed % len(RUNS)], tmp_path, shared, seed)
