"""A hundred balls in a row, the first one comes: contact in both programs, in one run.

``python -m tests.benchmarks.contact`` writes steps per second of both, in processor time, interleaved.
"""

from statistics import median
from time import process_time

import exudyn as exu
import exudyn.itemInterface as eii
import numpy as np
from exudyn.rigidBodyUtilities import InertiaSphere

import flexnet as fx
from flexnet.integrators import Settings, begin, generalised_alpha
from tests.benchmarks.exudyn_model import OPTIONS, Options, solve
from tests.benchmarks.table import table

BALLS, MASS, RADIUS, GAP = 100, 0.5, 0.05, 1e-3
STIFFNESS, SPEED, RHO = 1e5, 1.0, 0.6
STEP, END = 1e-4, 0.1


def build() -> fx.System:
    """Free balls in space, contact of each with the next."""
    s = fx.System("balls")
    row = []
    for i in range(BALLS):
        ball = s.rigid_body(
            f"b{i}", MASS, [0.4 * MASS * RADIUS**2] * 3, position=[(2 * RADIUS + GAP) * i, 0, 0],
            velocity=[SPEED * (i == 0), 0, 0],
        )  # fmt: skip
        s.floats(ball)
        if row:
            s.sphere_contact(f"c{i}", row[-1], ball, STIFFNESS, size=RADIUS, radius=RADIUS)
        row.append(ball)
    return s


def run_flexnet(equations: fx.Equations) -> tuple[float, np.ndarray]:
    """Seconds in the compiled loop, and the places of the balls along the row at the end."""
    march = begin(equations.dae(), generalised_alpha(RHO), Settings(STEP, END, interval=END))
    began = process_time()
    rows = list(march.blocks())
    seconds = process_time() - began
    poses = equations.poses(fx.State(END, rows[-1].q[-1], rows[-1].v[-1]))
    return seconds, np.array([poses.p[equations.packer.rotation_node[f"b{i}"]][0] for i in range(BALLS)])


def run_exudyn(options: Options) -> tuple[float, np.ndarray]:
    """Seconds in SolveDynamic, and the same places."""
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    bodies, markers = [], []
    for i in range(BALLS):
        made = mbs.CreateRigidBody(
            inertia=InertiaSphere(MASS, RADIUS), nodeType=exu.NodeType.RotationEulerParameters,
            referencePosition=[(2 * RADIUS + GAP) * i, 0, 0], initialVelocity=[SPEED * (i == 0), 0, 0],
        )  # fmt: skip
        bodies.append(made)
        markers.append(mbs.AddMarker(eii.MarkerBodyRigid(bodyNumber=made)))
        if i:
            node = mbs.AddNode(
                eii.NodeGenericData(initialCoordinates=[0.0] * 4, numberOfDataCoordinates=4)
            )  # fmt: skip
            mbs.AddObject(
                eii.ObjectContactSphereSphere(
                    markerNumbers=[markers[-2], markers[-1]], nodeNumber=node, spheresRadii=[RADIUS, RADIUS],
                    contactStiffness=STIFFNESS, contactDamping=0.0, dynamicFriction=0.0,
                )
            )  # fmt: skip
    mbs.Assemble()
    seconds = solve(mbs, END, STEP, RHO, options, keeps_step=True)
    return seconds, np.array(
        [mbs.GetObjectOutputBody(b, exu.OutputVariableType.Position, [0, 0, 0])[0] for b in bodies]
    )


def _seconds(options: Options) -> float:
    """Seconds of Exudyn, infinite where it does not converge."""
    try:
        return run_exudyn(options)[0]
    except (RuntimeError, ValueError, exu.SolverError):
        return np.inf


def main(rounds: int = 3) -> None:
    """Print the comparison."""
    equations = fx.formulate(build(), "absolute")
    run_flexnet(equations)  # compiled from here on
    sparse = [option for option in OPTIONS if option.solver != "EXUdense"]
    options = min(sparse, key=_seconds)
    pairs = [(run_flexnet(equations), run_exudyn(options)) for _ in range(rounds)]
    ours, theirs = (median(pair[k][0] for pair in pairs) for k in (0, 1))
    apart = float(np.abs(pairs[0][0][1] - pairs[0][1][1]).max())
    steps = END / STEP
    with table("contact") as say:
        say(
            f"{BALLS} balls: flexnet {steps / ours:,.0f} steps/s, Exudyn {steps / theirs:,.0f} steps/s"
            f" ({options}), ratio {theirs / ours:.1f}, places differ by {apart:.1e} m."
        )


if __name__ == "__main__":
    main()
