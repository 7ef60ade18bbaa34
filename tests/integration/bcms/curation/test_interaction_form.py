"""Interactions that are corrected in the workspace: what was recorded stays unless the form changes it."""

from dataclasses import replace

import pytest

from annotations.curation.contents import build_interaction_content, read_interaction_content
from annotations.curation.decisions import ItemProposal
from annotations.curation.states import ItemKind
from annotations.digital_abstract import Detection, EvidencePassage, Interaction, Participant
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


def correct(client, curation, interaction, key="new-1", **fields):
    """Send the form as the page shows it, with some other fields; the current item."""
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
    hidden = {"action": "edit", "kind": "interaction", "key": key, "seen": curation.revision, "token": "correction"}
    reply = client.post(f"/curation/{curation.pk}/decide/", shown | hidden | fields, headers={"X-Fragment": "1"})
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
