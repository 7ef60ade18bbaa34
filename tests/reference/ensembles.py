"""Cut-offs, ensembles and overlaps done slowly on rows (document, item, rank, confidence)."""

from itertools import combinations
from statistics import fmean

from tests.reference.ranked_lists import figures, hit_lists


def compute_cut_fap(gold, rows, order, average, **cut):
    return float(figures(list(hit_lists(gold, rows, order, **cut).values()))[average]["fap"])


def find_best_cut_slowly(gold, rows, order, average, by, values):
    """(smallest value of the best FAP, all FAPs)."""
    faps = [compute_cut_fap(gold, rows, order, average, **{by: value}) for value in values]
    return next(value for value, fap in zip(values, faps, strict=True) if fap >= max(faps) - 1e-12), faps


def join_runs_slowly(runs, votes):
    """{document: items, best first}: by votes, then mean confidence, then name."""
    said = {}
    for rows in runs:
        for document, item, _, confidence in rows:
            said.setdefault(document, {}).setdefault(item, []).append(confidence)
    lists = {}
    for document, items in said.items():
        kept = [(-len(own), -fmean(own), item) for item, own in items.items() if len(own) >= votes]
        lists[document] = [item for *_, item in sorted(kept)]
    return {document: items for document, items in lists.items() if items}


def exactly(sets):
    """{places: number of elements in all of these sets and in no other}."""
    found = {}
    for size in range(1, len(sets) + 1):
        for places in combinations(range(len(sets)), size):
            inside = set.intersection(*(sets[place] for place in places))
            number = len(inside.difference(*(own for place, own in enumerate(sets) if place not in places)))
            if number:
                found[places] = number
    return found
