"""What annotated text says of whole documents, as runs and gold standards say it: identifiers, pairs and classes.

No such file carries a confidence. The identifiers of a document are ranked by how many mentions have them, then by
where the first of these stands; pairs and classes stay in the order of the file.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from annotations.databases import DATABASES
from annotations.formats.identifiers import identifiers_of
from annotations.formats.mention_tables import Mention, Mentions
from annotations.formats.runs_tsv import Table
from annotations.formats.tsv_columns import Named

# What files call genes and their products, and organisms, without case and punctuation.
GENE_TYPES = frozenset(
    {"gene", "protein", "geneorgeneproduct", "geneprotein", "genegeneproduct", "ncbigene", "generif", "stargene"}
)
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


def mentions_of(own: Mentions, types: frozenset[str]) -> list[Mention]:
    """The mentions of these types."""
    known = {kind for kind in {mention.type for mention in own.mentions} if counts_as(kind, types)}
    return [mention for mention in own.mentions if mention.type in known]


def identifiers_in(own: Mentions, counted: Counted) -> Found:
    """The ranked lists of identifiers."""
    mentions = mentions_of(own, counted.types)
    lists = listed(own.documents, mentions, counted)
    named = sum(any(map(counted.fits, mention.identifiers)) for mention in mentions)
    if not mentions:
        kinds = ", ".join(sorted({mention.type or "no type" for mention in own.mentions})) or "none"
        return Found(table_of(own, lists), f"no mention is of a type for {counted.what}; types of mentions: {kinds}")
    types = ", ".join(sorted({mention.type for mention in mentions}))
    said = f"mentions of {types}: {len(mentions):,}, of these with an {counted.identifier}: {named:,}"
    return Found(table_of(own, lists), said)


def listed(documents: Sequence[str], mentions: Iterable[Mention], counted: Counted) -> list[list[str]]:
    """[documents][identifiers]: the list of each document, best first."""
    number: dict[str, dict[str, int]] = {name: {} for name in documents}
    first: dict[tuple[str, str], int] = {}
    for mention in mentions:
        own = number[mention.document]
        for name in filter(counted.fits, mention.identifiers):
            own[name] = own.get(name, 0) + 1
            place = (mention.document, name)
            first[place] = min(mention.start, first.get(place, mention.start))
    return [sorted(own, key=lambda name: (-own[name], first[document, name])) for document, own in number.items()]


def pairs_of(own: Mentions) -> Found:
    """The protein-protein interactions, each pair of a document once."""
    lists: dict[str, dict[tuple[str, str], None]] = {name: {} for name in own.documents}
    for pair in own.pairs:
        if pair.interacts:
            for a, b in product(identifiers_of(pair.a), identifiers_of(pair.b)):
                lists[pair.document].setdefault((min(a, b), max(a, b)))
    table = table_of(own, [list(pairs) for pairs in lists.values()])
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


def table_of(own: Mentions, lists: Sequence[Sequence[str | tuple[str, str]]]) -> Table:
    """[documents][items] as a table with ranks."""
    items = {item: number for number, item in enumerate(dict.fromkeys(item for one in lists for item in one))}
    lengths = [len(one) for one in lists]
    return Table(
        Named(own.documents, np.repeat(np.arange(len(lists)), lengths)),
        Named(list(items), np.array([items[item] for one in lists for item in one], dtype=np.int64)),
        rank=np.array([rank for length in lengths for rank in range(1, length + 1)], dtype=np.int64),
        warnings=own.warnings,
    )
