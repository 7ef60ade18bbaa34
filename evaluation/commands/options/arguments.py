"""What the commands take: arguments that several share, and which options go with which task."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping

from annotations.formats.bc2_xml import BC2_TASKS
from annotations.formats.runs_tsv import RULES, Extra, Rules
from annotations.formats.tsv_content import COLUMNS
from evaluation.commands.errors import UsageError

LISTS = frozenset({"int", "gn", "imt", "ipt", "tx"})
MENTIONS = frozenset({"gm"})
PASSAGES = frozenset({"iss"})
TASKS = (*COLUMNS, *sorted(MENTIONS))
COLUMN_CHOICES: Mapping[str, tuple[Extra, ...]] = {
    "rank,confidence": ("rank", "confidence"),
    "rank": ("rank",),
    "confidence": ("confidence",),
    "none": (),
}
MEANING = (
    "what the runs answer: act articles (relevant or not), int proteins, gn genes, imt methods, tx organisms, "
    "ipt pairs of proteins, iss passages, gm mentions of genes"
)
# Tasks of the options that do not go with all of them.
TASKS_OF = {
    "columns": frozenset(COLUMNS),
    "rules": frozenset(COLUMNS),
    "order": frozenset(COLUMNS),
    "profile": LISTS | MENTIONS | {"act"},
    "answered_only": LISTS | MENTIONS,
    "all_documents": LISTS | MENTIONS,
    "cutoff_rank": LISTS,
    "min_confidence": LISTS,
    "homonyms": LISTS,
    "organisms": LISTS,
    "swissprot": LISTS,
    "per_organism": LISTS,
    "beta": LISTS | MENTIONS,
    "interactors": frozenset({"ipt"}),
    "unreported": frozenset({"act"}),
    "bootstrap": LISTS | MENTIONS | PASSAGES | {"act"},
    "alternatives": MENTIONS,
    "spans": MENTIONS,
    "mend": BC2_TASKS,
    "names": BC2_TASKS,
}


def add_task(parser: ArgumentParser) -> None:
    """--task, and what tells how a run is read."""
    parser.add_argument("--task", required=True, choices=TASKS, help=MEANING)
    parser.add_argument(
        "--columns",
        choices=tuple(COLUMN_CHOICES),
        metavar="COLUMNS",
        help=f"what follows the result in a run: {' | '.join(COLUMN_CHOICES)} (default: found and told)",
    )
    parser.add_argument("--mend", action="store_true", help="mend BioCreative II XML, telling what was mended")
    parser.add_argument("--names", metavar="FILE", help="identifiers of names for --mend: name, tab, identifier")
    parser.add_argument("--rules", choices=tuple(RULES), help="how strictly a run is checked (default: library)")


def check_options(options: Namespace) -> None:
    """UsageError when an option is given that does not go with the task or with another option."""
    for name, tasks in TASKS_OF.items():
        value = getattr(options, name, None)
        if value is not None and value is not False and options.task not in tasks:
            written = ", ".join(sorted(tasks))
            raise UsageError(f"--{name.replace('_', '-')} does not go with --task {options.task}; it is for {written}.")
    columns = columns_of(options)
    lacking = [name for name in rules_of(options).needed if columns is not None and name not in columns]
    if lacking:
        raise UsageError(
            f"--rules {rules_of(options).name} asks for a {lacking[0]} column, but --columns says that there is none; "
            "change one of the two."
        )
    if getattr(options, "spans", None) and options.alternatives:
        raise UsageError("--alternatives goes with exact places only; leave out one of --spans and --alternatives.")
    order = getattr(options, "order", None)
    if order in ("rank", "confidence") and columns is not None and order not in columns:
        raise UsageError(f"--order {order} needs that column, but --columns says that there is none.")


def check_task(options: Namespace, tasks: frozenset[str], command: str) -> None:
    """UsageError when the command is not for this task, or as check_options."""
    if options.task not in tasks:
        raise UsageError(f"{command} is not for --task {options.task}; it is for {', '.join(sorted(tasks))}.")
    check_options(options)


def columns_of(options: Namespace) -> tuple[Extra, ...] | None:
    """The extra columns that the runs are said to have, None when they are to be found."""
    return None if options.columns is None else COLUMN_CHOICES[options.columns]


def rules_of(options: Namespace) -> Rules:
    return RULES[options.rules or "library"]
