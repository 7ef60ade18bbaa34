"""Lists of results from BioCreative II XML: nothing twice, every rank once, and pairs read as their interactors."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace

from annotations.formats.bc2_xml_results import Result
from annotations.formats.bc2_xml_said import Said

Checked = Callable[[Result], bool]
UNRANKED = float("inf")


def without_repeats(results: Sequence[Result], said: Said, checked: Checked) -> list[Result]:
    """Note what is said twice of an article (R608); in mending the one with the better rank is kept."""
    kept: dict[Hashable, Result] = {}
    for own in filter(checked, results):
        if own.item is None:
            continue
        first = kept.setdefault((own.article, own.item), own)
        if first is not own:
            better, worse = (own, first) if place_in_list(own) < place_in_list(first) else (first, own)
            kept[own.article, own.item] = better
            other = first if not said.mend else better
            what = f"this result of the article is in line {other.place.line} already, partners in any order"
            told = own if not said.mend else worse
            said.wrong(
                "R608", told.place, f"{what} - keep one of the two", f"{what}{rank_said(better)}; it was left out"
            )
    if not said.mend:
        return list(results)
    best = {id(own) for own in kept.values()}
    return [own for own in results if id(own) in best]


def place_in_list(own: Result) -> float:
    return UNRANKED if own.rank is None else own.rank


def rank_said(own: Result) -> str:
    return "" if own.rank is None else f", with rank {own.rank}"


def check_ranks(results: Sequence[Result], said: Said, unique: Checked, *, word: str, demanded: bool) -> bool:
    """Note results without a rank (R644), if one has a rank or all must, and ranks that stand twice (R609) of `unique`.

    word: what ranks count in, an article or a pair. In mending lists with such results are numbered anew. Whether the
    results have ranks.
    """
    ranked = [own for own in results if own.rank is not None]
    if not ranked and not demanded:
        return False
    lists: dict[Hashable, list[Result]] = {}
    for own in results:
        pair = own.item[:2] if own.item is not None else None
        lists.setdefault(own.article if word == "article" else (own.article, pair or own.place), []).append(own)
    for own_list in lists.values():
        if said.mend:
            number_anew(own_list, said)
        else:
            note_ranks(own_list, said, unique, word)
    return True


def note_ranks(results: Iterable[Result], said: Said, unique: Checked, word: str) -> None:
    """Note what is wrong with the ranks of one list."""
    firsts: dict[int, Result] = {}
    for own in results:
        if own.rank is None:
            if own.rank_place == own.place:
                said.wrong("R644", own.place, "this result has no rank - write one, as the others have")
            continue
        first = firsts.setdefault(own.rank, own)
        if first is not own and unique(own):
            mend = f"give each result of the {word} a rank of its own"
            said.wrong(
                "R609",
                own.rank_place,
                f"rank {own.rank} of this {word} is in line {first.rank_place.line} already - {mend}",
            )


def number_anew(results: Sequence[Result], said: Said) -> None:
    """Give every result of one list its own rank: equal ones in the order of the file, those without at the end."""
    last = 0
    for own in sorted(results, key=place_in_list):
        rank = last + 1 if own.rank is None else max(own.rank, last + 1)
        if rank != own.rank:
            rule, what = (
                ("R644", "no rank") if own.rank is None else ("R609", f"rank {own.rank}, which was given before")
            )
            said.wrong(rule, own.rank_place, "", f"this result had {what}; it has rank {rank} now")
        own.rank = last = rank


def as_interactors(pairs: Sequence[Result]) -> list[Result]:
    """The partners of pairs, each once in an article, at the best pair that names it.

    The two partners of one pair stand in the order of their names; ranks 2r - 1 and 2r take the place of r.
    """
    kept: dict[tuple[str, str], Result] = {}
    for own in sorted(pairs, key=place_in_list):
        for second, partner in enumerate(own.item or ()):
            rank = None if own.rank is None else 2 * own.rank - 1 + second
            kept.setdefault((own.article, partner), replace(own, item=(partner,), rank=rank))
    return sorted(kept.values(), key=lambda own: own.place)
