"""``flexnet bode``: transfer functions and a drawing of a case, and what is refused."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from flexnet.cli.main import build_app
from flexnet.errors import FlexnetError
from tests.catalogue import FOLDER


def run(*arguments: object):
    return CliRunner().invoke(build_app(), ["bode", *(str(a) for a in arguments)])


CASE = FOLDER / "gtm_electrical.py"


def test_the_transfer_function_of_the_seed_s_circuit_is_printed_and_drawn(tmp_path: Path) -> None:
    out = tmp_path / "bode.png"
    outcome = run(CASE, "--input", "E1", "--output", "C4.voltage", "--points", 50, "--out", out)
    assert outcome.exit_code == 0, outcome.output
    # R3/(R2 + R3 + R2 R3 C4 s), R2 = 100, R3 = 300, C4 = 1e-3: 10/(s + 40/3)
    assert "C4.voltage / E1 = (10)/(1 s + 13.3333)" in outcome.output
    assert "50 frequencies from 0.2122 to 21.22 Hz, 1 states, about the start" in outcome.output
    assert out.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "needs --input SOURCE and --output CHANNEL; sources of 'gtm_electrical': E1"),
        (
            ("--input", "E2", "--output", "C4.voltage"),
            "the input 'E2' is no source of a network; there are 'E1'",
        ),
        (("--input", "E1", "--output", "C5.voltage"), "C5.voltage"),
        (("--input", "E1", "--output", "C4.voltage", "--low", 5, "--high", 1), "positive and rising"),
        (("--input", "E1", "--output", "C4.voltage", "--points", 1), "points must be 2 at least"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(arguments: tuple[object, ...], said: str) -> None:
    outcome = run(CASE, *arguments)
    assert outcome.exit_code != 0
    assert isinstance(outcome.exception, FlexnetError | SystemExit)
    assert said in outcome.output + str(outcome.exception)
