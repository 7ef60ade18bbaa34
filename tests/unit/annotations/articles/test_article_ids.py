import pytest

from annotations.articles.article_ids import (
    MOST_ARTICLE_IDS,
    format_first_items_and_remaining_count,
    parse_distinct_pmids_refusing_too_many,
    split_distinct_article_ids_refusing_too_many,
)


def test_it_reads_numbers_however_they_are_separated():
    assert parse_distinct_pmids_refusing_too_many("16054130, PMID:15733859;pmid: 7\n16054130") == [
        16054130,
        15733859,
        7,
    ]


def test_it_reads_nothing_from_nothing():
    assert parse_distinct_pmids_refusing_too_many("  \n") == []


def test_it_names_what_is_no_pmid():
    with pytest.raises(ValueError, match=r"Not a PMID: P53, -1\. Enter numbers such as 16054130\."):
        parse_distinct_pmids_refusing_too_many("1 p53 -1")


def test_it_takes_no_more_than_it_can_handle():
    with pytest.raises(ValueError, match=r"There are 10,001 PMIDs"):
        parse_distinct_pmids_refusing_too_many(" ".join(map(str, range(1, MOST_ARTICLE_IDS + 2))))


def test_it_lists_a_few():
    assert format_first_items_and_remaining_count(range(7)) == "0, 1, 2, 3, 4 and 2 more"


def test_it_reads_names_of_every_sort():
    assert split_distinct_article_ids_refusing_too_many(
        "PMID:007,12; PMC2346421\nhttps://doi.org/10.1000/a, 12 B0f"
    ) == [
        "7",
        "12",
        "PMC2346421",
        "10.1000/a",
        "B0f",
    ]
    assert split_distinct_article_ids_refusing_too_many(
        "10.1002/(SICI)1097-0134(19980801)32:2<255::AID-PROT11>3.0.CO;2-4, doi:10.1000/b"
    ) == [
        "10.1002/(SICI)1097-0134(19980801)32:2<255::AID-PROT11>3.0.CO;2-4",
        "10.1000/b",
    ]
    with pytest.raises(ValueError, match=r"There are 10,001 articles"):
        split_distinct_article_ids_refusing_too_many(" ".join(map(str, range(1, MOST_ARTICLE_IDS + 2))))
