"""Short descriptions that distinguish entries of the same name: location and function of a gene or protein."""

import re
from collections.abc import Iterable

LONGEST_DESCRIPTION = 600
EVIDENCE = re.compile(r"\s*\{(?:ECO:|EI)[^}]*\}")
REFERENCES = re.compile(r"\s*\((?:PubMed:[0-9]+|By similarity|Probable|Ref\.[0-9]+)(?:, *PubMed:[0-9]+)*\)")
NOTE = re.compile(r"\s*Note=.*", re.DOTALL)
END_OF_SENTENCE = re.compile(r"[.;](?=\s|$)")
ABSENT = ("", "-")


def strip_evidence_and_shorten_description(uniprot_comment: str, max_characters: int = LONGEST_DESCRIPTION) -> str:
    """A description without evidence tags and references, with at most `max_characters` characters.

    Keeps whole sentences if possible; a text that is cut within a sentence ends in an ellipsis.
    """
    description = " ".join(REFERENCES.sub("", EVIDENCE.sub("", uniprot_comment)).split()).rstrip(" .;")
    if len(description) <= max_characters:
        return f"{description}." if description else ""
    ends = [match.start() for match in END_OF_SENTENCE.finditer(description, max_characters // 3, max_characters)]
    if ends:
        return f"{description[: ends[-1]]}."
    return f"{description[: max_characters - 1].rpartition(' ')[0]}…"


def clip_location_without_notes_and_evidence(uniprot_comment: str) -> str:
    """UniProt's subcellular location without evidence tags and notes: "Cell membrane; Multi-pass membrane protein"."""
    return strip_evidence_and_shorten_description(NOTE.sub("", uniprot_comment), 255).rstrip(".")


def format_band_or_else_chromosome(chromosome: str, band: str) -> str:
    """The location of a gene in NCBI Gene: its band, else its chromosome, "" if both are unknown ("-" or empty)."""
    if band not in ABSENT:
        return band
    return "" if chromosome in (*ABSENT, "Un") else f"chromosome {chromosome}"


def join_wrapped_lines_keeping_hyphens(lines: Iterable[str]) -> str:
    """The lines of a flat file as one text; no space is added where a line ends in the hyphen of a compound word."""
    text = ""
    for line in lines:
        part = line.strip()
        compound = text.endswith("-") and not text.endswith(" -") and not part.startswith(("and ", "or "))
        text = f"{text}{part}" if compound or not text else f"{text} {part}"
    return text
