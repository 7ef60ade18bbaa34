"""A site with something on every page is backed up and restored: every row, page, answer and file is the same."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse

from annotations.articles.models import Article
from annotations.formats.exports import EXPORTS
from bcms.backup.stored_tables import LEFT_OUT
from evaluation.archives.export.challenge import write_publishable_archive_returning_manifest_hash
from evaluation.challenges.announcements.models import Announcement
from evaluation.challenges.models import Challenge, PhaseEvent
from servers.registry.models import Trial
from tests.acceptance.page_table import pages
from tests.acceptance.whole_site import PASSWORD, PMID, SECRET, make_site
from tests.authenticator import compute_totp_code
from tests.integration.backup_cast import create_database, describe_schema, read_tables, run_command, use_database

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

# What differs from one request to the next: keys of forms, windows and passkeys, times, ages, seconds of versions.
CHANGING = re.compile(
    r'name="(?:csrfmiddlewaretoken|token|shown)" value="[^"]*"|window=\w+|data-window="\w+"'
    r'|data-version="[\d.]+"|data-seconds="\d+"|data-age="\d+">[^<]*|<time[^>]*>[^<]*|\d\d:\d\d(?::\d\d)?'
    r"|\d+(?: |\xa0|&nbsp;)(?:second|minute|s\b|ms\b|min)\w*"
    r'|<script id="passkey-options" type="application/json">[^<]*'
)
# It shows how fast tables grow, and pasted texts are in no backup.
OF_THE_MOMENT = {"operations", "annotate", "pasted-text"}
ADDRESSES = [
    f"/api/v1/articles/{PMID}/",
    "/api/v1/articles/?q=cadherin",
    "/api/v1/servers/",
    "/api/v1/challenges/example/",
    *(f"/api/v1/articles/{PMID}/export/{name}/" for name in EXPORTS),
    *(reverse(f"leaderboard-{form}", args=["example", "training", "TX"]) for form in ("csv", "json", "latex")),
]
# The restore says there that kept pages have changed.
CHANGES, CHANGES_SEQUENCE = "bcms_visitorchange", "bcms_visitorchange_id_seq"
# Files with the time at which they were written in them.
PACKED = re.compile(rb"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d")


def log_in(user):
    client = Client()
    if user == "finn":
        client.force_login(User.objects.get(username="finn"))
    elif user not in ("visitor", "half", "arriving"):
        assert client.post("/login/", {"login": user, "password": PASSWORD}).status_code == 302
    if user == "eve":
        # A code is accepted once.
        cache.clear()
        assert client.post("/account/factor/log-in/", {"code": compute_totp_code(SECRET)}).status_code == 302
    return client


def read_pages(addresses):
    """Every page by who reads it and its address, without what differs from one request to the next."""
    clients = {user: log_in(user) for user in sorted({user for user, _ in addresses})}
    shown = {}
    for user, address in addresses:
        response = clients[user].get(address)
        shown[user, address] = response.status_code, CHANGING.sub("", response.content.decode())
    return shown


def read_answers():
    client = Client()
    found = {}
    for address in ADDRESSES:
        response = client.get(address)
        assert response.status_code == 200, address
        found[address] = PACKED.sub(b"", b"".join(response))
    return found


def write_archives():
    """The archive of each challenge, as if written at one moment."""
    archives = {}
    for challenge in Challenge.objects.order_by("slug"):
        content = bytearray()
        write_publishable_archive_returning_manifest_hash(challenge, content.extend, datetime(2026, 1, 1, tzinfo=UTC))
        archives[challenge.slug] = bytes(content)
    return archives


def read_everything(addresses):
    """Rows first, because reading pages adds some."""
    schema = describe_schema()
    schema["sequences"] = [row for row in schema["sequences"] if row[0] != CHANGES_SEQUENCE]
    return read_tables(), schema, write_archives(), read_answers(), read_pages(addresses)


def age_open_trials():
    """Trials without a result look interrupted after 90 s, which would be between the two readings of their page."""
    assert Trial.objects.filter(finished=None).update(started=Now() - timedelta(hours=1)) == 1


def mail_what_waits():
    """As workers do within seconds: a restore does not mail again what waited in the backup."""
    Announcement.objects.update(mailed=Now())
    PhaseEvent.objects.update(to_mail=False)


def list_differences(before, after):
    assert before.keys() == after.keys()
    return {key: (before[key], after[key]) for key in before if before[key] != after[key]}


def test_it_restores_every_row_page_answer_and_file(server, alice, olga, django_user_model, tmp_path, stopped_clock):
    site = make_site(server, alice, olga, django_user_model.objects.create_user)
    addresses = [each for name, listed in pages(site).items() for each in listed if name not in OF_THE_MOMENT]
    age_open_trials()
    mail_what_waits()
    run_command("backup", tmp_path / "backup")
    tables, *before = read_everything(addresses)
    with create_database("restored") as name, use_database(name):
        run_command("restore", tmp_path / "backup")
        restored_tables, *after = read_everything(addresses)
        Article.objects.create(pmid=1, passages=[], text="", content_hash="0" * 64)
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_stats WHERE tablename = 'annotations_annotation'")
            assert cursor.fetchone()[0] > 0

    assert list_differences(tables, restored_tables).keys() - {CHANGES} == set(LEFT_OUT)
    assert [restored_tables[table] for table in LEFT_OUT] == [[], [], []]
    assert len(before[1]) > 1 and all(len(archive) > 1000 for archive in before[1].values())
    assert [list_differences(*each) for each in zip(before, after, strict=True)] == [{}] * 4
    assert len({urlsplit(address).path for _, address in addresses}) > 100
