"""Studies: ten thousand four-bars, one process beside two, a Dask cluster, Exudyn's ParameterVariation.

``python -m tests.benchmarks.studies [variants] [few]`` prints, in wall-clock time: 10 000 variants on all
cores and the memory of a worker; 600, where the start of the workers weighs, and ``few`` (2000) variants in
one process and in all; ``few`` on a local Dask cluster and by Exudyn on as many cores. With the numbers as
they are the table goes to docs/performance.md. On two idle cores about five minutes.
"""

import os
import resource
import sys
import tempfile
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


def on_dask(count: int) -> tuple[float, np.ndarray]:
    """The same on a local cluster that is already there."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=cores(), threads_per_worker=1, dashboard_address=None) as cluster:
        timed(4, dask=cluster.scheduler_address)
        return timed(count, dask=cluster.scheduler_address)


def by_exudyn(count: int) -> tuple[float, np.ndarray]:
    """The same by Exudyn's ParameterVariation on all cores."""
    from exudyn.processing import ParameterVariation

    began = perf_counter()
    _, values = ParameterVariation(
        exudyn_four_bar, {"torque": (LOW, HIGH, count)}, useMultiProcessing=True, numberOfThreads=cores(),
        showProgress=False,
    )  # fmt: skip
    return perf_counter() - began, np.array(values)


def main(variants: int = 10_000, few: int = 2000) -> None:
    """Print the comparison."""
    timed(2, workers=2)  # compiled from here on
    with table("studies", is_whole=(variants, few) == (10_000, 2000)) as say:
        say("| | |\n|---|---|")
        with tempfile.TemporaryDirectory() as folder:
            seconds, _ = timed(variants, workers=0, out=Path(folder) / "four_bars.nc")
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        say(f"| {variants} variants on {cores()} cores | {seconds:.0f} s, {most:.0f} MB a worker at most |")
        for count in (600, few):
            alone, x = timed(count, workers=1)
            both, y = timed(count, workers=0)
            assert np.array_equal(x, y)
            ratio = f"{both:.1f} s, {alone / both:.2f} times as fast"
            say(f"| {count} variants in this process | {alone:.1f} s, {1e3 * alone / count:.1f} ms each |")
            say(f"| {count} variants in {cores()} processes | {ratio} |")
        dask, z = on_dask(few)
        assert np.array_equal(x, z)
        beside = f"{dask:.1f} s, {100 * (dask / both - 1):+.0f} % beside processes"
        say(f"| {few} variants on a local Dask cluster of {cores()} | {beside} |")
        theirs, w = by_exudyn(few)
        ends = f"{theirs / both:.2f} times ours; ends differ by {np.abs(w - x).max():.1e} m"
        say(
            f"| {few} variants by Exudyn's `ParameterVariation` on {cores()} cores | {theirs:.1f} s, {ends} |"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
