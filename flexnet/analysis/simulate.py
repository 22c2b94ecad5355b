"""Forward dynamics: from a System to a motion, in memory or in a result file."""

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Literal

import numpy as np

from flexnet.analysis.automatic import AUTO, Choice, choose_method
from flexnet.analysis.channels import ChannelReader
from flexnet.analysis.engine import choose_engine, make_dae
from flexnet.analysis.happenings import Listing, with_samples_due
from flexnet.analysis.measured import measured
from flexnet.analysis.modes import LockingMarch, begun
from flexnet.analysis.pieces import choose_pieces, is_open
from flexnet.analysis.recording import columns
from flexnet.analysis.run import Run
from flexnet.analysis.sink import FileSink, MemorySink, Scalar, Sink, check_resumable
from flexnet.analysis.stopped import ask_laws, explained
from flexnet.analysis.validity import Validity
from flexnet.analysis.watch import Watch
from flexnet.errors import ConvergenceError, FlexnetError, ModelError, ResultError, StorageError
from flexnet.formulation import Equations, Poses, State, formulate, refuse_trees, snapshot
from flexnet.formulation.model_hash import channels_hash, model_hash
from flexnet.graph.selection.select import left_out
from flexnet.integrators import March, Method, Outcome, Settings, Status, hht, relay
from flexnet.integrators.promise import Promise, promise
from flexnet.integrators.schedule import SAME
from flexnet.results import Results
from flexnet.results.layout import LISTED
from flexnet.system import System, offer_indirect_joints
from flexnet.typing import Array
from flexnet.validation import place_to_write

log = logging.getLogger("flexnet")

#: called after every block with the run's status, the rows written, the rows in all and what the
#: energy balance leaves over, J
Progress = Callable[[Status, int, int, float], None]


