"""HDF5 in one place: files with a schema name and version, checked before anything is read."""

from flexnet.store.hdf5 import create_file, open_file

__all__ = ["create_file", "open_file"]
