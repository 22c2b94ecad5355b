"""Cost of a panel's table: ``python -m tests.benchmarks.fem [triangles …]`` (2000 20000 100000).

Each size runs in a process of its own, so that peak memory is that of one job. ``solver`` is the sparse
factorisation and Lanczos iteration for 20 modes alone, ``table`` everything from mesh to table, its own
solver included; times are processor seconds with one BLAS thread, the least of several runs for the small
size.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import TypeVar

from flexnet.fem import (
    Body,
    Clamped,
    Material,
    Reduction,
    ShellSection,
    assemble,
    build_table,
    panel_body,
    supported,
)
from flexnet.fem.factor import factorise
from flexnet.fem.modes import lowest_modes

SIZES = (2000, 20000, 100000)
MODES = 20
T = TypeVar("T")


def timed(job: Callable[[], T], repeat: int = 1) -> tuple[float, T]:
    """Return processor seconds, the least of some runs, and the result."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        result = job()
        times.append(time.process_time() - start)
    return min(times), result


def say(text: str) -> None:
    sys.stdout.write(text + "\n")


def panel(triangles: int) -> Body:
    n = 2 * round((triangles / 8) ** 0.5)
    return panel_body((2.0, 2.0), (n, n), ShellSection.uniform(0.003, Material(E=2.1e11, nu=0.3, rho=7800.0)))


def measure(triangles: int, job: str) -> str:
    """Return one line of numbers of one job: seconds and peak gigabytes."""
    build_table(panel(32), Reduction(Clamped("left"), 2))  # compile
    body = panel(triangles)
    repeat = 5 if triangles < 5000 else 1
    if job == "table":
        seconds, _ = timed(lambda: build_table(body, Reduction(Clamped("left"), MODES)), repeat)
    else:
        assembly, matrices = timed(lambda: assemble(body), repeat)
        s = supported(body, Clamped("left"), matrices=matrices)
        first, factor = timed(lambda: factorise(s.K), repeat)
        second, _ = timed(lambda: lowest_modes(s.K, s.M, MODES + 1, factor=factor), repeat)
        seconds = first + second
        other = scikit_fem_assembly(body)
        beside = f", scikit-fem {other:.2f} s" if other is not None else ""
        say(f"  assembly {assembly:.2f} s{beside}; factorisation {first:.2f} s, Lanczos {second:.2f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return f"{seconds:.3f} {peak:.3f}"


def scikit_fem_assembly(body: Body) -> float | None:
    """Seconds of scikit-fem for stiffness and mass of a quadratic vector triangle on the same mesh."""
    try:
        import skfem
        from skfem.models.elasticity import lame_parameters, linear_elasticity
    except ImportError:
        return None
    mesh = skfem.MeshTri(body.mesh.nodes[:, :2].T.copy(), body.mesh.triangles.T.copy())
    mass = skfem.BilinearForm(lambda u, v, w: u[0] * v[0] + u[1] * v[1])

    def job() -> None:
        basis = skfem.Basis(mesh, skfem.ElementVector(skfem.ElementTriP2()))
        linear_elasticity(*lame_parameters(2.1e11, 0.3)).assemble(basis)
        mass.assemble(basis)

    return timed(job)[0]


def main(sizes: list[int]) -> None:
    """Run every size in its own processes and print ratios."""
    for size in sizes:
        say(f"{size} triangles")
        numbers = []
        for job in ("solver", "table"):
            command = [sys.executable, "-m", "tests.benchmarks.fem", "--job", job, str(size)]
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
            for line in output[:-1]:
                say(line)
            numbers.append([float(word) for word in output[-1].split()])
        (solver, memory), (table, peak) = numbers
        say(f"  solver {solver:.2f} s, {memory:.2f} GB; table {table:.2f} s, {peak:.2f} GB")
        say(f"  table / solver = {table / solver:.2f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--job"]:
        say(measure(int(sys.argv[3]), sys.argv[2]))
    else:
        main([int(word) for word in sys.argv[1:]] or list(SIZES))
