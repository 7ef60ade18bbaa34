"""Servers whose mistakes are easily taken for others: each is told what is wrong, where, and how to fix it."""

import json
import re
import xmlrpc.client

import pytest

from annotations.schema import Kind
from bcms.lib.http.exchange import Exchange
from servers.calls.client import request_answer_and_collect_broken_rules
from servers.calls.errors import CallError, Stage
from servers.kit.checks.check_report import build_check_data, iter_check_report_lines
from servers.kit.checks.sample_articles import SampleArticle
from servers.kit.checks.server_check import CheckTarget, check_server_noting_failure
from tests import fakeserver
from tests.annotator import Annotator
from tests.fakeserver import LOOPBACK, FakeServer, answer
from tests.questions import question

TITLE, ABSTRACT = "BRCA1 and β-catenin", "CDH1 binds β-catenin. The year was 1998."
TEXT = f"{TITLE}\n{ABSTRACT}"
GOOD = xmlrpc.client.dumps(({"taxons": [{"taxid": 9606}]},), methodresponse=True).encode()
PHP_WARNING = b"<br />\n<b>Warning</b>:  Undefined variable $x in <b>/srv/annotate.php</b> on line <b>3</b><br />\n"


def make_question(url, protocol="bcms", **fields):
    return question(protocol, title=TITLE, abstract=ABSTRACT, url=url, **fields)


def ask(behave, protocol="bcms", **fields):
    with FakeServer(behave) as server:
        return request_answer_and_collect_broken_rules(make_question(server.url, protocol, **fields), Exchange())


def fail(behave, protocol="bcms", **fields):
    with pytest.raises(CallError) as caught:
        ask(behave, protocol, **fields)
    return caught.value.diagnosis


def ask_json(value, protocol="rest"):
    return ask(answer(json.dumps(value).encode()), protocol)


def ask_xmlrpc(value):
    with Annotator(lambda sent: value) as annotator:
        return request_answer_and_collect_broken_rules(make_question(annotator.url), Exchange())


def format_struct_member(name, value):
    member = f"<member><name>{name}</name><value>{value}</value></member>"
    taxon = "<member><name>taxons</name><value><array><data><value><struct>{}</struct></value></data></array></value>"
    taxons = taxon.format("<member><name>taxid</name><value><int>9606</int></value></member>") + "</member>"
    struct = f"<struct>{taxons}{member}</struct>"
    return f"<methodResponse><params><param><value>{struct}</value></param></params></methodResponse>".encode()


class TestTextAroundTheAnswer:
    def test_it_quotes_a_warning_of_php_before_the_xml(self):
        found = fail(answer(PHP_WARNING + GOOD))
        assert (found.stage, found.code) == (Stage.COMMUNICATION, "not-xml")
        assert 'the text "Warning : Undefined variable $x in /srv/annotate.php on line 3' in found.happened
        assert "precedes the XML" in found.happened
        assert "display_errors=0" in found.advice

    def test_it_names_white_space_before_the_xml(self):
        found = fail(answer(b"\n\n" + GOOD))
        assert found.happened == "The answer is not XML: white space precedes the XML."
        assert found.advice == "Send nothing before the XML."

    @pytest.mark.parametrize("protocol", ["rest", "pubannotation"])
    def test_it_quotes_a_warning_before_the_json(self, protocol):
        found = fail(answer(PHP_WARNING + b'{"annotations": {}, "denotations": []}\n'), protocol)
        assert found.code == "not-json"
        assert "Undefined variable $x" in found.happened
        assert "precedes the JSON" in found.happened

    def test_it_takes_a_page_for_a_page(self):
        page = b"<html><title>Docs</title><pre>\n{}\n</pre><pre>\n<methodResponse>\n</pre></html>"
        assert 'HTML page titled "Docs"' in fail(answer(page)).happened
        assert 'HTML page titled "Docs"' in fail(answer(page), "rest").happened


