"""The options that all commands share, and which options work with which task."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping

from annotations.formats.bc2_xml.result_tasks import BC2_TASKS
from annotations.formats.tsv.content import TASK_COLUMNS
from annotations.formats.tsv.result_reader import RUN_RULES, RunRules
from annotations.formats.tsv.result_table import ExtraColumn
from evaluation.commands.errors import UsageError
from evaluation.commands.options.open_task import (
    ITEM_TASKS,
    LABEL_TASKS,
    MATCH_MEMBERS,
    add_open_task_options,
    check_open_task_options,
    has_ranked_items,
)

LIST_TASKS = frozenset({"int", "gn", "imt", "ipt", "tx"})
MENTION_TASKS = frozenset({"gm"})
PASSAGE_TASKS = frozenset({"iss"})
TASK_CHOICES = (*TASK_COLUMNS, *sorted(MENTION_TASKS), *MATCH_MEMBERS)
COLUMN_CHOICES: Mapping[str, tuple[ExtraColumn, ...]] = {
    "rank,confidence": ("rank", "confidence"),
    "rank": ("rank",),
    "confidence": ("confidence",),
    "none": (),
}
TASK_HELP = (
    "task of the runs: act (articles, relevant or not), int (proteins), gn (genes), imt (methods), tx (organisms), "
    "ipt (pairs of proteins), iss (passages), gm (mentions of genes), ner (mentions of any types), nel (links of "
    "mentions, or entities of articles), relations, labels (of articles)"
)
# The tasks of each option that does not work with all of them.
TASKS_BY_OPTION = {
    "columns": frozenset(TASK_COLUMNS),
    "rules": frozenset(TASK_COLUMNS),
    "order": frozenset(TASK_COLUMNS),
    "profile": LIST_TASKS | MENTION_TASKS | ITEM_TASKS | {"act"},
    "answered_only": LIST_TASKS | MENTION_TASKS | ITEM_TASKS,
    "all_documents": LIST_TASKS | MENTION_TASKS | ITEM_TASKS,
    "cutoff_rank": LIST_TASKS,
    "min_confidence": LIST_TASKS,
    "homonyms": LIST_TASKS,
    "organisms": LIST_TASKS,
    "swissprot": LIST_TASKS,
    "per_organism": LIST_TASKS,
    "beta": LIST_TASKS | MENTION_TASKS | ITEM_TASKS,
    "interactors": frozenset({"ipt"}),
    "unreported": frozenset({"act"}),
    "further": LIST_TASKS | {"act"},
    "bootstrap": LIST_TASKS | MENTION_TASKS | PASSAGE_TASKS | ITEM_TASKS | LABEL_TASKS | {"act"},
    "alternatives": MENTION_TASKS,
    "spans": MENTION_TASKS,
    "mend": BC2_TASKS,
    "names": BC2_TASKS,
    "articles": LIST_TASKS | MENTION_TASKS | PASSAGE_TASKS | {"act"},
    "cap": LIST_TASKS | MENTION_TASKS | PASSAGE_TASKS | {"act"},
    "types": ITEM_TASKS,
    "match": ITEM_TASKS,
    "scheme": frozenset({"ner"}),
    "namespaces": frozenset({"nel", "relations"}),
    "exclude_type_pairs": frozenset({"relations"}),
    "type_spellings": ITEM_TASKS,
    "label_set": LABEL_TASKS,
    "label": LABEL_TASKS,
}


def add_task_and_run_reading_options(parser: ArgumentParser) -> None:
    """Add --task and the options for reading runs."""
    parser.add_argument("--task", required=True, choices=TASK_CHOICES, help=TASK_HELP)
    parser.add_argument(
        "--columns",
        choices=tuple(COLUMN_CHOICES),
        metavar="COLUMNS",
        help=f"columns after the result in a run: {' | '.join(COLUMN_CHOICES)} (default: detected and reported)",
    )
    parser.add_argument("--mend", action="store_true", help="repair BioCreative II XML and report each repair")
    parser.add_argument(
        "--names", metavar="FILE", help="identifiers that --mend writes for names: name, tab, identifier"
    )
    parser.add_argument("--rules", choices=tuple(RUN_RULES), help="rules for checking runs (default: library)")
    add_open_task_options(parser)


def check_task_options(options: Namespace) -> None:
    """UsageError when an option does not work with the task or with another option."""
    for name, tasks in TASKS_BY_OPTION.items():
        value = getattr(options, name, None)
        if value is not None and value is not False and options.task not in tasks:
            task_list = ", ".join(sorted(tasks))
            raise UsageError(
                f"--{name.replace('_', '-')} does not work with --task {options.task}; it is for {task_list}."
            )
    check_open_task_options(options)
    columns = find_extra_columns_given_by_option(options)
    missing = [name for name in get_run_rules(options).required_columns if columns is not None and name not in columns]
    if missing:
        raise UsageError(
            f"--rules {get_run_rules(options).name} needs a {missing[0]} column, but --columns has none; "
            "change one of the two options."
        )
    if getattr(options, "spans", None) and options.alternatives:
        raise UsageError("--alternatives works only with exact spans; leave out --spans or --alternatives.")
    order = getattr(options, "order", None)
    if order in ("rank", "confidence") and columns is not None and order not in columns:
        raise UsageError(f"--order {order} needs a {order} column, but --columns has none.")


def check_command_task_and_options(options: Namespace, supported_tasks: frozenset[str], command_name: str) -> None:
    """UsageError when the command does not support the task, or as in check_task_options."""
    if options.task not in supported_tasks:
        raise UsageError(
            f"{command_name} is not for --task {options.task}; it is for {', '.join(sorted(supported_tasks))}."
        )
    check_task_options(options)


def is_ranked_task(options: Namespace) -> bool:
    """Whether the results of the task have an order."""
    if options.task in ITEM_TASKS:
        return has_ranked_items(options)
    return options.task not in MENTION_TASKS


def find_extra_columns_given_by_option(options: Namespace) -> tuple[ExtraColumn, ...] | None:
    """The columns given by --columns, None when they are detected."""
    return None if options.columns is None else COLUMN_CHOICES[options.columns]


def get_run_rules(options: Namespace) -> RunRules:
    return RUN_RULES[options.rules or "library"]
