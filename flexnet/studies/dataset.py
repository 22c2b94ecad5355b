"""Rows of a study as an xarray Dataset: in memory, or in a NetCDF or Zarr file written block by block."""

import json
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexnet.errors import FlexnetError, ResultError, StorageError
from flexnet.store import check_study, writing
from flexnet.store.draft import prefix
from flexnet.store.hdf5 import reason_of
from flexnet.studies.job import Row
from flexnet.studies.outputs import OUTPUTS, TIME, Output
from flexnet.studies.plan import Plan
from flexnet.typing import Array

if TYPE_CHECKING:
    import xarray as xr

SCHEMA, VERSION = "flexnet-study", 1
VARIANT = "variant"
#: names that every study has
OWN = (VARIANT, TIME, "failure", "warnings", "seconds")
#: bytes of outputs that are in memory while a file is written
BLOCK = 32 << 20
ENDINGS = (".nc", ".zarr")
_OTHER_TIMES = (
    "its output times are not those of the first variant; give an interval, or no channels over time"
)


@dataclass(slots=True, eq=False)
class Frame:
    """What every row of a study has: the shapes of its outputs, and what is known of them beside numbers.

    Attributes
    ----------
    plan, outputs : of the study.
    units : of outputs and parameters, by name.
    texts : descriptions of parameters, by name.
    attributes : of the whole.
    shapes : of outputs, by name; known from the first row that did not fail.
    time : output times, (rows,) s; None where nothing is kept over time.
    """

    plan: Plan
    outputs: tuple[Output, ...]
    units: Mapping[str, str]
    texts: Mapping[str, str]
    attributes: Mapping[str, str | int]
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    time: Array | None = None

    def accept(self, row: Row) -> Row:
        """A row as it is kept: one that does not fit the first is a failure, times are kept once."""
        if row.reason:
            return row
        times = row.values.get(TIME)
        rest = {name: value for name, value in row.values.items() if name != TIME}
        for name, value in rest.items():
            wanted = self.shapes.setdefault(name, value.shape)
            if value.shape != wanted:
                reason = (
                    f"output {name!r} has the shape {value.shape}; that of the first variant has {wanted}"
                )
                return replace(row, values={}, reason=reason)
        if times is None:
            return row
        if self.time is None:
            self.time = times
            return row
        if not np.array_equal(times, self.time):
            return replace(row, values={}, reason=_OTHER_TIMES)
        return replace(row, values=rest)

    @property
    def block(self) -> int:
        """Variants of which the outputs fill a block of memory."""
        numbers = sum(int(np.prod(shape, dtype=np.int64)) for shape in self.shapes.values())
        return max(1, min(len(self.plan), BLOCK // (8 * max(numbers, 1))))

    def dims(self, output: Output) -> tuple[str, ...]:
        """Dimensions of an output after that of the variants."""
        shape, along = self.shapes.get(output.name, ()), _along(output)
        # outputs of one dimension share it if they are as long as each other
        others = {self.shapes.get(o.name, ()) for o in self.outputs if along and _along(o) == along} - {()}
        if along and along not in self.plan.names and len(shape) == 1 and len(others) == 1:
            return (along,)
        return tuple(f"{output.name}_{k}" for k in range(len(shape)))


def _along(output: Output) -> str:
    """Dimension that outputs of this word share; empty for a number or a function."""
    return OUTPUTS[output.word].along if output.word else ""


def make_dataset(frame: Frame, row_of: Callable[[int], Row | None], start: int, stop: int) -> "xr.Dataset":
    """Variants from ``start`` to ``stop``; what is not finished or failed is NaN."""
    library = xarray()
    n = stop - start
    data = {o.name: np.full((n, *frame.shapes.get(o.name, ())), np.nan) for o in frame.outputs}
    failure, said = np.full(n, "", dtype=object), np.full(n, "", dtype=object)
    seconds = np.full(n, np.nan)
    for k in range(n):
        row = row_of(start + k)
        failure[k] = "not computed" if row is None else row.reason
        if row is not None:
            said[k], seconds[k] = row.warnings, row.seconds
            for name in data.keys() & row.values.keys():
                data[name][k] = row.values[name]
    variables: dict[str, Any] = {
        o.name: (
            (VARIANT, *frame.dims(o)),
            data[o.name],
            {"units": frame.units.get(o.name, ""), "output": o.told},
        )
        for o in frame.outputs
    }
    variables["failure"] = (VARIANT, failure, {"long_name": "why a variant failed; empty where it did not"})
    variables["warnings"] = (VARIANT, said, {"long_name": "what a run says about its own validity"})
    variables["seconds"] = (VARIANT, seconds, {"units": "s", "long_name": "time a variant took"})
    coordinates: dict[str, Any] = {VARIANT: np.arange(start, stop)}
    for name, column in zip(frame.plan.names, frame.plan.columns, strict=True):
        about = {"units": frame.units.get(name, ""), "long_name": frame.texts.get(name, "")}
        coordinates[name] = (VARIANT, _column(column, start, stop), about)
    if frame.time is not None:
        coordinates[TIME] = (TIME, frame.time, {"units": "s"})
    attributes = {"schema": SCHEMA, "schema_version": VERSION, **frame.attributes}
    made: xr.Dataset = library.Dataset(variables, coordinates, attributes)
    return made


def _column(column: tuple[Any, ...], start: int, stop: int) -> Any:
    """Values of a parameter with the type that all of them together have."""
    kinds = {type(x) for x in column}
    if kinds <= {bool}:
        return np.array(column[start:stop], dtype=bool)
    if kinds <= {int}:
        return np.array(column[start:stop], dtype=np.int64)
    if kinds <= {int, float}:
        return np.array(column[start:stop], dtype=float)
    return np.array([str(x) for x in column[start:stop]], dtype=object)


def write_dataset(frame: Frame, row_of: Callable[[int], Row | None], path: Path) -> None:
    """Write all variants to a file that ends in ``.nc`` (NetCDF 4) or ``.zarr``.

    Raises
    ------
    StorageError
        If something else is at the path, or the disk refuses.
    """
    places = range(0, len(frame.plan), frame.block)
    blocks = (make_dataset(frame, row_of, k, min(k + frame.block, len(frame.plan))) for k in places)
    try:
        if path.suffix == ".nc":
            with writing(path, b"\x89HDF\r\n\x1a\n", SCHEMA, schema_of_study) as draft:
                _write_netcdf(draft, blocks)
        else:
            _write_zarr(path, blocks)
    except (OSError, RuntimeError) as error:
        raise StorageError(f"{path}: cannot be written ({reason_of(error)})") from error


def _write_netcdf(draft: Path, blocks: Iterator["xr.Dataset"]) -> None:
    import h5netcdf

    next(blocks).to_netcdf(draft, engine="h5netcdf", unlimited_dims=[VARIANT])
    for block in blocks:
        with h5netcdf.File(draft, "a") as file:
            start = len(file.dimensions[VARIANT])
            file.resize_dimension(VARIANT, start + block.sizes[VARIANT])
            for name, variable in file.variables.items():
                if VARIANT in variable.dimensions:
                    variable[start:] = block[name].values.astype(variable.dtype)


def _write_zarr(path: Path, blocks: Iterator["xr.Dataset"]) -> None:
    draft = path.with_name(f"{prefix(path)}{secrets.token_hex(8)}.part")
    try:
        for k, block in enumerate(blocks):
            how = {"mode": "w"} if k == 0 else {"append_dim": VARIANT}
            # format 2: texts have no specification in format 3 yet
            block.to_zarr(draft, consolidated=False, **({**how, "zarr_format": 2} if k == 0 else how))
        if path.exists():
            refuse_foreign(path)
            old = path.with_name(f"{prefix(path)}{secrets.token_hex(8)}.part")
            path.rename(old)
            draft.rename(path)
            shutil.rmtree(old)
        else:
            draft.rename(path)
    finally:
        with suppress(OSError):
            shutil.rmtree(draft)


def schema_of_study(path: Path) -> str | None:
    """Schema of a NetCDF or Zarr file; None if it says none."""
    try:
        with open_dataset(path) as found:
            return str(found.attrs.get("schema"))
    except FlexnetError:
        return None


def refuse_foreign(path: Path) -> None:
    """Refuse to replace anything but a study.

    Raises
    ------
    StorageError
        If something else is at the path.
    """
    if path.exists() and schema_of_study(path) != SCHEMA:
        raise StorageError(f"{path}: stays as it is, for it is no study; choose another name, or remove it")


def open_dataset(path: Path) -> "xr.Dataset":
    """Open a NetCDF or Zarr file; values are read when they are used.

    Raises
    ------
    ResultError
        If it is neither.
    """
    library = xarray()
    check_study(path)
    try:
        found: xr.Dataset
        if path.is_dir():
            found = library.open_zarr(path, consolidated=False, chunks=None)
        else:
            found = library.open_dataset(path, engine="h5netcdf")
        return found
    except Exception as error:
        raise ResultError(f"{path}: not a readable study ({type(error).__name__})") from error


def open_study(path: Path) -> "xr.Dataset":
    """Open the Dataset of a study.

    Raises
    ------
    ResultError
        If it is none.
    """
    found = open_dataset(path)
    if found.attrs.get("schema") != SCHEMA:
        raise ResultError(f"{path}: is no study: its schema is {found.attrs.get('schema')!r}")
    return found


def read_study(path: Path) -> "xr.Dataset":
    """Read the whole Dataset of a study into memory.

    Raises
    ------
    ResultError
        If it is none, or a part of it cannot be read.
    """
    with open_study(path) as found:
        try:
            return found.load()
        except Exception as error:
            raise ResultError(f"{path}: not a readable study ({type(error).__name__})") from error


def xarray() -> Any:
    """The library; where it is not installed, how to get it.

    Raises
    ------
    FlexnetError
        If it, or what it writes files with, is not installed.
    """
    try:
        import h5netcdf  # noqa: F401  (what xarray writes NetCDF with)
        import xarray as xr
        import zarr  # noqa: F401  (what xarray writes Zarr with)
    except ImportError as error:
        raise FlexnetError(f"{error.name} is not installed; try: pip install 'flexnet[study]'") from error
    return xr


def attributes_of(about: Mapping[str, Any], case: str) -> dict[str, str | int]:
    """Attributes of the whole: who made it, of what, how."""
    return {"flexnet": metadata.version("flexnet"), "case": case, "study": json.dumps(about, sort_keys=True)}