class TestListInPlaceOfTheAnswer:
    def test_it_says_that_the_answer_must_be_an_object(self):
        (rule,) = ask_json([{"start": 0, "end": 5, "text": "BRCA1"}]).broken_rules
        assert (rule.code, rule.where) == ("R202", "")
        assert rule.message == "The answer is an array of 1 value, but must be an object."
        assert '{"annotations": {"mention": [...]' in rule.mend

    def test_it_says_that_denotations_belong_in_a_document(self):
        denotations = [{"span": {"begin": 0, "end": 5}, "obj": "Gene"}] * 2
        for listed in (denotations, denotations[:1]):
            (rule,) = ask_json(listed, "pubannotation").broken_rules
            assert "denotations, but must be a document" in rule.message
            assert '{"denotations": [...]}' in rule.mend


class TestUnreadableValues:
    @pytest.mark.parametrize(
        ("value", "description"),
        [
            ("<ex:dateTime xmlns:ex='urn:x'>2026-03-02T09:00:00</ex:dateTime>", "of the unknown type"),
            ("<date><day>2</day></date>", "a value of the unknown type date"),
            ("<dateTime.iso8601>yesterday</dateTime.iso8601>", 'type dateTime.iso8601 that is none: "yesterday"'),
            ("<int>many</int>", 'type int that is none: "many"'),
            ("<boolean>yes</boolean>", 'type boolean that is none: "yes"'),
        ],
    )
    def test_it_ignores_what_nobody_needs_with_a_note(self, value, description):
        found = ask(answer(format_struct_member("made", value)))
        assert [each.identifier for each in found.annotations] == ["9606"]
        assert found.broken_rules == []
        assert found.notes == ['The unknown value "made" of the answer was ignored.']
        ((where, reason),) = found.omitted.parts
        assert where == "answer.made"
        assert description in reason

    def test_it_breaks_a_rule_where_the_value_is_needed(self):
        found = ask(answer(format_struct_member("mentions", "<ex:list xmlns:ex='urn:x'><a/></ex:list>")))
        assert [(rule.code, rule.where) for rule in found.broken_rules] == [("R202", "mentions")]
        assert "Expected an array, but got a value of the unknown type" in found.broken_rules[0].message
        assert [each.identifier for each in found.annotations] == ["9606"]

    def test_it_counts_the_digits_of_an_endless_integer(self):
        digits = b"9" * 3_000_000
        found = ask(answer(b'{"annotations": {"taxon": [{"identifier": "9606", "rank": %s}]}}' % digits), "rest")
        (rule,) = found.broken_rules
        assert (rule.code, rule.where) == ("R202", "annotations.taxon[0].rank")
        assert rule.message == "Expected an int, but got an int of 3,000,000 digits."
        xml = GOOD.replace(b"9606", digits)
        (rule,) = ask(answer(xml)).broken_rules
        assert rule.message == "Expected an int, but got an int of 3,000,000 digits."
        assert "sys." not in fail(answer(digits), "rest").happened


class TestNumbersAndStrings:
    def test_it_reads_numbers_sent_as_strings_with_a_note(self):
        found = ask_xmlrpc({"mentions": [{"offset": "0", "mention": "BRCA1", "confidence": "0.9"}]})
        ((mention,), notes) = (found.annotations, found.notes)
        assert (mention.start, mention.end, mention.confidence, found.broken_rules) == (0, 5, 0.9, [])
        assert notes == [
            'The value "offset" was sent as a string and read as a number. Send numbers.',
            'The value "confidence" was sent as a string and read as a number. Send numbers.',
        ]

    def test_it_reads_them_in_json_too(self):
        mention = {"start": "0", "end": "5", "text": "BRCA1", "confidence": "9e-1"}
        found = ask_json({"annotations": {"mention": [mention]}})
        assert ([each.confidence for each in found.annotations], found.broken_rules) == ([0.9], [])
        found = ask_json({"denotations": [{"span": {"begin": "0", "end": "5"}, "obj": "Gene"}]}, "pubannotation")
        assert ([each.end for each in found.annotations], found.broken_rules) == ([5], [])
        assert len(found.notes) == 2

    @pytest.mark.parametrize("text", ["0,9", "1 000", "0x10", "nan", "", "٣"])
    def test_it_reads_nothing_that_could_mean_another_number(self, text):
        (rule,) = ask_xmlrpc({"taxons": [{"taxid": 9606, "confidence": text}]}).broken_rules
        assert (rule.code, rule.where) == ("R202", "taxons[0].confidence")

    def test_it_reads_a_mention_of_digits_that_perl_sends_as_a_number(self):
        found = ask_xmlrpc({"mentions": [{"section": "abstract", "offset": 35, "mention": 1998}]})
        assert ([each.text for each in found.annotations], found.broken_rules) == (["1998"], [])
        assert found.notes == ['The value "mention" was sent as a number and read as a string. Send strings.']


