"""BCMS XML-RPC: what is sent, and what is read out of whatever comes back."""

import math
import xmlrpc.client
from dataclasses import replace

import pytest

from annotations.schema import SEVEN_KINDS, AnnotationData, Kind
from servers.calls.errors import CallError, Stage
from servers.protocols import xmlrpc_messages as messages
from servers.protocols.bcms_xmlrpc import (
    build_answer_struct,
    build_method_call_xml,
    build_method_response_xml,
    parse_bcms_answer_noting_faults,
)
from servers.protocols.database_names import normalize_known_database_name
from tests.questions import question

TITLE = "α-Catenin and CDH1"
ABSTRACT = "E-cadherin binds β-catenin."
BODY = len(TITLE) + 1
QUESTION = question(title=TITLE, abstract=ABSTRACT)


def body(answer):
    return xmlrpc.client.dumps((answer,), methodresponse=True, allow_none=True).encode()


def parse_answer_value(answer, kinds=SEVEN_KINDS):
    return parse_bcms_answer_noting_faults(body(answer), len(TITLE), kinds)


def response(value):
    return (
        f"<?xml version='1.0'?><methodResponse><params><param><value>{value}</value></param></params></methodResponse>"
    )


def failure(data):
    with pytest.raises(CallError) as caught:
        parse_bcms_answer_noting_faults(data if isinstance(data, bytes) else data.encode(), len(TITLE))
    return caught.value.diagnosis


class TestRequest:
    def test_it_sends_a_struct(self):
        params, method = xmlrpc.client.loads(build_method_call_xml(QUESTION))
        assert method == "Annotator.getAnnotation"
        assert params == ({"id": "10000001", "title": TITLE, "abstract": ABSTRACT, "text": QUESTION.text},)

    def test_it_sends_the_text_or_the_pmid(self):
        assert xmlrpc.client.loads(build_method_call_xml(replace(QUESTION, send="text")))[0] == (QUESTION.text,)
        assert xmlrpc.client.loads(build_method_call_xml(replace(QUESTION, send="pmid")))[0] == (10000001,)

    def test_it_says_its_encoding(self):
        assert build_method_call_xml(QUESTION).startswith(b"<?xml version='1.0' encoding='UTF-8'?>")

    def test_it_sends_no_other_id_for_a_pmid(self):
        with pytest.raises(CallError) as caught:
            build_method_call_xml(replace(QUESTION, send="pmid", pmid=None, identifier="B0123456789abcdef"))
        assert caught.value.diagnosis.code == "no-pmid"

    def test_it_keeps_every_position(self):
        hard = "a\r\nb\rc\x00d\x0be\ud800f<&>]]>\ufffe\tg\n"
        sent = xmlrpc.client.loads(build_method_call_xml(replace(QUESTION, send="text", text=hard)))[0][0]
        assert sent == "a\r\nb\rc\ufffdd\ufffde\ufffdf<&>]]>\ufffd\tg\n"


