"""NDJSON of articles and of annotations, as exported and as other programs write it, read as annotated text."""

import json
from io import BytesIO

import pytest

from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.articles.article_sniffing import sniff_format_else_text_refusing_non_articles
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.result_sniffing import ResultFormat, sniff_result_format_else_tsv
from annotations.schema import EntityId, Kind, Span

LABEL = {"article": "1", "kind": "label", "type": "topic", "text": "mice", "confidence": 0.5}
MENTION = {
    **{"article": "1", "text_version": 1, "producer": "Me", "sort": "server", "kind": "mention"},
    **{"start": 0, "end": 9, "text": "breast cancer", "type": "Disease", "spans": [[0, 3], [5, 9]]},
    "identifiers": [{"curie": "mesh:D001943"}],
}
ARTICLE = {
    **{"id": "7", "pmid": 7, "text_version": 1, "passages": [{"type": "title", "offset": 0, "text": "ten chars."}]},
    "results": [
        {"producer": {"producer": "Me", "sort": "server"}, "kind": "label", "annotations": []},
        {"kind": "entity", "annotations": [{"database": "mesh", "identifier": "D001943", "type": "Disease"}]},
    ],
}


def read(*objects):
    content = BytesIO("\n".join(each if isinstance(each, str) else json.dumps(each) for each in objects).encode())
    assert sniff_result_format_else_tsv(content) is ResultFormat.NDJSON
    return ANNOTATED_TEXT_FORMATS[ResultFormat.NDJSON].read(content, "run.ndjson")


def test_it_reads_annotations_and_articles_without_any():
    found = read(MENTION, {"article": "2"}, LABEL)
    assert list(found.documents) == ["1", "2"]
    (mention,) = found.mentions
    assert mention.parts == (Span(0, 3), Span(5, 9)) and mention.list_links() == (EntityId("mesh", "D001943"),)
    assert [(label.document, label.name, label.value, label.confidence) for label in found.labels] == [
        ("1", "topic", "mice", 0.5)
    ]


def test_it_reads_articles_with_what_was_looked_for():
    found = read(ARTICLE)
    assert list(found.documents) == ["7"] and found.kinds == {"7": {Kind.LABEL, Kind.ENTITY}}
    assert [entity.list_links() for entity in found.entities] == [(EntityId("mesh", "D001943"),)]


def test_it_knows_articles_that_are_longer_than_what_is_sniffed():
    passages = [{"type": "abstract", "offset": 0, "text": "long " * 10_000}]
    assert list(read({**ARTICLE, "passages": passages}).documents) == ["7"]


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ([LABEL, "{"], "run.ndjson:2:1: R666 This is not JSON: Expecting property name"),
        ([LABEL, "", "[]"], "run.ndjson:3:1: R667 the line is not an object - "),
        ([LABEL, {"kind": "label"}], "run.ndjson:2:1: R668 there is no article - "),
        ([{**LABEL, "kind": "word"}], "run.ndjson:1:1: R668 “word” is not a kind of annotation"),
        ([{**LABEL, "confidence": 7}], "run.ndjson:1:1: R668 “7” is not a confidence"),
        ([{**MENTION, "spans": [[5, 3]]}], "run.ndjson:1:1: R668 5 to 3 is not a span of the text"),
        ([{**ARTICLE, "id": 7}], "run.ndjson:1:1: R668 the article has no id"),
        ([ARTICLE, ARTICLE], "run.ndjson:2:1: R658 there is already a document “7”"),
        ([{**ARTICLE, "results": [7]}], "run.ndjson:1:1: R668 results is not a list of objects"),
        (
            [{**ARTICLE, "results": [{"kind": "mention", "annotations": [{"start": 0, "end": 11}]}]}],
            "run.ndjson:1:1: R668 0 to 11 is not a span of the text, which has 10 characters",
        ),
    ],
)
def test_it_says_what_is_wrong_and_where(lines, fault):
    with pytest.raises(RefusedFileError) as refusal:
        read(*lines)
    assert str(refusal.value.faults[0]).startswith(fault)


def test_articles_are_not_imported_from_it():
    with pytest.raises(FormatError, match="R450 articles are not read from NDJSON - export them as BioC JSON"):
        sniff_format_else_text_refusing_non_articles(BytesIO(json.dumps(ARTICLE).encode()), "articles.ndjson")


@pytest.mark.parametrize(
    "text",
    [
        '{"source": "x", "documents": [{"id": "1", "infons": {"article": "2"}}]}',
        '{"target": "x", "text": "article", "denotations": []}',
        '{"id": "1", "passages": [], "annotations": []}',
    ],
)
def test_other_json_is_not_taken_for_it(text):
    assert sniff_result_format_else_tsv(BytesIO(text.encode())) is not ResultFormat.NDJSON
