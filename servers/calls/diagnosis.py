"""Explain a failed call to the server's team: what happened, and what to do about it.

Every failure that the server causes becomes a CallError here. The codes are stable.
"""

import re
from collections.abc import Sequence
from http import HTTPStatus

from annotations.schema import BrokenRule
from bcms.lib.http.errors import HttpError, HttpFault
from bcms.lib.text import UNPRINTABLE, add_full_stop_if_unpunctuated, clip_text_replacing_unprintable
from servers.calls.errors import CallError, Diagnosis, Stage
from servers.calls.reachability import OUTAGES, TOO_MANY_REQUESTS
from servers.protocols.xmlrpc_messages import XmlRpcFault

WRONG_PATH = frozenset({404, 405, 410, 501})
DEFAULT_PATH_ADVICE = (
    "Correct the path in the server's URL, and check that the server accepts the HTTP method of the call, POST or GET."
)
WRONG_PATH_ADVICE = {"bcms": "Correct the path in the server's URL. Many XML-RPC servers answer only at / or /RPC2."}
NOT_ALLOWED = frozenset({401, 403, 407})
UNAVAILABLE_CODE = "unavailable"
FORBIDDEN = 403
UNAUTHORIZED_ADVICE = (
    "Enter credentials for calls on the server's page, correct them there, or allow calls without authentication."
)
FORBIDDEN_ADVICE = (
    "Check the path in the server's URL first: some XML-RPC libraries, such as Perl's Frontier::Daemon, answer 403 at "
    "every path but /RPC2. If the server wants a log-in, enter credentials for calls on its page, or allow calls "
    "without authentication."
)
# Advice about a request without an HTTP answer.
CONNECTION = {
    HttpFault.BAD_URL: "Correct the URL on the server's page.",
    HttpFault.NAME_NOT_FOUND: (
        "Check the spelling of the server's URL, and that the host name resolves outside your network."
    ),
    HttpFault.BLOCKED_ADDRESS: "Use a URL on the public internet with port 80, 443 or a port from 1024 on.",
    HttpFault.REFUSED: (
        "Start the server, and check that it listens on the port of its URL on all interfaces, not only on localhost."
    ),
    HttpFault.UNREACHABLE: (
        "Check that the machine is running and that its firewall allows connections from outside to the URL's port."
    ),
    HttpFault.CONNECT_LIMIT: (
        "Check that the machine is running and accepts connections without delay, also while it works on an article, "
        "or raise the connect limit on the server's page."
    ),
    HttpFault.TLS: (
        "Check that the certificate is valid for the host name in the URL, has not expired and is sent with its chain. "
        "Use http:// if the server does not support TLS."
    ),
    HttpFault.REDIRECT: (
        "Redirects of calls are not followed. Answer at the registered URL, or register the URL that the redirect "
        "leads to."
    ),
}
COMMUNICATION = {
    HttpFault.CUT_OFF: "Check the server's log for a crash or a timeout, and check any proxies.",
    HttpFault.NOT_HTTP: (
        "Check that an HTTP server listens on the port of the URL and that it sends a plain, uncompressed answer."
    ),
    HttpFault.TOO_LARGE: "Send fewer annotations, and only those of this article.",
    HttpFault.ABORTED: "You do not need to do anything: the article will be sent again later.",
}
BREAKS_OFF = "The answer is incomplete: {}."
XMLRPC = {
    XmlRpcFault.CUT_OFF: (BREAKS_OFF, COMMUNICATION[HttpFault.CUT_OFF]),
    XmlRpcFault.NOT_XML: ("The answer is not XML: {}.", "Send an XML-RPC response, and nothing before or after it."),
    XmlRpcFault.DTD: (
        "The answer has a document type declaration (DTD), which is not allowed{}.",
        "Send an XML-RPC response without a DTD or entities.",
    ),
    XmlRpcFault.NOT_XMLRPC: (
        "The answer is XML, but not an XML-RPC response{}.",
        "Send a methodResponse with one value. An XML-RPC library does this for you.",
    ),
    XmlRpcFault.TOO_DEEP: (
        "The answer is nested too deeply{}.",
        "Send the struct that the protocol describes. It needs at most four levels.",
    ),
    XmlRpcFault.TOO_MANY: (
        "The answer contains too many values{}.",
        "Send fewer annotations, and only those of this article.",
    ),
    XmlRpcFault.WRONG_ENCODING: (
        "The answer is not in the character encoding that it declares{}.",
        'Encode the answer in UTF-8 and declare it in the first line: <?xml version="1.0" encoding="UTF-8"?>.',
    ),
}
JSON = {
    "not-json": ("The answer is not JSON: {}.", "Send one JSON object, and nothing before or after it."),
    "cut-off": (BREAKS_OFF, COMMUNICATION[HttpFault.CUT_OFF]),
    "wrong-encoding": ("The answer is not UTF-8: {}.", "Encode the answer in UTF-8."),
    "too-deep": (
        "The answer is nested too deeply: {}.",
        "Send the object that the protocol describes. It needs at most four levels.",
    ),
    "too-many-values": (
        "The answer contains too many values: {}.",
        "Send fewer annotations, and only those of this article.",
    ),
}
MAYBE_HTML = frozenset({XmlRpcFault.NOT_XML, XmlRpcFault.CUT_OFF, XmlRpcFault.DTD, XmlRpcFault.NOT_XMLRPC})
HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.I)
XMLRPC_START = re.compile(rb"<\?xml\s|<methodResponse\b")
UTF8_MARK = b"\xef\xbb\xbf"
TAG = re.compile(r"<[^<>]{1,200}>")
HTML_TITLE = re.compile(rb"<title[^>]*>(.{1,2000}?)</title", re.I | re.S)
UNKNOWN_METHOD = re.compile(
    r"(unknown|no such|undefined|unsupported) (method|handler|procedure)"
    r"|(method|handler|procedure)\b.{0,200}\b(not (supported|found|known|defined|implemented)|does(n't| not) exist)"
    r"|has one method,",
    re.I | re.S,
)
METHOD_NOT_FOUND = -32601
SNIFFED_LENGTH = 4096
# The share of the time limit without a byte after which a server seems to have stopped in the middle of its answer.
LARGE_SHARE = 0.3
ADVICE_STOPPED = (
    "The server began its answer and stopped. Check that it sends as many bytes as its Content-Length header says, or "
    "closes the connection, and look in its log for a crash. If it is still at work, make the server faster."
)
ADVICE_DRIPPING = (
    "The server sends its answer too slowly. Send it in one piece, make the server or its connection faster, or raise "
    "the time limit on its page (at most 600 s)."
)
LONGEST_QUOTE = 300
LONGEST_DIFFERENCE = 40


