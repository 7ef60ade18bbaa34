"""Who takes part in the story of a challenge: visitors at browsers, and annotation servers that answer them."""

import os
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from servers.kit.failures import FailureGenerator
from servers.kit.serving import AnnotationServer
from tests.browser import NARROW, WIDE, open_page


class Visitor:
    """Somebody at a browser."""

    def __init__(self, page, site):
        self.page, self.site = page, site

    def go(self, path):
        self.page.goto(self.site + path)

    def log_in(self, name):
        self.go("/login/")
        self.page.get_by_label("Username").fill(name)
        self.page.get_by_label("Password").fill("a-long-password")
        self.page.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()
        self.page.get_by_role("button", name="Log out").wait_for()

    def follow(self, name):
        self.page.get_by_role("link", name=name, exact=True).first.click()
        self.page.wait_for_load_state()

    def press(self, name):
        self.page.get_by_role("button", name=name, exact=True).click()
        self.page.wait_for_load_state()

    def fill(self, **fields):
        """Fields by their names in the form."""
        for name, value in fields.items():
            field = self.page.locator(f"main [name={name}]")
            sort = field.first.get_attribute("type"), field.first.evaluate("field => field.tagName")
            if sort[0] in ("checkbox", "radio"):
                self.page.locator(f"main [name={name}][value='{value}']").check() if value != "on" else field.check()
            elif sort[0] == "file":
                field.set_input_files({"name": value[0], "mimeType": "text/plain", "buffer": value[1].encode()})
            elif sort[1] == "SELECT":
                field.select_option(value)
            else:
                field.fill(value)

    def reads(self, words):
        self.page.get_by_text(words).first.wait_for()

    def keep(self, name):
        """Pictures for whoever wants to look at them, in both widths and themes: PICTURES names a folder."""
        if not (folder := os.environ.get("PICTURES")):
            return
        for theme, size in (("light", NARROW), ("dark", WIDE), ("light", WIDE)):
            self.page.set_viewport_size(size)
            self.page.emulate_media(color_scheme=theme)
            self.page.screenshot(path=Path(folder) / f"story-{name}-{theme}-{size['width']}.png", full_page=True)

    def download(self, link):
        return self.file(link).read_text()

    def file(self, link):
        """Where what the link downloads was put."""
        with self.page.expect_download() as download:
            self.follow(link)
        return Path(download.value.path())


@contextmanager
def open_visitor(browser, live_server, name=""):
    with contextmanager(open_page)(browser, WIDE) as page:
        own = Visitor(page, live_server.url)
        if name:
            own.log_in(name)
        yield own


@contextmanager
def serve_annotator(annotate):
    """A real annotation server; its address."""
    options = {
        "protocol": "bcms",
        "method": "Annotator.getAnnotation",
        "delay": 0.0,
        "failures": FailureGenerator(0.0, 0),
    }
    with AnnotationServer(annotate, ("127.0.0.1", 0), **options) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server.address
        server.shutdown()
