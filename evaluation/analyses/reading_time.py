"""The share of a curator's reading time that a ranked list saves, compared with a keyword search.

A relevant article takes a curator up to twice as long as one that is not (Krallinger et al. 2011, BMC Bioinformatics
12 Suppl 8:S3), so reading P relevant and N other articles costs 2P + N.
"""

from collections.abc import Sequence
from dataclasses import dataclass

RELEVANT_READING_COST = 2


@dataclass(frozen=True, slots=True)
class ReadingComparison:
    """Reading a ranked list compared with reading all results of a keyword search, at the same number of relevant ones.

    relevant: this number, of in_all relevant articles; ranked_others, keyword_others: other articles read to find them
    in the ranked list and in the keyword search.
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
        """The saved share of the keyword search's time, at most 1; negative when the list takes longer."""
        return saved_time_share_counting_relevant_twice(self.relevant, self.ranked_others, self.keyword_others)


def saved_time_share_counting_relevant_twice(
    relevant_count: int, ranked_irrelevant_count: int, keyword_irrelevant_count: int
) -> float:
    """1 - (2P + N ranked) / (2P + N keyword), for equally many relevant articles P > 0 in both.

    For the ranking of BioCreative III at half of its 910 relevant articles it is 1 - (910 + 195) / (910 + 697) = 0.31.
    ValueError without a relevant article.
    """
    if relevant_count <= 0:
        raise ValueError("Reading times can be compared only with at least one relevant article.")
    return 1 - (RELEVANT_READING_COST * relevant_count + ranked_irrelevant_count) / (
        RELEVANT_READING_COST * relevant_count + keyword_irrelevant_count
    )


def compare_reading_at_keyword_search_recall(
    is_relevant_by_rank: Sequence[bool], is_keyword_result_by_rank: Sequence[bool]
) -> ReadingComparison | None:
    """A ranked list and a keyword search over the same articles, compared at the keyword search's recall.

    is_relevant_by_rank: whether each article, in the order of the list, is relevant; is_keyword_result_by_rank: whether
    the keyword search found it, in the same order. ValueError when the two differ in length. None when the keyword
    search finds no relevant article.
    """
    keyword_results = [
        relevant
        for relevant, is_chosen in zip(is_relevant_by_rank, is_keyword_result_by_rank, strict=True)
        if is_chosen
    ]
    keyword_relevant = sum(keyword_results)
    if not keyword_relevant:
        return None
    relevant_read = 0
    for rank, relevant in enumerate(is_relevant_by_rank, 1):
        relevant_read += relevant
        if relevant_read == keyword_relevant:
            return ReadingComparison(
                keyword_relevant,
                sum(is_relevant_by_rank),
                rank - keyword_relevant,
                len(keyword_results) - keyword_relevant,
            )
    return None
