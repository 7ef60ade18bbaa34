"""What the team of a server is told about a failed call: the stage, a stable code, what happened, what to do."""

import pytest

from annotations.schema import BrokenRule
from bcms.lib.http.errors import HttpError, HttpFault
from servers.calls import diagnosis
from servers.calls.errors import Stage
from servers.calls.reachability import OUTAGE_STATUSES
from servers.protocols.xmlrpc_messages import XmlRpcFault


def diagnose_http_kind(kind, message="Something happened", detail="", *, request_sent=False):
    return diagnosis.diagnose_http_error(HttpError(kind, message, detail), request_sent=request_sent, time_limit=600.0)


@pytest.mark.parametrize(
    ("kind", "stage", "code"),
    [
        (HttpFault.BAD_URL, Stage.CONNECTION, "bad-url"),
        (HttpFault.NAME_NOT_FOUND, Stage.CONNECTION, "name-not-found"),
        (HttpFault.BLOCKED_ADDRESS, Stage.CONNECTION, "blocked-address"),
        (HttpFault.REFUSED, Stage.CONNECTION, "refused"),
        (HttpFault.UNREACHABLE, Stage.CONNECTION, "unreachable"),
        (HttpFault.CONNECT_LIMIT, Stage.CONNECTION, "connect-limit"),
        (HttpFault.TLS, Stage.CONNECTION, "tls"),
        (HttpFault.REDIRECT, Stage.CONNECTION, "redirect"),
        (HttpFault.DEADLINE, Stage.CONNECTION, "not-sent"),
        (HttpFault.CUT_OFF, Stage.COMMUNICATION, "cut-off"),
        (HttpFault.NOT_HTTP, Stage.COMMUNICATION, "not-http"),
        (HttpFault.TOO_LARGE, Stage.COMMUNICATION, "too-large"),
        (HttpFault.ABORTED, Stage.COMMUNICATION, "halted"),
    ],
)
def test_it_knows_every_way_in_which_a_request_fails(kind, stage, code):
    error = diagnose_http_kind(kind)
    assert (error.diagnosis.stage, error.diagnosis.code) == (stage, code)
    assert error.diagnosis.happened.endswith(".")
    assert error.diagnosis.advice.endswith(".")


def test_it_knows_no_other_way():
    # Only access tokens of Matrix are never sent unencrypted.
    of_others = {HttpFault.DEADLINE, HttpFault.UNENCRYPTED}
    assert set(HttpFault) == {*diagnosis.CONNECTION, *diagnosis.COMMUNICATION, *of_others}
    assert set(XmlRpcFault) == {*diagnosis.XMLRPC, XmlRpcFault.FAULT}


def test_it_calls_it_no_answer_once_the_request_was_sent():
    error = diagnose_http_kind(HttpFault.DEADLINE, request_sent=True)
    assert (error.diagnosis.stage, error.diagnosis.code) == (Stage.NO_ANSWER, "no-answer")
    assert "600 s" in error.diagnosis.happened


def test_it_passes_on_what_the_network_said():
    assert "Nothing listens at 192.0.2.1 port 80. Start the server" in str(
        diagnose_http_kind(HttpFault.REFUSED, "Nothing listens at 192.0.2.1 port 80")
    )
    assert "certificate has expired" in str(
        diagnose_http_kind(HttpFault.TLS, "The certificate was not accepted", "certificate has expired")
    )


def test_it_shows_where_a_redirect_leads():
    error = diagnose_http_kind(
        HttpFault.REDIRECT, "The server redirects the request to another URL", "https://example.org/RPC2"
    )
    assert "The server redirects the request to another URL: https://example.org/RPC2." in error.diagnosis.happened


@pytest.mark.parametrize("status", [404, 405, 410])
def test_it_calls_a_missing_page_a_wrong_path(status):
    error = diagnosis.diagnose_http_status(status, b"", "bcms")
    assert (error.diagnosis.stage, error.diagnosis.code) == (Stage.CONNECTION, "wrong-path")
    assert str(status) in error.diagnosis.happened


def test_it_tells_where_servers_of_a_protocol_answer():
    assert "/RPC2" in diagnosis.diagnose_http_status(404, b"", "bcms").diagnosis.advice
    assert "/RPC2" not in diagnosis.diagnose_http_status(404, b"", "rest").diagnosis.advice


@pytest.mark.parametrize(("status", "said"), [(500, "500 (Internal Server Error)"), (599, "599"), (304, "304")])
def test_it_tells_any_other_status(status, said):
    error = diagnosis.diagnose_http_status(status, b"", "bcms")
    assert (error.diagnosis.stage, error.diagnosis.code) == (Stage.COMMUNICATION, "http-status")
    assert said in error.diagnosis.happened


