"""The manual, its tables and examples taken from the code that they describe."""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotations.formats.rules import FILE_RULES
from annotations.kinds import LABELS, TASK_NAMES, Finding, Kind
from annotations.rules import RULES
from annotations.verification import UNKNOWN_IDENTIFIER
from bcms.pages.manual_plot import example_plot
from evaluation.measures.registry import MEASURES
from servers import membership, retry
from servers.client import MOST_BYTES
from servers.protocols.bcms import answer_body, request_body
from servers.protocols.questions import Question
from servers.protocols.values import RULES as ANSWER_RULES
from servers.telling import webhooks
from servers.topics import DAILY_HOUR, GATHER, TOPIC_OF

EXISTENCE = (
    UNKNOWN_IDENTIFIER,
    "An identifier exists in its database.",
    "Send an identifier that the database holds. One that was withdrawn or is not looked up yet breaks no rule "
    "and is shown as such.",
)
TITLE, ABSTRACT = "p53 in cancer", "Mouse p53 binds Mdm2."
EXAMPLE = Question(
    url="https://example.org/annotate",
    protocol="bcms",
    method="Annotator.getAnnotation",
    send="struct",
    kinds=tuple(Kind),
    time_limit=600.0,
    networks=(),
    identifier="16054130",
    pmid=16054130,
    title=TITLE,
    abstract=ABSTRACT,
    text=f"{TITLE}\n{ABSTRACT}",
)
SAID = (
    Finding(Kind.MENTION, start=20, end=23, text="p53", confidence=0.9),
    Finding(Kind.TAXON, database="ncbitaxon", identifier="10090", confidence=0.8),
    Finding(Kind.CLASSIFICATION, relevant=True, confidence=0.75),
)


WEBHOOK_MESSAGE = """{
  "type": "article-failed",
  "topic": "failure",
  "timestamp": "2026-03-02T09:00:00+00:00",
  "data": {
    "server": {"slug": "mine", "name": "Mine", "page": "https://…/servers/mine/"},
    "reason": "The connection was refused. Start the server, ….",
    "queue": {"id": 7, "mode": "live", "name": ""},
    "article": "16054130",
    "attempt": "https://…/servers/mine/attempts/812/"
  }
}"""


@dataclass(frozen=True, slots=True)
class Field:
    """A value of one part of an answer, as the protocol's table shows it."""

    name: str
    type: str
    meaning: str
    needed: bool = True


CONFIDENCE = Field("confidence", "double", "more than 0 and at most 1", needed=False)
RANK = Field("rank", "int", "from 1, each once in the part (of passages: once in each pair)", needed=False)
DBNAME = Field("dbname", "string", "UniProt or EntrezGene (NCBI Gene)")
PARTNERS = (
    DBNAME,
    Field("a", "string", "one partner, as dbid"),
    Field("b", "string", "the other; the order is all one"),
)
PARTS = {
    "mentions": (
        Field("offset", "int", "where the mention begins, counted in characters (code points) from 0"),
        Field(
            "section",
            "string",
            "title or abstract, in which offset counts; without section it counts in title, newline, abstract",
            needed=False,
        ),
        Field("mention", "string", "the very characters that stand there"),
        CONFIDENCE,
    ),
    "normalizations": (
        DBNAME,
        Field("dbid", "string", "UniProt accession or NCBI Gene number"),
        Field("taxid", "int", "the organism's number in the NCBI Taxonomy", needed=False),
        CONFIDENCE,
        RANK,
    ),
    "taxons": (Field("taxid", "int", "the organism's number in the NCBI Taxonomy"), CONFIDENCE),
    "interaction": (Field("relevant", "boolean", "whether the article is about protein interactions"), CONFIDENCE),
    "pairs": (*PARTNERS, RANK, CONFIDENCE),
    "methods": (Field("miid", "string", "the PSI-MI identifier, such as MI:0006"), RANK, CONFIDENCE),
    "passages": (*PARTNERS, Field("passage", "string", "the sentences that say so"), RANK, CONFIDENCE),
}


@require_safe
def manual(request: HttpRequest) -> HttpResponse:
    context = {
        "kinds": [(kind.value, LABELS[kind], ", ".join(TASK_NAMES[kind])) for kind in Kind],
        "request_example": lines_of(request_body(EXAMPLE)),
        "answer_example": lines_of(answer_body(SAID, len(TITLE))),
        "parts": PARTS.items(),
        "megabytes": MOST_BYTES // 1024**2,
        "rules": [
            *((rule.code, rule.title, rule.mend) for rule in RULES.values()),
            *((rule.code, rule.title, rule.mend) for rule in ANSWER_RULES.values()),
            EXISTENCE,
        ],
        "file_rules": [(rule.code, rule.title, rule.mend) for rule in FILE_RULES],
        "measures": [
            (measure, ", ".join(LABELS[kind].lower() for kind in Kind if kind in measure.kinds)) for measure in MEASURES
        ],
        "invitation_days": membership.VALID.days,
        "minutes": settings.MINUTES_PER_CALL,
        "example_plot": example_plot(),
        "tries": retry.TRIES,
        "failures": retry.FAILURES_RUNNING,
        "waits": ", ".join(in_words(wait) for wait in retry.WAITS),
        "gathered": in_words(GATHER),
        "daily_hour": DAILY_HOUR,
        "happenings": list(TOPIC_OF),
        "webhook_example": WEBHOOK_MESSAGE,
        "webhook_seconds": int(webhooks.DEADLINE),
        "webhook_waits": ", ".join(in_words(wait) for wait in webhooks.WAITS),
    }
    return render(request, "manual.html", context)


def lines_of(message: bytes) -> str:
    """An XML-RPC message with each member in one line, as one would write it by hand."""
    text = message.decode("utf-8").strip()
    for one, other in (("<member>", "<name>"), ("</name>", "<value>"), ("</value>", "</member>")):
        text = text.replace(f"{one}\n{other}", f"{one}{other}")
    return text


def in_words(wait: timedelta) -> str:
    seconds = int(wait.total_seconds())
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"
