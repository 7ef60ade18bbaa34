"""Baselines of tasks with settings, learned from the gold standard of the training phase.

| form | baseline |
|---|---|
| mentions, identifiers of mentions | every occurrence of a text that is a mention in the training articles |
| entities of articles | the four most frequent entities of the training articles |
| labels | the most frequent label of the training articles |
| relations | every two entities that a run of the same phase reports, if their types are related in training |

A text has the type and identifiers that its mentions have most often, two entities the relation that their types have
most often.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from annotations.schema import (
    AnnotationData,
    EntityId,
    Kind,
    Qualifier,
    RelationArgument,
    Span,
    make_entity,
    make_label,
    make_mention,
    make_relation,
)
from evaluation.errors import ChallengeError
from evaluation.measures.items.counted_types import counts_namespace, keep_counted_annotations
from evaluation.measures.items.relations import NOVELTY_QUALIFIER
from evaluation.measures.task_settings import TaskSettings
from evaluation.scoring.answers import AnnotationsByArticle

MENTION_BASELINE, ENTITY_BASELINE, LABEL_BASELINE = (
    "Baseline: mentions of the training articles",
    "Baseline: most frequent entities",
    "Baseline: most frequent label",
)
FREQUENT_ENTITIES = 4
# Shorter texts, such as "a", are in every article.
SHORTEST_TEXT, MOST_TEXTS = 3, 5000
OpenBaseline = tuple[str, dict[int, list[AnnotationData]]]
# Of the entities of an article, those with the highest confidences are related: 40 make 780 pairs.
MOST_RELATED_ENTITIES = 40


class RelationForm(NamedTuple):
    """What a relation has besides its entities. roles: of the arguments in the order of their types."""

    type: str
    directed: bool
    roles: tuple[str, ...]
    novelty: tuple[Qualifier, ...]


# The most frequent type and identifiers of a text.
NamedText = tuple[str, tuple[EntityId, ...]]


@dataclass(frozen=True, slots=True)
class EntitySource:
    """What a run reports: the entities that a baseline of relations relates. run: its id."""

    run: int
    annotations: AnnotationsByArticle


def predict_open_baseline(
    kind: Kind,
    settings: TaskSettings,
    gold: AnnotationsByArticle,
    texts: Mapping[int, str],
    source: EntitySource | None = None,
) -> OpenBaseline:
    """The name of the baseline, and its annotations by article; texts: {article: text}. ChallengeError without any.

    source: for relations.
    """
    counted = {article: keep_counted_annotations(annotations, settings) for article, annotations in gold.items()}
    if kind is Kind.MENTION:
        return MENTION_BASELINE, _predict_known_texts(counted, texts, settings)
    if kind is Kind.ENTITY:
        return ENTITY_BASELINE, dict.fromkeys(texts, _list_frequent_entities(counted, settings))
    if kind is Kind.RELATION:
        return _relate_entities(counted, texts, source, settings)
    values = Counter(annotation.label for annotations in counted.values() for annotation in annotations)
    name, value = max(values, key=lambda label: (values[label], str(label))) or ("", "")
    return LABEL_BASELINE, {article: [make_label(name, value)] for article in texts}


def _list_frequent_entities(gold: AnnotationsByArticle, settings: TaskSettings) -> list[AnnotationData]:
    """The entities of most training articles, with their share as confidence."""
    numbers = Counter(
        (entity, settings.name_type(annotation.type))
        for annotations in gold.values()
        for annotation in annotations
        for entity in annotation.iter_entity_ids()
        if counts_namespace(entity, settings)
    )
    ranked = sorted(numbers.items(), key=lambda item: (-item[1], item[0]))[:FREQUENT_ENTITIES]
    return [
        make_entity(entity, entity_type, confidence=min(number / len(gold), 1.0), rank=rank)
        for rank, ((entity, entity_type), number) in enumerate(ranked, 1)
    ]


def _predict_known_texts(
    gold: AnnotationsByArticle, texts: Mapping[int, str], settings: TaskSettings
) -> dict[int, list[AnnotationData]]:
    """Every whole-word occurrence of the texts of training mentions; of overlapping ones the first and longest."""
    names: dict[str, Counter[NamedText]] = defaultdict(Counter)
    for annotations in gold.values():
        for mention in annotations:
            if len(mention.parts) == 1:
                names[mention.text][settings.name_type(mention.type), mention.identifiers] += 1
    frequent = sorted(names, key=lambda text: (-names[text].total(), text))[:MOST_TEXTS]
    known = [text for text in frequent if len(text) >= SHORTEST_TEXT]
    if not known:
        raise ChallengeError("The training articles have no mentions of at least three characters to look for.")
    longest_first = sorted(known, key=lambda text: (-len(text), text))
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
    chosen = {text: names[text].most_common(1)[0][0] for text in known}
    return {
        article: [
            make_mention([Span(*match.span())], match.group(), *chosen[match.group()])
            for match in pattern.finditer(text)
        ]
        for article, text in texts.items()
    }


def _relate_entities(
    gold: AnnotationsByArticle, texts: Mapping[int, str], source: EntitySource | None, settings: TaskSettings
) -> OpenBaseline:
    """Every two entities of an article as the most frequent relation of their types in training."""
    if source is None:
        raise ChallengeError("This baseline needs a run of entities or of identifiers of mentions, which it relates.")
    forms: dict[tuple[str, ...], Counter[RelationForm]] = defaultdict(Counter)
    for annotations in gold.values():
        for relation in annotations:
            arguments = sorted(relation.arguments, key=lambda argument: settings.normalize_type(argument.type))
            types = tuple(settings.normalize_type(argument.type) for argument in arguments)
            forms[types][_get_relation_form(relation, arguments)] += 1
    chosen = {types: counts.most_common(1)[0][0] for types, counts in forms.items()}
    found = {
        article: list(_iter_related_pairs(source.annotations.get(article, ()), chosen, settings)) for article in texts
    }
    if not any(found.values()):
        raise ChallengeError("The run has no two entities in an article whose types are related in training.")
    # Not by the name of the run, which would reveal its team while teams are not named.
    return f"Baseline: all related types of run {source.run}", found


def _get_relation_form(relation: AnnotationData, arguments: Sequence[RelationArgument]) -> RelationForm:
    qualifiers = relation.relation.qualifiers if relation.relation else ()
    novelty = tuple(each for each in qualifiers if each.name.lower() == NOVELTY_QUALIFIER)
    roles = tuple(argument.role for argument in arguments)
    return RelationForm(relation.relation_type, relation.is_directed, roles, novelty)


def _iter_related_pairs(
    annotations: Sequence[AnnotationData], forms: Mapping[tuple[str, ...], RelationForm], settings: TaskSettings
) -> Iterator[AnnotationData]:
    """The confidence of a relation is the product of those of its entities."""
    best: dict[EntityId, tuple[str, float]] = {}
    for annotation in annotations:
        confidence = annotation.confidence or 1.0
        for entity in annotation.iter_entity_ids():
            entity_type, highest = best.get(entity, (settings.normalize_type(annotation.type), 0.0))
            best[entity] = (entity_type, max(highest, confidence))
    surest = sorted(best, key=lambda entity: (-best[entity][1], entity))[:MOST_RELATED_ENTITIES]
    for pair in combinations(surest, 2):
        first, second = sorted(pair, key=lambda entity: (best[entity][0], entity))
        form = forms.get((best[first][0], best[second][0]))
        if form is not None:
            yield make_relation(
                form.type,
                [RelationArgument(role, (each,)) for role, each in zip(form.roles, (first, second), strict=True)],
                directed=form.directed,
                qualifiers=dict(form.novelty),
                confidence=best[first][1] * best[second][1],
            )
