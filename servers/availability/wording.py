"""Figures of availability in words."""

from math import floor


def percent_of(share: float | None) -> str:
    """A share in percent with two decimals, rounded down, so that only what never failed is 100 %; "-" for None."""
    if share is None:
        return "-"
    if share in (0, 1):
        return f"{100 * share:.0f} %"
    return f"{floor(10_000 * share + 1e-6) / 100:.2f} %"


def small(value: float | None) -> str:
    """Three significant digits, without an exponent from 0.0001 on: "0.0042", "12.3", "1,234"; "-" for None."""
    if value is None:
        return "-"
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 0.0001 or value == 0 else f"{value:.2e}"


def response_time(seconds: float | None) -> str:
    """Milliseconds below a tenth of a second, else seconds, so that times compare: "48.2 ms", "4.72 s", "184 s"."""
    if seconds is None:
        return "-"
    return f"{1000 * seconds:.3g} ms" if seconds < 0.1 else f"{small(seconds)} s"
