"""Format availability figures for people."""

from math import floor


def format_share_as_percent_rounded_down(share: float | None) -> str:
    """A share from 0 to 1 as a percentage with two decimals; "-" for None.

    It is rounded down, so that 100 % means that there was no failure.
    """
    if share is None:
        return "-"
    if share in (0, 1):
        return f"{100 * share:.0f} %"
    return f"{floor(10_000 * share + 1e-6) / 100:.2f} %"


def format_three_significant_digits(value: float | None) -> str:
    """Three significant digits, with an exponent only below 0.0001: "0.0042", "12.3", "1,234"; "-" for None."""
    if value is None:
        return "-"
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 0.0001 or value == 0 else f"{value:.2e}"


def format_response_time(seconds: float | None) -> str:
    """Milliseconds below 0.1 s, else seconds, so that times are comparable: "48.2 ms", "4.72 s", "184 s"."""
    if seconds is None:
        return "-"
    return f"{1000 * seconds:.3g} ms" if seconds < 0.1 else f"{format_three_significant_digits(seconds)} s"
