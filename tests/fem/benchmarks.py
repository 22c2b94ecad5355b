"""Problems of the beam and of the tables with known answers, each a function that returns what is quoted."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from flexnet.fem import (
    BeamRegion,
    BeamSection,
    Body,
    Clamped,
    Held,
    Loads,
    Material,
    Reduction,
    ShellRegion,
    ShellSection,
    buckling_modes,
    build_table,
    natural_modes,
    prestress,
    rotating_frequencies,
    solve_static,
    supported,
)
from flexnet.mesh import Mesh, beam_mesh, panel_mesh

STEEL = Material(E=210e9, nu=0.3, rho=7850.0)
SQUARE = BeamSection(A=0.01, Iy=1e-4 / 12, Iz=1e-4 / 12, J=1.406e-5)
THIN = BeamSection(A=1e-6, Iy=1e-13, Iz=1e-13)


@dataclass(frozen=True)
class Benchmark:
    """One problem: ``solve()`` gives the value to compare with ``reference``."""

    name: str
    solve: Callable[[], float]
    reference: float
    tolerance: float
    """Relative error allowed."""
    remark: str = ""


def thick(n: int) -> Body:
    return Body(beam_mesh(1.0, n), [BeamRegion("beam", STEEL, SQUARE)])


def tip_deflection(n: int) -> float:
    u = solve_static(supported(thick(n), Clamped("start")), Loads({"end": [0, 1000, 0, 0, 0, 0]}))
    return float(u[-5])


def bending_frequency(n: int, mode: int, ends: str) -> float:
    held = {
        "CF": Clamped("start"),
        "SS": [Held("start", "x y z rx ry"), Held("end", "y z")],
        "CC": [Clamped("start"), Clamped("end")],
    }[ends]
    plane = [Held(list(range(n + 1)), "z rx ry x")]  # one bending plane
    supports = [*(held if isinstance(held, list) else [held]), *plane]
    return float(natural_modes(supported(thick(n), supports), mode).frequency[mode - 1])


def rotating_beam(sigma: float, eta: float, mode: int) -> float:
    mesh = beam_mesh(1.0, 16).moved(r=(sigma, 0, 0))
    body = Body(mesh, [BeamRegion("beam", STEEL, THIN, shear=False)])
    table = build_table(body, Reduction(Clamped("start"), 16))
    unit = np.sqrt(STEEL.E * THIN.Iy / (STEEL.rho * THIN.A))
    omega = rotating_frequencies(table, (0, 0, eta * unit)) / unit
    return float(omega[2 * mode - 1])  # chord, flap, chord, flap …


def rotating_plate(axis: tuple[float, float, float], rpm: float) -> float:
    a, b = 0.1524, 0.0508
    sheet = ShellSection.uniform(0.00254, Material(E=2e11, nu=0.3, rho=7850.0))
    mesh = panel_mesh(a, b, 24, 8).moved(r=(0.1, -b / 2, 0))
    table = build_table(Body(mesh, [ShellRegion("panel", sheet)]), Reduction(Clamped("left"), 20))
    omega = np.asarray(axis) * 2 * np.pi * rpm / 60
    return float(rotating_frequencies(table, omega)[0] / (2 * np.pi))


def double_cross(elements: int, mode: int) -> float:
    """NAFEMS FV2: eight arms of 5 m, pinned at their outer ends, in the plane."""
    t = np.pi / 4 * np.arange(8)
    ends = 5 * np.column_stack([np.cos(t), np.sin(t), 0 * t])
    fraction = np.arange(1, elements + 1)[:, None] / elements
    nodes = np.vstack([np.zeros((1, 3)), *(fraction * end for end in ends)])
    lines = []
    for arm in range(8):
        chain = [0, *range(1 + arm * elements, 1 + (arm + 1) * elements)]
        lines += list(pairwise(chain))
    tips = [elements * (arm + 1) for arm in range(8)]
    mesh = Mesh(nodes, np.array(lines), line_groups={"arms": np.arange(len(lines))})
    section = BeamSection(A=0.125**2, Iy=0.125**4 / 12, Iz=0.125**4 / 12)
    region = BeamRegion("arms", Material(E=200e9, nu=0.0, rho=8000.0), section)
    plane = Held(list(range(len(nodes))), "z rx ry")
    s = supported(Body(mesh, [region]), [Held(tips, "x y"), plane])
    return float(natural_modes(s, mode).frequency[mode - 1])


def buckling(n: int) -> float:
    s = supported(Body(beam_mesh(1.0, n), [BeamRegion("beam", STEEL, THIN, shear=False)]), Clamped("start"))
    loads = Loads({"end": [-1.0, 0, 0, 0, 0, 0]})
    return float(buckling_modes(s, prestress(s, solve_static(s, loads), loads), 1)[0][0])


TIMOSHENKO = (  # ends, mode, exact frequency [Hz], tolerance
    ("CF", 1, 82.894363, 1e-5),
    ("CF", 2, 496.814532, 3e-4),
    ("CF", 3, 1306.698073, 2e-3),
    ("SS", 1, 230.680407, 3e-4),
    ("SS", 2, 881.522233, 3e-3),
    ("CC", 1, 498.367105, 3e-4),
    ("CC", 2, 1277.193392, 2e-3),
)
ROTATING_BEAM = (  # hub radius / L, speed η, flap mode, frequency by Ritz
    (0, 2, 1, 4.13732),
    (0, 5, 1, 6.44954),
    (0, 10, 1, 11.2023),
    (0, 10, 2, 33.6404),
    (0, 12, 1, 13.1702),
    (0, 12, 2, 37.6031),
    (1, 5, 1, 8.94036),
    (1, 10, 1, 16.6064),
    (1, 10, 2, 44.3682),
)
ROTATING_PLATE = (  # axis of rotation, its name, rpm, frequency by Ritz [Hz]
    ((0, 1, 0), "width", 0, 90.93),
    ((0, 1, 0), "width", 3200, 108.39),
    ((0, 1, 0), "width", 9600, 195.42),
    ((0, 0, 1), "normal", 3200, 120.80),
    ((0, 0, 1), "normal", 9600, 252.56),
)


def benchmarks() -> Iterator[Benchmark]:
    yield Benchmark(
        "Timoshenko cantilever, tip deflection [m], 1 element",
        partial(tip_deflection, 1),
        1.9196190476e-4,
        1e-10,
    )
    for ends, mode, exact, tolerance in TIMOSHENKO:
        solve = partial(bending_frequency, 16, mode, ends)
        yield Benchmark(f"Timoshenko beam {ends}, mode {mode} [Hz], 16 elements", solve, exact, tolerance)
    for mode, target in ((1, 11.336), (4, 17.709), (9, 45.345)):
        name = f"NAFEMS FV2 double cross, mode {mode} [Hz], 4 elements an arm"
        yield Benchmark(name, partial(double_cross, 4, mode), target, 2e-3, "target of slender theory")
    euler = np.pi**2 / 4 * STEEL.E * THIN.Iy
    yield Benchmark("Euler column, clamped-free [N], 4 elements", partial(buckling, 4), euler, 1e-4)
    for sigma, eta, mode, ritz in ROTATING_BEAM:
        name = f"rotating beam, σ = {sigma}, η = {eta}, flap {mode}, 16 coordinates"
        yield Benchmark(name, partial(rotating_beam, sigma, eta, mode), ritz, 5e-3)
    for axis, word, rpm, ritz in ROTATING_PLATE:
        name = f"rotating plate, axis along its {word}, {rpm} rpm [Hz], 24 × 8 cells, 20 coordinates"
        yield Benchmark(name, partial(rotating_plate, axis, rpm), ritz, 5e-3)


BENCHMARKS = tuple(benchmarks())
