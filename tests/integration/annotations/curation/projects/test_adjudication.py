"""The outcome of a project: agreed records are taken over at once, the others are decided item by item."""

import pytest

from annotations.articles.models import Article
from annotations.curation.contents import build_interaction_content
from annotations.curation.decisions import ItemProposal
from annotations.curation.errors import CurationError, StaleDecisionError
from annotations.curation.models import Curation
from annotations.curation.projects.adjudication import (
    accept_agreed_articles,
    build_shown_state,
    find_outcome,
    get_compared_article,
    store_adjudicated_outcome,
)
from annotations.curation.projects.finished_curations import load_project_articles
from annotations.curation.session import reopen_curation
from annotations.curation.states import ItemKind
from annotations.digital_abstract import Detection, Interaction, Participant
from annotations.results.models import Annotation
from annotations.schema import EntityId, Span, make_mention
from tests.integration.curation_cast import NOON, decide, list_states, propose, propose_gene
from tests.integration.evaluation_cast import get_article
from tests.integration.project_cast import curate, finish_now, get_curator, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(olga, alice, carol):
    return make_project(olga, alice, carol)


def adjudicate(project, pmid, choices, user, shown=None):
    article = get_article(pmid).pk
    state = shown or show_state(project, article)
    return store_adjudicated_outcome(project, article, choices, state, user.pk, NOON)


def show_state(project, article):
    return build_shown_state(get_compared_article(project, article).compare(), find_outcome(project, article))


def entity(identifier):
    return (ItemKind.ENTITY, f"uniprot:{identifier}")


def list_outcome(project, kind="normalization"):
    rows = Annotation.objects.filter(result__producer=project.outcome.producer, result__superseded__isnull=True)
    return sorted(rows.filter(result__kind=kind).values_list("result__article__pmid", "identifier"))


def interact(key, *names, method="MI:0018", confidence=None):
    participants = tuple(Participant(EntityId("uniprot", name)) for name in names)
    interaction = Interaction(participants, detections=(Detection(method),), confidence=confidence)
    return ItemProposal(ItemKind.INTERACTION, key, build_interaction_content(interaction))


def test_it_accepts_what_all_agree_on_and_what_one_curated_alone(project, alice, carol, olga):
    curate(project, alice, 101, "P12830", "P35222")
    curate(project, carol, 101, "P35222", "P12830")
    curate(project, alice, 102, "P09803")
    curate(project, alice, 103, "P12830")
    curate(project, carol, 103, "P35222")
    curate(project, alice, 104, "P12830")
    curate(project, carol, 104, "P12830", finish=False)
    assert accept_agreed_articles(project, olga.pk, NOON) == (2, 0)
    assert list_outcome(project) == [(101, "P12830"), (101, "P35222"), (102, "P09803")]
    assert accept_agreed_articles(project, olga.pk, NOON) == (0, 0)


def test_it_names_the_article_whose_text_was_replaced(project, alice, olga):
    mention = make_mention([Span(0, 7)], "Article", "gene", [])
    curate(project, alice, 101, items=[propose(ItemKind.MENTION, "0-7", mention)])
    Article.objects.filter(pmid=101).update(text="Another text")
    with pytest.raises(CurationError, match=r"^Article .*101.*: The text of the article was replaced since “Article”"):
        accept_agreed_articles(project, olga.pk, NOON)


def test_it_accepts_that_nothing_was_found(project, alice, carol, olga):
    curate(project, alice, 101)
    curate(project, carol, 101)
    assert accept_agreed_articles(project, olga.pk, NOON) == (1, 0)
    assert Curation.objects.get(curator=project.outcome).nothing_found


def test_it_shows_who_has_and_who_rejected_what(project, alice, carol):
    first = curate(project, alice, 101, "P12830", "P35222")
    reopen_curation(first.pk, NOON)
    decide(first, "reject", propose_gene("P09803"))
    finish_now(first)
    curate(project, carol, 101, "P12830", "P09803")
    items = {item.key: item for item in get_compared_article(project, get_article(101).pk).compare()}
    assert {key: item.agreed for key, item in items.items()} == {
        "uniprot:P12830": True,
        "uniprot:P35222": False,
        "uniprot:P09803": False,
    }
    assert items["uniprot:P09803"].rejected_by == (0,)
    assert items["uniprot:P35222"].versions[0].curators == (0,)


