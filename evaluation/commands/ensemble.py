"""The command `ensemble`: several runs joined to one by votes."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.analyses.cut_runs import cut_run
from evaluation.analyses.ensemble import call_ensemble, ensemble
from evaluation.commands.errors import UsageError
from evaluation.commands.files.columns import run_calls, run_columns
from evaluation.commands.files.inputs import Inputs
from evaluation.commands.files.mentions import mention_texts
from evaluation.commands.files.outputs import save
from evaluation.commands.files.runs import Run, read_files, tell_mismatches
from evaluation.commands.options.arguments import LISTS, MENTIONS, TASKS, add_task, check_task
from evaluation.commands.options.scenario import add_order
from evaluation.commands.options.values import share, whole_number
from evaluation.measures.columns import CallColumns, RunColumns
from evaluation.measures.mapping import accessions
from evaluation.measures.spans import Span


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a run's lists end, each None where they do not."""

    rank: int | None = None
    confidence: float | None = None


def add_arguments(parser: ArgumentParser) -> None:
    """The options of ensemble."""
    parser.add_argument("files", nargs="+", metavar="RUN", help="the runs, two or more")
    add_task(parser)
    add_order(parser)
    parser.set_defaults(cutoff_rank=None, min_confidence=None)
    add = parser.add_argument
    add("--votes", type=whole_number, required=True, metavar="M", help="how many runs must report a result")
    add(
        "--cutoffs",
        type=cuts,
        metavar="C,...",
        help="where each run ends: a confidence such as 0.04, a rank such as rank:11, or none (default: none for all)",
    )
    add("-o", "--output", required=True, metavar="FILE", help="where the joined run is written")


def cuts(text: str) -> list[Cut]:
    """An argument such as 0.04,none,rank:11."""
    return [cut(part) for part in text.split(",")]


def cut(text: str) -> Cut:
    if text == "none":
        return Cut()
    if text.startswith("rank:"):
        return Cut(rank=whole_number(text.removeprefix("rank:")))
    try:
        return Cut(confidence=share(text))
    except ArgumentTypeError:
        raise ArgumentTypeError(f"{text!r} is not a confidence from 0 to 1, rank:K or none") from None


def run(options: Namespace) -> int:
    """Write the joined run once all runs are checked; 0."""
    check_usage(options)
    inputs = Inputs()
    files = read_files(options, options.files, None, inputs, by_line=options.order == "line")
    inputs.finish()
    tell_mismatches(options, files.runs)
    if options.task == "act":
        lines = list(call_lines(call_ensemble([run_calls(own.table) for own in files.runs], options.votes)))
    elif options.task in MENTIONS:
        joined = ensemble([run_columns(own.table) for own in files.runs], options.votes)
        lines = list(mention_lines(joined, [own.path for own in files.runs], solid=files.solid))
    else:
        cutoffs = options.cutoffs or [Cut()] * len(files.runs)
        parts = [shortened(options, own, end) for own, end in zip(files.runs, cutoffs, strict=True)]
        lines = list(list_lines(ensemble(parts, options.votes)))
    save(options.output, "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"), "--output")
    print(f"{options.output}: results: {len(lines):,}, of {options.votes} or more of {len(files.runs)} runs")
    return 0


def check_usage(options: Namespace) -> None:
    """UsageError when numbers of runs, votes and cut-offs do not go together."""
    check_task(options, frozenset(TASKS), "ensemble")
    runs = len(options.files)
    if runs < 2:
        raise UsageError("Give at least two runs to join.")
    if any(same_file(options.output, path) for path in options.files):
        raise UsageError(f"--output {options.output} is one of the runs; choose another name for the joined run.")
    if options.votes > runs:
        raise UsageError(
            f"--votes {options.votes} is more than there are runs, {runs}; give a number from 1 to {runs}."
        )
    if options.cutoffs and options.task not in LISTS:
        raise UsageError(f"--cutoffs does not go with --task {options.task}, which has no lists; everything is a vote.")
    if options.cutoffs and len(options.cutoffs) != runs:
        raise UsageError(f"--cutoffs has {len(options.cutoffs)} values for {runs} runs; give one for each, or none.")


def same_file(first: str, second: str) -> bool:
    return Path(first).resolve() == Path(second).resolve()


def shortened(options: Namespace, own: Run, end: Cut) -> RunColumns:
    try:
        return cut_run(run_columns(own.table), order=options.order, cutoff_rank=end.rank, min_confidence=end.confidence)
    except ValueError as error:
        raise UsageError(f"{own.path}: {error}") from None


def list_lines(joined: RunColumns) -> Iterator[str]:
    """Document, the parts of the item (identifier, pair, pair and passage), rank, and confidence if all have one."""
    for row, (document, item) in enumerate(
        zip(joined.document.codes.tolist(), joined.item.codes.tolist(), strict=True)
    ):
        names = accessions(joined.item.names[item])
        yield "\t".join([joined.document.names[document], *names, *extras(joined, row)])


def mention_lines(joined: RunColumns, paths: Sequence[str], *, solid: bool) -> Iterator[str]:
    """Gene mentions by document and place, with the text of a run that has it, in the form of the runs: solid as
    GENE.eval, others as PubTator."""
    text = {key: own for path in reversed(paths) for key, own in mention_texts(path).items()}
    rows = zip(joined.document.codes.tolist(), joined.item.codes.tolist(), strict=True)
    for document, (start, end) in sorted((document, Span(*joined.item.names[item])) for document, item in rows):
        name = joined.document.names[document]
        said = text[name, Span(start, end)]
        yield f"{name}|{start} {end - 1}|{said}" if solid else f"{name}\t{start}\t{end}\t{said}\tGene"


def call_lines(joined: CallColumns) -> Iterator[str]:
    """Article, class, rank, and the mean confidence if every article has one."""
    for row, (article, relevant) in enumerate(zip(joined.article, joined.relevant.tolist(), strict=True)):
        yield "\t".join([article, str(int(relevant)), *extras(joined, row)])


def extras(joined: RunColumns | CallColumns, row: int) -> list[str]:
    rank = [] if joined.rank is None else [str(joined.rank[row])]
    return rank if joined.confidence is None else [*rank, repr(float(joined.confidence[row]))]
