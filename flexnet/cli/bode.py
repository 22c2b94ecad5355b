"""``flexnet bode``: what channels answer to small oscillations of sources, over frequency."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from flexnet.cli.console import say
from flexnet.cli.options import CaseFile, Settings

#: panel and place in the list of verbs
PLACE = "Simulate", 26


def bode(
    case: CaseFile,
    inputs: Annotated[
        list[str] | None,
        typer.Option("--input", metavar="SOURCE", help="Source of a network; may be repeated."),
    ] = None,
    outputs: Annotated[
        list[str] | None, typer.Option("--output", metavar="CHANNEL", help="Channel; may be repeated.")
    ] = None,
    settings: Settings = None,
    at: Annotated[
        Literal["start", "rest"],
        typer.Option(help="About the start, or about the state of rest found from it."),
    ] = "start",
    low: Annotated[float | None, typer.Option(help="First frequency, Hz; a decade below the poles.")] = None,
    high: Annotated[float | None, typer.Option(help="Last frequency, Hz; a decade above the poles.")] = None,
    points: Annotated[int, typer.Option(help="Number of frequencies.")] = 400,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw magnitude and phase: .png, .pdf or .svg.")
    ] = None,
) -> None:
    """Linearise a case, mechanism, controllers and networks together, and find transfer functions.

    Example: flexnet bode cases/gtm_electrical.py --input E1 --output C4.voltage --out bode.png
    """
    from flexnet.analysis import bode as frequency_response
    from flexnet.analysis import equilibrium
    from flexnet.analysis.bode import transfer_of
    from flexnet.cli.case import build_case
    from flexnet.errors import ModelError

    system = build_case(case, settings or [])
    if not inputs or not outputs:
        sources = ", ".join(e.name for e in system.elements.values() if e.role == "sources") or "none"
        raise ModelError(
            "a frequency response needs --input SOURCE and --output CHANNEL; sources of"
            f" {system.name!r}: {sources}"
        )
    state = equilibrium(system).state if at == "rest" else None
    found = frequency_response(system, inputs, outputs, low, high, points, state)
    f, n = found.frequencies, len(found.linear.A)
    say(f"{len(f)} frequencies from {f[0]:.4g} to {f[-1]:.4g} Hz, {n} states, about the {at}")
    for output in outputs:
        for source in inputs:
            say(str(transfer_of(found.linear, source, output)))
    if out is not None:
        say(f"written to {found.plot(out)}")
