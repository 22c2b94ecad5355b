"""Work and precision: processor time to reach an error, program by program and method by method.

``python -m tests.benchmarks.precision [word …]`` runs every problem whose name contains one of the words, and
prints for each program the time (ms) to reach errors of 1e-3 to 1e-10: the least of
its methods, each followed through several tolerances or steps and interpolated between them on logarithmic
scales. The error is the distance of one body at the end from where it should be, over the length of the
model; the reference is dop853 at 1e-12, radau at 1e-11 where the problem is stiff. Without words table and
diagram are written into the docs.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from math import exp, inf, isfinite, log
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import flexnet as fx
from cases import four_bar, heavy_top, leger_a11_stewart, n_four_bar, squeezer
from flexnet.components import FlexibleBody, Frame
from flexnet.dae import Dae
from flexnet.formulation import Poses
from flexnet.formulation.symbolic import symbolic_dae
from flexnet.integrators import Method, Settings, begin
from tests.benchmarks import chain
from tests.benchmarks.chain_peers import COUNTS, PEERS
from tests.benchmarks.table import ROOT, table

TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-5, 1e-7, 1e-9, 1e-11)
ERRORS = tuple(10.0**-k for k in range(3, 11))
HALVINGS = 6
#: a run is repeated until so much time, s, is spent, at most so often; one that takes more ends its series
SHORT, MOST, LONG = 0.05, 40, 1.0
#: s of processor time after which a problem begins no further series
BUDGET = 45.0
#: links from which the dense complex matrices of radau take all of the time
DENSE = 50
#: coordinates up to which equations are written out as well
WRITTEN = 25
DIAGRAM = ROOT / "docs" / "images" / "work_precision.svg"


@dataclass(frozen=True, slots=True)
class Problem:
    """A mechanism, the end of its run and the largest fixed step (s), and the body that is looked at."""

    name: str
    build: Callable[[], fx.System]
    tree: str
    end: float
    step: float
    body: str
    is_stiff: bool = False
    node: int = -1  # of the mesh of a flexible body: the point that is looked at
    has_twin: bool = False  # whether Exudyn runs it, its model translated part by part
    links: int = 0  # of a chain that others run, too


@dataclass(frozen=True, slots=True)
class Point:
    """What one run gave."""

    program: str
    method: str
    error: float
    seconds: float


def dashpots() -> fx.System:
    """A chain of five pendula whose pins are damped far faster than they swing."""
    s = chain.build(5)
    for i in range(5):
        s.torsional_spring(f"damper{i}", joint=f"joint{i}", stiffness=0.0, damping=1e3)
    return s


def pendula(N: int, end: float = 1.0) -> Problem:
    """A chain that everybody runs."""
    return Problem(
        f"chain of {N}", partial(chain.build, N), "joint", end, 4e-3, f"rod{N - 1}", has_twin=True, links=N
    )


#: Exudyn's floating frames have no geometric stiffening: it is off
FLEXIBLE = "four-bar, flexible"
PROBLEMS = (
    pendula(10),
    pendula(50),
    pendula(200, 0.2),
    Problem("heavy top", heavy_top.build, "joint", 0.5, 2e-3, "top", has_twin=True),
    Problem("squeezer", squeezer.build, "joint", 0.03, 4e-5, "K3", has_twin=True),
    Problem(
        "four-bar, spatial pins", partial(n_four_bar.build, 1, planar=False), "joint", 0.5, 4e-3, "bar0",
        has_twin=True,
    ),
    Problem("Stewart platform", leger_a11_stewart.build, "joint", 1.0, 1e-2, "platform"),
    Problem(
        FLEXIBLE, partial(four_bar.build, stiffening=False), "joint", 0.02, 1.6e-4, "follower", node=4,
        has_twin=True,
    ),
    Problem("stiff pins", dashpots, "joint", 2.0, 1e-2, "rod4", is_stiff=True, has_twin=True),
)  # fmt: skip


def node_of(equations: fx.Equations, poses: Poses, name: str, node: int) -> np.ndarray:
    """Position of a node of the mesh of a flexible body, m."""
    i, start = equations.packer.rotation_node[name], 0
    for part in (p for p in equations.parts if isinstance(p, FlexibleBody)):
        if part.name == name:
            break
        start += part.table.m
    k = int(np.flatnonzero(part.table.output.nodes == node)[0])
    elastic = poses.elastic[start : start + part.table.m]
    points = part.table.output
    return poses.p[i] + poses.R[i] @ (points.position[k] + points.translation[k] @ elastic)


class Judge:
    """A problem with its equations and its exact end."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.equations = problem, fx.formulate(problem.build(), problem.tree)
        self.length, self.began = self.equations.dae().scale.length, process_time()
        oracle = fx.radau() if problem.is_stiff else fx.dop853()
        _, q = self.run(oracle, self.wanted(1e-11 if problem.is_stiff else 1e-12))
        self.exact = self.place(q)

    def wanted(self, tolerance: float) -> Settings:
        """An adaptive run."""
        p = self.problem
        return Settings(p.step, p.end, p.end, tolerance)

    @property
    def is_late(self) -> bool:
        """Whether no further series begins."""
        return process_time() - self.began > BUDGET

    def place(self, q: np.ndarray) -> np.ndarray:
        """Position of the body, or of a node of its mesh, m."""
        e, p = self.equations, self.problem
        poses = e.poses(fx.State(p.end, q, np.zeros(e.n_v)))
        return node_of(e, poses, p.body, p.node) if p.node >= 0 else poses.p[e.packer.rotation_node[p.body]]

    def error(self, position: np.ndarray) -> float:
        """Distance from the exact end over the length of the model."""
        return float(np.linalg.norm(position - self.exact)) / self.length

    @cached_property
    def written(self) -> Dae:
        """The equations as generated code."""
        return symbolic_dae(self.equations)

    def run(
        self, method: Method, settings: Settings, *, is_symbolic: bool = False
    ) -> tuple[float, np.ndarray]:
        """Processor time, s, and q at the end."""
        march = begin(self.written if is_symbolic else self.equations.dae(), method, settings)
        began = process_time()
        rows = list(march.blocks())
        seconds = process_time() - began
        if not march.status.is_done:
            raise RuntimeError(f"{method.name}: {march.status}")
        return seconds, rows[-1].q[-1]


