"""A slack cantilever of 64 geometrically exact elements falls under its weight: both programs, in one run.

``python -m tests.benchmarks.exact_beam`` prints steps per second of both, in processor time, interleaved, and
how far the tips are apart at the end.
"""

import sys
from itertools import pairwise
from statistics import median
from time import process_time

import exudyn as exu
import exudyn.itemInterface as eii
import numpy as np

import flexnet as fx
from flexnet.integrators import Settings, begin, generalised_alpha
from tests.benchmarks.exudyn_model import OPTIONS, Options, solve

ELEMENTS, LENGTH, GRAVITY = 64, 1.0, 9.81
MASS, INERTIA, EA, GA, EI = 0.5, 5e-7, 1e5, 4e4, 0.1
STEP, END, RHO = 5e-4, 0.3, 0.6


def build() -> fx.System:
    """The cantilever in the plane."""
    s = fx.System("slack", planar=True)
    s.gravity([0.0, -GRAVITY, 0.0])
    rod = fx.RodSection(np.array([EA, GA, GA, EI, EI, EI]), MASS, INERTIA * np.array([2.0, 1.0, 1.0]))
    beam = s.exact_beam("beam", LENGTH, ELEMENTS, None, rod)
    s.weld("clamp", s.ground, beam["start"])
    return s


def run_flexnet(equations: fx.Equations) -> tuple[float, np.ndarray]:
    """Seconds in the compiled loop, and the place of the tip at the end."""
    march = begin(equations.dae(), generalised_alpha(RHO), Settings(STEP, END, interval=END))
    began = process_time()
    rows = list(march.blocks())
    seconds = process_time() - began
    poses = equations.poses(fx.State(END, rows[-1].q[-1], rows[-1].v[-1]))
    return seconds, poses.p[-1, :2]


def run_exudyn(options: Options) -> tuple[float, np.ndarray]:
    """Seconds in SolveDynamic, and the same place."""
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    ground = mbs.AddNode(eii.NodePointGround())
    h = LENGTH / ELEMENTS
    nodes = [
        mbs.AddNode(eii.NodeRigidBody2D(referenceCoordinates=[k * h, 0.0, 0.0])) for k in range(ELEMENTS + 1)
    ]  # fmt: skip
    for pair in pairwise(nodes):
        body = mbs.AddObject(
            eii.ObjectBeamGeometricallyExact2D(
                nodeNumbers=list(pair), length=h, massPerLength=MASS, crossSectionInertia=INERTIA,
                bendingStiffness=EI, axialStiffness=EA, shearStiffness=GA,
            )
        )  # fmt: skip
        marker = mbs.AddMarker(eii.MarkerBodyMass(bodyNumber=body))
        mbs.AddLoad(eii.LoadMassProportional(markerNumber=marker, loadVector=[0.0, -GRAVITY, 0.0]))
    fixed = mbs.AddMarker(eii.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
    for k in range(3):
        own = mbs.AddMarker(eii.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=k))
        mbs.AddObject(eii.CoordinateConstraint(markerNumbers=[fixed, own]))
    mbs.Assemble()
    seconds = solve(mbs, END, STEP, RHO, options)
    return seconds, np.array(mbs.GetNodeOutput(nodes[-1], exu.OutputVariableType.Position))[:2]


def main(rounds: int = 3) -> None:
    """Print the comparison."""
    equations = fx.formulate(build(), "absolute")
    run_flexnet(equations)  # compiled from here on
    sparse = [option for option in OPTIONS if option.solver != "EXUdense"]
    options = min(sparse, key=lambda option: run_exudyn(option)[0])
    pairs = [(run_flexnet(equations), run_exudyn(options)) for _ in range(rounds)]
    ours, theirs = (median(pair[k][0] for pair in pairs) for k in (0, 1))
    apart = float(np.abs(pairs[0][0][1] - pairs[0][1][1]).max())
    steps = END / STEP
    sys.stdout.write(
        f"{ELEMENTS} exact beam elements: flexnet {steps / ours:,.0f} steps/s, Exudyn"
        f" {steps / theirs:,.0f} steps/s ({options}), ratio {theirs / ours:.1f}, tips {apart:.1e} m apart\n"
    )


if __name__ == "__main__":
    main()
