"""A real browser, or a sentence that says what is missing."""

import shutil

import pytest

#: no graphics card, no network, nothing of the user's own
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
)  # fmt: skip


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Chromium with a new profile and without a network."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make browser")
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("Chromium is not installed: make browser")
    with api.sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"), executable_path=found, headless=True, args=list(FLAGS),
            viewport={"width": 1400, "height": 950}, offline=True,
        )  # fmt: skip
        yield context
        context.close()
