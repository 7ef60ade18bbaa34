"""Ask an annotation server for one article: send, receive, read, judge."""

from collections.abc import Mapping
from typing import cast

from annotations import rules
from bcms.lib.http import Exchange, HttpError, Reply, fetch
from servers import diagnosis
from servers.protocols import bcms, becalm, pubannotation, rest
from servers.protocols.parsed import Parsed
from servers.protocols.questions import Accepted, Answer, Question
from servers.protocols.speaking import CalledBack, Following, Request, Speaking

__all__ = ["MOST_BYTES", "PROTOCOLS", "Accepted", "Answer", "Question", "ask", "follow", "read"]

MOST_BYTES = 16 * 1024 * 1024
# A server's task leads to its result by so many requests at most; each redirect of a GET counts besides.
MOST_STEPS = 3
REDIRECTS = 3
PROTOCOLS: Mapping[str, Speaking] = {"bcms": bcms, "rest": rest, "pubannotation": pubannotation, "becalm": becalm}


def ask(question: Question, exchange: Exchange) -> Answer | Accepted:
    """One try: the answer, with every rule that it breaks, or where it will be; exchange is filled in meanwhile.

    Raises CallError, and nothing else, when the server gave no answer that can be read.
    """
    spoken = PROTOCOLS[question.protocol]
    reply = received(spoken.request(question), question, question.time_limit, exchange)
    return judged(spoken.read(reply, question), question, reply.body)


def follow(question: Question, task_url: str, left: float, exchange: Exchange) -> Answer | Accepted:
    """Ask for the answer of a server that has accepted the question; left is in seconds. CallError as ask."""
    spoken = cast(Following, PROTOCOLS[question.protocol])
    accepted = Accepted(task_url, 0.0)
    for _ in range(MOST_STEPS):
        reply = received(Request("GET", accepted.task_url), question, left, exchange, redirects=REDIRECTS)
        said = spoken.follow(reply, question)
        if not isinstance(said, Accepted) or said.wait:
            return judged(said, question, reply.body)
        accepted = said
    raise diagnosis.endless_task(accepted.task_url)


def read(question: Question, form: str, body: bytes) -> Answer:
    """The answer that a server has called back with. CallError as ask."""
    spoken = cast(CalledBack, PROTOCOLS[question.protocol])
    return answer_of(spoken.read_callback(form, body, question), question, body)


def judged(said: Parsed | Accepted, question: Question, body: bytes) -> Answer | Accepted:
    return said if isinstance(said, Accepted) else answer_of(said, question, body)


def answer_of(parsed: Parsed, question: Question, body: bytes) -> Answer:
    names = PROTOCOLS[question.protocol].NAMES
    broken = rules.check(parsed.findings, question.text, len(question.title), places=parsed.places, names=names)
    return Answer(parsed.findings, [*parsed.broken, *broken], parsed.notes, body, parsed.stated_version)


def received(request: Request, question: Question, seconds: float, exchange: Exchange, *, redirects: int = 0) -> Reply:
    """The reply of success to one request."""
    try:
        reply = fetch(
            request.method,
            request.url,
            body=request.body,
            headers=dict(request.headers),
            deadline=seconds,
            max_bytes=MOST_BYTES,
            networks=question.networks,
            redirects=redirects,
            exchange=exchange,
        )
    except HttpError as error:
        raise diagnosis.of_http(error, request_sent=exchange.request_sent, time_limit=question.time_limit) from error
    if not 200 <= reply.status < 300:
        raise diagnosis.of_status(reply.status, reply.body, question.protocol)
    return reply
