"""A curve that a case is held against, and the run that is compared with it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from flexnet.analysis.run import Run
from flexnet.analysis.simulate import simulate
from flexnet.errors import ModelError
from flexnet.integrators import Method
from flexnet.results import ChannelSet
from flexnet.results.comparison import CompareOptions, Comparison, compare
from flexnet.results.readers import read_channels
from flexnet.results.series import Channel, Series
from flexnet.results.tolerance import parse_tolerance
from flexnet.system import System
from flexnet.typing import Array

#: values by channel at given times, (n,) s
Curve = Callable[[Array], Mapping[str, Array]]
#: what follows from the columns of a run: unit and values by name
Observation = Callable[[Run], Mapping[str, tuple[str, Array]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A published or independent curve of a case, and how close the case must come to it.

    Parameters
    ----------
    source : where the curve comes from and how accurate it is, in one sentence.
    tolerances : ``[CHANNEL=]VALUE[%][:peak|rms|max]``, as ``flexnet compare --tolerance`` takes them.
    file : file of the curve, from the folder of the case; or
    curve : function of time that gives the exact values by channel.
    columns : column of the file by channel of the case; by name if left out.
    settings : parameters of ``build``.
    end, step : of the simulation, s.
    start : compare from this time on, s.
    interval : time between the rows compared, s; every step if left out.
    method : integrator; HHT-α with α = -0.1 if left out.
    tree, require, counts, virtual : as in :func:`~flexnet.analysis.simulate`.
    project : project velocities on their constraints after every step.
    observe : what the curve holds, found from the run, where no channel of the case is that.
    from_start : compare how far a channel has moved since the start, where the curve is a displacement.
    """

    source: str
    tolerances: tuple[str, ...]
    end: float
    step: float
    file: str = ""
    curve: Curve | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    start: float = 0.0
    interval: float | None = None
    method: Method | None = None
    tree: str = "default"
    project: bool = False
    observe: Observation | None = None
    from_start: bool = False
    require: tuple[str, ...] = ()
    counts: str = "spatial"
    virtual: bool = False

    def __post_init__(self) -> None:
        if bool(self.file) == (self.curve is not None):
            raise ModelError(f"reference {self.source!r} needs either a file or a curve")
        if not self.source.strip():
            raise ModelError("a reference must say where it comes from")
        if not self.tolerances:
            raise ModelError(f"reference {self.source!r} has no tolerance: nothing could fail")


def check(build: Callable[..., System], reference: Reference, folder: Path, out: Path) -> Comparison:
    """Simulate a case and compare it with one of its references.

    Parameters
    ----------
    build : function that returns the System.
    reference : what it is held against.
    folder : where the case stands; files of references are found from it.
    out : result file to write.
    """
    run = simulate(
        build(**reference.settings),
        reference.end,
        reference.step,
        method=reference.method,
        tree=reference.tree,
        interval=reference.interval,
        project=reference.project,
        out=out,
        require=reference.require,
        counts=reference.counts,
        virtual=reference.virtual,
    )
    assert run.path is not None
    result = read_channels(run.path)
    if reference.observe is not None:
        result = _observed(result, run, reference.observe)
    if reference.from_start:
        result = replace(result, load=partial(_moved, result))
    if reference.curve is None:
        expected = read_channels(folder / reference.file)
    else:
        expected = _exact(reference.curve, run["time"], result)
    columns = reference.columns or {name: name for name in expected.names()}
    limits = dict(parse_tolerance(text) for text in reference.tolerances)
    return compare(result, expected, CompareOptions(columns, limits, reference.start, reference.end))


def _observed(result: ChannelSet, run: Run, observe: Observation) -> ChannelSet:
    """Return what is found from a run as channels."""
    found = {
        name: Series(Channel(name, unit), run.t, values) for name, (unit, values) in observe(run).items()
    }
    return replace(result, channels=tuple(s.channel for s in found.values()), load=found.__getitem__)


def _moved(result: ChannelSet, name: str) -> Series:
    """Return a channel less its first value."""
    series = result.read(name)
    return replace(series, values=series.values - series.values[0])


def _exact(curve: Curve, time: Array, result: ChannelSet) -> ChannelSet:
    """Return a function of time as channels, in the units of the result."""
    values = {name: np.asarray(v, dtype=float) for name, v in curve(time).items()}
    channels = {name: Channel(name, result.channel(name).unit) for name in values}
    return ChannelSet(
        result.path,
        "closed form",
        tuple(channels.values()),
        lambda name: Series(channels[name], time, values[name]),
    )
