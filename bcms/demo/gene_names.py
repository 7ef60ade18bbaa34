"""How often an abstract speaks of human genes, judged strictly: to choose articles worth reading, not to annotate."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from annotations.registry.hgnc import Gene

STOP_LIST = Path(__file__).with_name("not_genes.txt")
WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*")
SHAPE = re.compile(r"[A-Z][A-Za-z0-9-]+[A-Z0-9]")
# Names of letters only that are no approved symbols and yet hardly mean anything but proteins.
FAMILIES = frozenset(
    {"AKT", "AMPK", "ERK", "FGFR", "HDAC", "IFN", "JNK", "NGAL", "PARP", "PDGFR", "PERK", "PPAR", "RANKL", "RANTES"}
    | {"TRAIL", "VEGF", "VEGFR"}
)


@cache
def stop_list() -> frozenset[str]:
    lines = STOP_LIST.read_text(encoding="ascii").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


class GeneNames:
    """Symbols, and aliases with a digit, of three characters or more, that name one gene and stand on no stop list."""

    def __init__(self, genes: Iterable[Gene]) -> None:
        owners: dict[str, str | None] = {}
        symbols = set()
        for gene in genes:
            symbols.add(gene.symbol)
            for name in gene.synonyms:
                owners[name] = gene.symbol if owners.setdefault(name, gene.symbol) == gene.symbol else None
        owners |= {symbol: symbol for symbol in symbols} | {family: family for family in FAMILIES}
        self.symbol = {
            name: owner
            for name, owner in owners.items()
            if owner and (name in symbols or name in FAMILIES or re.search("[0-9]", name)) and is_strict(name)
        }

    def mentioned(self, text: str) -> list[str]:
        """The symbols of the genes mentioned, once per mention. Of a compound (`EGFR-mutant`) the parts count too."""
        return [symbol for word in WORD.findall(text) for symbol in self._symbols(word)]

    def _symbols(self, word: str) -> list[str]:
        if whole := self.symbol.get(word):
            return [whole]
        return [self.symbol[part] for part in word.split("-") if part in self.symbol] if "-" in word else []


def is_strict(name: str) -> bool:
    return SHAPE.fullmatch(name) is not None and name not in stop_list()
