"""The manual, its tables taken from the code that they describe."""

from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotations.kinds import LABELS, TASK_NAMES, Kind
from annotations.rules import RULES
from annotations.verification import UNKNOWN_IDENTIFIER
from evaluation.measures.registry import MEASURES
from servers import retry
from servers.protocols.values import RULES as ANSWER_RULES

EXISTENCE = (
    UNKNOWN_IDENTIFIER,
    "An identifier exists in its database.",
    "Send an identifier that the database holds today; one that we do not know yet is shown as unverified.",
)


@require_safe
def manual(request: HttpRequest) -> HttpResponse:
    context = {
        "kinds": [(kind.value, LABELS[kind], ", ".join(TASK_NAMES[kind])) for kind in Kind],
        "rules": [
            *((rule.code, rule.title, rule.mend) for rule in RULES.values()),
            *((rule.code, rule.title, rule.mend) for rule in ANSWER_RULES.values()),
            EXISTENCE,
        ],
        "measures": [
            (measure, ", ".join(LABELS[kind].lower() for kind in Kind if kind in measure.kinds)) for measure in MEASURES
        ],
        "minutes": settings.MINUTES_PER_CALL,
        "tries": retry.TRIES,
        "failures": retry.FAILURES_RUNNING,
        "waits": ", ".join(in_words(wait) for wait in retry.WAITS),
    }
    return render(request, "manual.html", context)


def in_words(wait: timedelta) -> str:
    seconds = int(wait.total_seconds())
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"
