"""Which articles the demo's corpora hold: chosen by a hash of the PMID, so that every start chooses the same ones."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from annotations.formats.pubmed import Citation, Deletion
from annotations.registry.taxonomy import taxa_of_headings
from bcms.demo.gene_names import GeneNames

SIZE = 300
POSITIVES = 61
RELEVANT_HEADING = "Protein Binding"
FEWEST_MENTIONS = 4
FEWEST_GENES = 2


@dataclass(frozen=True, slots=True)
class Labelled:
    """An article with what the indexers' headings say of it."""

    citation: Citation
    taxa: tuple[int, ...]
    relevant: bool


@dataclass(frozen=True, slots=True)
class Halves:
    """Two sets that share no article, each with the same number of relevant ones, in the order of the hash."""

    training: Sequence[Labelled]
    test: Sequence[Labelled]


def by_hash(pmid: int) -> str:
    return sha256(str(pmid).encode("ascii")).hexdigest()


def cut_halves(records: Iterable[Citation | Deletion]) -> Halves:
    """Training and test articles: abstracts with a heading of a species, 300 and 300, 61 and 61 of them relevant.

    ValueError when there are not enough.
    """
    labelled = sorted(_labelled(records), key=lambda article: by_hash(article.citation.pmid))
    relevant = [article for article in labelled if article.relevant]
    others = [article for article in labelled if not article.relevant]
    if len(relevant) < 2 * POSITIVES or len(others) < 2 * (SIZE - POSITIVES):
        raise ValueError("The archive holds too few indexed abstracts to cut the training and test articles from.")
    return Halves(_part(relevant, others, 0), _part(relevant, others, 1))


def cut_reading(records: Iterable[Citation | Deletion], names: GeneNames) -> list[int]:
    """PMIDs of 300 articles that speak of genes, in the order of the hash: 4 mentions of 2 genes or more."""
    newest: dict[int, Citation] = {}
    for record in records:
        if isinstance(record, Citation) and record.abstract:
            before = newest.get(record.pmid)
            newest[record.pmid] = before if before and before.version > record.version else record
    worth = [pmid for pmid, citation in newest.items() if speaks_of_genes(citation.text, names)]
    if len(worth) < SIZE:
        raise ValueError("The archive holds too few abstracts that speak of genes to cut the reading articles from.")
    return sorted(worth, key=by_hash)[:SIZE]


def speaks_of_genes(text: str, names: GeneNames) -> bool:
    mentioned = names.mentioned(text)
    return len(mentioned) >= FEWEST_MENTIONS and len(set(mentioned)) >= FEWEST_GENES


def _labelled(records: Iterable[Citation | Deletion]) -> Iterable[Labelled]:
    for record in records:
        if isinstance(record, Citation) and record.abstract and (taxa := taxa_of_headings(record.mesh)):
            yield Labelled(record, tuple(taxa), RELEVANT_HEADING in record.mesh)


def _part(relevant: Sequence[Labelled], others: Sequence[Labelled], which: int) -> list[Labelled]:
    negatives = SIZE - POSITIVES
    chosen = [
        *relevant[which * POSITIVES : (which + 1) * POSITIVES],
        *others[which * negatives : (which + 1) * negatives],
    ]
    return sorted(chosen, key=lambda article: by_hash(article.citation.pmid))
