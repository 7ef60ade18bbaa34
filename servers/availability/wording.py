"""Figures of availability in words."""

from math import floor


def percent_of(share: float | None) -> str:
    """A share in percent with two decimals, rounded down, so that only what never failed is 100 %; "-" for None."""
    if share is None:
        return "-"
    return "100 %" if share == 1 else f"{floor(10_000 * share + 1e-6) / 100:.2f} %"


def small(value: float | None) -> str:
    """Three significant digits without an exponent down to a millionth: "0.0042", "12.3", "1,234"; "-" for None."""
    if value is None:
        return "-"
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 0.0001 or value == 0 else f"{value:.2e}"
