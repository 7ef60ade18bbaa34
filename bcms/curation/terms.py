"""The PSI-MI terms that a curator chooses from: roles, interaction types, and methods with the proposed ones first."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotations.curation.contents import read_annotation_content
from annotations.curation.models import Candidate, Curation
from annotations.curation.states import ItemKind, ItemState
from annotations.identifiers.psi_mi_terms import METHOD_BRANCH, PsiMiTerm, PsiMiTerms


@dataclass(frozen=True, slots=True)
class TermGroup:
    """Terms with a title."""

    title: str
    terms: Sequence[PsiMiTerm]


def list_branch_terms(terms: PsiMiTerms, branch: str) -> Sequence[PsiMiTerm]:
    """The terms of a branch by name."""
    return sorted(terms.list_terms_below(branch), key=lambda term: term.name)


def group_method_terms(curation: Curation, terms: PsiMiTerms) -> Sequence[TermGroup]:
    """The detection methods in two groups: those that were accepted or proposed for the article, and all."""
    likely = [term for each in _list_likely_methods(curation) if (term := terms.find_term(each))]
    groups = [TermGroup("In this article", likely)] if likely else []
    return [*groups, TermGroup("All methods", list_branch_terms(terms, METHOD_BRANCH))]


def _list_likely_methods(curation: Curation) -> list[str]:
    """Accepted methods, then proposed ones that were not rejected, the best first: 2 queries."""
    decided = curation.items.filter(kind=ItemKind.METHOD, superseded_by__isnull=True).order_by("pk")
    states = {read_annotation_content(each.content).identifier: each.state for each in decided}
    candidates = Candidate.objects.filter(candidate_list=curation.candidates_id, kind=ItemKind.METHOD)
    proposed = [
        read_annotation_content(each).identifier
        for each in candidates.order_by("position").values_list("content", flat=True)
    ]
    accepted = [term for term, state in states.items() if state == ItemState.ACCEPTED]
    return list(dict.fromkeys([*accepted, *(term for term in proposed if term not in states)]))
