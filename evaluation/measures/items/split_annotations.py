"""Annotations of which each is exactly one item of a task with settings: what runs vote on, and what pages compare."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from annotations.schema import AnnotationData, EntityId, RelationArgument, Shape, make_entity
from evaluation.measures.columns import Item, MentionItem
from evaluation.measures.items.bare_identifiers import name_databases_as_in_gold
from evaluation.measures.items.concepts import map_concepts_to_confidence
from evaluation.measures.items.counted_types import map_entities_to_types
from evaluation.measures.items.labels import list_distinct_label_values
from evaluation.measures.items.links import list_distinct_links
from evaluation.measures.items.relations import TypeByEntity, map_relations_to_confidence
from evaluation.measures.items.task_columns import ItemForm
from evaluation.measures.items.typed_mentions import list_distinct_typed_mentions
from evaluation.measures.mentions.mention_items import pair_most_mentions_one_to_one
from evaluation.measures.mentions.spans import SpanMatch
from evaluation.measures.task_settings import TaskSettings


@dataclass(frozen=True, slots=True)
class MatchedItems:
    """The annotations of one article, each of one item: true positives, false negatives and false positives."""

    found: Sequence[AnnotationData]
    missed: Sequence[AnnotationData]
    false: Sequence[AnnotationData]


def split_counted_items(
    form: ItemForm | None,
    annotations: Sequence[AnnotationData],
    settings: TaskSettings,
    gold: Sequence[AnnotationData] = (),
) -> dict[Item, AnnotationData]:
    """{item: an annotation of it alone} of one article, in the order in which they are scored.

    form: None for labels, whose items are their values; gold: its types of entities go before those of `annotations`,
    and its databases are those of their bare identifiers.
    """
    types: TypeByEntity = {}
    if form == "relation":
        annotations = name_databases_as_in_gold(annotations, gold)
        types = map_entities_to_types(annotations, settings) | map_entities_to_types(gold, settings)
    found: dict[Item, AnnotationData] = {}
    for annotation in annotations:
        for part in _iter_parts_with_one_item(form, annotation):
            for item in _list_items(form, [part], settings, types):
                found.setdefault(item, part)
    return {item: found[item] for item in _list_items(form, annotations, settings, types)}


def _iter_parts_with_one_item(form: ItemForm | None, annotation: AnnotationData) -> Iterator[AnnotationData]:
    """The annotation with one identifier for each entity that it names, once for each combination."""
    if form in ("link", "concept") and annotation.shape is Shape.MENTION:
        for entity in annotation.identifiers:
            yield replace(annotation, identifiers=(entity,))
    elif form == "relation" and annotation.relation is not None:
        for arguments in product(*map(_split_argument, annotation.arguments)):
            yield replace(annotation, relation=replace(annotation.relation, arguments=arguments))
    else:
        yield annotation


def _split_argument(argument: RelationArgument) -> list[RelationArgument]:
    """The argument once for each of its identifiers, as it is without any."""
    return [replace(argument, identifiers=(entity,)) for entity in argument.identifiers] or [argument]


def _list_items(
    form: ItemForm | None, annotations: Sequence[AnnotationData], settings: TaskSettings, types: TypeByEntity
) -> list[Item]:
    match form:
        case "mention":
            return [*list_distinct_typed_mentions(annotations, settings)]
        case "link":
            return [*list_distinct_links(annotations, settings)]
        case "concept":
            return [*map_concepts_to_confidence(annotations, settings)]
        case "relation":
            return [*map_relations_to_confidence(annotations, settings, types)]
    return [*list_distinct_label_values(annotations, settings.label_set)]


def match_items_of_article(
    form: ItemForm | None, gold: Sequence[AnnotationData], run: Sequence[AnnotationData], settings: TaskSettings
) -> MatchedItems:
    """Which items of a run are in the gold standard, as scores have it."""
    gold_items = split_counted_items(form, gold, settings, gold)
    run_items = split_counted_items(form, run, settings, gold)
    if form in ("mention", "link"):
        span_match: SpanMatch = "exact" if settings.spans == "partial" else settings.spans
        paired = pair_most_mentions_one_to_one(_keep_mentions(gold_items), _keep_mentions(run_items), span_match)
        hits, found = set(paired), set(paired.values())
        return MatchedItems(
            [each for number, each in enumerate(run_items.values()) if number in hits],
            [each for number, each in enumerate(gold_items.values()) if number not in found],
            [each for number, each in enumerate(run_items.values()) if number not in hits],
        )
    return MatchedItems(
        [each for item, each in run_items.items() if item in gold_items],
        [each for item, each in gold_items.items() if item not in run_items],
        [each for item, each in run_items.items() if item not in gold_items],
    )


def _keep_mentions(items: Iterable[Item]) -> list[MentionItem]:
    return [item for item in items if isinstance(item, MentionItem)]


def vote_on_items(
    form: ItemForm | None,
    runs: Sequence[Mapping[str, Sequence[AnnotationData]]],
    gold: Mapping[str, Sequence[AnnotationData]],
    settings: TaskSettings,
    min_votes: int,
) -> dict[str, list[AnnotationData]]:
    """The annotations with enough votes, ranked by votes, then by their mean position in the runs that report them.

    runs, gold: {article: annotations}; articles that no run answered are left out.
    """
    articles = [article for article in gold if any(article in run for run in runs)]
    return {
        article: _vote_in_article(
            [split_counted_items(form, run.get(article, ()), settings, gold[article]) for run in runs], min_votes
        )
        for article in articles
    }


def _vote_in_article(runs: Sequence[Mapping[Item, AnnotationData]], min_votes: int) -> list[AnnotationData]:
    positions: dict[Item, list[int]] = {}
    first: dict[Item, AnnotationData] = {}
    for items in runs:
        for position, (item, annotation) in enumerate(items.items()):
            positions.setdefault(item, []).append(position)
            first.setdefault(item, annotation)
    voted = [item for item, at in positions.items() if len(at) >= min_votes]
    order = sorted(
        voted, key=lambda item: (-len(positions[item]), sum(positions[item]) / len(positions[item]), str(item))
    )
    return [_rank(first[item], item, rank) for rank, item in enumerate(order, 1)]


def _rank(annotation: AnnotationData, item: Item, rank: int) -> AnnotationData:
    """The annotation with this rank alone; an entity in place of the mention of one, which others could outnumber."""
    ranked = replace(annotation, confidence=None, rank=rank)
    if annotation.shape is Shape.MENTION and isinstance(item, str):
        database, _, identifier = item.partition(":")
        return make_entity(EntityId(database, identifier), annotation.type, rank=rank)
    return ranked