def diagnose_http_error(
    error: HttpError, *, request_sent: bool, time_limit: float, received_bytes: int = 0, idle_seconds: float = 0.0
) -> CallError:
    """The error for a request without an HTTP answer; time_limit is in seconds, request_sent if all of it was sent.

    received_bytes: of the answer so far, with its headers; idle_seconds: since the last of them.
    """
    if error.kind is HttpFault.DEADLINE:
        if not request_sent:
            return _diagnose_unsent_request(time_limit)
        return diagnose_missing_answer(time_limit, received_bytes, idle_seconds)
    connection = error.kind in CONNECTION
    stage = Stage.CONNECTION if connection else Stage.COMMUNICATION
    advice = CONNECTION[error.kind] if connection else COMMUNICATION[error.kind]
    code = "halted" if error.kind is HttpFault.ABORTED else error.kind.value
    return _make_call_error(stage, code, str(error), advice)


def _diagnose_unsent_request(time_limit: float) -> CallError:
    happened = f"The request could not be sent completely within the time limit of {time_limit:g} s."
    advice = "Check that the server accepts connections and reads requests without delay."
    return _make_call_error(Stage.CONNECTION, "not-sent", happened, advice)


def diagnose_missing_answer(time_limit: float, received_bytes: int = 0, idle_seconds: float = 0.0) -> CallError:
    """The error for an answer that did not arrive, or not completely: not begun, begun and stopped, or sent too slowly.

    received_bytes: of the answer so far, with its headers; idle_seconds: since the last of them.
    """
    happened = f"The request was sent, but no complete answer arrived within {time_limit:g} s: "
    if not received_bytes:
        happened += "not one byte came."
        advice = "Make the server faster, or raise the time limit on its page (at most 600 s)."
    else:
        count = "1 byte" if received_bytes == 1 else f"{received_bytes:,} bytes"
        happened += f"{count} came, the last of them {idle_seconds:.1f} s before the end."
        advice = ADVICE_STOPPED if idle_seconds > time_limit * LARGE_SHARE else ADVICE_DRIPPING
    return _make_call_error(Stage.NO_ANSWER, "no-answer", happened, advice)


