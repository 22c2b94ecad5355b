"""Datasets of studies from elsewhere: what is looked at before xarray, HDF5 and Zarr open one.

A file can name other files, a folder of Zarr files can be full of links, and the codecs that Zarr knows
unpack objects of Python, which is to run them. flexnet writes none of that and reads none of it: links are
hard, data lie in the file or folder itself, as numbers or text, and codecs are those of :data:`CODECS`.
"""

import math
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py

from flexnet.errors import FileFormatError, FlexnetError, ResultError
from flexnet.store.inside import BROKEN, DEEPEST, MOST, reason_in
from flexnet.store.text import parse_json
from flexnet.validation import existing_file

#: codecs of Zarr files: text, and what compresses
CODECS = frozenset(("vlen-utf8", "blosc", "zstd", "zlib", "lz4", "gzip"))
#: numbers a study may claim for every byte it holds (a compressed row of zeros), and whatever it holds
_RATIO, _FEW = 300, 1 << 24
_LONGEST = 1 << 20  # bytes of a description
_TEXT = "|O"
_ARRAY = ".zarray"
#: files of a folder that say what is in it
_TOLD = frozenset((_ARRAY, ".zattrs", ".zgroup"))


def check_study(path: Path) -> None:
    """Refuse a Dataset that leaves its file or folder, claims more than it can hold, or could run code.

    Raises
    ------
    ResultError
        With the path and the part of it that is refused.
    """
    try:
        if path.is_dir():
            _check_folder(path)
        else:
            _check_file(existing_file(path, ResultError))
    except ResultError:
        raise
    except (*BROKEN, FlexnetError, RecursionError) as error:
        raise ResultError(f"{path}: not a readable study ({reason_in(error)})") from error


# -- NetCDF --------------------------------------------------------------------------------------------


def _check_file(path: Path) -> None:
    with h5py.File(path, "r", locking=False) as file:
        size = path.stat().st_size
        for count, dataset in enumerate(_datasets(file, 1)):
            if count >= MOST:
                raise ResultError(f"{path}: more than {MOST} objects; flexnet writes no such study")
            plan = dataset.id.get_create_plist()
            if plan.get_external_count() or plan.get_layout() == h5py.h5d.VIRTUAL:
                raise _refusal(path, dataset.name, "keeps its data in another file")
            if plan.get_nfilters():
                raise _refusal(path, dataset.name, "is filtered or compressed")
            _check_claim(path, dataset.name, dataset.shape or (), size)


def _datasets(group: h5py.Group, depth: int) -> Iterator[h5py.Dataset]:
    path = Path(group.file.filename)
    if depth > DEEPEST:
        raise _refusal(path, group.name, f"is more than {DEEPEST} deep")
    for name in group:
        if group.id.links.get_info(name.encode("utf-8", "surrogateescape")).type != h5py.h5l.TYPE_HARD:
            raise _refusal(path, name, "is a link that may leave the file")
        item = group[name]
        if isinstance(item, h5py.Group):
            yield from _datasets(item, depth + 1)
        elif isinstance(item, h5py.Dataset):
            yield item
        else:
            raise _refusal(path, name, "is neither a group nor a dataset")


# -- Zarr ----------------------------------------------------------------------------------------------


def _check_folder(path: Path) -> None:
    held = 0
    descriptions = []
    for place, folders, files in os.walk(path):
        for name in (*folders, *files):
            found = Path(place, name)
            mode = found.lstat().st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                raise _refusal(path, name, "is a link, a pipe or a device")
            if name in ("zarr.json", ".zmetadata"):
                raise _refusal(path, name, "is of another format of Zarr than 2")
            held += found.lstat().st_size
        descriptions += [Path(place, name) for name in files if name in _TOLD]
        if len(descriptions) > MOST or place.count(os.sep) - str(path).count(os.sep) > DEEPEST:
            raise _refusal(path, Path(place).name, "is one folder too many")
    for description in descriptions:
        told = _told(path, description)
        if description.name == _ARRAY:
            _check_array(path, description.parent.name, told, held)


def _told(path: Path, description: Path) -> dict[str, Any]:
    """What a file of a folder says of it; two that Zarr cannot read would be a traceback on the terminal."""
    name = f"{description.parent.name}/{description.name}"
    if description.stat().st_size > _LONGEST:
        raise _refusal(path, name, "is too long")
    try:
        told = parse_json(description.read_text(encoding="utf-8"))
    except (FileFormatError, UnicodeError) as error:
        raise _refusal(path, name, f"is not what it should be: {reason_in(error)}") from error
    if not isinstance(told, dict):
        raise _refusal(path, name, "is not a JSON object")
    return told


def _check_array(path: Path, name: str, told: dict[str, Any], held: int) -> None:
    codecs = [told.get("compressor"), *(told.get("filters") or ())]
    for codec in codecs:
        kind = codec.get("id") if isinstance(codec, dict) else codec
        if kind is not None and kind not in CODECS:
            raise _refusal(path, name, f"is to be unpacked by {kind!r}")
    kind = told.get("dtype")
    if kind != _TEXT and not (isinstance(kind, str) and kind[1:2] in ("b", "i", "u", "f", "U")):
        raise _refusal(path, name, f"is of the type {kind!r}, neither numbers nor text")
    for key in ("shape", "chunks"):
        _check_claim(path, name, _whole(told.get(key), path, name, key), held)


def _whole(value: Any, path: Path, name: str, key: str) -> tuple[int, ...]:
    if not isinstance(value, list) or not all(type(n) is int and n >= 0 for n in value):
        raise _refusal(path, name, f"has as its {key} {str(value)[:40]!r}")
    return tuple(value)


# -- both ----------------------------------------------------------------------------------------------


def _check_claim(path: Path, name: str, shape: tuple[int, ...], held: int) -> None:
    """Refuse numbers that are claimed and cannot be there."""
    if math.prod(shape) > _FEW + _RATIO * held:
        raise _refusal(path, name, f"claims {math.prod(shape)} numbers of {held} bytes")


def _refusal(path: Path, name: object, why: str) -> ResultError:
    return ResultError(f"{path}: {name} {why}; flexnet writes no such study")
