"""Names and words as people write them, brought to one form."""

import re

# Hyphen-minus and soft hyphen, the hyphens and dashes of U+2010 to U+2015, minus, and their small and full-width forms.
DASHES = "-\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
SPACES_AND_DASHES = re.compile(rf"[\s{re.escape(DASHES)}]+")


def regularize(name: str) -> str:
    """A gene, protein or organism name in the form in which names are compared: lower case, no white space, no dashes.

    "Beta-catenin", "beta catenin" and "β-catenin" become "betacatenin", "betacatenin" and "βcatenin": letters are
    never exchanged. An empty string means that nothing but space and dashes was there. Source: collation rules of the
    meta-server (regularized names).
    """
    return SPACES_AND_DASHES.sub("", name).lower()


def one_spaced(text: str) -> str:
    """The text with every run of white space as one space, and none around it."""
    return " ".join(text.split())
