"""Studies: every variant equals its single run, nothing is lost, what is wrong is said in one sentence."""

import logging
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sympy
import xarray as xr

import flexnet as fx
from flexnet.formulation.model_hash import model_hash
from flexnet.studies import dataset, execution
from flexnet.studies.execution import Processes
from flexnet.studies.job import Job, structure_of
from flexnet.studies.outputs import Output
from flexnet.studies.parcel import packed, send
from flexnet.studies.plan import make_plan
from flexnet.studies.source import read_source

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from pendulum import MARKER, always_deadly, build, deadly  # noqa: E402  (found on the path set above)

RUN = {"end": 0.2, "step": 0.01}
LENGTHS = {"length": [0.5, 1.0, 1.25, 2.0]}


def last_angle(run: fx.Run) -> float:
    return float(run.channel("angle")[-1])


@pytest.fixture
def data() -> xr.Dataset:
    return fx.study(build, {"length": [0.5, 1.0], "mass": [1.0, 2.0, 3.0]}, ["angle", "peak:angle"], **RUN)


def test_each_variant_equals_its_single_run_bit_for_bit(data: xr.Dataset) -> None:
    for k in range(6):
        one = data.isel(variant=k)
        run = fx.simulate(build(float(one.length), float(one.mass)), 0.2, 0.01)
        assert np.array_equal(one.angle, run.channel("angle"))
        assert np.array_equal(data.time, run.t)
        assert one.peak_angle == np.abs(run.channel("angle")).max()


def test_a_dataset_has_parameters_as_coordinates_and_units_as_attributes(data: xr.Dataset) -> None:
    assert data.length.values.tolist() == [0.5, 0.5, 0.5, 1.0, 1.0, 1.0]
    assert data.sizes == {"variant": 6, "time": 21}
    assert [data[k].attrs["units"] for k in ("length", "mass", "angle", "peak_angle", "time")] == [
        "m", "kg", "deg", "deg", "s",
    ]  # fmt: skip
    assert data.length.attrs["long_name"] == "of the rod, m."
    assert (data.failure == "").all()


def test_units_of_parameters_are_found_before_a_second_sentence() -> None:
    assert read_source(build, None).described("damping")[1] == "N m s/rad"


def test_outputs_are_what_they_say() -> None:
    words = ["max", "min", "final", "mean", "rms", "time_of_peak"]
    wanted = {word: f"{word}:angle" for word in words} | {
        "again": last_angle,
        "both": lambda run: run.t[[0, -1]],
    }
    one = fx.study(build, {"length": [1.5]}, wanted, **RUN).isel(variant=0)
    run = fx.simulate(build(1.5), 0.2, 0.01)
    t, x = run.t, run.channel("angle")
    assert [float(one[word]) for word in words] == [
        x.max(), x.min(), x[-1], np.trapezoid(x, t) / 0.2, np.sqrt(np.trapezoid(x * x, t) / 0.2),
        t[np.abs(x).argmax()],
    ]  # fmt: skip
    assert one.again == x[-1]
    assert one.both.values.tolist() == [0.0, t[-1]]


@pytest.mark.filterwarnings("ignore:pendulum. linearised where it is not in balance")
def test_frequencies_need_no_run_and_are_those_of_the_linearisation() -> None:
    data = fx.study(build, {"length": [0.5, 2.0]}, ["frequencies:2"])
    for k, length in enumerate((0.5, 2.0)):
        mode = fx.linearise(fx.formulate(build(length))).modes[0]
        assert data.frequencies[k, 0] == mode.frequency > 0
        assert np.isnan(data.frequencies[k, 1])
    assert data.frequencies.attrs["units"] == "Hz"


def dropped(height: float = 0.05, named: str = "floor") -> fx.System:
    """A ball that falls on a floor that throws it back with half its speed."""
    s = fx.System("ball", planar=True)
    s.gravity([0.0, -9.81])
    ball = s.rigid_body("ball", 0.5, 2e-4, position=[0.0, height])
    s.floats(ball)
    s.event(named, fx.position(ball, "y"), fx.impact(0.5), "falling")
    s.channel("height", fx.position(ball, "y"), "m")
    return s


