"""What the figures of a run mean, in one line, so that two scores can be compared."""

from argparse import Namespace
from collections.abc import Iterator

from annotations.formats.runs_tsv import Table
from bcms.lib.version import VERSION
from evaluation.commands.figures.scored import leaves_out
from evaluation.commands.files.inputs import checksum
from evaluation.commands.options.arguments import rules_of
from evaluation.commands.options.values import FIRST_SEED
from evaluation.measures.order import best_order


def signature(options: Namespace, run: Table, gold: str) -> str:
    """Task, profile, everything that changes a figure, the gold standard's checksum and this software's version."""
    return "|".join([options.task, *scenario(options, run), f"gold:{gold}", f"bcms:{VERSION}"])


def scenario(options: Namespace, run: Table) -> Iterator[str]:
    """What the options and the run's columns change of the figures, as name:value."""
    yield f"profile:{profile(options)}"
    if options.task != "gm":
        yield f"rules:{rules_of(options).name}"
        yield f"columns:{','.join(run.extras) or 'none'}"
        yield f"order:{options.order or best_order(run)}"
    if options.mend:
        yield f"mended:{len(run.repairs)}"
    if options.names:
        yield f"names:{checksum(options.names)}"
    if options.bootstrap is not None:
        yield f"bootstrap:{options.bootstrap}"
        yield f"seed:{FIRST_SEED if options.seed is None else options.seed}"
    if options.task == "act":
        yield f"unreported:{options.unreported or 'ignore'}"
    elif options.task != "iss":
        yield f"unanswered:{'left-out' if leaves_out(options) else 'kept'}"
        yield from of_lists(options)


def profile(options: Namespace) -> str:
    return options.profile or "bc3"


def of_lists(options: Namespace) -> Iterator[str]:
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
            yield f"{name}:{checksum(path)}"
    if options.swissprot:
        yield f"swissprot-{options.swissprot.side}:{checksum(options.swissprot.path)}"
