"""Nothing outside the file: what a reader of a file from elsewhere may touch in it.

HDF5 lets a file name other files: raw data kept elsewhere, virtual datasets, links into other files. It
lets a few bytes claim 10¹² rows, and a group contain itself. flexnet writes none of that and reads none of
it: links are hard, data lie in the file itself, unfiltered, as integers, truth values, floating-point
numbers or text of fixed length, and nothing is allotted before the file is known to hold it.
"""

import math
from collections.abc import Iterator
from typing import TypeAlias

import h5py
import numpy as np

from flexnet.errors import FileFormatError
from flexnet.store.text import plain_value
from flexnet.typing import AnyArray

#: groups within groups, and objects in all, beyond which a file is not one of ours
DEEPEST, MOST = 12, 1_000_000
#: what HDF5 and h5py raise when they meet damage
BROKEN = (OSError, RuntimeError, KeyError, ValueError, TypeError, AttributeError, MemoryError)
#: size of an attribute that is read whatever the size of the file [bytes]
_FEW = 4096
_NOT_PLAIN = "is neither text of fixed length nor numbers"
_KINDS = tuple(getattr(h5py.h5t, f"Type{kind}ID") for kind in ("Integer", "Float", "String", "Enum"))

Item: TypeAlias = h5py.Group | h5py.Dataset
#: datasets by their path, and why objects are damaged
Survey: TypeAlias = tuple[dict[str, h5py.Dataset], dict[str, str]]


def find(root: h5py.Group, path: str) -> Item | None:
    """Return what lies at a path, followed link by link; None if nothing does.

    Raises
    ------
    FileFormatError
        If the way leads out of the file, or what it leads to is not of our kind.
    """
    item: Item = root
    for name in path.split("/"):
        if not isinstance(item, h5py.Group) or not item.id.links.exists(_raw(name)):
            return None
        item = _entered(item, name)
    return item


def survey(root: h5py.Group) -> Survey:
    """Every dataset by its path, in alphabetical order, and why the objects that are damaged are so.

    Raises
    ------
    FileFormatError
        If anything leads out of the file or is not of our kind.
    """
    found: dict[str, h5py.Dataset] = {}
    damage: dict[str, str] = {}
    for count, (path, item) in enumerate(_walk(root, "", 1)):
        if count >= MOST:
            raise _refusal(root, f"more than {MOST} objects")
        if isinstance(item, Exception):
            damage[path] = reason_in(item)
        else:
            found[path] = item
    return found, damage


def read_arrays(root: h5py.Group) -> dict[str, AnyArray]:
    """Read every dataset of a file, by its path.

    Raises
    ------
    FileFormatError
        If one is damaged or not of our kind.
    """
    datasets, damage = survey(root)
    for path, reason in damage.items():
        raise FileFormatError(f"{root.file.filename}: {path} is damaged ({reason})")
    return {path: read_all(dataset) for path, dataset in datasets.items()}


def attributes_of(
    item: Item, names: tuple[str, ...] | None = None
) -> dict[str, str | int | float | tuple[str, ...]]:
    """Attributes as plain values, all or those named; texts of variable length and the like are refused."""
    return {
        name: _attribute(item, name)
        for name in (item.attrs if names is None else names)
        if names is None or h5py.h5a.exists(item.id, _raw(name))
    }


def _attribute(item: Item, name: str) -> str | int | float | tuple[str, ...]:
    """An attribute as a plain value, read past h5py's own conversions: they cost five times as much."""
    attribute = h5py.h5a.open(item.id, _raw(name))
    if not _is_plain(attribute.get_type()):
        raise _refusal(item, f"{item.name}, attribute {name!r} {_NOT_PLAIN}")
    # a few bytes are no matter, and the size of the file costs more to find than they do to read
    if (size := attribute.get_storage_size()) > _FEW and size > item.file.id.get_filesize():
        raise _refusal(item, f"{item.name}: attribute {name!r} is larger than the file")
    value = np.zeros(attribute.shape, attribute.dtype)
    attribute.read(value)
    return plain_value(value if value.shape else value[()])


def read_all(dataset: h5py.Dataset) -> AnyArray:
    """Read a whole dataset, once the file is known to hold all of it."""
    shape = dataset.id.shape  # past h5py's own layer, which costs more than a few numbers do to read
    check_held(dataset, shape[0] if shape else 1)
    out: AnyArray = np.zeros(shape, dataset.id.dtype)
    if out.size:
        dataset.id.read(h5py.h5s.ALL, h5py.h5s.ALL, out)
    return out


def check_held(dataset: h5py.Dataset, rows: int) -> None:
    """Refuse to read rows that are claimed but not there."""
    claimed = rows * math.prod(dataset.id.shape[1:]) * dataset.id.dtype.itemsize
    held = dataset.id.get_storage_size()
    if claimed > held:
        raise _refusal(dataset, f"{dataset.name} claims {claimed} bytes and holds {held}")


def reason_in(error: Exception) -> str:
    """First line of what a library said."""
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _walk(group: h5py.Group, at: str, depth: int) -> Iterator[tuple[str, h5py.Dataset | Exception]]:
    if depth > DEEPEST:
        raise _refusal(group, f"{group.name}: groups more than {DEEPEST} deep")
    try:
        names = list(group)
    except BROKEN as error:
        yield at, error
        return
    for name in names:
        path = f"{at}/{name}" if at else name
        try:
            item = _entered(group, name)
        except BROKEN as error:
            yield path, error
            continue
        if isinstance(item, h5py.Group):
            yield from _walk(item, path, depth + 1)
        else:
            yield path, item


def _entered(group: h5py.Group, name: str) -> Item:
    """What a hard link leads to."""
    if group.id.links.get_info(_raw(name)).type != h5py.h5l.TYPE_HARD:
        raise _refusal(group, f"{name!r} in {group.name} is a link that may leave the file")
    found = h5py.h5o.open(group.id, _raw(name))
    if isinstance(found, h5py.h5g.GroupID):
        return h5py.Group(found)
    if not isinstance(found, h5py.h5d.DatasetID):
        raise _refusal(group, f"{name!r} in {group.name} is neither a group nor a dataset")
    dataset = h5py.Dataset(found)
    _check_dataset(dataset)
    return dataset


def _raw(name: str) -> bytes:
    """A name as HDF5 has it."""
    return name.encode("utf-8", "surrogateescape")


def _check_dataset(dataset: h5py.Dataset) -> None:
    """Data in the file itself, as they are, of a kind we write."""
    plan = dataset.id.get_create_plist()
    if plan.get_external_count() or plan.get_layout() == h5py.h5d.VIRTUAL:
        raise _refusal(dataset, f"{dataset.name} keeps its data in another file")
    if plan.get_nfilters():
        raise _refusal(dataset, f"{dataset.name} is filtered or compressed")
    if dataset.id.get_space().get_simple_extent_type() == h5py.h5s.NULL:
        raise _refusal(dataset, f"{dataset.name} has no shape")
    if not _is_plain(dataset.id.get_type()):
        raise _refusal(dataset, f"{dataset.name} {_NOT_PLAIN}")


def _is_plain(kind: h5py.h5t.TypeID) -> bool:
    """Whether a type is numbers or text of fixed length."""
    is_text = isinstance(kind, h5py.h5t.TypeStringID)
    return isinstance(kind, _KINDS) and not (is_text and kind.is_variable_str())


def _refusal(item: Item, why: str) -> FileFormatError:
    return FileFormatError(f"{item.file.filename}: {why}; flexnet writes no such file")
