"""Select the articles of the demo's corpora by a hash of the PMID, so that every start selects the same ones."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from annotations.formats.pubmed.reader import Citation, Deletion
from annotations.identifiers.tables.species import list_known_taxa_of_mesh_headings
from bcms.demo.gene_names import StrictGeneNames

CORPUS_SIZE = 300
POSITIVES = 61
RELEVANT_HEADING = "Protein Binding"
FEWEST_MENTIONS = 4
FEWEST_GENES = 2


@dataclass(frozen=True, slots=True)
class IndexedCitation:
    """An article with the organisms and the relevance that its MeSH headings state."""

    citation: Citation
    taxa: tuple[int, ...]
    relevant: bool


@dataclass(frozen=True, slots=True)
class CorpusSplit:
    """Two disjoint sets of articles with equal numbers of relevant ones, in the order of the hash."""

    training: Sequence[IndexedCitation]
    test: Sequence[IndexedCitation]


def _hash_pmid(pmid: int) -> str:
    return sha256(str(pmid).encode("ascii")).hexdigest()


def select_stratified_training_and_test_articles_by_hash(records: Iterable[Citation | Deletion]) -> CorpusSplit:
    """300 training and 300 test articles, 61 of each relevant: abstracts with a species among their headings.

    Raises ValueError when there are not enough.
    """
    labelled = sorted(_iter_indexed_citations(records), key=lambda article: _hash_pmid(article.citation.pmid))
    relevant = [article for article in labelled if article.relevant]
    others = [article for article in labelled if not article.relevant]
    if len(relevant) < 2 * POSITIVES or len(others) < 2 * (CORPUS_SIZE - POSITIVES):
        raise ValueError("The archive has too few indexed abstracts for the training and test articles.")
    return CorpusSplit(_select_part(relevant, others, 0), _select_part(relevant, others, 1))


def select_gene_rich_reading_pmids(records: Iterable[Citation | Deletion], gene_names: StrictGeneNames) -> list[int]:
    """The PMIDs of 300 articles with at least 4 mentions of at least 2 genes, in the order of the hash.

    Raises ValueError when there are not enough.
    """
    newest: dict[int, Citation] = {}
    for record in records:
        if isinstance(record, Citation) and record.abstract:
            known = newest.get(record.pmid)
            newest[record.pmid] = known if known and known.version > record.version else record
    suitable = [
        pmid for pmid, citation in newest.items() if has_enough_mentions_and_distinct_genes(citation.text, gene_names)
    ]
    if len(suitable) < CORPUS_SIZE:
        raise ValueError("The archive has too few abstracts about genes for the reading articles.")
    return sorted(suitable, key=_hash_pmid)[:CORPUS_SIZE]


def has_enough_mentions_and_distinct_genes(text: str, gene_names: StrictGeneNames) -> bool:
    mentioned = gene_names.list_mentioned_symbols(text)
    return len(mentioned) >= FEWEST_MENTIONS and len(set(mentioned)) >= FEWEST_GENES


def _iter_indexed_citations(records: Iterable[Citation | Deletion]) -> Iterable[IndexedCitation]:
    for record in records:
        if isinstance(record, Citation) and record.abstract and (taxa := list_known_taxa_of_mesh_headings(record.mesh)):
            yield IndexedCitation(record, tuple(taxa), RELEVANT_HEADING in record.mesh)


def _select_part(
    relevant: Sequence[IndexedCitation], others: Sequence[IndexedCitation], part: int
) -> list[IndexedCitation]:
    negatives = CORPUS_SIZE - POSITIVES
    chosen = [
        *relevant[part * POSITIVES : (part + 1) * POSITIVES],
        *others[part * negatives : (part + 1) * negatives],
    ]
    return sorted(chosen, key=lambda article: _hash_pmid(article.citation.pmid))
