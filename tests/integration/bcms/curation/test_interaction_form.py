"""Interactions that are corrected in the workspace: what was recorded stays unless the form changes it."""

import re
from dataclasses import replace

import pytest
from django.utils import timezone
from lxml import html

from annotations.curation.contents import build_interaction_content, read_interaction_content
from annotations.curation.decisions import ItemProposal
from annotations.curation.states import ItemKind
from annotations.digital_abstract import Detection, EvidencePassage, Interaction, Participant
from annotations.identifiers.loaded_namespaces import record_loaded_namespaces
from annotations.identifiers.models import Entry
from annotations.results.models import Producer
from annotations.schema import EntityId, Span
from tests.integration.article_cast import read_page_words
from tests.integration.curation_cast import begin, decide, make_article_with_proposals

pytestmark = pytest.mark.django_db
FIRST, SECOND = "E-cadherin (CDH1) binds beta-catenin.", "CTNNB1 was lost."
PROPOSED = "interaction:uniprot:P12830|uniprot:P35222"


@pytest.fixture
def article(team):
    return make_article_with_proposals(team)


@pytest.fixture
def curation(alice, article):
    return begin(alice, article)


def make_passage(article, text, figure=""):
    start = article.text.index(text)
    return EvidencePassage(Span(start, start + len(text)), text, figure)


def make_interaction(article):
    """Between a protein that no table has, with its organism, and one that is known; two passages of two figures."""
    passages = (make_passage(article, FIRST, "Figure 1"), make_passage(article, SECOND, "Table 2"))
    unknown = Participant(EntityId("uniprot", "Q99999"), "Binder", 10090)
    known = Participant(EntityId("uniprot", "P35222"), "CTNNB1", 9606)
    return Interaction((unknown, known), "MI:0915", (Detection("MI:0018", passages),))


def record(curation, interaction, key="new-1", producers=()):
    decide(curation, "add", ItemProposal(ItemKind.INTERACTION, key, build_interaction_content(interaction), producers))


def read_details(client, curation, key="new-1"):
    return client.get(f"/curation/{curation.pk}/item/", {"kind": "interaction", "key": key})


def send_correction(client, curation, interaction, key="new-1", scripts=True, **fields):
    """Send the form as the page shows it, with some other fields."""
    evidence = interaction.detections[0].evidence
    shown = {
        "participant": [each.entity.curie for each in interaction.participants],
        "name": [each.name for each in interaction.participants],
        "type": interaction.interaction_type,
        "method-1": interaction.detections[0].method,
        "evidence-1": [f"{passage.span.start}-{passage.span.end}" for passage in evidence],
        "figure-1": evidence[0].figure,
    }
    curation.refresh_from_db()
    token = f"correction-{curation.revision}"
    hidden = {"action": "edit", "kind": "interaction", "key": key, "seen": curation.revision, "token": token}
    headers = {"X-Fragment": "1"} if scripts else {}
    return client.post(f"/curation/{curation.pk}/decide/", shown | hidden | fields, headers=headers)


def correct(client, curation, interaction, key="new-1", **fields):
    """Send the form as the page shows it, with some other fields; the current item."""
    reply = send_correction(client, curation, interaction, key, **fields)
    assert reply.status_code == 200, read_page_words(reply)
    return curation.items.get(key=key, superseded_by__isnull=True)


def test_it_takes_a_second_method_with_its_own_passages(as_alice, curation, article):
    interaction = make_interaction(article)
    record(curation, interaction)
    assert "Another method" in read_page_words(read_details(as_alice, curation))
    passage = make_passage(article, SECOND, "Figure 3")
    added = {"method-2": "MI:0096", "evidence-2": f"{passage.span.start}-{passage.span.end}", "figure-2": "Figure 3"}
    item = correct(as_alice, curation, interaction, **added)
    first, second = read_interaction_content(item.content).detections
    assert first == interaction.detections[0]
    assert second == Detection("MI:0096", (passage,))


def test_passages_keep_their_figures_and_participants_their_organisms(as_alice, curation, article):
    interaction = make_interaction(article)
    record(curation, interaction)
    item = correct(as_alice, curation, interaction, comment="Checked.")
    assert read_interaction_content(item.content) == replace(interaction, comment="Checked.")


def test_a_corrected_figure_is_that_of_the_passages_with_the_old_one(as_alice, curation, article):
    interaction = make_interaction(article)
    record(curation, interaction)
    item = correct(as_alice, curation, interaction, **{"figure-1": "Figure 1A"})
    (detection,) = read_interaction_content(item.content).detections
    assert [passage.figure for passage in detection.evidence] == ["Figure 1A", "Table 2"]


