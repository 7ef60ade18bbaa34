"""How much of a curator's time an order of reading saves against a keyword search.

A relevant article takes a curator up to twice as long as one that is not (Krallinger et al. 2011, BMC Bioinformatics
12 Suppl 8:S3), so reading P relevant and N other articles costs 2P + N.
"""

from collections.abc import Sequence
from dataclasses import dataclass

RELEVANT = 2


@dataclass(frozen=True, slots=True)
class Comparison:
    """Reading down a ranked list against reading all that a keyword search found, until equally many relevant ones.

    relevant: how many that is, of so many in_all. ranked_others, keyword_others: other articles read on the way, in the
    ranked list and in what the keyword found.
    """

    relevant: int
    in_all: int
    ranked_others: int
    keyword_others: int

    @property
    def recall(self) -> float:
        return self.relevant / self.in_all

    @property
    def saved(self) -> float:
        """The share of the keyword search's time that is saved, at most 1; below 0 when the list takes longer."""
        return saved_time(self.relevant, self.ranked_others, self.keyword_others)


def saved_time(relevant: int, ranked_others: int, keyword_others: int) -> float:
    """1 - (2P + N ranked) / (2P + N keyword), for equally many relevant articles P > 0 in both.

    For the ranking of BioCreative III at half of its 910 relevant articles it is 1 - (910 + 195) / (910 + 697) = 0.31.
    ValueError when there is no relevant article: nothing is compared then.
    """
    if relevant <= 0:
        raise ValueError("reading times are compared where at least one relevant article is read")
    return 1 - (RELEVANT * relevant + ranked_others) / (RELEVANT * relevant + keyword_others)


def compared(ranked: Sequence[bool], chosen: Sequence[bool]) -> Comparison | None:
    """A ranked list and a keyword search over the same articles, compared at the keyword search's recall.

    ranked: for each article in the order of the list whether it is relevant; chosen: for each of these, in the same
    order, whether the keyword search found it. ValueError when the two are not of one length. None when the keyword
    finds no relevant article.
    """
    found = [relevant for relevant, own in zip(ranked, chosen, strict=True) if own]
    wanted = sum(found)
    if not wanted:
        return None
    read = 0
    for rank, relevant in enumerate(ranked, 1):
        read += relevant
        if read == wanted:
            return Comparison(wanted, sum(ranked), rank - wanted, len(found) - wanted)
    return None
