"""What an address says of filters, and which annotations they leave."""

import pytest
from django.http import QueryDict

from annotations.results.collation import group_annotations_by_key
from annotations.schema import AnnotationData, Kind
from bcms.article_page.reader_choice import AnnotationFilters, format_filters, read_annotation_filters_ignoring_invalid

SURE, UNSURE, SILENT = 0.9, 0.3, None


def gene(identifier, confidence):
    return AnnotationData(Kind.NORMALIZATION, confidence, database="uniprot", identifier=identifier)


def list_kept_identifiers(filters, taxa=()):
    said = {1: [gene("ALL", SURE), gene("TWO", SURE), gene("ONE", UNSURE)], 2: [gene("ALL", SURE), gene("TWO", SURE)]}
    said[3] = [gene("ALL", SURE), gene("MUTE", SILENT)]
    return sorted(g.annotation.identifier for g in group_annotations_by_key(said) if filters.passes_group(g, 3, taxa))


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (AnnotationFilters(), ["ALL", "MUTE", "ONE", "TWO"]),
        (AnnotationFilters(agree=2), ["ALL", "TWO"]),
        (AnnotationFilters(differ=True), ["MUTE", "ONE", "TWO"]),
        (AnnotationFilters(agree=2, differ=True), ["TWO"]),
        (AnnotationFilters(confidence=0.5), ["ALL", "TWO"]),
        (AnnotationFilters(confidence=0.3), ["ALL", "ONE", "TWO"]),
        (AnnotationFilters(taxon=9606), []),
    ],
)
def test_it_leaves_what_was_asked_for(filters, expected):
    assert list_kept_identifiers(filters) == expected


def test_it_leaves_annotations_of_the_organism():
    assert list_kept_identifiers(AnnotationFilters(taxon=9606), taxa=(9606, 10090)) == ["ALL", "MUTE", "ONE", "TWO"]


def test_it_asks_methods_for_no_organism():
    (method,) = group_annotations_by_key({1: [AnnotationData(Kind.METHOD, database="psi-mi", identifier="MI:0018")]})
    assert AnnotationFilters(taxon=9606).passes_group(method, 1, ())


@pytest.mark.parametrize(
    ("address", "filters"),
    [
        ("", AnnotationFilters()),
        ("server=a&server=b&server=a&server=", AnnotationFilters(servers=("a", "b"))),
        (
            "taxon=9606&confidence=.5&agree=3&differ=1",
            AnnotationFilters(taxon=9606, confidence=0.5, agree=3, differ=True),
        ),
        ("confidence=1&heat=1", AnnotationFilters(confidence=1.0)),
        ("taxon=x&confidence=1.5&agree=-2&differ=yes", AnnotationFilters()),
        ("taxon=99999999999&confidence=nan&agree=0", AnnotationFilters()),
        ("confidence=.&taxon=%D9%A1", AnnotationFilters()),
    ],
)
def test_it_reads_addresses(address, filters):
    assert read_annotation_filters_ignoring_invalid(QueryDict(address)) == filters


@pytest.mark.parametrize(
    "filters",
    [
        AnnotationFilters(),
        AnnotationFilters(("a",), 9606, 0.25, 2, True),
        AnnotationFilters(servers=("b", "a"), confidence=0.0001),
    ],
)
def test_it_writes_addresses_that_it_reads(filters):
    query = QueryDict(mutable=True)
    for name, value in filters.list_filter_pairs():
        query.appendlist(name, value)
    assert read_annotation_filters_ignoring_invalid(query) == filters


def test_it_says_in_words_what_is_filtered():
    filters = AnnotationFilters(("a", "b"), 9606, 0.5, 2, True)
    assert format_filters(filters, Kind.NORMALIZATION, "Homo sapiens", ["Alpha", "Beta"], 2) == (
        "Filters: annotations by Alpha and Beta, at least 2 servers agree, not all 2 servers agree, "
        "mean confidence at least 0.50, Homo sapiens."
    )
    assert format_filters(AnnotationFilters(("a",)), Kind.METHOD, "", ["Alpha"], 1) == "Filters: annotations by Alpha."
    assert format_filters(AnnotationFilters(taxon=1), Kind.METHOD, "root", [], 1) == ""
