"""Draw the pictures of README and gallery: ``make pictures``.

Moving: the four-bar and the panels beside their linear graphs, as animated WebP. Still: every example in a
few poses, and the curves of the README. Runs are short and coarse: they are looked at, not measured.
"""

import contextlib
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import flexnet as fx
from flexnet.cli.case import build_system, load_case
from flexnet.examples import Example, examples, find
from flexnet.results import Results
from flexnet.view.figure import new_figure, save_figure
from flexnet.view.graph import draw_graph
from flexnet.view.mechanism_drawing import Projection, draw_pose
from flexnet.view.scene import scene_of

IMAGES = Path(__file__).parent / "images"
SIZE = (760, 330)  # pixels of a moving picture
#: example, its parameters, end [s], factor on deformations, pictures
MOVING = {
    "four_bar": ({}, 0.0598, 1.0, 60),
    "panel_deployment": ({}, 20.0, 10.0, 60),
}
#: where an example is looked at: from its beginning to here, s
UNTIL = {
    "leger_a03_three_bodies": 0.5,
    "leger_a08_3rpr": 2.5,
    "swing": 0.6,
    "heavy_top": 0.4,
    "leger_a11_stewart": 0.5,
    "spin_up_beam": 15.0,
}
POSES = 4


def run(example: Example, folder: Path, end: float | None = None, **settings: object) -> Results:
    """Run an example, coarsely."""
    module = load_case(example.path)
    system = build_system(module, example.path, [f"{k}={v}" for k, v in settings.items()])
    end = end or UNTIL.get(example.name) or getattr(module, "END", 2.0)
    step = getattr(module, "STEP", None)
    out = folder / f"{example.name}.h5"
    rows = end / 240  # s between two of them
    if step is None:
        fx.simulate(system, end, rows, tolerance=1e-4, interval=rows, out=out, throw=False)
    else:
        interval = max(1, round(rows / step)) * step
        fx.simulate(system, end, step, interval=interval, out=out, throw=False)
    return Results.open(out)


def graph_of(example: Example, **settings: object) -> Image.Image:
    """The linear graph, its trees in bold."""
    module = load_case(example.path)
    equations = fx.formulate(build_system(module, example.path, [f"{k}={v}" for k, v in settings.items()]))
    figure = draw_graph(equations.system.graph, equations.T, None)
    drawn = BytesIO()
    figure.savefig(drawn, dpi=110, format="png", bbox_inches="tight")
    return Image.open(drawn).convert("RGB")


