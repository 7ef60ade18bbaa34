"""The outcome of a project becomes the gold standard of a task, sealed in a test."""

import pytest

from annotations.articles.models import Article
from annotations.curation.contents import build_annotation_content
from annotations.curation.decisions import ItemProposal
from annotations.curation.models import Curation
from annotations.curation.projects.adjudication import accept_agreed_articles
from annotations.curation.projects.assignment import assign_article
from annotations.curation.publishing import propose_curation, publish_curation
from annotations.curation.states import ItemKind
from annotations.schema import AnnotationData, Kind
from evaluation import tasks
from evaluation.challenges.models import Task
from evaluation.challenges.participants.admission import check_team_read_no_blind_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.curation.gold import store_outcome_as_gold
from evaluation.curation.sealing import check_record_not_sealed, is_sealed, organizes_challenge_of_project
from evaluation.errors import ChallengeError
from evaluation.gold.unsealing import read_sealed_gold
from tests.integration.curation_cast import NOON
from tests.integration.evaluation_cast import PMIDS, end, get_article, make_corpus
from tests.integration.project_cast import add_curator, curate, make_project

pytestmark = pytest.mark.django_db


def species(*identifiers):
    return [
        ItemProposal(
            ItemKind.ORGANISM,
            f"ncbitaxon:{each}",
            build_annotation_content(AnnotationData(Kind.TAXON, database="ncbitaxon", identifier=each)),
        )
        for each in identifiers
    ]


def curate_all(project, user, pmids):
    """The organism 9606 and a gene in every article but the last, in which nothing is found."""
    *most, last = pmids
    for pmid in most:
        curate(project, user, pmid, items=[*species("9606"), *_gene()])
    curate(project, user, last)
    accept_agreed_articles(project, project.owner_id, NOON)


def _gene():
    annotation = AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier="P12830")
    return [ItemProposal(ItemKind.ENTITY, "uniprot:P12830", build_annotation_content(annotation))]


def list_gold(gold):
    rows = gold.producer.results.filter(superseded__isnull=True)
    return sorted(rows.values_list("article__pmid", "annotations__identifier"))


@pytest.fixture
def project(olga, alice, training):
    return make_project(olga, alice, corpus=training.corpus)


@pytest.fixture
def sealed(olga, carol, testing):
    project = make_project(olga, carol, corpus=testing.corpus)
    curate_all(project, carol, (201, 202))
    return project


def test_it_stores_the_outcome_as_the_gold_standard(project, alice, training):
    curate_all(project, alice, PMIDS)
    task = Task.objects.get(name="TX")
    gold = store_outcome_as_gold(project, task, training)
    assert list_gold(gold) == [(101, "9606"), (102, "9606"), (103, "9606"), (104, None)]
    assert gold.source == f"Curation project {project.pk}, Cadherins"
    assert store_outcome_as_gold(project, task, training) == gold
    assert project.golds == [gold.pk]
    assert not is_sealed(project)


def test_it_stores_classes_and_the_entities_of_open_tasks(project, alice, training, challenge):
    curate_all(project, alice, PMIDS)
    gold = store_outcome_as_gold(project, Task.objects.get(name="ACT"), training)
    rows = gold.producer.results.filter(superseded__isnull=True)
    assert list(rows.values_list("annotations__relevant", flat=True)) == [False] * 4
    genes = creation.create_task(challenge, "GN", Kind.NORMALIZATION, "Genes")
    assert list_gold(store_outcome_as_gold(project, genes, training))[0] == (101, "P12830")


def test_it_needs_an_outcome_of_every_article_and_a_phase_with_the_corpus(project, alice, training, challenge):
    task = Task.objects.get(name="TX")
    with pytest.raises(ChallengeError, match="4 articles have no outcome"):
        store_outcome_as_gold(project, task, training)
    other = creation.create_phase_claiming_blind_corpus(challenge, "development", make_corpus("five", pmids=(301,)))
    with pytest.raises(ChallengeError, match="another corpus"):
        store_outcome_as_gold(project, task, other)


def test_it_seals_the_outcome_in_a_test(sealed, testing):
    gold = store_outcome_as_gold(sealed, Task.objects.get(name="TX"), testing)
    assert gold.producer is None
    opened = read_sealed_gold(gold)
    assert [(row.database, row.identifier) for row in opened[get_article(201).pk]] == [("ncbitaxon", "9606")]
    assert is_sealed(sealed)


def test_it_keeps_sealed_records_from_being_published_until_the_test_is(sealed, testing, olga, carol):
    curation = sealed.outcome.curations.first()
    check_record_not_sealed(curation)
    store_outcome_as_gold(sealed, Task.objects.get(name="TX"), testing)
    for each in (curation, sealed.curators.get().curations.first()):
        with pytest.raises(ChallengeError, match="gold standard of a test"):
            check_record_not_sealed(each)
    assert organizes_challenge_of_project(olga, sealed)
    assert not organizes_challenge_of_project(carol, sealed)
    end(testing)
    publish_phase_or_request_if_sealed(testing)
    assert tasks.publish_requested_phases_and_tasks_unless_busy() == "1 published"
    assert not is_sealed(sealed)
    check_record_not_sealed(curation)


def test_nobody_proposes_a_sealed_record_by_page_or_by_rest(project, alice, challenge, client):
    curate_all(project, alice, PMIDS)
    test = creation.create_phase_claiming_blind_corpus(challenge, "test", project.corpus)
    store_outcome_as_gold(project, Task.objects.get(name="TX"), test)
    Article.objects.update(blind=False)
    client.force_login(alice)
    curation = project.curators.get().curations.first()
    assert "gold standard of a test" in client.post(f"/api/v1/curations/{curation.pk}/propose/").json()["detail"]
    client.post(f"/curation/{curation.pk}/propose/")
    assert not Curation.objects.filter(proposed__isnull=False).exists()


def test_it_takes_back_what_reviewers_would_read(project, alice, challenge):
    curate_all(project, alice, PMIDS)
    propose_curation(project.curators.get().curations.first().pk, NOON)
    test = creation.create_phase_claiming_blind_corpus(challenge, "test", project.corpus)
    store_outcome_as_gold(project, Task.objects.get(name="TX"), test)
    assert not Curation.objects.filter(proposed__isnull=False).exists()


def test_it_makes_no_sealed_gold_of_what_everybody_sees(project, alice, challenge, olga):
    curate_all(project, alice, PMIDS)
    publish_curation(project.outcome.curations.first().pk, olga.pk, NOON)
    test = creation.create_phase_claiming_blind_corpus(challenge, "test", project.corpus)
    with pytest.raises(ChallengeError, match="1 digital abstract of this project is published"):
        store_outcome_as_gold(project, Task.objects.get(name="TX"), test)


def test_it_keeps_teams_out_whose_members_have_opened_blind_articles(sealed, testing, team, alice, olga):
    check_team_read_no_blind_articles(testing, team)
    add_curator(sealed, alice)
    assign_article(sealed, get_article(201), sealed.curators.get(user=alice).pk)
    check_team_read_no_blind_articles(testing, team)
    curate(sealed, alice, 201, "P12830", finish=False)
    with pytest.raises(ChallengeError, match="alice of Team Alpha has curated the articles of the test phase"):
        check_team_read_no_blind_articles(testing, team)
