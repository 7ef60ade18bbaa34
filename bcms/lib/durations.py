"""Lengths of time as people read them."""

MINUTE, HOUR, DAY = 60, 3600, 86400


def in_words(seconds: float | None) -> str:
    """Seconds as a short text with the unit that fits: "4 ms", "0.42 s", "38 s", "3 min", "2 h 5 min", "4 d 6 h".

    None, which stands for a time that is not known, is "-". A negative length counts as 0.
    """
    if seconds is None:
        return "-"
    seconds = max(seconds, 0.0)
    if seconds == 0:
        return "0 s"
    if seconds < 0.0995:
        return f"{1000 * seconds:.0f} ms" if seconds > 0.0005 else "under 1 ms"
    if seconds < 9.95:
        return f"{seconds:.2g} s"
    whole = round(seconds)
    if whole < 2 * MINUTE:
        return f"{whole} s"
    if whole < 2 * HOUR:
        return f"{whole // MINUTE} min"
    if whole < 2 * DAY:
        return pair(whole, HOUR, "h", MINUTE, "min")
    return pair(whole, DAY, "d", HOUR, "h")


def about(seconds: float) -> str:
    """An estimate in words, no finer than seconds: "less than a second", "about 4 s", "about 3 min"."""
    return "less than a second" if seconds < 1 else f"about {in_words(round(seconds))}"


def pair(seconds: int, large: int, large_unit: str, small: int, small_unit: str) -> str:
    rest = seconds % large // small
    return f"{seconds // large} {large_unit}" + (f" {rest} {small_unit}" if rest else "")
