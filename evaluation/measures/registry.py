"""The measures by name: which kinds of annotation they are for, how pages show them, and where they are defined."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotations.kinds import Kind
from evaluation.measures.formulas import FORMULAS

ACT = frozenset({Kind.CLASSIFICATION})
LISTS = frozenset({Kind.TAXON, Kind.NORMALIZATION, Kind.METHOD, Kind.PAIR})
MENTIONS = frozenset({Kind.MENTION})
PASSAGES = frozenset({Kind.PASSAGE})
RANKED = ACT | LISTS


@dataclass(frozen=True, slots=True)
class Measure:
    """name is the key in Score.figures and the command's JSON; label heads a column; source names what defines it.

    counted marks whole numbers, which are shown without decimals and order nothing; scored marks the measures that a
    leaderboard has for every run, others are computed when asked for.
    """

    name: str
    label: str
    title: str
    kinds: frozenset[Kind]
    source: str
    higher_is_better: bool = True
    counted: bool = False
    scored: bool = True

    @property
    def formula(self) -> str:
        """How it is computed, in a line to read."""
        return FORMULAS[self.name]


def of_lists(name: str, label: str, title: str, source: str, kinds: frozenset[Kind] = LISTS) -> list[Measure]:
    return [
        Measure(f"macro_{name}", f"Macro {label}", f"{title}, mean over articles", kinds, source),
        Measure(f"micro_{name}", f"Micro {label}", f"{title}, over all articles together", kinds, source),
    ]


def asked_for(name: str, label: str, title: str, kinds: frozenset[Kind], source: str) -> Measure:
    return Measure(name, label, title, kinds, source, scored=False)


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
    *of_lists("f1", "F1", "F1 of precision and recall", "counts.f_of", LISTS | MENTIONS),
    *of_lists("ap", "AP", "Average precision", "curves.average_precision"),
    *of_lists("fap", "FAP", "Harmonic mean of F1 and average precision", "ranking.fap"),
    *of_lists("auc_ipr", "AUC iP/R", "Area under the interpolated precision-recall curve", "curves.step_area"),
    *of_lists("precision", "P", "Precision", "counts.precision", LISTS | MENTIONS),
    *of_lists("recall", "R", "Recall", "counts.recall", LISTS | MENTIONS),
    Measure("passage_mrr", "MRR", "Mean reciprocal rank of the best passage", PASSAGES, "passages.passage_figures"),
    Measure(
        "relevant_share",
        "Relevant",
        "Share of relevant passages among those submitted",
        PASSAGES,
        "passages.passage_figures",
    ),
    Measure(
        "passages_submitted",
        "Submitted",
        "Passages of judged pairs",
        PASSAGES,
        "passages.passage_figures",
        counted=True,
    ),
    Measure(
        "passages_relevant",
        "Relevant passages",
        "Passages judged relevant",
        PASSAGES,
        "passages.passage_figures",
        counted=True,
    ),
    asked_for(
        "negative_precision",
        "Negative precision",
        "Share of articles left out that are not relevant",
        ACT,
        "counts.negative_precision",
    ),
    asked_for("fall_out", "Fall-out", "Share of other articles called relevant", ACT, "counts.fall_out"),
    asked_for(
        "auc_ipr", "AUC iP/R", "Area under the interpolated curve of one list of articles", ACT, "curves.step_area"
    ),
    asked_for(
        "precision_at_full_recall",
        "P at full R",
        "Highest precision once all relevant articles are found",
        ACT,
        "curves.precision_at_full_recall",
    ),
    asked_for("roc_area", "AUC ROC", "Area under recall over fall-out", ACT, "roc.roc_area"),
    asked_for("roc_n", "ROC n", "Relevant ahead of the first n irrelevant records, per list", RANKED, "roc.roc_n"),
    asked_for("pooled_roc_n", "Pooled ROC n", "The same over all lists merged by score", RANKED, "roc.pooled_roc_n"),
    asked_for("tap_k", "TAP-k", "Average precision up to a median of k errors", RANKED, "tap.tap_k"),
    asked_for(
        "tap_k_per_list",
        "TAP-k per list",
        "Average precision up to the k-th error of each list",
        RANKED,
        "tap.tap_per_list",
    ),
    asked_for("mrr", "MRR", "Mean reciprocal rank of the first hit", LISTS, "early.reciprocal_ranks"),
    asked_for("trr", "TRR", "Total reciprocal rank of all hits", LISTS, "early.total_reciprocal_ranks"),
    asked_for("precision_at", "P@k", "Precision of the first k items", LISTS, "early.precision_at"),
    asked_for("break_even", "Break-even", "Precision where it equals recall", LISTS, "early.break_even"),
    asked_for("jpa", "JPA", "Joint probability of agreement", RANKED, "agreement.joint_probability"),
    asked_for("cohen_kappa", "Cohen's kappa", "Agreement of two beyond chance", RANKED, "agreement.cohen_kappa"),
    asked_for("fleiss_kappa", "Fleiss' kappa", "Agreement of several beyond chance", RANKED, "agreement.fleiss_kappa"),
    asked_for(
        "span_f1", "Span F1", "F1 of mentions that match exactly, at one end or in part", MENTIONS, "spans.span_counts"
    ),
    asked_for(
        "bc2gm_f1", "BC2GM F1", "F1 of gene mentions with their accepted alternatives", MENTIONS, "bc2gm.gene_counts"
    ),
)
BY_NAME: Mapping[str, Measure] = {measure.name: measure for measure in MEASURES}
# What orders the leaderboard of a task when its organizer does not say otherwise: micro for methods and mentions.
PRIMARY: Mapping[Kind, str] = {
    Kind.MENTION: "micro_f1",
    Kind.CLASSIFICATION: "mcc",
    Kind.TAXON: "macro_f1",
    Kind.NORMALIZATION: "macro_f1",
    Kind.METHOD: "micro_f1",
    Kind.PAIR: "macro_f1",
    Kind.PASSAGE: "passage_mrr",
}
OTHER_AVERAGE = {"macro": "micro", "micro": "macro"}


def counterpart(name: str) -> str:
    """The other average of a measure of ranked lists, micro_f1 of macro_f1; empty where there is none."""
    way, _, rest = name.partition("_")
    other = f"{OTHER_AVERAGE.get(way, '')}_{rest}"
    return other if other in BY_NAME else ""


def measures_for(kind: Kind) -> list[Measure]:
    """The measures of a kind of annotation in the order of a leaderboard's columns."""
    return [measure for measure in MEASURES if measure.scored and kind in measure.kinds]