def test_it_stores_what_the_adjudicator_chooses_with_whose_it_is(project, alice, carol, olga):
    curate(project, alice, 101, "P12830", "P35222")
    curate(project, carol, 101, "P12830", "P09803")
    outcome = adjudicate(project, 101, {entity("P35222"): 0, entity("P09803"): None}, olga)
    assert outcome.state == "finished"
    assert list_outcome(project) == [(101, "P12830"), (101, "P35222")]
    producers = dict(outcome.items.values_list("key", "producers"))
    ours, hers = (get_curator(project, user).producer_id for user in (alice, carol))
    assert producers == {"uniprot:P12830": [ours, hers], "uniprot:P35222": [ours], "uniprot:P09803": [hers]}
    assert set(outcome.decisions.values_list("user__username", flat=True)) == {"olga"}


def test_it_asks_for_every_choice(project, alice, carol, olga):
    curate(project, alice, 101, "P12830")
    curate(project, carol, 101, "P09803")
    for choices in ({}, {entity("P12830"): 0}, {entity("P12830"): 0, entity("P09803"): 5}):
        with pytest.raises(CurationError, match="Choose a version of uniprot:P"):
            adjudicate(project, 101, choices, olga)
    assert find_outcome(project, get_article(101).pk) is None


def test_it_compares_interactions_by_their_participants_and_shows_both_versions(project, alice, carol, olga):
    curate(project, alice, 101, items=[interact("one", "P12830", "P35222", confidence=0.5)])
    curate(project, carol, 101, items=[interact("other", "P35222", "P12830", method="MI:0096")])
    (item,) = get_compared_article(project, get_article(101).pk).compare()
    assert len(item.versions) == 2
    outcome = adjudicate(project, 101, {(item.kind, item.key): 1}, olga)
    assert outcome.record["interactions"][0]["detections"][0]["method"] == "MI:0096"


def test_it_takes_interactions_for_the_same_whatever_the_order_and_confidence(project, alice, carol, olga):
    curate(project, alice, 101, items=[interact("one", "P12830", "P35222", confidence=0.5)])
    curate(project, carol, 101, items=[interact("other", "P35222", "P12830")])
    assert accept_agreed_articles(project, olga.pk, NOON) == (1, 0)


def test_it_replaces_an_earlier_outcome(project, alice, carol, olga):
    first = curate(project, alice, 101, "P12830")
    curate(project, carol, 101, "P09803")
    outcome = adjudicate(project, 101, {entity("P12830"): 0, entity("P09803"): 0}, olga)
    reopen_curation(first.pk, NOON)
    decide(first, "reject", propose_gene("P12830"))
    finish_now(first, nothing_found=True)
    adjudicate(project, 101, {entity("P09803"): 0}, olga)
    assert list_states(outcome) == {"uniprot:P12830": "rejected", "uniprot:P09803": "accepted"}
    assert list_outcome(project) == [(101, "P09803")]


def test_it_decides_nothing_that_the_page_has_not_shown(project, alice, carol, olga):
    first = curate(project, alice, 101, "P12830")
    curate(project, carol, 101, "P09803")
    shown = show_state(project, get_article(101).pk)
    choices = {entity("P12830"): 0, entity("P09803"): 0}
    adjudicate(project, 101, choices, olga, shown)
    with pytest.raises(StaleDecisionError):
        adjudicate(project, 101, choices, olga, shown)
    shown = show_state(project, get_article(101).pk)
    reopen_curation(first.pk, NOON)
    with pytest.raises(CurationError, match="still works"):
        adjudicate(project, 101, choices, olga, shown)
    decide(first, "accept", propose_gene("P35222"))
    finish_now(first)
    with pytest.raises(StaleDecisionError):
        adjudicate(project, 101, choices, olga, shown)


def test_it_loads_all_articles_in_three_queries(project, alice, carol, django_assert_num_queries):
    for pmid in (101, 102, 103):
        curate(project, alice, pmid, "P12830")
        curate(project, carol, pmid, "P12830")
    with django_assert_num_queries(3):
        assert len(load_project_articles(project)) == 3
