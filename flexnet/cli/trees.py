"""The options that name trees, the same for every verb."""

from typing import Annotated

import typer


def tree_names(incomplete: str = "") -> list[str]:
    """Names of the tree rules, for completion."""
    from flexnet.graph import RULES  # here: help must not wait for numpy

    return [name for name in RULES if name.startswith(incomplete)]


def split_names(text: str) -> list[str] | None:
    """Names between commas; None if there are none."""
    return [name.strip() for name in text.split(",") if name.strip()] or None


TreeName = Annotated[
    str,
    typer.Option(
        help="Rule that chooses the trees, such as default, joint or formulation_based; ? lists them all.",
        autocompletion=tree_names,
    ),
]
Translation = Annotated[str, typer.Option(metavar="A,B,…", help="Branches of the T-tree, arms left out.")]
Rotation = Annotated[str, typer.Option(metavar="A,B,…", help="Branches of the R-tree.")]
Required = Annotated[
    str, typer.Option(metavar="A,B,…", help="Edges that must be branches of every tree they can be in.")
]
