"""Relations and labels are added and corrected in the workspace and by REST, by the same rules."""

import re

import pytest

from annotations.curation.contents import read_annotation_content
from annotations.curation.models import Decision
from annotations.identifiers.models import Entry
from annotations.results.models import AnnotatedTerm, Producer
from annotations.schema import EntityId, RelationArgument, Span, make_label, make_relation
from tests.integration.article_cast import make_article_of_three_servers, read_page_words
from tests.integration.curation_cast import begin, decide, list_states, propose, propose_gene

pytestmark = pytest.mark.django_db
CADHERIN, CATENIN = "uniprot:P12830", "uniprot:P35222"
KEY = f"Association:{CADHERIN}|{CATENIN}"
SENTENCE = "E-cadherin (CDH1) binds beta-catenin."
RELATION = {"kind": "relation", "type": "Association", "member": [CADHERIN, CATENIN, ""], "role": ["", "", ""]}
LABEL = {"kind": "label", "type": "study", "text": "in vitro"}


@pytest.fixture
def curation(as_alice, alice, team):
    return begin(alice, make_article_of_three_servers(team))


def send(client, curation, action, fragment=True, **fields):
    curation.refresh_from_db()
    values = {"action": action, "seen": curation.revision, "token": f"token-{curation.revision:04}"} | fields
    headers = {"X-Fragment": "1"} if fragment else {}
    query = f"?step=interactions&kind={values['kind']}"
    return client.post(f"/curation/{curation.pk}/decide/{query}", values, headers=headers)


def send_by_rest(client, curation, action, **fields):
    curation.refresh_from_db()
    body = {"action": action, "seen": curation.revision, "token": f"token-{curation.revision:04}"} | fields
    return client.post(f"/api/v1/curations/{curation.pk}/decisions/", body, content_type="application/json")


def read_item(client, curation, **query):
    return client.get(f"/curation/{curation.pk}/item/", query)


def read_annotation(curation):
    return read_annotation_content(curation.items.get(superseded_by=None).content)


def make_span(curation, text):
    start = curation.article.text.index(text)
    return Span(start, start + len(text))


def format_span(span):
    return f"{span.start}-{span.end}"


def test_it_adds_a_relation_with_roles_and_a_passage(as_alice, curation):
    passage = make_span(curation, SENTENCE)
    roles = {"role": ["subject", "object", ""], "directed": "on", "negated": "on"}
    response = send(as_alice, curation, "add", **RELATION | roles | {"evidence-1": format_span(passage)})
    assert response.status_code == 200
    assert "CDH1 → CTNNB1 Association" in read_page_words(response)
    assert list_states(curation) == {KEY: "accepted"}
    assert read_annotation(curation) == make_relation(
        "Association",
        [
            RelationArgument("subject", (EntityId("uniprot", "P12830"),)),
            RelationArgument("object", (EntityId("uniprot", "P35222"),)),
        ],
        directed=True,
        qualifiers={"negated": "true"},
        evidence=[passage],
    )
    send(as_alice, curation, "undo", kind="relation")
    assert list_states(curation) == {}


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"type": " "}, "type", "Give the type of the relation."),
        ({"type": "x" * 101}, "type", "at most 100"),
        ({"member": [CADHERIN, ""]}, "member-2", "two or more members"),
        ({"member": ["", "", CADHERIN]}, "member-1", "two or more members"),
        ({"member": [CADHERIN, "", "uniprot:P1"]}, "member-3", "does not have the form"),
        ({"member": [CADHERIN, "catenin"]}, "member-2", "not an identifier of a known database"),
        ({"member": [CADHERIN, "", CATENIN], "role": ["", "", "x" * 65]}, "member-3", "65 characters"),
        ({"evidence-1": "5-4"}, "evidence-1", "Select it in the text again"),
    ],
)
def test_it_says_at_the_field_what_is_wrong_with_a_relation(as_alice, curation, change, field, message):
    response = send(as_alice, curation, "add", **RELATION | change)
    page = response.content.decode()
    assert response.status_code == 422
    assert re.search(rf'data-error="{field}">[^<]*{re.escape(message)}', page), page
    assert not Decision.objects.exists()


