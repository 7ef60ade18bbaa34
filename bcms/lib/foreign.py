"""Foreign text made fit to stand in one of our sentences."""

UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"


def bounded(text: str, longest: int) -> str:
    """One line of at most that many characters: what cannot be printed is replaced, what is too long is cut."""
    clean = "".join(character if character.isprintable() else UNPRINTABLE for character in text[:longest])
    return clean if len(text) <= longest else clean[: longest - 1] + "…"
