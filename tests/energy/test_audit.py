"""The energy audit as its user meets it."""

import numpy as np
import pytest
from typer.testing import CliRunner

import flexnet as fx
from flexnet.cli.main import build_app
from flexnet.errors import ResultError
from tests.energy.systems import busy, slider_crank
from tests.images import Units, image


def test_works_of_an_alpha_method_add_up_to_the_energy():
    found = fx.audit(fx.simulate(busy(), 1.0, 1e-3))
    assert set(found.works) == {"drivers", "forces", "damping", "scheme"}
    assert np.all(np.diff(found.works["damping"]) <= 0)
    assert np.abs(found.balance).max() < 1e-4 * found.scale
    assert found.breaches(1e-3, 1e-3) == ()


def test_the_first_row_that_breaks_is_named():
    found = fx.audit(fx.simulate(slider_crank(), 2.0, 0.02, fx.hht(-0.3)))
    (balance, *others) = found.breaches(tolerance=1e-3, constraint=1e-3)
    assert balance.quantity == "the energy balance"
    assert abs(found.balance[balance.row]) > balance.limit
    assert np.all(np.abs(found.balance[: balance.row]) <= balance.limit)
    assert f"row {balance.row}, t = {0.02 * balance.row:.9g} s" in str(balance)
    assert {b.quantity for b in others} >= {"the velocity constraint"}


def test_constraints_are_judged_by_the_size_of_the_mechanism():
    """In micrometres a velocity off by a third of all there is was within 1e-3 m/s."""
    units = Units(1e-6, 1e-9, 1e-3)
    one = fx.audit(fx.simulate(slider_crank(), 1.0, 0.02, fx.hht(-0.3)))
    other = fx.audit(fx.simulate(image(slider_crank(), units), 1e-3, 2e-5, fx.hht(-0.3)))
    assert {b.quantity for b in other.breaches()} >= {b.quantity for b in one.breaches()} > set()


def test_reference_and_energy_schemes_agree_on_every_work():
    one = fx.audit(fx.simulate(busy(), 1.0, 1e-3, fx.reference(), interval=0.1))
    other = fx.audit(fx.simulate(busy(), 1.0, 1e-3, fx.energy_preserving(), interval=0.1))
    for name in ("drivers", "forces", "damping"):
        assert other.works[name] == pytest.approx(one.works[name], abs=1e-4 * one.scale)
    assert np.abs(one.balance).max() < 1e-8 * one.scale


def test_the_verb_prints_plots_and_judges(tmp_path):
    good, bad = tmp_path / "good.h5", tmp_path / "bad.h5"
    fx.simulate(slider_crank(), 1.0, 0.01, fx.energy_preserving(), out=good)
    fx.simulate(slider_crank(), 1.0, 0.01, out=bad)
    outcome = CliRunner().invoke(build_app(), ["audit", str(good), "--tolerance", "1e-10"])
    assert outcome.exit_code == 0, outcome.output
    assert "the balance holds within 1e-10" in outcome.output
    assert (tmp_path / "good_balance.png").exists()
    outcome = CliRunner().invoke(
        build_app(), ["audit", str(bad), "--tolerance", "1e-10", "--out", str(tmp_path / "b.svg")]
    )
    assert outcome.exit_code == 1
    assert "the energy balance breaks its tolerance first at row" in outcome.output
    assert (tmp_path / "b.svg").exists()


def test_a_file_without_energies_is_refused(tmp_path):
    from flexnet.results import ChannelSpec, ResultLayout, ResultWriter

    path = tmp_path / "a.h5"
    layout = ResultLayout(channels=(ChannelSpec("x", "m"),), energies=())
    with ResultWriter.create(path, layout) as writer:
        columns = {c.path: np.zeros((1, *c.shape)) for c in layout.columns()}
        writer.append(columns)
    with pytest.raises(ResultError, match="nothing to audit"):
        fx.audit(path)
