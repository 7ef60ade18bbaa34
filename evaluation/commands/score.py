"""The command `score`: every figure of runs against a gold standard."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from annotations.formats.maps_tsv import read_accessions, read_homonyms, read_organisms
from annotations.formats.tsv_faults import Notes
from evaluation.commands.arguments import add_task, check_options, columns_of
from evaluation.commands.columns import articles, gold_columns
from evaluation.commands.inputs import Inputs, checksum, opened, tell
from evaluation.commands.refusals import UsageError
from evaluation.commands.report import FORMATS, Report, written
from evaluation.commands.runs import Files, Run, read_files
from evaluation.commands.scored import Maps, score
from evaluation.commands.signature import profile, signature
from evaluation.commands.values import positive, share, swissprot, whole_number
from evaluation.measures.mapping import accessions


def add_arguments(parser: ArgumentParser) -> None:
    """The options of score."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="runs, and as the last the gold standard")
    add_task(parser)
    add = parser.add_argument
    add("--order", choices=("rank", "confidence", "line"), help="what a list is ordered by (default: the first it has)")
    add("--profile", choices=("bc3", "bc25"), help="whether unanswered documents stay (bc3, default) or not (bc25)")
    unanswered = parser.add_mutually_exclusive_group()
    unanswered.add_argument("--answered-only", action="store_true", help="leave out unanswered documents")
    unanswered.add_argument("--all-documents", action="store_true", help="keep unanswered documents")
    add("--cutoff-rank", type=whole_number, metavar="K", help="only the first K results of each document count")
    add("--min-confidence", type=share, metavar="C", help="a list ends at its first result below C")
    add("--homonyms", metavar="FILE", help="accessions that count as a gold one: accession, tab, comma list")
    add("--organisms", metavar="FILE", help="taxon of each accession; drops results of other organisms than the gold's")
    add("--swissprot", type=swissprot, metavar="FILE:SIDE", help="keep gold or results to these accessions")
    add("--per-organism", action="store_true", help="the figures of each organism, too (needs --organisms)")
    add("--interactors", action="store_true", help="score pairs as their interactors (ipt)")
    add("--unreported", choices=("ignore", "negative"), help="what an article without a call counts as (act)")
    add("--beta", type=positive, metavar="B", help="weight of recall in F and FAP (default: 1)")
    add("--format", choices=FORMATS, default="table", help="how the figures are written (default: table)")


def run(options: Namespace) -> int:
    """Score all runs once all files are checked; 0."""
    *runs, gold = options.files
    check_usage(options, runs)
    inputs = Inputs()
    files = read_files(options, runs, gold, inputs, by_line=options.order == "line")
    maps = read_maps(options, inputs)
    check_organisms(options, files, maps, inputs)
    inputs.finish()
    tell(note for own in files.runs for note in mismatches(options, own))
    print(written(reports(options, files, maps, checksum(gold)), options.format))
    return 0


def check_usage(options: Namespace, runs: Sequence[str]) -> None:
    """UsageError when files or options are lacking or do not go together."""
    if not runs:
        raise UsageError("Give at least two files: one or more runs, and the gold standard as the last.")
    check_options(options)
    columns = columns_of(options)
    if options.order in ("rank", "confidence") and columns is not None and options.order not in columns:
        raise UsageError(f"--order {options.order} needs that column, but --columns says that there is none.")
    if options.per_organism and not options.organisms:
        raise UsageError("--per-organism needs --organisms FILE, which says of what organism each accession is.")


def read_maps(options: Namespace, inputs: Inputs) -> Maps:
    """The files that the options name; what is wrong with them is gathered in inputs."""
    return Maps(
        inputs.read(options.homonyms, read_homonyms) if options.homonyms else None,
        inputs.read(options.organisms, read_organisms) if options.organisms else None,
        inputs.read(options.swissprot.path, read_accessions) if options.swissprot else None,
    )


def check_organisms(options: Namespace, files: Files, maps: Maps, inputs: Inputs) -> None:
    """Every accession of the gold standard that is looked up has an organism: of documents with results, or all."""
    if files.gold is None or maps.organisms is None:
        return
    answered = {name for own in files.runs for name in own.table.article.names}
    right = gold_columns(files.gold).item
    looked_up = [
        right.names[code]
        for article, code in zip(articles(files.gold), right.codes.tolist(), strict=True)
        if options.per_organism or article in answered
    ]
    faults = Notes()
    for name in dict.fromkeys(name for item in looked_up for name in accessions(item)):
        if name not in maps.organisms:
            faults.add(
                "R615", 0, 0, f"accession {name} of the gold standard has no organism - add a line with its taxon"
            )
    with opened(options.organisms) as stream:
        inputs.faults += faults.told(stream, options.organisms)


def mismatches(options: Namespace, own: Run) -> list[str]:
    """Notes on what an option cannot do to this run. UsageError when it has not the column that it is ordered by."""
    if options.order in ("rank", "confidence") and options.order not in own.table.extras:
        raise UsageError(f"{own.path} has no {options.order} column; choose another --order.")
    if options.min_confidence is not None and own.table.confidence is None:
        return [f"{own.path}: no confidences, so --min-confidence cuts nothing"]
    return []


def reports(options: Namespace, files: Files, maps: Maps, gold: str) -> list[Report]:
    """The figures of every run."""
    right = files.gold
    if right is None:
        raise UsageError("There is no gold standard to score against; give one as the last file.")
    return [
        Report(
            own.name,
            options.task,
            profile(options),
            signature(options, own.table, gold),
            score(options, own.table, right, maps),
        )
        for own in files.runs
    ]
