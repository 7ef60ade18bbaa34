"""BioCreative II XML: what is read, and what hostile files do."""

import tracemalloc

import pytest

from annotations.formats.bc2_xml.reader import read_bc2_run
from annotations.formats.errors import RefusedFileError
from tests.unit.bc2_files import (
    HELICASE,
    PUBLISHED,
    entry,
    faults,
    gold,
    list_refusal_lines,
    method,
    pair,
    passage,
    read_repaired_run,
    rows,
    run,
)


def test_it_reads_the_published_sample():
    table = run(PUBLISHED, "iss")
    assert rows(table) == [("10924507", ("Q08211", "Q9UBU9", HELICASE), 1)]
    assert (table.extras, list(table.repairs)) == (("rank",), [])


def test_it_needs_no_root_and_takes_several():
    one = entry(pair())
    bare = rows(run(one))
    assert bare == [("11", ("Q08211", "Q9UBU9"), 1)]
    declared = f'<?xml version="1.0" encoding="UTF-8"?>\n<RUN team="1"><!-- <ENTRY> -->{one}</RUN>'
    assert rows(run(declared)) == bare
    assert rows(run(f"<A>{one}</A>\n<?xml version='1.0'?><B>{entry(pair(), pmid='12')}</B>")) == [
        ("11", ("Q08211", "Q9UBU9"), 1),
        ("12", ("Q08211", "Q9UBU9"), 1),
    ]
    assert rows(run(b"\xef\xbb\xbf" + one.encode())) == bare


def test_it_takes_entity_for_entry():
    assert rows(run(entry(pair()).replace("ENTRY", "ENTITY"))) == [("11", ("Q08211", "Q9UBU9"), 1)]


def test_it_reads_all_pairs_of_an_entry():
    text = entry(pair("P62993", "P00533", "2"), pair("P62993", "P62993", "1"))
    assert rows(run(text)) == [("11", ("P00533", "P62993"), 2), ("11", ("P62993", "P62993"), 1)]


def test_it_reads_an_entry_for_each_pair():
    text = entry(pair("P62993", "P00533", "1")) + entry(pair("P62993", "P62993", "2")) + entry(pair(), pmid="12")
    assert [row[0] for row in rows(run(text))] == ["11", "11", "12"]


def test_it_reads_methods():
    assert rows(run(entry(method("MI:0018", "2"), method("MI:0006", " 1 ")), "imt")) == [
        ("11", "MI:0018", 2),
        ("11", "MI:0006", 1),
    ]


def test_it_reads_pairs_as_interactors_with_the_best_rank():
    text = entry(pair("P62993", "P00533", "2"), pair("P62993", "Q08211", "1"))
    assert sorted(rows(run(text, "int")), key=lambda row: row[2]) == [
        ("11", "P62993", 1),
        ("11", "Q08211", 2),
        ("11", "P00533", 3),
    ]


def test_it_reads_ranks_of_passages_by_pair():
    text = passage("One.", "1") + passage("Two.", "2") + passage("One.", "1").replace("Q08211", "P00533")
    assert [row[2] for row in rows(run(text, "iss"))] == [1, 2, 1]


def test_it_reads_runs_without_ranks():
    assert run(entry(pair(rank=""))).extras == ()
    assert run(entry(pair(rank="7")), expected_extra_columns=()).extras == ()


def test_it_reads_gold_standards():
    table = gold(entry(pair(rank=""), pair("P62993", "P00533", "")))
    assert rows(table) == [("11", ("Q08211", "Q9UBU9"), None), ("11", ("P00533", "P62993"), None)]
    assert rows(gold(entry(pair("P62993", "P00533", "1"), pair("P62993", "Q08211", "1")), "int")) == [
        ("11", "P00533", None),
        ("11", "P62993", None),
        ("11", "Q08211", None),
    ]


def test_it_reads_references_and_sections():
    text = passage("a &lt; b &amp; &#945;&#x3B2; <![CDATA[<i>&amp;</i>]]> c")
    assert rows(run(text, "iss"))[0][1][2] == "a < b & αβ <i>&amp;</i> c"


def test_it_reads_declared_encodings():
    text = '<?xml version="1.0" encoding="ISO-8859-1"?>' + passage("naïve")
    assert rows(run(text.encode("latin-1"), "iss"))[0][1][2] == "naïve"


def test_it_reads_blocks_of_any_size_alike(monkeypatch):
    text = PUBLISHED + "<!-- a comment -->" + passage("a &amp; b <![CDATA[ ]] ]]> < c &alpha; α", "2", more="<X/>")
    whole = read_repaired_run(text, "iss")
    assert len(whole[1]) == 3
    for size in (1, 2, 3, 7, 64):
        monkeypatch.setattr("annotations.formats.bc2_xml.markup.MARKUP_BLOCK_BYTES", size)
        assert read_repaired_run(text, "iss") == whole


def test_it_does_not_check_lists_of_unknown_articles():
    text = entry(pair(rank="1"), pair(rank="1"))
    assert len(run(text, repeat_checked_articles={"12"})) == 2
    assert faults(text, repeat_checked_articles={"11"}) == ["1:144:R608", "1:232:R609"]


def test_it_keeps_results_of_unknown_articles_when_it_repairs():
    text = entry(pair()) + entry(pair(), pmid="12")
    assert len(run(text, repair=True, repeat_checked_articles={"12"})) == 2


def test_it_takes_ranks_twice_where_they_do_not_count():
    assert len(run(entry(pair(rank="1"), pair("P00533", rank="1")), allow_repeated_ranks=True)) == 2


# Hostile files


def test_it_expands_no_entities():
    bomb = '<!DOCTYPE a [<!ENTITY b "lol"><!ENTITY c "&b;&b;&b;&b;">]>' + entry(pair("&c;"))
    assert list_refusal_lines(bomb) == list_refusal_lines(bomb, repair=True)
    assert faults(bomb) == ["1:1:R632"]
    assert faults(entry(pair(), pmid="&c;"), repair=True) == ["1:8:R636", "1:14:R635"]


def test_it_reads_nothing_outside_the_file():
    text = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>' + entry(pair("&b;"))
    assert faults(text, repair=True) == ["1:1:R632"]


def test_it_ends_at_deep_nesting():
    assert faults("<a>" * 1_000_000, repair=True) == ["1:193:R634"]
    assert faults(entry(passage("<i>" * 1_000_000)), "iss")[-1].endswith("R634")


def test_it_reads_fifty_megabytes_of_one_element(tmp_path):
    path = tmp_path / "run.xml"
    path.write_bytes(passage("@").encode().replace(b"@", b"x" * 50_000_000))
    tracemalloc.start()
    with path.open("rb") as content, pytest.raises(RefusedFileError, match="R640"):
        read_bc2_run(content, "iss", "run.xml", repair=True)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 2_000_000


@pytest.mark.parametrize("filling", ["x", "<", "&", "<x>", "</x>", "<!--", "<x ", "&x"])
def test_it_reads_long_elements_of_anything(filling):
    text = passage(filling * (110_000 // len(filling)))
    with pytest.raises(RefusedFileError) as refused:
        run(text, "iss")
    assert len(refused.value.faults) < 3003
