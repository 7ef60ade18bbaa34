"""The records of an article are kept from one choice to the next, and read anew when any has changed."""

import re
import time
import tracemalloc
from dataclasses import replace

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotations.articles.models import Article
from annotations.schema import Kind
from bcms.article_annotations.article_lookup import find_article_for_reader
from bcms.article_annotations.calibrated_confidences import LearnedCalibrations
from bcms.article_page.records import kept_records
from bcms.article_page.records.article_records import load_article_records
from bcms.visitor_pages import kept_pages
from evaluation.analyses.calibration_curves import CalibrationKnots
from evaluation.visibility import ANONYMOUS_READER
from tests.integration.article_cast import make_article_of_three_servers
from tests.integration.bcms.visitor_pages.test_kept_pages import CHANGES, URL
from tests.module_time import replace_time

pytestmark = pytest.mark.django_db


@pytest.fixture
def article(team):
    return make_article_of_three_servers(team)


def choose(client=None, **query):
    """What a visitor gets who chooses a mention, and whether its records were read from the database."""
    with CaptureQueriesContext(connection) as asked:
        response = (client or Client()).get(f"{URL}live/", {"mention": "8-12", "v": "", **query})
    # Forms have a secret of their own in each answer, and a second may pass between two.
    content = re.sub(r'value="\w{64}"|data-age="\d+">\d+ s', "", response.content.decode())
    return (response.status_code, content), any('FROM "servers_queue"' in each["sql"] for each in asked)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_they_are_kept_until_something_changes(article, change):
    assert choose()[1]
    assert not choose()[1] and not choose(mention="27-30")[1]
    change(article)
    changed, _ = choose()
    kept_records.forget_records()
    assert choose()[0] == changed


def test_they_show_what_has_changed(article):
    first, _ = choose()
    CHANGES["a new name"](article)
    (status, content), is_read = choose()
    assert is_read and status == 200 and "Delta" in content and "Delta" not in first[1]
    CHANGES["a takedown"](article)
    assert choose()[0][0] == 404


def test_they_are_read_for_who_sees_what_is_not_counted(article):
    choose()
    for query in ({"unreviewed": "1"}, {"text": "1"}, {"v": "0"}):
        assert choose(**query)[1] and choose(**query)[1]
    assert not choose()[1]


def test_they_are_read_anew_after_a_minute(article, monkeypatch):
    choose()
    later = time.monotonic() + kept_pages.MOST_SECONDS + 1
    replace_time(monkeypatch, kept_records, monotonic=lambda: later)
    assert choose()[1] and not choose()[1]


def test_texts_larger_than_all_that_may_be_kept_are_read_each_time(article, monkeypatch):
    monkeypatch.setattr(kept_records, "MOST_KEPT_BYTES", 100)
    assert choose()[1] and choose()[1]


@pytest.mark.parametrize("letter", "aβ𝛽")
def test_their_size_counts_all_that_they_hold(article, letter):
    long = letter * 100_000
    passages = [{"type": "title", "text": letter}, {"type": "abstract", "text": long}]
    Article.objects.filter(pk=article.pk).update(
        passages=passages, text=f"{letter}\n{long}", metadata={"authors": [letter * 1000] * 100}
    )
    ident = URL.split("/")[-2]
    tracemalloc.start()
    records = load_article_records(find_article_for_reader(ANONYMOUS_READER, ident), ANONYMOUS_READER)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    size = kept_records.KeptRecords(records, 0.0).estimate_size()
    assert 0.8 * taken < size + 150_000 and size < 1.5 * taken


def test_their_size_counts_calibration_curves(article):
    records = load_article_records(find_article_for_reader(ANONYMOUS_READER, URL.split("/")[-2]), ANONYMOUS_READER)
    tracemalloc.start()
    curves = {
        (f"server-{number}", Kind.NORMALIZATION): CalibrationKnots([[each / 101, each / 103] for each in range(101)])
        for number in range(100)
    }
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    with_curves = replace(records, calibrations=LearnedCalibrations(curves, {}))
    size, before = (kept_records.KeptRecords(each, 0.0).estimate_size() for each in (with_curves, records))
    assert 0.8 * taken < size - before < 1.5 * taken
