"""Continuing a digital abstract from a file: what is taken over, from whom, and what of the file is left out."""

import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotations.curation.models import Curation, DecidedItem, Decision
from annotations.curation.session import load_digital_abstract
from annotations.digital_abstract_json import build_interaction_json
from annotations.identifiers.models import Entry
from tests.integration.article_cast import create_known_genes, make_read_article, read_page_words
from tests.integration.curation_cast import begin, decide, propose_gene
from tests.integration.published_cast import PASSAGE, make_interaction, publish_interaction

pytestmark = pytest.mark.django_db
HUMAN, CATENIN = "uniprotkb:P12830", "uniprotkb:P35222"
METHOD, TYPE = 'psi-mi:"MI:0018"(two hybrid)', 'psi-mi:"MI:0915"(physical association)'


@pytest.fixture
def article():
    article = make_read_article()
    create_known_genes()
    return article


@pytest.fixture
def curation(client, article, alice):
    client.force_login(alice)
    return begin(alice, article)


def make_row(first=HUMAN, second=CATENIN, pmid="20000001", method=METHOD, kind=TYPE):
    """A line of PSI-MITAB 2.5, with 15 columns."""
    taxa = ["taxid:9606(human)"] * 2
    return "\t".join([first, second, *["-"] * 4, method, "-", f"pubmed:{pmid}", *taxa, kind, *["-"] * 3]) + "\n"


def send(client, curation, content, name="intact.txt", **fields):
    file = SimpleUploadedFile(name, content if isinstance(content, bytes) else content.encode())
    return client.post(f"/curation/{curation.pk}/file/", {"file": file, "origin": "system", **fields})


def send_by_rest(client, curation, content, name="intact.txt", **fields):
    file = SimpleUploadedFile(name, content if isinstance(content, bytes) else content.encode())
    return client.post(f"/api/v1/curations/{curation.pk}/file/", {"file": file, **fields})


def list_interactions(curation):
    return load_digital_abstract(Curation.objects.get(pk=curation.pk)).interactions


def test_it_takes_over_15_columns_and_says_from_where(client, curation):
    reply = send(client, curation, make_row(), basis="IntAct")
    assert reply.url == f"/curation/{curation.pk}/?step=interactions"
    [interaction] = list_interactions(curation)
    assert [each.entity.identifier for each in interaction.participants] == ["P12830", "P35222"]
    assert (interaction.interaction_type, interaction.methods) == ("MI:0915", ("MI:0018",))
    assert [(each.name, each.origin.value) for each in interaction.sources] == [("IntAct", "system")]
    page = read_page_words(client.get(reply.url))
    assert "1 interaction was added. Undo takes it back." in page
    assert "taken over from IntAct" in page
    assert "Taken over from IntAct" in read_page_words(client.get(f"/curation/{curation.pk}/?step=check"))


def test_without_a_name_the_file_is_named(client, curation):
    send(client, curation, make_row(), name="mine.tsv", origin="author")
    [source] = list_interactions(curation)[0].sources
    assert (source.name, source.origin.value) == ("mine.tsv", "author")
    assert Decision.objects.get().reason == "from the file mine.tsv"


def test_it_is_one_decision_that_is_undone_as_one(client, curation):
    send(client, curation, make_row() + make_row(second="uniprotkb:P09803"))
    assert len(list_interactions(curation)) == 2
    decide(curation, "undo")
    assert list_interactions(curation) == ()


def test_a_file_that_is_sent_twice_adds_nothing(client, curation):
    send(client, curation, make_row())
    reply = send_by_rest(client, curation, make_row() + make_row(second="uniprotkb:P09803"))
    assert (reply.json()["added"], reply.json()["known"]) == (1, 1)
    assert len(list_interactions(curation)) == 2


