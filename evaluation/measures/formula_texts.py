"""The formula of each measure, as a line of text; the keys are the names in evaluation/measures/registry.py.

TP, FP, FN and TN are counts, P is precision, R is recall; p(k) and r(k) are those after the first k items of a list; T
is the number of gold items; COR counts the mentions that a scheme takes as correct.
"""

from collections.abc import Mapping

F_FORMULA = "2 P R / (P + R), with b (1 + b²) P R / (b² P + R)"
FAP_FORMULA = "2 F AP / (F + AP), with b (1 + b²) F AP / (b² F + AP)"
STEP_AREA_FORMULA = "Σ p(k) (r(k) - r(k - 1))"
INTERPOLATED_AREA_FORMULA = "Σ over hits of the highest p at this recall or beyond, times the step in r"
F_FROM_COUNTS_FORMULA = "2 TP / (2 TP + FP + FN)"

MEASURE_FORMULAS: Mapping[str, str] = {
    "mcc": "(TP TN - FP FN) / √((TP + FP) (TP + FN) (TN + FP) (TN + FN)), 0 when one of the four sums is 0",
    "auc_pr": "trapezia under (r(k), p(k)), starting at (0, 1); the list is the positive calls from the first rank to "
    "the last, then the negative calls from the last to the first",
    "sensitivity": "TP / (TP + FN)",
    "specificity": "TN / (TN + FP)",
    "negative_precision": "TN / (TN + FN)",
    "fall_out": "FP / (FP + TN)",
    "accuracy": "(TP + TN) / (TP + FP + FN + TN)",
    "tp": "relevant articles called relevant",
    "fp": "other articles called relevant",
    "tn": "other articles called not relevant",
    "fn": "relevant articles called not relevant",
    "macro_f1": f"mean of the articles' own {F_FORMULA}",
    "micro_f1": F_FORMULA,
    "macro_ap": f"{STEP_AREA_FORMULA}, p and r averaged over articles at each rank; a list that has ended keeps its "
    "last p and r",
    "micro_ap": f"{STEP_AREA_FORMULA}, p and r counted over the first k of all lists",
    "macro_fap": FAP_FORMULA,
    "micro_fap": FAP_FORMULA,
    "macro_auc_ipr": f"mean of the articles' own {INTERPOLATED_AREA_FORMULA}",
    "micro_auc_ipr": INTERPOLATED_AREA_FORMULA,
    "macro_precision": "mean of the articles' own TP / (TP + FP)",
    "micro_precision": "TP / (TP + FP)",
    "macro_recall": "mean of the articles' own TP / (TP + FN)",
    "micro_recall": "TP / (TP + FN)",
    "auc_ipr": INTERPOLATED_AREA_FORMULA,
    "precision_at_full_recall": "highest p(k) where r(k) is 1",
    "roc_area": "area under recall TP / (TP + FN) over fall-out FP / (FP + TN), from (0, 0) to (1, 1)",
    "roc_n": "Σ over the first n wrong records of the right records ahead of each, over n T; lists are padded with "
    "wrong records",
    "pooled_roc_n": "ROC n of one list that merges all records by score, with the T of all lists",
    "tap_k": "mean of (Σ p at the right records up to E + p at the last record up to E) / (T + 1), where E is the "
    "score at which half of the lists have k wrong records",
    "tap_k_per_list": "TAP-k with E the position of each list's own k-th wrong record",
    "mrr": "mean of 1 / rank of the first hit",
    "trr": "Σ over hits of 1 / rank",
    "map": "mean of the articles' own Σ p at the right records / T",
    "precision_at": "hits among the first k / k",
    "break_even": "hits among the first T / T",
    "jpa": "instances with the same label / instances",
    "cohen_kappa": "(JPA - e) / (1 - e), where e is the sum over labels of one producer's share times the other's",
    "fleiss_kappa": "(a - e) / (1 - e), where a is the share of pairs of raters that agree and e the sum of squared "
    "label shares",
    "span_f1": f"{F_FROM_COUNTS_FORMULA}, TP the largest number of pairs of matching spans, each span in one pair",
    "bc2gm_f1": f"{F_FROM_COUNTS_FORMULA}, TP the genes found exactly or by an overlapping accepted alternative",
    "passages_submitted": "submitted passages of judged pairs",
    "passages_relevant": "submitted passages that were judged relevant",
    "relevant_share": "relevant passages / passages submitted",
    "passage_mrr": "mean over pairs with a best passage of 1 / rank of the first best passage",
    **dict.fromkeys(
        ("ner_strict_f1", "ner_exact_f1", "ner_type_f1"),
        "2 P R / (P + R), P = COR / predicted, R = COR / gold mentions",
    ),
    "ner_partial_f1": "2 P R / (P + R), P = (COR + PAR / 2) / predicted, R = (COR + PAR / 2) / gold mentions",
    "label_micro_f1": "2 TP / (2 TP + FP + FN), counted over all labels",
    "label_macro_f1": "mean of the labels' own 2 TP / (2 TP + FP + FN)",
    "label_micro_precision": "TP / (TP + FP), counted over all labels",
    "label_micro_recall": "TP / (TP + FN), counted over all labels",
    "label_macro_precision": "mean of the labels' own TP / (TP + FP)",
    "label_macro_recall": "mean of the labels' own TP / (TP + FN)",
    **dict.fromkeys(("micro_tp", "label_micro_tp"), "results that match the gold standard"),
    **dict.fromkeys(("micro_fp", "label_micro_fp"), "results that do not match the gold standard"),
    **dict.fromkeys(("micro_fn", "label_micro_fn"), "gold items that no result matches"),
    "instance_f1": "mean of the articles' own 2 |G ∩ P| / (|G| + |P|)",
}