def list_mentions(*, shift=0, count=len):
    places = [TEXT.index("BRCA1"), TEXT.index("CDH1"), TEXT.rindex("β-catenin"), TEXT.index("1998")]
    names = ["BRCA1", "CDH1", "β-catenin", "1998"]
    return [{"offset": count(TEXT[:place]) + shift, "mention": name} for place, name in zip(places, names, strict=True)]


class TestShiftedOffsets:
    @pytest.mark.parametrize("shift", [1, 5, -3])
    def test_it_says_that_all_offsets_are_shifted_and_by_how_much(self, shift):
        rules = [
            rule
            for rule in ask_xmlrpc({"mentions": list_mentions(shift=shift)}).broken_rules
            if rule.code in ("R104", "R105")
        ]
        assert len(rules) == 4
        assert all(f"All offsets are shifted by {shift:+d}." in rule.message for rule in rules)
        assert all(("count from 1 instead of 0" in rule.message) == (shift == 1) for rule in rules)

    def test_it_names_both_causes_if_it_cannot_know_which(self):
        """After the only character of two bytes, offsets in bytes look like offsets that count from 1."""
        mentions = [{"offset": len(TEXT[: TEXT.index(name)].encode()), "mention": name} for name in ("CDH1", "binds")]
        message = ask_xmlrpc({"mentions": mentions}).broken_rules[0].message
        assert "All offsets are shifted by +1." in message
        assert "count from 1" in message
        assert "Or the offsets seem to count bytes" in message

    def test_it_says_no_such_thing_of_offsets_that_differ(self):
        mentions = list_mentions(shift=1)
        mentions[0]["offset"] = 0
        messages = [rule.message for rule in ask_xmlrpc({"mentions": mentions}).broken_rules]
        assert messages
        assert not any("All offsets" in message for message in messages)


def test_it_shows_where_the_text_of_pubannotation_differs():
    other = f"{TITLE} CDH1 binds many other proteins. It is not known what they do."
    found = fail(answer(json.dumps({"text": other, "denotations": []}).encode()), "pubannotation")
    assert (found.stage, found.code) == (Stage.RESULT, "wrong-article")
    assert f'at character {len(TITLE)} it goes on with " CDH1 binds' in found.happened
    assert "about article" not in found.happened
    assert "omit it" in found.advice


@pytest.mark.parametrize(
    ("status", "said"), [("403 Forbidden", "Check the path"), ("401 Unauthorized", "Enter credentials")]
)
def test_it_points_to_the_path_where_access_is_denied(status, said):
    found = fail(answer(b"Access denied", status))
    assert (found.code, found.advice.startswith(said)) == ("http-status", True)


