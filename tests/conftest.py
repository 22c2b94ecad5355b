"""Make the shared samples of the test rooms importable; mechanisms by name."""

import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import flexnet as fx

# the door stands before every public name: sentences do not depend on the order of tests
for name in fx.__all__:
    getattr(fx, name)

# a shell ignores Ctrl-C for what it starts in the background, and what that starts would ignore it as well
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

TESTS = Path(__file__).parent
sys.path[:0] = [str(TESTS / room) for room in ("", "results", "analysis", "integrators", "signals")]

from mechanisms import MECHANISMS  # noqa: E402  (found on the path set above)


@pytest.fixture
def build() -> dict[str, Callable[..., fx.System]]:
    """Builders of all mechanisms by name."""
    return dict(MECHANISMS)


@pytest.fixture(params=sorted(MECHANISMS))
def mechanism(request: pytest.FixtureRequest) -> fx.System:
    """Every mechanism in turn."""
    return MECHANISMS[request.param]()
