"""Trees of text, numbers and arrays as HDF5 groups; nothing is pickled."""

from collections.abc import Mapping
from typing import TypeAlias, Union

import h5py
import numpy as np

from flexnet.errors import FileFormatError, StorageError
from flexnet.store.text import fixed_text
from flexnet.typing import AnyArray

Tree: TypeAlias = Mapping[str, Union[str, AnyArray, "Tree"]]


def write_tree(group: h5py.Group, tree: Tree) -> None:
    """Write a tree: text as a string dataset, an array as a dataset, a mapping as a group."""
    for name, value in tree.items():
        if "/" in name or name in ("", ".", ".."):
            raise StorageError(f"{name!r} cannot name an entry of {group.name}")
        if isinstance(value, Mapping):
            write_tree(group.create_group(name), value)
        elif isinstance(value, str):
            group.create_dataset(name, data=fixed_text(value))
        else:
            array = np.asarray(value)
            if array.dtype.kind not in "iuf":
                raise StorageError(
                    f"{group.name}/{name} has dtype {array.dtype}; only numbers and text are stored"
                )
            group.create_dataset(name, data=array)


def read_tree(group: h5py.Group) -> dict[str, Union[str, AnyArray, "Tree"]]:
    """Read back what :func:`write_tree` wrote."""
    found: dict[str, str | AnyArray | Tree] = {}
    for name, item in group.items():
        if isinstance(item, h5py.Group):
            found[name] = read_tree(item)
        elif h5py.check_string_dtype(item.dtype) is not None:
            found[name] = str(item.asstr()[()])
        elif item.dtype.kind in "iuf":
            found[name] = np.asarray(item[()])
        else:
            raise FileFormatError(f"{item.file.filename}: {item.name} is neither text nor numbers")
    return found