def ours(judge: Judge) -> Iterator[Point]:
    """The methods of flexnet, each from coarse to fine."""
    p = judge.problem
    methods: list[Method] = [fx.radau()] if p.is_stiff else [fx.rk4(), fx.dopri5(), fx.dop853()]
    if not p.is_stiff and p.links < DENSE:
        methods.append(fx.radau())
    series: list[tuple[str, Method, list[Settings]]] = [
        (m.name, m, [judge.wanted(t) for t in TOLERANCES]) for m in methods
    ]
    if p.links:  # as the others run it: of equal steps, whatever their errors
        equal = [p.end / n for n in COUNTS]
        ways = [Settings(h, p.end, p.end, 1e9, smallest=h / 4, largest=h) for h in equal]
        series = [*((f"{m.name}, equal steps", m, ways) for m in methods[:3]), *series]
    if judge.equations.n_v <= WRITTEN:
        series += [(f"{name}, symbolic", m, ways) for name, m, ways in series]
    alpha, steps = fx.generalised_alpha(0.8), [p.step / 2**k for k in range(HALVINGS)]
    series.append((alpha.name, alpha, [Settings(h, p.end, p.end) for h in steps]))
    for name, method, ways in series:
        if judge.is_late:
            return
        run = partial(judge.run, method, is_symbolic=name.endswith("symbolic"))
        run(Settings(p.step / 10, p.step, p.step, ways[0].tolerance))  # compiled from here on
        for settings in ways:
            try:
                seconds, q = shortest(partial(run, settings))
            except RuntimeError:  # a step or a tolerance too coarse
                continue
            yield Point("flexnet", name, judge.error(judge.place(q)), seconds)
            if seconds > LONG:
                break


def shortest(run: Callable[[], tuple[float, np.ndarray]]) -> tuple[float, np.ndarray]:
    """What a run gives, and its time: the least of as many as fit into a while."""
    seconds, found = run()
    least = spent = seconds
    while spent < SHORT:
        seconds, _ = run()
        least, spent = min(least, seconds), spent + max(seconds, SHORT / MOST)
    return least, found


def rigid_by_exudyn(judge: Judge) -> Callable[[float], tuple[float, np.ndarray]]:
    """Time and place of a run with a step; rigid bodies."""
    from tests.benchmarks.exudyn_model import OPTIONS, Twin

    p = judge.problem
    start = judge.equations.poses(judge.equations.initial)
    absolute = fx.formulate(judge.equations.system, "absolute", poses=start)

    def run(step: float) -> tuple[float, np.ndarray]:
        twin = Twin(absolute)
        seconds = twin.solve(p.end, step, 0.8, OPTIONS[0])
        return seconds, twin.position(Frame(p.body, p.body, np.zeros(3), np.eye(3)))

    return run


def flexible_by_exudyn(judge: Judge) -> Callable[[float], tuple[float, np.ndarray]]:
    """The same of the flexible four-bar."""
    from tests.benchmarks.exudyn_flexible import position
    from tests.benchmarks.exudyn_model import OPTIONS, solve
    from tests.benchmarks.flexible import four_bar_twin

    def run(step: float) -> tuple[float, np.ndarray]:
        _, mbs, items = four_bar_twin(judge.equations)
        seconds = solve(mbs, judge.problem.end, step, 0.8, OPTIONS[0])
        return seconds, position(mbs, items[judge.problem.body], "middle")

    return run


