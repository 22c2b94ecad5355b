"""Readers of result and reference files; what is wrong with a file is a FileFormatError with the place.

Every page of this folder is read when the folder is, and enters its reader in :data:`READERS`.
"""

import pkgutil
from importlib import import_module

from flexnet.results.readers.adams_res import read_adams_res
from flexnet.results.readers.adams_tab import read_adams_tab
from flexnet.results.readers.csv_table import read_csv
from flexnet.results.readers.flexnet_file import read_result
from flexnet.results.readers.registry import READERS, Reader, read_channels, reader

for _page in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_page.name}")

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
