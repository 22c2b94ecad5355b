"""``flexnet equations``: every step as text, LaTeX, HTML and PDF, and the equations as code."""

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

import flexnet as fx
from flexnet.cli.main import build_app
from flexnet.formulation.symbolic import symbolic
from flexnet.formulation.symbolic.report import COLUMNS, equations_report, report_paragraphs
from flexnet.view import pages
from tests.catalogue import build

CASES = Path(__file__).parents[2] / "cases"
SLIDER = CASES / "slider_crank_gtm.py"
TREES = ("--translation", "h9,h10,h11", "--rotation", "m1,m2,s12")
STEPS = (
    "Step 1: branch transformations",
    "Step 2: circuit equations",
    "Step 3: cutset equations in virtual work",
    "Step 4: equations of motion",
    "Step 5: loads of joints and drivers",
)


def say(*arguments: object) -> str:
    outcome = CliRunner().invoke(build_app(), ["equations", *(str(a) for a in arguments)])
    if outcome.exception and not isinstance(outcome.exception, SystemExit):
        raise outcome.exception
    assert outcome.exit_code == 0, outcome.output
    return outcome.output


def test_virtual_joints_and_counts_are_options():
    options = ("--virtual", "--counts", "in_plane", "--require", "planar_m2", "--step", "equations")
    outcome = CliRunner().invoke(build_app(), ["equations", str(SLIDER), *options])
    assert outcome.exit_code == 0, outcome.output
    assert "virtual joint planar_m2 from ground to m2" in outcome.stderr
    assert "virtual joint" not in outcome.stdout  # which may be code that is piped on
    assert "planar_m2" in outcome.stdout


@pytest.mark.parametrize("form", ["text", "latex", "html"])
def test_all_steps_are_written_in_every_format(form):
    said = say(SLIDER, "--step", "all", "--format", form, *TREES)
    places = [said.index(title) for title in STEPS]
    assert places == sorted(places)


def test_the_text_shows_what_the_method_does():
    said = " ".join(say(SLIDER, "--step", "all", *TREES).split())
    # a transformation, the circuit before and after projection, a cutset with what cancels, an equation
    assert "R(m1) = [[cos(m1.angle), -sin(m1.angle), 0]" in said
    assert "circuit of s12, before projection: r(s12) + r(h11) - r(m2.r8)" in said
    assert "r(s12) = [-m1.r5.x*cos(m1.angle)" in said
    assert "Phi_1 = -m1.r5.x*sin(m1.angle)" in said
    assert "h10@m1.r6 + h10@m2.r7: cancel, h10 is ideal" in said
    assert "s12@m3: multipliers of s12" in said
    assert "M_2_2 = J.m2.zz + m.m2*m2.r7.y**2" in said
    assert "G_1_2 = m2.r7.y*sin(m2.angle) - m2.r8.y*sin(m2.angle)" in said
    assert "force of s12" in said


def test_one_step_can_be_asked_for():
    said = say(SLIDER, "--step", "circuits", *TREES)
    assert STEPS[1] in said
    assert not any(title in said for title in STEPS if title != STEPS[1])


def test_the_embedding_form_has_one_equation_for_each_freedom():
    said = say(SLIDER, "--step", "embedding", *TREES)
    assert "F_1 =" in said
    assert "F_2 =" not in said
    assert "B_1_1 =" in said or "B_2_1 =" in said


def test_long_expressions_are_written_with_names_that_are_explained():
    said = say(CASES / "leger_a06_spatial_slider_crank.py", "--step", "equations")
    named = {line.split("=")[0].strip() for line in said.splitlines() if line.strip().startswith("z")}
    assert named
    assert set(re.findall(r"\bz\d+\b", said)) <= named


@pytest.mark.slow
def test_latex_is_a_document_that_compiles(tmp_path):
    file = tmp_path / "top.tex"
    say(CASES / "heavy_top.py", "--angles", "zxz", "--step", "all", "--format", "latex", "--out", file)
    text = file.read_text()
    assert text.startswith(r"\documentclass")
    assert text.count(r"\begin{equation*}") == text.count(r"\end{equation*}") > 5
    assert text.count("{") == text.count("}")
    if latex := shutil.which("pdflatex"):
        command = [latex, "-interaction=nonstopmode", "-halt-on-error", file]
        subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)


def test_the_double_pendulum_fits_on_a_page_as_a_textbook_has_it():
    text = say(CASES / "double_pendulum.py", "--format", "latex")
    assert len(text) <= 1800
    for word in ("inertia", "centrifugal", "gravity"):
        assert text.count(rf"\text{{{word}}}") == 2
    assert r"c_{1-2} = \cos{\left(\theta_{\mathrm{m1}} - \theta_{\mathrm{m2}} \right)}" in text
    assert "Coriolis" not in text


class Balance(HTMLParser):
    """Every tag that opens closes."""

    def __init__(self):
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_html_is_one_page_with_equations_as_mathml():
    said = say(CASES / "pendulating_rotor.py", "--step", "all", "--format", "html")
    page = Balance()
    page.feed(said)
    assert page.open == []
    assert said.count("<math>") > 10


