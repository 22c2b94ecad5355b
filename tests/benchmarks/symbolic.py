"""Symbolic engine beside numeric engine and Exudyn: ``python -m tests.benchmarks.symbolic [name …]``."""

import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import exudyn.itemInterface as eii
import numpy as np

import flexnet as fx
from cases import leger_a06_spatial_slider_crank, leger_a11_stewart, n_four_bar, squeezer
from flexnet.components import Frame, Prismatic, Revolute, Spherical, TranslationalSpring, Universal
from flexnet.dae import Dae
from flexnet.formulation.symbolic import SymbolicEquations, count_operations, symbolic_dae
from flexnet.integrators import Settings, begin, generalised_alpha
from tests.benchmarks.duel import RHO, Case
from tests.benchmarks.exudyn_model import OPTIONS, Options, Twin
from tests.benchmarks.table import table
from tests.catalogue import FLEXIBLE, NAMES, load

CASES = (
    Case("four-bar, spatial pins", partial(n_four_bar.build, 1, planar=False), ("joint",), 5e-4, 5.0, "bar0"),
    Case("squeezer", squeezer.build, ("joint", "absolute_angular"), 1e-5, 0.1, "K3"),
    Case("spatial slider-crank", leger_a06_spatial_slider_crank.build, ("joint",), 1e-3, 5.0, "m3"),
    Case("Stewart-Gough", partial(leger_a11_stewart.build, varying=0.0), ("joint",), 1e-3, 1.0, "platform"),
)  # fmt: skip


class SpatialTwin(Twin):
    """A twin with pins about any axis, other joints, and constant forces along an axis."""

    def _part(self, part: object) -> None:
        if isinstance(part, Spherical):
            self._generic(part.tail, part.head, np.eye(3), np.eye(3), [1, 1, 1, 0, 0, 0])
        elif isinstance(part, Universal):
            # Exudyn holds x of the tail normal to y of the head
            turn = _frame(part.axis_1), _frame(part.axis_2) @ fx.rotation("z", -np.pi / 2)
            self._generic(part.tail, part.head, *turn, [1, 1, 1, 0, 0, 1])
        elif isinstance(part, Revolute) and abs(part.axis[2]) < 1.0:
            turn = _frame(part.axis)[:, [1, 2, 0]]
            self._generic(part.tail, part.head, turn, turn, [1, 1, 1, 1, 1, 0])
        elif isinstance(part, Prismatic):
            turn = _frame(part.axis)
            self._generic(part.tail, part.head, turn, turn, [0, 1, 1, 1, 1, 1])
        elif isinstance(part, TranslationalSpring) and part.axis is not None:
            force = float(part.actuator.parameters[3]) * np.asarray(part.axis)
            for frame, sign in ((part.head, 1.0), (part.tail, -1.0)):
                self.mbs.AddLoad(
                    eii.LoadForceVector(
                        markerNumber=self._rigid(frame), loadVector=list(sign * frame.rotation @ force),
                        bodyFixed=True,
                    )
                )  # fmt: skip
        else:
            super()._part(part)

    def _rigid(self, frame: Frame) -> int:
        return self.mbs.AddMarker(
            eii.MarkerBodyRigid(bodyNumber=self.numbers[frame.body], localPosition=list(frame.position))
        )

    def _generic(self, tail: Frame, head: Frame, A: np.ndarray, B: np.ndarray, axes: list[int]) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # rotations move to markers in Exudyn 2
            self.mbs.AddObject(
                eii.ObjectJointGeneric(
                    markerNumbers=[self._rigid(tail), self._rigid(head)], constrainedAxes=axes,
                    rotationMarker0=tail.rotation @ A, rotationMarker1=head.rotation @ B,
                )
            )  # fmt: skip


def _frame(axis: np.ndarray) -> np.ndarray:
    """A rotation whose first column is the axis."""
    x = np.asarray(axis) / np.linalg.norm(axis)
    y = np.cross([0, 0, 1.0], x) if abs(x[2]) < 0.9 else np.cross([0, 1.0, 0], x)
    y /= np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


@dataclass(frozen=True, slots=True)
class Score:
    """Steps per second of the three, their end errors [m], and what the equations cost to write."""

    case: Case
    tree: str
    size: tuple[int, int]
    speeds: tuple[float, float, float]
    errors: tuple[float, float, float]
    operations: int
    written: float
    compiled: float
    found: float


def run(make: Callable[[], Dae], equations: fx.Equations, case: Case, refine: int = 1):
    """Seconds in the compiled loop, and the end position of the body."""
    step = case.step / refine
    settings = Settings(step, case.end, interval=case.steps * refine * step)
    integration = begin(make(), generalised_alpha(RHO), settings)
    began = process_time()
    rows = list(integration.blocks())
    seconds = process_time() - began
    if not integration.status.is_done:
        raise RuntimeError(f"{case.name}: {integration.status}")
    state = fx.State(case.end, rows[-1].q[-1], rows[-1].v[-1])
    return seconds, equations.poses(state).p[equations.packer.rotation_node[case.body]]


def run_exudyn(equations: fx.Equations, case: Case, options: Options) -> tuple[float, np.ndarray]:
    """Seconds in SolveDynamic, and the end position of the body."""
    twin = SpatialTwin(equations)
    seconds = twin.solve(case.end, case.step, RHO, options)
    return seconds, twin.position(Frame(case.body, case.body, np.zeros(3), np.eye(3)))


