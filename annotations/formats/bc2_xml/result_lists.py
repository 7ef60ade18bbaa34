"""Checks lists of results from BioCreative II XML for repetitions and ranks, and splits pairs into interactors."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace

from annotations.formats.bc2_xml.entry_results import Bc2Result
from annotations.formats.bc2_xml.fault_log import Bc2FaultLog

ResultFilter = Callable[[Bc2Result], bool]
UNRANKED_KEY = float("inf")


def note_or_remove_repeated_results(
    results: Sequence[Bc2Result], fault_log: Bc2FaultLog, must_not_repeat: ResultFilter
) -> list[Bc2Result]:
    """Note repeated results of an article (R608). With repairs on, only the one with the better rank is kept."""
    kept: dict[Hashable, Bc2Result] = {}
    removed: set[int] = set()
    for result in filter(must_not_repeat, results):
        if result.item is None:
            continue
        earlier = kept.setdefault((result.article, result.item), result)
        if earlier is not result:
            better, worse = (result, earlier) if _rank_sort_key(result) < _rank_sort_key(earlier) else (earlier, result)
            kept[result.article, result.item] = better
            removed.add(id(worse))
            reference = earlier if not fault_log.repair else better
            problem = f"this result of the article is already in line {reference.position.line}, partners in any order"
            reported = result if not fault_log.repair else worse
            fault_log.note_fault_or_repair(
                "R608",
                reported.position,
                f"{problem} - keep one of the two",
                f"{problem}{_format_rank_clause(better)}; it was removed",
            )
    if not fault_log.repair:
        return list(results)
    return [result for result in results if result.item is not None and id(result) not in removed]


def _rank_sort_key(result: Bc2Result) -> float:
    return UNRANKED_KEY if result.rank is None else result.rank


def _format_rank_clause(result: Bc2Result) -> str:
    return "" if result.rank is None else f", with rank {result.rank}"


def note_or_repair_bc2_rank_faults_if_ranked(
    results: Sequence[Bc2Result],
    fault_log: Bc2FaultLog,
    must_be_unique: ResultFilter,
    *,
    rank_scope: str,
    ranks_required: bool,
) -> bool:
    """Note missing ranks (R644), if any result has a rank or ranks are required, and repeated ranks (R609).

    must_be_unique: for which results repeated ranks are faults; rank_scope: "article" or "pair", within which ranks
    count. With repairs on, faulty lists are renumbered. Returns whether the results have ranks.
    """
    ranked = [result for result in results if result.rank is not None]
    if not ranked and not ranks_required:
        return False
    groups: dict[Hashable, list[Bc2Result]] = {}
    for result in results:
        pair = result.item[:2] if result.item is not None else None
        groups.setdefault(
            result.article if rank_scope == "article" else (result.article, pair or result.position), []
        ).append(result)
    for group in groups.values():
        if fault_log.repair:
            _renumber_ranks(group, fault_log)
        else:
            _note_bc2_rank_faults(group, fault_log, must_be_unique, rank_scope)
    return True


def _note_bc2_rank_faults(
    results: Iterable[Bc2Result], fault_log: Bc2FaultLog, must_be_unique: ResultFilter, group_name: str
) -> None:
    """Note the faults of the ranks in one list."""
    results_by_rank: dict[int, Bc2Result] = {}
    for result in results:
        if result.rank is None:
            if result.rank_position == result.position:
                fault_log.note_fault_or_repair(
                    "R644", result.position, "this result has no rank - add one, as for the other results"
                )
            continue
        earlier = results_by_rank.setdefault(result.rank, result)
        if earlier is not result and must_be_unique(result):
            fix = f"give each result of the {group_name} its own rank"
            fault_log.note_fault_or_repair(
                "R609",
                result.rank_position,
                f"rank {result.rank} of this {group_name} is already in line {earlier.rank_position.line} - {fix}",
            )


def _renumber_ranks(results: Sequence[Bc2Result], fault_log: Bc2FaultLog) -> None:
    """Give every result of a list its own rank: equal ranks in the order of the file, results without a rank last."""
    last_rank = 0
    for result in sorted(results, key=_rank_sort_key):
        rank = last_rank + 1 if result.rank is None else max(result.rank, last_rank + 1)
        if rank != result.rank:
            rule, problem = (
                ("R644", "no rank") if result.rank is None else ("R609", f"rank {result.rank}, which was already used")
            )
            fault_log.note_fault_or_repair(
                rule, result.rank_position, "", f"this result had {problem}; its rank is now {rank}"
            )
        result.rank = last_rank = rank


def split_pairs_into_ranked_interactors(pairs: Sequence[Bc2Result]) -> list[Bc2Result]:
    """The partners of pairs, each once in an article, at the rank of its best pair.

    The partners of a pair with rank r get the ranks 2r - 1 and 2r, in the order of their identifiers.
    """
    interactors: dict[tuple[str, str], Bc2Result] = {}
    for pair in sorted(pairs, key=_rank_sort_key):
        for index, partner in enumerate(pair.item or ()):
            rank = None if pair.rank is None else 2 * pair.rank - 1 + index
            interactors.setdefault((pair.article, partner), replace(pair, item=(partner,), rank=rank))
    return sorted(interactors.values(), key=lambda pair: pair.position)
