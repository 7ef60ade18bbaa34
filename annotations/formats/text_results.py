"""What annotated text says of whole documents, as runs and gold standards say it: identifiers, pairs and classes.

No such file carries a confidence. The identifiers of a document are ranked by how many mentions have them, then by
where the first of these stands; pairs and classes stay in the order of the file.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from annotations.databases import DATABASES
from annotations.formats.errors import FormatError
from annotations.formats.gene_eval import Place
from annotations.formats.identifiers import identifiers_of
from annotations.formats.mentions import Mention, Mentions
from annotations.formats.runs_tsv import Table
from annotations.formats.tsv_columns import Named

# What files call genes and their products, and organisms, without case and punctuation.
GENE_TYPES = frozenset(
    {"gene", "protein", "geneorgeneproduct", "geneprotein", "genegeneproduct", "ncbigene", "generif", "stargene"}
)
# What is accepted in place of genes, in a gold standard.
ALTERNATIVE, ALTERNATIVE_TYPES = "Alternative", frozenset({"alternative"})
NO_GENE = "no mention is of a gene - use the types Gene or Protein"
SPECIES_TYPES = frozenset({"species", "organism", "organismtaxon", "taxon", "ncbitaxon", "ncbitaxonomy"})


@dataclass(frozen=True, slots=True)
class Counted:
    """Which mentions count for a task, by type, and which of their identifiers; what, identifier: how to call these."""

    what: str
    types: frozenset[str]
    identifier: str = "identifier"
    fits: Callable[[str], object] = bool


# Interactors are proteins, so that only accessions of UniProt count.
COUNTED: Mapping[str, Counted] = {
    "gn": Counted("genes", GENE_TYPES),
    "int": Counted("proteins", GENE_TYPES, "accession of UniProt", DATABASES["uniprot"].pattern.fullmatch),
    "tx": Counted("organisms", SPECIES_TYPES),
}
# The tasks for which annotated text has results.
TEXT_TASKS = (*COUNTED, "ipt", "act")


@dataclass(frozen=True, slots=True)
class Found:
    """A run or a gold standard that was read; note: how it was taken, empty where there is nothing to say."""

    table: Table
    note: str


def results_of(own: Mentions, task: str) -> Found:
    """What the file says for one of TEXT_TASKS; documents of which it says nothing are known to the table, too.

    The ranks are those of a run; a gold standard has no use for them. ValueError for another task.
    """
    if task == "act":
        return classes_of(own)
    if task == "ipt":
        return pairs_of(own)
    if task in COUNTED:
        return identifiers_in(own, COUNTED[task])
    raise ValueError(f"Annotated text has no results for the task {task}; it has some for {', '.join(TEXT_TASKS)}.")


def counts_as(kind: str, types: frozenset[str]) -> bool:
    """Whether a type is one of these, without regard to case and punctuation."""
    return "".join(filter(str.isalnum, kind.lower())) in types


def mentions_of(own: Mentions, types: frozenset[str]) -> Iterator[Mention]:
    """The mentions of these types."""
    counts: dict[str, bool] = {}
    for mention in own.mentions:
        if mention.type not in counts:
            counts[mention.type] = counts_as(mention.type, types)
        if counts[mention.type]:
            yield mention


def places_of_genes(own: Mentions) -> Table:
    """The distinct places of genes, items are Places; documents without one are known to the table, too."""
    document = {name: number for number, name in enumerate(own.documents)}
    rows = {(document[m.document], Place(m.start, m.end)): None for m in mentions_of(own, GENE_TYPES)}
    place = {name: number for number, name in enumerate(dict.fromkeys(name for _, name in rows))}
    return Table(
        Named(own.documents, np.array([number for number, _ in rows], dtype=np.int64)),
        Named(list(place), np.array([place[name] for _, name in rows], dtype=np.int64)),
        warnings=own.warnings,
    )


def identifiers_in(own: Mentions, counted: Counted) -> Found:
    """The ranked lists of identifiers."""
    types: Counter[str] = Counter()
    named = 0
    rows = Rows(own.documents)
    for mention in mentions_of(own, counted.types):
        types[mention.type] += 1
        named += rows.add(mention, counted.fits)
    table = rows.table(own.warnings)
    if not types:
        kinds = ", ".join(sorted({mention.type or "no type" for mention in own.mentions})) or "none"
        return Found(table, f"no mention is of a type for {counted.what}; types of mentions: {kinds}")
    said = (
        f"mentions of {', '.join(sorted(types))}: {types.total():,}, of these with an {counted.identifier}: {named:,}"
    )
    return Found(table, said)


class Rows:
    """Who mentions what and where: a row for each identifier of each mention."""

    def __init__(self, documents: Sequence[str]) -> None:
        self.documents = documents
        self.numbers = {name: number for number, name in enumerate(documents)}
        self.identifiers: dict[str, int] = {}
        self.document, self.item, self.start = array("q"), array("q"), array("q")

    def add(self, mention: Mention, fits: Callable[[str], object]) -> bool:
        """Whether one of its identifiers fits; only these count."""
        rows = len(self.item)
        for name in filter(fits, mention.identifiers):
            self.document.append(self.numbers[mention.document])
            self.item.append(self.identifiers.setdefault(name, len(self.identifiers)))
            self.start.append(mention.start)
        return len(self.item) > rows

    def table(self, warnings: Sequence[FormatError]) -> Table:
        """Each identifier of a document once, by number of mentions, then first position, then first in the file."""
        document, item, start = (np.array(part, dtype=np.int64) for part in (self.document, self.item, self.start))
        keys = document * max(len(self.identifiers), 1) + item
        _, first, own, times = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        place = np.full(len(first), np.iinfo(np.int64).max)
        np.minimum.at(place, own, start)
        order = np.lexsort((first, place, -times, document[first]))
        listed = document[first][order]
        return Table(
            Named(self.documents, listed),
            Named(list(self.identifiers), item[first][order]),
            rank=np.arange(len(listed)) - np.searchsorted(listed, listed) + 1,
            warnings=warnings,
        )


def pairs_of(own: Mentions) -> Found:
    """The protein-protein interactions, each pair of a document once."""
    lists: dict[str, dict[tuple[str, str], None]] = {name: {} for name in own.documents}
    for pair in own.pairs:
        if pair.interacts:
            for a, b in product(identifiers_of(pair.a), identifiers_of(pair.b)):
                lists[pair.document].setdefault((min(a, b), max(a, b)))
    table = table_of(own, list(lists.values()))
    kinds = ", ".join(sorted({pair.relation for pair in own.pairs if not pair.interacts}))
    others = f"; relations of other types do not count: {kinds}" if kinds else ""
    return Found(table, f"protein-protein interactions (PPI, PPIm): {len(table):,}{others}")


def classes_of(own: Mentions) -> Found:
    """The documents that say whether they are relevant."""
    labels = list(own.relevant.items())
    article = Named([name for name, _ in labels], np.arange(len(labels)))
    relevant = np.array([label for _, label in labels], dtype=np.bool_)
    unlabelled = len(own.documents) - len(labels)
    said = f"documents with a class: {len(labels):,}, without: {unlabelled:,}"
    return Found(Table(article, relevant=relevant, warnings=own.warnings), said)


def table_of(own: Mentions, lists: Sequence[Collection[tuple[str, str]]]) -> Table:
    """[documents][pairs] as a table with ranks."""
    items = {item: number for number, item in enumerate(dict.fromkeys(item for one in lists for item in one))}
    lengths = [len(one) for one in lists]
    return Table(
        Named(own.documents, np.repeat(np.arange(len(lists)), lengths)),
        Named(list(items), np.array([items[item] for one in lists for item in one], dtype=np.int64)),
        rank=np.array([rank for length in lengths for rank in range(1, length + 1)], dtype=np.int64),
        warnings=own.warnings,
    )