def test_the_form_offers_each_passage_once(as_alice, curation, article):
    interaction = make_interaction(article)
    record(curation, interaction)
    page = read_details(as_alice, curation).content.decode()
    for passage in interaction.detections[0].evidence:
        value = f'name="evidence-1" value="{passage.span.start}-{passage.span.end}"'
        assert page.count(value) == page.count(f"{value} checked") == 1
    assert "Table 2" in page


def test_a_correction_says_from_whom_it_was_taken_over_though_servers_propose_it_too(as_alice, curation, article):
    as_alice.get(f"/curation/{curation.pk}/")
    curation.refresh_from_db()
    assert curation.candidates.candidates.filter(key=PROPOSED).exists()
    author = Producer.objects.create(sort=Producer.Type.AUTHOR, name="Author")
    proteins = (Participant(EntityId("uniprot", "P12830"), "CDH1", 9606), make_interaction(article).participants[1])
    interaction = replace(make_interaction(article), participants=proteins)
    record(curation, interaction, PROPOSED, [author.pk])
    assert author.pk in correct(as_alice, curation, interaction, PROPOSED, type="MI:0407").producers


def list_taxa(item):
    return [participant.taxon for participant in read_interaction_content(item.content).participants]


def make_organism(taxon, name, **fields):
    return Entry.objects.create(database="ncbitaxon", identifier=taxon, name=name, exists=True, **fields)


def test_a_participant_without_an_entry_gets_an_organism_by_number_or_name(as_alice, curation, article):
    make_organism("7955", "Danio rerio", synonyms=["zebrafish"])
    interaction = make_interaction(article)
    record(curation, interaction)
    for given, taxon in {"9913": 9913, "NCBITaxon:7955": 7955, "Zebrafish": 7955, "mouse": 10090, "": None}.items():
        item = correct(as_alice, curation, interaction, **{"organism-1": given, "organism-2": ""})
        assert list_taxa(item) == [taxon, 9606]


def test_the_form_shows_the_organism_and_keeps_it(as_alice, curation, article):
    interaction = make_interaction(article)
    record(curation, interaction)
    page = read_details(as_alice, curation).content.decode()
    shown = re.search(r'name="organism-1"[^>]* value="([^"]*)"', page)[1]
    assert re.search(r'name="organism-2"[^>]* value="([^"]*)"', page)[1] == ""
    assert "Mus musculus" in page
    assert "Homo sapiens, as its entry says" in page
    item = correct(as_alice, curation, interaction, **{"organism-1": shown, "organism-2": ""})
    assert list_taxa(item) == [10090, 9606]


@pytest.mark.parametrize(
    ("field", "given", "message"),
    [
        ("organism-1", "Nessie", "No organism named “Nessie” is known."),
        ("organism-1", "Twin", "Several organisms are named “Twin”."),
        ("organism-1", "uniprot:P04637", "“uniprot:P04637” is not an identifier of NCBI Taxonomy."),
        ("organism-1", "8", "NCBI Taxonomy has no entry 8."),
        ("organism-2", "10090", "The entry P35222 is of the organism 9606."),
    ],
)
def test_it_says_what_is_wrong_with_an_organism(as_alice, curation, article, field, given, message):
    make_organism("1", "Twin one", synonyms=["Twin"])
    make_organism("2", "Twin two", synonyms=["Twin"])
    Entry.objects.create(database="ncbitaxon", identifier="8", exists=False)
    record(curation, make_interaction(article))
    reply = send_correction(as_alice, curation, make_interaction(article), **{field: given})
    assert reply.status_code == 422
    assert f'data-error="{field}"' in reply.content.decode()
    assert message in read_page_words(reply)


def test_an_organism_that_a_complete_table_does_not_have_is_unknown(as_alice, curation, article):
    record_loaded_namespaces("NCBI Taxonomy", "nodes.dmp", {"ncbitaxon": 1}, {"ncbitaxon": ""}, timezone.now())
    record(curation, make_interaction(article))
    reply = send_correction(as_alice, curation, make_interaction(article), **{"organism-1": "7955"})
    assert "NCBI Taxonomy has no entry 7955." in read_page_words(reply)


def test_an_organism_that_was_recorded_against_the_entry_stays(as_alice, curation, article):
    known = Participant(EntityId("uniprot", "P35222"), "CTNNB1", 63221)
    interaction = replace(make_interaction(article), participants=(known, make_interaction(article).participants[0]))
    record(curation, interaction)
    assert 'value="NCBITaxon:63221"' in read_details(as_alice, curation).content.decode()
    kept = {"organism-1": "NCBITaxon:63221", "organism-2": "NCBITaxon:10090"}
    assert list_taxa(correct(as_alice, curation, interaction, **kept)) == [63221, 10090]


