"""Gold standard files: what is read, and every fault with its place and how to mend it."""

import pytest

from annotations.formats.tsv.gold_reader import scan_gold_tsv
from annotations.schema import AnnotationData, Kind


def faults(content, kind=Kind.CLASSIFICATION):
    return [str(fault) for fault in scan_gold_tsv(content, kind, "gold.tsv")[1]]


def read_gold(content, kind):
    lines, found = scan_gold_tsv(content, kind, "gold.tsv")
    assert not found
    return lines


def test_it_reads_every_way_to_write_a_class():
    words = ["1", "true", "T", "y", "+", "0", "false", "f", "N", "-"]
    content = "".join(f"{1000 + n}\t{word}\r\n" for n, word in enumerate(words)).encode()
    lines = read_gold(content, Kind.CLASSIFICATION)
    assert [line.annotation.relevant for line in lines] == [True] * 5 + [False] * 5
    assert [line.article for line in lines][:2] == ["1000", "1001"]


def test_it_reads_identifiers_of_each_kind():
    assert read_gold(b"10.1000/x.1\t9606", Kind.TAXON)[0].annotation == AnnotationData(
        Kind.TAXON, database="ncbitaxon", identifier="9606"
    )
    genes = read_gold(b"17\t999\n17\tP12830-2\n", Kind.NORMALIZATION)
    assert [(line.line, line.annotation.database) for line in genes] == [(1, "ncbigene"), (2, "uniprot")]
    assert read_gold(b"17\tMI:0018\n", Kind.METHOD)[0].annotation.database == "psi-mi"


def test_it_lists_every_fault_with_its_place_and_how_to_mend_it():
    assert faults(b"17\tyes\n18\n19\t1\n\n19\t0\n20 \t1\n21\t1\t0.9\n\t\n") == [
        "gold.tsv:1:4: R505 'yes' is not a class - write 0 or 1, true or false, t or f, y or n, + or -",
        "gold.tsv:2:1: R503 columns: 1 - write two, article and value, separated by one tab",
        "gold.tsv:4:1: R502 the line is blank - remove it",
        "gold.tsv:5:1: R506 article 19 already has a class in line 3 - keep one of the two",
        "gold.tsv:6:1: R504 the article ID '20 ' is empty or has white space at its end - correct it",
        "gold.tsv:7:1: R503 columns: 3 - write two, article and value, separated by one tab",
        "gold.tsv:8:1: R502 the line is blank - remove it",
    ]


def test_it_refuses_an_item_twice_but_not_two_items():
    assert faults(b"17\t9606\n17\t10090\n17\t9606\n", Kind.TAXON) == [
        "gold.tsv:3:1: R506 9606 of article 17 is already in line 1 - remove one of the two"
    ]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"17\thuman", Kind.TAXON),
        (b"17\t0", Kind.TAXON),
        (b"17\tP53_HUMAN", Kind.NORMALIZATION),
        (b"17\t0018", Kind.METHOD),
        ("17\t９６０６".encode(), Kind.TAXON),
    ],
)
def test_it_refuses_what_is_no_identifier(content, kind):
    (fault,) = faults(content, kind)
    assert fault.startswith("gold.tsv:1:4: R505 ")


def test_it_refuses_bytes_that_are_not_utf_8():
    assert faults(b"17\t1\n18\t\xff\n") == ["gold.tsv:2:4: R501 this byte is not UTF-8 - save the file as UTF-8 text"]


def test_it_refuses_a_byte_order_mark_and_reads_on():
    assert [fault.split(" ")[0:2] for fault in faults(b"\xef\xbb\xbf17\t1\n18\tx\n")] == [
        ["gold.tsv:1:1:", "R501"],
        ["gold.tsv:2:4:", "R505"],
    ]


@pytest.mark.parametrize("content", [b"", b"\n\n"])
def test_it_refuses_an_empty_file(content):
    assert faults(content) == [
        "gold.tsv:0:0: R507 the file is empty - write one line per article and annotation",
    ]


def test_it_has_no_file_for_mentions():
    with pytest.raises(ValueError, match="no gold standard file for the kind mention"):
        scan_gold_tsv(b"17\t1", Kind.MENTION, "gold.tsv")
