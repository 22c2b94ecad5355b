"""``flexnet stress``: the largest stresses of flexible bodies, where and when."""

from csv import writer
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flexnet.cli.console import can_draw, say, show_table
from flexnet.cli.options import ResultFile

if TYPE_CHECKING:
    from flexnet.analysis import Run
    from flexnet.analysis.stress_peaks import StressPeak

#: panel and place in the list of verbs
PLACE = "Look", 37
HEADINGS = ("x [m]", "y [m]", "z [m]", "range [Pa]", "mean [Pa]", "count")


def stress(
    file: ResultFile,
    case: Annotated[
        Path | None,
        typer.Option(
            metavar="CASE.py",
            help="The case file the run was made with: it has the sections. The one you ran it from if not"
            " given.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Parameter of build() that the file does not have."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Picture to write: .png, .svg, .pdf; beside the file if not given.")
    ] = None,
    paraview: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write moving meshes with their stresses for ParaView, too: .xdmf or .pvd."
        ),
    ] = None,
    pictures: Annotated[int, typer.Option(min=1, help="Times in a ParaView series.")] = 100,
    cycles: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv", help="Write the cycles of the largest stresses, by rainflow, for fatigue."
        ),
    ] = None,
) -> None:
    """Print and plot the largest section forces and stresses of a run, with place and moment.

    Stresses are recovered by mode acceleration: they balance inertia, gravity and the loads of joints and
    springs whatever the modes are. The case is built with the parameters the file remembers.

        flexnet run cases/four_bar.py --out four_bar.h5

        flexnet stress four_bar.h5

        flexnet stress four_bar.h5 --paraview four_bar.pvd --cycles cycles.csv
    """
    from flexnet.analysis.record import reopened
    from flexnet.cli.case import build_as, case_of
    from flexnet.results import Results

    has_picture = can_draw(out)
    results = Results.open(file)
    run = reopened(file, build_as(case_of(results, case), results.mechanism().parameters, settings or []))
    peaks = run.stress_peaks()
    if not peaks:
        say("no flexible body whose sections are known")
        return
    _show(peaks)
    shown = [p for p in peaks if p.quantity in ("sigma", "von Mises")]
    lines = {f"{p.body}, {p.group}: {p.quantity} [{p.unit}]": p.history for p in shown}
    if has_picture:
        from flexnet.view import plot_histories

        picture = out or file.with_name(f"{file.stem}_stress.png")
        say(str(plot_histories(picture, run.t, lines, str(results.attributes.get("case", file.name)))))
    if cycles is not None:
        say(str(_write_cycles(run, shown, cycles)))
    if paraview is not None:
        from flexnet.analysis.stress_fields import stress_fields
        from flexnet.view import write_paraview, write_xdmf

        write = write_xdmf if paraview.suffix.lower() == ".xdmf" else write_paraview
        say(str(write(results, paraview, pictures, fields=stress_fields(run, pictures))))


def _show(peaks: "list[StressPeak]") -> None:
    """Print the peaks."""
    rows = [
        (p.body, p.group, p.quantity, f"{p.value:.6g} {p.unit}", f"{p.time:.6g}", str(p.element),
         " ".join(f"{x:.4g}" for x in p.place))
        for p in peaks
    ]  # fmt: skip
    show_table(("body", "group", "quantity", "largest", "time [s]", "element", "place [m]"), rows)


def _write_cycles(run: "Run", peaks: "list[StressPeak]", path: Path) -> Path:
    """Write the cycles of the normal stress at every peak, a line each."""
    from flexnet.results.rainflow import rainflow
    from flexnet.store import write_text

    text = StringIO(newline="")
    table = writer(text, lineterminator="\n")
    table.writerow(("body", "group", "element", *HEADINGS))
    for peak in peaks:
        found = rainflow(run.stress_history(peak))
        for row in zip(found.range, found.mean, found.count, strict=True):
            numbers = [f"{x:.6g}" for x in (*peak.place, *row)]
            table.writerow((peak.body, peak.group, peak.element, *numbers))
    write_text(path, text.getvalue(), begins="body,group,element,")
    return path
