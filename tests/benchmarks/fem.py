"""Cost of a panel's table: ``python -m tests.benchmarks.fem [triangles …]`` (2000 20000 100000).

Writes the tables of docs/performance.md. Each job runs in a process of its own, so that peak memory is that
of one job. Times are processor seconds with one BLAS thread, the least of several runs where they are short.
``solver`` is the sparse factorisation and Lanczos iteration for 20 modes alone, ``table`` everything from
mesh to table, its own solver included, ``modes`` everything from mesh to modes.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

from flexnet.fem import (
    Body,
    Clamped,
    Material,
    Reduction,
    ShellSection,
    assemble,
    build_table,
    natural_modes,
    panel_body,
    supported,
)
from flexnet.fem.factor import factorise
from flexnet.fem.modes import lowest_modes
from tests.benchmarks.fem_peers import calculix_modes, scikit_fem_assembly
from tests.benchmarks.table import table

SIZES = (2000, 20000, 100000)
CALCULIX_LIMIT = {"S3": 30000, "S6": 5000}  # triangles; beyond, it takes many minutes
MODES = 20
THICKNESS = 0.003
T = TypeVar("T")


def timed(job: Callable[[], T], repeat: int = 1) -> tuple[float, T]:
    """Return processor seconds, the least of some runs, and the result."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        result = job()
        times.append(time.process_time() - start)
    return min(times), result


def panel(triangles: int) -> Body:
    n = 2 * round((triangles / 8) ** 0.5)
    section = ShellSection.uniform(THICKNESS, Material(E=2.1e11, nu=0.3, rho=7800.0))
    return panel_body((2.0, 2.0), (n, n), section)


def measure(triangles: int, job: str) -> dict[str, Any]:
    """Return the numbers of one job."""
    build_table(panel(32), Reduction(Clamped("left"), 2))  # compile
    body = panel(triangles)
    repeat = 10 if triangles < 5000 else (3 if triangles < 50000 else 1)
    numbers: dict[str, Any] = {"triangles": len(body.mesh.triangles), "freedoms": 6 * len(body.mesh.nodes)}
    match job:
        case "table":
            numbers["table"], _ = timed(lambda: build_table(body, Reduction(Clamped("left"), MODES)))
        case "solver":
            numbers |= solver_seconds(body)
        case "turns":
            # short jobs in turns, so that both meet the same moods of the machine
            rounds = [
                solver_seconds(body)
                | {"table": timed(lambda: build_table(body, Reduction(Clamped("left"), MODES)))[0]}
                for _ in range(repeat)
            ]
            numbers |= {name: min(r[name] for r in rounds) for name in rounds[0]}
        case "assembly":
            numbers["assembly"], _ = timed(lambda: assemble(body), repeat)
            numbers["scikit"] = scikit_fem_assembly(body.mesh, repeat)
        case "modes":
            numbers["modes"], found = timed(
                lambda: natural_modes(supported(body, Clamped("left")), MODES), repeat
            )
            numbers["frequency"] = float(found.frequency[0])
            for kind, limit in CALCULIX_LIMIT.items():
                if triangles < limit:
                    numbers[kind] = calculix_modes(body.mesh, THICKNESS, kind, MODES)
    numbers["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return numbers


def solver_seconds(body: Body) -> dict[str, float]:
    s = supported(body, Clamped("left"))
    factorisation, factor = timed(lambda: factorise(s.K))
    lanczos, _ = timed(lambda: lowest_modes(s.K, s.M, MODES + 1, factor=factor))
    return {"factor": factorisation, "lanczos": lanczos}


def in_own_process(triangles: int, job: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.benchmarks.fem", "--job", job, str(triangles)]
    alone = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=os.environ | alone)
    return json.loads(done.stdout)


def main(sizes: list[int]) -> None:
    """Run every size in its own processes and print the tables."""
    is_whole = sizes == list(SIZES)
    with table("tables", is_whole=is_whole) as say:
        say("| triangles | factorisation [s] | Lanczos [s] | table [s] | ratio | memory of both [GB] |")
        say("|---" * 6 + "|")
        for size in sizes:
            say(table_row(in_own_process(size, "solver"), in_own_process(size, "table"), size))
    with table("assembly", is_whole=is_whole) as say:
        say("| triangles | flexnet, stiffness and mass [s] | scikit-fem [s] | scikit-fem / flexnet |")
        say("|---" * 4 + "|")
        for size in sizes:
            say(assembly_row(in_own_process(size, "assembly")))
    with table("modes", is_whole=is_whole) as say:
        say("| triangles | flexnet, mesh to modes [s], f1 [Hz] | CalculiX S3 [s], f1 | CalculiX S6 [s], f1 |")
        say("|---" * 4 + "|")
        for size in sizes:
            say(modes_row(in_own_process(size, "modes")))


def table_row(solver: dict[str, Any], made: dict[str, Any], size: int) -> str:
    both = solver | {"table": made["table"]} if size > 50000 else in_own_process(size, "turns")
    ratio = both["table"] / (both["factor"] + both["lanczos"])
    times = f"{both['factor']:.3f} | {both['lanczos']:.3f} | {both['table']:.3f} | {ratio:.2f}"
    return f"| {made['triangles']} | {times} | {solver['memory']:.2f}, {made['memory']:.2f} |"


def assembly_row(numbers: dict[str, Any]) -> str:
    other = numbers["scikit"]
    beside = "not installed | " if other is None else f"{other:.3f} | {other / numbers['assembly']:.1f}"
    return f"| {numbers['triangles']} | {numbers['assembly']:.3f} | {beside} |"


def modes_row(numbers: dict[str, Any]) -> str:
    cells = []
    for kind in ("S3", "S6"):
        if kind not in numbers:
            cells.append("not run")
        elif numbers[kind] is None:
            cells.append("not installed: the program ccx of CalculiX is not on the path")
        else:
            seconds, clock, frequency = numbers[kind]
            cells.append(f"{seconds:.2f} (clock {clock:.2f}), {frequency:.4f}")
    ours = f"{numbers['modes']:.2f}, {numbers['frequency']:.4f}"
    return f"| {numbers['triangles']} | {ours} | {' | '.join(cells)} |"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--job"]:
        sys.stdout.write(json.dumps(measure(int(sys.argv[3]), sys.argv[2])))
    else:
        main([int(word) for word in sys.argv[1:]] or list(SIZES))