def _wise(equations: fx.Equations, case: Case, options: Options) -> float:
    try:
        return run_exudyn(equations, case, options)[0]
    except (RuntimeError, ValueError):
        return np.inf


def measure(case: Case, rounds: int = 5, refine: int = 4) -> Score:
    """Run the three in turns; medians are reported."""
    system = case.build()
    choices = {tree: fx.formulate(system, tree) for tree in case.trees}
    made = {tree: SymbolicEquations(equations) for tree, equations in choices.items()}
    compiled = {tree: symbolic_dae(equations) for tree, equations in made.items()}
    for tree, equations in choices.items():
        run(equations.dae, equations, case)
        run(lambda tree=tree: compiled[tree], equations, case)
    numeric = min(choices, key=lambda tree: run(choices[tree].dae, choices[tree], case)[0])
    tree = min(choices, key=lambda tree: run(lambda: compiled[tree], choices[tree], case)[0])
    equations = choices[tree]
    absolute = fx.formulate(system, "absolute", poses=equations.poses(equations.initial))
    options = min(OPTIONS, key=lambda option: _wise(absolute, case, option))
    found = [
        (
            run(choices[numeric].dae, choices[numeric], case),
            run(lambda: compiled[tree], equations, case),
            run_exudyn(absolute, case, options),
        )
        for _ in range(rounds)
    ]
    _, exact = run(lambda: compiled[tree], equations, case, refine)
    speeds = tuple(case.steps / median(x[i][0] for x in found) for i in range(3))
    errors = tuple(float(np.linalg.norm(found[0][i][1] - exact)) for i in range(3))
    times = _times(case.name, tree)
    return Score(
        case, tree, (equations.n_v, equations.m), speeds, errors, count_operations(made[tree]).total, *times
    )  # fmt: skip


def _times(name: str, tree: str) -> tuple[float, float, float]:
    """Seconds to write the equations, to compile them, and to find them compiled, each in a new process."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.benchmarks.symbolic", "--times", name, tree]
        answers = [
            subprocess.run(
                command, env={**os.environ, "FLEXNET_CACHE": folder}, cwd=Path(__file__).parents[2],
                check=True, capture_output=True, text=True,
            ).stdout.split()
            for _ in range(2)
        ]  # fmt: skip
    return float(answers[0][0]), float(answers[0][1]), float(answers[1][1])


def tell_times(name: str, tree: str) -> None:
    """Print the seconds it takes to write and to compile the equations of one case."""
    case = next(c for c in CASES if c.name == name)
    equations = fx.formulate(case.build(), tree)
    begin = perf_counter()
    made = SymbolicEquations(equations)
    _ = made.M, made.G, made.residual, made.phi_ddot, made.energies
    written = perf_counter()
    symbolic_dae(made)
    sys.stdout.write(f"{written - begin:.3f} {perf_counter() - written:.3f}\n")


HEADER = (
    "| case | tree | equations | operations | numeric [steps/s] | symbolic [steps/s] | Exudyn [steps/s] "
    "| symbolic / numeric | symbolic / Exudyn | errors [m]: numeric, symbolic, Exudyn "
    "| written [s] | compiled [s] | found compiled [s] |"
)


def row(s: Score) -> str:
    """One line of the table."""
    a, b, c = s.speeds
    errors = ", ".join(f"{x:.1e}" for x in s.errors)
    return (
        f"| {s.case.name} | {s.tree} | {s.size[0]} + {s.size[1]} | {s.operations} "
        f"| {a:,.0f} | {b:,.0f} | {c:,.0f} "
        f"| {b / a:.1f} | {b / c:.0f} | {errors} | {s.written:.2f} | {s.compiled:.2f} | {s.found:.2f} |"
    )


def compare_engines(most: int = 10, steps: int = 4000) -> None:
    """Steps per second of the two engines for every case with no more than ``most`` coordinates."""
    with table("engines") as say:
        say("| case | equations | numeric [steps/s] | symbolic [steps/s] | ratio |")
        say("|---" * 5 + "|")
        _engine_rows(most, steps, say)


def _engine_rows(most: int, steps: int, say: Callable[[str], None]) -> None:
    for name in sorted([*NAMES, *FLEXIBLE]):
        module = load(name)
        equations = fx.formulate(module.build(), "joint")
        if equations.n_v > most:
            continue
        step = getattr(module, "STEP", 1e-4)
        case = Case(name, module.build, ("joint",), step, steps * step, equations.packer.bodies[-1])
        compiled = symbolic_dae(equations)
        makers = (equations.dae, lambda compiled=compiled: compiled)
        try:
            times = [[run(make, equations, case)[0] for make in makers] for _ in range(4)][1:]
        except RuntimeError as failure:
            say(f"| {name} | {failure} | | | |")
            continue
        a, b = (steps / median(t[i] for t in times) for i in range(2))
        say(f"| {name} | {equations.n_v} + {equations.m} | {a:,.0f} | {b:,.0f} | {b / a:.1f} |")


def main(wanted: list[str]) -> None:
    """Run the cases whose names contain one of the wanted words, or all; ``--engines`` leaves Exudyn out."""
    if wanted[:1] == ["--engines"]:
        compare_engines()
        return
    if wanted[:1] == ["--times"]:
        tell_times(*wanted[1:])
        return
    with table("symbolic", is_whole=not wanted) as say:
        say(HEADER)
        say("|---" * 13 + "|")
        for case in CASES:
            if not wanted or any(word in case.name for word in wanted):
                say(row(measure(case)))


if __name__ == "__main__":
    main(sys.argv[1:])
