"""F, average precision and FAP over the place where lists are cut."""

from bcms.lib.svg.axes import Axis, Frame, share_axis
from bcms.lib.svg.lines import Series, line
from bcms.lib.svg.sheet import Panel
from bcms.lib.svg.tables import Row, Table
from evaluation.analyses.cutoff import Cutoff
from evaluation.plotting.drawn import drawing, guide, shown

MOST_ROWS = 200


def cutoff_panel(average: str, found: Cutoff, beta: float = 1.0) -> Panel:
    """Three lines over all cuts that were tried, and where the chosen one stands; in the table a star marks it."""
    tried = found.tried
    names = names_of(beta)
    curves = dict(
        zip(names, ([own.fap for own in tried], [own.f for own in tried], [own.ap for own in tried]), strict=True)
    )
    values = [own.value for own in tried]
    label = "Lists end after this rank" if found.by == "rank" else "Lists end below this confidence"
    x = Axis(label, min(values), max(values) if max(values) > min(values) else min(values) + 1)
    frame = Frame(x, share_axis(", ".join(names), [value for own in curves.values() for value in own]))
    lines = [
        line(Series(name, list(zip(values, own, strict=True))), index, frame)
        for index, (name, own) in enumerate(curves.items())
    ]
    here = guide([(found.value, frame.y.low), (found.value, frame.y.high)], frame)
    return Panel(
        f"{', '.join(names)} of cut lists, {average}",
        f"The best FAP, {found.fap:.5f}, is at the dotted line: {found.by} {found.value:g}.",
        drawing(frame, here, *lines),
        table_of(found, names),
    )


def names_of(beta: float) -> tuple[str, str, str]:
    return ("FAP" if beta == 1 else f"FAP{beta:g}", f"F{beta:g}", "AP")


def table_of(found: Cutoff, names: tuple[str, str, str]) -> Table:
    """First the looks of the lines, then a row for every cut; of too many, for so many as can be read."""
    step = -(-len(found.tried) // MOST_ROWS)
    cuts = [own for place, own in enumerate(found.tried) if place % step == 0 or own.value == found.value]
    keys = [Row([name, "", "", "", ""], index) for index, name in enumerate(names)]
    rows = [
        Row(
            [
                f"{own.value:g}",
                *(shown(v, 4) for v in (own.fap, own.f, own.ap)),
                "*" if own.value == found.value else "",
            ]
        )
        for own in cuts
    ]
    return Table([found.by, *names, ""], [*keys, *rows])
