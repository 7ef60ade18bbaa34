"""What producers report in common: circles for two or three of them, a matrix with bars for more."""

from collections.abc import Sequence

from bcms.lib.svg.sets import Part
from bcms.lib.svg.sheet import NARROW, WIDE, Drawing, Panel
from bcms.lib.svg.tables import Row, Table
from bcms.lib.svg.upset import upset, upset_height
from bcms.lib.svg.venn import VENN_HEIGHT, venn
from evaluation.analyses.overlap import Overlap, Region
from evaluation.plotting.drawn import NOTHING, shown

MOST_COLUMNS = 30
MOST_ROWS = 200


def overlap_panel(names: Sequence[str], found: Overlap) -> Panel:
    """The diagram that fits the number of producers. ValueError when none of them reports anything."""
    totals = [found.of([place]) for place in range(len(names))]
    parts = [part(region) for region in found.regions]
    if not parts:
        raise ValueError("There is nothing to draw, because no producer reports anything that counts; give other runs.")
    table = table_of(names, totals, found)
    if len(names) in VENN_HEIGHT:
        drawn = "".join(venn(names, [own.items for own in totals], parts))
        note = "Circles are of equal size; the numbers say how much is in each part."
        return Panel("What is reported in common", note, Drawing(drawn, VENN_HEIGHT[len(names)], NARROW), table)
    drawn = "".join(upset(names, [part(own) for own in totals], parts[:MOST_COLUMNS], WIDE))
    return Panel("What is reported in common", note_of(found), Drawing(drawn, upset_height(len(names)), WIDE), table)


def part(region: Region) -> Part:
    return Part(region.producers, region.items, region.right)


def note_of(found: Overlap) -> str:
    """What the bars are, and how many parts are not among them."""
    more = len(found.regions) - MOST_COLUMNS
    return (
        "A column is what exactly those producers report that have a large dot, and no other; at the left, all that "
        "each reports."
        + ("" if found.missed is None else " Solid: right; hatched: wrong.")
        + (f" {more:,} smaller parts are not drawn." if more > 0 else "")
    )


def table_of(names: Sequence[str], totals: Sequence[Region], found: Overlap) -> Table:
    """All of each producer, then each part; a part of which there are too many to read is in no row of its own."""
    judged = found.missed is not None
    head = ["reported by", "results", *(["right", "precision"] if judged else [])]
    rows = [Row([f"all of {names[own.producers[0]]}", *figures(own)]) for own in totals]
    for region in found.regions[:MOST_ROWS]:
        rows.append(Row(["only " + " & ".join(names[place] for place in region.producers), *figures(region)]))
    rest = found.regions[MOST_ROWS:]
    if rest:
        right = sum(region.right or 0 for region in rest) if judged else None
        rows.append(Row([f"{len(rest):,} smaller parts", *figures(Region((), sum(own.items for own in rest), right))]))
    if found.missed is not None:
        rows.append(Row(["nobody", NOTHING, f"{found.missed:,}", NOTHING]))
    return Table(head, rows)


def figures(region: Region) -> list[str]:
    if region.right is None:
        return [f"{region.items:,}"]
    precision = region.right / region.items if region.items else None
    return [f"{region.items:,}", f"{region.right:,}", shown(precision, 4)]