def exudyn(judge: Judge) -> Iterator[Point]:
    """Exudyn's generalised-α with a sparse solver and modified Newton, from coarse to fine."""
    p = judge.problem
    run = flexible_by_exudyn(judge) if p.name == FLEXIBLE else rigid_by_exudyn(judge)
    for step in [p.step / 2**k for k in range(HALVINGS)]:
        try:
            seconds, place = shortest(partial(run, step))
        except (RuntimeError, ValueError):
            continue
        yield Point("Exudyn", "generalised-α", judge.error(place), seconds)
        if seconds > LONG:
            break


def others(judge: Judge) -> Iterator[Point]:
    """Other programs on the same chain."""
    p = judge.problem
    for name, peer in PEERS.items():
        program, _, method = name.partition(", ")
        for n in COUNTS:
            try:
                seconds, angles = shortest(partial(peer, p.links, p.end, p.end / n))
            except ImportError:
                break
            place = judge.place(judge.equations.initial.q + angles)
            yield Point(program, method, judge.error(place), seconds)
            if seconds > LONG:
                break


def time_to(points: list[Point], wanted: float) -> float:
    """Least time (s) in which one series reaches an error; infinite if none does."""
    best = inf
    for method in {p.method for p in points}:
        series = [p for p in points if p.method == method]
        best = min([best, *(p.seconds for p in series if p.error <= wanted)])
        for a, b in pairwise(series):
            if a.error > wanted >= b.error > 0.0 and b.seconds > a.seconds:
                share = log(a.error / wanted) / log(a.error / b.error)
                best = min(best, exp((1 - share) * log(a.seconds) + share * log(b.seconds)))
    return best


def measure(problem: Problem, say: Callable[[str], None]) -> list[Point]:
    """Lines of one problem, a program each, and all of its runs."""
    judge = Judge(problem)
    points = list(ours(judge))
    cut = " (series cut short)" if judge.is_late else ""
    if problem.has_twin:
        points += exudyn(judge)
    if problem.links:
        points += others(judge)
    for program in dict.fromkeys(p.program for p in points):
        times = [time_to([p for p in points if p.program == program], e) for e in ERRORS]
        cells = (f"{1e3 * t:.2g}" if isfinite(t) else "–" for t in times)
        name = program + (cut if program == "flexnet" else "")
        say(f"| {problem.name} | {name} | " + " | ".join(cells) + " |")
    return points


def draw(found: dict[str, list[Point]], file: Path) -> None:
    """One diagram a problem: error against time."""
    from matplotlib import pyplot as plt

    plt.rcParams["svg.hashsalt"] = "flexnet"  # the same drawing is the same file
    figure, axes = plt.subplots(3, 3, figsize=(11, 10), constrained_layout=True)
    colours, lines = plt.get_cmap("tab20").colors, dict[str, Any]()
    for place, (name, points) in zip(axes.flat, found.items(), strict=False):
        for key in dict.fromkeys((p.program, p.method) for p in points):
            series = [p for p in points if (p.program, p.method) == key]
            is_ours = key[0] == "flexnet"
            label = key[1] if is_ours else ", ".join(filter(None, key))
            # a method has one colour in all diagrams, and one entry in their legend
            colour = lines[label].get_color() if label in lines else colours[len(lines) % len(colours)]
            x, y = [max(p.error, 1e-14) for p in series], [1e3 * p.seconds for p in series]
            (line,) = place.loglog(x, y, "-" if is_ours else "--", marker=".", color=colour)
            lines.setdefault(label, line)
        place.set_title(name, fontsize=10)
        place.invert_xaxis()
    figure.legend(lines.values(), lines.keys(), loc="outside upper center", ncols=5, fontsize=8)
    figure.supxlabel("error of a position over the length of the model")
    figure.supylabel("processor time [ms]")
    figure.savefig(file, metadata={"Date": None})
    plt.close(figure)


def main(words: list[str]) -> None:
    """Measure the problems whose names contain one of the words, or all."""
    found = dict[str, list[Point]]()
    with table("precision", is_whole=not words) as say:
        say("| problem | program | " + " | ".join(f"{e:.0e}" for e in ERRORS) + " |")
        say("|---" * (len(ERRORS) + 2) + "|")
        for problem in PROBLEMS:
            if not words or any(word in problem.name for word in words):
                found[problem.name] = measure(problem, say)
        if not words:
            draw(found, DIAGRAM)
            say(f"\n![Error of a position against processor time](images/{DIAGRAM.name})")


if __name__ == "__main__":
    main(sys.argv[1:])
