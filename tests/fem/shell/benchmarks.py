"""Classical linear shell problems, each a function of its mesh that returns the quantity everybody quotes.

MacNeal, R. H., Harder, R. L., A proposed standard set of problems to test finite element accuracy, Finite
Elem. Anal. Des. 1 (1985) 3-20 ("MH"); units as in the sources.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flexnet.fem.material import Material
from flexnet.fem.shell import ShellSection, pressure_load, traction_load
from tests.fem.shell.structure import Shell, rectangle

X_SYMMETRY, Y_SYMMETRY, Z_SYMMETRY = (0, 4, 5), (1, 3, 5), (2, 3, 4)
"""Freedoms held on a plane of symmetry normal to x, y, z."""


@dataclass(frozen=True)
class Benchmark:
    """One problem: ``solve(n)`` on a mesh of ``n`` cells gives the value to compare with ``reference``."""

    name: str
    solve: Callable[[int], float]
    reference: float
    meshes: tuple[int, ...]
    usual: int
    """The mesh at which codes are usually compared."""
    tolerance: float
    """Relative error allowed there."""
    remark: str = ""


def sheet(t: float, E: float, nu: float, rho: float = 1.0) -> ShellSection:
    return ShellSection.uniform(t, Material(E=E, nu=nu, rho=rho))


def point_load(shell: Shell, node: int, direction: int, force: float) -> np.ndarray:
    load = np.zeros(shell.n)
    load[6 * node + direction] = force
    return load


# --- beams made of one strip of triangles -----------------------------------------------------------


def strip_skew(shape: str, nodes: np.ndarray, length: float, cells: int) -> np.ndarray:
    """Displace the interior nodes of a one-cell-wide strip into parallelograms or trapezoids (45 degrees)."""
    x, y = nodes[:, 0].copy(), nodes[:, 1]
    width = y.max()
    station = np.rint(x * cells / length).astype(int)
    inside = (station > 0) & (station < cells)
    side = np.where(y > 0.5 * width, 0.5, -0.5) * width
    lean = {"rectangle": 0.0, "parallelogram": 1.0, "trapezoid": (-1.0) ** station}[shape]
    return np.column_stack([np.where(inside, x + lean * side, x), y, nodes[:, 2]])


def straight_beam(load: str, shape: str = "rectangle", n: int = 6) -> float:
    """MH straight cantilever, 6 × 0.2 × 0.1, E = 1e7, ν = 0.3; unit load at the tip."""
    nodes, cells = rectangle(6.0, 0.2, n, 1)
    shell = Shell(strip_skew(shape, nodes, 6.0, n), cells, sheet(0.1, 1e7, 0.3))
    direction = {"extension": 0, "in-plane": 1, "out-of-plane": 2, "twist": 3}[load]
    tip = shell.at(nodes[:, 0] == 6.0, direction)
    force = np.zeros(shell.n)
    force[tip] = 0.5
    q = shell.solve(force, shell.at(nodes[:, 0] == 0.0))
    return float(q[tip].mean())


def curved_beam(load: str, n: int = 6) -> float:
    """MH curved cantilever, quarter circle 4.12 … 4.32 × 0.1, E = 1e7, ν = 0.25; unit load at the tip."""
    flat, cells = rectangle(0.5 * np.pi, 0.2, n, 1)
    phi, r = flat[:, 0], 4.32 - flat[:, 1]
    shell = Shell(np.column_stack([r * np.sin(phi), r * np.cos(phi), 0 * r]), cells, sheet(0.1, 1e7, 0.25))
    tip = shell.at(phi == phi.max(), {"in-plane": 0, "out-of-plane": 2}[load])
    force = np.zeros(shell.n)
    force[tip] = 0.5
    return float(shell.solve(force, shell.at(phi == 0.0))[tip].mean())


def twisted_beam(load: str, n: int = 12) -> float:
    """MH twisted cantilever, 12 × 1.1 × 0.32, twisted by 90°, E = 29e6, ν = 0.22; unit load at the tip."""
    flat, cells = rectangle(12.0, 1.1, n, max(1, n // 6))
    x, s = flat[:, 0], flat[:, 1] - 0.55
    turn = 0.5 * np.pi * x / 12.0
    shell = Shell(np.column_stack([x, s * np.cos(turn), s * np.sin(turn)]), cells, sheet(0.32, 29e6, 0.22))
    middle = np.flatnonzero((x == 12.0) & (np.abs(s) < 1e-9))
    end = middle if len(middle) else np.flatnonzero(x == 12.0)
    direction = {"in-plane": 2, "out-of-plane": 1}[load]
    tip = 6 * end + direction
    force = np.zeros(shell.n)
    force[tip] = 1.0 / len(tip)
    return float(shell.solve(force, shell.at(x == 0.0))[tip].mean())


# --- plates -----------------------------------------------------------------------------------------


def rectangular_plate(support: str, load: str, aspect: float, n: int) -> float:
    """MH plate 2 × 2·aspect × 1e-4, E = 1.7472e7, ν = 0.3, quarter modelled; deflection of the centre."""
    nodes, cells = rectangle(1.0, aspect, n, n, "\\")
    shell = Shell(nodes, cells, sheet(1e-4, 1.7472e7, 0.3))
    x, y = nodes[:, 0], nodes[:, 1]
    held = [shell.at(x >= 0, 0, 1, 5), shell.at(x == 0, *X_SYMMETRY), shell.at(y == 0, *Y_SYMMETRY)]
    edge_x, edge_y = x == x.max(), y == y.max()
    if support == "clamped":
        held += [shell.at(edge_x | edge_y)]
    else:
        held += [shell.at(edge_x | edge_y, 2), shell.at(edge_x, 3), shell.at(edge_y, 4)]
    if load == "uniform":
        force = shell.gather(pressure_load(shell.X, 1e-4))
    else:
        force = point_load(shell, 0, 2, 1e-4)
    return float(shell.solve(force, np.unique(np.concatenate(held)))[2])


def razzaque_skew_plate(n: int, scale: float | None = None) -> float:
    """60° skew plate, two opposite edges supported, others free, ν = 0.31; w_c D/(q L⁴) of the centre."""
    flat, cells = rectangle(1.0, 1.0, n, n, "\\")
    nodes = np.column_stack([flat[:, 0] + 0.5 * flat[:, 1], np.sqrt(0.75) * flat[:, 1], 0 * flat[:, 0]])
    t, E = 1e-3, 12.0 * (1.0 - 0.31**2) * 1e9
    shell = Shell(nodes, cells, sheet(t, E, 0.31), scale)
    edge = (flat[:, 1] == 0.0) | (flat[:, 1] == 1.0)
    held = np.union1d(shell.at(edge, 2, 4), shell.at(edge >= 0, 0, 1, 5))
    area = shell.section.facets(shell.X).area
    force = np.zeros(shell.n)
    force[2::6] = np.bincount(cells.ravel(), np.repeat(area / 3.0, 3))  # lumped, as in the reference table
    centre = int(np.argmin(np.hypot(flat[:, 0] - 0.5, flat[:, 1] - 0.5)))
    return float(shell.solve(force, held)[6 * centre + 2])


def morley_skew_plate(n: int, scale: float | None = None, diagonal: str = "\\") -> float:
    """Morley (1963), 30° rhombus, L/h = 100, simply supported, uniform load: w over 0.000408 qL⁴/D."""
    flat, cells = rectangle(1.0, 1.0, n, n, diagonal)
    x, y = flat[:, 0] + np.cos(np.pi / 6) * flat[:, 1], np.sin(np.pi / 6) * flat[:, 1]
    unit = sheet(1e-2, 12.0 * (1.0 - 0.3**2) * 1e6, 0.3)  # D = 1
    shell = Shell(np.column_stack([x, y, 0 * x]), cells, unit, scale)
    edge = np.isin(flat[:, :2], (0.0, 1.0)).any(axis=1)
    held = np.union1d(shell.at(edge, 2), shell.at(edge >= 0, 0, 1, 5))
    centre = int(np.argmin(np.hypot(flat[:, 0] - 0.5, flat[:, 1] - 0.5)))
    return float(shell.solve(shell.gather(pressure_load(shell.X, 1.0)), held)[6 * centre + 2] / 0.000408)


def thick_plate(n: int, slenderness: float) -> float:
    """Square plate, hard simple supports, uniform load, ν = 0.3: w of the centre over Mindlin's series."""
    h = 1.0 / slenderness
    nodes, cells = rectangle(0.5, 0.5, n, n, "\\")
    shell = Shell(nodes, cells, sheet(h, 12.0 * (1.0 - 0.3**2) / h**3, 0.3))  # D = 1
    x, y = nodes[:, 0], nodes[:, 1]
    held = [shell.at(x >= 0, 0, 1, 5), shell.at(x == 0, *X_SYMMETRY), shell.at(y == 0, *Y_SYMMETRY)]
    held += [shell.at((x == 0.5) | (y == 0.5), 2), shell.at(x == 0.5, 3), shell.at(y == 0.5, 4)]
    found = shell.solve(shell.gather(pressure_load(shell.X, 1.0)), np.unique(np.concatenate(held)))[2]
    m = np.arange(1, 200, 2)
    wave = np.pi**2 * (m[:, None] ** 2 + m**2)
    sign = np.sin(np.pi * m / 2)
    shear = 12.0 * (1.0 - 0.3**2) / h**3 / 2.6 * 5.0 / 6.0 * h  # kGh
    series = 16.0 / np.pi**2 * np.outer(sign / m, sign / m) * (1.0 / wave**2 + 1.0 / (shear * wave))
    return float(found / series.sum())