def simulate(
    system: System | Equations,
    end: float,
    step: float,
    method: Method | Sequence[tuple[float, Method]] | Literal["auto"] | None = None,
    tree: str = "default",
    interval: float | None = None,
    tolerance: float | None = None,
    project: bool = False,
    newton: float = 1e-10,
    out: str | Path | None = None,
    resume: bool = False,
    overwrite: bool = False,
    progress: Progress | None = None,
    throw: bool = True,
    block: int | None = None,
    engine: str = "auto",
    require: Sequence[str] = (),
    counts: str = "spatial",
    virtual: bool = False,
    start: Poses | None = None,
    share: bool = False,
) -> Run:
    """Simulate a mechanism.

    Parameters
    ----------
    system : the mechanism, or equations already formulated.
    end : time to reach, s; where it is no whole number of steps or intervals, the last row still lies there:
        the steps after the last whole row are shorter, and that row is left out if it is nearer than a tenth
        of a step.
    step : fixed step, or the first of an adaptive run, s: loads that act for less may be missed.
    method : HHT-α with α = -0.1 if left out; a list of ``(time, scheme)`` for schemes in turn; ``"auto"`` for
        the one that has the least to do for a ``tolerance`` (:mod:`flexnet.analysis.automatic`).
    tree : name of a tree rule, where a System is given; ``"measured"`` for the fastest trees here.
    require, counts, virtual : as in :func:`~flexnet.formulation.formulate`, where a System is given.
    interval : time between output rows, s; every step if left out.
    tolerance : wanted error of the positions, over their sizes (the model's length, 1 rad); makes the step
        adaptive. Where a motion lets errors grow too fast for it, the run warns.
    project : project velocities on their constraints after every step.
    newton : error the corrector may leave, positions over their sizes.
    out : result file; in memory if left out.
    resume : go on with ``out``, if it exists: to the same numbers, bit for bit, as if it had never been
        stopped.
    overwrite : let ``out`` replace a regular file that is no result file, too.
    progress : told of every block.
    engine : ``"numeric"``, ``"symbolic"`` for the equations of this mechanism as compiled code, or
        ``"auto"``: symbolic where the run is long and the mechanism small enough
        (:mod:`flexnet.analysis.engine`).
    start : where to begin, in time too, such as ``run.state()``, the end of another run; the start of the
        system if left out.
    share : let the joints of a loop share the loads that redundant constraints leave open, by least norm,
        the same in every tree; they are recorded as NaN else.
    throw : raise :class:`ConvergenceError` when a step fails; otherwise look at ``run.status``.
    block : output rows between two writes to disk, at least; chosen from the settings if left out. It
        does not change the motion.

    Raises
    ------
    ConvergenceError
        If a step fails: names the time, the worst equation and what to try. What was found is kept.
    ResultError
        If a file cannot be resumed: another model, other settings.
    StorageError
        If the file cannot be written, is no result file, or another run is writing it.
    """
    wanted = _as_method(method)
    settings = Settings(step, end, interval, tolerance, newton, project, block=block)
    path = place_to_write(out, StorageError) if out is not None and resume else None
    if isinstance(system, System) and is_open(system):
        # rows at the same times, which adaptive steps alone do not have
        often = interval or (None if tolerance is None else end / 500)
        trial = partial(
            simulate, end=end, step=step, method=method, tree=tree, interval=often, tolerance=tolerance,
            project=project, newton=newton, engine=engine, require=require, counts=counts, virtual=virtual,
            start=start,
        )  # fmt: skip
        system = choose_pieces(system, trial, path)
    if isinstance(system, Equations):
        refuse_trees(system, tree, require, counts, virtual)
        equations = system
    else:
        equations = choose(system, tree, step, wanted, engine, path, require, counts, virtual, end)
    if start is not None:
        equations = equations.starting(start)
    equations = with_samples_due(equations)
    for text in equations.system.warnings:
        log.warning("%s: %s", equations.system.name, text)
    engine = choose_engine(engine, equations, settings, path)
    choice = _chosen(wanted, equations, engine, settings, path)
    method = choice.method
    integration, promised = _begun(equations, engine, method, settings)
    run = Run(equations, integration.status, path=None if out is None else place_to_write(out, StorageError))
    reader, watch, listing = ChannelReader(equations, share), Watch(equations), Listing(equations)
    validity = Validity(equations, integration.total_rows)
    told = _settings(method, settings) | ({} if engine == "numeric" else {"engine": engine})
    told |= {"share": 1} if share else {}
    told |= {"method_because": choice.why} if choice.why else {}
    told |= {"channels": asked} if (asked := channels_hash(equations)) else {}
    kept = _restore(run, told, integration) if resume else 0
    if kept and run.path is not None:
        is_over = integration.rows >= integration.total_rows
        if is_over and (said := Results.open(run.path).status).state == "finished":
            # what its steps said of themselves is known from its message alone
            run.status, run.validity = integration.status, said.message
            return run
        validity.go_on(run.path, kept)
    blocks = _blocks(equations, integration, reader, not kept, engine != "numeric")
    # a channel that cannot be read is refused at the start, before there is a file
    first = [] if kept else [next(blocks)]
    with _open(run, told, integration, kept, overwrite) as sink:
        for rows, done in chain(first, blocks):
            if (good := _rows_with_places(rows)) < len(rows["time"]):
                # where drivers hold every freedom no step fails: the motion itself is no number
                at, law = float(rows["time"][good]), equations.law_values.why
                integration.status = Status(Outcome.NOT_A_NUMBER, at, law)
                break
            rows = listing.list(rows, integration.happened())
            sink.append(rows, integration.memory if integration.is_resumable else None)
            watch.look(rows)
            validity.add(rows)
            run.status = integration.status
            if progress is not None:
                progress(run.status, done, integration.total_rows, sink.balance)
        run.status = integration.status
        run.validity = validity.told(run.status)
        own = [promised.warning] if promised.warning else []
        if listing.lost:
            own.append(f"{listing.lost} events are not listed: more than {LISTED} of one between two rows.")
        run.warnings = (*equations.system.warnings, *watch.said, *own, *validity.warnings(run.status))
        ended = [] if run.status.is_done else [f"{run.status}."]
        state = "finished" if run.status.is_done else "failed"
        sink.finish(state, " ".join([*ended, run.validity, *run.warnings]))
    if throw and not run.status.is_done:
        raise ConvergenceError(f"{equations.system.name}: {run.status}") from equations.law_values.error
    return run


def _rows_with_places(rows: dict[str, Array]) -> int:
    """Rows of a block up to the first in which a frame is nowhere."""
    places = [x for name, x in rows.items() if name.startswith("frames/") and name.endswith("/position")]
    good = np.isfinite(np.hstack([rows["time"][:, None], *places])).all(axis=1)
    return len(rows["time"]) if good.all() else int(np.argmin(good))


def _begun(equations: Equations, engine: str, method: Method, settings: Settings) -> tuple[March, Promise]:
    """A run at its start, and how it keeps its tolerance; a user's law that fails there is named."""
    for name, delay in equations.system.delays.items():
        if settings.tolerance is None and delay < settings.step:
            raise ModelError(
                f"signal {name!r} is delayed by {delay:g} s, which is shorter than a step of"
                f" {settings.step:g} s; take shorter steps, or a lag"
            )
    begins = equations.initial.t
    if settings.end < begins:
        raise ModelError(
            f"the end of the run, {settings.end:g} s, lies before its start at {begins:g} s: it is a time,"
            " not a duration"
        )
    try:
        dae = make_dae(equations, engine)
        # a run up to events is not the one without them
        promised = Promise(settings) if equations.system.events else promise(dae, method, settings)
        return begun(equations, engine, method, promised.settings, dae), promised
    except FlexnetError as error:
        if engine != "numeric":
            ask_laws(equations, equations.initial.t, equations.initial)
        if law := equations.law_values.why:
            cause = equations.law_values.error or error
            raise ModelError(f"{equations.system.name}: the {law} gives no number at the start") from cause
        raise