def moving(name: str, folder: Path) -> Path:
    """Mechanism in motion beside its graph."""
    settings, end, scale, count = MOVING[name]
    example = find(name)
    results = run(example, folder, end, **settings)
    scene = scene_of(results, np.linspace(0.0, results.time[-1], count), scale)
    graph = graph_of(example, **settings)
    wide = SIZE[0] // 2
    graph.thumbnail((wide, SIZE[1]), Image.Resampling.LANCZOS)
    figure = new_figure(wide / 100, SIZE[1] / 100)
    axes = figure.add_subplot()
    frames = []
    for k in range(count):
        draw_pose(axes, scene, k, Projection())
        drawn = BytesIO()
        figure.savefig(drawn, dpi=100, format="png")
        frame = Image.new("RGB", SIZE, "white")
        frame.paste(Image.open(drawn).convert("RGB"), (0, 0))
        frame.paste(graph, (wide + (wide - graph.width) // 2, (SIZE[1] - graph.height) // 2))
        frames.append(frame)
    path = IMAGES / f"{name}.webp"
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=70, loop=0, quality=60, method=4)
    return path


def still(example: Example, folder: Path) -> Path:
    """A few poses in a row."""
    results = run(example, folder)
    scene = scene_of(results, np.linspace(0.0, results.time[-1], POSES), 1.0)
    figure = new_figure(2.4 * POSES, 2.4)
    for k, axes in enumerate(figure.subplots(1, POSES)):
        draw_pose(axes, scene, k, Projection())
    drawn = BytesIO()
    figure.savefig(drawn, dpi=80, format="png")
    path = IMAGES / "gallery" / f"{example.name}.webp"
    path.parent.mkdir(exist_ok=True)
    Image.open(drawn).convert("RGB").save(path, quality=70, method=4)
    return path


def readme(folder: Path) -> Path:
    """The picture that the code of the README ends in."""
    page = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    with contextlib.chdir(folder), contextlib.redirect_stdout(None):
        exec(page.split("```python\n")[1].split("```")[0], {})
    path = IMAGES / "readme.webp"
    Image.open(folder / "slider_crank.png").convert("RGB").save(path, quality=80, method=4)
    return path


def searches(folder: Path) -> list[Path]:
    """What the page on optimisation finds: it is run, and its answers are drawn."""
    page = (Path(__file__).parent / "howto" / "optimise.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    with contextlib.chdir(folder), contextlib.redirect_stdout(None):
        for block in page.split("```python\n")[1:]:
            exec(block.split("```")[0], names)
    figures = {
        "synthesis": _synthesis(names),
        "deployment_profile": _deployment(names),
        "tolerances": _tolerances(names),
    }
    return [save_figure(figure, IMAGES / f"{name}.svg") for name, figure in figures.items()]


def _synthesis(names: dict[str, Any]) -> Any:
    """Points and curves of the coupler, over the arc and a turn of the crank."""
    figure = new_figure(5.5, 4.2)
    axes = figure.add_subplot()
    for label, values in (("start", {}), ("found", names["traced"].parameters)):
        run = fx.simulate(names["four_bar"](**values), np.pi / 3, np.pi / 120)
        axes.plot(run.channel("x"), run.channel("y"), label=label)
    axes.plot(*names["POINTS"].T, "ko", label="wanted")
    axes.set(xlabel="x, m", ylabel="y, m", aspect="equal")
    axes.legend(frameon=False)
    return figure


def _deployment(names: dict[str, Any]) -> Any:
    """Deflection of the tip over time, and the command."""
    figure = new_figure(7.0, 4.6)
    upper, lower = figure.subplots(2, 1, sharex=True)
    for label, values in (("quintic", {}), ("found", names["calm"].parameters)):
        run = fx.simulate(names["deployment"](**values), names["END"], names["STEP"] / 2)
        upper.plot(run.t, run.channel("deflection"), label=label)
        lower.plot(run.t, run.channel("angle"), label=label)
    for axes in (upper, lower):
        axes.axvline(names["MOVE"], color="#888888", linewidth=0.8)
    upper.set_ylabel("deflection, mm")
    lower.set(xlabel="time, s", ylabel="angle of the hinge, deg")
    upper.legend(frameon=False)
    return figure


def _tolerances(names: dict[str, Any]) -> Any:
    """Where the curve ends, of all variants, beside the normal distribution of the linear answer."""
    figure = new_figure(6.0, 3.4)
    axes = figure.add_subplot()
    ends, width = 1e3 * names["spread"].final_x.values, 1e3 * names["linear"]
    middle = 1e3 * names["traced"].run.channel("x")[-1]
    axes.hist(ends - middle, bins=24, density=True, alpha=0.6, label="128 mechanisms")
    x = np.linspace(-3.5 * width, 3.5 * width, 200)
    axes.plot(x, np.exp(-0.5 * (x / width) ** 2) / (width * np.sqrt(2 * np.pi)), label="linear answer")
    axes.set(xlabel="end of the curve beside where it should be, mm", ylabel="share per mm")
    axes.legend(frameon=False)
    return figure


def main(names: list[str]) -> None:
    """Draw the pictures of the examples named (``readme`` and ``searches`` for those pages'), or of all."""
    with tempfile.TemporaryDirectory() as folder:
        if not names or "readme" in names:
            sys.stdout.write(f"{readme(Path(folder))}\n")
        if not names or "searches" in names:
            for path in searches(Path(folder)):
                sys.stdout.write(f"{path}\n")
        for example in examples():
            if names and example.name not in names:
                continue
            if build_system(load_case(example.path), example.path).bodies:  # a network alone has no poses
                made = [still(example, Path(folder))]
                if example.name in MOVING:
                    made.append(moving(example.name, Path(folder)))
                for path in made:
                    sys.stdout.write(f"{path} {path.stat().st_size / 1e3:.0f} kB\n")
                    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
