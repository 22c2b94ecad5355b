"""``flexnet study``: variants of a case file, gone on with and drawn; what is refused."""

from pathlib import Path

import pytest
import xarray as xr
from typer.testing import CliRunner

from flexnet.cli.main import build_app
from flexnet.errors import FlexnetError

CASE = Path(__file__).parents[1] / "studies" / "pendulum.py"


def run(*arguments: object):
    return CliRunner().invoke(build_app(), ["study", *(str(a) for a in arguments)])


def test_a_study_is_run_gone_on_with_drawn_and_opened_by_xarray(tmp_path: Path) -> None:
    out = tmp_path / "a.nc"
    words = (CASE, "--vary", "length=1:2:2", "--vary", "mass=1,-1,2", "--output", "final:angle")
    words = (*words, "--output", "angle", "--out", out, "--workers", 1)
    outcome = run(*words)
    assert outcome.exit_code == 0, outcome.output
    assert "6 variants, 2 failed" in outcome.output
    assert "the first failure: " in outcome.output
    with xr.open_dataset(out) as data:
        assert data.mass.values.tolist() == [1.0, -1.0, 2.0, 1.0, -1.0, 2.0]
        assert (data.mass.units, data.final_angle.units, data.time.units) == ("kg", "deg", "s")
        assert [bool(text) for text in data.failure.values] == [False, True, False] * 2
    before = out.read_bytes()
    assert run(*words, "--resume").exit_code == 0
    assert out.read_bytes() == before
    for kind in ("bars", "heat", "fan"):
        picture = tmp_path / f"{kind}.png"
        outcome = run("plot", out, "--kind", kind, "--out", picture)
        assert outcome.exit_code == 0, outcome.output
        assert picture.read_bytes().startswith(b"\x89PNG")
    for words, picture in (
        ((), "a_fan.png"),
        (("final_angle",), "a_bars.png"),
        (("--kind", "heat"), "a_heat.png"),
    ):
        assert str(tmp_path / picture) in run("plot", out, *words).output.replace("\n", "")
        assert (tmp_path / picture).exists()
    assert "did you mean 'fan'" in str(run("plot", out, "--kind", "fun/an").exception)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "what varies? Give --vary"),
        (("--vary", "lenght=1,2"), "no parameter 'lenght'; did you mean 'length'"),
        (("--vary", "length"), "--vary 'length' is not of the form name=value"),
        (("--vary", "length="), "--vary 'length=' is not of the form name=value"),
        (("--vary", "length=2:1:3"), "range of 'length' is empty"),
        (("--vary", "length=1,2", "--vary", "length=3"), "--vary length is given twice: '1,2' and '3'"),
        (("--vary", "length=1,2", "--set", "length=3"), "length"),
        (("--vary", "length=1,2", "--output", "peak:angel"), "no channel 'angel'; did you mean 'angle'"),
        (("--vary", "length=1:2", "--sampling", "sobel", "--samples", 4), "did you mean 'sobol'"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_leaves_nothing(
    words: tuple[object, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run(CASE, *words, "--workers", 1)
    assert isinstance(outcome.exception, FlexnetError | SystemExit)
    assert outcome.exit_code != 0
    assert said in f"{outcome.exception} {' '.join(outcome.output.split())}"
    assert not list(tmp_path.iterdir())
