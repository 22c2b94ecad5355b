"""A study: many variants of one model, their outputs in one Dataset."""

import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexnet.errors import ModelError, StorageError
from flexnet.formulation import Equations
from flexnet.formulation.model_hash import model_hash
from flexnet.store import Journal
from flexnet.store.journal import refuse_other
from flexnet.store.text import parse_json
from flexnet.studies.cluster import Cluster
from flexnet.studies.dataset import (
    ENDINGS,
    OWN,
    Frame,
    attributes_of,
    make_dataset,
    open_study,
    refuse_foreign,
    write_dataset,
    xarray,
)
from flexnet.studies.execution import Execution, Here, Processes, cores
from flexnet.studies.job import Job, Row, check_options, told
from flexnet.studies.outputs import Output, make_outputs
from flexnet.studies.plan import Plan, make_plan
from flexnet.studies.source import Source, read_source
from flexnet.system import System
from flexnet.validation import number, place_to_write, whole

if TYPE_CHECKING:
    import xarray as xr

log = logging.getLogger("flexnet.study")

#: called after every variant: how many are finished, how many there are, how many failed, time left in s
Progress = Callable[[int, int, int, float], None]
#: variants that are tried before a study gives up finding one that can be formulated
_TRIED = 10


def study(
    build: Callable[..., System] | str | Path,
    parameters: Mapping[str, Any],
    outputs: Sequence[str | Callable[..., Any]] | Mapping[str, Any] | None = None,
    end: float | None = None,
    step: float | None = None,
    sampling: str = "grid",
    samples: int | None = None,
    seed: int = 0,
    fixed: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    overwrite: bool = False,
    workers: int = 1,
    dask: str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> "xr.Dataset":
    """Run many variants of a model and keep some outputs of each.

    Parameters
    ----------
    build : function that returns a System, or a case file.
    parameters : what varies, by the name ``build`` has for it: a sequence of values, or a text such as
        ``"50:100:6"`` (six values), ``"50:100"`` (a range) or ``"9.81~0.02"`` (mean and standard deviation).
    outputs : names of channels, texts such as ``"peak:torque"``, ``"rms:torque"``, ``"event:touch"``,
        ``"frequencies:3"``, and functions of a :class:`~flexnet.analysis.Run`; by the names they are to have,
        or in a sequence. Every channel if left out.
    end, step : of each run, s; END and STEP of a case file if left out.
    sampling : ``"grid"``, ``"list"``, ``"latin_hypercube"``, ``"sobol"`` or ``"random"``.
    samples, seed : number of variants and seed, where they are sampled.
    fixed : further parameters of ``build``, the same for all.
    out : Dataset to write, ``.nc`` or ``.zarr``; in memory if left out.
    resume : go on with what an earlier study with the same ``out`` has finished.
    overwrite : begin anew where an unfinished study with the same ``out`` is.
    workers : processes that compute, 0 for one on each core; 1 computes in this process.
    dask : address of a Dask scheduler, whose workers compute instead.
    progress : told of every variant: finished, all, failed, time left in s.
    options : further arguments of :func:`~flexnet.analysis.simulate`: ``method``, ``tree``, ``interval``,
        ``tolerance``, ``engine`` and so on.

    Returns
    -------
    xarray.Dataset
        Along ``variant``, with the parameters as coordinates. A variant that failed has NaN, and the reason
        in ``failure``.

    Raises
    ------
    ModelError, ResultError
        If a parameter or an output is unknown, or a range is empty.
    StorageError
        If ``out`` cannot be written, or an unfinished study is there.
    """
    xarray()
    check_options(options)
    source = read_source(build, fixed)
    plan = make_plan(parameters, sampling, samples, seed)
    source.check(plan.names)
    for name in plan.names:
        if name in OWN:
            raise ModelError(f"parameter {name!r} has a name that every study uses itself; call it otherwise")
    execution = _execution(workers, dask)
    path = None if out is None else _place(out)
    first, equations = _first(source, plan, options, step)
    made = make_outputs(outputs, equations.system, (*OWN, *plan.names))
    job = _job(source, plan, made, end, step, options)
    about = _about(job, first, equations)
    if path is not None and path.exists() and resume and not _journal(path).exists():
        return _finished(path, about)
    frame = Frame(
        plan, made, _units(source, plan, made, equations.system),
        {name: source.described(name)[0] for name in plan.names},
        attributes_of(about, equations.system.name),
    )  # fmt: skip
    if path is None:
        return _in_memory(job, frame, execution, progress)
    return _in_file(job, frame, execution, progress, path, about, resume, overwrite)


def _in_memory(job: Job, frame: Frame, execution: Execution, progress: Progress | None) -> "xr.Dataset":
    rows: dict[int, Row] = {}
    clock = _Clock(len(job.plan), 0, progress)
    for row in execution.rows(job, range(len(job.plan))):
        rows[row.index] = frame.accept(row)
        clock.tell(rows[row.index])
    return make_dataset(frame, rows.get, 0, len(job.plan))


def _in_file(
    job: Job, frame: Frame, execution: Execution, progress: Progress | None, path: Path,
    about: Mapping[str, Any], resume: bool, overwrite: bool,
) -> "xr.Dataset":  # fmt: skip
    """Every row goes to the journal; when all are there, the Dataset is made of it."""
    refuse_foreign(path)
    place = _journal(path)
    if place.exists() and not (resume or overwrite):
        raise StorageError(
            f"{place}: an unfinished study is there; go on with it (resume), or begin anew (overwrite)"
        )
    with Journal(place, about, is_new=not resume) as journal:
        for index in journal.places:
            frame.accept(_row_of(journal, index))
        if journal.places:
            log.info("going on with %d of %d variants", len(journal.places), len(job.plan))
        clock = _Clock(len(job.plan), len(journal.places), progress)
        left = [index for index in range(len(job.plan)) if index not in journal.places]
        try:
            for row in execution.rows(job, left):
                kept = frame.accept(row)
                facts = {"reason": kept.reason, "warnings": kept.warnings, "seconds": kept.seconds}
                journal.append(kept.index, facts, kept.values)
                clock.tell(kept)
        except BaseException:
            if not journal.places:  # nothing to go on with: it would only be in the way
                journal.remove()
            raise
        write_dataset(frame, lambda index: _row_of(journal, index), path)
        journal.remove()
    return open_study(path)


def _row_of(journal: Journal, index: int) -> Row:
    facts, values = journal.read(index)
    reason, warnings, seconds = (facts.get(key) for key in ("reason", "warnings", "seconds"))
    if not (isinstance(reason, str) and isinstance(warnings, str) and isinstance(seconds, int | float)):
        raise StorageError(f"{journal.path}: record {index} is not one of a study")
    return Row(index, values, reason, warnings, seconds)


def _execution(workers: int, dask: str | None) -> Execution:
    count = whole(workers, "workers", 0) or cores()
    if dask is not None:
        return Cluster(dask)
    return Processes(count) if count > 1 else Here()


def _place(out: str | Path) -> Path:
    path = place_to_write(out, StorageError)
    if path.suffix not in ENDINGS:
        raise StorageError(f"{path}: a study ends in {' or '.join(ENDINGS)}")
    if not path.parent.is_dir():
        raise StorageError(f"{path}: cannot be written (its folder does not exist)")
    return path


def _journal(path: Path) -> Path:
    """Where finished variants are until all are."""
    return path.with_name(f"{path.name}.journal")


def _finished(path: Path, about: Mapping[str, Any]) -> "xr.Dataset":
    """A study that has nothing left to do."""
    found = open_study(path)
    try:
        refuse_other(path, parse_json(str(found.attrs.get("study"))), json.loads(json.dumps(about)))
    except BaseException:
        found.close()
        raise
    log.info("%s is finished", path)
    return found


def _first(
    source: Source, plan: Plan, options: Mapping[str, Any], step: float | None
) -> tuple[int, Equations]:
    """A variant that can be formulated: it tells the channels, and whether all is as before.

    The first one; where it cannot be, one of a few others from the whole of the plan.

    Raises
    ------
    FlexnetError
        If none of them can be.
    """
    job = Job(source, plan, (), None, step, options)
    why, count = "", min(_TRIED, len(plan))
    tried = np.linspace(0, len(plan) - 1, count).astype(int).tolist()
    for index in tried:
        try:
            return index, job.equations(index)
        except (Exception, SystemExit) as error:
            why = why or told(error)
    raise ModelError(f"none of {count} variants that were tried can be formulated; the first: {why}")


def _job(
    source: Source, plan: Plan, outputs: tuple[Output, ...], end: float | None, step: float | None,
    options: Mapping[str, Any],
) -> Job:  # fmt: skip
    """The job; what it is not told it takes from the case file."""
    end = source.constants.get("END") if end is None else end
    step = source.constants.get("STEP") if step is None else step
    if any(output.needs_run for output in outputs):
        for name, value in (("end", end), ("step", step)):
            if value is None:
                raise ModelError(
                    f"the study needs {name}, s: give it, or {name.upper()} = … in the case file"
                )
            number(value, f"the {name} of a run", above=0.0)
    return Job(source, plan, outputs, end, step, dict(options))


def _about(job: Job, first: int, equations: Equations) -> dict[str, Any]:
    """What decides the numbers of a study, as it is compared when it is gone on with."""
    options = {key: repr(value) for key, value in sorted(job.options.items())}
    return {
        "parameters": list(job.plan.names), "variants": len(job.plan), "values": job.plan.digest,
        "sampling": job.plan.sampling, "seed": job.plan.seed,
        "outputs": {output.name: output.told for output in job.outputs},
        "end": job.end, "step": job.step, "options": options,
        "model": f"{model_hash(equations)[:32]} of variant {first}", "source": job.source.told,
    }  # fmt: skip


def _units(source: Source, plan: Plan, outputs: tuple[Output, ...], system: System) -> dict[str, str]:
    units = {name: source.described(name)[1] for name in plan.names}
    return units | {output.name: output.unit(system) for output in outputs}


class _Clock:
    """Tells how far a study is, and how long it will take."""

    def __init__(self, total: int, before: int, progress: Progress | None) -> None:
        self._total, self._before, self._done, self._failed = total, before, before, 0
        self._progress, self._began = progress, time.monotonic()
        self._structures: set[str] = set()

    def tell(self, row: Row) -> None:
        """Count a row."""
        self._done += 1
        self._failed += bool(row.reason)
        if row.structure and row.structure not in self._structures:
            if self._structures:
                text = "variant %d has another structure (trees, rows or laws): formulated and compiled anew"
                log.info(text, row.index)
            self._structures.add(row.structure)
        if self._progress is not None:
            each = (time.monotonic() - self._began) / (self._done - self._before)
            self._progress(self._done, self._total, self._failed, each * (self._total - self._done))
