"""The pictures of the tour: each step can still be taken, and the manual shows all of them."""

import os
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from tests.acceptance.whole_site import PASSWORD
from tests.tour.cast import PMID, make_toured_site
from tests.tour.pictures import STEPS, THEMES, TouredSite, take_pictures

LEADERBOARD = "/challenges/example/training/ACT/"
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_each_step_can_be_taken(browser, live_server, team, alice, olga, carol, tmp_path):
    """With TOUR_FOLDER, the pictures are left there: `make tour`."""
    for user in (alice, carol):
        user.set_password(PASSWORD)
        user.save()
    trial = make_toured_site(team, alice, olga)
    paths = {"article": f"/articles/{PMID}/", "trial": f"/servers/trials/{trial}/", "leaderboard": LEADERBOARD}
    site = TouredSite(live_server.url, **paths, member="alice", curator="carol", password=PASSWORD)
    folder = Path(os.environ.get("TOUR_FOLDER", tmp_path))
    pictures = {path.name: path.stat().st_size for path in take_pictures(browser, site, folder)}
    assert list(pictures) == [f"{step}-{theme}.jpg" for theme in THEMES for step in STEPS]
    assert min(pictures.values()) > 10_000


def test_the_manual_shows_every_picture(client):
    body = client.get("/manual/tour/").content.decode()
    shown = re.findall(r'(?:src|srcset)="/static/(tour/[\w.-]+)"', body)
    assert sorted(shown) == sorted(f"tour/{step}-{theme}.jpg" for step in STEPS for theme in THEMES)
    assert [path for path in shown if not finders.find(path)] == []
    assert re.findall(r'<h2 id="tour-(\w+)"', body) == list(STEPS)
