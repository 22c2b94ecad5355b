"""Sphinx configuration: ``make docs`` builds with warnings as errors."""

import sys
from pathlib import Path

import flexnet

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "flexnet"
author = "the flexnet authors"
copyright = author
release = version = flexnet.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "docstring_lists", "component_pages"]
myst_enable_extensions = ["amsmath", "deflist", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "extensions"]

html_theme = "furo"
html_title = f"flexnet {release}"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "undoc-members": False}
