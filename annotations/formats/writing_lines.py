"""One thing a line: annotations as tab-separated values, and articles or annotations as NDJSON (https://ndjson.org).

In TSV a tab, line feed, carriage return and backslash in a field are \\t, \\n, \\r and \\\\, as PostgreSQL writes them.
What a spreadsheet would take for a formula has a backslash before it, which PostgreSQL's COPY leaves out again.
"""

import json
from collections.abc import Iterable, Iterator, Mapping

from annotations.formats.collected import BY, SAID, AnnotatedArticle, NamedProducer, said_in, words_of

COLUMNS = ("article", "text_version", *BY, "kind", *SAID)
ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
FORMULA = ("=", "+", "-", "@")


def write_tsv(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """A line of column names, then a line for each annotation; what is not given is empty."""
    yield "\t".join(COLUMNS) + "\n"
    for article in articles:
        yield "".join(f"{line}\n" for line in lines_of(article))


def lines_of(article: AnnotatedArticle) -> Iterator[str]:
    for record in records_of(article):
        values = (words_of(record[column]) if column in record else "" for column in COLUMNS)
        yield "\t".join(map(cell, values))


def cell(value: str) -> str:
    """A field of TSV, which no spreadsheet takes for a formula."""
    escaped = value.translate(ESCAPES)
    return f"\\{escaped}" if escaped.startswith(FORMULA) else escaped


def records_of(article: AnnotatedArticle) -> Iterator[Mapping[str, str | int | float | bool]]:
    """Each annotation by the names of COLUMNS, without what is not given."""
    known: dict[str, str | int | float | bool] = {"article": article.id, "text_version": article.text_version}
    for statement in article.statements:
        said_by = {**known, **statement.producer.told(), "kind": statement.kind.value}
        for finding in statement.findings:
            yield {**said_by, **said_in(finding)}


def write_ndjson(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """An article a line, with its passages and all that is said of it."""
    for article in articles:
        yield json.dumps(json_of(article), ensure_ascii=False) + "\n"


def json_of(article: AnnotatedArticle) -> dict[str, object]:
    name = article.name
    return {
        "id": article.id,
        "pmid": name.pmid,
        "pmcid": name.pmcid,
        "doi": name.doi,
        "journal": article.journal,
        "year": article.year,
        "authors": list(article.authors),
        "text_version": article.text_version,
        "passages": [
            {"type": passage.type, "offset": start, "text": passage.text} for start, passage in article.placed()
        ],
        "results": [
            {
                **by(statement.producer),
                "kind": statement.kind.value,
                "annotations": [said_in(finding) for finding in statement.findings],
            }
            for statement in article.statements
        ],
    }


def by(producer: NamedProducer) -> dict[str, object]:
    """The version beside the producer, not in it, as in the REST answers."""
    told = producer.told()
    version = told.pop("stated_version")
    return {"producer": told, "stated_version": version}


def write_ndjson_annotations(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """An annotation a line, with its article and who says it."""
    for article in articles:
        yield "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records_of(article))
