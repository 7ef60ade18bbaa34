"""A curator takes over the published record of an author or colleague, and corrects it."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from annotations.articles.models import Article
from annotations.curation.models import Curation, DecidedItem, PublishedAbstract
from annotations.curation.publishing import publish_curation, withdraw_published_abstract
from annotations.curation.session import finish_curation, reopen_curation
from annotations.results.models import Producer
from bcms.accounts.closing import close_account
from tests.integration.article_cast import create_known_genes, make_read_article, read_page_words
from tests.integration.curation_cast import begin, decide, list_states, propose_gene
from tests.integration.published_cast import publish_interaction

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 2, 13, tzinfo=UTC)
LATER = datetime(2026, 3, 2, 15, tzinfo=UTC)


@pytest.fixture
def published(carol):
    """A record of one gene, made by an author without an account."""
    create_known_genes()
    curation = begin(carol, make_read_article())
    Producer.objects.filter(pk=curation.curator.producer_id).update(sort="author", name="Author of the article")
    curation.curator.user = None
    curation.curator.save()
    decide(curation, "accept", propose_gene())
    finish_curation(curation.pk, 1, NOW)
    publish_curation(curation.pk, None, NOW)
    return Curation.objects.get(pk=curation.pk)


@pytest.fixture
def ident(published):
    article = published.article
    return str(article.pmid) if article.pmid else article.opaque


@pytest.fixture
def as_olga(client, olga):
    client.force_login(olga)
    return client


def continue_it(client, ident):
    return client.post(f"/articles/{ident}/curate/", {"continue": "1"}, follow=True)


def test_it_is_taken_over_as_one_decision_that_says_whose_it_is(as_olga, olga, published, ident):
    assert "Continue this digital abstract" in as_olga.get(f"/articles/{ident}/").content.decode()
    page = read_page_words(continue_it(as_olga, ident))
    assert "continues the record of Author of the article" in page
    curation = Curation.objects.get(curator__user=olga)
    assert (curation.basis, curation.revision) == (published, 1)
    assert list_states(curation) == {"uniprot:P12830": "accepted"}
    assert DecidedItem.objects.get(curation=curation).producers == [published.curator.producer_id]
    assert curation.decisions.get().reason == "taken over from Author of the article"
    listed = read_page_words(as_olga.get(f"/curation/{curation.pk}/?step=entities"))
    assert "from the record of Author of the article" in listed


def test_what_is_published_then_names_both(as_olga, olga, published, ident):
    continue_it(as_olga, ident)
    curation = Curation.objects.get(curator__user=olga)
    decide(curation, "add", propose_gene("P35222"))
    finish_curation(curation.pk, 2, NOW)
    publish_curation(curation.pk, None, NOW)
    words = read_page_words(as_olga.get(f"/articles/{ident}/"))
    assert "By Author of the article (author) and olga" in words
    assert "Genes and proteins: CDH1 (UniProt:P12830); CTNNB1 (UniProt:P35222)" in words
    assert PublishedAbstract.objects.get(withdrawn=None).curation == curation


def test_it_keeps_what_the_curator_has_decided(as_olga, olga, published, ident):
    own = begin(olga, published.article)
    decide(own, "reject", propose_gene(), reason="wrong entity")
    assert "nothing that you have not decided on" in read_page_words(continue_it(as_olga, ident))
    assert list_states(own) == {"uniprot:P12830": "rejected"}


def test_it_is_undone_as_one(as_olga, olga, published, ident):
    continue_it(as_olga, ident)
    curation = Curation.objects.get(curator__user=olga)
    decide(curation, "undo")
    assert list_states(curation) == {}


def test_after_undo_nobody_else_is_named(as_olga, olga, published, ident):
    continue_it(as_olga, ident)
    curation = Curation.objects.get(curator__user=olga)
    decide(curation, "undo")
    assert Curation.objects.get(pk=curation.pk).basis is None
    assert "Continue this digital abstract" in as_olga.get(f"/articles/{ident}/").content.decode()
    decide(curation, "add", propose_gene("P35222"))
    finish_curation(curation.pk, 3, NOW)
    publish_curation(curation.pk, None, NOW)
    words = read_page_words(as_olga.get(f"/articles/{ident}/"))
    assert "By olga" in words
    assert "Author of the article" not in words


def test_undo_of_something_else_keeps_the_other_name(as_olga, olga, published, ident):
    continue_it(as_olga, ident)
    curation = Curation.objects.get(curator__user=olga)
    decide(curation, "add", propose_gene("P35222"))
    decide(curation, "undo")
    assert Curation.objects.get(pk=curation.pk).basis == published


def test_a_published_record_names_both_also_while_its_curator_changes_it(as_olga, olga, published, ident):
    continue_it(as_olga, ident)
    curation = Curation.objects.get(curator__user=olga)
    finish_curation(curation.pk, 1, NOW)
    publish_curation(curation.pk, None, NOW)
    reopen_curation(curation.pk, NOW)
    decide(curation, "undo")
    assert "By Author of the article (author) and olga" in read_page_words(as_olga.get(f"/articles/{ident}/"))


def publish_again(curation):
    now = timezone.now()
    finish_curation(curation.pk, Curation.objects.get(pk=curation.pk).revision, now)
    publish_curation(curation.pk, None, now)


def test_a_record_that_is_published_again_without_the_work_of_another_names_its_curator_alone(
    as_olga, olga, published, ident
):
    continue_it(as_olga, ident)
    curation = Curation.objects.get(curator__user=olga)
    publish_again(curation)
    reopen_curation(curation.pk, LATER)
    decide(curation, "undo")
    decide(curation, "add", propose_gene("P35222"))
    publish_again(curation)
    names = [each["name"] for each in read_record(as_olga, ident)["contributors"]]
    assert (names, Curation.objects.get(pk=curation.pk).basis) == (["olga"], None)
    for file in ("html", "ndjson"):
        written = as_olga.get(f"/api/v1/articles/{ident}/digital-abstract/{file}/")
        assert b"Author of the article" not in b"".join(written)


def read_record(client, ident):
    return client.get(f"/api/v1/articles/{ident}/digital-abstract/").json()


def test_those_whose_whole_work_was_rejected_are_not_named(as_olga, olga, published, ident):
    continue_it(as_olga, ident)
    curation = Curation.objects.get(curator__user=olga)
    decide(curation, "reject", propose_gene())
    decide(curation, "add", propose_gene("P35222"))
    publish_again(curation)
    assert [each["name"] for each in read_record(as_olga, ident)["contributors"]] == ["olga"]


def test_everybody_is_named_whose_work_went_through_several_records(as_olga, olga, alice, carol, published, ident):
    for user in (olga, alice, carol):
        as_olga.force_login(user)
        continue_it(as_olga, ident)
        publish_again(Curation.objects.get(curator__user=user))
    names = [each["name"] for each in read_record(as_olga, ident)["contributors"]]
    assert names == ["Author of the article", "olga", "alice", "carol"]


def test_nobody_reads_the_name_of_a_closed_account(as_olga, olga, alice):
    create_known_genes()
    article = make_read_article()
    publish_interaction(alice, article)
    continue_it(as_olga, article.pmid)
    curation = Curation.objects.get(curator__user=olga)
    publish_again(curation)
    names = [each["name"] for each in read_record(as_olga, article.pmid)["interactions"][0]["sources"]]
    assert names == ["alice (curator)"]
    close_account(alice)
    record = read_record(as_olga, article.pmid)
    assert [each["name"] for each in record["interactions"][0]["sources"]] == [f"former member {alice.pk} (curator)"]
    assert [each["name"] for each in record["contributors"]] == [f"former member {alice.pk}", "olga"]
    kept = [*Curation.objects.values(), *PublishedAbstract.objects.values(), *curation.decisions.values()]
    assert "alice" not in str(kept)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"state": "open"}, "That record is not finished yet."),
        ({"text_version": 7}, "made with another version of the text"),
    ],
)
def test_it_says_why_it_cannot_be_continued(as_olga, published, ident, change, sentence):
    Curation.objects.filter(pk=published.pk).update(**change)
    assert sentence in read_page_words(continue_it(as_olga, ident))
    assert not DecidedItem.objects.exclude(curation=published).exists()


def test_an_article_without_a_record_has_none_to_continue(as_olga, db):
    create_known_genes()
    article: Article = make_read_article()
    ident = article.pmid or article.opaque
    assert "Continue this" not in as_olga.get(f"/articles/{ident}/").content.decode()
    assert "no published record to continue" in read_page_words(continue_it(as_olga, ident))


def test_programs_continue_one_too(as_olga, published, ident):
    sent = {"article": ident, "continue_record": True}
    answer = as_olga.post("/api/v1/curations/", sent, content_type="application/json")
    assert (answer.status_code, answer.json()["continues"], answer.json()["revision"]) == (
        201,
        "Author of the article",
        1,
    )
    assert as_olga.post("/api/v1/curations/", sent, content_type="application/json").status_code == 409


def test_a_program_that_continues_no_record_begins_nothing(as_olga):
    create_known_genes()
    article = make_read_article()
    sent = {"article": str(article.pmid or article.opaque), "continue_record": True}
    assert as_olga.post("/api/v1/curations/", sent, content_type="application/json").status_code == 409
    assert not Curation.objects.exists()


def test_it_takes_over_what_was_published_and_nothing_finished_since(as_olga, olga, published, ident):
    for identifier in ("P35222", "Q9UBN7"):
        reopen_curation(published.pk, LATER)
        decide(published, "undo", seconds=8000)
        decide(published, "accept", propose_gene(identifier), seconds=8000)
        finish_curation(published.pk, Curation.objects.get(pk=published.pk).revision, LATER)
        continue_it(as_olga, ident)
        assert list_states(Curation.objects.get(curator__user=olga)) == {"uniprot:P12830": "accepted"}


def test_nothing_is_taken_over_of_a_record_that_is_withdrawn(as_olga, olga, published, ident):
    continue_it(as_olga, ident)
    curation = Curation.objects.get(curator__user=olga)
    decide(curation, "undo")
    withdraw_published_abstract(published.article_id, NOW)
    words = read_page_words(as_olga.post(f"/curation/{curation.pk}/continue/", follow=True))
    assert "no published record to continue" in words
    assert list_states(curation) == {}
