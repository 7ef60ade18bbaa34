"""Sending nanopublications to a server: an option that is off unless the site names a server."""

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotations.articles.models import Article
from annotations.curation.publishing import withdraw_published_abstract
from annotations.nanopublications.verification import verify_nanopublications
from bcms.digital_abstracts import nanopub_publishing
from tests.fakeserver import LOOPBACK, FakeServer, answer
from tests.integration.article_cast import create_known_genes, make_read_article
from tests.integration.published_cast import publish_interaction

pytestmark = pytest.mark.django_db


@pytest.fixture
def key(settings):
    settings.ALLOWED_NETWORKS = list(LOOPBACK)
    settings.NANOPUB_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def published(alice):
    article = make_read_article()
    create_known_genes()
    return publish_interaction(alice, article)


def test_it_is_off_by_default(settings, published, key):
    assert settings.NANOPUB_SERVER == ""
    with pytest.raises(CommandError, match="Publishing is off"):
        call_command("publish_nanopublications")


def test_it_needs_a_key(settings, published):
    settings.NANOPUB_SERVER, settings.NANOPUB_KEY = "http://127.0.0.1:9/", None
    with pytest.raises(CommandError, match="no key to sign with"):
        call_command("publish_nanopublications")


def test_it_sends_what_verifies_to_the_server(settings, published, key, capsys):
    with FakeServer(answer(b"", "201 Created")) as server:
        settings.NANOPUB_SERVER = server.url
        call_command("publish_nanopublications", "20000001")
        call_command("publish_nanopublications", "5")
    assert capsys.readouterr().out == "PMID 20000001: 1 sent\n"
    [request] = server.requests
    head, _, body = request.partition(b"\r\n\r\n")
    assert b"application/trig" in head
    [verified] = verify_nanopublications(body.decode())
    assert verified.address.startswith("http")


def test_it_says_what_a_server_refused(settings, published, key, capsys):
    with FakeServer(answer(b"no", "400 Bad Request")) as server:
        settings.NANOPUB_SERVER = server.url
        with pytest.raises(CommandError, match="1 of the records could not be sent"):
            call_command("publish_nanopublications")
    assert "0 sent" in (printed := capsys.readouterr().out)
    assert "HTTP status 400" in printed


def test_it_says_if_the_server_cannot_be_reached(settings, published, key, capsys):
    settings.NANOPUB_SERVER = "http://127.0.0.1:9/"
    with pytest.raises(CommandError, match="1 of the records"):
        call_command("publish_nanopublications")
    assert "PMID 20000001: 0 sent; " in capsys.readouterr().out


def withdraw_while_sending(article_id):
    """Makes the documents, and withdraws the record of the article before the first is sent."""
    iter_documents, taken_back = nanopub_publishing._iter_documents, []

    def iterate(exported, key):
        for document in iter_documents(exported, key):
            if not taken_back:
                taken_back.append(withdraw_published_abstract(article_id, timezone.now()))
            yield document

    return iterate


def test_it_sends_nothing_of_a_record_that_is_withdrawn_meanwhile(settings, published, key, capsys, monkeypatch):
    monkeypatch.setattr(nanopub_publishing, "_iter_documents", withdraw_while_sending(published.article_id))
    with FakeServer(answer(b"", "201 Created")) as server:
        settings.NANOPUB_SERVER = server.url
        with pytest.raises(CommandError, match="1 of the records"):
            call_command("publish_nanopublications")
    assert "PMID 20000001: 0 sent; The record was replaced or withdrawn meanwhile" in capsys.readouterr().out
    assert server.requests == []


def test_it_leaves_out_records_that_are_withdrawn_while_others_are_sent(
    settings, published, key, carol, capsys, monkeypatch
):
    first = published.article
    copy = Article.objects.create(pmid=20000002, passages=first.passages, text=first.text, content_hash="3" * 64)
    later = publish_interaction(carol, copy)
    monkeypatch.setattr(nanopub_publishing, "_iter_documents", withdraw_while_sending(later.article_id))
    with FakeServer(answer(b"", "201 Created")) as server:
        settings.NANOPUB_SERVER = server.url
        call_command("publish_nanopublications")
    assert capsys.readouterr().out == "PMID 20000001: 1 sent\n"
    assert len(server.requests) == 1