#: supports → eigenvalues of the unit square, D = ρh = 1, ν = 0.3
SQUARES = {
    "cantilever": [3.47107, 8.50671, 21.2850, 27.1989, 30.9563],
    "free": [13.4682, 19.5961, 24.2702, 34.8009, 34.8009],
    "supported": np.array([2.0, 5.0, 5.0, 8.0, 10.0]) * np.pi**2,
    "clamped": [35.9852, 73.3938, 73.3938, 108.2165, 131.5808],
}


def square_frequencies(supports: str, diagonal: str, scale: float | None = None, n: int = 8) -> float:
    """Largest relative error of the first five frequencies of a thin square plate."""
    h = 1e-3
    nodes, cells = rectangle(1.0, 1.0, n, n, diagonal)
    plate = Shell(nodes, cells, sheet(h, 12.0 * (1.0 - 0.3**2) / h**3, 0.3, 1.0 / h), scale)
    x, y = nodes[:, 0], nodes[:, 1]
    sides, ends = (x == 0) | (x == 1), (y == 0) | (y == 1)
    held = {
        "cantilever": [plate.at(x == 0)], "free": [], "clamped": [plate.at(sides | ends)],
        "supported": [plate.at(sides | ends, 2), plate.at(sides, 3), plate.at(ends, 4)],
    }[supports]  # fmt: skip
    fixed = np.unique(np.concatenate([plate.at(x >= 0, 0, 1, 5), *held]))
    rigid = 3 if supports == "free" else 0
    found = plate.frequencies(fixed, rigid + 5, shift=-1.0 if rigid else 0.0)[rigid:]
    return float(np.abs(found / SQUARES[supports] - 1.0).max())


