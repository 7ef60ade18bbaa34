"""The scenarios in which a run of ranked lists can be scored; all its parts combine freely."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Order = Literal["rank", "confidence", "line"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """How a run of ranked lists is scored; the defaults are those of the profile bc3.

    order: what puts a list in order, by default the first of rank, confidence and line that the run has;
    cutoff_rank: how many items of each list count, None for all; min_confidence: a list ends at its first item below;
    answered_only: leave out documents for which the run has nothing after mapping and filters, before the cuts;
    homonyms: {gold accession: accessions of the same name in other organisms, which count as the gold one};
    organisms: {accession: taxon}, drops what is of no organism of the document's gold items;
    swissprot_gold: accessions, keeps only documents whose gold items are all among them;
    swissprot_results: accessions, drops every result that is not among them; beta: of F and FAP.
    """

    order: Order | None = None
    cutoff_rank: int | None = None
    min_confidence: float | None = None
    answered_only: bool = False
    homonyms: Mapping[str, Sequence[str]] | None = None
    organisms: Mapping[str, str] | None = None
    swissprot_gold: Collection[str] | None = None
    swissprot_results: Collection[str] | None = None
    beta: float = 1.0