class TestUnfinishedAnswers:
    def test_it_tells_silence(self):
        found = fail(fakeserver.silence, time_limit=0.3)
        assert found.happened.endswith("no complete answer arrived within 0.3 s: not one byte came.")
        assert "Make the server faster" in found.advice

    def test_it_tells_an_answer_that_stops(self):
        def behave(connection, closing):
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n<method")
            closing.wait()

        found = fail(behave, time_limit=0.5)
        assert "47 bytes came, the last of them 0." in found.happened
        assert "began its answer and stopped" in found.advice

    def test_it_tells_an_answer_that_drips(self):
        found = fail(fakeserver.body_drip, time_limit=1.0)
        assert re.search(r"[0-9]+ bytes came, the last of them 0\.[0-9] s before the end", found.happened)
        assert "too slowly" in found.advice

    def test_it_tells_a_call_back_that_does_not_come(self):
        acknowledged = answer(b'{"status": 200, "success": true, "key": ""}')
        with FakeServer(acknowledged) as server:
            check = run_check(server.url, "becalm", wait_for_callback=lambda *_: None)
        assert "acknowledged the request, but did not send its annotations" in check.failure
        assert "saveAnnotations/JSON" in check.advice
        assert "faster" not in check.advice


def run_check(url, protocol="bcms", **fields):
    target = CheckTarget(url, protocol, networks=tuple(LOOPBACK), time_limit=20.0, **fields)
    return check_server_noting_failure(target, SampleArticle("10000001", TITLE, ABSTRACT, 10000001))


class TestPartsThatAreNotStored:
    """Nothing is dropped silently: the kit, a trial and an attempt list each part and why."""

    @pytest.mark.parametrize(
        ("protocol", "value", "parts"),
        [
            (
                "rest",
                {"annotations": {"taxon": [{"identifier": 9606, "name": "human"}], "variant": [1]}, "model": "m"},
                [("model", "no such value"), ("annotations.variant", "no such"), ("annotations.taxon[0].name", "no")],
            ),
            (
                "pubannotation",
                {
                    "denotations": [
                        {"id": "T1", "span": {"begin": 0, "end": 5}, "obj": "uniprot:P38398"},
                        {"id": "T2", "span": {"begin": 20, "end": 24}, "obj": "Gene"},
                    ],
                    "attributes": [{"subj": "T1", "pred": "score", "obj": 0.9}],
                    "relations": [{"subj": "T1", "pred": "binds", "obj": "T2"}],
                    "modifications": [{"id": "M1"}, {"id": "M2"}],
                },
                [
                    ("modifications", "2 elements. The meta-server does not store modifications"),
                    ("attributes[0]", "not an entry of a known database"),
                    ("denotations", "1 link between a mention and an identifier"),
                    ("relations[0]", "does not connect two denotations with entries"),
                ],
            ),
        ],
    )
    def test_it_lists_each_with_its_reason(self, protocol, value, parts):
        found = ask_json(value, protocol).omitted
        assert [part.where for part in found.parts] == [where for where, _ in parts]
        assert all(reason in part.reason for part, (_, reason) in zip(found.parts, parts, strict=True))

    def test_it_lists_kinds_that_the_server_is_not_registered_for(self):
        value = {"annotations": {"taxon": [{"identifier": 9606}, {"identifier": 10090}]}}
        found = ask(answer(json.dumps(value).encode()), "rest", kinds=(Kind.MENTION,)).omitted
        assert (found.count, len(found.parts)) == (2, 1)
        assert "2 elements. The server is not registered for" in found.parts[0].reason

    def test_it_counts_all_and_lists_a_hundred(self):
        taxons = [{"identifier": number, "name": "x"} for number in range(1, 301)]
        found = ask_json({"annotations": {"taxon": taxons}}).omitted
        assert (found.count, len(found.parts)) == (300, 100)

    def test_the_kit_reports_them(self):
        taxons = [{"identifier": 9606, "name": "human"}]
        with FakeServer(answer(json.dumps({"annotations": {"taxon": taxons}}).encode())) as server:
            check = run_check(server.url, "rest")
        assert "  NOT STORED annotations.taxon[0].name: The protocol has no such value here." in list(
            iter_check_report_lines(check)
        )
        assert build_check_data(check)["omitted"] == {
            "count": 1,
            "parts": [{"where": "annotations.taxon[0].name", "reason": "The protocol has no such value here."}],
        }
