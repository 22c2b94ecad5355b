"""One variant: built, formulated, run and asked for its outputs; whatever happens to it is a row."""

import inspect
import logging
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from flexnet.analysis import Run, choose, simulate
from flexnet.errors import FlexnetError, ModelError
from flexnet.formulation import Equations
from flexnet.formulation.scale import model_scale
from flexnet.integrators import hht
from flexnet.studies.outputs import TIME, Output
from flexnet.studies.plan import Plan
from flexnet.studies.source import Source
from flexnet.typing import Array
from flexnet.validation import nearest

#: arguments of a run that a study decides
_OURS = frozenset({"system", "end", "step", "out", "resume", "overwrite", "progress", "throw", "block"})
#: variants that are computed before any of them is told
_MOST = 256
#: steps of a run that is made for its machine code alone
_FEW = 2


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """What came out of one variant.

    Attributes
    ----------
    index : of the variant.
    values : outputs by name; empty where it failed.
    reason : why it failed; empty where it did not.
    warnings : what its run has to say about its validity.
    seconds : it took, s.
    structure : digest of its trees, rows and laws, which variants with other numbers share.
    """

    index: int
    values: Mapping[str, Array] = field(default_factory=dict)
    reason: str = ""
    warnings: str = ""
    seconds: float = 0.0
    structure: str = ""


def batch_of(rows: Sequence[Row], seconds: float) -> int:
    """Variants that take some time together, s, each as long as the last ones took."""
    each = sum(row.seconds for row in rows) / len(rows)
    return max(1, min(_MOST, int(seconds / max(each, 1e-6))))


@dataclass(frozen=True, slots=True)
class Job:
    """All a worker must know of a study.

    Attributes
    ----------
    source : what builds a variant.
    plan : the variants.
    outputs : what is kept of each.
    end, step : of a run, s; None where no output needs one.
    options : further arguments of :func:`flexnet.simulate`.
    """

    source: Source
    plan: Plan
    outputs: tuple[Output, ...]
    end: float | None
    step: float | None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def needs_run(self) -> bool:
        """Whether a variant is simulated."""
        return any(output.needs_run for output in self.outputs)

    def equations(self, index: int) -> Equations:
        """The equations of one variant."""
        how = {"tree": "default", "engine": "auto", **self.options}
        kept = {key: how[key] for key in ("require", "counts", "virtual") if key in how}
        system, method = self.source.system(self.plan[index]), how.get("method") or hht()
        step = self.step or 1e-3 * model_scale(system).time  # of trials, where trees are measured
        return choose(system, how["tree"], step, method, how["engine"], **kept, end=self.end)

    def run(self, equations: Equations, end: float | None = None) -> Run:
        """The motion of a variant."""
        assert self.step is not None
        assert self.end is not None
        trees = ("tree", "require", "counts", "virtual")
        options = {key: value for key, value in self.options.items() if key not in trees}
        if end is not None:
            options.pop("interval", None)
        return simulate(equations, self.end if end is None else end, self.step, **options)

    def row(self, index: int) -> Row:
        """Evaluate one variant; an error is a row with its reason."""
        log, began = logging.getLogger("flexnet"), time.perf_counter()
        values: dict[str, Array] = {}
        run, reason, structure, is_silent = None, "", "", log.disabled
        with warnings.catch_warnings():
            # what a run warns of is in its warnings, which are kept
            warnings.simplefilter("ignore")
            log.disabled = True
            try:
                equations = self.equations(index)
                structure = structure_of(equations)
                run = self.run(equations) if self.needs_run else None
                values = {output.name: output.of(equations, run) for output in self.outputs}
                if run is not None and any(self._is_over_time(output) for output in self.outputs):
                    values[TIME] = run.t
            except (Exception, SystemExit) as error:
                values, reason = {}, told(error)
            finally:
                log.disabled = is_silent
        said = " ".join(run.warnings) if run is not None else ""
        return Row(index, values, reason, said, time.perf_counter() - began, structure)

    def warm(self, index: int) -> None:
        """Have everything compiled that a variant needs, by its first steps."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                equations = self.equations(index)
                if self.needs_run and self.step is not None:
                    self.run(equations, _FEW * self.step)
            except (Exception, SystemExit):
                # what fails here fails again in its row, and is said there
                return

    def _is_over_time(self, output: Output) -> bool:
        return output.word == "channel"


def structure_of(equations: Equations) -> str:
    """Digest of what variants that differ in numbers alone have in common."""
    names = equations.T.names, equations.R.names, equations.redundant, equations.coordinates.q_names
    return f"{crc32(repr((names, equations.packer.families.digest)).encode()):08x}"


def check_options(options: Mapping[str, Any]) -> None:
    """Refuse options that a run does not have.

    Raises
    ------
    ModelError
        Naming the nearest one.
    """
    known = [name for name in inspect.signature(simulate).parameters if name not in _OURS]
    for name in options:
        if name not in known:
            raise ModelError(
                f"study() has no option {name!r}{nearest(name, known) or '; a run has ' + ', '.join(known)}"
            )


def told(error: BaseException) -> str:
    """Why a variant failed, in one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if isinstance(error, FlexnetError) else f"{type(error).__name__}: {text}"