def test_times_of_events_are_those_of_the_fall_and_nan_where_there_are_fewer() -> None:
    heights = {"height": [0.02, 0.05, 5.0], "named": ["floor", "ceiling"]}
    wanted = {"first": "event:floor", "both": "event:floor:2", "three": "event:floor:3"}
    data = fx.study(dropped, heights, wanted, end=0.14, step=1e-3)
    for k, height in enumerate(heights["height"]):
        one, T = data.isel(variant=2 * k), np.sqrt(2 * height / 9.81)
        # tₙ = T (3 - 4/2ⁿ): of the fall, then of throws of T/2ⁿ up and down
        times = [t if t < 0.14 else np.nan for t in T * (3 - 4 / 2.0 ** np.arange(1, 4))]
        assert one.three.values == pytest.approx(times, rel=1e-9, nan_ok=True)
        assert np.array_equal(one.both, one.three[:2], equal_nan=True)
        assert np.array_equal(one.first, one.three[0], equal_nan=True)
    assert data["first"].attrs["units"] == "s"
    assert "has no event 'floor'; it has ceiling" in str(data.failure[1].values)
    assert data.three.dims != data.both.dims


def test_a_function_with_another_number_in_it_is_another_output() -> None:
    def times(factor: float) -> Output:
        return Output("x", function=lambda run: factor * run.t[-1])

    assert times(2.0).told == times(2.0).told != times(3.0).told
    one, other = (Output("x", function=f).told for f in (lambda run: run.t[-1], lambda run: run.t[-2]))
    assert one != other


def test_a_variant_that_fails_is_a_row_with_its_reason() -> None:
    data = fx.study(build, {"mass": [1.0, -1.0, 2.0]}, ["final:angle"], **RUN)
    assert np.isnan(data.final_angle.values).tolist() == [False, True, False]
    assert "mass" in str(data.failure[1].values)
    assert data.failure.values[[0, 2]].tolist() == ["", ""]


def test_a_build_that_leaves_the_program_is_a_row_and_the_first_variants_may_all_fail() -> None:
    def leaving(length: float = 1.0) -> fx.System:
        if length < 2.0:
            sys.exit(3)
        return build(length)

    data = fx.study(leaving, {"length": "1:2:30"}, ["final:angle"], **RUN)
    assert data.failure.values.tolist() == ["SystemExit: 3"] * 29 + [""]


@pytest.mark.parametrize("name", dataset.OWN)
def test_a_parameter_that_is_called_like_what_every_study_has_is_refused(name: str) -> None:
    with pytest.raises(fx.ModelError, match=f"parameter '{name}' has a name that every study uses"):
        fx.study(lambda **length: build(), {name: [1.0, 2.0]}, ["final:angle"], **RUN)


def test_a_parameter_called_like_a_dimension_keeps_its_name() -> None:
    data = fx.study(lambda mode=1.0: build(mode), {"mode": [1.0, 2.0]}, ["frequencies:1"])
    assert data.mode.values.tolist() == [1.0, 2.0]
    assert data.frequencies.dims == ("variant", "frequencies_0")


def test_an_output_that_some_variant_lacks_is_said_in_its_row() -> None:
    data = fx.study(build, {"named": ["angle", "angel"]}, ["final:angle"], **RUN)
    assert np.isfinite(data.final_angle[0])
    assert "has no channel 'angle'; did you mean 'angel'?" in str(data.failure[1].values)


def test_an_output_of_another_shape_is_said_in_its_row() -> None:
    data = fx.study(
        build,
        {"mass": [1, 2, 1]},
        {"x": lambda run: np.zeros(int(run.equations.system.parameters["mass"]))},
        **RUN,
    )
    assert data.x.shape == (3, 1)
    assert "has the shape (2,); that of the first variant has (1,)" in str(data.failure[1].values)


def test_variants_of_another_structure_are_said_and_those_with_other_numbers_are_not(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO, "flexnet.study"):
        fx.study(build, {"damping": [0.1, 0.2, 0.0, 0.3, 0.0]}, ["final:angle"], **RUN)
    # a damper of zero is no term of its law
    assert [record.message.split(" has")[0] for record in caplog.records] == ["variant 2"]


