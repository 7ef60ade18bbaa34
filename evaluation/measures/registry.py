"""The measures by name: which kinds of annotation they are for, and how a leaderboard shows them."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotations.kinds import Kind

ACT = frozenset({Kind.CLASSIFICATION})
LISTS = frozenset({Kind.TAXON, Kind.NORMALIZATION, Kind.METHOD})


@dataclass(frozen=True, slots=True)
class Measure:
    """name is the key in Score.figures; label heads a column; source names the function that defines it.

    counted marks whole numbers, which are shown without decimals and order nothing.
    """

    name: str
    label: str
    title: str
    kinds: frozenset[Kind]
    source: str
    higher_is_better: bool = True
    counted: bool = False


def of_lists(name: str, label: str, title: str, source: str) -> list[Measure]:
    return [
        Measure(f"macro_{name}", f"Macro {label}", f"{title}, mean over articles", LISTS, source),
        Measure(f"micro_{name}", f"Micro {label}", f"{title}, over all articles together", LISTS, source),
    ]


MEASURES = (
    Measure("mcc", "MCC", "Matthews' correlation coefficient", ACT, "counts.mcc"),
    Measure("auc_pr", "AUC PR", "Area under the precision-recall curve", ACT, "curves.trapezium_area"),
    Measure("sensitivity", "Sensitivity", "Share of relevant articles found", ACT, "counts.sensitivity"),
    Measure("specificity", "Specificity", "Share of other articles left out", ACT, "counts.specificity"),
    Measure("accuracy", "Accuracy", "Share of articles judged right", ACT, "counts.accuracy"),
    Measure("tp", "TP", "True positives", ACT, "classification.count", counted=True),
    Measure("fp", "FP", "False positives", ACT, "classification.count", higher_is_better=False, counted=True),
    Measure("tn", "TN", "True negatives", ACT, "classification.count", counted=True),
    Measure("fn", "FN", "False negatives", ACT, "classification.count", higher_is_better=False, counted=True),
    *of_lists("f1", "F1", "F1 of precision and recall", "counts.f_of"),
    *of_lists("ap", "AP", "Average precision", "curves.average_precision"),
    *of_lists("fap", "FAP", "Harmonic mean of F1 and average precision", "ranking.fap"),
    *of_lists("auc_ipr", "AUC iP/R", "Area under the interpolated precision-recall curve", "curves.step_area"),
    *of_lists("precision", "P", "Precision", "counts.precision"),
    *of_lists("recall", "R", "Recall", "counts.recall"),
)
BY_NAME: Mapping[str, Measure] = {measure.name: measure for measure in MEASURES}
# What orders the leaderboard of a task when its organizer does not say otherwise (micro for methods).
PRIMARY: Mapping[Kind, str] = {
    Kind.CLASSIFICATION: "mcc",
    Kind.TAXON: "macro_f1",
    Kind.NORMALIZATION: "macro_f1",
    Kind.METHOD: "micro_f1",
}


def measures_for(kind: Kind) -> list[Measure]:
    """The measures of a kind of annotation in the order of a leaderboard's columns; none: it cannot be scored."""
    return [measure for measure in MEASURES if kind in measure.kinds]
