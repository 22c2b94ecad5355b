"""Every block of every page runs, links lead somewhere, quoted messages are those of the code."""

import re
import shlex
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flexnet.cli.main import EXIT_CODES, VERBS, build_app
from flexnet.examples import examples

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", re.DOTALL | re.MULTILINE)
#: pages whose blocks run elsewhere
ELSEWHERE = {
    "tutorial": "tests/docs/test_tutorial.py",
    "tutorial_flexible": "tests/docs/test_tutorial.py",
    "howto_add": "tests/checks/test_pages.py",
    "howto_control": "tests/signals/test_howto.py",
    "howto_studies": "tests/docs/test_studies_page.py",
    "optimise": "tests/docs/test_optimise_page.py",
}
PENDULUM = """
import flexnet as fx
system = fx.System("pendulum", planar=True)
system.gravity([0, -9.81])
rod = system.rigid_body("rod", mass=1.0, inertia=1 / 12, frames={"top": [0, 0.5]})
system.revolute("pivot", system.ground, rod["top"])
system.start("pivot", angle=1.0)
system.channel("angle", fx.joint_coordinate("pivot"), "rad")
"""
RUN = """
import flexnet as fx
from catalogue import build
run = fx.simulate(build("four_bar"), 2e-3, 1e-4, out="four_bar.h5")
"""
BENT = """
import flexnet as fx
from catalogue import build
steel, rod = fx.Material(E=2.1e11, nu=0.3, rho=7800.0), fx.System("rod", planar=True)
body = fx.beam_body(1.0, 4, steel, fx.circle(0.01))
rod.gravity([0, -9.81])
rod.weld("clamp", rod.ground, rod.flexible_body("coupler", body, fx.Clamped("start"), modes=2)["start"])
run = fx.simulate(rod, 0.01, 1e-3)
panels = fx.simulate(build("panel_deployment"), 7.5, 1e-2, interval=0.5)
"""
ADAMS = """
from pathlib import Path
rows = zip(run.t, run.channel("coupler_deflection"))
steps = "".join(f'<Step type="dynamic">{t} {u}</Step>' for t, u in rows)
Path("reference.res").write_text(
    '<Results xmlns="x"><Analysis name="a"><StepMap name="m">'
    '<Entity name="time"><Component name="TIME" unitsValue="sec" id="1"/></Entity>'
    '<Entity name="FLEX_1_DEFORM"><Component name="U2" unitsValue="meter" id="2"/></Entity></StepMap>'
    f'<Data name="d" id="1">{steps}</Data></Analysis></Results>'
)
"""
#: what a page speaks of as the reader's own
BEFORE = {
    "report": PENDULUM + "fx.export(fx.simulate(system, 2.0, 1e-3), 'reference.csv')",
    "verification": "import flexnet as fx",
    "symbolic": PENDULUM,
    "flexible_bodies": BENT,
    "families": "from flexnet.kernels.compile import is_interpreted",
    "comparison": RUN + ADAMS,
}
PAGES = [p for p in sorted(DOCS.rglob("*.md")) if BLOCK.search(p.read_text()) and "_build" not in p.parts]


def test_blocks_that_run_elsewhere_do_so():
    assert set(ELSEWHERE) < {page.stem for page in PAGES}
    for stem, test in ELSEWHERE.items():
        assert stem in (ROOT / test).read_text(), stem


@pytest.mark.sweep(3)
@pytest.mark.parametrize("page", [p for p in PAGES if p.stem not in ELSEWHERE], ids=lambda p: p.stem)
@pytest.mark.filterwarnings("ignore:.*does not come to rest:UserWarning")  # it rolls up, and says so
def test_every_block_of_a_page_runs(page, tmp_path, monkeypatch):
    """One namespace a page; a block that begins with a comment of a file's name is also that file."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": page.stem}
    exec(BEFORE.get(page.stem, ""), names)
    for language, text in BLOCK.findall(page.read_text()):
        if language == "python":
            if named := re.match(r"# (\w+\.py)\n", text):
                Path(named[1]).write_text(text)
            exec(compile(text, str(page), "exec"), names)  # the page itself is under test
            continue
        for line in text.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            assert words[:2] == ["$", "flexnet"], line
            made = CliRunner().invoke(build_app(), words[2:])
            assert made.exit_code == 0, f"{line}\n{made.output}\n{made.exception!r}"


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))], ids=lambda p: p.stem)
def test_links_and_pictures_of_a_page_are_there(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not target.startswith(("http", "#", "mailto")):
            assert (page.parent / target.partition("#")[0]).exists(), target


def test_what_to_do_when_quotes_messages_of_the_code():
    source = "\n".join(p.read_text() for p in (ROOT / "flexnet").rglob("*.py"))
    quoted = re.findall(r"^## `(.+)`$", (DOCS / "faq.md").read_text(), flags=re.MULTILINE)
    assert len(quoted) > 5
    for message in quoted:
        assert message in source, message


def test_the_page_of_the_command_line_knows_verbs_and_exit_codes():
    page = (DOCS / "command_line.md").read_text()
    for code, meaning in EXIT_CODES.items():
        assert f"| {code} | {meaning} |" in page
    for verb in re.findall(r"flexnet ([a-z]+)", page):
        assert verb in VERBS


def test_every_picture_of_the_gallery_is_that_of_an_example_and_all_are_small():
    """`make pictures` draws them; an example that came since has none until then."""
    drawn = {path.stem for path in (DOCS / "images" / "gallery").iterdir()}
    assert drawn <= {example.name for example in examples()}
    assert len(drawn) > 30
    moving = sum(
        (DOCS / "images" / f"{name}.webp").stat().st_size for name in ("four_bar", "panel_deployment")
    )
    assert moving < 1.5e6


def test_every_formula_becomes_mathml_with_no_word_left_over():
    pytest.importorskip("latex2mathml", reason="pip install --group docs")
    sys.path.insert(0, str(DOCS / "extensions"))
    from mathml import _TAG, mathml

    count = 0
    for page in DOCS.rglob("*.md"):
        text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL)
        blocks = re.findall(r"\$\$(.*?)\$\$", text, flags=re.DOTALL)
        for latex in [*blocks, *re.findall(r"(?<!\$)\$([^$\n]+)\$(?!\$)", text)]:
            shown = re.sub(r"<[^>]*>", "", mathml(_TAG.sub("", latex), "block"))
            assert "\\" not in shown, (page.name, latex)
            assert "&" not in re.sub(r"&#?\w+;", "", shown), (page.name, latex)
            count += 1
    assert count > 100
