"""Large mechanisms beside Exudyn: ``python -m tests.benchmarks.large [name …]``.

Up to 400 four-bars in a row, a net of 400 masses with 361 loops, a vehicle of 60 bodies under 200 forces, and
chains of 1000 and 4000 pendula; a chain of flexible links is in ``tests.benchmarks.flexible``.
"""

import sys
from functools import partial

import numpy as np

import flexnet as fx
from cases import n_four_bar
from tests.benchmarks import chain
from tests.benchmarks.__main__ import HEADER, LARGE, row
from tests.benchmarks.duel import Case, fight
from tests.benchmarks.table import table


def net(n: int = 20, g: float = 9.81) -> fx.System:
    """Masses, n × n, at the corners of squares of 1 m, rods along their sides: (n - 1)² loops.

    In the plane; it hangs by a corner and is let go. The squares shear: 2 n freedoms beside the turns of the
    masses themselves, no rod is redundant.
    """
    s = fx.System("net", planar=True)
    s.gravity([0.4 * g, -g, 0.0])
    knots = {
        (i, j): s.rigid_body(f"knot{i}_{j}", 1.0, 0.01, position=[float(i), -float(j), 0.0])
        for i in range(n)
        for j in range(n)
    }
    s.revolute("nail", s.ground, knots[0, 0])
    for (i, j), knot in knots.items():
        for head in ((i + 1, j), (i, j + 1)):
            if head in knots:
                s.distance_rod(f"rod{i}_{j}_{head[0]}_{head[1]}", knot, knots[head], 1.0)
    return s


def vehicle(axles: int = 10, boxes: int = 19, g: float = 9.81) -> fx.System:
    """A chassis on swinging arms with wheels, and boxes on springs: 60 bodies, 200 springs with dampers."""
    s = fx.System("vehicle")
    s.gravity([0.0, 0.0, -g])
    length = float(axles)
    chassis = s.rigid_body("chassis", 2000.0, [500.0, 5000.0, 5000.0], position=[0.0, 0.0, 1.0])

    def hold(name: str, tail: object, head: object, k: float, rest: float) -> None:
        s.spring(name, tail, head, stiffness=k, damping=0.02 * k, free_length=rest)

    for i in range(axles):
        for side in (-1.0, 1.0):
            name, x = f"{i}{'l' if side < 0 else 'r'}", i - 0.5 * (length - 1)
            chassis.add_frames({f"arm{name}": [x, 0.5 * side, -0.3], f"top{name}": [x, 1.0 * side, 0.4]})
            arm = s.rigid_body(
                f"arm{name}", 20.0, [1.0, 1.0, 1.0],
                {"in": [0, -0.25 * side, 0], "out": [0, 0.25 * side, 0], "on": [0.1, 0.2 * side, 0]},
                position=[x, 0.75 * side, 0.7],
            )  # fmt: skip
            wheel = s.rigid_body(f"wheel{name}", 30.0, [1.0, 2.0, 1.0], position=[x, 1.0 * side, 0.7])
            s.ground.add_frames({f"road{name}": [x, 1.0 * side, 0.0], f"kerb{name}": [x, 2.0 * side, 0.7]})
            s.revolute(f"hinge{name}", chassis[f"arm{name}"], arm["in"], axis="x")
            s.revolute(f"hub{name}", arm["out"], wheel, axis="y")
            hold(f"coil{name}", arm["on"], chassis[f"top{name}"], 5e4, 0.75)
            hold(f"strut{name}", arm["out"], chassis[f"top{name}"], 2e4, 0.72)
            hold(f"tyre{name}", s.ground[f"road{name}"], wheel, 2e5, 0.72)
            hold(f"slip{name}", s.ground[f"kerb{name}"], wheel, 1e4, 1.0)
    corners = [(-0.2, -0.3), (0.2, -0.3), (0.0, 0.3)]
    for i in range(boxes):
        x = (i - 0.5 * (boxes - 1)) * length / boxes
        feet = {f"foot{k}": [u, v, -0.2] for k, (u, v) in enumerate(corners)}
        box = s.rigid_body(f"box{i}", 40.0, [2.0, 2.0, 2.0], feet, position=[x, 0.0, 1.8])
        for k, (u, v) in enumerate(corners):
            chassis.add_frames({f"seat{i}_{k}": [x + u, v, 0.2], f"lean{i}_{k}": [x - v, u, 0.2]})
            hold(f"mount{i}_{k}", chassis[f"seat{i}_{k}"], box[f"foot{k}"], 2e4, 0.42)
            hold(f"brace{i}_{k}", chassis[f"lean{i}_{k}"], box[f"foot{k}"], 1e4, 0.7)
    for k, (x, y) in enumerate(((-6.0, -1.0), (-6.0, 1.0), (6.0, -1.0), (6.0, 1.0), (0.0, -3.0), (0.0, 3.0))):
        s.ground.add_frames({f"tow{k}": [x, y, 1.0]})
        hold(f"tow{k}", s.ground[f"tow{k}"], chassis, 1e3, float(np.hypot(x, y)))
    return s


CASES = (
    *(
        Case(f"{N}-four-bar", partial(n_four_bar.build, N), trees, 1e-3, 0.1, "bar0")
        # angles make a full matrix: from 200 on it takes minutes
        for N, trees in ((100, LARGE[1:]), (200, LARGE[2:]), (400, LARGE[2:]))
    ),
    Case("net of 20 × 20", net, ("absolute",), 1e-3, 0.1, "knot19_19"),
    Case("vehicle", vehicle, ("joint", "absolute"), 1e-3, 1.0, "chassis"),
    *(
        Case(f"chain of {N}", partial(chain.build, N), ("absolute",), 1e-3, end, f"rod{N - 1}")
        for N, end in ((1000, 0.1), (4000, 0.02))
    ),
)


def main(wanted: list[str]) -> None:
    """Run the cases whose names contain one of the wanted words, or all."""
    with table("large", is_whole=not wanted) as say:
        say(HEADER)
        say("|---" * 10 + "|")
        for case in CASES:
            if not wanted or any(word in case.name for word in wanted):
                say(row(fight(case, rounds=3, refine=4)))


if __name__ == "__main__":
    main(sys.argv[1:])
