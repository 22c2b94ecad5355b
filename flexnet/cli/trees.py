"""The options that name trees, the same for every verb."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from flexnet.cli.console import remark

if TYPE_CHECKING:
    from flexnet.system import System


def tree_names(incomplete: str = "") -> list[str]:
    """Names of the tree rules, for completion."""
    from flexnet.graph import RULES  # here: help must not wait for numpy

    return [name for name in RULES if name.startswith(incomplete)]


def split_names(text: str) -> list[str] | None:
    """Names between commas; None if there are none."""
    return [name.strip() for name in text.split(",") if name.strip()] or None


class Trees(NamedTuple):
    """What a user wishes of the trees."""

    tree: str
    branches: tuple[list[str] | None, list[str] | None]
    required: Sequence[str]
    virtual: bool
    counts: str


def offered(system: "System", virtual: bool) -> "System":
    """The system with virtual joints where they are wanted and suit it; which and why is said."""
    if not virtual:
        return system
    from flexnet.system import with_indirect_joints

    system, told = with_indirect_joints(system)
    for line in told or ["no virtual joint suits this system"]:
        remark(line)
    return system


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
Virtual = Annotated[
    bool,
    typer.Option("--virtual", help="Offer virtual joints to the rule where they suit; says which."),
]
CountsName = Annotated[
    str,
    typer.Option(
        "--counts",
        metavar="spatial|in_plane",
        help="Coordinates that Léger's rules count in a planar system.",
        autocompletion=lambda: ["spatial", "in_plane"],
    ),
]
