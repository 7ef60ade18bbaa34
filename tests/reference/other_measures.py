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


def pooled_roc_n(lists, scores, n, positives):
    """Lists merged by falling score; equal scores in the order of the lists."""
    records = [record for hits, own in zip(lists, scores, strict=True) for record in zip(own, hits, strict=True)]
    return roc_n([hit for _, hit in sorted(records, key=lambda record: -record[0])], n, sum(positives))


def compute_rank_precision(hits, k):
    return sum(hits[:k]) / k


def break_even(hits, right):
    return sum(hits[:right]) / right


def passage_figures(judged, submitted):
    """Share of the relevant among passages of judged pairs, and the mean reciprocal rank of the best; None for 0/0."""
    found = [(pair, own) for pair, passages in submitted.items() if pair in judged for own in passages]
    relevant = [own for pair, own in found if own in judged[pair] and judged[pair][own].relevant]
    ranks = []
    for pair, verdicts in judged.items():
        best = {passage for passage, verdict in verdicts.items() if verdict.best}
        if best:
            ranks.append(reciprocal_rank([passage in best for passage in submitted.get(pair, [])]))
    return len(relevant) / len(found) if found else None, sum(ranks) / len(ranks) if ranks else None


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
