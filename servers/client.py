"""Ask an annotation server for one article: send, receive, read, judge."""

from annotations import rules
from bcms.lib.http import Exchange, HttpError, Reply, fetch
from servers import diagnosis
from servers.protocols import bcms
from servers.protocols.questions import Answer, Question

__all__ = ["MOST_BYTES", "Answer", "Question", "ask"]

MOST_BYTES = 16 * 1024 * 1024


def ask(question: Question, exchange: Exchange) -> Answer:
    """One try: the answer, with every rule that it breaks; exchange is filled in while it goes on.

    Raises CallError, and nothing else, when the server gave no answer that can be read.
    """
    reply = _sent(question, bcms.request_body(question), exchange)
    parsed = bcms.parse(reply.body, len(question.title), question.kinds)
    broken = rules.check(parsed.findings, question.text, len(question.title), places=parsed.places, names=bcms.NAMES)
    return Answer(parsed.findings, [*parsed.broken, *broken], parsed.notes, reply.body)


def _sent(question: Question, body: bytes, exchange: Exchange) -> Reply:
    try:
        reply = fetch(
            "POST",
            question.url,
            body=body,
            headers={"Content-Type": "text/xml"},
            deadline=question.time_limit,
            max_bytes=MOST_BYTES,
            networks=question.networks,
            exchange=exchange,
        )
    except HttpError as error:
        raise diagnosis.of_http(error, request_sent=exchange.request_sent, time_limit=question.time_limit) from error
    if not 200 <= reply.status < 300:
        raise diagnosis.of_status(reply.status, reply.body)
    return reply
