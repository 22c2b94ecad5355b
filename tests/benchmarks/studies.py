"""Studies: ten thousand four-bars, one process beside two, a Dask cluster, Exudyn's ParameterVariation.

``python -m tests.benchmarks.studies [variants] [few] [rounds] [long]`` prints, in wall-clock time:
``variants`` (10 000) on all cores, and the most memory of this process and of its workers when a tenth, half
and all of them are finished; then, ``rounds`` (5) times in turns, ``few`` (2000) in this process, in as many
as there are cores, in as many studies of their own side by side (what the machine itself gives: cores share
caches, clock and memory), on a local Dask cluster and by Exudyn on as many cores, medians and ratios of a
round with the least and the largest; processor time of a variant in this process and of the study beside its
workers; ``long`` (6000) in processes and on the local cluster, three times in turns, with the processor time
of all that is there, scheduler and client too; and 200, where the start of the workers weighs. With the
numbers as they are the table goes to docs/performance.md. On two idle cores seven to ten minutes. Dask,
Exudyn and the studies side by side are measured in processes of their own: a process that has had their
threads cannot be copied.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from time import perf_counter

# as workers have it: one thread for the matrices of a variant
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

import flexnet as fx
from flexnet.studies.execution import cores
from tests.benchmarks.table import table

END, STEP, RHO = 1.0, 1e-3, 0.6
LOW, HIGH = 50.0, 100.0
# h11, h12, h13, h14 of Léger's benchmark A.1, m
PINS = np.array([[-2.0, 0.0], [-1.0, 0.0], [2 * np.cos(1.82348), 2 * np.sin(1.82348)], [0.0, 0.0]])


def links() -> list[tuple[np.ndarray, float, float]]:
    """Middle, slope [rad] and half length [m] of the three links."""
    out = []
    for a, b in pairwise(PINS):
        d = b - a
        out.append(((a + b) / 2, float(np.arctan2(d[1], d[0])), float(np.linalg.norm(d)) / 2))
    return out


def build(torque: float = 75.0) -> fx.System:
    """The four-bar; torque on its crank, N m."""
    s = fx.System("four_bar", planar=True)
    s.gravity([0.0, -9.81, 0.0])
    bodies = [
        s.rigid_body(
            f"m{k}", 1.0, 1.0, {"a": [-h, 0], "b": [h, 0]}, position=p, rotation=fx.rotation("z", slope)
        )
        for k, (p, slope, h) in enumerate(links())
    ]
    s.revolute("h11", s.ground.frame("A", PINS[0]), bodies[0]["a"])
    s.revolute("h12", bodies[0]["b"], bodies[1]["a"])
    s.revolute("h13", bodies[1]["b"], bodies[2]["a"])
    s.revolute("h14", s.ground, bodies[2]["b"])
    s.torque("drive", bodies[0], [0.0, 0.0, torque])
    s.channel("x", fx.position(bodies[1], "x"), "m")
    return s


def exudyn_four_bar(parameters: dict[str, float]) -> float:
    """The same four-bar in Exudyn: x of the coupler at the end, m. Built anew for every variant, as ours."""
    import exudyn as exu
    import exudyn.itemInterface as eii

    from tests.benchmarks.exudyn_model import Options, solve

    container = exu.SystemContainer()
    mbs = container.AddSystem()
    ground = mbs.AddObject(eii.ObjectGround())

    def point(body: int, place: tuple[float, float]) -> int:
        return mbs.AddMarker(eii.MarkerBodyPosition(bodyNumber=body, localPosition=[*place, 0.0]))

    bodies = []
    for p, slope, _ in links():
        node = mbs.AddNode(eii.NodeRigidBody2D(referenceCoordinates=[*p, slope]))
        bodies.append(mbs.AddObject(eii.ObjectRigidBody2D(mass=1.0, inertia=1.0, nodeNumber=node)))
        load = mbs.AddMarker(eii.MarkerBodyPosition(bodyNumber=bodies[-1]))
        mbs.AddLoad(eii.LoadForceVector(markerNumber=load, loadVector=[0, -9.81, 0]))
    half = [h for *_, h in links()]
    pairs = [
        (point(ground, tuple(PINS[0])), point(bodies[0], (-half[0], 0.0))),
        (point(bodies[0], (half[0], 0.0)), point(bodies[1], (-half[1], 0.0))),
        (point(bodies[1], (half[1], 0.0)), point(bodies[2], (-half[2], 0.0))),
        (point(ground, tuple(PINS[3])), point(bodies[2], (half[2], 0.0))),
    ]
    for pair in pairs:
        mbs.AddObject(eii.ObjectJointRevolute2D(markerNumbers=list(pair)))
    crank = mbs.AddMarker(eii.MarkerBodyRigid(bodyNumber=bodies[0]))
    mbs.AddLoad(eii.LoadTorqueVector(markerNumber=crank, loadVector=[0, 0, parameters["torque"]]))
    mbs.Assemble()
    solve(mbs, END, STEP, RHO, Options("EXUdense", True))
    return float(mbs.GetObjectOutputBody(bodies[1], exu.OutputVariableType.Position, [0, 0, 0])[0])


def timed(count: int, **options: object) -> tuple[float, np.ndarray]:
    """Seconds of a study, and x at the end of every variant."""
    began = perf_counter()
    data = fx.study(
        build, {"torque": f"{LOW}:{HIGH}:{count}"}, ["final:x"], END, STEP, method=fx.generalised_alpha(RHO),
        interval=END, **options,
    )  # fmt: skip
    seconds = perf_counter() - began
    assert not data.failure.values.any()
    return seconds, data.final_x.values


def by_exudyn(count: int) -> tuple[float, np.ndarray]:
    """The same by Exudyn's ParameterVariation on all cores."""
    from exudyn.processing import ParameterVariation

    began = perf_counter()
    _, values = ParameterVariation(
        exudyn_four_bar, {"torque": (LOW, HIGH, count)}, useMultiProcessing=True, numberOfThreads=cores(),
        showProgress=False,
    )  # fmt: skip
    return perf_counter() - began, np.array(values)