def steered(kp: float = 20.0, filter: float = 0.01, R: float = 0.5, mass: float = 2.0) -> fx.System:
    """The pendulum with a controller, and a motor with a current; a number of 0 or ±1 would be structure."""
    s = build(mass=mass)
    error = 0.2 - fx.joint_coordinate("O")
    torque = fx.pid(error, kp, 3 * kp, 0.07 * kp, filter=filter, unit="N*m", low=-4.0 * kp, high=5.0 * kp)
    s.torque("hand", joint="O", torque=torque)
    s.motor("motor", "O", 6.0, constant=0.1, resistance=R, inductance=0.1 * R, gear=10.0)
    s.event("upright", fx.joint_coordinate("O") - 0.01 * kp, fx.record())
    return s


@pytest.mark.parametrize(
    "other", [{"kp": 30.0}, {"filter": 0.02}, {"R": 0.7}, {"mass": 3.0}], ids=lambda x: next(iter(x))
)
def test_gains_and_numbers_of_networks_and_events_are_arguments_and_no_structure(
    other: dict[str, float],
) -> None:
    one, two = (fx.formulate(steered(**values)) for values in ({}, other))
    assert structure_of(one) == structure_of(two)
    assert model_hash(one) != model_hash(two)


def guided(height: float = 0.3, points: bool = True) -> fx.System:
    """A bead on a wave, by points or by its formula, and a ball on a bowl of revolution."""
    s = fx.System("guided")
    s.gravity([0, 0, -9.81])
    k = np.linspace(-1.0, 1.0, 9)
    wave = (
        np.column_stack([k, height * np.sin(3 * k)])
        if points
        else height * sympy.sin(3.1 * sympy.Symbol("x"))
    )
    bead, ball = (s.rigid_body(name, 0.5, [0.01] * 3, position=[0.2, 0.1, 0.0]) for name in ("bead", "ball"))
    s.point_on_curve("wave", s.ground, bead, y=0.5 * height, z=wave)
    s.point_on_surface("bowl", s.ground, ball, np.column_stack([k + 1.1, height * k**2]))
    return s


@pytest.mark.parametrize("points", [True, False])
def test_points_and_formulas_of_curves_are_arguments_and_no_structure(points: bool) -> None:
    one, two = (fx.formulate(guided(height, points)) for height in (0.3, 0.35))
    assert structure_of(one) == structure_of(two)
    assert model_hash(one) != model_hash(two)


def rectified(saturation: float = 1e-6, slope: float = 5.3e-3, bend: float = 0.17) -> fx.System:
    """A diode and a resistor of one's own law."""
    s = fx.System("rectified")
    s.voltage_source("V", "a", "ground", fx.harmonic(3.0, 120.0))
    s.diode("D", "a", "b", saturation=saturation)
    s.nonlinear_resistor("N", "b", "c", current=lambda v: slope * v + bend * v**3)
    s.capacitor("C", "c", "ground", 1e-3)
    return s


@pytest.mark.parametrize(
    "other", [{"saturation": 2e-6}, {"slope": 6e-3}, {"bend": 0.2}], ids=lambda x: next(iter(x))
)
def test_numbers_in_laws_of_networks_are_arguments_and_no_structure(other: dict[str, float]) -> None:
    one, two = (fx.formulate(rectified(**values)) for values in ({}, other))
    assert structure_of(one) == structure_of(two)
    assert model_hash(one) != model_hash(two)


