"""Convert the rows of a run that fits its phase to annotations by article."""

from collections import Counter
from collections.abc import Iterable, Mapping

from annotations.formats.tsv.result_table import ResultTable
from annotations.schema import AnnotationData, Kind
from evaluation.runs.files.identifier_forms import ensure_item_is_tuple, find_database_with_matching_pattern
from evaluation.runs.files.run_reader import RunFile

# The largest PostgreSQL integer. If a rank is larger, all ranks are replaced by their order.
MAX_STORED_RANK = 2**31 - 1


def build_annotations_by_article(
    run: RunFile, kind: Kind, article_by_name: Mapping[str, int]
) -> dict[int, list[AnnotationData]]:
    """Return {key of the article: its annotations}; articles that the run names without a result have an empty list.

    article_by_name: {name in the file: key of the article}; other articles are dropped. If the run has neither ranks
    nor confidences, the order of its lines gives the ranks.
    """
    table, articles = run.table, [article_by_name.get(name) for name in run.articles]
    annotations: dict[int, list[AnnotationData]] = {article: [] for article in articles if article is not None}
    values = _list_row_values(table, kind)
    columns = zip(
        table.article.codes.tolist(),
        values,
        _list_row_ranks(table),
        _list_row_confidences(table),
        _list_row_passages(table, kind),
        strict=True,
    )
    for code, (database, identifier, partner, relevant), rank, confidence, text in columns:
        article = articles[code]
        if article is not None:
            annotations[article].append(
                AnnotationData(
                    kind,
                    confidence,
                    rank,
                    database=database,
                    identifier=identifier,
                    partner=partner,
                    relevant=relevant,
                    text=text,
                )
            )
    return annotations


def _list_row_values(table: ResultTable, kind: Kind) -> Iterable[tuple[str, str, str, bool | None]]:
    """Return (database, identifier, partner, class) for each row; the class is None unless articles are classified."""
    if table.item is None:
        return (
            [("", "", "", bool(relevant)) for relevant in table.relevant.tolist()] if table.relevant is not None else []
        )
    values = [build_database_identifier_and_partner(kind, ensure_item_is_tuple(item)) for item in table.item.names]
    return [values[code] for code in table.item.codes.tolist()]


def build_database_identifier_and_partner(kind: Kind, item_parts: tuple[str, ...]) -> tuple[str, str, str, bool | None]:
    return (
        find_database_with_matching_pattern(kind, item_parts) or "",
        item_parts[0],
        item_parts[1] if len(item_parts) > 1 else "",
        None,
    )


def _list_row_passages(table: ResultTable, kind: Kind) -> Iterable[str]:
    """Return the passage of each row, empty for other kinds."""
    if kind != Kind.PASSAGE or table.item is None:
        return [""] * len(table)
    return [table.item.names[code][2] for code in table.item.codes.tolist()]


def _list_row_confidences(table: ResultTable) -> list[float | None]:
    return [None] * len(table) if table.confidence is None else table.confidence.tolist()


def _list_row_ranks(table: ResultTable) -> list[int | None]:
    """Return the rank of each row; all are None if only confidences give the order."""
    if table.rank is not None:
        return _compress_large_ranks(table.rank.tolist())
    return [None] * len(table) if table.confidence is not None else _rank_rows_by_line(table)


def _compress_large_ranks(ranks: list[int]) -> list[int | None]:
    """Return the ranks, or their positions in the sorted ranks if one is too large to be stored."""
    if max(ranks, default=0) <= MAX_STORED_RANK:
        return [*ranks]
    positions = {rank: position for position, rank in enumerate(sorted(set(ranks)), 1)}
    return [positions[rank] for rank in ranks]


def _rank_rows_by_line(table: ResultTable) -> list[int | None]:
    """Return the position of each row in its list: that of its article, or in a classification that of its class."""
    list_keys = table.article.codes.tolist() if table.relevant is None else table.relevant.tolist()
    counts: Counter[int] = Counter()
    ranks: list[int | None] = []
    for key in list_keys:
        counts[key] += 1
        ranks.append(counts[key])
    return ranks
