"""The command `cutoff`: the cut-off of a run's lists with the best FAP on training data."""

import json
from argparse import ArgumentParser, Namespace

from bcms.lib.svg.plot_sheets import PlotSheet
from evaluation.analyses.cutoff_search import (
    Averaging,
    CutoffSearch,
    search_lowest_confidence_with_best_fap,
    search_lowest_rank_with_best_fap,
)
from evaluation.commands.errors import UsageError
from evaluation.commands.figures.report import REPORT_FORMATS
from evaluation.commands.figures.run_scores import build_scoring_scenario, convert_tables_applying_interactors_option
from evaluation.commands.figures.text_tables import align_first_column_left_others_right
from evaluation.commands.files.inputs import InputFiles
from evaluation.commands.files.scoring_maps import (
    note_faults_of_gold_accessions_without_organism,
    read_scoring_maps_noting_faults,
)
from evaluation.commands.files.task_files import (
    RunFileTable,
    check_order_and_print_ineffective_options,
    read_task_files_noting_faults,
)
from evaluation.commands.options.plot import add_plot_option
from evaluation.commands.options.scenario import add_homonym_organism_interactor_beta_options, add_order_option
from evaluation.commands.options.task import (
    LIST_TASKS,
    add_task_and_run_reading_options,
    check_command_task_and_options,
)
from evaluation.commands.plots.plot_file import write_svg_and_print_plot_count
from evaluation.measures.columns import GoldColumns, RunColumns
from evaluation.measures.lists.scenarios import ScoringScenario
from evaluation.measures.run_figures import compute_list_figures
from evaluation.plotting.cutoff_curves import build_f_ap_fap_by_cutoff_panel


def add_arguments(parser: ArgumentParser) -> None:
    """The options of cutoff."""
    parser.add_argument("run", metavar="TRAIN-RUN", help="the run on the training data")
    parser.add_argument("gold", metavar="TRAIN-GOLD", help="the gold standard of the training data")
    add_task_and_run_reading_options(parser)
    add_order_option(parser)
    add_homonym_organism_interactor_beta_options(parser)
    parser.set_defaults(
        **dict.fromkeys(("profile", "cutoff_rank", "min_confidence", "swissprot", "unreported")),
        **dict.fromkeys(("alternatives", "spans")),
        answered_only=False,
        all_documents=False,
        per_organism=False,
    )
    parser.add_argument(
        "--by",
        choices=("confidence", "rank"),
        help="what to cut by (default: confidence, or rank if all confidences are equal)",
    )
    parser.add_argument("--format", choices=REPORT_FORMATS, default="table", help="output format (default: table)")
    add_plot_option(parser)


def run(options: Namespace) -> int:
    """Find the cut-off after checking all files; return 0."""
    check_command_task_and_options(options, LIST_TASKS, "cutoff")
    inputs = InputFiles()
    files = read_task_files_noting_faults(
        options, [options.run], options.gold, inputs, ignores_ranks=options.order == "line"
    )
    maps = read_scoring_maps_noting_faults(options, inputs, files)
    note_faults_of_gold_accessions_without_organism(options, files, maps, inputs)
    inputs.raise_faults_or_print_notes()
    train_run = files.runs[0]
    check_order_and_print_ineffective_options(options, [train_run])
    gold, lists = convert_tables_applying_interactors_option(
        options, train_run.table, files.get_gold_for_runs([train_run])
    )
    scenario = build_scoring_scenario(options, maps)
    search = _search_run_cutoff(options, train_run, gold, lists, scenario)
    if options.plot:
        title = f"{options.task.upper()}, cut-off of {train_run.name}"
        write_svg_and_print_plot_count(
            options.plot,
            PlotSheet(title, [[build_f_ap_fap_by_cutoff_panel(_choose_averaging(options), search, scenario.beta)]]),
        )
    print(
        {"json": _format_cutoff_json, "tsv": _format_cutoff_tsv, "table": _format_cutoff_table}[options.format](
            search, gold, lists, scenario
        )
    )
    return 0


def _choose_averaging(options: Namespace) -> Averaging:
    return "micro" if options.task == "imt" else "macro"


def _search_run_cutoff(
    options: Namespace, train_run: RunFileTable, gold: GoldColumns, lists: RunColumns, scenario: ScoringScenario
) -> CutoffSearch:
    """Search the cut-off: unless --by says otherwise, by rank when confidences are equal or missing."""
    is_informative = lists.confidence is not None and len(lists) > 0 and lists.confidence.min() < lists.confidence.max()
    criterion = options.by or ("confidence" if is_informative else "rank")
    try:
        return (
            search_lowest_confidence_with_best_fap if criterion == "confidence" else search_lowest_rank_with_best_fap
        )(gold, lists, scenario, _choose_averaging(options))
    except ValueError as error:
        raise UsageError(f"{train_run.path}: {error}") from None


def _format_cutoff_json(search: CutoffSearch, gold: GoldColumns, lists: RunColumns, scenario: ScoringScenario) -> str:
    """The cut-off, all tried values, and the figures before and after the cut."""
    before, after = (
        compute_list_figures(gold, lists, scenario),
        compute_list_figures(gold, lists, search.limit_scenario(scenario)),
    )
    values = {
        "by": search.criterion,
        "cutoff": int(search.value) if search.criterion == "rank" else search.value,
        "fap": search.fap,
        "results": {"before": before.results, "after": after.results},
        "macro_f1": {"before": before.macro.f1, "after": after.macro.f1},
        "micro_f1": {"before": before.micro.f1, "after": after.micro.f1},
        "tried": [
            {search.criterion: cutoff.value, "fap": cutoff.fap, "f": cutoff.f, "ap": cutoff.ap}
            for cutoff in search.tried
        ],
    }
    return json.dumps(values, indent=2)


def _format_cutoff_tsv(search: CutoffSearch, gold: GoldColumns, lists: RunColumns, scenario: ScoringScenario) -> str:
    """All tried values with their figures."""
    return "\n".join(
        [
            f"{search.criterion}\tfap\tf\tap",
            *(f"{cutoff.value:g}\t{cutoff.fap}\t{cutoff.f}\t{cutoff.ap}" for cutoff in search.tried),
        ]
    )


def _format_cutoff_table(search: CutoffSearch, gold: GoldColumns, lists: RunColumns, scenario: ScoringScenario) -> str:
    """The cut-off with the option that applies it, and the figures without and with it."""
    rows = [
        [
            "",
            "results",
            *(f"{average} {name}" for average in ("macro", "micro") for name in ("P", "R", "F1", "AP", "FAP")),
        ]
    ]
    for name, tried in (("uncut", scenario), ("cut", search.limit_scenario(scenario))):
        figures = compute_list_figures(gold, lists, tried)
        values = [
            value
            for averages in (figures.macro, figures.micro)
            for value in (averages.precision, averages.recall, averages.f1, averages.ap, averages.fap)
        ]
        rows.append([name, str(figures.results), *(f"{value:.5f}" for value in values)])
    head = f"{_format_cutoff_option(search)}  (FAP {search.fap:.5f}, the best of {len(search.tried)})"
    if rows[1][1] == rows[2][1]:
        head += "\nThis cuts nothing: no shorter lists are as good as the full ones."
    return "\n".join([head, "", *align_first_column_left_others_right(rows)])


def _format_cutoff_option(search: CutoffSearch) -> str:
    """The option to add to `score` for test data."""
    return f"--cutoff-rank {search.value:g}" if search.criterion == "rank" else f"--min-confidence {search.value:g}"
