"""Teams see what curators of a project decided on their servers, as far as it agrees with the published outcome."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from annotations.articles.models import Article, ArticleSnapshot, ArticleTakedown, Corpus
from annotations.curation.decisions import ItemProposal
from annotations.curation.models import Candidate, Curation, CuratorProfile
from annotations.curation.projects.adjudication import (
    build_shown_state,
    find_outcome,
    get_compared_article,
    store_adjudicated_outcome,
)
from annotations.curation.projects.assignment import assign_article
from annotations.curation.projects.models import AgreedDecision
from annotations.curation.publishing import publish_curation, withdraw_published_abstract
from annotations.curation.session import finish_curation, open_curation, reopen_curation
from annotations.curation.states import ItemKind
from annotations.results.models import Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from bcms.curation.proposals import load_or_build_candidate_list
from evaluation.challenges.models import Phase, Task
from evaluation.challenges.setup import creation
from evaluation.curation.gold import store_outcome_as_gold
from evaluation.curation.server_feedback import count_published_verdicts
from evaluation.gold.models import GoldStandard
from servers.registry.models import Server
from tests.integration.article_cast import create_known_genes, make_read_article, read_page_words, three_servers
from tests.integration.curation_cast import decide, propose, propose_gene
from tests.integration.project_cast import add_curator, get_curator, make_project

pytestmark = pytest.mark.django_db
DECISIONS = "/api/v1/servers/alpha/decisions/"
HUMAN, MOUSE, CATENIN, CORRECT = "P12830", "P09803", "P35222", "Q9UBN7"


@pytest.fixture
def article(team):
    article = make_read_article()
    create_known_genes()
    three_servers(team, article)
    return article


@pytest.fixture
def project(article, olga, alice, carol):
    """Of olga, with carol and oscar, who both show their decisions to teams."""
    corpus = Corpus.objects.create(name="Read", slug="read")
    corpus.articles.add(article, through_defaults={"position": 1})
    return make_project(olga, corpus=corpus)


@pytest.fixture
def curators(project, carol, django_user_model):
    oscar = django_user_model.objects.create_user("oscar", "oscar@example.org", "a-long-password")
    for user in (carol, oscar):
        add_curator(project, user)
        CuratorProfile.objects.create(user=user, shares_decisions=True)
    return carol, oscar


def find_gene(curation, identifier):
    """What servers propose about a gene, as an item."""
    candidate = Candidate.objects.get(candidate_list=curation.candidates_id, key=f"uniprot:{identifier}", kind="entity")
    return ItemProposal(ItemKind.ENTITY, candidate.key, candidate.content, candidate.producers)


def curate(project, user, article, *, accepted=(), rejected=(), corrected=()):
    """A finished curation, to which an organism was added; corrected: genes that become CORRECT."""
    curation = assign_article(project, article, get_curator(project, user).pk)
    curation = open_curation(curation.pk, load_or_build_candidate_list(article), timezone.now())
    organism = AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="9606")
    decide(curation, "add", propose(ItemKind.ORGANISM, "ncbitaxon:9606", organism))
    for action, identifiers in (("accept", accepted), ("reject", rejected)):
        if identifiers:
            decide(curation, action, *(find_gene(curation, each) for each in identifiers), reason=f"by {action}")
    for each in corrected:
        known = find_gene(curation, each)
        item = ItemProposal(known.kind, known.key, propose_gene(CORRECT).content, known.producers)
        decide(curation, "edit", item)
    return finish(curation)


def finish(curation):
    current = Curation.objects.get(pk=curation.pk)
    return finish_curation(curation.pk, current.revision, timezone.now(), nothing_found=not current.items.exists())


def adjudicate(project, article, **choices):
    """The outcome, in which everything is left out that is not agreed and not among the choices: {gene: version}."""
    items = get_compared_article(project, article.pk).compare()
    shown = build_shown_state(items, find_outcome(project, article.pk))
    chosen = {
        (each.kind, each.key): choices.get(each.key.removeprefix("uniprot:")) for each in items if not each.agreed
    }
    return store_adjudicated_outcome(project, article.pk, chosen, shown, project.owner_id, timezone.now())


def publish(curation):
    return publish_curation(curation.pk, None, timezone.now())


def list_verdicts(client, user):
    client.force_login(user)
    rows = client.get(DECISIONS).json()["results"]
    listed = [(row["proposed"]["annotation"]["identifier"], row["verdict"]) for row in rows]
    counts = count_published_verdicts(Server.objects.get(slug="alpha"))
    assert sum(sum(each.values()) for each in counts.by_kind.values()) == len(listed)
    return sorted(listed)


@pytest.fixture
def outcome(project, curators, article):
    """Both accept the human gene; they disagree on the mouse's, which is left out; oscar's correction is taken."""
    carol, oscar = curators
    curate(project, carol, article, accepted=(HUMAN, MOUSE), rejected=(CATENIN,))
    curate(project, oscar, article, accepted=(HUMAN,), rejected=(MOUSE,), corrected=(CATENIN,))
    return adjudicate(project, article, **{CORRECT: 0})


AGREED = [(HUMAN, "accepted"), (CATENIN, "corrected"), (MOUSE, "rejected")]


def test_decisions_that_agree_with_a_published_outcome_count_once(client, alice, outcome):
    assert list_verdicts(client, alice) == []
    publish(outcome)
    assert list_verdicts(client, alice) == sorted(AGREED)
    words = read_page_words(client.get("/servers/alpha/"))
    assert "In 1 article, curators accepted 1, corrected 1 and rejected 1 annotations of this server." in words


def test_nobody_is_named(client, alice, outcome):
    publish(outcome)
    client.force_login(alice)
    for address in (DECISIONS, "/servers/alpha/"):
        content = client.get(address).content.decode()
        assert not any(name in content for name in ("carol", "oscar", "olga", "Cadherins"))


def test_what_no_curator_decided_as_the_outcome_does_not_count(client, alice, project, curators, article):
    """Both accept the human gene in forms of their own, and the mouse's alone is left out."""
    carol, oscar = curators
    curate(project, carol, article, accepted=(HUMAN, MOUSE))
    curate(project, oscar, article, accepted=(HUMAN, CATENIN))
    publish(adjudicate(project, article))
    assert list_verdicts(client, alice) == [(HUMAN, "accepted")]


