"""Files in one place: HDF5 with a schema checked before anything is read, and what may be replaced."""

from flexnet.store.column import Column
from flexnet.store.datasets import check_study
from flexnet.store.hdf5 import create_file, open_file
from flexnet.store.inside import read_arrays
from flexnet.store.journal import Journal
from flexnet.store.plain import write_text, writing
from flexnet.store.record_reader import RecordReader
from flexnet.store.record_writer import RecordWriter
from flexnet.store.text import parse_json, plain_value
from flexnet.store.tree import Tree, read_tree, write_tree

__all__ = [
    "create_file",
    "open_file",
    "read_arrays",
    "check_study",
    "plain_value",
    "parse_json",
    "Column",
    "RecordWriter",
    "RecordReader",
    "Journal",
    "Tree",
    "read_tree",
    "write_tree",
    "writing",
    "write_text",
]
