"""``flexnet audit``: the energy balance of a run."""

from pathlib import Path
from typing import Annotated

import typer

from flexnet.cli.console import can_draw, say, show_table
from flexnet.cli.options import ResultFile

#: panel and place in the list of verbs
PLACE = "Look", 36


def audit(
    file: ResultFile,
    tolerance: Annotated[
        float, typer.Option(help="Of the balance and the work of constraints, over the size of the energies.")
    ] = 1e-3,
    constraint: Annotated[
        float, typer.Option(help="Of the norms of the constraints, over length and speed.")
    ] = 1e-3,
    out: Annotated[
        Path | None, typer.Option(help="Picture to write: .png, .svg, .pdf; beside the file if not given.")
    ] = None,
) -> None:
    """Print and plot the energy balance of a run; exits with 1 if it breaks a tolerance.

    What the mechanism holds must be what it held at the start and what was done on it since. The first row
    at which the balance, the work of the constraints or the constraints themselves are off is named. An
    α-method is off by the square of its step; energy schemes hold --tolerance 1e-10.
    """
    from flexnet.analysis import audit as audit_of
    from flexnet.results import Results

    has_picture = can_draw(out)
    results = Results.open(file)
    found = audit_of(results)
    series = {
        **{f"{name} energy": x for name, x in found.energies.items()},
        "total energy": found.total,
        **{f"work of {name}": x for name, x in found.works.items()},
        "balance left over": found.balance,
        "work of constraints": found.constraints,
        "position constraint": found.position,
        "velocity constraint": found.velocity,
    }
    rows = [
        (name, *(f"{v:.6g}" for v in (x[0], x[-1], x.min(), x.max())), _share(name, x, found.scale))
        for name, x in series.items()
    ]
    show_table(("quantity (J; m, rad; m/s, rad/s)", "start", "end", "least", "most", "of the energies"), rows)
    if has_picture:
        from flexnet.view import plot_balance

        norms = {"position": found.position, "velocity": found.velocity}
        picture = out or file.with_name(f"{file.stem}_balance.png")
        title = str(results.attributes.get("case", file.name))
        say(str(plot_balance(picture, found.t, found.energies, found.works, found.balance, norms, title)))
    breaches = found.breaches(tolerance, constraint)
    for breach in breaches:
        say(str(breach), "bold red")
    if breaches:
        raise typer.Exit(1)
    say(f"the balance holds within {tolerance:g} of {found.scale:.4g} J", "bold green")


def _share(name: str, values: object, scale: float) -> str:
    """Largest size over that of the energies, for what ought to be nothing."""
    import numpy as np

    return (
        f"{np.abs(np.asarray(values)).max() / scale:.2g}"
        if "left over" in name or "of constr" in name
        else ""
    )