def choose(
    system: System,
    tree: str,
    step: float,
    method: Method | str,
    engine: str = "numeric",
    resumed: Path | None = None,
    require: Sequence[str] = (),
    counts: str = "spatial",
    virtual: bool = False,
    end: float | None = None,
) -> Equations:
    """Formulate in trees by the name of a rule; ``"measured"`` times them or takes those of a file."""
    if tree != "measured":
        return formulate(system, tree, require=require, counts=counts, virtual=virtual)
    system = offer_indirect_joints(system) if virtual else system
    if resumed is not None and resumed.exists():
        mechanism = Results.open(resumed).mechanism()
        T, R = mechanism.trees["translation"], mechanism.trees["rotation"]
        equations = formulate(system, "default", T, R)
        equations.chosen = str(mechanism.parameters.get("trees", ""))
        for note in left_out(equations.T, equations.R, require):
            log.warning("%s", note)
        return equations
    timed = method if isinstance(method, Method) else hht()
    return measured(system, step, timed, engine, require, counts, end)


def _as_method(method: Method | Sequence[tuple[float, Method]] | str | None) -> Method | str:
    """HHT where none is given; a list of schemes as schemes in turn."""
    if method is None:
        return hht()
    # a text is a sequence, too; but for "auto" it is refused with the other things that are no method
    return relay(method) if isinstance(method, Sequence) and not isinstance(method, str) else method


def _chosen(
    method: Method | str, equations: Equations, engine: str, settings: Settings, path: Path | None
) -> Choice:
    """The method of the run, and why it is taken where that was left open."""
    if method != AUTO:
        return Choice(method)  # type: ignore[arg-type]  # what is no method is refused when it begins
    if equations.system.delays:
        return Choice(hht(), "for a signal that is delayed")
    return choose_method(make_dae(equations, engine), settings, path)


def _blocks(
    equations: Equations, integration: March, reader: ChannelReader, is_new: bool, is_generated: bool
) -> Iterator[tuple[dict[str, Array], int]]:
    """Columns of every block, the start first, and the output rows there are after it."""
    start = [integration.start()] if is_new else []
    last = equations.initial
    for block in chain(start, integration.blocks()):
        if len(block.t):
            n = equations.n_v
            last = State(float(block.t[-1]), block.q[-1], block.v[-1, :n], block.v[-1, n:])
        # before the kernels are used again
        integration.status = explained(
            equations, integration.status, last, integration.settings.step, is_generated
        )
        if len(block.t):
            if isinstance(integration, LockingMarch) and integration.is_other:
                yield integration.columns(block), integration.rows
                continue
            rows = snapshot(equations, block.t, block.q, block.v, block.a, block.lam)
            yield columns(equations, reader, rows, block.work, block.solver), integration.rows


def _open(run: Run, told: dict[str, Scalar], integration: March, kept: int, may_overwrite: bool) -> Sink:
    """The place the rows go to: memory, a new file, or one of which the first rows are kept."""
    if run.path is None:
        return MemorySink(run)
    settings = integration.settings
    return FileSink(
        run, model_hash(run.equations), told, integration.memory, settings.block or settings.period,
        kept or None, may_overwrite,
    )  # fmt: skip


def _settings(method: Method, s: Settings) -> dict[str, Scalar]:
    """What decides the motion beside the model, as written in a result file."""
    told: dict[str, Scalar] = {"name": method.name, **method.parameters, "step": s.step, "end": s.end}
    if s.interval is not None:
        told["interval"] = s.interval
    if s.tolerance is not None:
        told["tolerance"] = s.tolerance
    return {**told, "newton": s.newton, "project": int(s.project), "period": s.period}


def _restore(run: Run, told: dict[str, Scalar], integration: March) -> int:
    """Set the integrator to where a file can be gone on with; returns the rows up to there.

    That is its last row if its run is over, else the last of which it remembers all, else the start.
    """
    if run.path is None or not run.path.exists():
        return 0
    results = Results.open(run.path)
    check_resumable(results, model_hash(run.equations), told)
    if results.rows == 0:
        return 0
    reached, schedule = float(results.row(results.rows - 1)["time"]), integration.schedule
    if reached >= schedule.end - SAME * schedule.spacing:
        integration.rows, integration.status = schedule.total, Status(Outcome.DONE, reached)
        return results.rows
    last, memory = results.memory() or (0, {})
    row = results.row(last)
    if last:
        empty = np.zeros(0)
        q, v, z = (row.get(f"state/{key}", empty) for key in ("q", "v", "z"))
        for name, wanted in integration.memory.items():
            if len(found := memory.get(name, empty)) not in (0, len(wanted)):
                raise ResultError(
                    f"{run.path}: cannot be resumed, another version of flexnet wrote it: {name!r} of its"
                    f" memory has {len(found)} numbers, expected {len(wanted)}; run it anew"
                )
        integration.restore(
            q, np.concatenate([v, z]), {name: memory.get(name, empty) for name in integration.memory}, last
        )
        if integration.t != row["time"]:
            raise ResultError(f"{run.path}: cannot be resumed, what it remembers is not of its row {last}")
    return last + 1
