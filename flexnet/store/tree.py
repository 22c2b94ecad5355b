"""Trees of text, numbers and arrays as HDF5 groups, each with its digest; nothing is pickled."""

from collections.abc import Mapping
from typing import TypeAlias, Union

import h5py
import numpy as np

from flexnet.errors import FileFormatError, StorageError
from flexnet.store.digest import digest
from flexnet.store.inside import read_all
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
            continue
        array = fixed_text(value) if isinstance(value, str) else np.asarray(value)
        if array.dtype.kind not in "iufS":
            raise StorageError(
                f"{group.name}/{name} has dtype {array.dtype}; only numbers and text are stored"
            )
        # attributes lie where a checksum guards them
        group.create_dataset(name, data=array).attrs["digest"] = digest(array)


def read_tree(datasets: Mapping[str, h5py.Dataset]) -> dict[str, Union[str, AnyArray, "Tree"]]:
    """Read back what :func:`write_tree` wrote, from its datasets by their paths.

    Raises
    ------
    FileFormatError
        If an array does not have its digest; files of version 1 carry none.
    """
    found: dict[str, str | AnyArray | Tree] = {}
    for path, dataset in datasets.items():
        array = np.asarray(read_all(dataset))
        if "digest" in dataset.attrs and int(dataset.attrs["digest"]) != digest(array):
            raise FileFormatError(f"{dataset.file.filename}: {dataset.name} is not as its digest says")
        *groups, name = path.split("/")
        place = found
        for group in groups:
            place = place.setdefault(group, {})  # type: ignore[assignment]  # a group is a dictionary here
        place[name] = array.item().decode() if array.dtype.kind == "S" else array
    return found
