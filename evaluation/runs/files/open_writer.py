"""Write runs and gold standards of tasks with settings as BioC JSON that `python -m evaluation` scores like the site.

Documents have no text, so that the articles of a test stay unknown, and only what counts in the task. Entities have
their ranks, so that the order of ties cannot matter. Documents are sorted by name, because random samples are drawn in
that order.
"""

from collections.abc import Iterator, Mapping, Sequence

from annotations.formats.articles.annotated_article import AnnotatedArticle, ExportedProducer, ProducerResult
from annotations.formats.articles.parsed_article import ArticleIds, TextPassage
from annotations.formats.bioc.writer import write_bioc_json
from annotations.schema import AnnotationData, Kind
from evaluation.measures.items.bare_identifiers import name_databases_as_in_gold
from evaluation.measures.items.counted_types import keep_counted_annotations, map_entities_to_types
from evaluation.measures.items.relations import TypeByEntity, map_relations_to_confidence
from evaluation.measures.task_settings import TaskSettings
from evaluation.runs.files.open_files import list_entities_of_mentions

SCORED_PRODUCER = ExportedProducer("scored", "run")


def iter_open_bioc_lines(
    kind: Kind,
    settings: TaskSettings,
    annotations_by_article: Mapping[str, Sequence[AnnotationData]],
    gold_by_article: Mapping[str, Sequence[AnnotationData]] | None = None,
) -> Iterator[str]:
    """The pieces of a file; both {article name: annotations}. gold_by_article: for a run, if there is one."""
    gold = gold_by_article or {}
    return write_bioc_json(
        AnnotatedArticle(
            article,
            ArticleIds(),
            [TextPassage("title", "")],
            results=[
                ProducerResult(SCORED_PRODUCER, kind, _list_written(kind, settings, annotations, gold.get(article, ())))
            ],
        )
        for article, annotations in sorted(annotations_by_article.items())
    )


def _list_written(
    kind: Kind, settings: TaskSettings, annotations: Sequence[AnnotationData], gold: Sequence[AnnotationData]
) -> list[AnnotationData]:
    """What counts; relations have lost the types of their entities in the file, so those that they exclude are not."""
    counted = keep_counted_annotations(annotations, settings)
    if kind is Kind.ENTITY:
        return list_entities_of_mentions(counted)
    if kind is Kind.RELATION:
        types = map_entities_to_types(annotations, settings) | map_entities_to_types(gold, settings)
        return [each for each in counted if _has_counted_item(each, settings, types, gold)]
    return counted


def _has_counted_item(
    relation: AnnotationData, settings: TaskSettings, types: TypeByEntity, gold: Sequence[AnnotationData]
) -> bool:
    return bool(map_relations_to_confidence(name_databases_as_in_gold([relation], gold), settings, types))
