"""What went wrong with a call, told to the team whose server it is: what happened, and what to do next.

Every failure that has its cause on the server's side becomes a CallError here; the codes are stable.
"""

import re
from collections.abc import Sequence
from http import HTTPStatus

from annotations.kinds import BrokenRule
from bcms.lib.exchanges import HttpError, HttpFault
from bcms.lib.foreign import UNPRINTABLE, bounded
from servers.errors import CallError, Diagnosis, Stage
from servers.protocols.xmlrpc import XmlRpcFault

WRONG_PATH = frozenset({404, 405, 410, 501})
RIGHT_PATH = "Correct the path in the server's URL, and check that it takes the method of the call, POST or GET."
WRONG_PATH_ADVICE = {"bcms": "Correct the path in the server's URL; many XML-RPC servers answer at / or /RPC2 only."}
NOT_ALLOWED = frozenset({401, 403, 407})
# What to do about a request that got no HTTP answer.
CONNECTION = {
    HttpFault.BAD_URL: "Correct the URL on the server's page.",
    HttpFault.NAME_NOT_FOUND: (
        "Check the spelling of the server's URL, and that the name can be looked up from outside your network."
    ),
    HttpFault.BLOCKED_ADDRESS: "Give the server a URL on the public internet, at port 80, 443 or one from 1024 up.",
    HttpFault.REFUSED: (
        "Start the server, and check that it listens at the port of its URL on all interfaces, not on localhost only."
    ),
    HttpFault.UNREACHABLE: (
        "Check that the machine runs and that its firewall lets connections from outside through to the URL's port."
    ),
    HttpFault.TLS: (
        "Check that the certificate is valid for the name in the URL, has not run out and comes with its chain, or use "
        "http:// if the server does not speak TLS."
    ),
    HttpFault.REDIRECT: (
        "A call is never sent on: let the server answer at its URL itself, or register the public URL that it leads to."
    ),
}
COMMUNICATION = {
    HttpFault.CUT_OFF: "Look in the server's log for a crash or a time limit, and check proxies between us.",
    HttpFault.NOT_HTTP: (
        "Check that an HTTP server listens at the port of the URL and that it sends a plain, uncompressed answer."
    ),
    HttpFault.TOO_LARGE: "Send fewer annotations, and only those of this article.",
    HttpFault.ABORTED: "Nothing is to be done: the article is asked again later.",
}
BREAKS_OFF = "The answer breaks off before its end: {}."
XMLRPC = {
    XmlRpcFault.CUT_OFF: (BREAKS_OFF, COMMUNICATION[HttpFault.CUT_OFF]),
    XmlRpcFault.NOT_XML: ("The answer is not XML: {}.", "Send an XML-RPC response, and nothing before or after it."),
    XmlRpcFault.DTD: (
        "The answer has a document type declaration (DTD), which is never read{}.",
        "Send an XML-RPC response, which needs no DTD and no entities.",
    ),
    XmlRpcFault.NOT_XMLRPC: (
        "The answer is XML, but not an XML-RPC response{}.",
        "Send a methodResponse with one value; an XML-RPC library makes one for you.",
    ),
    XmlRpcFault.TOO_DEEP: (
        "The answer is nested too deeply{}.",
        "Send the struct that the protocol describes; it needs no more than four levels.",
    ),
    XmlRpcFault.TOO_MANY: (
        "The answer holds too many values{}.",
        "Send fewer annotations, and only those of this article.",
    ),
    XmlRpcFault.WRONG_ENCODING: (
        "The answer is not in the character encoding that it should be in{}.",
        'Write the answer in UTF-8, and say so in its first line: <?xml version="1.0" encoding="UTF-8"?>.',
    ),
}
JSON = {
    "not-json": ("The answer is not JSON: {}.", "Send one JSON object, and nothing before or after it."),
    "cut-off": (BREAKS_OFF, COMMUNICATION[HttpFault.CUT_OFF]),
    "wrong-encoding": ("The answer is not UTF-8: {}.", "Write the answer in UTF-8."),
    "too-deep": (
        "The answer is nested too deeply: {}.",
        "Send the object that the protocol describes; it needs no more than four levels.",
    ),
    "too-many-values": (
        "The answer holds too many values: {}.",
        "Send fewer annotations, and only those of this article.",
    ),
}
MAYBE_HTML = frozenset({XmlRpcFault.NOT_XML, XmlRpcFault.CUT_OFF, XmlRpcFault.DTD, XmlRpcFault.NOT_XMLRPC})
HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.I)
HTML_TITLE = re.compile(rb"<title[^>]*>(.{1,2000}?)</title", re.I | re.S)
UNKNOWN_METHOD = re.compile(
    r"(unknown|no such|undefined|unsupported) (method|handler|procedure)"
    r"|(method|handler|procedure)\b.{0,200}\b(not (supported|found|known|defined|implemented)|does(n't| not) exist)"
    r"|has one method,",
    re.I | re.S,
)
METHOD_NOT_FOUND = -32601
LOOKED_AT = 4096
LONGEST_QUOTE = 300


