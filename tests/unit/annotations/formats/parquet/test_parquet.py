"""Parquet exports as pyarrow reads them, and read back as annotations; their Croissant descriptions in mlcroissant."""

import gzip
import hashlib
import json
import subprocess
import sys
from dataclasses import replace
from io import BytesIO
from itertools import repeat

import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.formats.annotated_text.article_reader import read_annotated_articles_skipping_textless
from annotations.formats.annotated_text.open_annotations import build_open_annotations
from annotations.formats.articles.annotated_article import AnnotatedArticle, ProducerResult
from annotations.formats.errors import FormatError
from annotations.formats.parquet import writer
from annotations.formats.parquet.croissant import DescribedDataSet, DescribedFile, describe_data_set
from annotations.formats.parquet.reader import iter_parquet_annotations
from annotations.formats.parquet.tables import ANNOTATION_TABLE, ARTICLE_TABLE
from annotations.formats.parquet.writer import write_annotations_as_parquet, write_articles_as_parquet
from annotations.formats.result_sniffing import ResultFormat
from annotations.schema import Kind
from tests.drawn_annotations import ANNOTATIONS
from tests.shared_data import require_shared_path
from tests.unit.annotations.formats.test_exports import (
    ARTICLE,
    BARE,
    BETA,
    GOLD,
    OPEN_ARTICLE,
    collect_statements,
)

LICENCE = "https://creativecommons.org/licenses/by/4.0/"


def write(*articles):
    return b"".join(write_annotations_as_parquet(articles))


def read(content):
    return list(iter_parquet_annotations(BytesIO(content), "mine.parquet"))


def read_rows(content):
    return pyarrow.parquet.read_table(BytesIO(content)).to_pylist()


@settings(deadline=None, max_examples=40)
@given(drawn=st.lists(ANNOTATIONS, max_size=6))
def test_it_reads_back_any_annotation(drawn):
    article = replace(BARE, results=[ProducerResult(BETA, each.kind, [each]) for each in drawn])
    assert read(write(article)) == [(BARE.id, BETA, each) for each in drawn]


def test_it_reads_back_what_was_reported_before():
    assert {(producer, each) for _, producer, each in read(write(ARTICLE))} == collect_statements(ARTICLE)


@pytest.mark.shared
def test_it_reads_back_biored():
    content = gzip.decompress(require_shared_path("corpora", "biored", "Dev.BioC.XML.gz").read_bytes())
    parsed = read_annotated_articles_skipping_textless(BytesIO(content), "x", ResultFormat.BIOC_XML).articles
    articles = [
        AnnotatedArticle(
            str(each.ids.pmid),
            each.ids,
            each.passages,
            results=[ProducerResult(GOLD, kind, found) for kind, found in build_open_annotations(each).items()],
        )
        for each in parsed
    ]
    sent = {(article.id, each) for article in articles for _, each in article.iter_annotations(*Kind)}
    assert sum(each.kind is Kind.RELATION for _, each in sent) > 1000
    assert {(article, each) for article, _, each in read(write(*articles))} == sent
    rows = read_rows(b"".join(write_articles_as_parquet(articles)))
    assert [row["text"] for row in rows] == [article.text for article in articles]


def test_its_articles_have_text_passages_and_who_found_nothing():
    [row] = read_rows(b"".join(write_articles_as_parquet([ARTICLE])))
    assert row["text"] == ARTICLE.text
    passages = [
        (each["type"], row["text"][each["offset"] : each["offset"] + each["length"]]) for each in row["passages"]
    ]
    assert passages == [(each.type, each.text) for each in ARTICLE.passages]
    assert (row["id"], row["pmid"], row["pmcid"], row["doi"]) == ("10000001", 10000001, "PMC7", "10.1000/x")
    assert (row["journal"], row["year"], row["authors"]) == ("J Cell Ex", 2026, ["Doe J", "Roe R"])
    assert [(each["stated_version"], each["kind"]) for each in row["results"] if not each["annotations"]] == [
        ("2.0", "taxon")
    ]


def test_its_files_say_what_they_leave_out():
    metadata = pyarrow.parquet.read_schema(BytesIO(write(ARTICLE))).metadata
    assert metadata[b"note"].decode() == ANNOTATION_TABLE.note


