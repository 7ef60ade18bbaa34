"""The signature of a score: one line with all settings that affect it, so that two scores can be compared."""

from argparse import Namespace
from collections.abc import Iterator

from annotations.formats.tsv.result_table import ResultTable
from bcms.lib.version import VERSION
from evaluation.commands.figures.run_scores import excludes_unanswered
from evaluation.commands.files.inputs import format_short_file_sha256
from evaluation.commands.options.open_task import ITEM_TASKS, LABEL_TASKS, build_task_settings
from evaluation.commands.options.task import PASSAGE_TASKS, get_run_rules
from evaluation.commands.options.values import DEFAULT_SEED
from evaluation.measures.list_order import choose_rank_else_confidence_else_line


def build_score_signature(options: Namespace, run: ResultTable, gold_checksum: str) -> str:
    """The task, all settings that change a figure, the checksum of the gold standard and the software version."""
    return "|".join([options.task, *_iter_signature_parts(options, run), f"gold:{gold_checksum}", f"bcms:{VERSION}"])


def _iter_signature_parts(options: Namespace, run: ResultTable) -> Iterator[str]:
    """name:value for each option and column of the run that affects the figures."""
    yield f"profile:{get_profile_name(options)}"
    if options.task in ITEM_TASKS:
        yield from build_task_settings(options).describe()
        yield from [f"scheme:{options.scheme}"] if options.scheme else []
    elif options.task != "gm":
        yield f"rules:{get_run_rules(options).name}"
        yield f"columns:{','.join(run.extras) or 'none'}"
        yield f"order:{options.order or choose_rank_else_confidence_else_line(run)}"
    if options.mend:
        yield f"mended:{len(run.repairs)}"
    if options.names:
        yield f"names:{format_short_file_sha256(options.names)}"
    if options.bootstrap is not None:
        yield f"bootstrap:{options.bootstrap}"
        yield f"seed:{DEFAULT_SEED if options.seed is None else options.seed}"
    if options.task == "act":
        yield f"unreported:{options.unreported or 'ignore'}"
    elif options.task not in PASSAGE_TASKS | LABEL_TASKS:
        yield f"unanswered:{'left-out' if excludes_unanswered(options) else 'kept'}"
        yield from _iter_list_signature_parts(options)


def get_profile_name(options: Namespace) -> str:
    return options.profile or "bc3"


def _iter_list_signature_parts(options: Namespace) -> Iterator[str]:
    yield f"beta:{options.beta or 1.0:g}"
    if options.interactors:
        yield "interactors"
    if options.cutoff_rank:
        yield f"cutoff-rank:{options.cutoff_rank}"
    if options.min_confidence is not None:
        yield f"min-confidence:{options.min_confidence!r}"
    if options.spans:
        yield f"spans:{options.spans}"
    for name in ("homonyms", "organisms", "alternatives"):
        if path := getattr(options, name):
            yield f"{name}:{format_short_file_sha256(path)}"
    if options.swissprot:
        yield f"swissprot-{options.swissprot.side}:{format_short_file_sha256(options.swissprot.path)}"
