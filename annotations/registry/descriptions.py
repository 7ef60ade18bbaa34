"""What tells apart two entries of the same name: where a gene or its product is, and what it does, in few words."""

import re
from collections.abc import Iterable

LONGEST = 600
EVIDENCE = re.compile(r"\s*\{(?:ECO:|EI)[^}]*\}")
REFERENCES = re.compile(r"\s*\((?:PubMed:[0-9]+|By similarity|Probable|Ref\.[0-9]+)(?:, *PubMed:[0-9]+)*\)")
NOTE = re.compile(r"\s*Note=.*", re.DOTALL)
END_OF_SENTENCE = re.compile(r"[.;](?=\s|$)")
ABSENT = ("", "-")


def described(text: str, longest: int = LONGEST) -> str:
    """A description without evidence tags and references, at most so many characters: whole sentences if it has any.

    What is cut within a sentence ends in an ellipsis.
    """
    words = " ".join(REFERENCES.sub("", EVIDENCE.sub("", text)).split()).rstrip(" .;")
    if len(words) <= longest:
        return f"{words}." if words else ""
    ends = [found.start() for found in END_OF_SENTENCE.finditer(words, longest // 3, longest)]
    if ends:
        return f"{words[: ends[-1]]}."
    return f"{words[: longest - 1].rpartition(' ')[0]}…"


def places(text: str) -> str:
    """UniProt's subcellular location without evidence and notes: "Cell membrane; Multi-pass membrane protein"."""
    return described(NOTE.sub("", text), 255).rstrip(".")


def gene_place(chromosome: str, band: str) -> str:
    """Where NCBI Gene says that a gene is: its place on the map, else its chromosome; either may be "-" or empty."""
    if band not in ABSENT:
        return band
    return "" if chromosome in (*ABSENT, "Un") else f"chromosome {chromosome}"


def unwrapped(lines: Iterable[str]) -> str:
    """Lines of a flat file as one text: a line may end after the hyphen of a compound word."""
    text = ""
    for line in lines:
        word = line.strip()
        compound = text.endswith("-") and not text.endswith(" -") and not word.startswith(("and ", "or "))
        text = f"{text}{word}" if compound or not text else f"{text} {word}"
    return text
