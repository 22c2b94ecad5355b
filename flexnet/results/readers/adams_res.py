"""Adams result files (``.res``, XRF XML) as channels, read without keeping the file in memory."""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from flexnet.errors import FileFormatError, ResultError
from flexnet.results.channel_set import ChannelSet
from flexnet.results.readers.registry import Units, reader
from flexnet.results.readers.table import check_unit
from flexnet.results.readers.tabular import with_orientations
from flexnet.results.readers.xrf import Component, Step, StepMap, XrfParser
from flexnet.results.series import Channel, Series
from flexnet.typing import Array
from flexnet.units import conversion

FORMAT = "Adams results (XRF)"
# of the types of step in an analysis, the first of these that is there is read
PREFERENCE = ("dynamic", "kinematic", "quasiStatic", "static", "initialConditions", "input")
KEEP = 1 << 25  # numbers; an analysis with fewer is kept in memory once one channel was read


@dataclass(slots=True)
class _Analysis:
    """What the first pass learns of one analysis: components, and the times of each type of step."""

    map: StepMap
    time_id: int
    times: dict[str, "array[float]"] = field(default_factory=dict)
    unsorted: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the analysis."""
        return self.map.analysis

    @property
    def components(self) -> Mapping[int, Component]:
        """Numbers of a step, by id."""
        return self.map.components


def read_adams_res(
    path: str | Path, steps: str | None = None, units: Mapping[str, str] | None = None
) -> ChannelSet:
    """Read an Adams result file.

    The file is read once to list and check it, and again when channels are asked for.

    Parameters
    ----------
    path : path of the file.
    steps : type of step to read, such as ``"static"``; if not given, for each analysis the first that
        it has of dynamic, kinematic, quasiStatic, static, initialConditions, input.
    units : units that replace those of the file, by channel name.

    Notes
    -----
    A channel is named ``ENTITY.COMPONENT``; where the file holds several analyses, their name comes
    first. Entities ``…_XFORM`` also give their orientation as ``…_XFORM.QUATERNION``.

    Raises
    ------
    FileFormatError
        If the file is not a whole XRF file; names the line.
    """
    path = Path(path)
    analyses = _scan(path)
    kinds = [_chosen(path, analysis, steps) for analysis in analyses]
    prefix = len(analyses) > 1
    found: dict[str, tuple[int, Component, Channel]] = {}
    for k, analysis in enumerate(analyses):
        for component in analysis.components.values():
            if component.id != analysis.time_id:
                name = f"{analysis.name}.{component.name}" if prefix else component.name
                if name in found:
                    raise FileFormatError(f"{path}: channel {name!r} is there twice")
                unit = (units or {}).get(name, component.unit)
                check_unit(f"{path}: channel {name!r}", unit)
                found[name] = (k, component, Channel(name, unit))
    unknown = (units or {}).keys() - found.keys()
    if unknown:
        raise FileFormatError(f"{path}: no channel {min(unknown)!r} to give a unit to")
    kept: dict[int, Array] = {}

    def load(name: str) -> Series:
        k, component, channel = found[name]
        analysis, kind = analyses[k], kinds[k]
        time = _seconds(path, analysis) * np.array(analysis.times[kind])
        if len(time) * len(analysis.components) > KEEP:
            return Series(channel, time, _columns(path, analysis.map.index, kind, [component.id])[:, 0])
        if k not in kept:
            kept[k] = _columns(path, analysis.map.index, kind, list(analysis.components))
        return Series(channel, time, kept[k][:, list(analysis.components).index(component.id)])

    channels = [channel for _, _, channel in found.values()]
    return with_orientations(path, FORMAT, channels, load, _provenance(analyses, kinds))


def _scan(path: Path) -> list[_Analysis]:
    """Read the whole file once: check every step, keep the times."""
    analyses: dict[int, _Analysis] = {}

    def on_step(step: Step) -> None:
        if step.map.index not in analyses:
            analyses[step.map.index] = _Analysis(step.map, _time_id(step.map))
        analysis = analyses[step.map.index]
        times = analysis.times.setdefault(step.type, array("d"))
        time = float(step.values[analysis.time_id - 1])
        if times and time <= times[-1]:
            how = "is repeated" if time == times[-1] else f"comes after {times[-1]:.17g}"
            analysis.unsorted.setdefault(step.type, f"{path}, line {step.line}: time {time:.17g} {how}")
        times.append(time)

    XrfParser(path, on_step).parse()
    if not analyses:
        raise FileFormatError(f"{path}: holds no steps")
    return list(analyses.values())


def _time_id(map_: StepMap) -> int:
    """Return the id of the component called TIME, else 1."""
    return next((c.id for c in map_.components.values() if c.name.upper().endswith(".TIME")), 1)


def _chosen(path: Path, analysis: _Analysis, steps: str | None) -> str:
    """Choose the type of step to read and check that its time increases."""
    order = (steps,) if steps else (*PREFERENCE, *analysis.times)
    kind = next((kind for kind in order if kind in analysis.times), None)
    if kind is None:
        there = ", ".join(analysis.times)
        raise FileFormatError(
            f"{path}: analysis {analysis.name!r} has no steps of type {steps!r}, only {there}"
        )
    if kind in analysis.unsorted:
        raise FileFormatError(analysis.unsorted[kind])
    _seconds(path, analysis)
    return kind


def _seconds(path: Path, analysis: _Analysis) -> float:
    """Return the factor from the file's time to seconds."""
    component = analysis.components.get(analysis.time_id)
    try:
        return conversion(component.unit if component and component.unit else "s", "s")
    except ResultError as error:
        raise FileFormatError(f"{path}: time of analysis {analysis.name!r}: {error}") from error


def _columns(path: Path, index: int, kind: str, ids: list[int]) -> Array:
    """Read the values with the given ids from the steps of one type under the map with that index."""
    picked = array("d")
    places = np.array(ids) - 1

    def on_step(step: Step) -> None:
        if step.map.index == index and step.type == kind:
            picked.frombytes(step.values[places].tobytes())

    XrfParser(path, on_step).parse()
    return np.array(picked).reshape(-1, len(ids))


def _provenance(analyses: list[_Analysis], kinds: list[str]) -> dict[str, str]:
    told: dict[str, str] = {}
    for analysis, kind in zip(analyses, kinds, strict=True):
        for key, value in analysis.map.provenance.items():
            told[f"{analysis.name}: {key}" if len(analyses) > 1 else key] = value
        counts = ", ".join(f"{len(times)} {name}" for name, times in analysis.times.items())
        told[f"{analysis.name}: steps"] = f"{counts}; {kind} steps are read"
    return told


@reader(".res", lambda head: head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"))
def _read(path: Path, units: Units | None, steps: str | None) -> ChannelSet:
    return read_adams_res(path, steps, units)
