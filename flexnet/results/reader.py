"""Reading of result files: lazy, into NumPy arrays, pandas frames and channels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexnet.errors import FileFormatError, ResultError
from flexnet.results.channel_set import ChannelSet
from flexnet.results.interpolation import interpolate, interpolate_rotation
from flexnet.results.layout import SCHEMA, WXYZ, happened
from flexnet.results.mechanism import Mechanism, mechanism_from_tree
from flexnet.results.series import ORIENTATION, SCALAR, Channel, Series
from flexnet.store import Column, RecordReader, parse_json
from flexnet.typing import AnyArray, Array, IntArray
from flexnet.validation import missing

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


#: what a run has of its own and a file does not: files know nothing of pictures
_ELSEWHERE = {
    "plot": "fx.plot(results, …)",
    "animate": "flexnet.view.animate(results, …)",
    "view": "flexnet.analysis.view(results, …)",
    "names": "results.channels(), or results.paths()",
    "t": "results.time",
}


@dataclass(frozen=True, slots=True)
class RunStatus:
    """How a run stands: ``running`` (or killed), ``finished``, ``interrupted``, ``failed``, and why."""

    state: str
    message: str


@dataclass(frozen=True, slots=True, eq=False)
class FrameMotion:
    """Motion of a frame at the output times, global components.

    Parameters
    ----------
    position : (n, 3) array, m.
    quaternion : (n, 4) array, scalar first, frame to global.
    velocity : (n, 3) array, m/s.
    angular_velocity : (n, 3) array, rad/s.
    """

    position: Array
    quaternion: Array
    velocity: Array
    angular_velocity: Array


@dataclass(frozen=True, slots=True, eq=False)
class JointLoad:
    """Reaction of a joint, or load of a driver, at the output times, global components.

    Parameters
    ----------
    force : (n, 3) array, N.
    torque : (n, 3) array, N m.
    """

    force: Array
    torque: Array


@dataclass(frozen=True, slots=True)
class Results:
    """A result file; nothing is read before it is asked for.

    Parameters
    ----------
    path : path of the file; one that is being written, or whose writer was killed, reads as well.
    rows : number of output times when it was opened; rows written later are not seen.

    Raises
    ------
    FileFormatError
        If the file is not a readable result file.
    """

    path: Path
    rows: int
    _record: RecordReader

    @classmethod
    def open(cls, path: str | Path) -> "Results":
        """Open a result file."""
        record = RecordReader(path, SCHEMA)
        return cls(Path(path), record.count, record)

    def __repr__(self) -> str:
        asked = ", ".join(channel.name for channel in self.channels())
        return f"results: {self.path}, {self.status.state}, {self.rows} rows" + (
            f"; channels: {asked}" if asked else ""
        )

    if not TYPE_CHECKING:  # a checker knows what there is

        def __getattr__(self, name: str) -> Any:
            return missing(self, name, _ELSEWHERE)

    @property
    def status(self) -> RunStatus:
        """How the run stands."""
        return RunStatus(*self._record.status())

    @property
    def attributes(self) -> Mapping[str, object]:
        """Root attributes: case, versions, date, integrator settings, model hash."""
        return self._record.attributes()

    @property
    def settings(self) -> dict[str, object]:
        """Name and settings of the integrator."""
        told = parse_json(str(self.attributes.get("integrator", "{}")))
        if not isinstance(told, dict):
            raise FileFormatError(f"{self.path}: the settings of the integrator are not a JSON object")
        return told

    @property
    def time(self) -> Array:
        """(n,) output times, s."""
        return self.read("time")

    @property
    def has_digests(self) -> bool:
        """Whether the file carries digests of its numbers; one of version 1 does not."""
        return self.attributes.get("schema_version") != 1

    def memory(self) -> tuple[int, dict[str, Array]] | None:
        """The last row after which the integrator can go on, and what it needs for that; None if nowhere."""
        return self._record.memory()

    def damage(self, is_deep: bool = True) -> tuple[str, ...]:
        """Say in words what is damaged: of all numbers, or only what shows when the file is opened."""
        return self._record.damage(is_deep)

    def paths(self) -> tuple[str, ...]:
        """List every dataset that has one entry per output time."""
        return self._record.paths

    def read(self, path: str, rows: slice | IntArray | None = None, part: int | None = None) -> AnyArray:
        """Read a dataset by its path: all rows, a slice of them or those of some numbers; or a part of each.

        Raises
        ------
        FileFormatError
            If rows are damaged, or are times that do not increase.
        """
        if rows is None or isinstance(rows, slice):
            rows = slice(*(rows or slice(None)).indices(self.rows))
        data = self._record.read(path, rows, part)
        if path == "time" and (not np.isfinite(data).all() or not (np.diff(data) > 0).all()):
            raise FileFormatError(f"{self.path}: time is not finite and increasing")
        return data

    def row(self, index: int) -> dict[str, AnyArray]:
        """Read everything at one output time; ``-1`` is the last, from which a run is resumed."""
        if not -self.rows <= index < self.rows:
            raise ResultError(f"{self.path}: no row {index} among {self.rows}")
        start = index % self.rows
        return {path: self.read(path, slice(start, start + 1))[0] for path in self.paths()}

    def state(self, key: str) -> Array:
        """Read ``"q"``, ``"v"``, ``"a"`` or ``"lambda"`` as an (n, ·) array."""
        path = f"state/{key}"
        return self.read(path) if path in self.paths() else np.zeros((self.rows, 0))

    def names(self, path: str) -> tuple[str, ...]:
        """List the names of the entries of a dataset; none for one number per row."""
        names = self._record.column(path).attributes.get("names", ())
        assert isinstance(names, tuple)
        return names

    def frame(self, name: str) -> FrameMotion:
        """Read the motion of a frame."""
        keys = ("position", "quaternion", "velocity", "angular_velocity")
        return FrameMotion(*(self.read(f"frames/{name}/{key}") for key in keys))

    def joint(self, name: str) -> JointLoad:
        """Read the reactions of a joint or the load of a driver."""
        return JointLoad(*(self.read(f"joints/{name}/{key}") for key in ("force", "torque")))

    @property
    def events(self) -> tuple[tuple[float, str, float, float], ...]:
        """What happened: time (s), name, impulse (N s, N m s) and change of the energy (J) of each."""
        names = [path.split("/")[1] for path in self.paths() if path.startswith("events/")]
        return happened(dict.fromkeys(names), self.read)

    def elastic(self, body: str) -> Array:
        """Read the elastic coordinates of a flexible body, (n, modes)."""
        return self.read(f"bodies/{body}/elastic")

    def group(self, name: str) -> dict[str, AnyArray]:
        """Read a group of numbers by name: ``"energy"``, ``"constraints"``, ``"solver"``, ``"channels"``."""
        inside = [path for path in self.paths() if path.startswith(f"{name}/")]
        return {path.removeprefix(f"{name}/"): self.read(path) for path in inside}

    def mechanism(self) -> Mechanism:
        """Read what is needed to draw the mechanism.

        Raises
        ------
        ResultError
            If the file does not hold it.
        """
        if "model" not in self._record.tree_names():
            raise ResultError(f"{self.path}: holds no model to draw")
        try:
            return mechanism_from_tree(self._record.tree("model"))
        except FileFormatError as error:
            raise FileFormatError(f"{self.path}: {error}") from error

    def at(self, path: str, times: Array) -> AnyArray:
        """Interpolate a dataset at the given times, s; exact at the output times."""
        column = self._record.column(path)
        rate = column.attributes.get("rate")
        rates = self.read(str(rate)) if rate else None
        how = interpolate_rotation if is_orientation(path) else interpolate
        return how(self.time, self.read(path).astype(float), np.asarray(times, dtype=float), rates)

    def channel_set(self) -> ChannelSet:
        """Return every number of the file as a channel, the case's own first.

        Names are those of the case's channels, then paths with the component: ``frames/A/position/x``,
        ``joints/O/force/y``, ``energy/total``; ``frames/A/quaternion`` is an orientation.
        """
        columns = sorted(self._record.columns(), key=lambda c: (not c.path.startswith("channels/"), c.path))
        found = {
            channel.name: (channel, column, k) for column in columns for channel, k in channels_of(column)
        }
        if unfit := next((name for name in found if not name.isprintable()), None):
            raise FileFormatError(f"{self.path}: {unfit!r} names a channel and cannot be printed")
        provenance = {key: str(value) for key, value in self.attributes.items()}
        status = self.status
        provenance["status"] = ", ".join(filter(None, (status.state, status.message)))
        channels = tuple(channel for channel, _, _ in found.values())
        return ChannelSet(
            self.path, "flexnet results", channels, lambda name: self._series(*found[name]), provenance,
            tuple(name for name, (_, column, _) in found.items() if column.path.startswith("channels/")),
            lambda name, rows: self._series(*found[name], rows),
        )  # fmt: skip

    def channels(self) -> tuple[Channel, ...]:
        """List the channels the case asked for, with units."""
        columns = (c for c in self._record.columns() if c.path.startswith("channels/"))
        return tuple(channel for column in columns for channel, _ in channels_of(column))

    def channel(self, name: str) -> Series:
        """Read a channel's history by any name of :meth:`channel_set`."""
        return self.channel_set().read(name)

    def to_pandas(self, names: Sequence[str] | None = None) -> "pd.DataFrame":
        """Return channels as a pandas frame indexed by time, s: those named, or those of the case.

        Raises
        ------
        ResultError
            If pandas is not installed, or a channel is unknown.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ResultError("pandas is not installed; try: pip install 'flexnet[pandas]'") from error
        channels = self.channel_set()
        chosen = [c.name for c in self.channels()] if names is None else names
        data: dict[str, Array] = {}
        for name in chosen:
            series = channels.read(name)
            if series.channel.kind == SCALAR:
                data[name] = series.values
            else:
                data |= {f"{name}/{part}": series.values[:, k] for k, part in enumerate(WXYZ)}
        return pd.DataFrame(data, index=pd.Index(self.time, name="time"))

    def to_xarray(self, names: Sequence[str] | None = None) -> "xr.Dataset":
        """Return channels as an xarray dataset along time, s, each with its unit: those named, or the case's.

        Raises
        ------
        ResultError
            If xarray is not installed, or a channel is unknown.
        """
        try:
            import xarray as xr
        except ImportError as error:
            raise ResultError("xarray is not installed; try: pip install 'flexnet[xarray]'") from error
        channels = self.channel_set()
        chosen = [c.name for c in self.channels()] if names is None else names
        data = {}
        for name in chosen:
            series = channels.read(name)
            along = ("time",) if series.channel.kind == SCALAR else ("time", "wxyz")
            data[name] = (along, series.values, {"units": series.channel.unit or ""})
        return xr.Dataset(data, {"time": ("time", self.time, {"units": "s"})})

    def _series(self, channel: Channel, column: Column, k: int | None, rows: slice | None = None) -> Series:
        """Read one channel: a dataset, or one component of it, with its rate where there is one."""
        values = self.read(column.path, rows, k).astype(float, copy=False)
        rate = column.attributes.get("rate")
        rates = self.read(str(rate), rows, k) if rate else None
        return Series(channel, self.read("time", rows), values, rates)


def is_orientation(path: str) -> bool:
    """Say whether a dataset holds unit quaternions."""
    return path.endswith("/quaternion")


def channels_of(column: Column) -> Iterator[tuple[Channel, int | None]]:
    """Yield the channels of a dataset, each with the component it takes, or ``None`` for all."""
    names, units = column.attributes.get("names", ()), column.attributes.get("units", ())
    unit = column.attributes.get("unit")
    unit = str(unit) if unit else None
    text = str(column.attributes.get("description", ""))
    assert isinstance(names, tuple)
    assert isinstance(units, tuple)
    if column.path == "time" or column.path.startswith("solver/memory/"):
        return
    if is_orientation(column.path):
        yield Channel(column.path, "1", ORIENTATION, text), None
    elif not column.shape:
        yield Channel(column.path.removeprefix("channels/"), unit, SCALAR, text), None
    else:
        for k, name in enumerate(names):
            yield Channel(f"{column.path}/{name}", (units[k] or None) if units else unit, SCALAR, text), k
