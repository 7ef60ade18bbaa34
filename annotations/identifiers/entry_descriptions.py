"""Short descriptions that distinguish entries of the same name: location and function of a gene or protein."""

import re
from collections.abc import Iterable

LONGEST_DESCRIPTION = 600
EVIDENCE = re.compile(r"\s*\{(?:ECO:|EI)[^}]*\}")
REFERENCES = re.compile(r"\s*\((?:PubMed:[0-9]+|By similarity|Probable|Ref\.[0-9]+)(?:, *PubMed:[0-9]+)*\)")
NOTE = re.compile(r"\s*Note=.*", re.DOTALL)
END_OF_SENTENCE = re.compile(r"[.;](?=\s|$)")
ABSENT = ("", "-")


def shorten_description(text: str, longest: int = LONGEST_DESCRIPTION) -> str:
    """A description without evidence tags and references, with at most `longest` characters.

    Keeps whole sentences if possible; a text that is cut within a sentence ends in an ellipsis.
    """
    description = " ".join(REFERENCES.sub("", EVIDENCE.sub("", text)).split()).rstrip(" .;")
    if len(description) <= longest:
        return f"{description}." if description else ""
    ends = [match.start() for match in END_OF_SENTENCE.finditer(description, longest // 3, longest)]
    if ends:
        return f"{description[: ends[-1]]}."
    return f"{description[: longest - 1].rpartition(' ')[0]}…"


def clean_subcellular_location(text: str) -> str:
    """UniProt's subcellular location without evidence tags and notes: "Cell membrane; Multi-pass membrane protein"."""
    return shorten_description(NOTE.sub("", text), 255).rstrip(".")


def format_gene_location(chromosome: str, band: str) -> str:
    """The location of a gene in NCBI Gene: its band, else its chromosome, "" if both are unknown ("-" or empty)."""
    if band not in ABSENT:
        return band
    return "" if chromosome in (*ABSENT, "Un") else f"chromosome {chromosome}"


def unwrap_lines(lines: Iterable[str]) -> str:
    """The lines of a flat file as one text; no space is added where a line ends in the hyphen of a compound word."""
    text = ""
    for line in lines:
        part = line.strip()
        compound = text.endswith("-") and not text.endswith(" -") and not part.startswith(("and ", "or "))
        text = f"{text}{part}" if compound or not text else f"{text} {part}"
    return text
