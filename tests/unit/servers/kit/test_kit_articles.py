"""The kit reads what is sent, fails as often as told, and breaks rules as a careless server would."""

import pytest

from annotations.schema import AnnotationData, Kind
from servers.kit.articles import KitArticle, parse_xmlrpc_article_parameter
from servers.kit.failures import Failure, FailureGenerator, shift_mentions_and_overrate_others


@pytest.mark.parametrize(
    ("sent", "article"),
    [
        (
            {"id": "10000001", "title": "A", "abstract": "B", "text": "A\nB\nC"},
            KitArticle("10000001", 10000001, "A", "B", "A\nB\nC"),
        ),
        ({"id": "opaque-7", "title": "A", "abstract": "B"}, KitArticle("opaque-7", None, "A", "B", "A\nB")),
        (10000001, KitArticle("10000001", 10000001, "", "", "")),
        ("A\nB\nC", KitArticle("", None, "A", "B\nC", "A\nB\nC")),
        ("A", KitArticle("", None, "A", "", "A")),
    ],
)
def test_it_reads_an_article_as_struct_pmid_or_text(sent, article):
    assert parse_xmlrpc_article_parameter(sent) == article


@pytest.mark.parametrize("sent", [True, 1.5, ["A"], {"title": "A"}])
def test_it_refuses_what_is_no_article(sent):
    with pytest.raises(ValueError, match=r"must be a struct|has no"):
        parse_xmlrpc_article_parameter(sent)


def test_it_fails_as_often_as_told_and_in_every_way():
    failures = FailureGenerator(0.25, seed=1)
    drawn = [failures.draw_failure() for _ in range(1000)]
    assert 200 < sum(failure is not None for failure in drawn) < 300
    assert set(drawn) == {None, *Failure}


def test_it_fails_alike_for_the_same_seed():
    left, right = FailureGenerator(0.5, seed=7), FailureGenerator(0.5, seed=7)
    assert [left.draw_failure() for _ in range(50)] == [right.draw_failure() for _ in range(50)]


def test_it_never_fails_at_rate_zero():
    failures = FailureGenerator(0.0, seed=1)
    assert all(failures.draw_failure() is None for _ in range(100))


def test_it_counts_mentions_from_one_when_it_breaks_a_rule():
    (mention,) = shift_mentions_and_overrate_others([AnnotationData(Kind.MENTION, start=0, end=4, text="CDH1")])
    assert (mention.start, mention.end, mention.text) == (1, 5, "CDH1")


def test_it_is_too_sure_of_other_kinds_when_it_breaks_a_rule():
    (taxon,) = shift_mentions_and_overrate_others([AnnotationData(Kind.TAXON, identifier="9606", confidence=0.9)])
    assert taxon.confidence == 1.5
