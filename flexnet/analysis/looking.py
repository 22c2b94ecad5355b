"""Pictures, pages, comparisons and exports of runs, result files and systems, for scripts and notebooks.

Drawings are loaded when they are asked for: a run that nobody looks at starts without them.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from flexnet.analysis.run import Run
from flexnet.errors import ResultError
from flexnet.formulation import Equations
from flexnet.graph import LinearGraph
from flexnet.results import ChannelSet, Results
from flexnet.results.comparison import CompareOptions, Comparison
from flexnet.results.comparison import compare as compare_channels
from flexnet.results.export import FORMATS, export_channels, format_by_ending
from flexnet.results.readers import read_channels
from flexnet.results.tolerance import parse_tolerance
from flexnet.system import System
from flexnet.typing import Array

#: channels drawn when none is named
FEW = 8
#: moments of a run at which a page shows stresses
MOMENTS = 200


@dataclass(frozen=True, slots=True)
class Page:
    """A page that a notebook shows in a frame.

    Attributes
    ----------
    text : the whole page.
    height : of the frame, pixels.
    """

    text: str
    height: int = 820

    def _repr_html_(self) -> str:
        from html import escape

        # no access to the notebook around it: only scripts, in a world of their own
        style = f"width:100%;height:{self.height}px;border:0"
        return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{escape(self.text)}"></iframe>'

    def __repr__(self) -> str:
        return f"a page of {len(self.text) / 1e6:.2f} MB"


@dataclass(frozen=True, slots=True)
class Film:
    """A moving picture that a notebook shows.

    Attributes
    ----------
    gif : the picture, as a GIF.
    """

    gif: bytes

    def _repr_html_(self) -> str:
        text = b64encode(self.gif).decode()
        return f'<img alt="mechanism in motion" style="max-width:100%" src="data:image/gif;base64,{text}">'

    def __repr__(self) -> str:
        return f"a moving picture of {len(self.gif) / 1e6:.2f} MB"


def animate(source: Run | Results | str | Path, out: str | Path | None, **options: Any) -> Film | Path:
    """Draw a mechanism in motion, into a file or for a notebook.

    Parameters
    ----------
    out : film or strip of poses to write; if left out, the film is returned.
    options : those of ``flexnet.view.AnimationOptions``.
    """
    from flexnet.view import AnimationOptions
    from flexnet.view import animate as draw

    with opened(source) as (results,), TemporaryDirectory() as folder:
        path = draw(results, Path(folder) / "film.gif" if out is None else out, AnimationOptions(**options))
        return Film(path.read_bytes()) if out is None else path


def plot(
    source: Run | Results | str | Path,
    *names: str,
    out: str | Path | None = None,
    over: str = "",
    start: float | None = None,
    end: float | None = None,
    beside: Sequence[Run | Results | str | Path] = (),
) -> Any:
    """Draw channels over time; returns the figure, or the path where ``out`` says where to write it.

    Parameters
    ----------
    source : a run, a result file, or any file of channels.
    names : channels to draw; the first few if none is named.
    over : channel along the horizontal axis; time if left out.
    start, end : part of the time to draw, s.
    beside : further runs, in broken lines.
    """
    from flexnet.view import draw_channels, plot_channels

    how: Any = {
        "over": over,
        "start": -np.inf if start is None else start,
        "end": np.inf if end is None else end,
    }
    with ExitStack() as stack:
        files = [stack.enter_context(channels_of(one)) for one in (source, *beside)]
        chosen = names or files[0].meant()[:FEW] or files[0].names()[:FEW]
        return (
            draw_channels(files, chosen, **how) if out is None else plot_channels(files, chosen, out, **how)
        )


def view(
    source: Run | Results | str | Path,
    *others: Run | Results | str | Path,
    out: str | Path | None = None,
    equations: bool = False,
    stress: bool = False,
) -> Page | Path:
    """The living report of a run; others are further curves.

    Parameters
    ----------
    out : page to write; if left out, it is returned, and a notebook shows it.
    equations : write the equations of motion of a run on it, too.
    stress : recover the stresses of a run's flexible bodies, as one of the things colours can show.
    """
    from flexnet.view import page_text, write_page

    told: list[dict[str, object]] = []
    if (equations or stress) and not isinstance(source, Run):
        raise ResultError("only a run knows its equations and sections; a result file does not")
    if equations and isinstance(source, Run):
        from flexnet.formulation.symbolic import symbolic
        from flexnet.formulation.symbolic.page import page_sections

        told = page_sections(symbolic(source.equations))
    fields = stresses_seen(source) if stress and isinstance(source, Run) else {}
    with opened(source, *others) as files:
        if out is None:
            return Page(page_text(files, told, fields=fields))
        return write_page(files, out, told, fields=fields)


def stresses_seen(run: Run) -> dict[str, dict[str, Array]]:
    """Stresses at as many moments of a run as a page shows."""
    from flexnet.analysis.stress_fields import stress_fields

    return stress_fields(run, int(min(len(run.time), MOMENTS)))


def compare(
    result: Run | Results | str | Path,
    reference: Run | Results | str | Path,
    tolerance: str | Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    start: float | None = None,
    end: float | None = None,
) -> Comparison:
    """Compare a result with a reference, channel by channel.

    Parameters
    ----------
    tolerance : ``"3%"``, ``"x=1e-3:max"``, or several such texts, as ``flexnet compare`` takes them.
    columns : column of the reference by channel of the result; matched by name if left out.
    start, end : part of the reference to compare, s.
    """
    limits = dict(
        parse_tolerance(text) for text in ([tolerance] if isinstance(tolerance, str) else tolerance)
    )
    options = CompareOptions(
        columns or {}, limits, -np.inf if start is None else start, np.inf if end is None else end
    )
    with channels_of(result) as found, channels_of(reference) as expected:
        return compare_channels(found, expected, options)


def export(source: Run | Results | str | Path, out: str | Path, *names: str, format: str = "") -> Path:
    """Write channels as ``csv``, ``json`` or ``adams-tab``, or the mechanism (``gltf``, ``xdmf``…).

    Parameters
    ----------
    names : channels to write; those of the case if none is named.
    format : left out, what ``out`` ends in says: ``.csv``, ``.json``, ``.tab``, ``.glb``, ``.xdmf``…
    """
    if not format:
        format = format_by_ending(Path(out), _moving_endings(Path(out)))
    if format not in FORMATS:
        from flexnet.view import MOVING

        if format in MOVING:
            with opened(source) as (results,):
                return MOVING[format].write(results, Path(out), 100)
    with channels_of(source) as channels:
        return export_channels(channels, format, out, names)


def _moving_endings(out: Path) -> dict[str, str]:
    """Formats of mechanisms in motion by ending; what draws is not loaded for a table."""
    if out.suffix.lower() in ("", *(made.ending for made in FORMATS.values())):
        return {}
    from flexnet.view import MOVING

    return {made.ending: name for name, made in MOVING.items()}


def draw_graph(of: System | Equations | LinearGraph, tree: str | None = None, dependent: bool = False) -> Any:
    """Draw the linear graph of a system, or its T- and R-graph with their trees in bold.

    Parameters
    ----------
    of : a system or a graph; of equations, their trees are drawn.
    tree : name of the rule that chooses the trees of a system; none are drawn if left out.
    dependent : draw the dependent virtual work edges, too.
    """
    from flexnet.view import draw_graph as draw_linear_graph

    if isinstance(of, System) and tree is not None:
        from flexnet.formulation import formulate

        of = formulate(of, tree)
    if isinstance(of, Equations):
        system = of.system
        net = system.network.tree if system.elements else None
        return draw_linear_graph(
            system.mechanism, of.T, of.R, title=system.name, dependent=dependent, network=net
        )
    if isinstance(of, System):
        beside = of.network.graph if of.elements else None
        return draw_linear_graph(of.mechanism, title=of.name, dependent=dependent, network=beside)
    return draw_linear_graph(of, dependent=dependent)


@contextmanager
def opened(*sources: Run | Results | str | Path) -> Iterator[list[Results]]:
    """Result files of runs, files and paths; a run in memory is written to a file that goes away again."""
    with TemporaryDirectory() as folder:
        out = []
        for k, source in enumerate(sources):
            if isinstance(source, Run):
                path = source.path
                if path is None:
                    (Path(folder) / str(k)).mkdir()
                    path = Path(folder) / str(k) / f"{source.equations.system.name}.h5"
                    _write(source, path)
                out.append(Results.open(path))
            else:
                out.append(source if isinstance(source, Results) else Results.open(source))
        yield out


@contextmanager
def channels_of(source: Run | Results | str | Path) -> Iterator[ChannelSet]:
    """Channels of a run, a result file, or any file of channels."""
    if isinstance(source, str | Path):
        yield read_channels(source)
        return
    with opened(source) as (results,):
        found = results.channel_set()
        # a file that goes away again is nobody's place to look
        is_kept = not isinstance(source, Run) or source.path is not None
        yield found if is_kept else replace(found, path=Path(found.path.name))


def _write(run: Run, path: Path) -> None:
    """Write a run that is in memory as the result file it would have been."""
    from flexnet.analysis.recording import make_layout, make_mechanism
    from flexnet.results import ResultWriter

    if not run.data:
        raise ResultError("the run has no rows")
    said: Any = {"case": run.equations.system.name, "mechanism": make_mechanism(run.equations)}
    with ResultWriter.create(path, make_layout(run.equations, {}), **said) as writer:
        writer.append(run.data)
