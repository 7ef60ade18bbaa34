"""A pytest plugin: `page` and `phone`, pages of a real Chromium that is found on the machine or installed."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

# The first is Chromium without a desktop: it opens a page with a third of the work.
NAMES = ("chromium-headless-shell", "chromium", "google-chrome", "google-chrome-stable", "chromium-browser")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
    # Pages talk to this machine alone. A route of Playwright would handle each request and turn off the cache.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE [::1]",
]
INSTALL_SECONDS = 300
# A click ends when the next page begins to come, so tests wait for what they look for: milliseconds.
PATIENCE = 60_000
WIDE = {"width": 1280, "height": 900}
NARROW = {"width": 390, "height": 844}


def is_ci() -> bool:
    return os.environ.get("CI", "").lower() in ("true", "1")


def list_chromium_paths(chromium) -> list[str]:
    """Programs that could be a Chromium: the machine's, then Playwright's own."""
    ours = [path for name in NAMES if (path := shutil.which(name))]
    return [*ours, chromium.executable_path] if os.path.exists(chromium.executable_path) else ours  # noqa: PTH110


def launch(chromium):
    """The first Chromium that starts, or None."""
    from playwright.sync_api import Error

    for program in list_chromium_paths(chromium):
        try:
            return chromium.launch(executable_path=program, args=FLAGS, timeout=60_000)
        except Error as error:
            print(f"{program} does not start: {error}", file=sys.stderr)
    return None


def install() -> str:
    """Install a Chromium within a time limit; what went wrong, or an empty text."""
    if os.geteuid() == 0 and is_ci() and shutil.which("apt-get"):
        quiet = ["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=120"]
        commands = [[*quiet, "update"], [*quiet, "install", "-y", "--no-install-recommends", NAMES[0]]]
    else:
        commands = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        for command in commands:
            subprocess.run(command, stdin=subprocess.DEVNULL, env=env, check=True, timeout=INSTALL_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    return ""


def report_missing_browser(reason: str) -> None:
    sentence = f"No Chromium starts here, and none could be installed ({reason}): install chromium or google-chrome."
    if is_ci():
        pytest.fail(sentence, pytrace=False)
    pytest.skip(sentence)


@pytest.fixture(scope="session")
def browser() -> Iterator:
    """One Chromium for all tests."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    # Playwright keeps an event loop in this thread, which Django would take for asynchronous code of ours.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = launch(playwright.chromium)
        if browser is None:
            reason = install()
            browser = launch(playwright.chromium) or report_missing_browser(
                reason or "the installed one does not start"
            )
        yield browser
        browser.close()


def press_keys_after_the_scripts(page) -> None:
    """A key that is pressed before the deferred scripts have run is lost; the text is there earlier."""
    press = page.keyboard.press

    def press_when_loaded(key, **options):
        page.wait_for_load_state("domcontentloaded")
        press(key, **options)

    page.keyboard.press = press_when_loaded


def open_page(browser, viewport) -> Iterator:
    """A page that talks to this machine alone, and whose scripts must not fail."""
    context = browser.new_context(viewport=viewport, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    press_keys_after_the_scripts(page)
    yield page
    context.close()
    assert errors == [], f"scripts failed on the page: {errors}"


@pytest.fixture
def page(browser) -> Iterator:
    """A page as wide as a desk."""
    yield from open_page(browser, WIDE)


@pytest.fixture
def phone(browser) -> Iterator:
    """A page as narrow as a phone."""
    yield from open_page(browser, NARROW)
