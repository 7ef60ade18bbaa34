"""Article classification scored slowly, step by step as the definitions read."""

from fractions import Fraction
from itertools import pairwise
from math import sqrt


def order_article_calls(calls, order):
    """calls: (article, relevant, rank, confidence) in the order of the file."""
    lines = list(enumerate(calls))

    def key(line):
        number, (article, _, rank, confidence) = line
        return {"rank": (rank,), "confidence": (-(confidence or 0), article), "line": (number,)}[order]

    positive = [call for _, call in sorted((line for line in lines if line[1][1]), key=key)]
    negative = [line for line in lines if not line[1][1]]
    if order == "confidence":
        negative.sort(key=lambda line: (line[1][3], line[1][0]))
    else:
        negative.sort(key=key, reverse=True)
    return positive + [call for _, call in negative]


def figures(gold, calls, order, unreported):
    said = {article: relevant for article, relevant, _, _ in calls if article in gold}
    if unreported == "negative":
        said = {article: said.get(article, False) for article in gold}
    pairs = [(relevant, gold[article]) for article, relevant in said.items()]
    tp, fp, fn, tn = (pairs.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False)))
    positives = sum(gold.values())
    points, found = [(Fraction(1), Fraction(0))], 0
    for n, (article, *_) in enumerate((call for call in order_article_calls(calls, order) if call[0] in gold), 1):
        found += gold[article]
        points.append((Fraction(found, n), Fraction(found, positives) if positives else Fraction(0)))
    steps = list(pairwise(points))
    area = sum((r2 - r1) * (p1 + p2) / 2 for (p1, r1), (p2, r2) in steps)
    walked = points[1:]
    step = sum((r2 - r1) * max(p for p, r in walked if r >= r2) for (_, r1), (_, r2) in steps)
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return {
        "tp": tp, "fp": fp, "fn": fn, "tn": tn,
        "sensitivity": tp / (tp + fn) if tp + fn else 0,
        "specificity": tn / (tn + fp) if tn + fp else 0,
        "accuracy": (tp + tn) / len(pairs) if pairs else 0,
        "mcc": (tp * tn - fp * fn) / sqrt(product) if product else 0,
        "auc_pr": area, "auc_ipr": step,
        "precision_at_full_recall": max((p for p, r in walked if r == 1), default=None),
    }  # fmt: skip