def test_a_correction_of_what_the_outcome_accepts_does_not_count(client, alice, project, curators, article):
    carol, oscar = curators
    curate(project, carol, article, accepted=(CATENIN,))
    curate(project, oscar, article, corrected=(CATENIN,))
    publish(adjudicate(project, article, **{CATENIN: 0, CORRECT: 0}))
    assert list_verdicts(client, alice) == [(CATENIN, "accepted")]


def test_only_curators_who_share_their_decisions_count(client, alice, outcome, curators):
    publish(outcome)
    CuratorProfile.objects.filter(user=curators[1]).update(shares_decisions=False)
    assert list_verdicts(client, alice) == [(HUMAN, "accepted"), (CATENIN, "rejected")]
    CuratorProfile.objects.update(shares_decisions=False)
    assert list_verdicts(client, alice) == []


def test_a_record_that_is_published_by_itself_counts_as_such_and_not_twice(client, alice, outcome, project, curators):
    """The gold standard shows the outcome, and the page of the article carol's record."""
    make_public_gold(project)
    own = Curation.objects.get(curator=get_curator(project, curators[0]))
    publish(own)
    assert list_verdicts(client, alice) == [(MOUSE, "accepted"), (HUMAN, "accepted"), (CATENIN, "rejected")]
    publish(outcome)
    assert list_verdicts(client, alice) == sorted(AGREED)


def test_what_is_decided_later_does_not_count(client, alice, outcome, project, article, curators):
    publish(outcome)
    own = Curation.objects.get(curator=get_curator(project, curators[0]))
    reopen_curation(own.pk, timezone.now())
    decide(own, "reject", find_gene(own, HUMAN))
    finish(own)
    adjudicate(project, article)
    assert list_verdicts(client, alice) == sorted(AGREED)
    publish(outcome)
    assert (HUMAN, "rejected") in list_verdicts(client, alice)


def test_nothing_counts_of_a_withdrawn_outcome_or_an_article_that_was_taken_down(client, alice, outcome, article):
    publish(outcome)
    ArticleTakedown.objects.create(article=article)
    assert list_verdicts(client, alice) == []
    ArticleTakedown.objects.all().delete()
    assert list_verdicts(client, alice) == sorted(AGREED)
    withdraw_published_abstract(article.pk, timezone.now())
    assert list_verdicts(client, alice) == []


