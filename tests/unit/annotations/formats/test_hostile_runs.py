"""Whatever a run, a gold standard, a map or an answer holds, it is read or refused by sentences with their places."""

import re
from collections.abc import Callable
from email.message import Message
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.formats.bc2_xml.reader import read_bc2_run
from annotations.formats.errors import RefusedFileError
from annotations.formats.gene_eval.reader import read_alternative_spans_by_sentence
from annotations.formats.tap.reader import read_tap_lists
from annotations.formats.tsv.map_reader import (
    read_accession_set,
    read_homonyms_by_accession_map,
    read_identifier_by_name,
    read_taxon_by_accession_map,
)
from annotations.formats.tsv.result_reader import RUN_RULES
from annotations.formats.tsv.time_reader import read_seconds_by_run_name
from annotations.schema import Kind
from bcms.lib.http.messages import HttpReply
from evaluation.gold.file_reader import read_gold_file_noting_faults
from evaluation.runs.files.mention_reader import read_gene_mention_file
from evaluation.runs.files.phase_checks import read_run_for_phase
from evaluation.runs.files.result_rows import build_annotations_by_article
from evaluation.runs.files.run_reader import RunTarget
from servers.calls import client
from servers.calls.errors import CallError
from servers.protocols.annotation_requests import DeferredAnswer
from tests.questions import question
from tests.unit.annotations.formats.articles.test_hostile_articles import BIOC_JSON, PUBANNOTATION, PUBTATOR
from tests.unit.bc2_files import entry, method, pair, passage
from tests.unit.damaged_files import damage_content

KNOWN = {"11": 1, "12": 2, "13": 3}
LINES = {
    Kind.CLASSIFICATION: b"12\t1\t1\t0.9\n13\tfalse\t1\t0.5\n",
    Kind.TAXON: b"12\t9606\t1\t0.9\n12\t10090\t2\t0.5\n",
    Kind.NORMALIZATION: b"12\tP12830\t1\t0.9\n12\t999\t2\t0.5\n",
    Kind.METHOD: b"12\tMI:0018\t1\t0.9\n13\tMI:0006\t1\t0.5\n",
    Kind.PAIR: b"12\tP12830\tP35222\t1\t0.9\n13\tP12830\tP12830\t1\t0.5\n",
    Kind.PASSAGE: b"12\tP12830\tP35222\tp53 binds.\t1\t0.9\n",
}
BC2 = "".join([entry(pair(), pmid="12"), entry(method(), pmid="12"), entry(passage(), pmid="13")]).encode()
OTHERS = {
    "bc2": BC2,
    "trec run": b"12 Q0 P12830 1 14.5 demo\n12 Q0 P35222 2 1e-4 demo\n",
    "trec judgements": b"12 0 P12830 1\n13 0 P35222 0\n",
    "pubtator": PUBTATOR.encode(),
    "bioc": BIOC_JSON.encode(),
    "pubannotation": PUBANNOTATION.encode(),
    "genes": b"P00001606T0076|14 33|alkaline phosphatases\nP00001606T0076|37 50|5-nucleotidase\n",
}
MAPS = {
    read_homonyms_by_accession_map: b"P12830\tP09803\tQ9R0T4\n",
    read_taxon_by_accession_map: b"P12830\t9606\nP09803\t10090\n",
    read_accession_set: b"P12830\nP09803\n",
    read_identifier_by_name: b"CADH1_HUMAN\tP12830\n",
    read_seconds_by_run_name: b"mine\t0.5\nmine\t12\n",
    read_tap_lists: b"Q1 1.0\n2\n1 0.9\n0 0.5\n\nQ2\n1\n1 2\n",
    read_alternative_spans_by_sentence: OTHERS["genes"],
}
ANSWERS = {
    "bcms": b"<?xml version='1.0'?><methodResponse><params><param><value><struct><member><name>mentions</name><value>"
    b"<array><data><value><struct><member><name>offset</name><value><int>0</int></value></member><member><name>mention"
    b"</name><value><string>p53</string></value></member></struct></value></data></array></value></member></struct>"
    b"</value></param></params></methodResponse>",
    "rest": b'{"id": "12", "annotations": {"mention": [{"start": 0, "end": 3, "text": "p53", "confidence": 0.9}], '
    b'"pair": [{"database": "uniprot", "a": "P12830", "b": "P35222", "rank": 1}]}}',
    "pubannotation": PUBANNOTATION.encode(),
    "becalm": b'{"status": 200, "success": true, "key": "k"}',
}
CALLBACKS = {
    "json": b'[{"document_id": "12", "section": "T", "init": 0, "end": 3, "annotated_text": "p53", "type": "GENE"}]',
    "tsv": b"DOCUMENT_ID\tSECTION\tINIT\tEND\tSCORE\tANNOTATED_TEXT\tTYPE\tDATABASE_ID\n"
    b"12\tT\t0\t3\t0.9\tp53\tGENE\t\n",
    "bioc": BIOC_JSON.encode(),
}
RUN_FAULT_SENTENCE = re.compile(r"mine:\d+:\d+: R[4-7]\d\d [^\n]+")
SOON = 20_000