class TestAnswer:
    def test_it_reads_every_kind(self):
        parsed = parse_answer_value(
            {
                "mentions": [{"offset": 14, "section": "title", "mention": "CDH1", "confidence": 0.9}],
                "normalizations": [{"dbname": "UniProt", "dbid": "P12830", "taxid": 9606, "confidence": 1, "rank": 2}],
                "taxons": [{"taxid": 10090, "confidence": 0.25}],
                "interaction": [True, 0.75],
                "pairs": [{"dbname": "UniProt", "a": "P12830", "b": "P35222", "rank": 1, "confidence": 0.5}],
                "methods": [{"miid": "MI:0018", "rank": 1, "confidence": 0.5}],
                "passages": [{"dbname": "UniProt", "a": "P12830", "b": "P35222", "passage": ABSTRACT, "rank": 1}],
            }
        )
        assert parsed.annotations == [
            AnnotationData(Kind.MENTION, 0.9, start=14, end=18, text="CDH1"),
            AnnotationData(Kind.NORMALIZATION, 1.0, 2, database="uniprot", identifier="P12830", taxon=9606),
            AnnotationData(Kind.TAXON, 0.25, database="ncbitaxon", identifier="10090"),
            AnnotationData(Kind.CLASSIFICATION, 0.75, relevant=True),
            AnnotationData(Kind.PAIR, 0.5, 1, database="uniprot", identifier="P12830", partner="P35222"),
            AnnotationData(Kind.METHOD, 0.5, 1, database="psi-mi", identifier="MI:0018"),
            AnnotationData(
                Kind.PASSAGE, None, 1, database="uniprot", identifier="P12830", partner="P35222", text=ABSTRACT
            ),
        ]
        places = [
            "mentions[0]",
            "normalizations[0]",
            "taxons[0]",
            "interaction",
            "pairs[0]",
            "methods[0]",
            "passages[0]",
        ]
        assert (parsed.locations, parsed.broken_rules, parsed.notes) == (places, [], [])

    @pytest.mark.parametrize(
        ("section", "offset", "start"),
        [
            ({"section": "title"}, 14, 14),
            ({"section": "abstract"}, 17, BODY + 17),
            ({"section": " Abstract "}, 17, BODY + 17),
            ({"section": ""}, 14, 14),
            ({"section": None}, BODY + 17, BODY + 17),
            ({}, BODY + 17, BODY + 17),
        ],
    )
    def test_it_counts_in_the_canonical_text(self, section, offset, start):
        (mention,) = parse_answer_value(
            {"mentions": [{"offset": offset, "mention": "β-catenin"} | section]}
        ).annotations
        assert (mention.start, mention.end) == (start, start + len("β-catenin"))

    def test_it_reads_arrays_in_the_order_of_the_protocol(self):
        answer = [
            [[14, "title", "CDH1", 0.9], [14, None, "CDH1"]],
            [["UniProt", "P12830", 9606, 0.5, 1]],
            [[9606]],
            [False, 0.2],
            [["UniProt", "P12830", "P35222", 1, 0.5]],
            [["MI:0018", 1]],
            [["UniProt", "P12830", "P35222", ABSTRACT]],
        ]
        parsed = parse_answer_value(answer)
        assert [finding.kind for finding in parsed.annotations] == [Kind.MENTION, *SEVEN_KINDS]
        assert parsed.annotations[2] == AnnotationData(
            Kind.NORMALIZATION, 0.5, 1, database="uniprot", identifier="P12830", taxon=9606
        )
        assert parsed.broken_rules == []
        assert (
            "An array was sent for mentions and read in the order offset, section, mention, confidence." in parsed.notes
        )

    @pytest.mark.parametrize("empty", [{}, [], {"mentions": []}, {"mentions": {}, "interaction": []}, {"taxons": None}])
    def test_it_takes_an_empty_answer_for_an_answer(self, empty):
        parsed = parse_answer_value(empty)
        assert (parsed.annotations, parsed.broken_rules) == ([], [])

    def test_it_reads_an_interaction_without_confidence(self):
        assert parse_answer_value({"interaction": [False]}).annotations == [
            AnnotationData(Kind.CLASSIFICATION, relevant=False)
        ]

    def test_it_takes_a_number_for_an_identifier_of_digits(self):
        assert parse_answer_value({"normalizations": [{"dbname": "Entrez Gene", "dbid": 999}]}).annotations == [
            AnnotationData(Kind.NORMALIZATION, database="ncbigene", identifier="999")
        ]

    def test_it_notes_what_nobody_reads_once(self):
        element = {"offset": 0, "mention": "α", "score": 1}
        parsed = parse_answer_value({"mentions": [element, element], "version": "1"})
        assert parsed.notes == [
            'The unknown value "version" of the answer was ignored.',
            'The unknown value "score" of mentions was ignored.',
        ]

    def test_it_keeps_few_notes_of_many_strange_values(self):
        assert (
            len(parse_answer_value({"taxons": [{"taxid": 1, f"x{number}": 1} for number in range(1000)]}).notes) == 20
        )

    def test_it_leaves_out_the_kinds_that_the_server_is_not_registered_for(self):
        answer = {"mentions": [{"offset": 0, "mention": "α"}], "taxons": "broken", "methods": []}
        parsed = parse_answer_value(answer, [Kind.MENTION])
        assert [finding.kind for finding in parsed.annotations] == [Kind.MENTION]
        assert parsed.broken_rules == []
        assert parsed.notes == ['The part "taxons" was ignored: the server is not registered for organisms.']

    def test_it_reads_an_answer_in_another_encoding_that_it_names(self):
        data = response(
            "<struct><member><name>taxons</name><value><array><data></data></array></value></member></struct>"
        )
        assert parse_bcms_answer_noting_faults(data.encode("utf-16"), 0).annotations == []


