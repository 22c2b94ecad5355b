"""``flexnet run``: from a case file to a result file."""

import signal
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flexnet.cli.console import complain, say, show_table, told
from flexnet.cli.interruption import Stopped
from flexnet.cli.options import CaseFile, Settings, result_file
from flexnet.cli.progress import ProgressLine
from flexnet.cli.stepping import (
    Alpha,
    End,
    Engine,
    Integrator,
    Interval,
    Parameters,
    Rho,
    Step,
    Stepping,
    Tolerance,
    choose_method,
    interval_of,
    method_rows,
)
from flexnet.cli.trees import (
    CountsName,
    Required,
    Rotation,
    Translation,
    TreeName,
    Trees,
    Virtual,
    offered,
    split_names,
)
from flexnet.patience import Patience

if TYPE_CHECKING:
    from flexnet.analysis import Run
    from flexnet.formulation import Equations, Report
    from flexnet.system import System
    from flexnet.view.live import LivePage

#: panel and place in the list of verbs
PLACE = "Simulate", 21

_SHORT = ("trees", "equations", "suggestion", "is this meant?")  # sections of the report that are always told


Project = Annotated[
    bool, typer.Option("--project", help="Project velocities on their constraints after every step.")
]
Share = Annotated[
    bool,
    typer.Option(
        "--share", help="Let joints share loads that redundant constraints leave open, by least norm."
    ),
]
Out = Annotated[Path | None, typer.Option(help="Result file.", show_default="CASE.h5 in this folder")]
Resume = Annotated[
    bool,
    typer.Option("--resume/--fresh", help="Go on where a run was stopped or killed, or begin anew."),
]
Live = Annotated[
    bool,
    typer.Option("--live", help="Show the run in a browser of this machine while it goes; stop it there."),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Let --out replace a regular file that is no result file.")
]


def run(
    case: CaseFile,
    settings: Settings = None,
    tree: TreeName = "default",
    translation: Translation = "",
    rotation: Rotation = "",
    require: Required = "",
    virtual: Virtual = False,
    counts: CountsName = "spatial",
    integrator: Integrator = "hht",
    alpha: Alpha = None,
    rho: Rho = None,
    parameters: Parameters = None,
    step: Step = None,
    tolerance: Tolerance = None,
    end: End = None,
    interval: Interval = None,
    project: Project = False,
    share: Share = False,
    engine: Engine = "auto",
    out: Out = None,
    resume: Resume = False,
    live: Live = False,
    overwrite: Overwrite = False,
) -> None:
    """Simulate a case and write a result file.

    A case is a Python file with a function build() that returns a System. It may also say how it likes
    to be run: END, STEP and INTERVAL, s.

    For example:

        flexnet run cases/squeezer.py --out squeezer.h5

        flexnet run cases/squeezer.py --set torque=0.05 --tolerance 1e-8

        flexnet run cases/squeezer.py --step 1e-5 --integrator generalised_alpha --rho 0.9 --tree joint

        flexnet run cases/squeezer.py --engine symbolic

        flexnet run cases/four_bar.py --set pieces=auto --set modes=2

    Then: flexnet info squeezer.h5; flexnet plot squeezer.h5 beta_rate; flexnet animate squeezer.h5.
    Ctrl-C leaves a valid file; --resume goes on with it.
    """
    from flexnet.cli.case import build_system, load_case, remember_case

    if integrator == "?":
        show_table(("method", "what it is", "parameters"), method_rows())
        return
    # the case first: it may bring a method of its own
    module = load_case(case)
    method = choose_method(integrator, alpha, rho, parameters or [])
    with told("flexnet.modes"):
        system = build_system(module, case, settings or [])
    path = result_file(out, case)
    goes_on = resume and path.exists()
    if goes_on and interval is None:
        interval = interval_of(path)
    stepping = Stepping.choose(vars(module), step, tolerance, end, interval)

    from flexnet.formulation import report
    from flexnet.formulation.model_hash import model_hash

    branches = split_names(translation), split_names(rotation)
    wishes = Trees(tree, branches, split_names(require) or (), virtual, counts)
    equations = _equations(system, wishes, stepping, method, engine, path if resume else None)
    if equations.chosen:
        say(equations.chosen)
    _tell(report(equations))
    remember_case(model_hash(equations), case)
    if resume:
        say(f"going on with {path}" if goes_on else f"there is no {path} yet: from the start")
    options: dict[str, Any] = {"method": method, "project": project, "out": path, "resume": resume}
    options |= {"engine": engine, "overwrite": overwrite, "share": share}
    with ExitStack() as stack:
        _simulate(equations, stepping, options, _live_page(stack, path) if live else None)


