"""Bootstrap intervals of the figures of a run, as far as they are asked for."""

from argparse import Namespace
from collections.abc import Mapping

import numpy as np

from annotations.formats.runs_tsv import Table
from evaluation.analyses.call_tables import CallTable, call_table
from evaluation.analyses.list_tables import FIGURES
from evaluation.analyses.organisms import ranked_by_organism
from evaluation.analyses.passages import passage_intervals
from evaluation.analyses.resampling import Interval, call_intervals, list_intervals
from evaluation.commands.figures.scored import OF_RANKING, scenario_of, sides
from evaluation.commands.files.columns import gold_classes, run_calls, submitted, verdicts
from evaluation.commands.files.maps import Maps
from evaluation.commands.options.arguments import MENTIONS, PASSAGES
from evaluation.commands.options.values import FIRST_SEED
from evaluation.measures.classification import Unreported
from evaluation.measures.columns import Floats
from evaluation.measures.passages import passage_counts
from evaluation.measures.ranking import RankedHits
from evaluation.measures.scenarios import evaluated


def generator(options: Namespace) -> np.random.Generator:
    """What --seed says that samples begin with: the same for every run, so that all are drawn alike."""
    return np.random.default_rng(FIRST_SEED if options.seed is None else options.seed)


def intervals_of(options: Namespace, run: Table, gold: Table, maps: Maps) -> Mapping[str, Interval]:
    """{figure: interval} from --bootstrap samples, named as in `undefined` (macro.f1); none of no documents."""
    if options.task == "act":
        return call_intervals(calls_counted(options, run, gold), options.bootstrap, generator(options))
    if options.task in PASSAGES:
        return passage_intervals(passages_counted(options, run, gold), options.bootstrap, generator(options))
    return intervals_in(options, lists_counted(options, run, gold, maps))


def organism_intervals(options: Namespace, run: Table, gold: Table, maps: Maps) -> Mapping[str, Mapping[str, Interval]]:
    """{organism: {figure: interval}}, of each from samples of all documents, as of the whole."""
    right, lists = sides(options, run, gold)
    parts = ranked_by_organism(right, lists, maps.organisms or {}, scenario_of(options, maps))
    return {organism: intervals_in(options, ranked) for organism, ranked in parts.items()}


def intervals_in(options: Namespace, ranked: RankedHits) -> Mapping[str, Interval]:
    """Of what is right in lists; none of no documents."""
    if not ranked.articles:
        return {}
    names = [name for name in FIGURES if options.task not in MENTIONS or name not in OF_RANKING]
    return list_intervals([ranked], options.bootstrap, generator(options), options.beta or 1.0, names)[0]


def lists_counted(options: Namespace, run: Table, gold: Table, maps: Maps) -> RankedHits:
    """What is right in the lists of a run, in the scenario of the options."""
    right, lists = sides(options, run, gold)
    return evaluated(right, lists, scenario_of(options, maps)).ranked


def passages_counted(options: Namespace, run: Table, gold: Table) -> Floats:
    """What each judged article adds to the figures of a run of ISS."""
    return passage_counts(verdicts(gold), submitted(run, options.order))


def calls_counted(options: Namespace, run: Table, gold: Table) -> CallTable:
    """What each article adds to the figures of a run of ACT."""
    unreported: Unreported = options.unreported or "ignore"
    return call_table(gold_classes(gold), run_calls(run), order=options.order, unreported=unreported)
