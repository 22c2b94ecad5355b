"""``flexnet study``: many variants of a case, and drawings of what came out."""

import inspect
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from flexnet.cli.console import say, show_table, told
from flexnet.cli.interruption import Stopped
from flexnet.cli.main import Group, Verb
from flexnet.cli.options import CaseFile, named_values
from flexnet.cli.stepping import (
    AUTO,
    End,
    Engine,
    Integrator,
    Interval,
    Parameters,
    Step,
    Stepping,
    Tolerance,
    choose_method,
    method_rows,
)
from flexnet.cli.trees import CountsName, Required, TreeName, Virtual, split_names
from flexnet.errors import FlexnetError, ModelError
from flexnet.patience import Patience

#: panel and place in the list of verbs
PLACE = "Simulate", 22


class _StudyGroup(Group):
    """Runs a study where no other verb is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the verb before the case."""
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = ["run", *args]
        return list(Group.parse_args(self, ctx, args))


study = typer.Typer(
    cls=_StudyGroup,
    add_completion=False,
    no_args_is_help=True,
    help="Run many variants of a case: flexnet study CASE.py --vary …",
)


Vary = Annotated[
    list[str] | None,
    typer.Option(
        "--vary",
        metavar="NAME=VALUES",
        help="What a parameter may be: low:high:count, low:high, mean~sigma, or values between commas.",
    ),
]
Output = Annotated[
    list[str] | None,
    typer.Option(
        metavar="WHAT",
        help="What to keep: a channel, peak:CHANNEL, rms:CHANNEL, event:EVENT, frequencies:3, …",
        show_default="every channel",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Set a parameter for all variants."),
]
Sampling = Annotated[
    str,
    typer.Option(help="grid, list, latin_hypercube, sobol or random.", autocompletion=lambda: _rules()),
]
Workers = Annotated[
    int, typer.Option(help="Processes that compute; 1 computes in this one.", show_default="one a core")
]
Dask = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Dask scheduler whose workers compute instead.")
]
Out = Annotated[
    Path | None,
    typer.Option(help="Dataset: .nc (NetCDF) or .zarr.", show_default="CASE.nc in this folder"),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on where a study that was stopped or killed has left off.")
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Begin anew where an unfinished study is.")]


@study.command(cls=Verb)
def run(
    case: CaseFile,
    vary: Vary = None,
    output: Output = None,
    settings: Settings = None,
    sampling: Sampling = "grid",
    samples: Annotated[int | None, typer.Option(help="Number of variants, where they are sampled.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same variants.")] = 0,
    workers: Workers = 0,
    dask: Dask = None,
    tree: TreeName = "default",
    require: Required = "",
    virtual: Virtual = False,
    counts: CountsName = "spatial",
    integrator: Integrator = "hht",
    parameters: Parameters = None,
    step: Step = None,
    tolerance: Tolerance = None,
    end: End = None,
    interval: Interval = None,
    engine: Engine = "auto",
    out: Out = None,
    resume: Resume = False,
    overwrite: Overwrite = False,
) -> None:
    """Run many variants of a case; keep outputs of each in one Dataset.

    For example:

        flexnet study cases/squeezer.py --vary torque=0.02:0.05:11 --output peak:beta_rate

        flexnet study four_bar.py --vary E=1.8e11:2.2e11 --vary speed=210~2 --sampling sobol --samples 64

    Then: flexnet study plot squeezer.nc. Ctrl-C or a kill loses nothing: --resume goes on.
    """
    if integrator == "?":
        show_table(("method", "what it is", "parameters"), method_rows())
        return
    # variants share the cores, not the matrices of one; and a process without threads can be copied
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from flexnet.cli.case import load_case, parse_settings

    module = load_case(case)
    wishes = named_values(vary, "--vary")
    known = inspect.signature(module.build).parameters
    fixed = parse_settings(settings or [], {n: p for n, p in known.items() if n not in wishes})
    method = choose_method(integrator, None, None, parameters or [])
    if method == AUTO:
        raise FlexnetError("the variants of a study go by one method: name it instead of auto")
    stepping = Stepping.choose(vars(module), step, tolerance, end, interval)
    options: dict[str, Any] = {
        "method": method,
        "tree": tree,
        "engine": engine,
        "interval": stepping.interval,
    }
    options |= {"require": split_names(require) or (), "virtual": virtual, "counts": counts}
    if stepping.tolerance is not None:
        options["tolerance"] = stepping.tolerance
    path = out or Path(f"{case.stem}.nc")
    kept = {"sampling": sampling, "samples": samples, "seed": seed, "fixed": fixed, "out": path}
    kept |= {"resume": resume, "overwrite": overwrite, "workers": workers, "dask": dask}
    _run(case, wishes, output, stepping, {**kept, **options})


def _run(
    case: Path, wishes: dict[str, str], outputs: list[str] | None, stepping: Stepping, options: dict[str, Any]
) -> None:
    from flexnet.studies import study as run_study

    if not wishes:
        raise ModelError("what varies? Give --vary NAME=low:high:count")
    say(f"{stepping} with {options['method'].name}", "bold cyan")
    line, wait = _Line(), Patience(is_short=True)

    def progress(*news: Any) -> None:
        line.update(*news)
        wait.check()

    try:
        with told("flexnet.study"), line, wait:
            data = run_study(case, wishes, outputs, stepping.end, stepping.step, progress=progress, **options)
    except Stopped as stop:
        stop.left = "finished variants are kept. Go on with: --resume"
        raise
    failures = [str(text) for text in data["failure"].values if text]
    say(f"{data.sizes['variant']} variants, {len(failures)} failed; {line.seconds:.2f} s")
    if failures:
        say(f"the first failure: {failures[0]}", "yellow")
    say(str(options["out"]))


@study.command(cls=Verb)
def plot(
    file: Annotated[Path, typer.Argument(metavar="STUDY", help="Dataset of a study: .nc or .zarr.")],
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME...]", help="Outputs and parameters to draw; the first if none is named."
        ),
    ] = None,
    kind: Annotated[
        str,
        typer.Option(
            help="bars (what outputs depend on), heat (over two parameters) or fan (over time).",
            show_default="what suits",
        ),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(
            help="Picture to write: .png, .svg, .pdf; STUDY_KIND.png beside the study if not given."
        ),
    ] = None,
) -> None:
    """Draw a study: what its outputs depend on, a map over two parameters, or a fan over time."""
    from flexnet.studies import read_study
    from flexnet.view import plot_study, study_kind

    data, chosen = read_study(file), names or []
    kind = study_kind(data, kind, chosen)
    say(str(plot_study(data, out or file.with_name(f"{file.stem}_{kind}.png"), kind, chosen)))


class _Line:
    """A line that is rewritten while a study goes on; silent where nobody watches."""

    def __init__(self) -> None:
        self.seconds = 0.0
        console = Console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"),
            console=console, transient=True, disable=not console.is_terminal,
            auto_refresh=False,  # which would take a thread: a process without threads can be copied
        )  # fmt: skip
        self._shown = 0.0
        self._task = self._bar.add_task("compiling", total=1.0)

    def __enter__(self) -> "_Line":
        self.seconds = -time.perf_counter()
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()
        self.seconds += time.perf_counter()

    def update(self, done: int, total: int, failed: int, left: float) -> None:
        """Show how far a study is."""
        minutes, seconds = divmod(round(left), 60)
        text = f"{done} of {total}, {failed} failed, {minutes}:{seconds:02d} left"
        is_due = time.perf_counter() > self._shown + 0.2
        self._shown = time.perf_counter() if is_due else self._shown
        self._bar.update(self._task, completed=done / total, description=text, refresh=is_due)


def _rules() -> list[str]:
    from flexnet.studies import SAMPLINGS  # here: help must not wait for numpy

    return list(SAMPLINGS)