def of_http(error: HttpError, *, request_sent: bool, time_limit: float) -> CallError:
    """The diagnosis of a request without an HTTP answer. time_limit is seconds, request_sent whether all of it left."""
    if error.kind is HttpFault.DEADLINE:
        return no_answer(time_limit) if request_sent else not_sent(time_limit)
    connection = error.kind in CONNECTION
    stage = Stage.CONNECTION if connection else Stage.COMMUNICATION
    advice = CONNECTION[error.kind] if connection else COMMUNICATION[error.kind]
    code = "halted" if error.kind is HttpFault.ABORTED else error.kind.value
    return _call_error(stage, code, str(error), advice)


def not_sent(time_limit: float) -> CallError:
    happened = f"The time limit of {time_limit:g} s passed before the whole request was sent."
    advice = "Check that the server accepts connections and reads requests without delay."
    return _call_error(Stage.CONNECTION, "not-sent", happened, advice)


def no_answer(time_limit: float) -> CallError:
    happened = f"The request was sent, but no complete answer came within {time_limit:g} s."
    advice = "Make the server faster, or raise its time limit on its page (at most 600 s)."
    return _call_error(Stage.NO_ANSWER, "no-answer", happened, advice)


def of_status(status: int, body: bytes, protocol: str) -> CallError:
    """The diagnosis of an answer whose HTTP status is none of success."""
    name = _status_name(status)
    if status in WRONG_PATH:
        happened = f"The server has nothing for this call at the path of its URL: HTTP status {status}{name}."
        return _call_error(Stage.CONNECTION, "wrong-path", happened, WRONG_PATH_ADVICE.get(protocol, RIGHT_PATH))
    if status in NOT_ALLOWED:
        happened = f"The server does not let us in: HTTP status {status}{name}."
        return _call_error(Stage.COMMUNICATION, "http-status", happened, "Let calls in without a log-in.")
    happened = ended(f"The server answered with HTTP status {status}{name}{_words_of(body)}")
    advice = "Look in the server's log for what went wrong with this article."
    return _call_error(Stage.COMMUNICATION, "http-status", happened, advice)


def _status_name(status: int) -> str:
    return f" ({HTTPStatus(status).phrase})" if status in HTTPStatus._value2member_map_ else ""


def _words_of(body: bytes) -> str:
    """What came with such a status, as the end of a sentence: the title of a page, or the text that explains it."""
    if HTML.search(body[:LOOKED_AT]):
        title = html_title(body)
        return f' and a page titled "{title}"' if title else ""
    text = " ".join(body[:LOOKED_AT].decode("utf-8", "replace").split())[: LONGEST_QUOTE + 1]
    return f", and says: {bounded(text, LONGEST_QUOTE)}" if text and UNPRINTABLE not in text else ""


def html_title(body: bytes) -> str:
    """The title of an HTML page, fit to be shown; empty when there is none."""
    found = HTML_TITLE.search(body[:LOOKED_AT])
    return bounded(" ".join(found[1].decode("utf-8", "replace").split()), 100) if found else ""


def of_xmlrpc(kind: XmlRpcFault, detail: str, code: int, body: bytes) -> CallError:
    """The diagnosis of a body that holds no XML-RPC answer; detail and code are as in XmlRpcError."""
    if kind is XmlRpcFault.FAULT:
        return of_fault(code, detail)
    if kind in MAYBE_HTML and HTML.search(body[:LOOKED_AT]):
        return html_page(body, "XML-RPC", "not-xml")
    happened, advice = XMLRPC[kind]
    if kind in (XmlRpcFault.NOT_XML, XmlRpcFault.CUT_OFF):
        return _call_error(Stage.COMMUNICATION, kind.value, happened.format(detail), advice)
    said = f" ({bounded(detail, LONGEST_QUOTE)})" if detail else ""
    return _call_error(Stage.COMMUNICATION, kind.value, happened.format(said), advice)