def cook_membrane(n: int) -> float:
    """Cook's tapered panel, E = 1, ν = 1/3, t = 1, unit shear at the end; deflection of its middle."""
    flat, cells = rectangle(1.0, 1.0, n, n, "\\")
    x = 48.0 * flat[:, 0]
    y = (44.0 * flat[:, 0]) * (1 - flat[:, 1]) + (44.0 + 16.0 * flat[:, 0]) * flat[:, 1]
    shell = Shell(np.column_stack([x, y, 0 * x]), cells, sheet(1.0, 1.0, 1.0 / 3.0))
    end = np.flatnonzero(flat[:, 0] == 1.0)
    share = np.full(n + 1, 1.0 / n)
    share[[0, -1]] *= 0.5
    force = np.zeros(shell.n)
    force[6 * end + 1] = share
    held = np.union1d(shell.at(flat[:, 0] == 0.0), shell.at(x >= 0, 2, 3, 4))
    return float(shell.solve(force, held)[6 * end[n // 2] + 1])


# --- curved shells ----------------------------------------------------------------------------------


def cylinder(
    R: float, length: float, angle: float, n: int, m: int, diagonal: str
) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and triangles of a cylinder about y; the first angle is at the crown z = R."""
    flat, cells = rectangle(angle, length, n, m, diagonal)
    return np.column_stack([R * np.sin(flat[:, 0]), flat[:, 1], R * np.cos(flat[:, 0])]), cells


def scordelis_lo(n: int) -> float:
    """Roof R = 25, L = 50, t = 0.25, ±40°, E = 4.32e8, ν = 0, 90 per area; fall of the free edge."""
    nodes, cells = cylinder(25.0, 25.0, np.radians(40.0), n, n, "\\")
    shell = Shell(nodes, cells, sheet(0.25, 4.32e8, 0.0))
    x, y = nodes[:, 0], nodes[:, 1]
    held = [shell.at(y == 0, 0, 2), shell.at(y == 25.0, *Y_SYMMETRY), shell.at(x == 0, *X_SYMMETRY)]
    force = shell.gather(traction_load(shell.X, np.array([0.0, 0.0, -90.0])))
    edge = int(np.flatnonzero((y == 25.0) & (x == x.max()))[0])
    return float(-shell.solve(force, np.unique(np.concatenate(held)))[6 * edge + 2])


def pinched_cylinder(n: int) -> float:
    """Cylinder R = 300, L = 600, t = 3, E = 3e6, ν = 0.3, end diaphragms, P = 1; deflection at P."""
    nodes, cells = cylinder(300.0, 300.0, 0.5 * np.pi, n, n, "\\")
    shell = Shell(nodes, cells, sheet(3.0, 3e6, 0.3))
    x, y, z = nodes.T
    held = [
        shell.at(y == 0, 0, 2),
        shell.at(y == 300.0, *Y_SYMMETRY),
        shell.at(x == 0, *X_SYMMETRY),
        shell.at(np.abs(z) < 1e-9, *Z_SYMMETRY),
    ]
    node = int(np.flatnonzero((x == 0) & (y == 300.0))[0])
    force = point_load(shell, node, 2, -0.25)
    return float(-shell.solve(force, np.unique(np.concatenate(held)))[6 * node + 2])


def pinched_free_cylinder(n: int) -> float:
    """Cylinder R = 4.953, L = 10.35, t = 0.094, E = 10.5e6, ν = 0.3125, free ends, P = 100; at P."""
    nodes, cells = cylinder(4.953, 5.175, 0.5 * np.pi, n, n, "\\")
    shell = Shell(nodes, cells, sheet(0.094, 10.5e6, 0.3125))
    x, y, z = nodes.T
    held = [
        shell.at(y == 5.175, *Y_SYMMETRY),
        shell.at(x == 0, *X_SYMMETRY),
        shell.at(np.abs(z) < 1e-9, *Z_SYMMETRY),
    ]
    node = int(np.flatnonzero((x == 0) & (y == 5.175))[0])
    force = point_load(shell, node, 2, -25.0)
    return float(-shell.solve(force, np.unique(np.concatenate(held)))[6 * node + 2])


def hemisphere(n: int) -> float:
    """Hemisphere R = 10, t = 0.04, 18° hole, E = 6.825e7, ν = 0.3, F = ±2 on the equator; along the load."""
    flat, cells = rectangle(0.5 * np.pi, np.radians(72.0), n, n, "\\")
    phi, lat = flat[:, 0], flat[:, 1]
    nodes = 10.0 * np.column_stack([np.cos(phi) * np.cos(lat), np.sin(phi) * np.cos(lat), np.sin(lat)])
    shell = Shell(nodes, cells, sheet(0.04, 6.825e7, 0.3))
    on_x, on_y = phi == 0.0, phi == phi.max()
    a, b = int(np.flatnonzero(on_x & (lat == 0))[0]), int(np.flatnonzero(on_y & (lat == 0))[0])
    held = [shell.at(on_x, *Y_SYMMETRY), shell.at(on_y, *X_SYMMETRY), np.array([6 * a + 2])]
    force = point_load(shell, a, 0, 1.0) + point_load(shell, b, 1, -1.0)
    q = shell.solve(force, np.unique(np.concatenate(held)))
    return float(0.5 * (q[6 * a] - q[6 * b + 1]))


def _beam(
    name: str, solve: Callable, reference: float, usual: int, tolerance: float, remark: str = ""
) -> Benchmark:
    return Benchmark(f"MH {name}", solve, reference, (6, 12, 24), usual, tolerance, remark)


def _straight(
    load: str, reference: float, tolerance: float, shape: str = "rectangle", remark: str = ""
) -> Benchmark:
    name = f"straight beam, {shape}s, {load}"
    return _beam(name, lambda n: straight_beam(load, shape, n), reference, 6, tolerance, remark)


def _plate(
    support: str, load: str, aspect: int, reference: float, tolerance: float, remark: str = ""
) -> Benchmark:
    name = f"MH plate, {support}, {load} load, b/a = {aspect}"
    return Benchmark(
        name,
        lambda n: rectangular_plate(support, load, aspect, n),
        reference,
        (2, 4, 8, 16),
        8,
        tolerance,
        remark,
    )


KIRCHHOFF = "0.02340 by Kirchhoff's GJ = Gbh³/3, which has no edge correction at b/h = 2"
SKEWED = "one cell across, sides at 45°: OPT is exact for halves of rectangles only"
TORSION = "torsion governs; as the twist above"
DEEP = "0.3008 by deep-shell theory"

BENCHMARKS = (
    _straight("extension", 3e-5, 0.02),
    _straight("in-plane", 0.1081, 0.06),
    _straight("out-of-plane", 0.4321, 0.03),
    _straight("twist", 0.03208, 0.29, remark=KIRCHHOFF),
    _straight("in-plane", 0.1081, 0.55, "parallelogram", SKEWED),
    _straight("in-plane", 0.1081, 0.55, "trapezoid", SKEWED),
    _beam("curved beam, in-plane", lambda n: curved_beam("in-plane", n), 0.08734, 6, 0.06),
    _beam("curved beam, out-of-plane", lambda n: curved_beam("out-of-plane", n), 0.5022, 6, 0.13, TORSION),
    _beam("twisted beam, in-plane", lambda n: twisted_beam("in-plane", n), 0.005424, 12, 0.02),
    _beam("twisted beam, out-of-plane", lambda n: twisted_beam("out-of-plane", n), 0.001754, 12, 0.02),
    Benchmark("Cook's panel", cook_membrane, 23.96, (2, 4, 8, 16), 8, 0.04),
    _plate("simply supported", "uniform", 1, 4.062, 0.01),
    _plate("simply supported", "uniform", 5, 12.97, 0.01),
    _plate("simply supported", "point", 1, 11.60, 0.02),
    _plate("simply supported", "point", 5, 16.96, 0.03),
    _plate("clamped", "uniform", 1, 1.26, 0.02, "1.2653 to more digits"),
    _plate("clamped", "uniform", 5, 2.56, 0.03, "an infinite strip has 2.604"),
    _plate("clamped", "point", 1, 5.60, 0.03),
    _plate("clamped", "point", 5, 7.23, 0.03),
    Benchmark(
        "Razzaque 60° skew plate", razzaque_skew_plate, 0.007945, (4, 8, 16, 32), 8, 0.02, "lumped load"
    ),
    Benchmark("Morley 30° skew plate", morley_skew_plate, 1.0, (4, 8, 16, 32), 16, 0.03, "of 0.000408 qL⁴/D"),
    Benchmark("Scordelis-Lo roof", scordelis_lo, 0.3024, (2, 4, 8, 16, 32), 8, 0.02, DEEP),
    Benchmark("Pinched cylinder, diaphragms", pinched_cylinder, 1.8248e-5, (4, 8, 16, 32), 16, 0.04),
    Benchmark("Pinched cylinder, free ends", pinched_free_cylinder, 0.1139, (4, 8, 16, 32), 8, 0.03),
    Benchmark("Hemisphere, 18° hole", hemisphere, 0.0940, (4, 8, 16, 32), 16, 0.03, "0.093 is quoted too"),
)