def test_it_refuses_withdrawn_members(as_alice, curation):
    Entry.objects.filter(identifier="P35222").update(withdrawn=True)
    response = send(as_alice, curation, "add", **RELATION)
    assert 'data-error="member-2"' in response.content.decode()


def test_without_scripts_it_shows_the_form_again_with_what_was_typed(as_alice, curation):
    typed = RELATION | {"member": [CADHERIN, "uniprot:P1"], "role": ["drug", ""], "evidence-1": "38-75"}
    response = send(as_alice, curation, "add", False, **typed)
    page = response.content.decode()
    assert response.status_code == 422
    assert page.count('role="alert"') == 1
    assert re.search(r'value="uniprot:P1" aria-invalid="true" aria-describedby="form-error"', page)
    assert "</label></li></ul>" in page
    assert all(f'value="{value}"' in page for value in ("Association", CADHERIN, "drug"))
    assert 'value="38-75" checked' in page
    assert send(as_alice, curation, "add", False, **RELATION).status_code == 302
    assert list_states(curation) == {KEY: "accepted"}


def test_a_form_that_is_shown_again_is_still_about_the_state_it_was_typed_for(as_alice, curation):
    send(as_alice, curation, "add", **RELATION)
    refused = {"key": KEY, "seen": 0, "token": "a-late-one"} | RELATION | {"member": [CADHERIN]}
    page = send(as_alice, curation, "edit", False, **refused).content.decode()
    assert 'name="seen" value="0"' in page


def test_a_correction_keeps_what_the_form_does_not_show(as_alice, curation):
    linked = make_span(curation, "E-cadherin")
    bare = make_span(curation, "beta-catenin")
    relation = make_relation(
        "Association",
        [
            RelationArgument("", (EntityId("uniprot", "P12830"),), (linked,), "gene", "E-cadherin"),
            RelationArgument("", (), (bare,), "gene", "beta-catenin"),
            RelationArgument("", (EntityId("", "c|SUB|C|1858|T"),)),
        ],
        qualifiers={"negated": "true", "novelty": "Novel"},
    )
    producer = Producer.objects.first()
    decide(curation, "accept", propose("relation", "key-1", relation, [producer.pk]))
    page = read_item(as_alice, curation, kind="relation", key="key-1").content.decode()
    members = re.findall(r'name="member"[^>]* value="([^"]*)"', page)
    assert members == [CADHERIN, format_span(bare), ":c|SUB|C|1858|T", "", ""]
    assert "Member 2: “beta-catenin”" in page
    send(as_alice, curation, "edit", **RELATION | {"key": "key-1", "type": "Binding", "member": members, "role": ["a"]})
    corrected, item = read_annotation(curation), curation.items.get(superseded_by=None)
    assert (item.key, item.producers, corrected.type) == ("key-1", [producer.pk], "Binding")
    first, *others = corrected.arguments
    assert (first.role, first.spans, first.text) == ("a", (linked,), "E-cadherin")
    assert others == list(relation.arguments[1:])
    assert dict(corrected.relation.qualifiers) == {"novelty": "Novel"}


def test_a_form_offers_types_entities_and_sentences(as_alice, curation):
    AnnotatedTerm.objects.create(category="relation", value="Treatment")
    decide(curation, "accept", propose_gene())
    decide(curation, "add", propose("relation", KEY, make_pair_relation()))
    page = read_item(as_alice, curation, kind="relation", key=KEY).content.decode()
    assert '<option value="Treatment">' in page and f'<option value="{CADHERIN}">' in page
    assert SENTENCE in page


def make_pair_relation():
    return make_relation(
        "Association", [RelationArgument(identifiers=(EntityId("uniprot", each),)) for each in ("P12830", "P35222")]
    )


def test_what_is_added_replaces_no_accepted_relation_with_other_details(as_alice, curation):
    send(as_alice, curation, "add", **RELATION)
    send(as_alice, curation, "add", **RELATION)
    assert list_states(curation) == {KEY: "accepted"}
    send(as_alice, curation, "add", **RELATION | {"negated": "on"})
    assert list_states(curation) == {KEY: "accepted", "new-3": "accepted"}


def test_a_form_that_is_sent_twice_is_stored_once(as_alice, curation):
    for _ in range(2):
        assert send(as_alice, curation, "add", False, **LABEL | {"token": "the-same-one"}).status_code == 302
    assert Decision.objects.count() == 1


