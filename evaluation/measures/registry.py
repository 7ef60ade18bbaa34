"""The measures by name: their kinds of annotation, labels and titles, and the functions that define them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from annotations.schema import Kind
from evaluation.measures.formula_texts import MEASURE_FORMULAS

ACT_KINDS = frozenset({Kind.CLASSIFICATION})
LIST_KINDS = frozenset({Kind.TAXON, Kind.NORMALIZATION, Kind.METHOD, Kind.PAIR})
MENTION_KINDS = frozenset({Kind.MENTION})
PASSAGE_KINDS = frozenset({Kind.PASSAGE})
LABEL_KINDS = frozenset({Kind.LABEL})
# The kinds of tasks with settings whose items have an order, and all whose items are counted.
OPEN_LIST_KINDS = frozenset({Kind.ENTITY, Kind.RELATION})
ITEM_KINDS = MENTION_KINDS | OPEN_LIST_KINDS
RANKED_KINDS = ACT_KINDS | LIST_KINDS


@dataclass(frozen=True, slots=True)
class Measure:
    """name: key in Score.figures and in the JSON of the commands; label: column head; source: the defining function.

    is_count: a whole number, which is shown without decimals and never sorts a leaderboard; scored: whether a
    leaderboard can have it; is_optional: whether it has it only if the task chooses the measure.
    """

    name: str
    label: str
    title: str
    kinds: frozenset[Kind]
    source: str
    higher_is_better: bool = True
    is_count: bool = False
    scored: bool = True
    is_optional: bool = False

    @property
    def formula(self) -> str:
        """The formula as a line of text."""
        return MEASURE_FORMULAS[self.name]


def _build_macro_and_micro_measures(
    name: str, label: str, title: str, source: str, kinds: frozenset[Kind] = LIST_KINDS | OPEN_LIST_KINDS
) -> list[Measure]:
    return [
        Measure(f"macro_{name}", f"Macro {label}", f"{title}, mean over articles", kinds, source),
        Measure(f"micro_{name}", f"Micro {label}", f"{title}, over all articles together", kinds, source),
    ]


def _build_unscored_measure(name: str, label: str, title: str, kinds: frozenset[Kind], source: str) -> Measure:
    return Measure(name, label, title, kinds, source, scored=False)


def _build_optional_measure(
    name: str, label: str, title: str, kinds: frozenset[Kind], source: str, *, higher_is_better: bool = True
) -> Measure:
    return Measure(name, label, title, kinds, source, higher_is_better, is_optional=True)


MEASURES = (
    Measure("mcc", "MCC", "Matthews' correlation coefficient", ACT_KINDS, "confusion_counts.mcc"),
    Measure(
        "auc_pr",
        "AUC PR",
        "Area under the precision-recall curve",
        ACT_KINDS,
        "curves.precision_recall.trapezium_area_from_precision_one",
    ),
    Measure(
        "sensitivity", "Sensitivity", "Share of relevant articles found", ACT_KINDS, "confusion_counts.sensitivity"
    ),
    Measure(
        "specificity",
        "Specificity",
        "Share of other articles called not relevant",
        ACT_KINDS,
        "confusion_counts.specificity",
    ),
    Measure("accuracy", "Accuracy", "Share of articles classified correctly", ACT_KINDS, "confusion_counts.accuracy"),
    Measure("tp", "TP", "True positives", ACT_KINDS, "classification.article_calls.count_article_calls", is_count=True),
    Measure(
        "fp",
        "FP",
        "False positives",
        ACT_KINDS,
        "classification.article_calls.count_article_calls",
        higher_is_better=False,
        is_count=True,
    ),
    Measure("tn", "TN", "True negatives", ACT_KINDS, "classification.article_calls.count_article_calls", is_count=True),
    Measure(
        "fn",
        "FN",
        "False negatives",
        ACT_KINDS,
        "classification.article_calls.count_article_calls",
        higher_is_better=False,
        is_count=True,
    ),
    *_build_macro_and_micro_measures(
        "f1", "F1", "F1 of precision and recall", "confusion_counts.f_score", LIST_KINDS | ITEM_KINDS
    ),
    *_build_macro_and_micro_measures("ap", "AP", "Average precision", "curves.precision_recall.average_precision"),
    *_build_macro_and_micro_measures(
        "fap", "FAP", "Harmonic mean of F1 and average precision", "lists.ranking.fap_score"
    ),
    *_build_macro_and_micro_measures(
        "auc_ipr",
        "AUC iP/R",
        "Area under the interpolated precision-recall curve",
        "curves.precision_recall.interpolated_area",
    ),
    *_build_macro_and_micro_measures(
        "precision", "P", "Precision", "confusion_counts.precision", LIST_KINDS | ITEM_KINDS
    ),
    *_build_macro_and_micro_measures("recall", "R", "Recall", "confusion_counts.recall", LIST_KINDS | ITEM_KINDS),
    Measure(
        "passage_mrr",
        "MRR",
        "Mean reciprocal rank of the best passage",
        PASSAGE_KINDS,
        "passages.compute_passage_figures",
    ),
    Measure(
        "relevant_share",
        "Relevant",
        "Share of relevant passages among those submitted",
        PASSAGE_KINDS,
        "passages.compute_passage_figures",
    ),
    Measure(
        "passages_submitted",
        "Submitted",
        "Passages of judged pairs",
        PASSAGE_KINDS,
        "passages.compute_passage_figures",
        is_count=True,
    ),
    Measure(
        "passages_relevant",
        "Relevant passages",
        "Passages judged relevant",
        PASSAGE_KINDS,
        "passages.compute_passage_figures",
        is_count=True,
    ),
    _build_optional_measure(
        "negative_precision",
        "Negative precision",
        "Share of articles called not relevant that are not relevant",
        ACT_KINDS,
        "confusion_counts.negative_precision",
    ),
    _build_optional_measure(
        "fall_out",
        "Fall-out",
        "Share of other articles called relevant",
        ACT_KINDS,
        "confusion_counts.fall_out",
        higher_is_better=False,
    ),
    _build_unscored_measure(
        "auc_ipr",
        "AUC iP/R",
        "Area under the interpolated curve of one list of articles",
        ACT_KINDS,
        "curves.precision_recall.interpolated_area",
    ),
    _build_unscored_measure(
        "precision_at_full_recall",
        "P at full R",
        "Highest precision once all relevant articles are found",
        ACT_KINDS,
        "curves.precision_recall.precision_at_full_recall",
    ),
    _build_optional_measure("roc_area", "AUC ROC", "Area under recall over fall-out", ACT_KINDS, "curves.roc.roc_area"),
    _build_optional_measure(
        "precision_at",
        "P@5",
        "Precision of the first five items, mean over articles",
        LIST_KINDS,
        "lists.early_precision.precision_at_rank",
    ),
    _build_optional_measure(
        "break_even",
        "Break-even",
        "Precision where it equals recall, mean over articles",
        LIST_KINDS,
        "lists.early_precision.break_even_precision",
    ),
    _build_optional_measure(
        "mrr", "MRR", "Mean reciprocal rank of the first hit", LIST_KINDS, "lists.early_precision.reciprocal_ranks"
    ),
    _build_optional_measure(
        "trr",
        "TRR",
        "Total reciprocal rank of all hits, mean over articles",
        LIST_KINDS,
        "lists.early_precision.total_reciprocal_ranks",
    ),
    _build_optional_measure(
        "map",
        "MAP",
        "Mean of the articles' own average precision",
        LIST_KINDS,
        "lists.further_figures.average_precision_per_article",
    ),
    _build_optional_measure(
        "roc_n",
        "ROC 10",
        "Relevant records ahead of the first ten irrelevant ones, mean over lists",
        RANKED_KINDS,
        "curves.roc.roc_n",
    ),
    _build_optional_measure(
        "pooled_roc_n",
        "Pooled ROC 10",
        "ROC 10 of all lists merged by score",
        LIST_KINDS,
        "curves.roc.pooled_roc_n",
    ),
    _build_optional_measure(
        "tap_k",
        "TAP-5",
        "Average precision up to a median of five errors",
        LIST_KINDS,
        "tap.compute_tap_k",
    ),
    _build_optional_measure(
        "tap_k_per_list",
        "TAP-5 per list",
        "Average precision up to the fifth error of each list",
        LIST_KINDS,
        "tap.compute_tap_at_own_kth_error",
    ),
    _build_unscored_measure(
        "jpa", "JPA", "Joint probability of agreement", RANKED_KINDS, "agreement.joint_probability_of_agreement"
    ),
    _build_unscored_measure(
        "cohen_kappa",
        "Cohen's kappa",
        "Agreement of two producers beyond chance",
        RANKED_KINDS,
        "agreement.cohen_kappa",
    ),
    _build_unscored_measure(
        "fleiss_kappa",
        "Fleiss' kappa",
        "Agreement of several producers beyond chance",
        RANKED_KINDS,
        "agreement.fleiss_kappa",
    ),
    _build_unscored_measure(
        "span_f1",
        "Span F1",
        "F1 of mentions that match exactly, at one end or in part",
        MENTION_KINDS,
        "mentions.spans.count_span_matches",
    ),
    _build_unscored_measure(
        "bc2gm_f1",
        "BC2GM F1",
        "F1 of gene mentions with their accepted alternatives",
        MENTION_KINDS,
        "mentions.gene_mentions.count_gene_mentions",
    ),
    *(
        _build_unscored_measure(
            f"ner_{scheme}_f1",
            f"{scheme.capitalize()} F1",
            title,
            MENTION_KINDS,
            "mentions.schemes.count_mentions_by_scheme",
        )
        for scheme, title in {
            "strict": "F1 of mentions with the right span and type",
            "exact": "F1 of mentions with the right span",
            "type": "F1 of mentions that overlap one of their type",
            "partial": "F1 of mentions with half a point for an overlap",
        }.items()
    ),
    *(
        _build_unscored_measure(name, label, title, LABEL_KINDS, "items.labels.count_labels")
        for name, label, title in (
            ("label_micro_f1", "Label micro F1", "F1 of all labels together"),
            ("label_macro_f1", "Label macro F1", "F1 of each label, mean over labels"),
            ("instance_f1", "Instance F1", "F1 of the labels of an article, mean over articles"),
            ("label_micro_precision", "Label micro P", "Precision of all labels together"),
            ("label_micro_recall", "Label micro R", "Recall of all labels together"),
            ("label_macro_precision", "Label macro P", "Precision of each label, mean over labels"),
            ("label_macro_recall", "Label macro R", "Recall of each label, mean over labels"),
        )
    ),
    *(
        Measure(
            f"{prefix}micro_{name}",
            name.upper(),
            f"{title}, over all articles together",
            kinds,
            source,
            higher_is_better=name == "tp",
            is_count=True,
            scored=False,
        )
        for prefix, kinds, source in (
            ("", ITEM_KINDS, "run_figures.compute_micro_figures"),
            ("label_", LABEL_KINDS, "items.labels.count_labels"),
        )
        for name, title in (("tp", "True positives"), ("fp", "False positives"), ("fn", "False negatives"))
    ),
)
MEASURES_BY_NAME: Mapping[str, Measure] = {measure.name: measure for measure in MEASURES}
# The measures that sort leaderboards unless an organizer chooses another: micro averages for methods and mentions.
DEFAULT_PRIMARY_MEASURES: Mapping[Kind, str] = {
    Kind.MENTION: "micro_f1",
    Kind.CLASSIFICATION: "mcc",
    Kind.TAXON: "macro_f1",
    Kind.NORMALIZATION: "macro_f1",
    Kind.METHOD: "micro_f1",
    Kind.PAIR: "macro_f1",
    Kind.PASSAGE: "passage_mrr",
}
OTHER_AVERAGE = {"macro": "micro", "micro": "macro"}


def other_average_measure_or_empty(measure_name: str) -> str:
    """The other average of a measure of ranked lists (micro_f1 for macro_f1), "" when there is none."""
    average, _, rest = measure_name.partition("_")
    other = f"{OTHER_AVERAGE.get(average, '')}_{rest}"
    return other if other in MEASURES_BY_NAME else ""


def list_scored_measures(kind: Kind) -> list[Measure]:
    """The measures that a leaderboard of a kind has unless the task chooses others, in the order of its columns."""
    return [measure for measure in MEASURES if measure.scored and not measure.is_optional and kind in measure.kinds]


def list_chosen_optional_measures(kind: Kind, chosen_names: Collection[str]) -> list[Measure]:
    """The chosen measures of a kind that are computed only if they are chosen, in the order of MEASURES."""
    return [
        measure
        for measure in MEASURES
        if measure.is_optional and kind in measure.kinds and measure.name in chosen_names
    ]
