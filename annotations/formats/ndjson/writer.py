"""Writes articles or annotations as NDJSON, one JSON object per line. Source: https://ndjson.org

Annotations have the members that they have in REST: their flat fields and, if they have any, open members.
"""

import json
from collections.abc import Iterable, Iterator

from annotations.formats.articles.annotated_article import (
    AnnotatedArticle,
    ExportedProducer,
    build_nonempty_export_members,
    iter_annotations_with_flat_nonempty_fields,
)
from annotations.formats.articles.open_members import build_nonempty_open_members


def write_articles_as_ndjson(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """One line per article, with its passages and all results."""
    for article in articles:
        yield json.dumps(_build_ndjson_article(article), ensure_ascii=False) + "\n"


def _build_ndjson_article(article: AnnotatedArticle) -> dict[str, object]:
    ids = article.ids
    return {
        "id": article.id,
        "pmid": ids.pmid,
        "pmcid": ids.pmcid,
        "doi": ids.doi,
        "journal": article.journal,
        "year": article.year,
        "authors": list(article.authors),
        "text_version": article.text_version,
        "passages": [
            {"type": passage.type, "offset": start, "text": passage.text}
            for start, passage in article.iter_passage_offsets()
        ],
        "results": [
            {
                **_build_ndjson_producer(result.producer),
                "kind": result.kind.value,
                "annotations": [build_nonempty_export_members(annotation) for annotation in result.annotations],
            }
            for result in article.results
        ],
    }


def _build_ndjson_producer(producer: ExportedProducer) -> dict[str, object]:
    """The producer, with the stated version beside it, as in the REST API."""
    fields = producer.export_fields()
    version = fields.pop("stated_version")
    return {"producer": fields, "stated_version": version}


def write_annotations_as_ndjson(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """One line per annotation, with its article and producer."""
    for article in articles:
        yield "".join(
            json.dumps({**fields, **build_nonempty_open_members(annotation)}, ensure_ascii=False) + "\n"
            for annotation, fields in iter_annotations_with_flat_nonempty_fields(article)
        )