def test_it_sends_each_row_group_before_it_reads_on(monkeypatch):
    """However many articles there are, the rows of one group are in memory."""
    monkeypatch.setattr(writer, "CHARACTERS_PER_ROW_GROUP", 10 * writer.CHARACTERS_PER_ROW)
    asked = []
    articles = (asked.append(number) or article for number, article in enumerate(repeat(OPEN_ARTICLE, 20)))
    pieces = write_annotations_as_parquet(articles)
    first = next(pieces)
    assert len(asked) == 2
    file = pyarrow.parquet.ParquetFile(BytesIO(first + b"".join(pieces)))
    assert (file.metadata.num_row_groups, file.metadata.num_rows) == (10, 100)


def test_pyarrow_is_imported_for_parquet_alone():
    code = "import sys, annotations.formats.exports, evaluation.__main__; sys.exit('pyarrow' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def change_cell(column, value):
    table = pyarrow.parquet.read_table(BytesIO(write(OPEN_ARTICLE)))
    rows = table.to_pylist()
    rows[0][column] = value
    out = BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, table.schema), out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (lambda: b"PAR1 and more", "mine.parquet:0:0: R681 the file is not valid Parquet, or damaged - "),
        (lambda: write(ARTICLE)[:-9], "mine.parquet:0:0: R681 the file is not valid Parquet, or damaged - "),
        (
            lambda: b"".join(write_articles_as_parquet([ARTICLE])),
            "mine.parquet:0:0: R681 the columns are not those of an export of annotations - ",
        ),
        (lambda: change_cell("kind", "colour"), "R681 row 1 is not a valid annotation ('colour' is not a valid Kind) "),
        (lambda: change_cell("confidence", 2.0), "R681 row 1 is not a valid annotation (the confidence is 2.0) - "),
        (lambda: change_cell("end", 0), "mine.parquet:1:0: R681 row 1 is not a valid annotation (a mention from 0 to "),
        (lambda: change_cell("spans", None), "mine.parquet:1:0: R681 row 1 is not a valid annotation ("),
    ],
)
def test_it_refuses_other_files_and_wrong_rows(make, fault):
    with pytest.raises(FormatError) as refused:
        read(make())
    assert fault in str(refused.value)


def describe_files(folder, *, checksums=True):
    files = []
    for table, write_table in (
        (ARTICLE_TABLE, write_articles_as_parquet),
        (ANNOTATION_TABLE, write_annotations_as_parquet),
    ):
        content, name = b"".join(write_table([OPEN_ARTICLE, ARTICLE])), f"bcms.{table.name}.parquet"
        (folder / name).write_bytes(content)
        files.append(DescribedFile(table, name, name, hashlib.sha256(content).hexdigest() if checksums else ""))
    data_set = DescribedDataSet(
        "A “corpus”", "Its text", "https://example.org/c", "https://example.org", files, LICENCE
    )
    description = describe_data_set(data_set)
    (folder / "croissant.json").write_text(json.dumps(description))
    # Here, because it imports pandas and much else.
    import mlcroissant

    return description, mlcroissant.Dataset(jsonld=folder / "croissant.json")


def test_mlcroissant_reads_its_rows(tmp_path):
    description, data_set = describe_files(tmp_path)
    assert "isLiveDataset" not in description
    assert (data_set.metadata.name, data_set.metadata.license) == ("A “corpus”", [LICENCE])
    assert not data_set.metadata.ctx.issues.errors
    articles, rows = list(data_set.records("articles")), list(data_set.records("annotations"))
    assert [row["articles/text"].decode() for row in articles] == [OPEN_ARTICLE.text, ARTICLE.text]
    table = read_rows((tmp_path / "bcms.annotations.parquet").read_bytes())
    for column in ("kind", "start", "confidence", "relevant", "identifier"):
        values = [row[f"annotations/{column}"] for row in rows]
        assert [value.decode() if isinstance(value, bytes) else value for value in values] == [
            row[column] for row in table
        ]
    assert [
        (each["annotations/spans/start"], each["annotations/spans/end"]) for each in rows[0]["annotations/spans"]
    ] == [
        (0, 3),
        (5, 6),
    ]
    assert [each["annotations/arguments/role"] for each in rows[3]["annotations/arguments"]] == [b"Gene", b""]


def test_it_claims_no_checksum_of_files_that_change(tmp_path):
    description, data_set = describe_files(tmp_path, checksums=False)
    assert description["isLiveDataset"] is True
    assert all("sha256" not in file for file in description["distribution"])
    assert not data_set.metadata.ctx.issues.errors
