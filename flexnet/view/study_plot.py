"""Drawings of a study: what its outputs depend on, a map over two parameters, their spread over time."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexnet.errors import ResultError
from flexnet.typing import AnyArray, Array
from flexnet.validation import nearest, one_of
from flexnet.view.figure import COLOURS, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: shares of all variants between which a band of a fan lies
BANDS = ((0.05, 0.95), (0.25, 0.75))
_OWN = frozenset({"failure", "warnings", "seconds"})


def draw_study(data: Any, kind: str = "", names: Sequence[str] = ()) -> "Figure":
    """Draw a study.

    Parameters
    ----------
    data : its Dataset.
    kind : ``"bars"``, ``"heat"`` or ``"fan"``; what suits the outputs if left out.
    names : outputs, and for a heat map the two parameters; the first ones if left out.

    Raises
    ------
    ResultError
        If a name is unknown, or the study has nothing to draw in that way.
    """
    numbers, over_time = _outputs(data)
    varied = [n for n, x in data.coords.items() if n != "variant" and x.dims == ("variant",) and _varies(x)]
    for name in names:
        if name not in (known := [*numbers, *over_time, *varied]):
            hint = nearest(name, known) or f"; it has {', '.join(known)}"
            raise ResultError(f"the study has nothing called {name!r} to draw{hint}")
    outputs = [n for n in names if n in numbers] or numbers
    chosen = [n for n in names if n in varied] or varied
    series = [n for n in names if n in over_time] or over_time
    return KINDS[study_kind(data, kind, names)](data, outputs, chosen, series)


def study_kind(data: Any, kind: str = "", names: Sequence[str] = ()) -> str:
    """The kind of drawing asked for, or what suits: a fan of what is kept over time, bars of numbers."""
    numbers, over_time = _outputs(data)
    suiting = "fan" if over_time and not (names and names[0] in numbers) else "bars"
    return one_of(kind or suiting, KINDS, "kind")


def _outputs(data: Any) -> tuple[list[str], list[str]]:
    """Outputs that are numbers, and those that are kept over time."""
    numbers = [n for n, x in data.data_vars.items() if n not in _OWN and x.dims == ("variant",)]
    return numbers, [n for n, x in data.data_vars.items() if x.dims == ("variant", "time")]


def plot_study(data: Any, out: str | Path, kind: str = "", names: Sequence[str] = ()) -> Path:
    """Draw a study and save the figure; returns its path."""
    return save_figure(draw_study(data, kind, names), out)


def sensitivity(data: Any, output: str, varied: Sequence[str]) -> tuple[Array, float]:
    """Standardised coefficients of a straight line through an output, (parameters,), and its R².

    A coefficient is the change of the output in its standard deviations for one of the parameter; R², the
    part of the variance that the line explains, says how far it is the truth.
    """
    y = np.asarray(data[output].values, dtype=float)
    X = np.column_stack([np.asarray(data[name].values, dtype=float) for name in varied])
    is_there = np.isfinite(y)
    if is_there.sum() <= len(varied) + 1:
        raise ResultError(f"{output!r} has {is_there.sum()} values; too few to tell what it depends on")
    y, X = y[is_there], X[is_there]
    sizes = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    X, y = (X - X.mean(axis=0)) / sizes, (y - y.mean()) / (y.std() or 1.0)
    beta: Array = np.linalg.lstsq(X, y, rcond=None)[0]
    return beta, float(1.0 - np.mean((y - X @ beta) ** 2) / (np.mean(y**2) or 1.0))


def _bars(data: Any, outputs: Sequence[str], varied: Sequence[str], series: Sequence[str]) -> "Figure":
    """Standardised regression coefficients, one diagram an output."""
    if not outputs or not varied:
        raise ResultError("bars need an output that is a number and a parameter that varies")
    figure = new_figure(7.0, 0.8 + (0.5 + 0.32 * len(varied)) * len(outputs))
    axes = figure.subplots(len(outputs), 1, sharex=True, squeeze=False)[:, 0]
    for ax, name in zip(axes, outputs, strict=True):
        beta, explained = sensitivity(data, name, varied)
        ax.barh(range(len(varied)), beta, color=[COLOURS[0] if b >= 0 else COLOURS[1] for b in beta])
        ax.set_yticks(range(len(varied)), varied)
        ax.invert_yaxis()
        ax.axvline(0.0, color="black", linewidth=0.8)
        ax.set_title(f"{_label(data, name)}, R² = {explained:.2f}", fontsize="medium", loc="left")
        ax.grid(axis="x", alpha=0.3)
    axes[-1].set_xlabel("change in standard deviations for one of the parameter")
    figure.suptitle(str(data.attrs.get("case", "")))
    return figure


def _heat(data: Any, outputs: Sequence[str], varied: Sequence[str], series: Sequence[str]) -> "Figure":
    """Outputs over two parameters: cells of a grid, or points where they were sampled."""
    if not outputs or len(varied) < 2:
        raise ResultError("a heat map needs an output that is a number and two parameters that vary")
    figure = new_figure(6.4, 0.4 + 4.2 * len(outputs))
    axes = figure.subplots(len(outputs), 1, squeeze=False)[:, 0]
    x, y = (np.asarray(data[name].values, dtype=float) for name in varied[:2])
    for ax, name in zip(axes, outputs, strict=True):
        z = np.asarray(data[name].values, dtype=float)
        cells = _cells(x, y, z)
        if cells is not None:
            drawn = ax.pcolormesh(*cells, cmap="viridis", shading="nearest")
        else:
            drawn = ax.scatter(x, y, c=z, cmap="viridis", s=14)
        figure.colorbar(drawn, ax=ax, label=_label(data, name))
        ax.set_xlabel(_label(data, varied[0]))
        ax.set_ylabel(_label(data, varied[1]))
    figure.suptitle(str(data.attrs.get("case", "")))
    return figure


def _fan(data: Any, outputs: Sequence[str], varied: Sequence[str], series: Sequence[str]) -> "Figure":
    """Median and bands of channels over time."""
    if not series:
        raise ResultError("a fan needs an output over time: name a channel among the outputs of the study")
    figure = new_figure(8.0, 0.8 + 2.6 * len(series))
    axes = figure.subplots(len(series), 1, sharex=True, squeeze=False)[:, 0]
    t = data["time"].values
    for ax, name in zip(axes, series, strict=True):
        rows = np.asarray(data[name].values, dtype=float)
        rows = rows[np.isfinite(rows).all(axis=1)]
        if not len(rows):
            raise ResultError(f"no variant has a finite {name!r}")
        for (low, high), alpha in zip(BANDS, (0.2, 0.4), strict=True):
            band = np.quantile(rows, (low, high), axis=0)
            text = f"{100 * (high - low):.0f} % of {len(rows)} variants"
            ax.fill_between(t, *band, color=COLOURS[0], alpha=alpha, linewidth=0, label=text)
        ax.plot(t, np.median(rows, axis=0), color=COLOURS[0], linewidth=1.3, label="median")
        ax.set_ylabel(_label(data, name))
        ax.grid(alpha=0.3)
    axes[0].legend(fontsize="small", frameon=False)
    axes[-1].set_xlabel("time [s]")
    figure.suptitle(str(data.attrs.get("case", "")))
    return figure


#: drawings by name
KINDS: dict[str, Callable[[Any, Sequence[str], Sequence[str], Sequence[str]], "Figure"]] = {
    "bars": _bars,
    "heat": _heat,
    "fan": _fan,
}


def _cells(x: Array, y: Array, z: Array) -> tuple[Array, Array, Array] | None:
    """Values on the grid of two parameters, averaged over all others; None if it is not filled."""
    xs, i = np.unique(x, return_inverse=True)
    ys, j = np.unique(y, return_inverse=True)
    if len(xs) * len(ys) > len(x):
        return None
    total, count = np.zeros((len(ys), len(xs))), np.zeros((len(ys), len(xs)))
    is_there = np.isfinite(z)
    np.add.at(total, (j[is_there], i[is_there]), z[is_there])
    np.add.at(count, (j[is_there], i[is_there]), 1)
    return xs, ys, np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _varies(column: Any) -> bool:
    values: AnyArray = np.asarray(column.values)
    return values.dtype.kind in "biuf" and len(values) > 1 and bool(np.ptp(values.astype(float)) > 0)


def _label(data: Any, name: str) -> str:
    unit = data[name].attrs.get("units", "")
    return f"{name} [{unit}]" if unit else name
