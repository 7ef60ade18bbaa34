"""The consensus panel of the article page: the reader's rule, and the consensus of the listed servers by it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotations.results.consensus.methods import (
    CONSENSUS_METHODS,
    SHARE_PARAMETER,
    VOTES_PARAMETER,
    ConsensusMethod,
    ConsensusRuleError,
    ListCutoff,
    make_consensus_rule,
)
from annotations.results.consensus.voting import AgreedAnnotation, build_consensus
from annotations.schema import AnnotationData, Kind
from bcms.article_page.entry_names import EntryNames
from bcms.article_page.open_annotations.entity_types import get_shown_type
from bcms.article_page.open_annotations.relation_ends import build_relation_row
from bcms.article_page.reader_choice import ChosenConsensusRule
from bcms.article_page.template_data import EntryReference, RelationRow
from bcms.article_page.text.marked_text import format_parts
from bcms.consensus.parameters import parse_server_weights, parse_threshold

MOST_SHOWN = 100


@dataclass(frozen=True, slots=True)
class ConsensusVoter:
    """A listed server by slug and name, and the learned cut-off of its lists of the open kind."""

    slug: str
    label: str
    cut: ListCutoff | None = None


@dataclass(frozen=True, slots=True)
class AgreedRow:
    """One agreed annotation for the list on the page; count voters report it.

    text: of a mention or label. type: of a mention, entity or relation, or the name of the set of a label. mention: its
    parts as in URLs. references: the entries, of a mention its links. quote: the passage.
    """

    text: str
    type: str
    mention: str
    references: Sequence[EntryReference]
    relation: RelationRow | None
    quote: str
    count: int
    confidence: float | None
    voters: Sequence[str]


@dataclass(frozen=True, slots=True)
class ConsensusPanel:
    """The consensus by the reader's rule; fault is the error in the rule, if any, and then there is no consensus.

    reported: the number of different annotations, identifiers of one gene counted once. number: how many of them are
    agreed; shared lists the first of these. servers: the number of servers that annotated the kind.
    """

    chosen: ChosenConsensusRule
    fault: str = ""
    number: int = 0
    reported: int = 0
    servers: int = 0
    shared: Sequence[AgreedRow] = ()

    @property
    def methods(self) -> list[ConsensusMethod]:
        return list(CONSENSUS_METHODS.values())

    @property
    def left_out(self) -> int:
        return self.number - len(self.shared)

    @property
    def by_votes(self) -> bool:
        return self.chosen.method is not None and self.chosen.method.has_parameter(VOTES_PARAMETER)

    @property
    def by_share(self) -> bool:
        return self.chosen.method is not None and self.chosen.method.has_parameter(SHARE_PARAMETER)


def build_consensus_panel(
    chosen_rule: ChosenConsensusRule,
    kind: Kind,
    annotations_by_producer: Mapping[int, Sequence[AnnotationData]],
    voter_by_producer: Mapping[int, ConsensusVoter],
    entry_names: EntryNames,
    article_text: str,
) -> ConsensusPanel:
    """The consensus of the producers on one kind; voter_by_producer has each of them."""
    if chosen_rule.method is None:
        return ConsensusPanel(chosen_rule)
    try:
        weights_by_slug = parse_server_weights(chosen_rule.weights)
        weights = {
            producer: weights_by_slug.get(voter_by_producer[producer].slug, 1.0) for producer in annotations_by_producer
        }
        cuts = {producer: cut for producer in annotations_by_producer if (cut := voter_by_producer[producer].cut)}
        threshold = parse_threshold(chosen_rule.threshold)
        rule = make_consensus_rule(
            chosen_rule.method.id,
            threshold,
            spans=chosen_rule.spans,
            match=chosen_rule.match,
            weights=weights,
            cuts=cuts,
        )
    except ConsensusRuleError as error:
        return ConsensusPanel(chosen_rule, str(error))
    agreed = build_consensus(kind, annotations_by_producer, rule, entry_names.entries)
    reported = {
        entry_names.get_group_key(annotation)
        for annotations in annotations_by_producer.values()
        for annotation in annotations
    }
    rows = [_build_agreed_row(each, voter_by_producer, entry_names, article_text) for each in agreed[:MOST_SHOWN]]
    return ConsensusPanel(chosen_rule, "", len(agreed), len(reported), len(annotations_by_producer), rows)


def _build_agreed_row(
    agreed: AgreedAnnotation, voters: Mapping[int, ConsensusVoter], entry_names: EntryNames, article_text: str
) -> AgreedRow:
    annotation = agreed.annotation
    return AgreedRow(
        text=annotation.text,
        type=get_shown_type(annotation),
        mention=format_parts(annotation.parts),
        references=entry_names.list_references(annotation),
        relation=build_relation_row(annotation, article_text, entry_names),
        quote=annotation.text if annotation.kind == Kind.PASSAGE else "",
        count=len(agreed.producers),
        confidence=annotation.confidence,
        voters=[voters[producer].label for producer in agreed.producers],
    )
