"""Flexible bodies beside Exudyn's reduced-order floating frame.

``python -m tests.benchmarks.flexible [name …]`` prints the table of docs/performance.md.
Both programs get the same table, the same modes and the same step. Exudyn has no geometric stiffening, so
it is off in flexnet. Times are processor seconds of the solvers alone, the median of runs in turns; the
error is the distance of one point at the end from a flexnet run with a tenth of the step.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from time import process_time

import exudyn as exu
import exudyn.itemInterface as eii
import numpy as np

import flexnet as fx
from cases import four_bar, panel_deployment
from flexnet.components import FlexibleBody
from flexnet.fem import FlexTable
from flexnet.integrators import Settings, begin, generalised_alpha
from tests.benchmarks.duel import TRIAL, shortened
from tests.benchmarks.exudyn_flexible import FlexibleItem, add_flexible, point_marker, position
from tests.benchmarks.exudyn_model import OPTIONS, Options, solve
from tests.benchmarks.precision import node_of
from tests.benchmarks.table import table

RHO = 0.9
#: force on a corner of the panel, N
PUSH = [0.0, 0.0, -100.0]
#: force across the end of the chain of flexible links, N
TOW = [0.0, 0.2, 0.0]


@dataclass(frozen=True, slots=True)
class Case:
    """A mechanism in both programs.

    Attributes
    ----------
    name : what the table calls it.
    build : makes the System.
    twin : makes the model in Exudyn; returns it with its flexible bodies by name.
    step, end : s.
    body, point, node : the point that measures the error: its name in Exudyn, its node in the mesh.
    trees : trees tried; the fastest is reported.
    """

    name: str
    build: Callable[[], fx.System]
    twin: Callable[[fx.Equations], tuple[object, object, dict[str, FlexibleItem]]]
    step: float
    end: float
    body: str
    point: str
    node: int
    trees: tuple[str, ...] = ("joint", "absolute_angular")

    @property
    def steps(self) -> int:
        """Number of steps."""
        return round(self.end / self.step)


def panel(modes: int, cells: int = 8, side: float = 2.0) -> fx.System:
    """A steel panel of 3 mm, hinged along one edge, with a force on a corner.

    There is no gravity: Exudyn takes its torque on the undeformed body.
    """
    s = fx.System("panel")
    near = (cells // 2) * (cells + 1)
    edge = [i * (cells + 1) for i in range(cells + 1) if i != cells // 2]
    steel = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)
    shell = fx.panel_body(
        (side, side), (cells, cells), fx.ShellSection.uniform(0.003, steel),
        frames={"hinge": near, "corner": (cells + 1) ** 2 - 1}, links=[fx.RigidLink(near, edge)],
    )  # fmt: skip
    plate = s.flexible_body(
        "panel",
        shell,
        support=fx.Clamped(near),
        modes=modes,
        stiffening=False,
        position=[0.0, -side / 2, 0.0],
    )
    s.revolute("hinge", s.ground, plate["hinge"], axis=(0, 1, 0))
    s.force("push", plate["corner"], PUSH)
    return s


def table_of(equations: fx.Equations, name: str) -> FlexTable:
    """The table of a flexible body."""
    return next(p.table for p in equations.parts if isinstance(p, FlexibleBody) and p.name == name)


def panel_twin(equations: fx.Equations) -> tuple[object, object, dict[str, FlexibleItem]]:
    """The panel in Exudyn: the hinge acts on the frame of the body, which is clamped to it."""
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    poses = equations.poses(equations.initial)
    here = table_of(equations, "panel")
    hinge, corner = (int(node) for node in here.frames.nodes)
    item = add_flexible(mbs, here, poses, 1, {"hinge": hinge, "corner": corner})
    ground = mbs.AddObject(eii.ObjectGround())
    tail = mbs.AddMarker(eii.MarkerBodyRigid(bodyNumber=ground, localPosition=list(poses.p[1])))
    head = mbs.AddMarker(eii.MarkerNodeRigid(nodeNumber=item.node))
    mbs.AddObject(eii.ObjectJointGeneric(markerNumbers=[tail, head], constrainedAxes=[1, 1, 1, 1, 0, 1]))
    mbs.AddLoad(eii.LoadForceVector(markerNumber=point_marker(mbs, item, "corner"), loadVector=PUSH))
    mbs.Assemble()
    return container, mbs, {"panel": item}


def four_bar_twin(
    equations: fx.Equations, speed: float = 210.0
) -> tuple[object, object, dict[str, FlexibleItem]]:
    """The four-bar in Exudyn: crank in the plane at constant rate, links held in it."""
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    poses = equations.poses(equations.initial)
    number = equations.packer.rotation_node
    zero = mbs.AddMarker(
        eii.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(eii.NodePointGround()), coordinate=0)
    )

    def hold(node: int, coordinate: int, **how: object) -> None:
        marker = mbs.AddMarker(eii.MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate))
        mbs.AddObject(eii.ObjectConnectorCoordinate(markerNumbers=[zero, marker], **how))

    def pin(one: int, other: int) -> None:
        mbs.AddObject(eii.ObjectJointSpherical(markerNumbers=[one, other], constrainedAxes=[1, 1, 0]))

    items = {}
    for name in ("coupler", "follower"):
        here = table_of(equations, name)
        first, last = here.frames.nodes
        nodes = {"start": int(first), "middle": int(here.output.nodes[4]), "end": int(last)}
        items[name] = add_flexible(mbs, here, poses, number[name], nodes)
        for coordinate in (2, 4, 5):  # z and the Euler parameters of x and y
            hold(items[name].node, coordinate)
    i = number["crank"]
    node = mbs.AddNode(
        eii.NodeRigidBody2D(
            referenceCoordinates=[*poses.p[i][:2], 0.0], initialVelocities=[*poses.v[i][:2], speed]
        )
    )
    crank = mbs.AddObject(eii.ObjectRigidBody2D(mass=1e-3, inertia=1e-3, nodeNumber=node))
    hold(node, 0)
    hold(node, 1)
    hold(node, 2, velocityLevel=True, offset=speed)
    tip = mbs.AddMarker(eii.MarkerBodyPosition(bodyNumber=crank, localPosition=[0.3, 0.0, 0.0]))
    ground = mbs.AddObject(eii.ObjectGround())
    C = mbs.AddMarker(eii.MarkerBodyPosition(bodyNumber=ground, localPosition=[0.6, 0.0, 0.0]))
    pin(tip, point_marker(mbs, items["coupler"], "start"))
    pin(point_marker(mbs, items["coupler"], "end"), point_marker(mbs, items["follower"], "end"))
    pin(C, point_marker(mbs, items["follower"], "start"))
    mbs.Assemble()
    return container, mbs, items


def links(N: int, modes: int = 3) -> fx.System:
    """Steel strips of half a metre in series, pulled across at the end; without gravity, as the panel."""
    s = fx.System("links", planar=True)
    section = fx.BeamSection(A=1e-5, Iy=1e-12, Iz=1e-12, ky=0.5, kz=0.5)
    strip = fx.beam_body(0.5, 4, fx.Material(E=2e11, nu=0.3, rho=7800.0), section)
    end = s.ground.origin
    for i in range(N):
        link = s.flexible_body(
            f"strip{i}", strip, support=fx.Clamped("start"), modes=modes, stiffening=False,
            position=[0.5 * i, 0.0],
        )  # fmt: skip
        s.revolute(f"pin{i}", end, link["start"])
        end = link["end"]
    s.force("pull", end, TOW)
    return s


def links_twin(equations: fx.Equations) -> tuple[object, object, dict[str, FlexibleItem]]:
    """The strips in Exudyn, held in the plane."""
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    poses, items = equations.poses(equations.initial), dict[str, FlexibleItem]()
    nail = mbs.AddNode(eii.NodePointGround())
    zero = mbs.AddMarker(eii.MarkerNodeCoordinate(nodeNumber=nail, coordinate=0))
    ground = mbs.AddObject(eii.ObjectGround())
    before = mbs.AddMarker(eii.MarkerBodyPosition(bodyNumber=ground, localPosition=[0.0, 0.0, 0.0]))
    for part in (p for p in equations.parts if isinstance(p, FlexibleBody)):
        first, last = (int(node) for node in part.table.frames.nodes)
        number = equations.packer.rotation_node[part.name]
        item = items[part.name] = add_flexible(mbs, part.table, poses, number, {"start": first, "end": last})
        for coordinate in (2, 4, 5):  # z and the Euler parameters of x and y
            marker = mbs.AddMarker(eii.MarkerNodeCoordinate(nodeNumber=item.node, coordinate=coordinate))
            mbs.AddObject(eii.ObjectConnectorCoordinate(markerNumbers=[zero, marker]))
        ends = [before, point_marker(mbs, item, "start")]
        mbs.AddObject(eii.ObjectJointSpherical(markerNumbers=ends, constrainedAxes=[1, 1, 0]))
        before = point_marker(mbs, item, "end")
    mbs.AddLoad(eii.LoadForceVector(markerNumber=before, loadVector=TOW))
    mbs.Assemble()
    return container, mbs, items


CASES = (
    *(
        Case(f"flexible four-bar, {m} modes a link", partial(four_bar.build, modes=m, stiffening=False),
             four_bar_twin, 1e-5, 0.02, "follower", "middle", 4)
        for m in (2, 4)
    ),
    *(
        Case(f"shell, {m} modes", partial(panel, m), panel_twin, 1e-3, end, "panel", "corner", 80)
        # Exudyn takes two seconds a step with 400
        for m, end in ((4, 0.5), (20, 0.5), (80, 0.5), (200, 0.02), (400, 0.005))
    ),
    Case("chain of 200 flexible links", partial(links, 200), links_twin, 1e-3, 0.1, "strip199", "end", 4,
         ("absolute",)),
)  # fmt: skip


HEADER = (
    "| case | tree | flexnet [steps/s] | Exudyn [steps/s] | ratio "
    "| flexnet error [m] | Exudyn error [m] | Exudyn settings |"
)


def run_flexnet(equations: fx.Equations, case: Case, refine: int = 1) -> tuple[float, np.ndarray]:
    """Seconds in the compiled loop, and the end position of the point."""
    step = case.step / refine
    settings = Settings(step, case.end, interval=case.steps * refine * step)
    integration = begin(equations.dae(), generalised_alpha(RHO), settings)
    began = process_time()
    rows = list(integration.blocks())
    seconds = process_time() - began
    if not integration.status.is_done:
        raise RuntimeError(f"{case.name}: {integration.status}")
    poses = equations.poses(fx.State(case.end, rows[-1].q[-1], rows[-1].v[-1]))
    return seconds, node_of(equations, poses, case.body, case.node)


def run_exudyn(equations: fx.Equations, case: Case, options: Options) -> tuple[float, np.ndarray]:
    """Seconds in SolveDynamic, and the end position of the point."""
    _, mbs, items = case.twin(equations)
    seconds = solve(mbs, case.end, case.step, RHO, options)
    return seconds, position(mbs, items[case.body], case.point)


def fight(case: Case, rounds: int = 3, refine: int = 10) -> str:
    """Let each program choose its best settings, then run them in turns; one line of the table."""
    system = case.build()
    choices = {tree: fx.formulate(system, tree) for tree in case.trees}
    trial = replace(case, end=min(TRIAL, case.steps) * case.step)
    for equations in choices.values():
        run_flexnet(equations, trial)  # compiled from here on
    tree = min(choices, key=lambda name: run_flexnet(choices[name], trial)[0])
    equations = choices[tree]
    is_large = len(system.bodies) > 40  # where a dense solver takes minutes
    tried = {
        option: _try_exudyn(equations, trial, option)
        for option in OPTIONS
        if not is_large or option.solver != "EXUdense"
    }
    options, asked = min(tried, key=tried.__getitem__), case.steps
    if not np.isfinite(tried[options]):
        ours = trial.steps / run_flexnet(equations, trial)[0]
        return f"| {case.name} | {tree} | {ours:,.0f} | – | – | – | – | does not converge |"
    case = shortened(case, tried[options] / trial.steps)
    name = case.name if case.steps == asked else f"{case.name}, {case.steps} steps"
    pairs = [(run_flexnet(equations, case), run_exudyn(equations, case, options)) for _ in range(rounds)]
    _, exact = run_flexnet(equations, case, refine)
    (_, ours), (_, theirs) = pairs[0]
    a, b = median(p[0] for p, _ in pairs), median(p[0] for _, p in pairs)
    ratio = median(q[0] / p[0] for p, q in pairs)
    return (
        f"| {name} | {tree} | {case.steps / a:,.0f} | {case.steps / b:,.0f} | {ratio:.1f} "
        f"| {np.linalg.norm(ours - exact):.1e} | {np.linalg.norm(theirs - exact):.1e} | {options} |"
    )


def _try_exudyn(equations: fx.Equations, case: Case, options: Options) -> float:
    """Seconds, infinite where the solver does not converge."""
    try:
        return run_exudyn(equations, case, options)[0]
    except (RuntimeError, ValueError):
        return np.inf


def deployment() -> str:
    """Integration of the panel deployment, tables at hand."""
    equations = fx.formulate(panel_deployment.build())
    settings = Settings(panel_deployment.STEP, panel_deployment.END)
    seconds = []
    for _ in range(4):
        integration = begin(equations.dae(), generalised_alpha(RHO), settings)
        began = process_time()
        list(integration.blocks())
        seconds.append(process_time() - began)
    status = integration.status
    counts = f"{status.steps} steps, {status.iterations} iterations"
    return f"panel deployment, {panel_deployment.END:g} s of motion: {min(seconds):.3f} s, {counts}"


def growth(steps: int = 500) -> str:
    """Steps of the shell in long runs by flexnet alone, where its matrices age and are found again."""
    out = []
    for modes in (80, 200, 400):
        equations = fx.formulate(panel(modes), "joint")
        seconds = []
        for _ in range(3):
            settings = Settings(1e-3, steps * 1e-3, interval=steps * 1e-3)
            integration = begin(equations.dae(), generalised_alpha(RHO), settings)
            began = process_time()
            list(integration.blocks())
            seconds.append(process_time() - began)
        status = integration.status
        counts = (
            f"{status.iterations / steps:.1f} iterations, {status.factorisations / steps:.2f} factorisations"
        )
        out.append(f"{modes} modes {1e3 * min(seconds) / steps:.3g} ms ({counts})")
    return f"shell over {steps} steps, each: " + "; ".join(out)


def main(wanted: list[str]) -> None:
    """Run the cases whose names contain one of the wanted words, or all."""
    with table("flexible", is_whole=not wanted) as say:
        say(HEADER)
        say("|---" * 8 + "|")
        for case in CASES:
            if not wanted or any(word in case.name for word in wanted):
                say(fight(case))
        if not wanted or "deployment" in wanted:
            say("\n" + deployment())
        if not wanted or "growth" in wanted:
            say("\n" + growth())


if __name__ == "__main__":
    main(sys.argv[1:])
