"""Lists from columns, against sorting the annotations of each article one by one."""

import random

import pytest

from annotations.schema import AnnotationData, Kind
from evaluation.measures.leaderboard_figures import map_items_to_confidence_surest_first
from evaluation.measures.lists.list_rows import build_list_rows, build_run_columns_surest_first, format_item_key

NAMES = ["P1", "P10", "P2", "p1", "\u00c9", "\U0001f600", "\uffff"]


def annotate(rng, kind):
    """A random annotation; of those that share a rank, all have the same confidence, so that their order is given."""
    rank = rng.choice([None, 1, 2, 3, 10])
    confidence = rng.choice([None, 0.5, 1.0, 0.25]) if rank is None else rank / 20
    names = sorted(rng.sample(NAMES, 2), key=lambda _: rng.random())
    partner = names[1] if kind == Kind.PAIR else ""
    database = rng.choice(["uniprot", "entrez", "other"])
    return AnnotationData(kind, confidence, rank, database=database, identifier=names[0], partner=partner)


def list_expected_rows(annotations_by_article, articles, databases):
    """(article, item, rank, confidence) of each row."""
    return [
        (article, format_item_key(key, len(databases) > 1), rank, confidence)
        for article in articles
        if article in annotations_by_article
        for rank, (key, confidence) in enumerate(
            map_items_to_confidence_surest_first(annotations_by_article[article], databases).items(), 1
        )
    ]


@pytest.mark.parametrize("kind", [Kind.NORMALIZATION, Kind.PAIR])
@pytest.mark.parametrize("databases", [{"uniprot"}, {"uniprot", "entrez"}, set()])
@pytest.mark.parametrize("with_all_confidences", [False, True])
def test_it_makes_the_lists_of_sorted_annotations(kind, databases, with_all_confidences):
    rng = random.Random(f"{kind} {sorted(databases)}")
    answers = {str(number): [annotate(rng, kind) for _ in range(rng.randrange(12))] for number in range(60)}
    if with_all_confidences:
        answers = {name: [each for each in own if each.confidence is not None] for name, own in answers.items()}
    articles = [str(number) for number in rng.sample(range(70), 50)]
    expected = list_expected_rows(answers, articles, databases)
    list_rows = build_list_rows(answers)
    keys = {name: frozenset(each.key for each in annotations) for name, annotations in answers.items()}
    assert list_rows.group_item_keys_by_article() == keys
    columns = build_run_columns_surest_first(list_rows, articles, databases)
    assert columns.document.names == [name for name in articles if name in answers]
    documents = [columns.document.names[code] for code in columns.document.codes]
    items = [columns.item.names[code] for code in columns.item.codes]
    confidences = [row[3] for row in expected]
    complete = bool(confidences) and None not in confidences
    assert complete is (with_all_confidences and bool(databases))
    assert (columns.confidence is None) is not complete
    rows = zip(documents, items, columns.rank.tolist(), columns.confidence if complete else confidences, strict=True)
    assert list(rows) == expected


def test_it_averages_the_confidences_of_some_databases():
    def gene(confidence, database="entrez"):
        return AnnotationData(Kind.NORMALIZATION, confidence, database=database, identifier="1")

    rows = build_list_rows({"1": [gene(0.5), gene(None)], "2": [gene(1.0), gene(0.1, "other")]})
    assert rows.compute_mean_confidence({"entrez"}) == 0.75
    assert rows.compute_mean_confidence({"uniprot"}) is build_list_rows({}).compute_mean_confidence({"a"}) is None
