"""The command `causes`: why a run misses what it misses, and reports what is not right."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from evaluation.analyses.causes import Cause, Fault, Knowledge, by_cause, faults, reported_items
from evaluation.commands.errors import UsageError
from evaluation.commands.figures.report import FORMATS
from evaluation.commands.figures.text import aligned
from evaluation.commands.files.columns import gold_columns, run_columns
from evaluation.commands.files.inputs import Inputs
from evaluation.commands.files.maps import Maps, read_maps
from evaluation.commands.files.runs import read_files, tell_mismatches
from evaluation.commands.options.arguments import LISTS, MENTIONS, add_task, check_task
from evaluation.commands.options.scenario import add_order
from evaluation.commands.options.values import last_rank, share
from evaluation.measures.columns import Item
from evaluation.measures.scenarios import Scenario
from evaluation.measures.spans import Span


def add_arguments(parser: ArgumentParser) -> None:
    """The options of causes. Homonyms and organisms explain faults here; they do not mend any."""
    add = parser.add_argument
    add(
        "files",
        nargs="+",
        metavar="FILE",
        help="the run, runs of others that may have what it misses, and as the last the gold standard",
    )
    add_task(parser)
    add_order(parser)
    add("--cutoff-rank", type=last_rank, metavar="K", help="only the first K results of each document count (0: all)")
    add("--min-confidence", type=share, metavar="C", help="a list ends at its first result below C")
    add("--homonyms", metavar="FILE", help="accessions of the same name as a gold one: accession, tab, comma list")
    add("--organisms", metavar="FILE", help="taxon of each accession")
    add("--format", choices=FORMATS, default="table", help="numbers (table), every fault (tsv) or both (json)")
    parser.set_defaults(swissprot=None, alternatives=None)


def run(options: Namespace) -> int:
    """Tell the causes once all files are checked; 0."""
    check_task(options, LISTS | MENTIONS, "causes")
    *runs, gold = options.files
    if not runs:
        raise UsageError("Give at least two files: the run, and the gold standard as the last.")
    inputs = Inputs()
    files = read_files(options, runs, gold, inputs, by_line=options.order == "line")
    maps = read_maps(options, inputs, files)
    inputs.finish()
    own, *others = files.runs
    tell_mismatches(options, [own])
    lists = run_columns(own.table)
    known = Knowledge(
        maps.homonyms or {}, maps.organisms or {}, [reported_items(run_columns(other.table)) for other in others]
    )
    found = faults(gold_columns(files.gold_for(files.runs)), lists, scenario_of(options, maps), known)
    print({"json": as_json, "tsv": as_tsv, "table": as_table}[options.format](found))
    return 0


def scenario_of(options: Namespace, maps: Maps) -> Scenario:
    """Lists as they are but for the cuts, and documents without a right item, too."""
    return Scenario(
        order=options.order,
        cutoff_rank=options.cutoff_rank or None,
        min_confidence=options.min_confidence,
        alternatives=maps.alternatives,
        empty_documents=True,
    )


def as_json(found: Sequence[Fault]) -> str:
    """How many faults have each cause, and every fault; instead: what stands for it, or what it stands for."""
    values = {
        "causes": [
            {"fault": kind_of(miss=miss), "cause": cause, "number": number} for miss, cause, number in by_cause(found)
        ],
        "faults": [
            {
                "document": fault.document,
                "fault": kind_of(miss=fault.miss),
                "item": fault.item,
                "cause": fault.cause,
                "instead": fault.instead,
            }
            for fault in found
        ],
    }
    return json.dumps(values, indent=2)


def kind_of(*, miss: bool) -> str:
    return "miss" if miss else "false alarm"


def as_tsv(found: Sequence[Fault]) -> str:
    """One line for each fault."""
    rows = [
        [own.document, kind_of(miss=own.miss), named(own.item), own.cause, named(own.instead) if own.instead else ""]
        for own in found
    ]
    return "\n".join("\t".join(row) for row in [["document", "fault", "item", "cause", "instead"], *rows])


def named(item: Item) -> str:
    """An item in one cell: a pair with a space between, a mention as its first and last character."""
    if isinstance(item, Span):
        return f"{item.start} {item.end - 1}"
    return item if isinstance(item, str) else " ".join(item)


def as_table(found: Sequence[Fault]) -> str:
    """How many faults have each cause, and their share of all misses or of all false alarms."""
    rows = [row(cause, number, miss, found) for miss, cause, number in by_cause(found)]
    return "\n".join(aligned([["fault", "number", "share"], *rows])) if rows else "No miss and no false alarm."


def row(cause: Cause, number: int, miss: bool, found: Sequence[Fault]) -> list[str]:
    all_of_kind = sum(own.miss == miss for own in found)
    return [f"{kind_of(miss=miss)}: {cause}", str(number), f"{number / all_of_kind:.1%}"]
