"""Evidence passages of pairs (R122 to R124)."""

from collections.abc import Iterator, Sequence

from annotations.articles.evidence_passages import PASSAGES_PER_PAIR, has_too_many_sentences, is_copied_passage
from annotations.rule_registry import (
    IndexedAnnotation,
    IndexedFault,
    RuleContext,
    register_rule_across_annotations,
    register_rule_on_single_annotation,
)
from annotations.rules.messages import quote_value
from annotations.schema import AnnotationData, Kind
from bcms.lib.text import collapse_white_space


@register_rule_across_annotations(
    "R122",
    "A pair has at most five passages.",
    "Send the five best passages of each pair.",
    field="text",
    kinds=[Kind.PASSAGE],
)
def iter_excess_passages_per_pair_faults(
    annotations: Sequence[IndexedAnnotation], _: RuleContext
) -> Iterator[IndexedFault]:
    counts: dict[object, int] = {}
    for index, annotation in annotations:
        pair = annotation.key[:-1]
        counts[pair] = counts.get(pair, 0) + 1
        if counts[pair] > PASSAGES_PER_PAIR:
            yield index, f"This is passage {counts[pair]} of the pair {annotation.identifier} and {annotation.partner}."


@register_rule_across_annotations(
    "R123",
    "A passage is copied verbatim from the article; only white space may differ.",
    "Send whole sentences exactly as they are in the article.",
    field="text",
    kinds=[Kind.PASSAGE],
)
def iter_faults_of_uncopied_passages(
    passages: Sequence[IndexedAnnotation], context: RuleContext
) -> Iterator[IndexedFault]:
    article = collapse_white_space(context.claims.text.text) if passages else ""
    for index, annotation in passages:
        if not is_copied_passage(annotation.text, article):
            yield index, f"The article does not contain the passage {quote_value(annotation.text)}."


@register_rule_on_single_annotation(
    "R124",
    "A passage has at most three sentences.",
    "Send the most informative sentences, or several passages.",
    field="text",
    kinds=[Kind.PASSAGE],
)
def explain_passage_over_three_sentences(annotation: AnnotationData, _: RuleContext) -> str | None:
    if not has_too_many_sentences(annotation.text):
        return None
    return f"The passage {quote_value(annotation.text)} has more than three sentences."