class TestMalformedValues:
    @pytest.mark.parametrize(
        ("answer", "code", "where", "said"),
        [
            ("text", "R202", "answer", "got a string 'text'"),
            (1, "R202", "answer", "got an int"),
            (None, "R202", "answer", "got nil"),
            ([1], "R202", "mentions", "Expected an array, but got an int"),
            ([[]] * 8, "R204", "answer", "8 values"),
            ({"mentions": "CDH1"}, "R202", "mentions", "Expected an array"),
            ({"mentions": ["CDH1"]}, "R202", "mentions[0]", "Expected a struct"),
            ({"mentions": [{"mention": "CDH1"}]}, "R201", "mentions[0].offset", '"offset" is missing'),
            ({"mentions": [{"offset": 1}]}, "R201", "mentions[0].mention", '"mention" is missing'),
            ({"mentions": [{"offset": "one", "mention": "x"}]}, "R202", "mentions[0].offset", "Expected an int"),
            ({"mentions": [{"offset": 1.5, "mention": "x"}]}, "R202", "mentions[0].offset", "got a double"),
            ({"mentions": [{"offset": True, "mention": "x"}]}, "R202", "mentions[0].offset", "got a boolean"),
            ({"mentions": [{"offset": 1, "mention": b"x"}]}, "R202", "mentions[0].mention", "got base64"),
            ({"mentions": [{"offset": 1, "mention": True}]}, "R202", "mentions[0].mention", "Expected a string"),
            (
                {"mentions": [{"offset": 1, "mention": "x", "section": "methods"}]},
                "R203",
                "mentions[0].section",
                '"methods"',
            ),
            ({"mentions": [[1, "title", "x", 0.5, 1]]}, "R204", "mentions[0]", "5 values, but at most 4 are allowed"),
            ({"taxons": [{"taxid": "human"}]}, "R202", "taxons[0].taxid", "got a string 'human'"),
            ({"taxons": [{"taxid": "9" * 11}]}, "R202", "taxons[0].taxid", "got a string '999"),
            ({"taxons": [{"taxid": 1, "confidence": "high"}]}, "R202", "taxons[0].confidence", "Expected a double"),
            ({"taxons": [{"taxid": 1, "confidence": "0,9"}]}, "R202", "taxons[0].confidence", "got a string '0,9'"),
            ({"interaction": True}, "R202", "interaction", "Expected an array"),
            ({"interaction": [1, 0.5]}, "R202", "interaction.relevant", "Expected a boolean"),
            ({"interaction": [None, 0.5]}, "R201", "interaction.relevant", "missing"),
            ({"normalizations": [{"dbid": "P12830"}]}, "R201", "normalizations[0].dbname", "missing"),
            ({"pairs": [{"dbname": "UniProt", "a": "P12830"}]}, "R201", "pairs[0].b", "missing"),
            ({"methods": [{"miid": 18}]}, "R202", "methods[0].miid", "Expected a string"),
        ],
    )
    def test_it_names_the_place_of_a_value_that_cannot_be_read(self, answer, code, where, said):
        parsed = parse_answer_value(answer)
        (rule,) = parsed.broken_rules
        assert (rule.code, rule.where, rule.index, parsed.annotations) == (code, where, None, [])
        assert said in rule.message

    def test_it_reads_all_others_beside_a_malformed_one(self):
        parsed = parse_answer_value({"taxons": [{"taxid": 1}, {"taxid": "x"}, {"taxid": 3}], "interaction": [True]})
        assert [finding.identifier for finding in parsed.annotations] == ["1", "3", ""]
        assert parsed.locations == ["taxons[0]", "taxons[2]", "interaction"]

    def test_it_leaves_a_confidence_that_is_no_number_to_the_rules(self):
        data = response(
            "<struct><member><name>interaction</name><value><array><data><value><boolean>1</boolean></value>"
            "<value><double>nan</double></value></data></array></value></member></struct>"
        )
        (finding,) = parse_bcms_answer_noting_faults(data.encode(), 0).annotations
        assert math.isnan(finding.confidence)

    def test_it_refuses_numbers_that_are_too_large_to_store(self):
        data = response(
            "<struct><member><name>taxons</name><value><array><data><value><struct><member><name>taxid</name>"
            "<value><i8>99999999999</i8></value></member></struct></value></data></array></value></member></struct>"
        )
        assert parse_bcms_answer_noting_faults(data.encode(), 0).broken_rules[0].where == "taxons[0].taxid"