@pytest.mark.parametrize("interaction_type", ["MI:0915", ""])
def test_it_takes_a_direction_for_types_that_have_one_only(as_alice, curation, article, interaction_type):
    interaction = make_interaction(article)
    record(curation, interaction)
    reply = send_correction(as_alice, curation, interaction, type=interaction_type, directed="on")
    assert reply.status_code == 422
    assert 'data-error="directed"' in reply.content.decode()
    assert "has no direction. Choose a type" in read_page_words(reply)
    item = correct(as_alice, curation, interaction, type="MI:0217", directed="on")
    assert read_interaction_content(item.content).directed


def test_a_direction_that_was_taken_over_is_kept_with_a_note(as_alice, curation, article):
    interaction = replace(make_interaction(article), directed=True)
    record(curation, interaction)
    item = correct(as_alice, curation, interaction, directed="on", comment="Checked.")
    assert read_interaction_content(item.content).directed
    note = "The type physical association (MI:0915) has no direction."
    assert note in read_page_words(as_alice.get(f"/curation/{curation.pk}/?step=check"))
    changed = send_correction(as_alice, curation, interaction, type="MI:0407", directed="on")
    assert "The type direct interaction (MI:0407) has no direction." in read_page_words(changed)
    correct(as_alice, curation, interaction, comment="Without.")
    assert "has no direction" not in read_page_words(as_alice.get(f"/curation/{curation.pk}/?step=check"))


def test_the_form_marks_the_types_with_a_direction(as_alice, curation, article):
    record(curation, make_interaction(article))
    page = read_details(as_alice, curation).content.decode()
    assert '<option value="MI:0217" data-directed>' in page
    assert '<option value="MI:0915" selected>' in page
    assert "Only enzymatic reactions, such as phosphorylation, have a direction." in page


def test_without_scripts_it_shows_the_form_again_with_what_was_typed(as_alice, curation, article):
    interaction = make_interaction(article)
    record(curation, interaction)
    start = article.text.index(SECOND)
    typed = {
        "participant": ["uniprot:Q99999", "uniprot:P1"],
        "name": ["Binder & <co>", "Another"],
        "biological_role": ["MI:0501", "MI:0499"],
        "method-2": "MI:0096",
        "evidence-2": f"{start}-{start + 6}",
        "negative": "on",
        "confidence": "0.4",
        "comment": "As they say\nin Figure 3.",
    }
    reply = send_correction(as_alice, curation, interaction, scripts=False, **typed)
    page = reply.content.decode()
    assert reply.status_code == 422 and page.startswith("<!doctype html>")
    (form,) = html.fromstring(page).xpath("//form[@data-decide]")
    assert [each.value for each in form.xpath(".//*[@name='participant']")][:2] == typed["participant"]
    assert [each.value for each in form.xpath(".//*[@name='name']")][:2] == typed["name"]
    assert [each.value for each in form.xpath(".//*[@name='biological_role']")][:2] == typed["biological_role"]
    assert (form.fields["method-2"], form.fields["confidence"], form.fields["negative"]) == ("MI:0096", "0.4", "on")
    assert form.fields["comment"].splitlines() == ["As they say", "in Figure 3."]
    assert form.xpath("string(.//ul[@data-field='evidence-2']/li[last()])").strip() == SECOND[:6]
    (fault,) = form.xpath(".//*[@role='alert']")
    assert fault.getprevious().get("data-field") == "participant-2"
    assert "does not have the form" in fault.text


def test_without_scripts_a_correction_that_comes_too_late_is_shown_again_for_the_newest_state(
    as_alice, curation, article
):
    interaction = make_interaction(article)
    record(curation, interaction)
    decide(curation, "reject", ItemProposal(ItemKind.INTERACTION, "new-1", build_interaction_content(interaction)))
    reply = send_correction(as_alice, curation, interaction, scripts=False, seen=1, comment="Typed before.")
    assert reply.status_code == 409
    (form,) = html.fromstring(reply.content.decode()).xpath("//form[@data-decide]")
    assert (form.fields["comment"], form.fields["seen"]) == ("Typed before.", "2")
    assert "decided in another window" in form.xpath("string(.//*[@role='alert'])")


def test_without_scripts_a_wrong_identifier_of_an_entity_stays_in_its_form(as_alice, curation):
    as_alice.get(f"/curation/{curation.pk}/")
    fields = {"action": "edit", "kind": "entity", "key": "uniprot:P12830", "seen": 0, "token": "token-0001"}
    reply = as_alice.post(f"/curation/{curation.pk}/decide/?step=entities", {**fields, "identifier": "uniprot:P1"})
    assert reply.status_code == 422
    (form,) = html.fromstring(reply.content.decode()).xpath("//form[@data-decide]")
    assert form.fields["identifier"] == "uniprot:P1"
    assert "does not have the form" in form.xpath("string(.//*[@role='alert'])")
