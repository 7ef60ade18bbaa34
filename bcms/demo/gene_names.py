"""Count mentions of human genes strictly, to select suitable articles for the demo; not meant for annotation."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from annotations.identifiers.tables.hgnc import HgncGene

STOP_LIST = Path(__file__).with_name("not_genes.txt")
WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*")
SHAPE = re.compile(r"[A-Z][A-Za-z0-9-]+[A-Z0-9]")
# Names without digits that are not approved symbols, but are unambiguous names of proteins.
FAMILIES = frozenset(
    {"AKT", "AMPK", "ERK", "FGFR", "HDAC", "IFN", "JNK", "NGAL", "PARP", "PDGFR", "PERK", "PPAR", "RANKL", "RANTES"}
    | {"TRAIL", "VEGF", "VEGFR"}
)


@cache
def _read_stop_list() -> frozenset[str]:
    lines = STOP_LIST.read_text(encoding="ascii").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


class StrictGeneNames:
    """Unambiguous symbols, and aliases with a digit, of at least three characters, that are not on the stop list."""

    def __init__(self, genes: Iterable[HgncGene]) -> None:
        owners: dict[str, str | None] = {}
        symbols = set()
        for gene in genes:
            symbols.add(gene.symbol)
            for name in gene.synonyms:
                owners[name] = gene.symbol if owners.setdefault(name, gene.symbol) == gene.symbol else None
        owners |= {symbol: symbol for symbol in symbols} | {family: family for family in FAMILIES}
        self.symbol_by_name = {
            name: owner
            for name, owner in owners.items()
            if owner
            and (name in symbols or name in FAMILIES or re.search("[0-9]", name))
            and _is_strict_gene_name(name)
        }

    def list_mentioned_symbols(self, text: str) -> list[str]:
        """The symbol of each gene mention; the parts of a compound (`EGFR-mutant`) count as well."""
        return [symbol for word in WORD.findall(text) for symbol in self._list_word_symbols(word)]

    def _list_word_symbols(self, word: str) -> list[str]:
        if symbol := self.symbol_by_name.get(word):
            return [symbol]
        return (
            [self.symbol_by_name[part] for part in word.split("-") if part in self.symbol_by_name]
            if "-" in word
            else []
        )


def _is_strict_gene_name(name: str) -> bool:
    return SHAPE.fullmatch(name) is not None and name not in _read_stop_list()
