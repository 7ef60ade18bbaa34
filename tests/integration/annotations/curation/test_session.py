"""A finished curation becomes Results of its curator, and the digital abstract of the article once it is published."""

import pytest

from annotations.curation.contents import build_annotation_content
from annotations.curation.decisions import ItemProposal
from annotations.curation.errors import CurationError, StaleDecisionError
from annotations.curation.models import Curation, PublishedAbstract
from annotations.curation.publishing import (
    get_or_create_published_producer,
    publish_curation,
    withdraw_published_abstract,
)
from annotations.curation.session import finish_curation, get_or_create_curator, reopen_curation
from annotations.curation.states import ItemKind
from annotations.results.models import Annotation, Result
from annotations.schema import Span, make_mention
from tests.integration.article_cast import make_read_article, read_version
from tests.integration.curation_cast import NOON, begin, decide, propose_gene

pytestmark = pytest.mark.django_db


@pytest.fixture
def curation(alice):
    return begin(alice, make_read_article())


def list_stored(producer):
    """[(kind, identifier)] of the current annotations of a producer."""
    rows = Annotation.objects.filter(result__producer=producer, result__superseded__isnull=True)
    return sorted(rows.values_list("result__kind", "identifier"))


def test_it_stores_the_accepted_items_as_results_of_the_curator(curation):
    decide(curation, "accept", propose_gene("P12830"))
    decide(curation, "reject", propose_gene("P09803"))
    finish_curation(curation.pk, 2, NOON)
    producer = curation.curator.producer
    assert list_stored(producer) == [("normalization", "P12830")]
    kinds = Result.objects.filter(producer=producer).values_list("kind", flat=True)
    assert sorted(kinds) == ["method", "normalization", "pair", "passage", "taxon"]
    assert not producer.public


def test_it_replaces_the_results_when_it_is_finished_again(curation):
    decide(curation, "accept", propose_gene("P12830"))
    finish_curation(curation.pk, 1, NOON)
    reopen_curation(curation.pk, NOON)
    decide(curation, "reject", propose_gene("P12830"))
    assert list_stored(curation.curator.producer) == [("normalization", "P12830")]
    finish_curation(curation.pk, 2, NOON, nothing_found=True)
    assert list_stored(curation.curator.producer) == [("classification", "")]


def test_it_asks_whether_an_empty_record_is_the_result(curation):
    with pytest.raises(CurationError, match="Nothing to record"):
        finish_curation(curation.pk, 0, NOON)
    decide(curation, "accept", propose_gene())
    with pytest.raises(CurationError, match="not empty"):
        finish_curation(curation.pk, 1, NOON, nothing_found=True)
    assert Curation.objects.get().state == "open"


def test_it_does_not_finish_what_the_page_has_not_shown(curation):
    decide(curation, "accept", propose_gene())
    with pytest.raises(StaleDecisionError):
        finish_curation(curation.pk, 0, NOON)


def test_it_publishes_a_copy_that_later_work_does_not_change(curation):
    decide(curation, "accept", propose_gene())
    with pytest.raises(CurationError, match="Finish"):
        publish_curation(curation.pk, None, NOON)
    finish_curation(curation.pk, 1, NOON)
    before = read_version(curation.article)
    publish_curation(curation.pk, None, NOON)
    curation.article.refresh_from_db()
    assert read_version(curation.article) > before
    reopen_curation(curation.pk, NOON)
    decide(curation, "reject", propose_gene())
    producer = get_or_create_published_producer()
    assert producer.public
    assert list_stored(producer) == [("normalization", "P12830")]


def test_it_replaces_and_withdraws_a_published_abstract(curation, carol):
    decide(curation, "accept", propose_gene())
    finish_curation(curation.pk, 1, NOON)
    publish_curation(curation.pk, None, NOON)
    other = begin(carol, curation.article)
    decide(other, "accept", propose_gene("P35222"))
    finish_curation(other.pk, 1, NOON)
    publish_curation(other.pk, None, NOON)
    assert PublishedAbstract.objects.get(withdrawn__isnull=True).curation == other
    assert list_stored(get_or_create_published_producer()) == [("normalization", "P35222")]
    assert withdraw_published_abstract(curation.article_id, NOON)
    assert not withdraw_published_abstract(curation.article_id, NOON)
    assert list_stored(get_or_create_published_producer()) == []


def test_it_has_one_curator_for_an_account(alice):
    assert get_or_create_curator(alice.pk, "alice") == get_or_create_curator(alice.pk, "alice")


def make_mention_of_title(article):
    words = article.text[:8]
    content = build_annotation_content(make_mention([Span(0, 8)], words, "gene"))
    return ItemProposal(ItemKind.MENTION, "0-8:gene", content)


def replace_text(article, title):
    article.passages = [{"type": "title", "text": title}]
    article.text, article.text_version = title, article.text_version + 1
    article.save()


def test_it_stores_no_mention_at_the_place_of_other_words_when_the_text_was_replaced(curation):
    article = curation.article
    words = article.text[:8]
    decide(curation, "accept", make_mention_of_title(article))
    replace_text(article, "Another title.")
    with pytest.raises(CurationError, match=f"text of the article was replaced since “{words}” was recorded"):
        finish_curation(curation.pk, 1, NOON)
    replace_text(article, f"{words} and so on.")
    finished = finish_curation(curation.pk, 1, NOON)
    assert finished.text_version == article.text_version == 3

    replace_text(article, "Another title.")
    with pytest.raises(CurationError, match="text of the article was replaced"):
        publish_curation(curation.pk, None, NOON)
    assert not PublishedAbstract.objects.exists()
