"""TAP-k by the text of Carroll et al. (2010): every score is tried as the threshold. Queries have the same weight."""


def count_errors_within(own, score, ascending):
    return sum(
        not hit for hit, value in zip(own.hits, own.scores, strict=True) if is_within_score(value, score, ascending)
    )


def is_within_score(value, score, ascending):
    return value <= score if ascending else value >= score


def threshold(lists, k, ascending):
    """The strictest score at which at least half of the queries have k errors or more; None: there is none."""
    scores = {score for own in lists for score in own.scores}
    loose = sorted(scores, reverse=not ascending)
    reached = (s for s in loose if 2 * sum(count_errors_within(own, s, ascending) >= k for own in lists) >= len(lists))
    return next(reached, None)


def precision(hits, rank):
    return sum(hits[:rank]) / rank


def tap(hits, relevant):
    """Of a list that is retrieved whole; of a query without right records 1 over one more than there are records."""
    if not relevant:
        return 1 / (len(hits) + 1)
    if not hits:
        return 0
    at_hits = [precision(hits, rank) for rank, hit in enumerate(hits, 1) if hit]
    return (sum(at_hits) + precision(hits, len(hits))) / (relevant + 1)


def tap_k(lists, k, ascending):
    """Mean over queries at the common threshold, None without one."""
    end = threshold(lists, k, ascending)
    if end is None:
        return None
    taps = [
        tap(
            [hit for hit, s in zip(own.hits, own.scores, strict=True) if is_within_score(s, end, ascending)],
            own.relevant,
        )
        for own in lists
    ]
    return sum(taps) / len(taps)


def tap_per_list(lists, k):
    """Mean over queries, each up to its own k-th error."""
    taps = []
    for own in lists:
        places = [place for place, hit in enumerate(own.hits, 1) if not hit]
        taps.append(tap(own.hits[: places[k - 1]] if len(places) >= k else own.hits, own.relevant))
    return sum(taps) / len(taps)