def test_it_adds_and_corrects_a_label(as_alice, curation):
    response = send(as_alice, curation, "add", **LABEL)
    assert "study: in vitro" in read_page_words(response)
    page = read_item(as_alice, curation, kind="label", key="study=in vitro").content.decode()
    assert 'value="in vitro"' in page and '<option value="study">' in page
    send(as_alice, curation, "edit", **LABEL | {"key": "study=in vitro", "text": "in vivo"})
    assert list_states(curation) == {"study=in vitro": "accepted"}
    assert read_annotation(curation) == make_label("study", "in vivo")


@pytest.mark.parametrize(
    ("change", "field"), [({"type": ""}, "type"), ({"text": " "}, "text"), ({"text": "x" * 201}, "text")]
)
def test_it_says_at_the_field_what_is_wrong_with_a_label(as_alice, curation, change, field):
    response = send(as_alice, curation, "add", **LABEL | change)
    assert (response.status_code, f'data-error="{field}"' in response.content.decode()) == (422, True)
    page = send(as_alice, curation, "add", False, **LABEL | change).content.decode()
    assert page.count('id="form-error"') == 1


def test_rest_records_the_same_as_the_form(as_alice, curation):
    send(as_alice, curation, "add", **RELATION)
    by_form = curation.items.get(superseded_by=None)
    send(as_alice, curation, "undo", kind="relation")
    members = [{"identifiers": [{"curie": each}]} for each in (CADHERIN, CATENIN)]
    annotation = {"type": "Association", "arguments": members}
    reply = send_by_rest(as_alice, curation, "add", kind="relation", annotation=annotation)
    assert reply.status_code == 201, reply.json()
    by_rest = curation.items.get(superseded_by=None)
    assert (by_rest.key, by_rest.content, by_rest.state) == (by_form.key, by_form.content, by_form.state)


def test_rest_takes_back_an_annotation_as_it_gives_it(as_alice, curation):
    send(as_alice, curation, "add", **LABEL)
    (item,) = as_alice.get(f"/api/v1/curations/{curation.pk}/").json()["items"]
    corrected = item["annotation"] | {"text": "in vivo"}
    reply = send_by_rest(as_alice, curation, "edit", kind="label", keys=[item["key"]], annotation=corrected)
    assert reply.status_code == 201, reply.json()
    assert read_annotation(curation) == make_label("study", "in vivo")


@pytest.mark.parametrize(
    ("body", "loc"),
    [
        ({"kind": "relation"}, "annotation"),
        ({"kind": "label", "annotation": {"type": "study"}}, "annotation.text"),
        ({"kind": "label", "annotation": {"kind": "relation", "type": "a", "text": "b"}}, "annotation.kind"),
        ({"kind": "label", "annotation": {"type": "a", "text": "b", "note": "c"}}, "annotation.note"),
        ({"kind": "label", "annotation": {"type": 5, "text": "b"}}, "annotation"),
        ({"kind": "relation", "annotation": {"type": "a", "arguments": []}}, "annotation"),
        ({"kind": "relation", "annotation": {"type": "", "arguments": [CADHERIN, CATENIN]}}, "annotation.type"),
        ({"kind": "relation", "annotation": {"type": "a", "arguments": [CADHERIN, "foo"]}}, "annotation.arguments[1]"),
    ],
)
def test_rest_names_the_member_at_fault(as_alice, curation, body, loc):
    arguments = body.get("annotation", {}).get("arguments")
    if arguments:
        given = [{"identifiers": [{"curie": each}]} for each in arguments]
        body = body | {"annotation": body["annotation"] | {"arguments": given}}
    reply = send_by_rest(as_alice, curation, "add", **body)
    assert reply.status_code == 400
    assert [fault["loc"] for fault in reply.json()["errors"]] == [loc]
    assert not Decision.objects.exists()


def test_rest_corrects_one_known_relation_at_a_time(as_alice, curation):
    annotation = {"type": "a", "text": "b"}
    for keys in (["study=in vitro"], ["one", "two"]):
        reply = send_by_rest(as_alice, curation, "edit", kind="label", keys=keys, annotation=annotation)
        assert [fault["loc"] for fault in reply.json()["errors"]] == ["keys"]