def _live_page(stack: ExitStack, path: Path) -> "LivePage":
    """Open the page on which a browser follows the run."""
    from flexnet.view.live import LivePage

    page = stack.enter_context(LivePage(path))
    say(f"live, for browsers of this machine: {page.address}")
    typer.launch(page.address)
    return page


def _equations(
    system: "System", wishes: Trees, stepping: Stepping, method: Any, engine: str, resumed: Path | None
) -> "Equations":
    """Equations of a system in the trees that are wished for, its beams in pieces."""
    from flexnet.analysis import choose
    from flexnet.formulation import formulate

    system = offered(_cut(system, stepping, method, wishes.tree, resumed), wishes.virtual)
    branches, needed = wishes.branches, wishes.required
    if any(branches):
        return formulate(system, wishes.tree, *branches, require=needed, counts=wishes.counts)
    how = (wishes.tree, float(stepping.step), method, engine, resumed, needed, wishes.counts)
    return choose(system, *how, end=stepping.end)


def _cut(system: "System", stepping: Stepping, method: Any, tree: str, resumed: Path | None) -> "System":
    """The system with its beams in pieces: as many as its author, or its motion, asks for."""
    from flexnet.analysis import simulate
    from flexnet.analysis.pieces import choose_pieces, is_open
    from flexnet.system import in_pieces

    with told("flexnet.pieces"):
        if not is_open(system):
            return in_pieces(system)
        end, step, often = stepping.end, stepping.step, stepping.interval

        def trial(one: "System") -> "Run":
            return simulate(one, end, step, method, tree, often, stepping.tolerance)

        return choose_pieces(system, trial, resumed)


def _simulate(
    equations: "Equations", stepping: Stepping, options: dict[str, Any], page: "LivePage | None" = None
) -> None:
    """Run with a progress line; an end before the end is one line and an exit code."""
    from flexnet.analysis import simulate

    path = options["out"]
    method = options["method"]
    say(f"\n{stepping} with {getattr(method, 'name', method)}", "bold cyan")
    line, wait, blocks = ProgressLine(stepping.end), Patience(is_short=True), count()

    def progress(*news: Any) -> None:
        next(blocks)
        line.update(*news)
        if page is not None:
            page.refresh()
            if page.is_stopped:
                signal.raise_signal(signal.SIGINT)  # as Ctrl-C
        wait.check()

    try:
        with told("flexnet.equations"), line, wait:
            made = simulate(
                equations,
                stepping.end,
                stepping.step,
                tolerance=stepping.tolerance,
                interval=stepping.interval,
                progress=progress,
                throw=False,
                **options,
            )
    except Stopped as stop:
        if next(blocks):
            stop.left = f"{path} holds what was found. Go on with: --resume"
        raise
    if not made.status.is_done:
        complain(f"{made.status}. {path} holds what was found")
        raise typer.Exit(1)
    say(f"{made.status}; {line.seconds:.2f} s")
    say(made.validity)
    for text in made.warnings:
        say(text, "yellow")
    say(str(path))


def _tell(made: "Report") -> None:
    say(made.title, "bold")
    for heading, lines in made.sections():
        is_redundant = made.redundant and heading.startswith(("redundant", "loads"))
        if heading in _SHORT or is_redundant:
            say(f"\n{heading}", "bold cyan")
            for text in lines:
                say(f"  {text}", "yellow" if is_redundant or heading in _SHORT[2:] else "")
