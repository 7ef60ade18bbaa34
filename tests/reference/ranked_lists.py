"""Ranked lists scored slowly, step by step as the definitions read, in exact fractions.

Nothing here is shared with the measures: the same answer comes from another road.
"""

from fractions import Fraction
from itertools import product
from math import sqrt
from statistics import fmean


def share(part, whole):
    return Fraction(part, whole) if whole else Fraction(0)


def harmonic(a, b):
    return 2 * a * b / (a + b) if a + b else Fraction(0)


def sort_list(lines, order):
    """lines: (item, rank, confidence) in the order of the file."""
    if order == "rank":
        return sorted(lines, key=lambda line: line[1])
    if order == "confidence":
        return sorted(lines, key=lambda line: (-line[2], line[0]))
    return list(lines)


def list_matching_items(gold_item, homonyms):
    """Everything that counts as this right item."""
    if isinstance(gold_item, str):
        return set(homonyms.get(gold_item, ()))
    a, b = gold_item
    return {tuple(sorted(pair)) for pair in product([a, *homonyms.get(a, ())], [b, *homonyms.get(b, ())])}


def map_list(lines, gold, homonyms):
    mapped = []
    for item, rank, confidence in lines:
        meant = [right for right in sorted(gold, reverse=True) if item in list_matching_items(right, homonyms)]
        for name in [item] if item in gold or not meant else meant:
            if name not in [seen for seen, _, _ in mapped]:
                mapped.append((name, rank, confidence))
    return mapped


def parts(item):
    return [item] if isinstance(item, str) else list(item)


def filter_list(lines, gold, organisms):
    taxa = {organisms[part] for item in gold for part in parts(item)}
    return [line for line in lines if all(organisms.get(part) in taxa for part in parts(line[0]))]


def cut_list(lines, rank, confidence):
    kept = []
    for place, line in enumerate(lines, 1):
        if rank is not None and place > rank:
            break
        if confidence is not None and line[2] is not None and line[2] < confidence:
            break
        kept.append(line)
    return kept


def hit_lists(gold, run, order, *, homonyms=None, organisms=None, answered_only=False, rank=None, confidence=None):
    """{document: (hits best first, number of right items)}; gold {document: items}; run [(document, item, r, c)]."""
    lists = {document: [] for document in gold}
    for document, *line in run:
        if document in lists:
            lists[document].append(line)
    for document, lines in lists.items():
        lines = sort_list(lines, order)
        if homonyms is not None:
            lines = map_list(lines, gold[document], homonyms)
        if organisms is not None and lines:
            lines = filter_list(lines, gold[document], organisms)
        lists[document] = lines
    if answered_only:
        lists = {document: lines for document, lines in lists.items() if lines}
    return {
        document: ([line[0] in gold[document] for line in cut_list(lines, rank, confidence)], len(gold[document]))
        for document, lines in lists.items()
    }


def points(lists):
    """Micro and macro (precision, recall) after each rank."""
    micro, macro = [], []
    for k in range(1, max((len(hits) for hits, _ in lists), default=0) + 1):
        found = [sum(hits[:k]) for hits, _ in lists]
        listed = [min(k, len(hits)) for hits, _ in lists]
        right = [number for _, number in lists]
        micro.append((share(sum(found), sum(listed)), share(sum(found), sum(right))))
        own = [(share(t, n), share(t, g)) for t, n, g in zip(found, listed, right, strict=True)]
        macro.append((sum(p for p, _ in own) / len(own), sum(r for _, r in own) / len(own)))
    return micro, macro


def average_precision(curve):
    return sum((p * (r - before) for (p, r), (_, before) in zip(curve, [(0, 0), *curve], strict=False)), Fraction(0))


def interpolated_area(curve):
    best = [(max(p for p, r in curve if r >= recall), recall) for _, recall in curve]
    return average_precision(best)


def one_list(hits, right):
    found = 0
    curve = []
    for place, hit in enumerate(hits, 1):
        found += hit
        curve.append((share(found, place), share(found, right)))
    return curve


def deviation(values):
    values = [float(value) for value in values]
    return sqrt(fmean((value - fmean(values)) ** 2 for value in values)) if values else 0.0


def mean(values):
    return sum(values, Fraction(0)) / len(values) if values else Fraction(0)


def figures(lists):
    """All micro and macro figures of [(hits, number of right items)], under the names of the command."""
    micro, macro = points(lists)
    tp, listed, right = sum(sum(h) for h, _ in lists), sum(len(h) for h, _ in lists), sum(g for _, g in lists)
    precision, recall = share(tp, listed), share(tp, right)
    own = [one_list(hits, number) for hits, number in lists]
    p = [curve[-1][0] if curve else Fraction(0) for curve in own]
    r = [curve[-1][1] if curve else Fraction(0) for curve in own]
    f = [harmonic(a, b) for a, b in zip(p, r, strict=True)]
    areas = [interpolated_area(curve) for curve in own]
    micro_f, micro_ap = harmonic(precision, recall), average_precision(micro)
    macro_f, macro_ap = mean(f), average_precision(macro)
    return {
        "micro": {
            "tp": tp, "fp": listed - tp, "fn": right - tp,
            "precision": precision, "recall": recall, "f1": micro_f, "ap": micro_ap,
            "fap": harmonic(micro_f, micro_ap), "auc_ipr": interpolated_area(micro),
        },
        "macro": {
            "documents": len(lists),
            "precision": mean(p), "precision_sd": deviation(p),
            "recall": mean(r), "recall_sd": deviation(r),
            "f1": macro_f, "f1_sd": deviation(f),
            "ap": macro_ap, "fap": harmonic(macro_f, macro_ap),
            "auc_ipr": mean(areas), "auc_ipr_sd": deviation(areas),
        },
    }  # fmt: skip
