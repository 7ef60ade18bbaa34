"""The legend of a heat map: how many servers each level stands for."""

from annotations.results.heat_map import compute_heat_level


def list_heat_levels(total: int) -> list[tuple[int, str]]:
    """The heat levels that occur with total servers, each with its number of servers as text."""
    counts_by_level: dict[int, list[int]] = {}
    for count in range(1, total + 1):
        counts_by_level.setdefault(compute_heat_level(count, total), []).append(count)
    return [(level, _format_heat_level(counts, total)) for level, counts in counts_by_level.items()]


def _format_heat_level(counts: list[int], total: int) -> str:
    if counts[0] == total:
        return {1: "1 server", 2: "both servers"}.get(total, f"all {total} servers")
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