def on_dask(count: int) -> tuple[float, np.ndarray, float]:
    """The same on a local cluster that is already there; and the processor time of all its processes, s."""
    import psutil
    from distributed import LocalCluster

    def everyone() -> float:
        this = psutil.Process()
        return sum(sum(one.cpu_times()[:2]) for one in (this, *this.children(recursive=True)))

    with LocalCluster(n_workers=cores(), threads_per_worker=1, dashboard_address=None) as cluster:
        timed(2 * cores(), dask=cluster.scheduler_address)  # which compiles, or finds what is compiled
        before = everyone()
        seconds, values = timed(count, dask=cluster.scheduler_address)
        return seconds, values, everyone() - before


APART = {"dask": on_dask, "exudyn": by_exudyn}


def side_by_side(count: int) -> float:
    """Seconds of as many studies of one process as there are cores, all variants shared among them."""
    command = [sys.executable, "-m", "tests.benchmarks.studies", "share", str(count // cores())]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    running = [subprocess.Popen(command, **pipes) for _ in range(cores())]
    for one in running:
        assert one.stdout.readline() == "ready\n"
    for one in running:  # all at once, when all have imported and compiled
        one.stdin.write("go\n")
        one.stdin.flush()
    return max(float(one.communicate()[0]) for one in running)


def share(count: int) -> None:
    """One of these studies."""
    timed(2)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    sys.stdout.write(f"{timed(count)[0]}\n")


def processor(who: int) -> float:
    """Processor time of this process or of those it has ended, s."""
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def apart(what: str, count: int) -> tuple[float, np.ndarray, float]:
    """One of them in a process of its own; its processor time is 0 where it does not tell it."""
    command = [sys.executable, "-m", "tests.benchmarks.studies", what, str(count)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    seconds, values, *used = json.loads(told.splitlines()[-1])
    return seconds, np.array(values), sum(used)


def peaks() -> tuple[float, float]:
    """Most memory that this process, and the largest of its workers, have had so far, MB."""
    own, others = 0.0, [0.0]
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            told = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        except OSError:  # it has ended meanwhile
            continue
        if "VmHWM" in told:
            most = int(told["VmHWM"].split()[0]) / 1024
            if int(told["Pid"]) == os.getpid():
                own = most
            elif int(told["PPid"]) == os.getpid():
                others.append(most)
    return own, max(others)


class Memory:
    """Progress of a study that notes the most memory at some parts of it."""

    def __init__(self, count: int) -> None:
        self.at = {max(1, count // 10): "a tenth", max(1, count // 2): "half", count: "all"}
        self.told: dict[str, tuple[float, float]] = {}

    def __call__(self, done: int, total: int, failed: int, left: float) -> None:
        if done in self.at:
            self.told[self.at[done]] = peaks()

    def __str__(self) -> str:
        own, workers = (", ".join(f"{x[k]:.0f} ({part})" for part, x in self.told.items()) for k in range(2))
        return f"{own} in this process, {workers} in a worker"


def spread(values: Sequence[float], form: str) -> str:
    """Median, and the least and the largest."""
    low, middle, high = (format(float(x), form) for x in (min(values), np.median(values), max(values)))
    return f"{middle} ({low} to {high})"


def many(variants: int, say: Callable[[str], None]) -> None:
    """All of them on all cores, to a file."""
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory(variants)
        seconds, _ = timed(variants, workers=0, out=Path(folder) / "four_bars.nc", progress=memory)
    say(f"| {variants} variants on {cores()} cores, to a file | {seconds:.1f} s |")
    say(f"| most memory when parts of them are finished, MB | {memory} |")


def beside(count: int, rounds: int, say: Callable[[str], None]) -> None:
    """Here, on all cores, by Dask and by Exudyn, in turns."""
    took: dict[str, list[float]] = {name: [] for name in ("one", "all", *APART)}
    ceiling, used = [], dict[str, list[float]](here=[], study=[], workers=[])
    for _ in range(rounds):
        own, others = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
        before = processor(own)
        found = {"one": timed(count, workers=1)}
        used["here"].append(processor(own) - before)
        before, below = processor(own), processor(others)
        found["all"] = timed(count, workers=0)
        used["study"].append(processor(own) - before)
        used["workers"].append(processor(others) - below)
        ceiling.append(found["one"][0] / side_by_side(count))
        found |= {name: apart(name, count)[:2] for name in APART}
        for name, (seconds, _) in found.items():
            took[name].append(seconds)
        x = found["one"][1]
        assert np.array_equal(x, found["all"][1])
        assert np.array_equal(x, found["dask"][1])
        gap = np.abs(found["exudyn"][1] - x).max()
    one, both, dask, theirs = (np.array(took[name]) for name in took)
    n, each = cores(), f"{1e3 * np.median(one) / count:.1f} ms each"
    say(f"| {count} variants in this process | {spread(one, '.1f')} s, {each} |")
    say(f"| in {n} processes | {spread(both, '.1f')} s; {spread(one / both, '.2f')} times as fast |")
    most = f"{spread(ceiling, '.2f')} times as fast"
    say(f"| {n} studies of one process side by side: the ceiling of this machine | {most} |")
    each_here, study, workers = (1e3 * np.median(x) / count for x in used.values())
    told = (
        f"{each_here:.2f} in one process; {workers:.2f} in workers and {study:.3f} in the study beside them"
    )
    say(f"| processor time of a variant, ms | {told} |")
    more = spread(100 * (dask / both - 1), "+.0f")
    say(f"| on a local Dask cluster of {n} | {spread(dask, '.1f')} s; {more} % beside processes |")
    ratio = f"{spread(theirs / both, '.2f')} times ours; ends differ by {gap:.1e} m"
    say(f"| by Exudyn's `ParameterVariation` on {n} cores | {spread(theirs, '.1f')} s; {ratio} |")


def long_on_dask(count: int, say: Callable[[str], None]) -> None:
    """A study above ten seconds in processes and on a cluster, three times in turns."""
    took, used = np.zeros((2, 3)), np.zeros((2, 3))
    for k in range(3):
        before = processor(resource.RUSAGE_SELF) + processor(resource.RUSAGE_CHILDREN)
        took[0, k], x = timed(count, workers=0)
        used[0, k] = processor(resource.RUSAGE_SELF) + processor(resource.RUSAGE_CHILDREN) - before
        took[1, k], there, used[1, k] = apart("dask", count)
        assert np.array_equal(x, there)
    both, dask = took
    more = spread(100 * (dask / both - 1), "+.0f")
    say(
        f"| {count} variants in {cores()} processes, and on a local Dask cluster of as many | "
        f"{spread(both, '.1f')} and {spread(dask, '.1f')} s; {more} % |"
    )
    ours, theirs = (1e3 * np.median(x) / count for x in used)
    more = spread(100 * (used[1] / used[0] - 1), "+.0f")
    say(f"| processor time of a variant there, all processes, ms | {ours:.2f} and {theirs:.2f}; {more} % |")


def main(variants: int = 10_000, few: int = 2000, rounds: int = 5, long: int = 6000) -> None:
    """Print the comparison."""
    timed(2, workers=2)  # compiled from here on
    with table("studies", is_whole=(variants, few, rounds, long) == (10_000, 2000, 5, 6000)) as say:
        say(f"| wall-clock time; median (least to largest) of {rounds} rounds in turns | |\n|---|---|")
        many(variants, say)
        beside(few, rounds, say)
        long_on_dask(long, say)
        short = max(few // 10, 2)
        alone, both = (timed(short, workers=w)[0] for w in (1, 0))
        faster = f"{both:.1f} s; {alone / both:.2f} times as fast as in one"
        say(f"| {short} variants in {cores()} processes, once | {faster} |")


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in APART:
        seconds, values, *used = APART[sys.argv[1]](int(sys.argv[2]))
        sys.stdout.write(f"\n{json.dumps([seconds, values.tolist(), *used])}\n")
    elif sys.argv[1:2] == ["share"]:
        share(int(sys.argv[2]))
    else:
        main(*map(int, sys.argv[1:]))
