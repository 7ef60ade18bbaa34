"""The measures of the other papers, slowly and as their definitions read."""

from collections import Counter
from itertools import permutations


def roc_area(hits):
    """How often a right answer stands above a wrong one."""
    pairs = [(a, b) for a, right in enumerate(hits) if right for b, other in enumerate(hits) if not other]
    return sum(a < b for a, b in pairs) / len(pairs)


def roc_n(hits, n, positives):
    padded = [*hits, *([False] * n)]
    errors = [place for place, hit in enumerate(padded) if not hit][:n]
    return sum(sum(padded[:place]) for place in errors) / (n * positives)


def reciprocal_rank(hits):
    return next((1 / place for place, hit in enumerate(hits, 1) if hit), 0)


def total_reciprocal_rank(hits):
    return sum(1 / place for place, hit in enumerate(hits, 1) if hit)


def fleiss_kappa(rows):
    raters = len(rows[0])
    labels = {label for row in rows for label in row}
    share = {label: sum(row.count(label) for row in rows) / (len(rows) * raters) for label in labels}
    agreed = [sum(n * n for n in Counter(row).values()) - raters for row in rows]
    observed = sum(agreed) / (len(rows) * raters * (raters - 1))
    expected = sum(p * p for p in share.values())
    return (observed - expected) / (1 - expected)


def most_pairs(choices, right):
    """The size of the largest one-to-one pairing, by trying all."""
    places = [*range(right), *([None] * len(choices))]
    orders = permutations(places, len(choices))
    return max(sum(place in own for own, place in zip(choices, order, strict=True)) for order in orders)


def gene_counts(genes, alternatives, found):
    """tp, fp and fn of one sentence as the program alt_eval of BioCreative II tells them: genes by every mention that
    stands for them, then mentions by whether they stand for anything. Spans have their last character in them."""
    tp = sum(
        any(own == gene or (own in alternatives and own[0] <= gene[1] and gene[0] <= own[1]) for own in found)
        for gene in genes
    )
    return tp, sum(own not in genes and own not in alternatives for own in found), len(genes) - tp
