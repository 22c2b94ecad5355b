"""``flexnet equations``: every step from the graph to the equations of motion, in symbols, or as code."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flexnet.cli.console import say
from flexnet.cli.options import CaseFile, Settings, check_ending
from flexnet.cli.trees import (
    CountsName,
    Required,
    Rotation,
    Translation,
    TreeName,
    Virtual,
    offered,
    split_names,
)

if TYPE_CHECKING:
    from flexnet.system import System

#: panel and place in the list of verbs
PLACE = "Simulate", 24

#: format by the ending of its files
ENDINGS = {
    ".txt": "text", ".tex": "latex", ".html": "html", ".pdf": "pdf", ".py": "numpy", ".c": "c",
    ".f90": "fortran",
}  # fmt: skip


Step = Annotated[
    str,
    typer.Option(help="motion, or transformations, circuits, cutsets, equations, loads, embedding or all."),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="text, latex, html or pdf; numpy, c or fortran for code. As --out ends, else text.",
        show_default=False,
    ),
]
Angles = Annotated[str, typer.Option(metavar="AXES", help="Write 3-D rotations by angles, such as zxz.")]
Numbers = Annotated[bool, typer.Option("--numbers", help="Write values instead of names of parameters.")]


def equations(
    case: CaseFile,
    settings: Settings = None,
    step: Step = "motion",
    format: Format = None,
    tree: TreeName = "default",
    translation: Translation = "",
    rotation: Rotation = "",
    require: Required = "",
    virtual: Virtual = False,
    counts: CountsName = "spatial",
    angles: Angles = "quaternion",
    numbers: Numbers = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write to a file.")] = None,
) -> None:
    """Write the equations of motion of a case, step by step, or export them as code.

    Examples: flexnet equations cases/slider_crank_gtm.py --step all;
    flexnet equations cases/heavy_top.py --angles zxz --step all --out top.pdf
    """
    from flexnet.cli.case import build_case
    from flexnet.errors import ModelError
    from flexnet.formulation.symbolic import EXPORTS, make_programs, symbolic
    from flexnet.formulation.symbolic.report import equations_report, report_paragraphs
    from flexnet.store import write_text

    if format is None:
        format = "text" if out is None else ENDINGS.get(out.suffix.lower(), "text")
    check_ending(out, format, ENDINGS)
    if format == "pdf" and out is None:
        raise ModelError("--format pdf needs a file to write: --out FILE")
    system = build_case(case, settings or [])
    if system.elements:
        _write_network(system, format, out)
        if not system.bodies:
            return
    made = symbolic(
        offered(system, virtual), tree, angles, numbers,
        translation=split_names(translation), rotation=split_names(rotation),
        require=split_names(require) or (), counts=counts,
    )  # fmt: skip
    if format == "pdf" and out is not None:
        from flexnet.view import write_pages

        pages = write_pages(out, made.numeric.system.name, report_paragraphs(made, step))
        say(f"written to {out}: {pages} page{'s' * (pages > 1)}")
        return
    is_code = format in EXPORTS
    text = EXPORTS[format](make_programs(made)) if is_code else equations_report(made, step, format)
    if out is None:
        say(text)
        return
    write_text(out, text)
    say(f"written to {out}")


def _write_network(system: "System", format: str, out: Path | None) -> None:
    """Write the steps of the networks of a case; with a mechanism, on the terminal before it."""
    from flexnet.errors import ModelError
    from flexnet.networks.steps import network_report
    from flexnet.store import write_text

    if system.bodies:
        say(network_report(system.network))
        return
    if format != "text":
        raise ModelError(f"equations of a network are written as text, not as {format}")
    if out is None:
        say(network_report(system.network))
    else:
        write_text(out, network_report(system.network))
        say(f"written to {out}")
