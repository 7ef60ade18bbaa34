"""Files of digital abstracts that were made to break the reader: one fault with its place, and little work."""

import gzip

import pytest

from annotations.formats.digital_abstracts.file_reader import read_abstract_file
from annotations.formats.errors import RefusedFileError
from annotations.formats.mitab.columns import MITAB_COLUMNS, MITAB_EMPTY

METHOD = "Interaction detection method(s)"
FIELDS = {
    "ID(s) interactor A": "uniprotkb:P12830",
    "ID(s) interactor B": "uniprotkb:P35222",
    METHOD: 'psi-mi:"MI:0018"(two hybrid)',
    "Publication Identifier(s)": "pubmed:1",
    "Interaction type(s)": 'psi-mi:"MI:0915"(physical association)',
}
ROOT = '<entrySet xmlns="http://psi.hupo.org/mi/mif300">'
# So many that work which grows with their square does not end.
MANY = 100_000


def make_line(changes=None):
    """A row of PSI-MITAB 2.6; changes: {column: field}."""
    values = FIELDS | (changes or {})
    return "\t".join(values.get(column, MITAB_EMPTY) for column in MITAB_COLUMNS[:36])


def make_json(string):
    """The record of one interaction with this comment, as it is written in the file."""
    return '{"interactions": [\n{"comment": "' + string + '", "participants": []}]}'


def read(content):
    return read_abstract_file(content if isinstance(content, bytes) else content.encode(), "hostile")


@pytest.mark.parametrize(
    ("content", "line", "column", "message"),
    [
        ('{"a": ' + "[" * MANY, 0, 0, "nested too deeply"),
        ('{"pmid": ' + "9" * 5000 + "}", 0, 0, "a number of thousands of digits"),
        ('{"interactions": [', 1, 19, "not JSON"),
        (b'{"a": "\xff"}', 1, 8, "not UTF-8"),
        (b'{"a": "\xed\xa0\x80"}', 1, 8, "not UTF-8"),
        (make_json(r"\u0000"), 2, 14, r"\u0000 is no character"),
        (make_json(r"\\ \ud800"), 2, 17, r"\ud800 is no character"),
        (make_json(r"\uDC00"), 2, 14, r"\uDC00 is no character"),
        ('{"interactions": [{"participants": [], "confidence": 1e999}]}', 0, 0, "neither a number nor null"),
        (make_line({"ID(s) interactor A": "uniprotkb:P1\0"}), 1, 13, "NUL"),
        (make_line() + "\n" + make_line()[:40], 2, 41, "cut off"),
        (make_line().encode("utf-16"), 1, 1, "not UTF-8"),
        ("x" * MANY, 1, 1, "the line has 1 columns"),
        (b"PK\x03\x04" + b"\0" * 100, 1, 1, "the line has 1 columns"),
        (gzip.compress(b"{" * MANY, mtime=0), 1, 1, "the line has 1 columns"),
        (make_line({METHOD: "|".join(["a:b"] * 10_000)}), 1, 43, "has no PSI-MI identifier"),
        ('<!DOCTYPE a [<!ENTITY b "c">]>' + ROOT + "&b;</entrySet>", 1, 13, "declares a document type"),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>' + ROOT, 1, 13, "declares a document type"),
        (ROOT + "<entry>" * 1000, 1, 56, "no element “entry” in entry"),
        (ROOT + "<entry><inter", 1, 56, "not well-formed"),
        ('<?xml version="1.0" encoding="latin-9x"?>' + ROOT, 1, 1, "unknown encoding"),
        ('<?xml version="1.0" encoding="utf-7"?>' + ROOT, 1, 1, "unknown encoding"),
    ],
)
def test_it_refuses_one_with_its_place(content, line, column, message):
    with pytest.raises(RefusedFileError) as caught:
        read(content)
    faults = [(fault.line, fault.column) for fault in caught.value.faults if message in fault.message]
    assert faults == [(line, column)], caught.value


@pytest.mark.parametrize("content", ["\ufeff", "\t" * MANY, ROOT + "<entry>" + "x" * MANY + "</entry></entrySet>"])
def test_it_finds_nothing_in_an_empty_one(content):
    assert list(read(content).abstracts) == []


def test_it_reads_pairs_of_surrogates_and_escaped_backslashes():
    [parsed] = read(make_json(r"\ud83d\ude00 \\u0000")).abstracts
    assert parsed.abstract.interactions[0].comment == "\U0001f600 \\u0000"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-32-le"])
def test_it_reads_json_in_other_encodings_of_unicode(encoding):
    [parsed] = read(make_json("\U0001f600 β").encode(encoding)).abstracts
    assert parsed.abstract.interactions[0].comment == "\U0001f600 β"


@pytest.mark.parametrize("field", ['a:"' + r"\"" * MANY, 'a:"' + '"' * MANY, "a:" + "(" * MANY + ")", "a" + ":" * MANY])
def test_it_looks_once_for_the_end_of_a_quotation(field):
    [parsed] = read(make_line({"Alias(es) interactor A": field})).abstracts
    assert len(parsed.abstract.interactions) == 1


def test_it_joins_thousands_of_rows_of_one_interaction():
    common = {"Interaction identifier(s)": "intact:EBI-1", "Expansion method(s)": 'psi-mi:"MI:1060"(spoke expansion)'}
    lines = [make_line(common | {"ID(s) interactor B": f"uniprotkb:P{number:05}"}) for number in range(3000)]
    [parsed] = read("\n".join(lines)).abstracts
    [interaction] = parsed.abstract.interactions
    assert len(interaction.participants) == 3001


def test_it_looks_once_for_the_passages_of_an_experiment():
    legends = '<attribute name="figure legend" nameAc="MI:0599">1</attribute>' * 20_000
    experiment = f'<experimentDescription id="1"><attributeList>{legends}</attributeList></experimentDescription>'
    with pytest.raises(RefusedFileError, match="no bibref"):
        read(f"{ROOT}<entry><experimentList>{experiment}</experimentList></entry></entrySet>")
