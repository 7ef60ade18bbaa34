"""The manual, its tables and examples taken from the code that they describe."""

from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotations.consensus_rules import METHODS
from annotations.formats.exports import EXPORTS
from annotations.formats.rules import FILE_RULES
from annotations.kinds import LABELS, TASK_NAMES, Kind
from annotations.rules import RULES
from annotations.verification import UNKNOWN_IDENTIFIER
from bcms.accounts.scopes import Scope
from bcms.pages.manual_command import command_helps
from bcms.pages.manual_plot import example_plot
from bcms.pages.manual_protocols import PARTS, REFUSALS, REST_PARTS, examples
from bcms.pages.manual_roles import granted
from evaluation.measures.registry import MEASURES
from servers import membership, retry
from servers.availability import looking, observing, probing
from servers.client import MOST_BYTES
from servers.kit.starter_files import STARTERS
from servers.protocols.becalm_answers import TYPES
from servers.protocols.values import RULES as ANSWER_RULES
from servers.telling import webhooks
from servers.topics import DAILY_HOUR, GATHER, TOPIC_OF

EXISTENCE = (
    UNKNOWN_IDENTIFIER,
    "An identifier exists in its database.",
    "Send an identifier that the database holds. One that was withdrawn or is not looked up yet breaks no rule "
    "and is shown as such.",
)
WEBHOOK_MESSAGE = """{
  "type": "article-failed",
  "topic": "failure",
  "timestamp": "2026-03-02T09:00:00+00:00",
  "data": {
    "server": {
      "slug": "mine",
      "name": "Mine",
      "page": "https://…/servers/mine/"
    },
    "reason": "The connection was refused. Start the server, ….",
    "queue": {"id": 7, "mode": "live", "name": ""},
    "article": "16054130",
    "attempt": "https://…/servers/mine/attempts/812/"
  }
}"""
# What the protocols are called in the list of servers to be copied.
PROTOCOLS = {"bcms": "XML-RPC", "rest": "JSON-REST"}


@require_safe
def manual(request: HttpRequest) -> HttpResponse:
    context = examples() | {
        "kinds": [(kind.value, LABELS[kind], ", ".join(TASK_NAMES[kind])) for kind in Kind],
        "parts": PARTS.items(),
        "rest_parts": REST_PARTS.items(),
        "refusals": [(int(code), code.name, when) for code, when in REFUSALS.items()],
        "becalm_types": sorted(TYPES),
        "starters": [(starter, PROTOCOLS[starter.protocol]) for starter in STARTERS],
        "megabytes": MOST_BYTES // 1024**2,
        "rules": [
            *((rule.code, rule.title, rule.mend) for rule in RULES.values()),
            *((rule.code, rule.title, rule.mend) for rule in ANSWER_RULES.values()),
            EXISTENCE,
        ],
        "exports": [(export, [part.value for part in export.lost()]) for export in EXPORTS.values()],
        "file_rules": [(rule.code, rule.title, rule.mend) for rule in FILE_RULES],
        "measures": [
            (measure, ", ".join(LABELS[kind].lower() for kind in Kind if kind in measure.kinds)) for measure in MEASURES
        ],
        "consensus": list(METHODS.values()),
        "granted": granted(),
        "scopes": Scope.choices,
        "limits": limits(),
        "invitation_days": membership.VALID.days,
        "minutes": settings.MINUTES_PER_CALL,
        "example_plot": example_plot(),
        "commands": command_helps(),
        "tries": retry.TRIES,
        "failures": retry.FAILURES_RUNNING,
        "strikes": observing.STRIKES,
        "probe_seconds": probing.SECONDS,
        "probe_limit": int(looking.SECONDS),
        "waits": ", ".join(in_words(wait) for wait in retry.WAITS),
        "gathered": in_words(GATHER),
        "daily_hour": DAILY_HOUR,
        "happenings": list(TOPIC_OF),
        "webhook_example": WEBHOOK_MESSAGE,
        "webhook_seconds": int(webhooks.DEADLINE),
        "webhook_waits": ", ".join(in_words(wait) for wait in webhooks.WAITS),
    }
    return render(request, "manual.html", context)


def limits() -> dict[str, int]:
    names = ("API_PER_MINUTE_ADDRESS", "API_PER_MINUTE_ACCOUNT", "API_FILES_PER_MINUTE", "API_FILES_AT_ONCE")
    return {name: getattr(settings, name) for name in names}


def in_words(wait: timedelta) -> str:
    seconds = int(wait.total_seconds())
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"