@pytest.mark.parametrize(
    ("status", "code", "happened"),
    [
        (429, "too-many-requests", "429 (Too Many Requests)"),
        (502, "unavailable", "The proxy in front of the server got no usable answer from it: HTTP status 502"),
        (503, "unavailable", "503 (Service Unavailable)"),
        (504, "unavailable", "in time: HTTP status 504"),
    ],
)
def test_it_calls_a_status_that_is_not_about_the_article_an_outage(status, code, happened):
    error = diagnosis.diagnose_outage(status, b"<title>502 Bad Gateway</title><html>", 120.0)
    found = error.diagnosis
    assert (found.stage, found.code, found.rest_seconds) == (Stage.UNAVAILABLE, code, 120.0)
    assert happened in found.happened
    assert 'titled "502 Bad Gateway"' in found.happened
    assert "queues rest for 120 s" in found.advice
    assert "article is not charged a try" in found.advice
    assert "server's log" not in str(error)


def test_it_knows_every_status_of_an_outage():
    assert set(diagnosis.OUTAGES) == OUTAGE_STATUSES


def test_it_tells_that_a_log_in_was_wanted():
    error = diagnosis.diagnose_http_status(401, b"", "bcms")
    assert "without authentication" in error.diagnosis.advice


def test_it_shows_the_title_of_a_page():
    page = b"<html><head><title>\nServer  <b>down</b>\x1b</title>"
    assert 'titled "Server <b>down</b>\ufffd"' in str(diagnosis.diagnose_http_status(503, page, "rest"))
    assert 'an HTML page titled "Server' in str(
        diagnosis.diagnose_invalid_xmlrpc_body(XmlRpcFault.NOT_XML, "", 0, page)
    )


@pytest.mark.parametrize(
    ("body", "end"),
    [
        (
            b'{"error": "The request is no JSON."}\n',
            '(Bad Request) and the text: {"error": "The request is no JSON."}.',
        ),
        (b"Try again\r\nlater!", "(Bad Request) and the text: Try again later!"),
        (b"no \x1b[31mcolour", "and the text: no \ufffd[31mcolour."),
        (b"x" * 9999, "x…"),
        (b"\x89PNG\r\n\xff\xfe", "(Bad Request)."),
        (b"<html><body>No title.</body></html>", "(Bad Request)."),
    ],
)
def test_it_passes_on_what_a_server_says_with_its_status(body, end):
    happened = diagnosis.diagnose_http_status(400, body, "rest").diagnosis.happened
    assert happened.endswith(end)
    assert len(happened) < 400


def test_it_cuts_a_title_that_is_too_long():
    assert len(diagnosis.read_clipped_raw_html_title(b"<title>" + b"x" * 1900 + b"</title>")) == 100
    assert diagnosis.read_clipped_raw_html_title(b"<title>" + b"x" * 100_000) == ""


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (1, "<class 'Exception'>:method \"x\" is not supported"),
        (-32601, "server error"),
        (0, "No such handler: x"),
        (7, "Unknown method: x"),
        (1, "This server has one method, x, not y."),
        (3, "The method x does not exist"),
        (3, "Method 'x' not found"),
    ],
)
def test_it_recognizes_a_wrong_method_name(code, text):
    error = diagnosis.diagnose_xmlrpc_fault_or_unknown_method(code, text)
    assert error.diagnosis.code == "wrong-method"
    assert text in error.diagnosis.happened


@pytest.mark.parametrize("text", ["out of memory", "the method failed for this article", ""])
def test_it_passes_on_any_other_fault(text):
    error = diagnosis.diagnose_xmlrpc_fault_or_unknown_method(500, text)
    assert (error.diagnosis.stage, error.diagnosis.code) == (Stage.COMMUNICATION, "fault")
    assert f"fault 500: {text}" in error.diagnosis.happened


def test_it_cuts_what_strangers_say():
    for error in (
        diagnosis.diagnose_xmlrpc_fault_or_unknown_method(1, "x" * 100_000),
        diagnose_http_kind(HttpFault.NOT_HTTP, "The answer does not follow HTTP", "\n\x00" * 100_000),
        diagnosis.diagnose_invalid_xmlrpc_body(XmlRpcFault.NOT_XMLRPC, "x" * 100_000, 0, b""),
    ):
        assert len(str(error)) < 700
        assert str(error).isprintable()


def test_it_sums_up_broken_rules():
    broken = [
        BrokenRule("R101", "taxons[0].confidence", "The confidence is 2.", "Scale it.", 0),
        BrokenRule("R104", "mentions[1].offset", "It is outside.", "Count from 0.", 1),
    ]
    summary = diagnosis.diagnose_first_broken_rule_and_count(broken)
    assert (summary.stage, summary.code, summary.advice) == (Stage.RESULT, "R101", "Scale it.")
    assert summary.happened == "2 rules are broken; first at taxons[0].confidence: The confidence is 2."
    assert diagnosis.diagnose_first_broken_rule_and_count(broken[1:]).happened.startswith(
        "One annotation breaks a rule; first at mentions[1].offset"
    )