WRONG = {
    "parameter": ({"lenght": [1]}, ["angle"], {}, "no parameter 'lenght'; did you mean 'length'"),
    "range": ({"length": "2:1:3"}, ["angle"], {}, "range of 'length' is empty"),
    "channel": ({"length": [1]}, ["angel"], {}, "no channel 'angel'; did you mean 'angle'"),
    "word": ({"length": [1]}, ["peek:angle"], {}, "did you mean 'peak'"),
    "count": ({"length": [1]}, ["frequencies:x"], {}, "needs a number"),
    "event": ({"length": [1]}, ["event:floor"], {}, "has no event 'floor'; it has none"),
    "times": ({"length": [1]}, ["event:floor:x"], {}, "needs a number, as in event:touch:3"),
    "twice": ({"length": [1]}, ["angle", "angle"], {}, "called 'angle'"),
    "its parameter": ({"length": [1]}, {"length": "angle"}, {}, "called 'length'"),
    "our own": ({"length": [1]}, {"failure": "peak:angle"}, {}, "called 'failure'"),
    "no name": ({"length": [1]}, [lambda run: 1.0], {}, "needs one"),
    "fixed": ({"length": [1]}, ["angle"], {"fixed": {"length": 2}}, "varied and set"),
    "option": ({"length": [1]}, ["angle"], {"treee": "joint"}, "no option 'treee'; did you mean 'tree'"),
    "ending": ({"length": [1]}, ["angle"], {"out": "a.csv"}, "ends in .nc or .zarr"),
    "folder": ({"length": [1]}, ["angle"], {"out": "no/a.nc"}, "folder does not exist"),
    "workers": ({"length": [1]}, ["angle"], {"workers": -1}, "workers is -1"),
    "nothing works": ({"mass": [-1, -2]}, ["angle"], {}, "none of 2 variants that were tried can be form"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_with_a_study_is_said_in_one_sentence(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    parameters, outputs, options, said = WRONG[what]
    with pytest.raises(fx.FlexnetError, match=said) as caught:
        fx.study(build, parameters, outputs, **{**RUN, **options})
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_run_without_an_end_is_refused() -> None:
    with pytest.raises(fx.ModelError, match="the study needs end, s"):
        fx.study(build, {"length": [1]})


@pytest.mark.parametrize("library", ["xarray", "h5netcdf", "zarr"])
def test_a_library_that_is_missing_names_the_extra(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(
        fx.FlexnetError, match=rf"{library} is not installed; try: pip install 'flexnet\[study\]'"
    ):
        fx.study(build, {"length": [1]}, ["angle"], **RUN)


# -- files -------------------------------------------------------------------------------------------

FILE = {"parameters": {"length": "0.5:2:8", "named": ["angle"]}, "outputs": ["angle", "peak:angle"], **RUN}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> xr.Dataset:
    with fx.study(build, out=tmp_path_factory.mktemp("whole") / "a.nc", **FILE) as found:
        return found.drop_vars("seconds").load()


@pytest.mark.parametrize("ending", [".nc", ".zarr"])
def test_a_file_written_in_blocks_is_the_study_in_memory(
    ending: str, whole: xr.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dataset, "BLOCK", 3 * 8 * 22)
    with fx.study(build, out=tmp_path / f"a{ending}", **FILE) as found:
        assert found.drop_vars("seconds").load().identical(whole)
    memory = fx.study(build, **FILE).drop_vars("seconds")
    assert memory.identical(whole)
    assert [p.name for p in tmp_path.iterdir()] == [f"a{ending}"]


def stop_after(count: int) -> Iterator[None]:
    """A progress function that is interrupted."""

    def progress(done: int, total: int, failed: int, left: float) -> None:
        assert (total, failed) == (8, 0)
        assert left >= 0
        if done == count:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("count", [1, 4, 7])
def test_a_study_that_was_stopped_goes_on_to_the_same_data(
    count: int, whole: xr.Dataset, tmp_path: Path
) -> None:
    out = tmp_path / "a.nc"
    with pytest.raises(KeyboardInterrupt):
        fx.study(build, out=out, progress=stop_after(count), **FILE)
    journal = tmp_path / "a.nc.journal"
    # a kill in the middle of a row
    cut = random.Random(count).randrange(1, 150)
    journal.write_bytes(journal.read_bytes()[:-cut])
    before = {p: p.read_bytes() for p in tmp_path.iterdir()}
    with pytest.raises(fx.StorageError, match="an unfinished study is there; go on with it"):
        fx.study(build, out=out, **FILE)
    with pytest.raises(fx.StorageError, match=r"cannot be gone on with, step was 0\.01 and is now 0\.02"):
        fx.study(build, out=out, resume=True, **{**FILE, "step": 0.02})
    with pytest.raises(fx.StorageError, match="cannot be gone on with, model was"):
        fx.study(build, out=out, resume=True, fixed={"damping": 0.2}, **FILE)
    assert {p: p.read_bytes() for p in tmp_path.iterdir()} == before
    counted: list[int] = []
    with fx.study(
        build, out=out, resume=True, progress=lambda done, *_: counted.append(done), **FILE
    ) as found:
        assert found.drop_vars("seconds").load().identical(whole)
    assert counted == list(range(count, 9))
    with fx.study(build, out=out, resume=True, **FILE) as found:
        assert found.drop_vars("seconds").load().identical(whole)
    for other, said in (({"outputs": ["angle"]}, "outputs was"), ({"step": 0.02}, "step was 0.01")):
        with pytest.raises(fx.StorageError, match=said):
            fx.study(build, out=out, resume=True, **{**FILE, **other})


EDITED = """
import numpy as np
import flexnet as fx

FACTOR, OFFSETS, STIFFNESS = 1.0, np.array([0.0, 0.5]), {{"low": 3.0, "high": {high}}}


def stiffness(length):
    return STIFFNESS["high" if length > 1.0 else "low"]


def build(length=1.0):
    s = fx.System("pendulum", planar=True)
    bob = s.rigid_body("bob", 1.0, 0.1, frames={{"pivot": [0, length]}}, position=[0, -length])
    s.revolute("O", s.ground, bob["pivot"])
    s.torsional_spring("spring", joint="O", stiffness=stiffness(length))
    s.start("O", angle=0.5)
    s.channel("angle", fx.joint_coordinate("O"), "rad")
    return s


def moved(run):
    return {factor} * FACTOR * run.channel("angle")[-1] + OFFSETS[1]
"""


def edited(folder: Path, high: float = 5.0, factor: float = 1.0, **globals_: object) -> tuple[object, object]:
    """A case file and an output of it, as one who has edited them has them."""
    case = folder / "case.py"
    case.write_text(EDITED.format(high=high, factor=factor))
    output = {"__name__": "edited"}
    exec(compile(case.read_text(), "edited.py", "exec"), output)
    output |= globals_
    return case, {"moved": output["moved"]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"high": 6.0}, "source was function"),
        ({"factor": 2.0}, "outputs was"),
        ({"FACTOR": 2.0}, "outputs was"),
        ({"OFFSETS": np.array([0.0, 0.6])}, "outputs was"),
    ],
)
def test_a_study_whose_model_or_outputs_were_edited_is_not_gone_on_with(
    change: dict[str, object], said: str, tmp_path: Path
) -> None:
    """What concerns later variants alone, and what an output reads but does not hold, is noticed too."""
    out, wanted = tmp_path / "a.nc", {"length": [0.5, 0.7, 1.5]}

    def stop(done: int, total: int, failed: int, left: float) -> None:
        raise KeyboardInterrupt

    case, outputs = edited(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        fx.study(case, wanted, outputs, out=out, progress=stop, **RUN)
    before = (tmp_path / "a.nc.journal").read_bytes()
    case, outputs = edited(tmp_path, **change)
    with pytest.raises(fx.StorageError, match=f"cannot be gone on with, {said}"):
        fx.study(case, wanted, outputs, out=out, resume=True, **RUN)
    assert (tmp_path / "a.nc.journal").read_bytes() == before
    case, outputs = edited(tmp_path, unread=3)
    with fx.study(case, wanted, outputs, out=out, resume=True, **RUN) as found:
        assert (found.failure == "").all()
    case, outputs = edited(tmp_path, **change)
    with pytest.raises(fx.StorageError, match=f"cannot be gone on with, {said}"):
        fx.study(case, wanted, outputs, out=out, resume=True, **RUN)


def test_what_a_function_does_is_told_alike_in_every_process(tmp_path: Path) -> None:
    """Whatever addresses and the order of sets are, and whether the machine code of Python was kept."""
    (tmp_path / "ours.py").write_text(
        "from dataclasses import dataclass\nfrom functools import cache, partial\n"
        "import numpy as np\nimport flexnet as fx\nfrom scipy.interpolate import CubicSpline\n"
        "from flexnet.signals.function_told import function_told\nfrom pendulum import build\n"
        "class Own:\n"
        "    kinds = {'a', 'b', 'c', 'd'}\n"
        "    def __init__(self): self.mine = [self, object()]\n"
        "    @property\n    def x(self): return again()\n"
        "@dataclass\nclass Held:\n    x: object\n"
        "OWN, SPLINE = Own(), CubicSpline([0.0, 1.0, 2.0], [0.0, 1.0, 4.0])\n"
        "STEEL, HELD = fx.Material(E=2.1e11, nu=0.3, rho=7850.0), Held(np.arange(3))\n"
        "RNG, SUM = np.random.default_rng(1), partial(sum, start=1)\n"
        "@cache\ndef again(): return whole\n"
        "def whole(run):\n"
        "    if run in {'x', 'y', 'z', 'w'}: return [OWN.x for _ in SPLINE], STEEL, HELD, RNG, SUM, np.sin\n"
        "    return again(), build, lambda: fx.study\n"
        "print(function_told(whole))\n"
    )
    told = []
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": f"{tmp_path}:{HERE}:{Path.cwd()}"}
        done = subprocess.run(
            [sys.executable, "-c", "import ours"], env=environment, capture_output=True, text=True, check=True
        )
        told.append(done.stdout)
    assert told[0].startswith("function ")
    assert len(set(told)) == 1


KILLED = """
import sys; sys.path.insert(0, {here!r})
import flexnet as fx
from pendulum import build
fx.study(build, {{"length": "0.5:2:400", "named": ["angle"]}}, ["angle", "peak:angle"], end=0.2, step=0.01,
         out={out!r}, resume=True, workers={workers})
"""


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_study_killed_at_random_moments_goes_on_to_the_same_data(workers: int, tmp_path: Path) -> None:
    """SIGKILL, as soon as some rows are there and a random time after; then again; then to the end."""
    out, chance = tmp_path / "a.nc", random.Random(workers)
    journal = out.with_name("a.nc.journal")
    text = KILLED.format(here=str(HERE), out=str(out), workers=workers)
    rows = 0
    for _ in range(4):
        process = subprocess.Popen([sys.executable, "-c", text], start_new_session=True)
        size = journal.stat().st_size if journal.exists() else 0
        while process.poll() is None and (not journal.exists() or journal.stat().st_size <= size):
            time.sleep(0.01)
        time.sleep(chance.uniform(0.0, 0.5))
        assert process.poll() is None, "it was finished before it was killed"
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert journal.stat().st_size > rows
        rows = journal.stat().st_size
    subprocess.run([sys.executable, "-c", text], check=True)
    assert [p.name for p in tmp_path.iterdir()] == ["a.nc"]
    varied = {"length": "0.5:2:400", "named": ["angle"]}
    whole = fx.study(build, varied, ["angle", "peak:angle"], **RUN).drop_vars("seconds")
    with dataset.open_study(out) as found:
        assert found.drop_vars("seconds").load().identical(whole)


def test_a_journal_that_another_study_writes_is_left_to_it(tmp_path: Path) -> None:
    out = tmp_path / "a.nc"

    def progress(*news: float) -> None:
        with pytest.raises(fx.StorageError, match="another run is writing it"):
            fx.study(build, out=out, resume=True, **FILE)

    fx.study(build, out=out, progress=progress, **{**FILE, "parameters": {"length": [1.0]}}).close()


@pytest.mark.parametrize("name", ["a.nc", "a.nc.journal", "a.zarr"])
def test_nothing_foreign_is_replaced(name: str, tmp_path: Path) -> None:
    there = tmp_path / name
    there.write_bytes(b"my thesis")
    with pytest.raises(fx.StorageError):
        fx.study(build, out=tmp_path / name.removesuffix(".journal"), overwrite=True, **FILE)
    assert there.read_bytes() == b"my thesis"
    assert list(tmp_path.iterdir()) == [there]


def test_a_case_file_is_studied_by_its_path() -> None:
    data = fx.study(HERE / "pendulum.py", {"length": [0.5, 1.0]})
    assert data.time[-1] == 0.2
    assert np.array_equal(data.angle[1], fx.simulate(build(), 0.2, 0.01).channel("angle"))


# -- other processes ---------------------------------------------------------------------------------


def job(function: object, outputs: tuple[Output, ...] = (Output("angle", "channel", "angle"),)) -> Job:
    return Job(read_source(function, None), make_plan(LENGTHS), outputs, 0.2, 0.01)


def test_a_process_with_a_thread_is_not_copied() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert "threads" in pool.submit(execution.why_no_copies).result()


@pytest.mark.parametrize("place", ["TASKS", pytest.param("HANDLES", marks=pytest.mark.slow)])
def test_a_system_that_does_not_list_threads_has_workers_of_their_own_and_it_is_said(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(execution, place, tmp_path / "no such place")
    begun = []
    monkeypatch.setattr(execution, "_Copy", lambda job: pytest.fail("it was copied"))
    monkeypatch.setattr(execution, "_Other", lambda parcel: begun.append(parcel) or other(parcel))
    with caplog.at_level(logging.INFO):
        (row,) = Processes(2).rows(job(build), [1])
    assert np.array_equal(row.values["angle"], fx.simulate(build(), 0.2, 0.01).channel("angle"))
    assert len(begun) == 1
    assert "workers begin as processes of their own" in caplog.text
    assert "does not list the threads" in caplog.text


other = execution._Other


@pytest.mark.skipif(bool(execution.why_no_copies()), reason="threads are here, of BLAS or of the tests")
def test_copies_of_this_process_give_its_rows_and_hold_none_of_its_files(tmp_path: Path) -> None:
    def held(run: fx.Run) -> int:
        links = [link.readlink() for link in Path("/proc/self/fd").iterdir() if link.exists()]
        return sum(str(tmp_path) in str(link) for link in links)

    with (tmp_path / "journal").open("w"):
        data = fx.study(build, LENGTHS, {"angle": "angle", "held": held}, workers=2, **RUN)
    assert data.held.values.tolist() == [0.0] * 4
    assert np.array_equal(data.angle, fx.study(build, LENGTHS, ["angle"], **RUN).angle)


@pytest.mark.slow
def test_a_killed_worker_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(MARKER, str(tmp_path / "marker"))
    with caplog.at_level(logging.WARNING):
        rows = {row.index: row for row in Processes(2).rows(job(deadly), range(4))}
    assert "died (signal 9); variant 2 is computed again" in caplog.text
    for index, length in enumerate(LENGTHS["length"]):
        run = fx.simulate(build(length), 0.2, 0.01)
        assert np.array_equal(rows[index].values["angle"], run.channel("angle"))


@pytest.mark.slow
def test_a_variant_that_kills_every_worker_is_a_row_and_the_others_are_found() -> None:
    rows = {row.index: row for row in Processes(1).rows(job(always_deadly), range(4))}
    assert rows[2].reason == "its worker process died 3 times (signal 9)"
    assert [rows[k].reason for k in (0, 1, 3)] == ["", "", ""]


@pytest.mark.slow
@pytest.mark.parametrize("is_always", [False, True])
def test_of_many_variants_at_once_only_the_one_that_kills_is_lost(
    is_always: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(MARKER, str(tmp_path / "marker"))
    monkeypatch.setattr(execution, "BATCH_SECONDS", 10.0)
    many = replace(job(always_deadly if is_always else deadly), plan=make_plan({"length": "0.5:2:61"}))
    with caplog.at_level(logging.WARNING):
        rows = {row.index: row for row in Processes(2).rows(many, range(61))}
    assert "variants from" in caplog.text
    assert sorted(rows) == list(range(61))
    failed = {index: row.reason for index, row in rows.items() if row.reason}
    assert failed == ({30: "its worker process died 3 times (signal 9)"} if is_always else {})
    for index in (29, 31, 60):
        run = fx.simulate(build(many.plan[index]["length"]), 0.2, 0.01)
        assert np.array_equal(rows[index].values["angle"], run.channel("angle"))


@pytest.mark.slow
def test_a_worker_whose_study_was_killed_ends_without_a_word(capfd: pytest.CaptureFixture[str]) -> None:
    worker = execution._Other(packed(job(build)))
    worker.rows.close()
    send(worker.numbers, pickle.dumps([0, 1]))
    worker.numbers.close()
    assert worker.wait() == 0
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_a_study_that_no_worker_understands_is_one_sentence() -> None:
    from flexnet.studies.source import Source

    wrong = Job(Source("case.py", "raise OSError('no such disk')"), make_plan(LENGTHS), (), 0.2, 0.01)
    rows = list(Processes(1).rows(wrong, range(2)))
    assert [row.reason for row in rows] == ["case file 'case.py' fails: OSError: no such disk"] * 2
