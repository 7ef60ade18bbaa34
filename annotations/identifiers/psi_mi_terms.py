"""The PSI-MI terms that curation needs: names, synonyms, and the branches of the ontology that they are in.

The table psi_mi_terms.tsv, which is written by tools/make_psi_mi_terms.py, is read when a term is needed first. A site
that has the ontology itself uses that: find_psi_mi_terms in annotations/identifiers/queries.py.
Source: https://github.com/HUPO-PSI/psi-mi-CV (CC BY 4.0)
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

PSI_MI_NAMESPACE = "psi-mi"
PSI_MI_TABLE = Path(__file__).with_name("psi_mi_terms.tsv")
METHOD_BRANCH, TYPE_BRANCH, INTERACTOR_BRANCH = "MI:0001", "MI:0190", "MI:0313"
EXPERIMENTAL_ROLE_BRANCH, BIOLOGICAL_ROLE_BRANCH = "MI:0495", "MI:0500"
# Enzymatic reactions: an enzyme acts on its substrate. Participants of other types of interactions have equal parts.
DIRECTED_TYPE_BRANCH = "MI:0414"
PSI_MI_BRANCHES = (
    *(METHOD_BRANCH, TYPE_BRANCH, INTERACTOR_BRANCH),
    *(EXPERIMENTAL_ROLE_BRANCH, BIOLOGICAL_ROLE_BRANCH),
)
NAME_SEPARATORS = re.compile(r"[\s_-]+")


class PsiMiTerm(NamedTuple):
    """A term that is not obsolete. parents: the ids of the terms that it is a kind of; a term may have several."""

    id: str
    name: str
    synonyms: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()


class PsiMiTerms:
    """Terms with their branches. A branch is named by its root, and a term is in it if it is below the root."""

    def __init__(self, terms: Iterable[PsiMiTerm]) -> None:
        self._terms = {term.id: term for term in terms}
        self._ancestors: dict[str, frozenset[str]] = {}

    def __len__(self) -> int:
        return len(self._terms)

    def __iter__(self) -> Iterator[PsiMiTerm]:
        return iter(self._terms.values())

    def find_term(self, term_id: str) -> PsiMiTerm | None:
        """The term with an id such as "MI:0018", None if there is none."""
        return self._terms.get(term_id)

    def get_name(self, term_id: str) -> str:
        """The name of a term, or its id if it is unknown."""
        term = self._terms.get(term_id)
        return term.name if term else term_id

    def is_below(self, term_id: str, root: str) -> bool:
        """Whether a term is in the branch of a root, which is not in its own branch."""
        return root in self._list_ancestors(term_id)

    def has_direction(self, interaction_type: str) -> bool:
        """Whether one participant of such an interaction acts on the others; False for "" and unknown types."""
        return interaction_type == DIRECTED_TYPE_BRANCH or self.is_below(interaction_type, DIRECTED_TYPE_BRANCH)

    def list_branches(self, term_id: str) -> list[str]:
        """The roots of PSI_MI_BRANCHES that the term is below."""
        return [root for root in PSI_MI_BRANCHES if self.is_below(term_id, root)]

    def list_terms_below(self, root: str) -> list[PsiMiTerm]:
        """The terms of the branch of a root, by name."""
        below = (term for term in self if self.is_below(term.id, root))
        return sorted(below, key=lambda term: (term.name.lower(), term.id))

    def list_terms_named(self, name: str, root: str = "") -> list[PsiMiTerm]:
        """The terms with a name or, after these, a synonym; case, spaces, dashes and underscores do not count.

        root: the branch that they are in, "" for all.
        """
        folded = fold_term_name(name)
        found = [(folded != names[0], term) for names, term in self._folded_names if folded in names]
        return [term for _, term in sorted(found) if not root or self.is_below(term.id, root)]

    def suggest_terms(self, text: str, root: str = "", most: int = 20) -> list[PsiMiTerm]:
        """At most so many terms with the text in a name, a synonym or their id, the best first; none for no text.

        Best are terms with exactly this name, then those with a name or synonym that begins with it, those with a word
        that does, and all others; names count more than synonyms, and short names more than long ones. root: the branch
        that they are in, "" for all.
        """
        folded = fold_term_name(text)
        if not folded:
            return []
        ranked = [
            (rank, len(term.name), term.name, term)
            for names, term in self._folded_names
            if (rank := _rank_names(names, folded)) is not None and (not root or self.is_below(term.id, root))
        ]
        return [term for *_, term in sorted(ranked)[:most]]

    @cached_property
    def _folded_names(self) -> list[tuple[list[str], PsiMiTerm]]:
        """The name, the id and the synonyms of each term."""
        return [([fold_term_name(name) for name in (term.name, term.id, *term.synonyms)], term) for term in self]

    def _list_ancestors(self, term_id: str) -> frozenset[str]:
        if term_id not in self._ancestors:
            # A term of a circle, which no released ontology has, ends the recursion.
            self._ancestors[term_id] = frozenset()
            parents = self._terms[term_id].parents if term_id in self._terms else ()
            self._ancestors[term_id] = frozenset(parents).union(*map(self._list_ancestors, parents))
        return self._ancestors[term_id]


def fold_term_name(name: str) -> str:
    """The name in lower case, with one space for spaces, dashes and underscores."""
    return NAME_SEPARATORS.sub(" ", name).strip().lower()


def _rank_names(folded_names: list[str], folded: str) -> tuple[int, bool] | None:
    """How well the best of a term's names fits, smaller is better, and whether it is a synonym; None if none does."""
    ranks = [(_rank_name(name, folded), position > 0) for position, name in enumerate(folded_names) if folded in name]
    return min(ranks, default=None)


def _rank_name(name: str, folded: str) -> int:
    if name.startswith(folded):
        return int(name != folded)
    return 2 if f" {folded}" in name else 3


@cache
def load_shipped_psi_mi_terms() -> PsiMiTerms:
    """The terms of psi_mi_terms.tsv."""
    with PSI_MI_TABLE.open(encoding="utf-8") as lines:
        next(lines)
        rows = [line.rstrip("\n").split("\t") for line in lines]
    return PsiMiTerms(
        PsiMiTerm(id, name, _split_cell(names), _split_cell(parents)) for id, name, names, parents in rows
    )


def _split_cell(cell: str) -> tuple[str, ...]:
    return tuple(cell.split("|")) if cell else ()