@pytest.mark.parametrize(
    ("case", "options"),
    [
        pytest.param("slider_crank_gtm", ("--step", "all", *TREES), marks=pytest.mark.slow),
        pytest.param("heavy_top", ("--step", "equations", "--angles", "zxz"), marks=pytest.mark.slow),
        pytest.param("pendulating_rotor", ("--step", "circuits", "--tree", "gtm"), marks=pytest.mark.slow),
        ("quick_return", ("--step", "equations")),
        pytest.param(
            "leger_a06_spatial_slider_crank",
            ("--step", "circuits", "--tree", "joint"),
            marks=pytest.mark.slow,
        ),
        pytest.param("spatial_slider_crank_dynaflex", ("--step", "circuits"), marks=pytest.mark.slow),
    ],
)
def test_pdf_has_numbered_pages(case, options, tmp_path):
    """The last is a flexible body. Fonts of the words are embedded, so that letters stay letters."""
    file = tmp_path / "equations.pdf"
    said = say(CASES / f"{case}.py", *options, "--format", "pdf", "--out", file)
    data = file.read_bytes()
    pages = len(re.findall(rb"/Type /Page\b", data))
    assert data.startswith(b"%PDF")
    assert data.rstrip().endswith(b"%%EOF")
    assert pages >= 1
    assert f"{pages} pages" in " ".join(said.split())
    assert b"DejaVuSans" in data
    assert b"STIX" in data


def test_no_formula_of_the_pdf_is_wider_than_its_page():
    """Lines end between pieces; a piece alone is short enough."""
    made = symbolic(build("slider_crank_dynaflex"))
    room = pages.WIDTH - 2 * pages.MARGIN - pages.INDENT - pages.HANGING
    formulas = [row for kind, row in report_paragraphs(made, "equations") if kind == "formula"]
    assert any(len(pages.broken_formula(row)) > 1 for row in formulas)
    for row in formulas:
        for i, line in enumerate(pages.broken_formula(row)):
            text = "".join(line)
            assert pages.extent(text)[0] < 1.02 * (room if i else room + pages.HANGING), text


@pytest.mark.parametrize(("case", "step"), [("four_bar", "circuits"), ("leger_a02_five_bar", "all")])
def test_long_lines_are_broken_in_text_latex_and_html(case, step):
    made = symbolic(build(case))
    lines = equations_report(made, step, "text").splitlines()
    assert max(map(len, lines)) <= COLUMNS
    assert not any(line.rstrip().endswith((" +", " -", " =")) for line in lines)
    text = equations_report(made, step, "latex")
    displayed = re.findall(r"\\begin\{align\*\}(.*?)\\end\{align\*\}", text, re.DOTALL)
    assert displayed
    assert max(len(row) for rows in displayed for row in rows.split("\\\\\n")) < 500
    assert text.count("{") == text.count("}")
    # what the browser cannot break: no element of MathML has many letters outside of tables
    html = re.sub(r"<mtable>.*?</mtable>", "", equations_report(made, step, "html"), flags=re.DOTALL)
    pieces = re.findall(r"<math>(.*?)</math>", html, re.DOTALL)
    assert max(len(re.sub(r"<[^>]*>", "", piece)) for piece in pieces) < 120


def test_names_are_escaped_in_latex():
    s = fx.System("50_mm #3", planar=True)
    body = s.rigid_body("rod_#1", 1.0, 0.1, frames={"a": [0.5, 0]})
    s.revolute("pin_#2", s.ground, body["a"])
    text = equations_report(symbolic(s, "joint"), "all", "latex")
    assert not re.findall(r"(?<!\\)#", text)
    assert r"\mathrm{rod\_\#1" in text


def test_a_file_whose_ending_says_another_format_is_refused(tmp_path):
    """Text was written into a file that a reader of PDF was to open."""
    with pytest.raises(fx.FlexnetError, match="--format is text; for a file of that ending --format pdf"):
        say(SLIDER, "--format", "text", "--out", tmp_path / "a.pdf")


@pytest.mark.parametrize(
    ("name", "mark"), [("a.pdf", b"%PDF"), ("a.tex", rb"\documentclass"), ("a.txt", b"slider")]
)
def test_the_ending_of_the_file_says_the_format(name, mark, tmp_path):
    say(SLIDER, "--out", tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(mark)


def test_a_pdf_needs_a_file():
    with pytest.raises(fx.FlexnetError, match="--out"):
        say(SLIDER, "--format", "pdf")


@pytest.mark.parametrize(
    ("form", "mark"),
    [("numpy", "def residual(t, q, v,"), ("c", "void residual(double t"), ("fortran", "end module")],
)
def test_code_is_exported(form, mark, tmp_path):
    file = tmp_path / "code"
    assert "written to" in say(SLIDER, "--format", form, "--out", file)
    assert mark in file.read_text()


@pytest.mark.parametrize(
    ("option", "value"), [("--step", "fifth"), ("--format", "word"), ("--angles", "zz")]
)  # fmt: skip
def test_what_does_not_exist_is_refused_by_name(option, value):
    with pytest.raises(fx.FlexnetError, match=value):
        say(CASES / "heavy_top.py", option, value)


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(fx.FlexnetError, match="cannot be written"):
        say(SLIDER, "--out", tmp_path / "none" / "equations.txt")