def test_what_the_curator_rejected_stays_rejected(client, curation):
    send(client, curation, make_row())
    key = DecidedItem.objects.get().key
    form = {"action": "reject", "kind": "interaction", "key": key, "seen": "1", "token": "token-of-mine"}
    client.post(f"/curation/{curation.pk}/decide/", form)
    assert send_by_rest(client, curation, make_row()).json()["known"] == 1
    assert list_interactions(curation) == ()


def test_a_correction_keeps_the_source(client, curation):
    send(client, curation, make_row(), basis="IntAct")
    whole = build_interaction_json(make_interaction())
    body = {"action": "edit", "kind": "interaction", "keys": [DecidedItem.objects.get().key], "interaction": whole}
    body |= {"seen": 1, "token": "token-of-mine"}
    address = f"/api/v1/curations/{curation.pk}/decisions/"
    assert client.post(address, body, content_type="application/json").status_code == 201
    [interaction] = list_interactions(curation)
    assert [each.text for each in interaction.iter_evidence()] == [PASSAGE]
    assert [each.name for each in interaction.sources] == ["IntAct"]


def test_interactions_of_other_articles_are_left_out_and_listed(client, curation):
    page = read_page_words(send(client, curation, make_row() + make_row(pmid="12345") * 2))
    assert "1 interaction was added" in page
    assert "2 interactions of 12345 another article" in page
    reply = send(client, curation, make_row(pmid="12345"))
    assert reply.status_code == 422
    words = read_page_words(reply)
    assert "The file has no interaction or annotation of this article (20000001). It has interactions of 12345" in words


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (make_row(second="uniprotkb:NOSUCH-ID-AT-ALL"), "is not an identifier of UniProt"),
        (make_row(method='psi-mi:"MI:0915"(physical association)'), "is not an interaction detection method"),
        (make_row(second=HUMAN), "is there twice and not marked as interacting with itself"),
        (make_row(second="uniprotkb:Q00000"), "Q00000 was replaced by P35222. Use that one."),
    ],
)
def test_an_interaction_that_breaks_a_rule_is_left_out_with_its_line(client, curation, row, sentence):
    Entry.objects.create(database="uniprot", identifier="Q00000", exists=True, successors=["P35222"])
    reply = send_by_rest(client, curation, make_row() + row)
    assert reply.json()["added"] == 1
    [left_out] = reply.json()["left_out"]
    assert left_out["line"] == 2
    assert sentence in left_out["reason"]
    alone = send(client, curation, row)
    assert (alone.status_code, sentence in read_page_words(alone)) == (422, True)


WRONG_FILES = {
    "a cut-off line": (make_row() + make_row()[:60] + "\n", "Line 2, column 61: the line has "),
    "too many columns": ("\t".join("-" * 17), "Line 1, column 1: the line has 17 columns"),
    "no article": (make_row().replace("pubmed:20000001", "-"), "Line 1, column"),
    "bad bytes": (b"\xff" + make_row().encode(), "Line 1, column 1: this byte is not UTF-8"),
    "XML that ends early": ("<entrySet level='2' version='5' xmlns='http://psi.hupo.org/mi/mif'>", "Line 1, column"),
    "another root": ("<html></html>", "Line 1, column 1:"),
    "JSON that ends early": ('{"interactions": [', "Line 1, column 19: this is not JSON"),
    "other JSON": ('{"interactions": [{"participants": 3}]}', "interactions[0].participants is not a list"),
    "nothing": (" \n", "The file is empty."),
    "NUL": (make_row(HUMAN + "\0"), "Line 1, column 17: the line has a NUL character"),
    "half of a surrogate pair": (
        '{"interactions": [\n{"comment": "\\ud800"}]}',
        "Line 2, column 14: \\ud800 is no character",
    ),
    "NUL in JSON": ('{"interactions": [{"comment": "\\u0000"}]}', "Line 1, column 32: \\u0000 is no character"),
    "a number without end": ('{"pmid": ' + "9" * 5000 + "}", "has a number of thousands of digits"),
    "an unknown encoding": ("<?xml version='1.0' encoding='latin-9x'?><entrySet/>", "Line 1, column 1: the XML"),
    "entities": ("<!DOCTYPE a [<!ENTITY b 'c'>]><entrySet>&b;</entrySet>", "declares a document type"),
    "an archive": (b"PK\x03\x04" + b"\0" * 100, "Line 1, column 1: the line has"),
}