few = settings(max_examples=40, deadline=SOON)
any_file = st.one_of(
    st.sampled_from([*LINES.values(), *OTHERS.values()]).flatmap(damage_content),
    st.binary(max_size=60),
    st.text(max_size=60).map(str.encode),
)


def check_fault_sentences(faults) -> None:
    assert faults
    for fault in faults:
        assert RUN_FAULT_SENTENCE.fullmatch(str(fault)), str(fault)


def check_run_taken_or_refused(content: bytes, kind: Kind, rules: str) -> None:
    try:
        run = read_run_for_phase(BytesIO(content), "mine", RunTarget(kind), RUN_RULES[rules], KNOWN, 250)
    except RefusedFileError as error:
        check_fault_sentences(error.faults)
    else:
        for finding in (each for some in build_annotations_by_article(run, kind, KNOWN).values() for each in some):
            assert finding.rank is None or 0 < finding.rank < 2**31
            assert finding.confidence is None or 0 < finding.confidence <= 1


@pytest.mark.parametrize("kind", LINES)
@few
@given(st.data())
def test_it_takes_or_refuses_any_run_of_a_phase(kind, data):
    content = data.draw(st.one_of(damage_content(LINES[kind]), any_file))
    check_run_taken_or_refused(content, kind, data.draw(st.sampled_from(sorted(RUN_RULES))))


def check_gold_taken_or_refused(content: bytes, kind: Kind) -> None:
    lines, faults = read_gold_file_noting_faults(content, kind, "", "mine")
    if faults:
        check_fault_sentences(faults)
    else:
        assert all(line.annotation.kind == kind for line in lines)


@pytest.mark.parametrize("kind", [kind for kind in LINES if kind != Kind.PASSAGE])
@few
@given(any_file)
def test_it_takes_or_refuses_any_gold_standard(kind, content):
    check_gold_taken_or_refused(content, kind)


def check_taken_or_refused(read: Callable[..., object], content: bytes, *options: object, **named: object) -> None:
    """Every fault is a sentence with its place."""
    try:
        read(BytesIO(content), *options, **named)
    except RefusedFileError as error:
        check_fault_sentences(error.faults)


@few
@given(st.one_of(any_file, st.just(OTHERS["genes"]).flatmap(damage_content)), st.sampled_from(["run", "gold"]))
def test_it_takes_or_refuses_any_file_of_genes(content, role):
    check_taken_or_refused(read_gene_mention_file, content, "mine", role)


def check_bc2_mended_or_refused(content: bytes, task: str) -> None:
    check_taken_or_refused(
        read_bc2_run, content, task, "mine", repair=True, identifier_by_name={"two hybrid": "MI:0018"}
    )


@pytest.mark.parametrize("task", ["ipt", "imt", "iss"])
@few
@given(content=damage_content(BC2))
def test_it_mends_or_refuses_any_file_of_biocreative_two(task, content):
    check_bc2_mended_or_refused(content, task)


@pytest.mark.parametrize("reader", MAPS, ids=lambda reader: reader.__name__)
@few
@given(st.data())
def test_it_takes_or_refuses_any_map(reader, data):
    check_taken_or_refused(reader, data.draw(st.one_of(damage_content(MAPS[reader]), any_file)), "mine")


def make_p53_question(protocol):
    return question(protocol, identifier="12", pmid=12, title="p53 binds.", abstract="So \U0001d6fc.")


def check_understood(said) -> None:
    """Each rule that an answer breaks is told as a sentence with its place."""
    if not isinstance(said, DeferredAnswer):
        assert all(broken.code and broken.message and broken.mend for broken in said.broken_rules)


def check_answer_understood_or_explained(body: bytes, protocol: str) -> None:
    sent, reply = make_p53_question(protocol), HttpReply(200, Message(), body, "http://127.0.0.1:9/")
    try:
        check_understood(
            client.collect_broken_rules_unless_deferred(client.PROTOCOLS[protocol].read_reply(reply, sent), sent, body)
        )
    except CallError as error:
        assert error.diagnosis.happened and error.diagnosis.advice


@pytest.mark.parametrize("protocol", ANSWERS)
@few
@given(st.data())
def test_it_understands_any_answer_or_says_why_not(protocol, data):
    body = data.draw(st.one_of(damage_content(ANSWERS[protocol]), st.binary(max_size=60)))
    check_answer_understood_or_explained(body, protocol)


def check_callback_understood_or_explained(body: bytes, form: str) -> None:
    try:
        check_understood(client.read_callback_answer_collecting_broken_rules(make_p53_question("becalm"), form, body))
    except CallError as error:
        assert error.diagnosis.happened and error.diagnosis.advice


@pytest.mark.parametrize("form", CALLBACKS)
@few
@given(st.data())
def test_it_understands_any_call_back_or_says_why_not(form, data):
    body = data.draw(st.one_of(damage_content(CALLBACKS[form]), st.binary(max_size=60)))
    check_callback_understood_or_explained(body, form)
