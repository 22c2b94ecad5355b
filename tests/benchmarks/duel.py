"""One case in both programs, run in turns."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import median
from time import process_time
from typing import Any

import numpy as np

import flexnet as fx
from flexnet.components import Frame
from flexnet.integrators import Settings, begin, generalised_alpha
from tests.benchmarks.exudyn_model import OPTIONS, Options, Twin

RHO = 0.6
#: steps by which trees and settings of large mechanisms are chosen, s after which no further round begins,
#: and s that a run by the slower program may take: it has fewer steps otherwise, and its row says how many
TRIAL, LONG, LIMIT = 20, 40.0, 20.0


@dataclass(frozen=True, slots=True)
class Case:
    """A mechanism, a step, and the body whose end position measures the error.

    Attributes
    ----------
    name : what the table calls it.
    build : makes the System.
    trees : trees tried; the fastest is reported.
    step, end : s.
    body : name of the body whose centre is compared.
    """

    name: str
    build: Callable[[], fx.System]
    trees: tuple[str, ...]
    step: float
    end: float
    body: str

    @property
    def steps(self) -> int:
        """Number of steps."""
        return round(self.end / self.step)


@dataclass(frozen=True, slots=True)
class Score:
    """What one case gave: steps per second and end errors [m] of both, and the settings used."""

    case: Case
    tree: str
    options: str
    ours: float
    theirs: float = np.nan
    ratio: float = np.nan
    our_error: float = np.nan
    their_error: float = np.nan
    setup: float = np.nan

    @property
    def fair_ratio(self) -> float:
        """Ratio of speeds at equal error: the error of both falls with the square of the step."""
        return self.ratio * (self.their_error / self.our_error) ** 0.5


def run_flexnet(equations: fx.Equations, case: Case, refine: int = 1) -> tuple[float, np.ndarray]:
    """Seconds in the compiled loop, and the end position of the body."""
    step = case.step / refine
    settings = Settings(step, case.end, interval=case.steps * refine * step)
    integration = begin(equations.dae(), generalised_alpha(RHO), settings)
    began = process_time()
    rows = list(integration.blocks())
    seconds = process_time() - began
    if not integration.status.is_done:
        raise RuntimeError(f"{case.name}: {integration.status}")
    state = fx.State(case.end, rows[-1].q[-1], rows[-1].v[-1])
    return seconds, equations.poses(state).p[equations.packer.rotation_node[case.body]]


def run_exudyn(equations: fx.Equations, case: Case, options: Options) -> tuple[float, np.ndarray]:
    """Seconds in SolveDynamic, and the end position of the body."""
    twin = Twin(equations)
    seconds = twin.solve(case.end, case.step, RHO, options)
    body = case.body
    return seconds, twin.position(Frame(body, body, np.zeros(3), np.eye(3)))


def shortened(case: Any, a_step: float) -> Any:
    """A case of as many steps as LIMIT allows, of such a time each, s; not fewer than TRIAL."""
    steps = max(TRIAL, min(case.steps, int(LIMIT / max(a_step, 1e-9))))
    return case if steps >= case.steps else replace(case, end=steps * case.step)


def fight(case: Case, rounds: int = 5, refine: int = 10) -> Score:
    """Let each program choose its best settings, then run them in turns; medians are reported."""
    system, asked = case.build(), case.steps
    began = process_time()
    choices = {tree: fx.formulate(system, tree) for tree in case.trees}
    setup = (process_time() - began) / len(choices)
    is_large = len(system.bodies) > 40  # where a dense solver takes minutes
    trial = replace(case, end=min(TRIAL, case.steps) * case.step) if is_large else case
    for equations in choices.values():
        run_flexnet(equations, trial)  # compiled from here on
    tree = min(choices, key=lambda name: run_flexnet(choices[name], trial)[0])
    equations = choices[tree]
    wise = [option for option in OPTIONS if not is_large or option.solver != "EXUdense"]
    absolute = fx.formulate(system, "absolute", poses=equations.poses(equations.initial))
    tried = {option: _try_exudyn(absolute, trial, option) for option in wise}
    options = min(tried, key=tried.__getitem__)
    if not np.isfinite(tried[options]):
        return Score(
            case, tree, "does not converge", trial.steps / run_flexnet(equations, trial)[0], setup=setup
        )
    case = shortened(case, tried[options] / trial.steps)
    pairs, began = list[tuple[tuple[float, np.ndarray], tuple[float, np.ndarray]]](), process_time()
    while len(pairs) < rounds and (not pairs or process_time() - began < LONG):
        pairs.append((run_flexnet(equations, case), run_exudyn(absolute, case, options)))
    _, exact = run_flexnet(equations, case, refine)
    (_, ours), (_, theirs) = pairs[0]
    return Score(
        case if case.steps == asked else replace(case, name=f"{case.name}, {case.steps} steps"), tree,
        str(options), ours=case.steps / median(a[0] for a, _ in pairs),
        theirs=case.steps / median(b[0] for _, b in pairs),
        ratio=median(b[0] / a[0] for a, b in pairs),
        our_error=float(np.linalg.norm(ours - exact)),
        their_error=float(np.linalg.norm(theirs - exact)),
        setup=setup,
    )  # fmt: skip


def _try_exudyn(equations: fx.Equations, case: Case, options: Options) -> float:
    """Seconds, infinite where the solver does not converge."""
    try:
        return run_exudyn(equations, case, options)[0]
    except (RuntimeError, ValueError):
        return np.inf
