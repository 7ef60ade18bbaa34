"""A reference to an article, a page or a challenge as text, BibTeX and RIS.

Sources: the entry types and fields of https://ctan.org/pkg/bibtex, and the tags of RIS as reference managers read them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

# As in PubMed: a family name and initials.
AUTHOR_WITH_INITIALS = re.compile(r"(?P<family>.+) (?P<initials>[^\W\d_]{1,4})")
BIBTEX_SPECIAL = re.compile(r"[\\{}%&$#_^~]")
# BibTeX counts braces even after a backslash: one without its partner would take in the rest of the file.
BIBTEX_ESCAPES = {
    **{"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"},
    **{"{": r"\textbraceleft{}", "}": r"\textbraceright{}"},
}
# With control characters, which stand for nothing.
BREAKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
RANGE = re.compile(r"(?P<first>\w+)-(?P<last>\w+)")


@dataclass(frozen=True, slots=True)
class CitedReference:
    """What is cited: an article of a journal or, with accessed, what a page shows on that day. Empty: unknown.

    key: of its BibTeX entry. authors: people as PubMed names them ("Doe J"), or groups.
    """

    key: str
    title: str
    authors: Sequence[str] = ()
    journal: str = ""
    year: int | None = None
    volume: str = ""
    issue: str = ""
    pages: str = ""
    doi: str = ""
    pmid: int | None = None
    url: str = ""
    publisher: str = ""
    accessed: date | None = None


def format_reference_as_text(reference: CitedReference) -> str:
    """One paragraph: authors, title, where it is, links."""
    names = f"{', '.join(reference.authors)}. " if reference.authors else ""
    title = f"{_join_words(reference.title).rstrip('.')}. "
    place = reference.journal or reference.publisher
    year = f" ({reference.year})" if reference.year and reference.journal else ""
    volume = f" {reference.volume}" if reference.volume else ""
    issue = f"({reference.issue})" if reference.issue else ""
    pages = f":{reference.pages}" if reference.pages else ""
    links = [
        *([f"doi:{reference.doi}"] if reference.doi else []),
        *([f"PMID {reference.pmid}"] if reference.pmid else []),
        *([reference.url] if reference.url else []),
        *([f"accessed {reference.accessed:%Y-%m-%d}"] if reference.accessed else []),
    ]
    whole = f"{names}{title}{place}{year}{volume}{issue}{pages}"
    return _join_words(f"{whole.rstrip()}{', ' if place else ''}{', '.join(links)}")


def format_reference_as_bibtex(reference: CitedReference) -> str:
    """An @article, or a @misc of what has no journal."""
    fields = {
        "title": f"{{{_escape_bibtex(reference.title)}}}" if reference.title else "",
        "author": " and ".join(map(_format_bibtex_author, reference.authors)),
        "journal": _escape_bibtex(reference.journal),
        "year": str(reference.year or ""),
        "volume": _escape_bibtex(reference.volume),
        "number": _escape_bibtex(reference.issue),
        "pages": _escape_bibtex(reference.pages).replace("-", "--"),
        "doi": _escape_braces_of_address(reference.doi),
        "pmid": str(reference.pmid or ""),
        "publisher": _escape_bibtex(reference.publisher),
        "url": _escape_braces_of_address(reference.url),
        "urldate": f"{reference.accessed:%Y-%m-%d}" if reference.accessed else "",
    }
    kind = "article" if reference.journal else "misc"
    lines = [f"  {name} = {{{_join_words(value)}}}" for name, value in fields.items() if value]
    return f"@{kind}{{{reference.key},\n" + ",\n".join(lines) + "\n}"


def format_reference_as_ris(reference: CitedReference) -> str:
    """One record, from TY to ER."""
    return "\n".join(f"{tag}  - {_join_words(value)}".rstrip(" ") for tag, value in _iter_ris_fields(reference))


def _iter_ris_fields(reference: CitedReference) -> Iterator[tuple[str, str]]:
    pages = RANGE.fullmatch(reference.pages)
    yield "TY", "JOUR" if reference.journal else "DATA"
    yield "TI", reference.title
    for author in reference.authors:
        yield "AU", _invert_author(author) or author
    values = [
        ("JO", reference.journal),
        ("PB", reference.publisher),
        ("PY", str(reference.year or "")),
        ("VL", reference.volume),
        ("IS", reference.issue),
        ("SP", pages["first"] if pages else reference.pages),
        ("EP", pages["last"] if pages else ""),
        ("DO", reference.doi),
        ("AN", str(reference.pmid or "")),
        ("UR", reference.url),
        ("Y2", f"{reference.accessed:%Y/%m/%d}" if reference.accessed else ""),
    ]
    yield from ((tag, value) for tag, value in values if value)
    yield "ER", ""


def _invert_author(name: str) -> str:
    """`Doe, J` of `Doe J`; "" for what is no family name with initials."""
    match = AUTHOR_WITH_INITIALS.fullmatch(name)
    return f"{match['family']}, {match['initials']}" if match and match["initials"].isupper() else ""


def _format_bibtex_author(name: str) -> str:
    inverted = _invert_author(name)
    return _escape_bibtex(inverted) if inverted else f"{{{_escape_bibtex(name)}}}"


def _escape_bibtex(text: str) -> str:
    return BIBTEX_SPECIAL.sub(lambda found: BIBTEX_ESCAPES.get(found[0], f"\\{found[0]}"), text)


def _escape_braces_of_address(address: str) -> str:
    """As in URLs; other characters stay, because BibTeX reads addresses as they are."""
    return address.replace("{", "%7B").replace("}", "%7D")


def _join_words(text: str) -> str:
    """Without line breaks, which would begin another field, and control characters."""
    return BREAKS.sub(" ", text).strip()
