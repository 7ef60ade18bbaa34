"""Splits identifier fields of annotated text: several identifiers, with or without the name of their database."""

import re
from functools import lru_cache

from annotations.identifiers.given_identifiers import NO_IDENTIFIER_TEXTS, TAXON_MARK

IDENTIFIER_SEPARATORS = re.compile(r"[,;|]")
# These prefixes repeat the type of the mention; others, such as MESH:, are part of the identifier.
IDENTIFIER_PREFIX = re.compile(
    r"(?:ncbi[ _-]?)?(?:(?:entrez[ _-]?)?gene(?:[ _-]?id)?|entrez(?:[ _-]?id)?|tax(?:on(?:omy)?)?(?:[ _-]?id)?)\s*:\s*"
    r"|(?:species|protein|uniprot(?:kb)?|swiss-?prot)\s*:\s*",
    re.IGNORECASE,
)


@lru_cache(maxsize=1 << 16)
def split_distinct_identifiers_without_prefix(text: str) -> tuple[str, ...]:
    """The distinct identifiers in a field, in their order, separated by `,`, `;` or `|`, without prefix and taxon mark.

    `NCBI Gene:7157` and `7157` are the same; `-`, `-1` and an empty field mean that there is none.
    """
    parts = (
        IDENTIFIER_PREFIX.sub("", TAXON_MARK.sub("", part).strip(), count=1).strip()
        for part in IDENTIFIER_SEPARATORS.split(text)
    )
    return tuple(dict.fromkeys(part for part in parts if part not in NO_IDENTIFIER_TEXTS))
