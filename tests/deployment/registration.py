"""Annotation servers that a manager registers on the pages of the site."""

import re

from tests.annotator import Annotator
from tests.deployment.running import wait_until
from tests.deployment.visitor import Visitor

LIMITS = {"method": "Annotator.getAnnotation", "send": "struct", "kinds": ["mention"]}


def register_server(manager: Visitor, annotator: Annotator, name: str, seconds: int = 60) -> str:
    """Try, register and start a server of Team Alpha with this time limit; returns the address of its page."""
    team = re.search(r'<option value="(\d+)"[^>]*>Team Alpha', manager.read("/servers/register/"))
    sent = {"team": team[1] if team else "1", "name": name, "url": annotator.url, "protocol": "bcms"}
    reply = manager.post("/servers/register/", **sent, **LIMITS, time_limit=str(seconds))
    trial = reply.url.removeprefix(manager.url)
    wait_until(lambda: "The answer is valid" in manager.read(trial), f"{name} is tried")
    assert f"{name} is registered" in manager.post(trial, f"{trial}save/").text
    page = f"/servers/{name.lower().replace(' ', '-')}/"
    assert "was started" in manager.post(page, f"{page}start/").text
    return page
