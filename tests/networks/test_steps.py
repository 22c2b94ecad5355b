"""``flexnet equations`` writes the steps of a network as the seed does."""

from flexnet.networks.steps import network_report
from tests.catalogue import build


def test_the_steps_of_the_electrical_network_are_written() -> None:
    text = network_report(build("gtm_electrical").network)
    for line in (
        "  b       0 -1  1  1",
        "  tau_C4 = tau_R2 - tau_R3",
        "  alpha_R2 = -alpha_C4 + alpha_E1",
        "  d x_C4/dt = (E1*R3 - R2*x_C4 - R3*x_C4)/(C4*R2*R3)",
    ):
        assert line in text.splitlines()
    # GTM §3.1: v4/E1 = R3/(R2 + R3 + R2 R3 C4 s)
    assert "  x_C4/E1 = R3/(C4*R2*R3*s + R2 + R3)" in text.splitlines()


def test_a_nonlinear_network_is_written_as_far_as_symbols_go() -> None:
    text = network_report(build("gtm_pipes").network)
    assert "Tree: tank, q2, q3" in text
    assert "pipe 'q2' has a law of its own: its network is not linear" in text
