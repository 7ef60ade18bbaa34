"""PMIDs and other identifiers of articles as people type them."""

import re
from collections.abc import Sequence

MOST_ARTICLE_IDS = 10_000
LONGEST_PMID = 12


def parse_distinct_pmids_refusing_too_many(text: str) -> list[int]:
    """Parse PMIDs separated by white space, commas or semicolons, each with or without `PMID:`.

    Returns them without duplicates, in their order. Raises ValueError, with a sentence for the person who typed them,
    if a part is not a PMID or there are more than 10,000.
    """
    parts = [part.upper().removeprefix("PMID:") for part in re.split(r"[\s,;]+", text) if part]
    parts = [part for part in parts if part]
    if invalid := [part for part in parts if not re.fullmatch(rf"[0-9]{{1,{LONGEST_PMID}}}", part, re.ASCII)]:
        raise ValueError(
            f"Not a PMID: {format_first_items_and_remaining_count(invalid)}. Enter numbers such as 16054130."
        )
    _check_id_count(parts, "PMIDs")
    return list(dict.fromkeys(map(int, parts)))


def _check_id_count(identifiers: Sequence[str], plural: str) -> None:
    """Raise ValueError if there are more than 10,000; plural says what they are."""
    if len(identifiers) > MOST_ARTICLE_IDS:
        raise ValueError(f"There are {len(identifiers):,} {plural}. Enter at most {MOST_ARTICLE_IDS:,} at a time.")


def split_distinct_article_ids_refusing_too_many(text: str) -> list[str]:
    """Parse PMIDs, DOIs, PMCIDs and opaque ids separated by white space, commas or semicolons.

    A DOI ends at white space, because it may contain commas and semicolons. Returns the identifiers without duplicates,
    in their order. Raises ValueError, with a sentence for the person who typed them, if there are more than 10,000.
    """
    identifiers: list[str] = []
    for part in text.split():
        doi = re.sub(r"^(doi:|https?://(dx\.)?doi\.org/)", "", part, flags=re.IGNORECASE)
        identifiers += [doi.rstrip(",;")] if doi.startswith("10.") else re.split(r"[,;]", part)
    identifiers = [re.sub(r"^(pmid:)?0*", "", identifier, flags=re.IGNORECASE) for identifier in identifiers]
    identifiers = [identifier for identifier in dict.fromkeys(identifiers) if identifier]
    _check_id_count(identifiers, "articles")
    return identifiers


def format_first_items_and_remaining_count(items: Sequence[object]) -> str:
    """The first five items, each clipped to 20 characters, and how many more there are."""
    first = ", ".join(str(item)[:20] for item in items[:5])
    return f"{first} and {len(items) - 5:,} more" if len(items) > 5 else first