def diagnose_missing_callback(time_limit: float) -> CallError:
    """The error for a server that has acknowledged the request and did not call back."""
    happened = f"The server acknowledged the request, but did not send its annotations to us within {time_limit:g} s."
    advice = (
        "POST them to saveAnnotations/JSON (or TSV, BIOC) of the meta-server with the communication_id of the request "
        "and the server's key, before the time in expired, and check in the server's log how we replied."
    )
    return _make_call_error(Stage.NO_ANSWER, "no-answer", happened, advice)


def diagnose_unfinished_task(time_limit: float) -> CallError:
    """The error for a server that has accepted the request and whose task still has no answer."""
    happened = f"The server accepted the request, but its task had no answer within {time_limit:g} s."
    advice = "Make the server faster, or raise the time limit on its page (at most 600 s)."
    return _make_call_error(Stage.NO_ANSWER, "no-answer", happened, advice)


def diagnose_http_status(status: int, body: bytes, protocol: str) -> CallError:
    """The error for an answer whose HTTP status is not 2xx."""
    name = _format_status_name(status)
    if status in WRONG_PATH:
        happened = f"The server does not accept this call at the path of its URL: HTTP status {status}{name}."
        advice = WRONG_PATH_ADVICE.get(protocol, DEFAULT_PATH_ADVICE)
        return _make_call_error(Stage.CONNECTION, "wrong-path", happened, advice)
    if status in NOT_ALLOWED:
        happened = f"The server denies access: HTTP status {status}{name}."
        advice = FORBIDDEN_ADVICE if status == FORBIDDEN else UNAUTHORIZED_ADVICE
        return _make_call_error(Stage.COMMUNICATION, "http-status", happened, advice)
    happened = add_full_stop_if_unpunctuated(
        f"The server answered with HTTP status {status}{name}{_format_status_body(body)}"
    )
    advice = "Check the server's log for what went wrong with this article."
    return _make_call_error(Stage.COMMUNICATION, "http-status", happened, advice)


def diagnose_outage(status: int, body: bytes, rest_seconds: float) -> CallError:
    """The error for a status that says that the server does not work now; its queues rest for rest_seconds."""
    happened, cause = OUTAGES[status]
    happened = add_full_stop_if_unpunctuated(
        f"{happened}: HTTP status {status}{_format_status_name(status)}{_format_status_body(body)}"
    )
    advice = (
        f"{cause} The article is not charged a try: live and training queues rest for {rest_seconds:,.0f} s and then "
        "continue; a test queue stops."
    )
    code = "too-many-requests" if status == TOO_MANY_REQUESTS else UNAVAILABLE_CODE
    return CallError(Diagnosis(Stage.UNAVAILABLE, code, happened, advice, rest_seconds))


def _format_status_name(status: int) -> str:
    return f" ({HTTPStatus(status).phrase})" if status in HTTPStatus._value2member_map_ else ""


def _format_status_body(body: bytes) -> str:
    """The body of an error response as the end of a sentence: the title of an HTML page, or the beginning of a text."""
    if HTML.search(body[:SNIFFED_LENGTH]):
        title = read_clipped_raw_html_title(body)
        return f' and a page titled "{title}"' if title else ""
    text = " ".join(body[:SNIFFED_LENGTH].decode("utf-8", "replace").split())[: LONGEST_QUOTE + 1]
    return (
        f" and the text: {clip_text_replacing_unprintable(text, LONGEST_QUOTE)}"
        if text and UNPRINTABLE not in text
        else ""
    )


def read_clipped_raw_html_title(body: bytes) -> str:
    """The title of an HTML page as one printable line of at most 100 characters; empty if there is none."""
    match = HTML_TITLE.search(body[:SNIFFED_LENGTH])
    return clip_text_replacing_unprintable(" ".join(match[1].decode("utf-8", "replace").split()), 100) if match else ""


