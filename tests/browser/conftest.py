"""A real browser, or a sentence that says what is missing."""

import shutil

import pytest

#: no graphics card, no network, nothing of the user's own
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
)  # fmt: skip


@pytest.fixture(scope="session")
def started():
    """The driver of browsers, and the path of Chromium."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make browser")
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("Chromium is not installed: make browser")
    with api.sync_playwright() as playwright:
        yield playwright, found


def opened(started, profile, offline):
    playwright, found = started
    return playwright.chromium.launch_persistent_context(
        profile, executable_path=found, headless=True, args=list(FLAGS),
        viewport={"width": 1400, "height": 950}, offline=offline,
    )  # fmt: skip


@pytest.fixture(scope="session")
def browser(started, tmp_path_factory):
    """Chromium with a new profile and without a network."""
    with opened(started, tmp_path_factory.mktemp("profile"), True) as context:
        yield context


@pytest.fixture
def live_browser(started, tmp_path_factory):
    """Chromium with a new profile, which reaches this machine."""
    with opened(started, tmp_path_factory.mktemp("live"), False) as context:
        yield context
