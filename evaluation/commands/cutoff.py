"""The command `cutoff`: where to end the lists of a run, by the best FAP on training data."""

import json
from argparse import ArgumentParser, Namespace

from bcms.lib.svg.sheet import Sheet
from evaluation.analyses.cutoff import Average, Cutoff, cutoff_by_confidence, cutoff_by_rank
from evaluation.commands.errors import UsageError
from evaluation.commands.figures.report import FORMATS
from evaluation.commands.figures.scored import scenario_of, sides
from evaluation.commands.figures.text import aligned
from evaluation.commands.files.inputs import Inputs
from evaluation.commands.files.maps import check_organisms, read_maps
from evaluation.commands.files.runs import Run, read_files, tell_mismatches
from evaluation.commands.options.arguments import LISTS, add_task, check_task
from evaluation.commands.options.plot import add_plot
from evaluation.commands.options.scenario import add_maps, add_order
from evaluation.commands.plots.plot_file import save_plots
from evaluation.measures.columns import GoldColumns, RunColumns
from evaluation.measures.run_figures import list_figures
from evaluation.measures.scenarios import Scenario
from evaluation.plotting.cutoff_curves import cutoff_panel


def add_arguments(parser: ArgumentParser) -> None:
    """The options of cutoff."""
    parser.add_argument("run", metavar="TRAIN-RUN", help="what the system says of the training data")
    parser.add_argument("gold", metavar="TRAIN-GOLD", help="their gold standard")
    add_task(parser)
    add_order(parser)
    add_maps(parser)
    parser.set_defaults(
        **dict.fromkeys(("profile", "cutoff_rank", "min_confidence", "swissprot", "unreported")),
        **dict.fromkeys(("alternatives", "spans")),
        answered_only=False,
        all_documents=False,
        per_organism=False,
    )
    parser.add_argument(
        "--by", choices=("confidence", "rank"), help="what to cut by (default: confidences that differ)"
    )
    parser.add_argument("--format", choices=FORMATS, default="table", help="how the cut-off is written")
    add_plot(parser)


def run(options: Namespace) -> int:
    """Find the cut-off once all files are checked; 0."""
    check_task(options, LISTS, "cutoff")
    inputs = Inputs()
    files = read_files(options, [options.run], options.gold, inputs, by_line=options.order == "line")
    maps = read_maps(options, inputs, files)
    check_organisms(options, files, maps, inputs)
    inputs.finish()
    own = files.runs[0]
    tell_mismatches(options, [own])
    right, lists = sides(options, own.table, files.gold_for([own]))
    scenario = scenario_of(options, maps)
    found = find(options, own, right, lists, scenario)
    if options.plot:
        title = f"{options.task.upper()}, cut-off of {own.name}"
        save_plots(options.plot, Sheet(title, [[cutoff_panel(average_of(options), found, scenario.beta)]]))
    print({"json": as_json, "tsv": as_tsv, "table": as_table}[options.format](found, right, lists, scenario))
    return 0


def average_of(options: Namespace) -> Average:
    return "micro" if options.task == "imt" else "macro"


def find(options: Namespace, own: Run, right: GoldColumns, lists: RunColumns, scenario: Scenario) -> Cutoff:
    """The cut-off: by rank where confidences are all the same or there are none, unless asked otherwise."""
    told = lists.confidence is not None and len(lists) > 0 and lists.confidence.min() < lists.confidence.max()
    by = options.by or ("confidence" if told else "rank")
    try:
        return (cutoff_by_confidence if by == "confidence" else cutoff_by_rank)(
            right, lists, scenario, average_of(options)
        )
    except ValueError as error:
        raise UsageError(f"{own.path}: {error}") from None


def as_json(found: Cutoff, right: GoldColumns, lists: RunColumns, scenario: Scenario) -> str:
    """The cut-off, what was tried, and the figures before and after."""
    before, after = list_figures(right, lists, scenario), list_figures(right, lists, found.applied(scenario))
    values = {
        "by": found.by,
        "cutoff": int(found.value) if found.by == "rank" else found.value,
        "fap": found.fap,
        "results": {"before": before.results, "after": after.results},
        "macro_f1": {"before": before.macro.f1, "after": after.macro.f1},
        "micro_f1": {"before": before.micro.f1, "after": after.micro.f1},
        "tried": [{found.by: own.value, "fap": own.fap, "f": own.f, "ap": own.ap} for own in found.tried],
    }
    return json.dumps(values, indent=2)


def as_tsv(found: Cutoff, right: GoldColumns, lists: RunColumns, scenario: Scenario) -> str:
    """Everything that was tried."""
    return "\n".join(
        [f"{found.by}\tfap\tf\tap", *(f"{own.value:g}\t{own.fap}\t{own.f}\t{own.ap}" for own in found.tried)]
    )


def as_table(found: Cutoff, right: GoldColumns, lists: RunColumns, scenario: Scenario) -> str:
    """The cut-off with the option that applies it, and the figures without and with it."""
    rows = [["", "results", *(f"{way} {name}" for way in ("macro", "micro") for name in ("P", "R", "F1", "AP", "FAP"))]]
    for name, own in (("uncut", scenario), ("cut", found.applied(scenario))):
        figures = list_figures(right, lists, own)
        values = [
            value
            for averages in (figures.macro, figures.micro)
            for value in (averages.precision, averages.recall, averages.f1, averages.ap, averages.fap)
        ]
        rows.append([name, str(figures.results), *(f"{value:.5f}" for value in values)])
    head = f"{option(found)}  (FAP {found.fap:.5f}, the best of {len(found.tried)})"
    if rows[1][1] == rows[2][1]:
        head += "\nIt cuts nothing: no shorter lists are as good as the whole ones."
    return "\n".join([head, "", *aligned(rows)])


def option(found: Cutoff) -> str:
    """What to add to `score` for test data."""
    return f"--cutoff-rank {found.value:g}" if found.by == "rank" else f"--min-confidence {found.value:g}"
