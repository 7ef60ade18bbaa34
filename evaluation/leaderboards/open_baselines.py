"""Baselines of tasks with settings, learned from the gold standard of the training phase.

| form | baseline |
|---|---|
| mentions, identifiers of mentions | every occurrence of a text that is a mention in the training articles |
| entities of articles | the four most frequent entities of the training articles |
| labels | the most frequent label of the training articles |
| relations | none |

A text has the type and identifiers that its mentions have most often.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping

from annotations.schema import AnnotationData, EntityId, Kind, Span, make_entity, make_label, make_mention
from evaluation.errors import ChallengeError
from evaluation.measures.items.counted_types import counts_namespace, keep_counted_annotations
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
# The most frequent type and identifiers of a text.
NamedText = tuple[str, tuple[EntityId, ...]]


def check_baseline_exists(kind: Kind) -> None:
    """ChallengeError for relations."""
    if kind is Kind.RELATION:
        raise ChallengeError(
            "There is no baseline for relations. Upload a run of a simple system, and mark it as a baseline."
        )


def predict_open_baseline(
    kind: Kind, settings: TaskSettings, gold: AnnotationsByArticle, texts: Mapping[int, str]
) -> OpenBaseline:
    """The name of the baseline, and its annotations by article; texts: {article: text}. ChallengeError without any."""
    check_baseline_exists(kind)
    counted = {article: keep_counted_annotations(annotations, settings) for article, annotations in gold.items()}
    if kind is Kind.MENTION:
        return MENTION_BASELINE, _predict_known_texts(counted, texts)
    if kind is Kind.ENTITY:
        return ENTITY_BASELINE, dict.fromkeys(texts, _list_frequent_entities(counted, settings))
    values = Counter(annotation.label for annotations in counted.values() for annotation in annotations)
    name, value = max(values, key=lambda label: (values[label], str(label))) or ("", "")
    return LABEL_BASELINE, {article: [make_label(name, value)] for article in texts}


def _list_frequent_entities(gold: AnnotationsByArticle, settings: TaskSettings) -> list[AnnotationData]:
    """The entities of most training articles, with their share as confidence."""
    numbers = Counter(
        (entity, annotation.type)
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


def _predict_known_texts(gold: AnnotationsByArticle, texts: Mapping[int, str]) -> dict[int, list[AnnotationData]]:
    """Every whole-word occurrence of the texts of training mentions; of overlapping ones the first and longest."""
    names: dict[str, Counter[NamedText]] = defaultdict(Counter)
    for annotations in gold.values():
        for mention in annotations:
            if len(mention.parts) == 1:
                names[mention.text][mention.type, mention.identifiers] += 1
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