def diagnose_invalid_xmlrpc_body(xmlrpc_fault: XmlRpcFault, detail: str, fault_code: int, body: bytes) -> CallError:
    """The error for a body that is no valid XML-RPC answer; detail and fault_code are those of XmlRpcError."""
    if xmlrpc_fault is XmlRpcFault.FAULT:
        return diagnose_xmlrpc_fault_or_unknown_method(fault_code, detail)
    if xmlrpc_fault in MAYBE_HTML:
        start = XMLRPC_START.search(body[:SNIFFED_LENGTH])
        preceding = body[: start.start()].removeprefix(UTF8_MARK) if start else b""
        if preceding and xmlrpc_fault is not XmlRpcFault.DTD and not HTML.search(preceding):
            return diagnose_text_before_answer(preceding.decode("utf-8", "replace"), "XML", "not-xml")
        if HTML.search(body[:SNIFFED_LENGTH]):
            return _diagnose_html_page(body, "XML-RPC", "not-xml")
    happened, advice = XMLRPC[xmlrpc_fault]
    if xmlrpc_fault in (XmlRpcFault.NOT_XML, XmlRpcFault.CUT_OFF):
        return _make_call_error(Stage.COMMUNICATION, xmlrpc_fault.value, happened.format(detail), advice)
    quoted = f" ({clip_text_replacing_unprintable(detail, LONGEST_QUOTE)})" if detail else ""
    return _make_call_error(Stage.COMMUNICATION, xmlrpc_fault.value, happened.format(quoted), advice)


def diagnose_text_before_answer(preceding: str, expected: str, code: str) -> CallError:
    """The error for a body in which text precedes the XML or JSON, such as a warning of PHP, whose tags are removed."""
    shown = clip_text_replacing_unprintable(" ".join(TAG.sub(" ", preceding[:SNIFFED_LENGTH]).split()), LONGEST_QUOTE)
    before = f'the text "{shown}"' if shown else "white space"
    happened = f"The answer is not {expected}: {before} precedes the {expected}."
    advice = f"Send nothing before the {expected}."
    if shown:
        advice += " If it is a warning, fix its cause, and write warnings to the log (in PHP display_errors=0)."
    return _make_call_error(Stage.COMMUNICATION, code, happened, advice)


def diagnose_invalid_json_body(json_fault: str, detail: str, body: bytes) -> CallError:
    """The error for a body that is no valid JSON answer; json_fault is a key of JSON, detail the position or cause."""
    if HTML.search(body[:SNIFFED_LENGTH]):
        return _diagnose_html_page(body, "JSON", "not-json")
    happened, advice = JSON[json_fault]
    cause = detail if body.strip() else "it is empty"
    return _make_call_error(
        Stage.COMMUNICATION, json_fault, happened.format(clip_text_replacing_unprintable(cause, LONGEST_QUOTE)), advice
    )


def _diagnose_html_page(body: bytes, expected: str, code: str) -> CallError:
    """The error for an HTML page instead of the expected format."""
    title = read_clipped_raw_html_title(body)
    titled = f' titled "{title}"' if title else ""
    happened = f"The answer is an HTML page{titled}, not {expected}."
    advice = "Check that the URL is that of the annotation server itself, not of its web site, a login page or a proxy."
    return _make_call_error(Stage.COMMUNICATION, code, happened, advice)


def diagnose_missing_acknowledgement(answer: str) -> CallError:
    happened = f"The server did not accept the request. Its answer: {_quote_sentence(answer)}"
    advice = 'Answer getAnnotations immediately with {"status": 200, "success": true, "key": your key}.'
    return _make_call_error(Stage.COMMUNICATION, "not-acknowledged", happened, advice)


def diagnose_accepted_without_answer_url() -> CallError:
    happened = "The server accepted the request (HTTP status 201 or 202), but did not send the URL of its answer."
    advice = "Send the URL of the task in the Location header."
    return _make_call_error(Stage.COMMUNICATION, "no-task", happened, advice)


def diagnose_bad_task_url(cause: str) -> CallError:
    happened = f"The server sent an unusable URL for its answer: {add_full_stop_if_unpunctuated(cause)}"
    advice = (
        "Send a full URL such as https://example.org/tasks/1, or a path on the server, in Location or result_location."
    )
    return _make_call_error(Stage.COMMUNICATION, "bad-task-place", happened, advice)


def diagnose_failed_task(error: str) -> CallError:
    happened = f"The server's task ended with an error: {_quote_sentence(error)}"
    return _make_call_error(Stage.COMMUNICATION, "task-failed", happened, "Check the server's log for what went wrong.")


