"""Context of the manual's page about reading articles: the kinds of annotation and the consensus methods."""

from django.conf import settings

from annotations.results.consensus.methods import CONSENSUS_METHODS
from annotations.schema import KIND_LABELS, KIND_TASK_NAMES, Kind
from servers.pasted_texts.annotation import LONGEST_PASTED_CALL
from servers.pasted_texts.queries import OPEN_FOR
from servers.pasted_texts.sending import LONGEST_PASTED_TEXT, MOST_OPEN_PASTED_TEXTS


def build_kinds_and_consensus_methods_context() -> dict[str, object]:
    return {
        "kinds": [(kind.value, KIND_LABELS[kind], ", ".join(KIND_TASK_NAMES[kind])) for kind in Kind],
        "site_url": settings.SITE_URL.rstrip("/"),
        "consensus_methods": list(CONSENSUS_METHODS.values()),
        "longest_pasted_text": f"{LONGEST_PASTED_TEXT:,}",
        "most_open_texts": MOST_OPEN_PASTED_TEXTS,
        "pasted_seconds": int(LONGEST_PASTED_CALL),
        "open_minutes": OPEN_FOR.seconds // 60,
    }
