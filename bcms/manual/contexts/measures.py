"""Context of the manual's page about measures: each measure with the kinds of annotation that it applies to."""

from annotations.schema import KIND_LABELS, Kind
from evaluation.measures.registry import MEASURES


def build_measures_with_kinds_context() -> dict[str, object]:
    return {
        "measures": [
            (measure, ", ".join(KIND_LABELS[kind].lower() for kind in Kind if kind in measure.kinds))
            for measure in MEASURES
        ]
    }
