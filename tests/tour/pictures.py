"""The pictures of the tour in the manual, taken from a running site."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page

# As templates/manual/_picture.html says.
SIZE = {"width": 1100, "height": 720}
THEMES = ("light", "dark")
QUALITY = 82
PATIENCE = 60_000


@dataclass(frozen=True, slots=True)
class TouredSite:
    """Paths of a site. member: an account of the trial's team; curator: another; both have this password."""

    url: str
    article: str
    trial: str
    leaderboard: str
    member: str
    curator: str
    password: str


def log_in(page: Page, site: TouredSite, name: str) -> None:
    page.goto(f"{site.url}/login/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(site.password)
    page.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()
    page.get_by_role("button", name="Log out").wait_for()


def open_article(page: Page, site: TouredSite) -> None:
    page.goto(f"{site.url}{site.article}")


def open_mention(page: Page, site: TouredSite) -> None:
    open_article(page, site)
    most = max(page.locator("a.mark").all(), key=lambda mark: int(mark.get_attribute("data-n") or 0))
    most.click()
    page.locator("#mention summary").filter(has_text="Why it is marked").click()


def open_comparison(page: Page, site: TouredSite) -> None:
    open_article(page, site)
    page.get_by_role("link", name="Compare two servers").click()
    page.get_by_role("heading", name="Two servers side by side").wait_for()


def open_trial(page: Page, site: TouredSite) -> None:
    log_in(page, site, site.member)
    page.goto(f"{site.url}{site.trial}")


def open_leaderboard(page: Page, site: TouredSite) -> None:
    page.goto(f"{site.url}{site.leaderboard}")


def open_curation(page: Page, site: TouredSite) -> None:
    log_in(page, site, site.curator)
    open_article(page, site)
    page.get_by_role("button", name="Curate this article").or_(page.get_by_role("link", name="Go on curating")).click()
    page.get_by_role("link", name="Entities").click()
    page.get_by_role("heading", name="Entities").wait_for()


STEPS: dict[str, Callable[[Page, TouredSite], None]] = {
    "article": open_article,
    "mention": open_mention,
    "comparison": open_comparison,
    "trial": open_trial,
    "leaderboard": open_leaderboard,
    "curation": open_curation,
}


def take_pictures(browser: Browser, site: TouredSite, folder: Path) -> Iterator[Path]:
    """Write the picture of each step in each theme; the path of each as it is written."""
    for theme in THEMES:
        for name, open_step in STEPS.items():
            with open_quiet_page(browser, theme) as page:
                open_step(page, site)
                page.wait_for_load_state("load")
                page.evaluate("document.fonts.ready")
                path = folder / f"{name}-{theme}.jpg"
                page.screenshot(path=path, type="jpeg", quality=QUALITY)
                yield path


@contextmanager
def open_quiet_page(browser: Browser, theme: str) -> Iterator[Page]:
    context = browser.new_context(viewport=SIZE, color_scheme=theme, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    try:
        yield context.new_page()
    finally:
        context.close()
