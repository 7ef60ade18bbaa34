"""Results of whole documents in annotated text, as in runs and gold standards: identifiers, pairs and classes.

These formats have no confidences. The identifiers of a document are ranked by their number of mentions, then by the
position of the first; pairs and classes stay in the order of the file.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from annotations.entity_types import GENE_TYPES, SPECIES_TYPES, matches_type_ignoring_case_and_punctuation
from annotations.formats.annotated_text.identifier_fields import split_distinct_identifiers_without_prefix
from annotations.formats.annotated_text.mentions import AnnotatedTextFile, TextMention
from annotations.formats.errors import FormatError
from annotations.formats.gene_eval.reader import MentionSpan
from annotations.formats.tsv.columns import NameColumn
from annotations.formats.tsv.result_table import DocumentResults, ResultTable
from annotations.identifiers.namespaces import NAMESPACES

# The type of mentions that a gold standard accepts in place of genes.
ALTERNATIVE_TYPE, ALTERNATIVE_TYPES = "Alternative", frozenset({"alternative"})
NO_GENE_MENTION = "there are no mentions of genes - use the types Gene or Protein"


@dataclass(frozen=True, slots=True)
class CountedMentions:
    """The mention types and identifiers that count for a task; label, identifier: what these are called in notes."""

    label: str
    types: frozenset[str]
    identifier: str = "an identifier"
    fits: Callable[[str], object] = bool


# Interactors are proteins, so only UniProt accessions count.
COUNTED_MENTIONS_BY_TASK: Mapping[str, CountedMentions] = {
    "gn": CountedMentions("genes", GENE_TYPES),
    "int": CountedMentions("proteins", GENE_TYPES, "a UniProt accession", NAMESPACES["uniprot"].pattern.fullmatch),
    "tx": CountedMentions("organisms", SPECIES_TYPES),
}
# The tasks for which annotated text has results.
TEXT_TASKS = (*COUNTED_MENTIONS_BY_TASK, "ipt", "act")


def collect_document_results(text_file: AnnotatedTextFile, task: str) -> DocumentResults:
    """The results of the file for one of TEXT_TASKS. Documents without results are among the articles of the table.

    A gold standard ignores the ranks of the table. ValueError for another task.
    """
    if task == "act":
        return _collect_document_classes(text_file)
    if task == "ipt":
        return _collect_interacting_pairs(text_file)
    if task == "int" and text_file.pairs and not text_file.mentions:
        return _list_interactors(text_file, COUNTED_MENTIONS_BY_TASK[task])
    if task in COUNTED_MENTIONS_BY_TASK:
        return _rank_document_identifiers(text_file, COUNTED_MENTIONS_BY_TASK[task])
    raise ValueError(f"Annotated text has no results for the task {task}; it has results for {', '.join(TEXT_TASKS)}.")


def iter_mentions_with_types(text_file: AnnotatedTextFile, normalized_types: frozenset[str]) -> Iterator[TextMention]:
    """The mentions of these types, without the parts of composite mentions."""
    matches: dict[str, bool] = {}
    for place, mention in enumerate(text_file.mentions):
        if place in text_file.individual_mentions:
            continue
        if mention.type not in matches:
            matches[mention.type] = matches_type_ignoring_case_and_punctuation(mention.type, normalized_types)
        if matches[mention.type]:
            yield mention


def build_distinct_gene_span_table(text_file: AnnotatedTextFile) -> ResultTable:
    """The distinct spans of genes as items; documents without genes are among the articles of the table."""
    document_numbers = {name: number for number, name in enumerate(text_file.documents)}
    rows = {
        (document_numbers[m.document], MentionSpan(m.start, m.end)): None
        for m in iter_mentions_with_types(text_file, GENE_TYPES)
    }
    span_numbers = {name: number for number, name in enumerate(dict.fromkeys(name for _, name in rows))}
    return ResultTable(
        NameColumn(text_file.documents, np.array([number for number, _ in rows], dtype=np.int64)),
        NameColumn(list(span_numbers), np.array([span_numbers[name] for _, name in rows], dtype=np.int64)),
        warnings=text_file.warnings,
    )


def _rank_document_identifiers(text_file: AnnotatedTextFile, counted: CountedMentions) -> DocumentResults:
    """The identifiers of each document, ranked."""
    type_counts: Counter[str] = Counter()
    identified_count = 0
    rows = IdentifierRows(text_file.documents)
    for mention in iter_mentions_with_types(text_file, counted.types):
        type_counts[mention.type] += 1
        identified_count += rows.add(mention, counted.fits)
    table = rows.build_table(text_file.warnings)
    if not type_counts:
        types_in_file = ", ".join(sorted({mention.type or "no type" for mention in text_file.mentions})) or "none"
        return DocumentResults(table, f"no mention has a type for {counted.label}; types of mentions: {types_in_file}")
    mentions = f"mentions of {', '.join(sorted(type_counts))}: {type_counts.total():,}"
    note = f"{mentions}, of these with {counted.identifier}: {identified_count:,}"
    return DocumentResults(table, note)


def _list_interactors(text_file: AnnotatedTextFile, counted: CountedMentions) -> DocumentResults:
    """The identifiers in the pairs of a file without mentions, such as PSI-MITAB, in the order of the file."""
    rows = IdentifierRows(text_file.documents)
    for pair in text_file.pairs:
        if pair.interacts:
            identifiers = split_distinct_identifiers_without_prefix(f"{pair.a},{pair.b}")
            rows.add(TextMention(pair.document, 0, 0, "", "", tuple(identifiers), pair.line), counted.fits)
    table = rows.build_table(text_file.warnings)
    return DocumentResults(table, f"no mentions; interactors of the pairs, with {counted.identifier}: {len(table):,}")


class IdentifierRows:
    """One row for each identifier of each mention: document, identifier, and start of the mention."""

    def __init__(self, documents: Sequence[str]) -> None:
        self.documents = documents
        self.numbers = {name: number for number, name in enumerate(documents)}
        self.identifiers: dict[str, int] = {}
        self.document, self.item, self.start = array("q"), array("q"), array("q")

    def add(self, mention: TextMention, fits: Callable[[str], object]) -> bool:
        """Add the identifiers that fit; returns whether there are any."""
        rows_before = len(self.item)
        for name in filter(fits, mention.identifiers):
            self.document.append(self.numbers[mention.document])
            self.item.append(self.identifiers.setdefault(name, len(self.identifiers)))
            self.start.append(mention.start)
        return len(self.item) > rows_before

    def build_table(self, warnings: Sequence[FormatError]) -> ResultTable:
        """Each identifier of a document once, ranked by number of mentions, first position, and order in the file."""
        document, item, start = (np.array(part, dtype=np.int64) for part in (self.document, self.item, self.start))
        keys = document * max(len(self.identifiers), 1) + item
        _, first, groups, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        first_starts = np.full(len(first), np.iinfo(np.int64).max)
        np.minimum.at(first_starts, groups, start)
        order = np.lexsort((first, first_starts, -counts, document[first]))
        ranked_documents = document[first][order]
        return ResultTable(
            NameColumn(self.documents, ranked_documents),
            NameColumn(list(self.identifiers), item[first][order]),
            rank=np.arange(len(ranked_documents)) - np.searchsorted(ranked_documents, ranked_documents) + 1,
            warnings=warnings,
        )


def _collect_interacting_pairs(text_file: AnnotatedTextFile) -> DocumentResults:
    """The protein-protein interactions of each document, each pair once."""
    pairs_by_document: dict[str, dict[tuple[str, str], None]] = {name: {} for name in text_file.documents}
    for pair in text_file.pairs:
        if pair.interacts:
            for a, b in product(
                split_distinct_identifiers_without_prefix(pair.a), split_distinct_identifiers_without_prefix(pair.b)
            ):
                pairs_by_document[pair.document].setdefault((min(a, b), max(a, b)))
    table = _build_pair_table(text_file, list(pairs_by_document.values()))
    other_types = ", ".join(sorted({pair.relation for pair in text_file.pairs if not pair.interacts}))
    others = f"; relations of other types do not count: {other_types}" if other_types else ""
    return DocumentResults(table, f"protein-protein interactions (PPI, PPIm): {len(table):,}{others}")


def _collect_document_classes(text_file: AnnotatedTextFile) -> DocumentResults:
    """The classes of the documents that have one."""
    labels = list(text_file.relevant.items())
    article = NameColumn([name for name, _ in labels], np.arange(len(labels)))
    relevant = np.array([label for _, label in labels], dtype=np.bool_)
    unlabelled_count = len(text_file.documents) - len(labels)
    note = f"documents with a class: {len(labels):,}, without: {unlabelled_count:,}"
    return DocumentResults(ResultTable(article, relevant=relevant, warnings=text_file.warnings), note)


def _build_pair_table(text_file: AnnotatedTextFile, lists: Sequence[Collection[tuple[str, str]]]) -> ResultTable:
    """The pairs of each document, [documents][pairs], as a table with ranks."""
    items = {item: number for number, item in enumerate(dict.fromkeys(item for pairs in lists for item in pairs))}
    lengths = [len(pairs) for pairs in lists]
    return ResultTable(
        NameColumn(text_file.documents, np.repeat(np.arange(len(lists)), lengths)),
        NameColumn(list(items), np.array([items[item] for pairs in lists for item in pairs], dtype=np.int64)),
        rank=np.array([rank for length in lengths for rank in range(1, length + 1)], dtype=np.int64),
        warnings=text_file.warnings,
    )