def of_json(kind: str, detail: str, body: bytes) -> CallError:
    """The diagnosis of a body that holds no JSON answer; kind is one of JSON's keys, detail says where or what."""
    if HTML.search(body[:LOOKED_AT]):
        return html_page(body, "JSON", "not-json")
    happened, advice = JSON[kind]
    said = detail if body.strip() else "it is empty"
    return _call_error(Stage.COMMUNICATION, kind, happened.format(bounded(said, LONGEST_QUOTE)), advice)


def html_page(body: bytes, wanted: str, code: str) -> CallError:
    title = html_title(body)
    titled = f' titled "{title}"' if title else ""
    happened = f"The answer is an HTML page{titled}, not {wanted}."
    advice = "Check that the URL is the one of the annotation server itself, not of its web site, a log-in or a proxy."
    return _call_error(Stage.COMMUNICATION, code, happened, advice)


def not_acknowledged(said: str) -> CallError:
    happened = f"The server did not accept the question; it says: {ended(bounded(said, LONGEST_QUOTE))}"
    advice = 'Answer getAnnotations at once with {"status": 200, "success": true, "key": your key}.'
    return _call_error(Stage.COMMUNICATION, "not-acknowledged", happened, advice)


def no_task() -> CallError:
    happened = "The server accepted the question (HTTP status 201 or 202), but did not say where its answer will be."
    advice = "Send the address of the task in the Location header."
    return _call_error(Stage.COMMUNICATION, "no-task", happened, advice)


def bad_place(why: str) -> CallError:
    happened = f"The server said that its answer will be where nothing can be asked: {ended(why)}"
    advice = "In Location or result_location give a whole URL, as https://example.org/tasks/1, or a path of the server."
    return _call_error(Stage.COMMUNICATION, "bad-task-place", happened, advice)


def task_failed(said: str) -> CallError:
    happened = f"The server's task ended with an error; it says: {ended(bounded(said, LONGEST_QUOTE))}"
    return _call_error(Stage.COMMUNICATION, "task-failed", happened, "Look in the server's log for what went wrong.")


def bad_task(what: str) -> CallError:
    happened = f"The server's task cannot be read: {what}"
    advice = "Answer with status (IN_QUEUE, IN_PROGRESS, DONE or ERROR) and, when it is done, result_location."
    return _call_error(Stage.COMMUNICATION, "bad-task", happened, advice)


def wrong_article(said: str, asked: str) -> CallError:
    happened = f"The answer says that it is of article {bounded(said, 60)}, but {bounded(asked, 60)} was asked for."
    advice = "Answer each question with the annotations of its own article; check caches and batches."
    return _call_error(Stage.RESULT, "wrong-article", happened, advice)


def of_fault(code: int, text: str) -> CallError:
    """The diagnosis of a fault that the server raised, with its own words."""
    said = bounded(text, LONGEST_QUOTE)
    if code == METHOD_NOT_FOUND or UNKNOWN_METHOD.search(text[:LOOKED_AT]):
        happened = f"The server does not know the method that was called; it says: {ended(said)}"
        advice = "Correct the method name on the server's page."
        return _call_error(Stage.COMMUNICATION, "wrong-method", happened, advice)
    happened = f"The server raised fault {code}: {ended(said)}"
    advice = "Look in the server's log; the fault was raised by the server's own program."
    return _call_error(Stage.COMMUNICATION, "fault", happened, advice)


def ended(said: str) -> str:
    """A server's words with a full stop, so that ours do not run into them."""
    return said if said.endswith((".", "!", "?", "…")) else f"{said}."


def endless_task(url: str) -> CallError:
    happened = f"The server's task led from one address to the next without an answer, at last to {bounded(url, 200)}."
    advice = "Let the place that the server names give the answer itself."
    return _call_error(Stage.COMMUNICATION, "endless-task", happened, advice)


def no_pmid() -> CallError:
    happened = "The server is registered to be sent PMIDs, but this article has none that may be told."
    advice = "Let the server be sent the text or the struct."
    return _call_error(Stage.COMMUNICATION, "no-pmid", happened, advice)


def result(broken: Sequence[BrokenRule]) -> Diagnosis:
    """The diagnosis of an answer that breaks rules: how many, and the first of them. broken must not be empty."""
    first = broken[0]
    count = "One annotation breaks a rule" if len(broken) == 1 else f"{len(broken):,} rules are broken"
    return Diagnosis(Stage.RESULT, first.code, f"{count}; first at {first.where}: {first.message}", first.mend)


def _call_error(stage: Stage, code: str, happened: str, advice: str) -> CallError:
    return CallError(Diagnosis(stage, code, happened, advice))