@pytest.mark.parametrize("name", WRONG_FILES)
def test_a_wrong_file_is_refused_with_line_and_column_and_what_was_typed_is_kept(client, curation, name):
    content, sentence = WRONG_FILES[name]
    reply = send(client, curation, content, basis="My own list", origin="curator")
    assert reply.status_code == 422
    assert sentence in read_page_words(reply)
    page = reply.content.decode()
    assert 'value="My own list"' in page
    assert re.search(r'<option value="curator" selected', page)
    by_rest = send_by_rest(client, curation, content)
    assert (by_rest.status_code, by_rest.json()["errors"][0]["loc"]) == (400, "file")
    assert Decision.objects.count() == 0


def test_it_reads_its_own_exports_again(client, curation, article, carol):
    """Each format, with the passages that it has."""
    publish_interaction(carol, article)
    expected = make_interaction()
    for slug in ("mitab", "psi-mi-xml-2.5.4", "psi-mi-xml-3.0.0"):
        reply = client.get(f"/api/v1/articles/20000001/digital-abstract/{slug}/")
        content = b"".join(reply.streaming_content)
        assert send(client, curation, content, name=slug).status_code < 400, slug
        [interaction] = list_interactions(curation)
        assert interaction.interaction_type == expected.interaction_type
        assert interaction.detections == expected.detections
        assert slug in [each.name for each in interaction.sources]
        decide(curation, "undo")


def test_it_takes_the_json_of_rest(client, curation, article, carol):
    publish_interaction(carol, article)
    content = client.get("/api/v1/articles/20000001/digital-abstract/").content
    reply = send_by_rest(client, curation, content, name="record.json", origin="curator", basis="carol")
    assert reply.json() == {"added": 2, "interactions": 1, "annotations": 1, "known": 0, "left_out": []}
    [interaction] = list_interactions(curation)
    assert interaction.detections == make_interaction().detections
    assert [(each.name, each.origin.value) for each in interaction.sources] == [("carol", "curator")]
    other = json.loads(content) | {"pmid": 12345}
    assert send_by_rest(client, curation, json.dumps(other)).status_code == 400


def test_passages_are_found_where_they_are_or_left_out(client, curation):
    whole = build_interaction_json(make_interaction())
    moved = json.loads(json.dumps(whole))
    moved["detections"][0]["evidence"][0]["span"] = [0, 37]
    moved["detections"][0]["evidence"].append({"span": [0, 9], "text": "Not there", "figure": ""})
    reply = send_by_rest(client, curation, json.dumps({"interactions": [moved]}))
    assert reply.json()["added"] == 1
    assert reply.json()["left_out"][0]["part"] == "passage “Not there”"
    [interaction] = list_interactions(curation)
    assert interaction.detections == make_interaction().detections


def test_what_is_decided_elsewhere_meanwhile_is_kept(client, curation):
    decide(curation, "accept", propose_gene())
    send(client, curation, make_row())
    states = DecidedItem.objects.filter(superseded_by=None).values_list("kind", "state")
    assert sorted(states) == [("entity", "accepted"), ("interaction", "accepted")]


def test_only_its_curator_sends_a_file_and_only_while_it_is_open(client, curation, carol, alice):
    client.force_login(carol)
    assert send(client, curation, make_row()).status_code == 404
    assert send_by_rest(client, curation, make_row()).status_code == 404
    client.force_login(alice)
    Curation.objects.filter(pk=curation.pk).update(state="finished")
    assert "This curation is finished." in read_page_words(send(client, curation, make_row()))
    assert send_by_rest(client, curation, make_row()).status_code == 409
