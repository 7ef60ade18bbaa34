"""How each measure is computed, in a line to read; the names are those of the registry.

TP, FP, FN and TN are counts, P precision, R recall; p(k) and r(k) are those after the first k of a list; T is the
number of right items.
"""

from collections.abc import Mapping

F = "2 P R / (P + R), with b (1 + b²) P R / (b² P + R)"
FAP = "2 F AP / (F + AP), with b (1 + b²) F AP / (b² F + AP)"
STEPS = "Σ p(k) (r(k) - r(k - 1))"
INTERPOLATED = "Σ over hits of the highest p at this recall or beyond, times the step in r"
F_OF_COUNTS = "2 TP / (2 TP + FP + FN)"

FORMULAS: Mapping[str, str] = {
    "mcc": "(TP TN - FP FN) / √((TP + FP) (TP + FN) (TN + FP) (TN + FN)), 0 when one of the four sums is 0",
    "auc_pr": "trapezia under (r(k), p(k)) from (0, 1) on; the list is the positive calls from the first rank to the "
    "last, then the negative calls from the last to the first",
    "sensitivity": "TP / (TP + FN)",
    "specificity": "TN / (TN + FP)",
    "negative_precision": "TN / (TN + FN)",
    "fall_out": "FP / (FP + TN)",
    "accuracy": "(TP + TN) / (TP + FP + FN + TN)",
    "tp": "relevant articles called relevant",
    "fp": "other articles called relevant",
    "tn": "other articles called not relevant",
    "fn": "relevant articles called not relevant",
    "macro_f1": f"mean of the articles' own {F}",
    "micro_f1": F,
    "macro_ap": f"{STEPS}, p and r averaged over articles at each rank; a list that is over keeps its last p and r",
    "micro_ap": f"{STEPS}, p and r counted over the first k of all lists",
    "macro_fap": FAP,
    "micro_fap": FAP,
    "macro_auc_ipr": f"mean of the articles' own {INTERPOLATED}",
    "micro_auc_ipr": INTERPOLATED,
    "macro_precision": "mean of the articles' own TP / (TP + FP)",
    "micro_precision": "TP / (TP + FP)",
    "macro_recall": "mean of the articles' own TP / (TP + FN)",
    "micro_recall": "TP / (TP + FN)",
    "auc_ipr": INTERPOLATED,
    "precision_at_full_recall": "highest p(k) where r(k) is 1",
    "roc_area": "area under recall TP / (TP + FN) over fall-out FP / (FP + TN), from (0, 0) to (1, 1)",
    "roc_n": "Σ over the first n wrong records of the right ones ahead of each, over n T, lists padded with wrong ones",
    "pooled_roc_n": "as ROC n, of one list of all records by score and T of all lists",
    "tap_k": "mean of (Σ p at the right records up to E + p at the last record up to E) / (T + 1), E the score where "
    "half of the lists have k wrong records",
    "tap_k_per_list": "as TAP-k, E the place of each list's own k-th wrong record",
    "mrr": "mean of 1 / rank of the first hit",
    "trr": "Σ over hits of 1 / rank",
    "precision_at": "hits among the first k / k",
    "break_even": "hits among the first T / T",
    "jpa": "instances with the same label / instances",
    "cohen_kappa": "(JPA - e) / (1 - e), e the sum over labels of one's share times the other's",
    "fleiss_kappa": "(a - e) / (1 - e), a the share of pairs of raters that agree, e the sum of squared label shares",
    "span_f1": f"{F_OF_COUNTS}, TP the most pairs of spans, each span in one",
    "bc2gm_f1": f"{F_OF_COUNTS}, TP the genes found by themselves or by an alternative that overlaps them",
    "passages_submitted": "passages submitted of pairs that were judged",
    "passages_relevant": "of these the relevant ones",
    "relevant_share": "relevant passages / passages submitted",
    "passage_mrr": "mean over pairs with a best passage of 1 / rank of the first one",
}