class TestNoAnswer:
    @pytest.mark.parametrize(
        ("data", "code", "said"),
        [
            ("", "not-xml", "it is empty"),
            ("OK", "not-xml", "line 1, column 1"),
            ('{"mentions": []}', "not-xml", "The answer is not XML"),
            (response("<string>x")[:60], "cut-off", "The answer is incomplete"),
            ("<methodResp", "cut-off", "unclosed token at line 1"),
            ("<html><body>", "not-xml", "an HTML page"),
            (response("<int>1</int>") * 2, "not-xml", "extra data after the root element at line 1"),
            ("<!DOCTYPE html><html><title> Log\n in </title>", "not-xml", 'an HTML page titled "Log in"'),
            ("<html><body/></html>", "not-xml", "an HTML page, not XML-RPC"),
            ("<rss><channel/></rss>", "not-xmlrpc", "not an XML-RPC response"),
            ("<methodResponse/>", "not-xmlrpc", "not an XML-RPC response"),
            (
                "<methodResponse><params></params></methodResponse>",
                "not-xmlrpc",
                "not a method response with one value",
            ),
            (xmlrpc.client.dumps(({},), methodname="a"), "not-xmlrpc", "not a method response with one value"),
            (response("<int>one</int>"), "not-xmlrpc", "not an XML-RPC response"),
            (response("<int>" + "9" * 5000 + "</int>"), "not-xmlrpc", "not an XML-RPC response"),
            (response("<date>now</date>"), "not-xmlrpc", "not an XML-RPC response"),
            (response("<struct><member><value>1</value></member></struct>"), "not-xmlrpc", "not an XML-RPC response"),
            (response("<bigdecimal>x</bigdecimal>"), "not-xmlrpc", "not an XML-RPC response"),
            ("<methodResponse><fault><value>x</value></fault></methodResponse>", "not-xmlrpc", "not an XML-RPC"),
            ("<methodResponse><fault></fault></methodResponse>", "not-xmlrpc", "not an XML-RPC"),
            ("<!DOCTYPE x [<!ENTITY a 'a'>]>" + response("&a;")[21:], "dtd", "document type declaration"),
            (response("ä").encode("latin-1"), "wrong-encoding", "0xE4, is not valid utf-8"),
            (response("ä").replace("?>", " encoding='klingon'?>").encode(), "wrong-encoding", "klingon"),
            (response("<array><data><value>" * 17 + "</value></data></array>" * 17), "too-deep", "more than 16"),
            (response("<array><data>" + "<value/>" * 200_001 + "</data></array>"), "too-many-values", "200,000"),
        ],
    )
    def test_it_says_why_nothing_could_be_read(self, data, code, said):
        diagnosis = failure(data)
        assert (diagnosis.stage, diagnosis.code) == (Stage.COMMUNICATION, code)
        assert said in diagnosis.happened

    def test_it_passes_on_what_a_fault_says(self):
        diagnosis = failure(xmlrpc.client.dumps(xmlrpc.client.Fault(7, "no model\n loaded")))
        assert (diagnosis.code, diagnosis.happened) == ("fault", "The server raised fault 7: no model\ufffd loaded.")

    def test_it_does_not_trust_what_a_fault_says(self):
        hostile = (
            "<methodResponse><fault><value><struct><member><name>faultCode</name><value>x</value></member><member>"
        )
        hostile += "<name>faultString</name><value><array><data/></array></value></member></struct></value></fault>"
        assert failure(hostile + "</methodResponse>").code == "fault"

    def test_it_reads_the_deepest_and_the_largest_that_is_allowed(self):
        deep = response("<array><data><value>" * 15 + "</value></data></array>" * 15)
        assert parse_bcms_answer_noting_faults(deep.encode(), 0).broken_rules
        many = response("<array><data>" + "<value/>" * 199_999 + "</data></array>")
        assert parse_bcms_answer_noting_faults(many.encode(), 0).broken_rules[0].code == "R204"


