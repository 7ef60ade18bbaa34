"""All the figures of a run: of ranked lists in one scenario, and of an article classification.

The names of the figures are those of the command's JSON.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class MicroFigures:
    """Figures from counts over all documents; f1 and fap are F_b and FAP_b of the scenario's beta."""

    tp: int
    fp: int
    fn: int
    precision: float
    recall: float
    f1: float
    ap: float
    fap: float
    auc_ipr: float


@dataclass(frozen=True, slots=True)
class MacroFigures:
    """Means over documents, with the standard deviation of the population; ap is that of the mean curve."""

    documents: int
    precision: float
    precision_sd: float
    recall: float
    recall_sd: float
    f1: float
    f1_sd: float
    ap: float
    fap: float
    auc_ipr: float
    auc_ipr_sd: float


@dataclass(frozen=True, slots=True)
class ListFigures:
    """All figures of one run in one scenario.

    answered: documents with a result after mapping and filters, before the cuts; results: items counted, after all
    steps; unknown_documents: names of the run's documents that the gold standard does not know, in the run's order;
    undefined: names ("micro.precision") of figures that are 0/0 and given as 0.
    """

    micro: MicroFigures
    macro: MacroFigures
    answered: int
    results: int
    unknown_documents: Sequence[str] = ()
    undefined: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ActFigures:
    """All figures of an article classification. precision_at_full_recall is None when full recall is not reached."""

    tp: int
    fp: int
    fn: int
    tn: int
    sensitivity: float
    specificity: float
    accuracy: float
    mcc: float
    auc_pr: float
    auc_ipr: float
    precision_at_full_recall: float | None


@dataclass(frozen=True, slots=True)
class ActEvaluation:
    """answered: known articles reported; results: all articles reported; reasons: {figure: why it is None}."""

    figures: ActFigures
    documents: int
    answered: int
    results: int
    unknown_documents: Sequence[str] = ()
    undefined: Sequence[str] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)