def diagnose_unreadable_task(cause: str) -> CallError:
    happened = f"The status of the server's task cannot be read: {cause}"
    advice = "Answer with status (IN_QUEUE, IN_PROGRESS, DONE or ERROR) and, when it is DONE, result_location."
    return _make_call_error(Stage.COMMUNICATION, "bad-task", happened, advice)


def diagnose_wrong_article(answered: str, requested: str) -> CallError:
    answered, requested = clip_text_replacing_unprintable(answered, 60), clip_text_replacing_unprintable(requested, 60)
    happened = f"The answer is about article {answered}, but article {requested} was sent."
    advice = "Answer each request with the annotations of its own article. Check caches and batches."
    return _make_call_error(Stage.RESULT, "wrong-article", happened, advice)


def diagnose_other_text(answered: str, requested: str) -> CallError:
    """The error for an answer whose text is not the one that was sent; names the first difference."""
    pairs = zip(answered, requested, strict=False)
    position = next((number for number, (one, other) in enumerate(pairs) if one != other), None)
    if position is None:
        position = min(len(answered), len(requested))
    theirs, ours = (text[position : position + LONGEST_DIFFERENCE] for text in (answered, requested))
    theirs, ours = (clip_text_replacing_unprintable(text, LONGEST_DIFFERENCE) for text in (theirs, ours))
    happened = (
        f'The "text" of the answer is not the text that was sent: at character {position:,} it goes on with "{theirs}" '
        f'instead of "{ours}", so its positions cannot be trusted.'
    )
    advice = (
        'Return "text" exactly as it was sent, with every space and line break and in the same encoding, or omit it. '
        "If it is the text of another article, check caches and batches."
    )
    return _make_call_error(Stage.RESULT, "wrong-article", happened, advice)


def diagnose_xmlrpc_fault_or_unknown_method(code: int, fault_text: str) -> CallError:
    """The error for an XML-RPC fault of the server, which it quotes."""
    if code == METHOD_NOT_FOUND or UNKNOWN_METHOD.search(fault_text[:SNIFFED_LENGTH]):
        happened = f"The server does not know the method that was called: {_quote_sentence(fault_text)}"
        advice = "Correct the method name on the server's page."
        return _make_call_error(Stage.COMMUNICATION, "wrong-method", happened, advice)
    happened = f"The server raised fault {code}: {_quote_sentence(fault_text)}"
    advice = "Check the server's log. The server's own program raised the fault."
    return _make_call_error(Stage.COMMUNICATION, "fault", happened, advice)


def _quote_sentence(text: str) -> str:
    """The text of a server, clipped to one printable line, with a full stop that separates it from our advice."""
    return add_full_stop_if_unpunctuated(clip_text_replacing_unprintable(text, LONGEST_QUOTE))


def diagnose_endless_task_urls(last_url: str) -> CallError:
    shown_url = clip_text_replacing_unprintable(last_url, 200)
    happened = f"The server's task led from one URL to the next without an answer, last to {shown_url}."
    advice = "Return the answer itself at the URL that the server names."
    return _make_call_error(Stage.COMMUNICATION, "endless-task", happened, advice)


def diagnose_credentials_of_other_origin(origin: str) -> CallError:
    happened = f"Nothing was sent: the credentials for calls are for {origin}, but the server's URL leads elsewhere."
    advice = "Enter the credentials again on the server's page, or remove them."
    return _make_call_error(Stage.COMMUNICATION, "credentials-elsewhere", happened, advice)


def diagnose_missing_pmid() -> CallError:
    happened = "The server is registered to receive PMIDs, but this article has none or is blind."
    advice = "Change the article format of the server to text or struct."
    return _make_call_error(Stage.COMMUNICATION, "no-pmid", happened, advice)


def diagnose_first_broken_rule_and_count(nonempty_broken_rules: Sequence[BrokenRule]) -> Diagnosis:
    """The diagnosis of an answer that breaks rules: their number, and the first of them. nonempty_broken_rules must not
    be empty.
    """
    first = nonempty_broken_rules[0]
    count = (
        "One annotation breaks a rule"
        if len(nonempty_broken_rules) == 1
        else f"{len(nonempty_broken_rules):,} rules are broken"
    )
    return Diagnosis(Stage.RESULT, first.code, f"{count}; first at {first.where}: {first.message}", first.mend)


def _make_call_error(stage: Stage, code: str, happened: str, advice: str) -> CallError:
    return CallError(Diagnosis(stage, code, happened, advice))
