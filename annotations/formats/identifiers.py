"""Identifiers as annotated text writes them: several in one field, with or without the name of their database."""

import re
from functools import lru_cache

SEPARATORS = re.compile(r"[,;|]")
# GNormPlus writes the taxon behind a gene: 10434(Tax:9606).
TAXON_MARK = re.compile(r"\(tax:\d*\)", re.IGNORECASE)
# These say what the type of the mention says already; others, such as MESH:, are part of the identifier.
PREFIX = re.compile(
    r"(?:ncbi[ _-]?)?(?:(?:entrez[ _-]?)?gene(?:[ _-]?id)?|entrez(?:[ _-]?id)?|tax(?:on(?:omy)?)?(?:[ _-]?id)?)\s*:\s*"
    r"|(?:species|protein|uniprot(?:kb)?|swiss-?prot)\s*:\s*",
    re.IGNORECASE,
)
NONE = frozenset({"", "-", "-1"})


@lru_cache(maxsize=1 << 16)
def identifiers_of(text: str) -> tuple[str, ...]:
    """The identifiers in a field, each once, in their order: between `,`, `;` and `|`, without prefix and taxon mark.

    `NCBI Gene:7157` and `7157` are the same; `-`, `-1` and nothing say that there is none.
    """
    parts = (PREFIX.sub("", TAXON_MARK.sub("", part).strip(), count=1).strip() for part in SEPARATORS.split(text))
    return tuple(dict.fromkeys(part for part in parts if part not in NONE))
