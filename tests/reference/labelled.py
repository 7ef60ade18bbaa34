"""Figures of calls and of agreement, counted label by label as their definitions read. Truth comes first everywhere."""

from math import sqrt


def count_call_cells(truth, calls, right, call):
    return sum(a == right and b == call for a, b in zip(truth, calls, strict=True))


def figures(truth, calls, beta):
    """By the names of evaluation.measures.confusion_counts; 0/0 is left out."""
    tp, fp = count_call_cells(truth, calls, True, True), count_call_cells(truth, calls, False, True)
    fn, tn = count_call_cells(truth, calls, True, False), count_call_cells(truth, calls, False, False)
    fractions = {
        "precision": (tp, tp + fp),
        "recall": (tp, tp + fn),
        "specificity": (tn, tn + fp),
        "fall_out": (fp, tn + fp),
        "negative_precision": (tn, tn + fn),
        "accuracy": (tp + tn, len(truth)),
        "mcc": (tp * tn - fp * fn, sqrt(tp + fp) * sqrt(tp + fn) * sqrt(tn + fp) * sqrt(tn + fn)),
    }
    found = {name: part / whole for name, (part, whole) in fractions.items() if whole}
    if found.get("precision") or found.get("recall"):
        p, r = found["precision"], found["recall"]
        found["f_measure"] = (1 + beta**2) * p * r / (beta**2 * p + r)
    return found


def joint_probability(first, second):
    return sum(a == b for a, b in zip(first, second, strict=True)) / len(first)


def cohen_kappa(first, second):
    size = len(first)
    chance = sum((first.count(label) / size) * (second.count(label) / size) for label in {*first, *second})
    return (joint_probability(first, second) - chance) / (1 - chance)
