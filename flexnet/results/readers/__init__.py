"""Readers of result and reference files; what is wrong with a file is a FileFormatError with the place."""

from flexnet.results.readers.adams_res import read_adams_res
from flexnet.results.readers.adams_tab import read_adams_tab
from flexnet.results.readers.csv_table import read_csv
from flexnet.results.readers.flexnet_file import read_result
from flexnet.results.readers.registry import READERS, Reader, read_channels, reader

__all__ = [
    "READERS",
    "Reader",
    "read_adams_res",
    "read_adams_tab",
    "read_channels",
    "read_csv",
    "read_result",
    "reader",
]
