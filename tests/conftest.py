"""Make the shared samples of the test rooms importable; mechanisms by name; of a sweep, a sample is quick."""

import signal
import sys
from collections import defaultdict
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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a sweep, all but ``n`` of its cases are slow; which ones, only their order in the sweep decides."""
    sweeps: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sweep"):
            sweeps[item.nodeid.partition("[")[0]].append(item)
    for cases in sweeps.values():
        marker = cases[0].get_closest_marker("sweep")
        assert marker is not None
        kept = spread(len(cases), *marker.args)
        for number, item in enumerate(cases):
            if number not in kept:
                item.add_marker(pytest.mark.slow)


def spread(count: int, n: int) -> set[int]:
    """``n`` of ``count`` numbers: multiples of the golden section meet every factor of a product."""
    kept: dict[int, None] = {}
    for k in range(50 * count):
        kept[int(count * (k * 0.6180339887498949 % 1.0))] = None
        if len(kept) == min(n, count):
            break
    return set(kept)
