"""The command `ensemble`: several runs combined into one by votes."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotations.schema import Span
from evaluation.analyses.ensemble import combine_call_runs_by_votes, combine_list_runs_by_votes
from evaluation.analyses.run_truncation import sort_and_truncate_run_lists
from evaluation.commands.errors import UsageError
from evaluation.commands.files.inputs import InputFiles, print_to_stderr
from evaluation.commands.files.mention_files import read_mention_texts
from evaluation.commands.files.outputs import write_output_file_atomically
from evaluation.commands.files.pubtator_lines import format_items_as_pubtator, read_spellings
from evaluation.commands.files.table_columns import convert_run_calls, convert_run_table
from evaluation.commands.files.task_files import (
    RunFileTable,
    check_order_and_print_ineffective_options,
    read_task_files_noting_faults,
)
from evaluation.commands.options.open_task import (
    ITEM_TASKS,
    LABEL_TASKS,
    build_task_settings,
    choose_item_form_of_task,
)
from evaluation.commands.options.scenario import add_order_option
from evaluation.commands.options.task import (
    LIST_TASKS,
    MENTION_TASKS,
    TASK_CHOICES,
    add_task_and_run_reading_options,
    check_command_task_and_options,
)
from evaluation.commands.options.values import parse_positive_count, parse_unit_interval_number
from evaluation.measures.columns import CallColumns, RunColumns
from evaluation.measures.lists.accession_mapping import list_accessions_of_identifier_or_pair


@dataclass(frozen=True, slots=True)
class RunCutoff:
    """The cut-off of a run's lists by rank or confidence; None does not cut."""

    rank: int | None = None
    confidence: float | None = None


def add_arguments(parser: ArgumentParser) -> None:
    """The options of ensemble."""
    parser.add_argument("files", nargs="+", metavar="RUN", help="two or more runs")
    add_task_and_run_reading_options(parser)
    add_order_option(parser)
    parser.set_defaults(cutoff_rank=None, min_confidence=None)
    add = parser.add_argument
    add(
        "--votes",
        type=parse_positive_count,
        required=True,
        metavar="M",
        help="minimum number of runs that report a result",
    )
    add(
        "--cutoffs",
        type=_parse_run_cutoffs,
        metavar="C,...",
        help="cut-off of each run: a confidence such as 0.04, a rank such as rank:11, or none (default: none for all)",
    )
    add("-o", "--output", required=True, metavar="FILE", help="file for the combined run")


def _parse_run_cutoffs(text: str) -> list[RunCutoff]:
    """Parse an argument such as 0.04,none,rank:11."""
    return [_parse_run_cutoff(part) for part in text.split(",")]


def _parse_run_cutoff(text: str) -> RunCutoff:
    if text == "none":
        return RunCutoff()
    if text.startswith("rank:"):
        return RunCutoff(rank=parse_positive_count(text.removeprefix("rank:")))
    try:
        return RunCutoff(confidence=parse_unit_interval_number(text))
    except ArgumentTypeError:
        raise ArgumentTypeError(f"{text!r} is not a confidence from 0 to 1, rank:K or none") from None


def run(options: Namespace) -> int:
    """Write the combined run after checking all runs; return 0."""
    _check_ensemble_options(options)
    inputs = InputFiles()
    files = read_task_files_noting_faults(options, options.files, None, inputs, ignores_ranks=options.order == "line")
    inputs.raise_faults_or_print_notes()
    check_order_and_print_ineffective_options(options, files.runs)
    result_count: int | None = None
    if options.task == "act":
        lines = list(
            _iter_ensemble_call_lines(
                combine_call_runs_by_votes([convert_run_calls(source.table) for source in files.runs], options.votes)
            )
        )
    elif options.task in ITEM_TASKS:
        lines, result_count = _list_ensemble_item_lines(options, files.runs)
    elif options.task in MENTION_TASKS:
        combined = combine_list_runs_by_votes([convert_run_table(source.table) for source in files.runs], options.votes)
        lines = list(
            _iter_ensemble_mention_lines(
                combined, [source.path for source in files.runs], ignores_white_space=files.ignores_white_space
            )
        )
    else:
        cutoffs = options.cutoffs or [RunCutoff()] * len(files.runs)
        truncated = [
            _truncate_run_table(options, source, cutoff) for source, cutoff in zip(files.runs, cutoffs, strict=True)
        ]
        combined = combine_list_runs_by_votes(truncated, options.votes)
        lines, result_count = list(_iter_ensemble_list_lines(combined)), len(combined)
        if options.task in LABEL_TASKS:
            lines += _list_articles_without_label(combined, files.runs)
    write_output_file_atomically(
        options.output, "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"), "--output"
    )
    result_count = len(lines) if result_count is None else result_count
    print(f"{options.output}: results: {result_count:,}, of {options.votes} or more of {len(files.runs)} runs")
    return 0


