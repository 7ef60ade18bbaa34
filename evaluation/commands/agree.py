"""The command `agree`: inter-annotator agreement of two or more producers."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict

from evaluation.analyses.error_causes import group_items_remaining_after_cuts_by_document
from evaluation.analyses.producer_agreement import (
    ProducerAgreement,
    compute_item_agreement_with_intervals,
    compute_label_agreement_with_intervals,
)
from evaluation.analyses.scores.leaderboard_scores import BOOTSTRAP_SAMPLES
from evaluation.analyses.significance.agreement_intervals import (
    AGREEMENT_FIGURES,
    IntervalsByFigure,
    WeightSource,
    build_weight_source,
)
from evaluation.commands.errors import UsageError
from evaluation.commands.figures.report import NO_VALUE, REPORT_FORMATS, format_figure_or_na
from evaluation.commands.figures.text_tables import align_first_column_left_others_right
from evaluation.commands.files.inputs import InputFiles
from evaluation.commands.files.table_columns import convert_run_calls, convert_run_table
from evaluation.commands.files.task_files import RunFileTable, read_task_files_noting_faults
from evaluation.commands.options.task import (
    TASK_CHOICES,
    add_task_and_run_reading_options,
    check_command_task_and_options,
)
from evaluation.commands.options.values import DEFAULT_SEED, parse_sample_count, parse_seed
from evaluation.measures.agreement import PairwiseAgreement


def add_arguments(parser: ArgumentParser) -> None:
    """The options of agree."""
    parser.add_argument("files", nargs="+", metavar="RUN", help="two or more runs, one for each producer")
    add_task_and_run_reading_options(parser)
    parser.add_argument(
        "--samples",
        type=parse_sample_count,
        default=BOOTSTRAP_SAMPLES,
        metavar="N",
        help="number of bootstrap samples of the articles for the 95 %% confidence intervals (default: 1,000)",
    )
    parser.add_argument("--seed", type=parse_seed, metavar="S", help="random seed of the samples (default: 1)")
    parser.add_argument("--format", choices=REPORT_FORMATS, default="table", help="output format (default: table)")


def run(options: Namespace) -> int:
    """Compare every two producers after checking all files; return 0."""
    check_command_task_and_options(options, frozenset(TASK_CHOICES), "agree")
    if len(options.files) < 2:
        raise UsageError("Give at least two runs to compare.")
    inputs = InputFiles()
    files = read_task_files_noting_faults(options, options.files, None, inputs, ignores_ranks=False)
    inputs.raise_faults_or_print_notes()
    seed = DEFAULT_SEED if options.seed is None else options.seed
    compute = _compute_run_call_agreement if options.task == "act" else _compute_run_item_agreement
    agreement = compute(files.runs, build_weight_source(options.samples, seed))
    if options.format == "json":
        print(_format_agreement_json(agreement, options.samples, seed))
    elif options.format == "tsv":
        print(_format_agreement_tsv(agreement))
    else:
        print(_format_agreement_table(agreement, options.samples, seed))
    return 0


def _compute_run_call_agreement(runs: Sequence[RunFileTable], get_weights: WeightSource) -> ProducerAgreement:
    """Agreement of classifications."""
    run_calls = [convert_run_calls(run.table) for run in runs]
    labels = [dict(zip(calls.article, calls.relevant.tolist(), strict=True)) for calls in run_calls]
    return compute_label_agreement_with_intervals([run.name for run in runs], labels, get_weights)


def _compute_run_item_agreement(runs: Sequence[RunFileTable], get_weights: WeightSource) -> ProducerAgreement:
    """Agreement on items.

    A run cannot report that it found nothing, so a document that is not in it counts as one without items.
    """
    items_of_runs = [group_items_remaining_after_cuts_by_document(convert_run_table(run.table)) for run in runs]
    articles = dict.fromkeys(article for items in items_of_runs for article in items)
    return compute_item_agreement_with_intervals(
        [run.name for run in runs],
        [{article: items.get(article, ()) for article in articles} for items in items_of_runs],
        get_weights,
    )


def _format_agreement_json(agreement: ProducerAgreement, samples: int, seed: int) -> str:
    """All figures with full double precision; null for 0/0, and for kappa without a third producer.

    intervals: [low, high] by the name of the figure, without those that have none.
    """
    values = {
        "producers": list(agreement.names),
        "articles": agreement.articles,
        "instances": agreement.instances,
        "fleiss_kappa": agreement.fleiss,
        "samples": samples,
        "seed": seed,
        "pairs": [
            {"a": agreement.names[a], "b": agreement.names[b], **asdict(pair), "intervals": agreement.intervals[a, b]}
            for (a, b), pair in agreement.pairs.items()
        ],
    }
    return json.dumps(values, indent=2)


def _format_agreement_tsv(agreement: ProducerAgreement) -> str:
    """One line for every two producers; the bounds of intervals come last."""
    head = ["a", "b", "instances", *AGREEMENT_FIGURES]
    head += [f"{name}_{bound}" for name in AGREEMENT_FIGURES for bound in ("low", "high")]
    rows = [
        [agreement.names[a], agreement.names[b], *_format_agreement_values(pair, agreement.intervals[a, b])]
        for (a, b), pair in agreement.pairs.items()
    ]
    return "\n".join("\t".join(row) for row in [head, *rows])


def _format_agreement_values(pair: PairwiseAgreement, intervals: IntervalsByFigure) -> list[str]:
    bounds = [bound for name in AGREEMENT_FIGURES for bound in intervals.get(name, (None, None))]
    values = (pair.instances, pair.joint, pair.kappa, pair.f1, *bounds)
    return [NO_VALUE if value is None else str(value) for value in values]


def _format_agreement_table(agreement: ProducerAgreement, samples: int, seed: int) -> str:
    """One row for every two producers, each figure with its interval, followed by the number of articles compared and
    Fleiss' kappa.
    """
    rows = [
        [
            f"{agreement.names[a]} - {agreement.names[b]}",
            str(pair.instances),
            *(
                text
                for name in AGREEMENT_FIGURES
                for text in (
                    format_figure_or_na(getattr(pair, name)),
                    _format_interval(agreement.intervals[a, b], name),
                )
            ),
        ]
        for (a, b), pair in agreement.pairs.items()
    ]
    head = ["producers", "instances"]
    head += [column for title in ("joint", "kappa", "F1") for column in (title, "95 % interval")]
    lines = align_first_column_left_others_right([head, *rows])
    lines += ["", f"articles compared: {agreement.articles:,}"]
    lines += [f"Intervals: {samples:,} bootstrap samples of the articles, seed {seed}; {NO_VALUE} below two articles"]
    if agreement.fleiss is not None:
        lines += [
            f"Fleiss' kappa of all {len(agreement.names)}: {agreement.fleiss:.5f}, instances: {agreement.instances:,}"
        ]
    return "\n".join(lines)


def _format_interval(intervals: IntervalsByFigure, name: str) -> str:
    return f"{intervals[name].low:.5f} to {intervals[name].high:.5f}" if name in intervals else NO_VALUE