class TestOurOwnAnswers:
    FINDINGS = (
        AnnotationData(Kind.MENTION, 0.9, start=14, end=18, text="CDH1"),
        AnnotationData(Kind.MENTION, start=BODY, end=BODY + 10, text="E-cadherin"),
        AnnotationData(Kind.MENTION, start=14, end=BODY + 1, text="CDH1\nE"),
        AnnotationData(Kind.NORMALIZATION, 0.5, 1, database="uniprot", identifier="P12830", taxon=9606),
        AnnotationData(Kind.NORMALIZATION, database="ncbigene", identifier="999"),
        AnnotationData(Kind.TAXON, 0.25, database="ncbitaxon", identifier="9606"),
        AnnotationData(Kind.CLASSIFICATION, 0.75, relevant=False),
        AnnotationData(Kind.PAIR, 0.5, 1, database="uniprot", identifier="P12830", partner="P35222"),
        AnnotationData(Kind.METHOD, 0.5, 1, database="psi-mi", identifier="MI:0018"),
        AnnotationData(Kind.PASSAGE, None, 1, database="uniprot", identifier="P12830", partner="P35222", text=ABSTRACT),
    )

    def test_it_writes_what_it_reads(self):
        parsed = parse_bcms_answer_noting_faults(build_method_response_xml(self.FINDINGS, len(TITLE)), len(TITLE))
        assert parsed.annotations == list(self.FINDINGS)
        assert (parsed.broken_rules, parsed.notes) == ([], [])

    def test_it_writes_sections_only_where_a_mention_lies_in_one(self):
        assert build_answer_struct(self.FINDINGS[:3], len(TITLE)) == {
            "mentions": [
                {"offset": 14, "section": "title", "mention": "CDH1", "confidence": 0.9},
                {"offset": 0, "section": "abstract", "mention": "E-cadherin"},
                {"offset": 14, "mention": "CDH1\nE"},
            ]
        }

    def test_it_writes_only_what_there_is(self):
        assert build_answer_struct([], len(TITLE)) == {}
        assert build_answer_struct([AnnotationData(Kind.CLASSIFICATION, relevant=True)], 0) == {"interaction": [True]}


def test_it_reads_method_calls_of_strangers_too():
    message = messages.parse_bounded_xmlrpc_message(
        xmlrpc.client.dumps((10000001, "server"), methodname="Annotations.getAnnotation").encode()
    )
    assert (message.method, tuple(message.params)) == ("Annotations.getAnnotation", (10000001, "server"))


@pytest.mark.parametrize(
    ("spelling", "database"),
    [
        ("UniProt", "uniprot"),
        ("UniProtKB", "uniprot"),
        ("uniprotkb/swiss-prot", "uniprot"),
        ("SWISS-PROT", "uniprot"),
        ("Entrez Gene", "ncbigene"),
        ("EntrezGene", "ncbigene"),
        ("NCBI Gene", "ncbigene"),
        ("NCBI_Gene", "ncbigene"),
        ("GeneID", "ncbigene"),
        ("MeSH", "MeSH"),
    ],
)
def test_it_knows_the_spellings_of_databases(spelling, database):
    assert normalize_known_database_name(spelling) == database
