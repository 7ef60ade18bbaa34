"""The figures of one run of mentions with types, links, entities of articles, relations or labels."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from annotations.formats.tsv.result_table import ResultTable
from evaluation.analyses.tables.count_tables import (
    LABEL_FIGURES,
    MICRO_COUNT_FIGURES,
    CountTable,
    build_label_table,
    build_scheme_table,
    compute_count_figures,
)
from evaluation.commands.figures.run_scores import (
    ORDER_DEPENDENT_FIGURES,
    FigureValue,
    RunScore,
    build_scoring_scenario,
    clear_order_dependent_figures,
    combine_micro_and_macro,
)
from evaluation.commands.files.scoring_maps import ScoringMaps
from evaluation.commands.files.table_columns import convert_gold_table, convert_run_table
from evaluation.commands.files.task_files import RunFileTable, TaskFiles
from evaluation.commands.options.open_task import LABEL_TASKS, get_mention_scheme, has_ranked_items
from evaluation.measures.columns import CodedColumn, Integers, Item, MentionItem
from evaluation.measures.items.labels import LabelCounts, count_label_values
from evaluation.measures.lists.scenarios import EvaluatedRun, match_run_and_mark_hits
from evaluation.measures.mentions.schemes import (
    MENTION_SCHEMES,
    MentionScheme,
    SchemeCounts,
    count_mentions_of_all_articles_by_scheme,
)
from evaluation.measures.run_figures import compute_evaluated_figures

TYPE_FIGURES = ("tp", "fp", "fn", "precision", "recall", "f1")


def score_open_run(options: Namespace, run_file: RunFileTable, files: TaskFiles, maps: ScoringMaps) -> RunScore:
    """Score a run of one of ITEM_TASKS or LABEL_TASKS; the options must be checked."""
    gold = files.get_gold_for_runs([run_file])
    if options.task in LABEL_TASKS:
        return _score_labels(options, run_file.table, gold)
    scheme = get_mention_scheme(options)
    evaluated = evaluate_open_table(options, run_file.table, gold, maps)
    evaluated_by_type = {
        name: evaluate_open_table(options, run_file.table_by_type[name], gold_of_type, maps)
        for name, gold_of_type in files.gold_by_type.items()
    }
    score = _score_items(options, evaluated) if scheme is None else _score_by_scheme(evaluated, scheme)
    return replace(
        score,
        schemes=_compute_figures_of_schemes(evaluated) if options.task == "ner" else {},
        types={name: _compute_type_figures(options, one, scheme) for name, one in evaluated_by_type.items()},
    )


def evaluate_open_table(options: Namespace, run: ResultTable, gold: ResultTable, maps: ScoringMaps) -> EvaluatedRun:
    return match_run_and_mark_hits(
        convert_gold_table(gold), convert_run_table(run), build_scoring_scenario(options, maps)
    )


def build_open_count_table(
    options: Namespace, run: ResultTable, gold: ResultTable, maps: ScoringMaps
) -> CountTable | None:
    """The table of labels, or of mentions by the scheme of the options; None for tasks with lists of hits."""
    if options.task in LABEL_TASKS:
        return build_label_table(_count_labels(options, run, gold))
    if (scheme := get_mention_scheme(options)) is None:
        return None
    return build_scheme_table(_count_by_scheme(evaluate_open_table(options, run, gold, maps), scheme))


def list_count_figures(options: Namespace) -> Sequence[str]:
    """The figures of the tables of build_open_count_table."""
    return LABEL_FIGURES if options.task in LABEL_TASKS else MICRO_COUNT_FIGURES


def _score_items(options: Namespace, evaluated: EvaluatedRun) -> RunScore:
    figures = compute_evaluated_figures(evaluated, options.beta or 1.0)
    is_ranked = has_ranked_items(options)
    named_figures = combine_micro_and_macro(figures)
    return RunScore(
        figures.documents,
        figures.answered,
        figures.results,
        figures.unknown_documents,
        named_figures if is_ranked else clear_order_dependent_figures(named_figures),
        [name for name in figures.undefined if is_ranked or name not in ORDER_DEPENDENT_FIGURES],
        figures.empty_lists,
        {} if is_ranked else dict.fromkeys(ORDER_DEPENDENT_FIGURES, "no ranking"),
    )


def _score_by_scheme(evaluated: EvaluatedRun, scheme: MentionScheme) -> RunScore:
    table = build_scheme_table(_count_by_scheme(evaluated, scheme))
    figures = compute_count_figures(table, MICRO_COUNT_FIGURES)
    return RunScore(
        len(evaluated.gold_items.documents),
        evaluated.answered,
        len(evaluated.lists),
        evaluated.unknown_documents,
        _group_by_average(figures),
        _name_undefined(figures),
    )


def _score_labels(options: Namespace, run: ResultTable, gold: ResultTable) -> RunScore:
    counts = _count_labels(options, run, gold)
    figures = compute_count_figures(build_label_table(counts))
    known = frozenset(counts.articles)
    unknown = [name for name in run.article.names if name not in known]
    by_value = zip(counts.values, counts.counts.sum(axis=0), strict=False)
    types = {value: _compute_figures_of_counts(*row.tolist()) for value, row in by_value}
    return RunScore(
        len(counts.articles),
        len(run.article.names) - len(unknown),
        len(run),
        unknown,
        _group_by_average(figures),
        _name_undefined(figures),
        types=types,
    )


def _count_labels(options: Namespace, run: ResultTable, gold: ResultTable) -> LabelCounts:
    gold_columns, run_columns = convert_gold_table(gold), convert_run_table(run)
    return count_label_values(
        _group_texts(gold_columns.document, gold_columns.item),
        _group_texts(run_columns.document, run_columns.item),
        tuple(options.label or ()),
    )


def _group_texts(document: CodedColumn[str], item: CodedColumn[Item]) -> dict[str, list[str]]:
    values: dict[str, dict[str, None]] = {name: {} for name in document.names}
    for document_code, item_code in zip(document.codes.tolist(), item.codes.tolist(), strict=True):
        values[document.names[document_code]][str(item.names[item_code])] = None
    return {name: list(own) for name, own in values.items()}


def _compute_figures_of_schemes(evaluated: EvaluatedRun) -> dict[MentionScheme, Mapping[str, FigureValue]]:
    """{scheme: figures and numbers of correct, incorrect, half correct, missed and spurious mentions}."""
    totals = {scheme: sum(_count_by_scheme(evaluated, scheme).values(), SchemeCounts()) for scheme in MENTION_SCHEMES}
    return {
        scheme: {
            **{name: getattr(total, name) for name in ("precision", "recall", "f1")},
            **{name: getattr(total, name) for name in ("correct", "incorrect", "partial", "missed", "spurious")},
        }
        for scheme, total in totals.items()
    }


def _compute_type_figures(
    options: Namespace, evaluated: EvaluatedRun, scheme: MentionScheme | None
) -> Mapping[str, FigureValue]:
    if scheme is not None:
        total = sum(_count_by_scheme(evaluated, scheme).values(), SchemeCounts())
        return _compute_figures_of_counts(total.credit, total.predicted, total.gold)
    micro = compute_evaluated_figures(evaluated, options.beta or 1.0).micro
    return {name: getattr(micro, name) for name in TYPE_FIGURES}


def _count_by_scheme(evaluated: EvaluatedRun, scheme: MentionScheme) -> dict[str, SchemeCounts]:
    """{document: counts} of mentions."""
    gold, predicted = (
        _group_mentions(evaluated, side.document, side.item) for side in (evaluated.gold_items, evaluated.lists)
    )
    return count_mentions_of_all_articles_by_scheme(gold, predicted, scheme)


def _group_mentions(evaluated: EvaluatedRun, document: Integers, item: Integers) -> dict[str, list[MentionItem]]:
    """{document: mentions} of all evaluated documents; document, item: int [rows]."""
    names, items = evaluated.gold_items.documents, evaluated.lists.items
    mentions: dict[str, list[MentionItem]] = {name: [] for name in names}
    for document_code, code in zip(document.tolist(), item.tolist(), strict=True):
        if isinstance(mention := items[code], MentionItem):
            mentions[names[document_code]].append(mention)
    return mentions


def _compute_figures_of_counts(credit: float, predicted: float, gold: float) -> dict[str, FigureValue]:
    table = CountTable(np.array([[1.0, 0.0, credit, predicted, gold, 0.0, 0.0, 0.0]]), 1)
    figures = compute_count_figures(table, MICRO_COUNT_FIGURES)
    return {name.partition(".")[2]: _make_whole(name, value) for name, value in figures.items()}


def _group_by_average(figures: Mapping[str, float]) -> dict[str, dict[str, FigureValue]]:
    """{average: {figure: value}} of figures such as micro.f1 and instance_f1."""
    grouped: dict[str, dict[str, FigureValue]] = {}
    for name, value in figures.items():
        average, _, figure = name.replace("_", ".").partition(".")
        grouped.setdefault(average, {})[figure] = _make_whole(name, value)
    return grouped


def _make_whole(name: str, value: float) -> FigureValue:
    """Counts as whole numbers unless there are half points."""
    return int(value) if name.endswith(("tp", "fp", "fn")) and value == int(value) else value


def _name_undefined(figures: Mapping[str, float]) -> list[str]:
    """The micro figures that are 0/0 and given as 0."""
    predicted, gold = (figures["micro.tp"] + figures[f"micro.{name}"] for name in ("fp", "fn"))
    zeros = {"micro.precision": predicted, "micro.recall": gold, "micro.f1": predicted + gold}
    return [name for name, total in zeros.items() if not total]