def test_nothing_counts_of_a_test_or_a_private_manuscript(client, alice, outcome, article, project, olga):
    publish(outcome)
    challenge = creation.create_challenge("Two", "two", "", olga)
    phase = Phase.objects.create(challenge=challenge, sort="test", corpus=project.corpus)
    assert list_verdicts(client, alice) == []
    Phase.objects.filter(pk=phase.pk).update(published=datetime(2026, 3, 1, tzinfo=UTC))
    assert list_verdicts(client, alice) == sorted(AGREED)
    snapshot = Article.objects.create(blind=True, passages=[], text="", content_hash="3" * 64)
    ArticleSnapshot.objects.create(article=snapshot, pmid=article.pmid)
    assert list_verdicts(client, alice) == []
    ArticleSnapshot.objects.all().delete()
    Article.objects.filter(pk=article.pk).update(blind=True, pmid=None)
    assert list_verdicts(client, alice) == []


def make_gold(project, kind=Kind.NORMALIZATION):
    """The outcome as the gold standard of a training phase, which nobody but organizers sees yet."""
    challenge = Phase.objects.filter(corpus=project.corpus).first()
    challenge = challenge.challenge if challenge else creation.create_challenge("One", "one", "", project.owner)
    phase, _ = Phase.objects.get_or_create(challenge=challenge, sort="training", corpus=project.corpus)
    task = Task.objects.filter(challenge=challenge, kind=kind).first()
    task = task or creation.create_task(challenge, f"T-{kind}"[:20], kind, "Genes")
    return store_outcome_as_gold(project, task, phase)


def make_public_gold(project, kind=Kind.NORMALIZATION):
    gold = make_gold(project, kind)
    Producer.objects.filter(pk=gold.producer_id).update(published=True, public=True)
    return gold


def test_an_outcome_counts_that_everybody_sees_as_a_gold_standard(client, alice, outcome, project):
    gold = make_gold(project)
    assert list_verdicts(client, alice) == []
    Producer.objects.filter(pk=gold.producer_id).update(published=True, public=True)
    assert list_verdicts(client, alice) == sorted(AGREED)
    Producer.objects.filter(pk=gold.producer_id).update(public=False)
    assert list_verdicts(client, alice) == []


def test_a_gold_standard_shows_its_own_kind_only(client, alice, outcome, project):
    make_public_gold(project, Kind.TAXON)
    assert list_verdicts(client, alice) == []


def test_a_file_in_place_of_the_outcome_shows_nothing_of_it(client, alice, outcome, project):
    gold = make_public_gold(project)
    GoldStandard.objects.filter(pk=gold.pk).update(source="genes.txt")
    assert list_verdicts(client, alice) == []


def test_the_outcome_counts_as_it_was_when_the_gold_standard_was_made(client, alice, outcome, project, article):
    make_public_gold(project)
    adjudicate(project, article, **{MOUSE: 0})
    assert list_verdicts(client, alice) == sorted(AGREED)
    make_public_gold(project)
    assert list_verdicts(client, alice) == sorted([(HUMAN, "accepted"), (CATENIN, "rejected"), (MOUSE, "accepted")])


def test_interactions_agree_by_their_participants(client, alice, project, curators, article):
    """Their methods and evidence may differ."""
    producer = Server.objects.get(slug="alpha").queues.get().producer
    pair = AnnotationData(Kind.PAIR, 0.9, database="uniprot", identifier=HUMAN, partner=CATENIN)
    store_results_superseding_earlier(article, producer, {Kind.PAIR: [pair]}, reply_body=b"{}")
    for user in curators:
        curation = assign_article(project, article, get_curator(project, user).pk)
        curation = open_curation(curation.pk, load_or_build_candidate_list(article), timezone.now())
        row = Candidate.objects.get(candidate_list=curation.candidates_id, kind="interaction")
        content = dict(row.content["interaction"])
        content["detections"] = [{"method": "MI:0018" if user == curators[0] else "MI:0019", "evidence": []}]
        item = ItemProposal(ItemKind.INTERACTION, row.key, {"interaction": content}, row.producers)
        decide(curation, "edit", item)
        finish(curation)
    key = get_compared_article(project, article.pk).compare()[0].key
    publish(adjudicate(project, article, **{key: 0}))
    client.force_login(alice)
    rows = client.get(DECISIONS, {"kind": "interaction"}).json()["results"]
    assert [row["verdict"] for row in rows] == ["accepted"]


def test_the_list_and_the_figure_need_the_same_queries_for_any_number(
    client, alice, outcome, project, django_assert_num_queries
):
    server = Server.objects.get(slug="alpha")
    client.force_login(alice)
    for show in (publish, lambda _: make_public_gold(project), lambda _: None):
        show(outcome)
        with django_assert_num_queries(3):
            count_published_verdicts(server)
        with django_assert_num_queries(7):
            assert client.get(DECISIONS).json()["count"] == len(AGREED)
    assert AgreedDecision.objects.count() > len(AGREED)
