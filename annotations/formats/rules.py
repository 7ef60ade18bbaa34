"""The rules of the files that come in (R4xx: articles and tables of names, R5xx: gold standards), for the manual.

Each fault of a file names its rule with the line; here is what the rule asks for.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileRule:
    """One rule about files; title and mend are sentences."""

    code: str
    title: str
    mend: str


FILE_RULES = (
    FileRule(
        "R401", "An archive of articles is whole.", "Download it again, and compare its size or checksum with PubMed's."
    ),
    FileRule("R402", "A file of articles is PubMed XML.", "Take it from PubMed: its root is PubmedArticleSet."),
    FileRule(
        "R403",
        "NCBI answers with articles, not with an error.",
        "Ask again later, for fewer articles at once; mend the question if the error says so.",
    ),
    FileRule(
        "R404", "A file of articles is well-formed XML.", "Take it from PubMed again, and do not edit it by hand."
    ),
    FileRule("R405", "A file of articles defines no entities.", "Take it from PubMed, whose files never define any."),
    FileRule(
        "R406",
        "Each article has a PMID of digits.",
        "Take the file from PubMed again; import what has no PMID otherwise.",
    ),
    FileRule(
        "R411", "The table of human genes is HGNC's, with all its columns.", "Take the table as HGNC published it."
    ),
    FileRule(
        "R421",
        "The table of species has its columns, and a number for each taxon.",
        "Begin with the header line, separate the columns by tabs, and write NCBI Taxonomy numbers.",
    ),
    FileRule("R501", "A gold standard is text in UTF-8, without a byte order mark.", "Save it as plain UTF-8 text."),
    FileRule("R502", "No line of a gold standard is blank.", "Remove the blank line."),
    FileRule(
        "R503", "Each line has two columns with one tab between.", "Write the article's id, a tab, and the value."
    ),
    FileRule("R504", "An article's id has no white space at its ends.", "Remove the white space."),
    FileRule(
        "R505",
        "A value has the form that its task asks for.",
        "Write a class (0 or 1, true or false, t or f, y or n, + or -), or one identifier: an NCBI Taxonomy number, an "
        "NCBI Gene number or UniProt accession, a PSI-MI identifier.",
    ),
    FileRule("R506", "Nothing is said twice.", "Keep one of the two lines that the message names."),
    FileRule("R507", "A gold standard is not empty.", "Write one line for each article and annotation."),
    FileRule(
        "R508",
        "Each article is in the corpus of the phase.",
        "Remove the line, or add the article to the corpus first.",
    ),
    FileRule("R509", "Each article of the corpus has a class.", "Add a line for the article, negative ones too."),
    FileRule(
        "R510", "No article is given under two of its names.", "Use its PMID, its DOI or its opaque id throughout."
    ),
)
