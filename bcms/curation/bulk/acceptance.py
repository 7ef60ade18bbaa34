"""Accept everything in a curation on which producers agree by a rule, as one decision that is undone as one."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from annotations.curation.contents import read_annotation_content
from annotations.curation.decisions import MOST_ITEMS_AT_ONCE, DecisionInput, ItemProposal, store_decision
from annotations.curation.errors import CurationError
from annotations.curation.models import Candidate, Curation, DecidedItem, Decision
from annotations.curation.states import DecisionAction, ItemKind, ItemState
from annotations.results.consensus.methods import CONSENSUS_METHODS, ConsensusRuleError, make_consensus_rule
from bcms.curation.proposals import ProposalRecipe, load_or_build_candidate_list
from bcms.curation_projects.recipes import find_recipe_of_curation


@dataclass(frozen=True, slots=True)
class AcceptanceRule:
    """Which candidates are accepted: those of these kinds that the consensus method keeps at its threshold."""

    method: str
    threshold: float | None
    kinds: Collection[ItemKind]

    def describe(self) -> str:
        """The rule as the decision records it."""
        threshold = "" if self.threshold is None else f" {self.threshold:g}"
        return f"{CONSENSUS_METHODS[self.method].name}{threshold}: {', '.join(sorted(self.kinds))}"


def accept_consensus(
    curation: Curation, rule: AcceptanceRule, seen: int, token: str, user_id: int, now: datetime
) -> Decision:
    """Accept what the rule proposes and nobody has decided on; with organisms chosen, only genes and proteins of them.

    seen, token: as in DecisionInput. CurationError for an invalid rule, if there is nothing to accept or too much, if
    nothing is proposed in the project of the curation, and for the reasons of store_decision.
    """
    recipe = _build_recipe(curation, rule)
    candidates = load_or_build_candidate_list(curation.article, recipe)
    items = list(_iter_undecided_items(curation, candidates.pk, rule.kinds))
    given = DecisionInput(DecisionAction.ACCEPT, seen, token, user_id, rule.describe(), items, candidates.pk)
    if not items and not curation.decisions.filter(token=token).exists():
        raise CurationError(
            "The rule proposes nothing that is not decided yet. Choose other kinds or a lower threshold."
        )
    if len(items) > MOST_ITEMS_AT_ONCE:
        raise CurationError(
            f"The rule proposes {len(items):,} items, and at most {MOST_ITEMS_AT_ONCE:,} are accepted at once. "
            "Choose fewer kinds, or a higher threshold."
        )
    return store_decision(curation.pk, given, now)


def _build_recipe(curation: Curation, rule: AcceptanceRule) -> ProposalRecipe:
    if not rule.kinds:
        raise CurationError("Choose at least one kind.", "kinds")
    try:
        make_consensus_rule(rule.method, rule.threshold)
    except ConsensusRuleError as error:
        raise CurationError(str(error), error.parameter) from error
    recipe = find_recipe_of_curation(curation)
    if recipe is None:
        raise CurationError("You curate this article without what annotation servers propose.")
    return replace(recipe, method=rule.method, threshold=rule.threshold)


def _iter_undecided_items(
    curation: Curation, candidate_list: int, kinds: Collection[ItemKind]
) -> Iterator[ItemProposal]:
    decided = DecidedItem.objects.filter(curation=curation, superseded_by__isnull=True)
    known = set(decided.values_list("kind", "key"))
    organisms = decided.filter(kind=ItemKind.ORGANISM, state=ItemState.ACCEPTED).values_list("content", flat=True)
    chosen = {read_annotation_content(content).identifier for content in organisms}
    rows = Candidate.objects.filter(candidate_list=candidate_list, kind__in=kinds).order_by("kind", "position")
    for candidate in rows:
        if (candidate.kind, candidate.key) not in known and not _has_other_organism(candidate, chosen):
            yield ItemProposal(ItemKind(candidate.kind), candidate.key, candidate.content, candidate.producers)


def _has_other_organism(candidate: Candidate, chosen: Collection[str]) -> bool:
    if not chosen or candidate.kind != ItemKind.ENTITY:
        return False
    taxon = read_annotation_content(candidate.content).taxon
    return taxon is not None and str(taxon) not in chosen
