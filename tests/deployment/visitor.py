"""Somebody who uses a site with a browser that runs no scripts."""

import re
from typing import Any

import requests

TIMEOUT_SECONDS = 60.0


class Visitor:
    """url: of the site, without a slash at its end; certificate: the file of the authority that is trusted."""

    def __init__(self, url: str, certificate: str | None = None) -> None:
        self.url = url
        self.session = requests.Session()
        self.session.trust_env = False
        if certificate:
            self.session.verify = certificate

    def get(self, path: str, **options: Any) -> requests.Response:
        return self.session.get(self.url + path, timeout=TIMEOUT_SECONDS, **options)

    def read(self, path: str) -> str:
        """The text of a page, which must be there."""
        reply = self.get(path)
        assert reply.status_code == 200, f"{path}: {reply.status_code} {reply.text[:2000]}"
        return reply.text

    def post(self, form: str, path: str = "", files: Any = None, **fields: Any) -> requests.Response:
        """Send the form of the page to path, or to the page itself; redirects are followed."""
        page = self.read(form)
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        assert token, f"{form} has no form"
        data = {**fields, "csrfmiddlewaretoken": token[1]}
        address = self.url + (path or form)
        headers = {"Referer": self.url + form}
        reply = self.session.post(address, data, files=files, headers=headers, timeout=TIMEOUT_SECONDS)
        assert reply.status_code == 200, f"{path or form}: {reply.status_code} {reply.text[:3000]}"
        return reply

    def log_in(self, name: str, password: str = "a-long-password") -> None:
        assert "Log out" in self.post("/login/", login=name, password=password).text