def _check_ensemble_options(options: Namespace) -> None:
    """UsageError when the numbers of runs, votes and cut-offs do not fit together."""
    check_command_task_and_options(options, frozenset(TASK_CHOICES), "ensemble")
    runs = len(options.files)
    if runs < 2:
        raise UsageError("Give at least two runs to combine.")
    if any(_is_same_file(options.output, path) for path in options.files):
        raise UsageError(f"--output {options.output} is one of the runs; choose another file for the combined run.")
    if options.task in ITEM_TASKS and choose_item_form_of_task(options) == "concept":
        raise UsageError(
            "ensemble cannot write entities of articles without mentions; leave out identifiers=article of --match."
        )
    if options.votes > runs:
        raise UsageError(
            f"--votes {options.votes} is more than the number of runs, {runs}; give a number from 1 to {runs}."
        )
    if options.cutoffs and options.task not in LIST_TASKS:
        raise UsageError(f"--cutoffs does not work with --task {options.task}, which has no lists; leave it out.")
    if options.cutoffs and len(options.cutoffs) != runs:
        raise UsageError(
            f"--cutoffs has {len(options.cutoffs)} values for {runs} runs; give one for each run, or leave it out."
        )


def _is_same_file(first: str, second: str) -> bool:
    return Path(first).resolve() == Path(second).resolve()


def _truncate_run_table(options: Namespace, source: RunFileTable, cutoff: RunCutoff) -> RunColumns:
    try:
        return sort_and_truncate_run_lists(
            convert_run_table(source.table),
            order=options.order,
            cutoff_rank=cutoff.rank,
            min_confidence=cutoff.confidence,
        )
    except ValueError as error:
        raise UsageError(f"{source.path}: {error}") from None


def _list_ensemble_item_lines(options: Namespace, runs: Sequence[RunFileTable]) -> tuple[list[str], int]:
    """Lines of PubTator, and the number of results in them; prints how many it cannot hold."""
    combined = combine_list_runs_by_votes([convert_run_table(source.table) for source in runs], options.votes)
    codes = zip(combined.document.codes.tolist(), combined.item.codes.tolist(), strict=True)
    rows = [(combined.document.names[document], combined.item.names[item]) for document, item in codes]
    found = format_items_as_pubtator(
        choose_item_form_of_task(options),
        rows,
        read_spellings([source.path for source in runs], build_task_settings(options)),
    )
    if found.left_out:
        reason = "PubTator has no mentions in parts, and no relations of more than two entities, with roles or negated"
        print_to_stderr([f"{options.output}: results left out: {found.left_out:,}; {reason}"])
    return found.lines, len(rows) - found.left_out


def _iter_ensemble_list_lines(combined: RunColumns) -> Iterator[str]:
    """Lines of the document, its item (identifier, pair, or pair and passage), rank, and confidence if all have one."""
    for row, (document, item) in enumerate(
        zip(combined.document.codes.tolist(), combined.item.codes.tolist(), strict=True)
    ):
        names = list_accessions_of_identifier_or_pair(combined.item.names[item])
        yield "\t".join([combined.document.names[document], *names, *_format_rank_and_confidence(combined, row)])


def _list_articles_without_label(combined: RunColumns, runs: Sequence[RunFileTable]) -> list[str]:
    """The articles of the runs that have no label in the combined run."""
    labelled = {combined.document.names[code] for code in combined.document.codes.tolist()}
    return [
        name for name in dict.fromkeys(name for run in runs for name in run.table.article.names) if name not in labelled
    ]


def _iter_ensemble_mention_lines(
    combined: RunColumns, paths: Sequence[str], *, ignores_white_space: bool
) -> Iterator[str]:
    """Lines of gene mentions, sorted by document and span, with the text of the first run that has it.

    ignores_white_space: write the format of GENE.eval, else PubTator.
    """
    texts = {key: text for path in reversed(paths) for key, text in read_mention_texts(path).items()}
    rows = zip(combined.document.codes.tolist(), combined.item.codes.tolist(), strict=True)
    for document, (start, end) in sorted((document, Span(*combined.item.names[item])) for document, item in rows):
        name = combined.document.names[document]
        text = texts[name, Span(start, end)]
        yield f"{name}|{start} {end - 1}|{text}" if ignores_white_space else f"{name}\t{start}\t{end}\t{text}\tGene"


def _iter_ensemble_call_lines(combined: CallColumns) -> Iterator[str]:
    """Lines of the article, its class, the rank, and the mean confidence if every article has one."""
    for row, (article, relevant) in enumerate(zip(combined.article, combined.relevant.tolist(), strict=True)):
        yield "\t".join([article, str(int(relevant)), *_format_rank_and_confidence(combined, row)])


def _format_rank_and_confidence(combined: RunColumns | CallColumns, row: int) -> list[str]:
    rank = [] if combined.rank is None else [str(combined.rank[row])]
    return rank if combined.confidence is None else [*rank, repr(float(combined.confidence[row]))]
