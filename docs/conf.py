"""Sphinx configuration: ``make docs`` builds with warnings as errors."""

import sys
from pathlib import Path

import flexnet

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "flexnet"
author = "the flexnet authors"
copyright = author
release = version = flexnet.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "case_gallery",
    "docstring_lists",
    "mathml",
    "reference_pages",
    "short_types",
    "tutorial_notebooks",
]
myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "extensions"]

html_theme = "furo"
html_title = f"flexnet {release}"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["house.css"]
html_copy_source = False
html_use_index = False  # a page of half a megabyte that nobody reads: there is a search

python_use_unqualified_type_names = True
suppress_warnings = ["ref.python"]  # hints in quotes are short, and two rooms may have a class of one name
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "undoc-members": False}
