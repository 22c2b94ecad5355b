"""Pictures of the page on optimisation, drawn of what its own blocks find.

``python -m tests.docs.optimise_pictures`` writes them to docs/images and prints how many runs each search
takes with derivatives and without.
"""

import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from scipy.optimize import minimize

import flexnet as fx
from flexnet.view.figure import COLOURS, new_figure, save_figure

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "howto" / "optimise.md"
#: runs after which a search without derivatives is given up
MOST = 2000
BEFORE, AFTER, GIVEN = COLOURS[5], COLOURS[0], COLOURS[1]


def page() -> dict[str, Any]:
    """Names of all blocks of the page, run in this folder."""
    names: dict[str, Any] = {"__name__": "optimise"}
    for text in re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL):
        exec(compile(text, PAGE.name, "exec"), names)  # the page itself is under test
    return names


def without_derivatives(misfit: fx.Misfit, enough: float) -> int:
    """Runs until a search by values alone has come as near as ``enough``, as rms of the residual."""
    before, rows = misfit.counts[0], len(misfit.residual(misfit.start))

    class Enough(Exception):
        pass

    def value(x: np.ndarray) -> float:
        found = misfit.value(x)
        if np.sqrt(2 * found / rows) <= enough:
            raise Enough
        return found

    with suppress(Enough):
        minimize(value, misfit.start, method="Nelder-Mead", options={"maxfev": MOST, "maxiter": MOST})
    return misfit.counts[0] - before - 1


def synthesis(p: dict[str, Any]) -> Any:
    """Five points, the curve before and after."""
    figure = new_figure(5.5, 4.2)
    ax = figure.subplots()
    for label, values, colour in (("start", {}, BEFORE), ("found", p["traced"].parameters, AFTER)):
        run = fx.simulate(p["four_bar"](**values), p["pi"] / 3, p["pi"] / 120)
        ax.plot(run.channel("x"), run.channel("y"), color=colour, label=label)
    ax.plot(*p["POINTS"].T, "o", color=GIVEN, label="wanted")
    ax.set(xlabel="x, m", ylabel="y, m")
    ax.legend(frameon=False)
    return figure


def deployment_profile(p: dict[str, Any]) -> Any:
    """Deflection and command, before and after, with half the step of the search."""
    figure = new_figure(6.5, 4.5)
    up, down = figure.subplots(2, 1, sharex=True)
    for label, values, colour in (("quintic", {}, BEFORE), ("found", p["calm"].parameters, AFTER)):
        run = fx.simulate(p["deployment"](**values), p["END"], p["STEP"] / 2)
        up.plot(run.t, run.channel("deflection"), color=colour, label=label)
        down.plot(run.t, run.channel("angle"), color=colour)
    up.set(ylabel="deflection, mm")
    up.legend(frameon=False)
    down.set(xlabel="time, s", ylabel="angle of the hinge, deg")
    return figure


def identification(p: dict[str, Any]) -> Any:
    """Measured decay, start and found."""
    figure = new_figure(6.5, 3.2)
    ax = figure.subplots()
    measured = p["measured"]
    ax.plot(measured.time[::5], measured.values[::5], ".", color=GIVEN, label="measured")
    for label, values, colour in (("start", {}, BEFORE), ("found", p["identified"].parameters, AFTER)):
        run = fx.simulate(p["hinge"](**values), 1.0, 0.01)
        ax.plot(run.t, run.channel("angle"), color=colour, label=label)
    ax.set(xlabel="time, s", ylabel="angle, rad")
    ax.legend(frameon=False)
    return figure


def tolerances(p: dict[str, Any]) -> Any:
    """Where the curve ends, beside the normal distribution of the linear answer."""
    figure = new_figure(6.0, 3.5)
    ax = figure.subplots()
    ends = 1e3 * (p["spread"].final_x.values - p["traced"].run.channel("x")[-1])
    ax.hist(ends, bins=20, density=True, color=BEFORE, alpha=0.5, label=f"{len(ends)} mechanisms")
    sigma = 1e3 * p["linear"]
    x = np.linspace(-4 * sigma, 4 * sigma, 200)
    bell = np.exp(-0.5 * (x / sigma) ** 2) / (sigma * np.sqrt(2 * np.pi))
    ax.plot(x, bell, color=AFTER, label="linear answer")
    ax.set(xlabel="end of the curve beside where it should be, mm", ylabel="share per mm")
    ax.legend(frameon=False)
    return figure


PICTURES = (synthesis, deployment_profile, identification, tolerances)


def main() -> None:
    """Draw all of them; print runs."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        p = page()
    with mpl.rc_context({"svg.hashsalt": "flexnet"}):
        for draw in PICTURES:
            save_figure(draw(p), DOCS / "images" / f"{draw.__name__}.svg", metadata={"Date": None})
    for name, misfit, fit in (
        ("curve", p["curve"], p["traced"]), ("command", p["shaking"], p["calm"]),
        ("hinge", p["known"], p["identified"]),
    ):  # fmt: skip
        slow = without_derivatives(misfit, 1.1 * fit.rms)
        print(f"{name}: {fit.runs[0]} runs and {fit.runs[1]} differentiated; without derivatives {slow}")  # noqa: T201


if __name__ == "__main__":
    main()
