"""What an address says of filters, and which annotations they leave."""

import pytest
from django.http import QueryDict

from annotations.collation import group
from annotations.kinds import Finding, Kind
from bcms.pages.filters import Filters, filter_words, filters_of

SURE, UNSURE, SILENT = 0.9, 0.3, None


def gene(identifier, confidence):
    return Finding(Kind.NORMALIZATION, confidence, database="uniprot", identifier=identifier)


def left(filters, taxa=()):
    said = {1: [gene("ALL", SURE), gene("TWO", SURE), gene("ONE", UNSURE)], 2: [gene("ALL", SURE), gene("TWO", SURE)]}
    said[3] = [gene("ALL", SURE), gene("MUTE", SILENT)]
    return sorted(g.finding.identifier for g in group(said) if filters.keeps(g, 3, taxa))


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(), ["ALL", "MUTE", "ONE", "TWO"]),
        (Filters(agree=2), ["ALL", "TWO"]),
        (Filters(differ=True), ["MUTE", "ONE", "TWO"]),
        (Filters(agree=2, differ=True), ["TWO"]),
        (Filters(confidence=0.5), ["ALL", "TWO"]),
        (Filters(confidence=0.3), ["ALL", "ONE", "TWO"]),
        (Filters(taxon=9606), []),
    ],
)
def test_it_leaves_what_was_asked_for(filters, expected):
    assert left(filters) == expected


def test_it_leaves_annotations_of_the_organism():
    assert left(Filters(taxon=9606), taxa=(9606, 10090)) == ["ALL", "MUTE", "ONE", "TWO"]


def test_it_asks_methods_for_no_organism():
    (method,) = group({1: [Finding(Kind.METHOD, database="psi-mi", identifier="MI:0018")]})
    assert Filters(taxon=9606).keeps(method, 1, ())


@pytest.mark.parametrize(
    ("address", "filters"),
    [
        ("", Filters()),
        ("server=a&server=b&server=a&server=", Filters(servers=("a", "b"))),
        ("taxon=9606&confidence=.5&agree=3&differ=1", Filters(taxon=9606, confidence=0.5, agree=3, differ=True)),
        ("confidence=1&heat=1", Filters(confidence=1.0, heat=True)),
        ("taxon=x&confidence=1.5&agree=-2&differ=yes&heat=", Filters()),
        ("taxon=99999999999&confidence=nan&agree=0", Filters()),
        ("confidence=.&taxon=%D9%A1", Filters()),
    ],
)
def test_it_reads_addresses(address, filters):
    assert filters_of(QueryDict(address)) == filters


@pytest.mark.parametrize(
    "filters", [Filters(), Filters(("a",), 9606, 0.25, 2, True, True), Filters(servers=("b", "a"), confidence=0.0001)]
)
def test_it_writes_addresses_that_it_reads(filters):
    query = QueryDict(mutable=True)
    for name, value in filters.pairs():
        query.appendlist(name, value)
    assert filters_of(query) == filters


def test_it_says_in_words_what_is_filtered():
    filters = Filters(("a", "b"), 9606, 0.5, 2, True)
    assert filter_words(filters, Kind.NORMALIZATION, "Homo sapiens", ["Alpha", "Beta"], 2) == (
        "Shown: what Alpha and Beta say, what at least 2 servers say, what not all 2 servers say, "
        "a mean confidence of at least 0.50, Homo sapiens."
    )
    assert filter_words(Filters(("a",)), Kind.METHOD, "", ["Alpha"], 1) == "Shown: what Alpha says."
    assert filter_words(Filters(taxon=1), Kind.METHOD, "root", [], 1) == ""
