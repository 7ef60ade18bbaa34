"""PMIDs and other names of articles, as people type them."""

import re
from collections.abc import Sequence

MOST_PMIDS = 10_000
LONGEST_PMID = 12


def read_pmids(text: str) -> list[int]:
    """PMIDs separated by white space, commas or semicolons, each with or without `PMID:`; each once, in their order.

    ValueError, a sentence for whoever typed them, when a word is no PMID or there are more than 10,000.
    """
    words = [word.upper().removeprefix("PMID:") for word in re.split(r"[\s,;]+", text) if word]
    words = [word for word in words if word]
    if wrong := [word for word in words if not re.fullmatch(rf"[0-9]{{1,{LONGEST_PMID}}}", word, re.ASCII)]:
        raise ValueError(f"{listed(wrong)} is no PMID: type numbers such as 16054130.")
    refuse_many(words, "PMIDs")
    return list(dict.fromkeys(map(int, words)))


def refuse_many(words: Sequence[str], called: str) -> None:
    if len(words) > MOST_PMIDS:
        raise ValueError(f"These are {len(words):,} {called}: give at most {MOST_PMIDS:,} at a time.")


def read_names(text: str) -> list[str]:
    """PMIDs, DOIs, PMCIDs and opaque ids, separated as PMIDs are; a DOI ends at white space, as it may have commas and
    semicolons within. Each once, in their order.

    ValueError, a sentence for whoever typed them, when there are more than 10,000.
    """
    names: list[str] = []
    for word in text.split():
        bare = re.sub(r"^(doi:|https?://(dx\.)?doi\.org/)", "", word, flags=re.IGNORECASE)
        names += [bare.rstrip(",;")] if bare.startswith("10.") else re.split(r"[,;]", word)
    names = [re.sub(r"^(pmid:)?0*", "", name, flags=re.IGNORECASE) for name in names]
    names = [name for name in dict.fromkeys(names) if name]
    refuse_many(names, "articles")
    return names


def listed(words: Sequence[object]) -> str:
    """The first five, and how many more."""
    few = ", ".join(str(word)[:20] for word in words[:5])
    return f"{few} and {len(words) - 5:,} more" if len(words) > 5 else few
