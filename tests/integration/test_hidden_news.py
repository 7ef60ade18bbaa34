"""A page says that it has news, and an answer by REST is sent again, for whom there is something new alone."""

import pytest
from django.test import Client

from annotations.kinds import Finding, Kind
from annotations.models import Article, Standing
from annotations.reported import announce_articles
from annotations.standings import bring_up
from annotations.storing import open_to_all, store_results
from servers import queueing
from servers.models import Call, Membership, Server, Team
from servers.states import QueueMode
from tests.integration.test_loop import GOOD, serve_against

URL = "/articles/10000001/"
ANNOTATIONS = "/api/v1/articles/10000001/annotations/"
P53 = Finding(Kind.NORMALIZATION, 0.9, 1, database="uniprot", identifier="P04637")


@pytest.fixture
def training(server):
    return queueing.queue_of(server, QueueMode.TRAINING, "example")


@pytest.fixture
def bob(django_user_model, article):
    """Of another team, whose own server was trained with the same article."""
    team = Team.objects.create(name="Team Beta", slug="team-beta")
    user = django_user_model.objects.create_user("bob")
    Membership.objects.create(team=team, user=user)
    rival = Server.objects.create(team=team, name="Rival", slug="rival", url="http://127.0.0.1:9/", kinds=["mention"])
    store_results(article, queueing.queue_of(rival, QueueMode.TRAINING, "example").producer, {Kind.MENTION: []})
    return user


class Reader:
    """Has the page of the article open, and its annotations by REST."""

    def __init__(self, user=None):
        self.client = Client()
        if user:
            self.client.force_login(user)
        self.version = self.client.get(URL).context["page"].version
        self.tag = self.client.get(ANNOTATIONS)["ETag"]

    def news(self):
        page = self.client.get(f"{URL}live/", {"v": self.version}).status_code
        return page, self.client.get(ANNOTATIONS, headers={"If-None-Match": self.tag}).status_code


NOTHING, NEWS = (204, 304), (200, 200)


@pytest.mark.django_db(transaction=True)
def test_it_tells_of_a_training_answer_its_team_alone(server, training, article, alice, bob, carol):
    queueing.enqueue(training, [article.pk])
    others, own = [Reader(), Reader(carol), Reader(bob)], Reader(alice)
    serve_against(server, lambda sent: GOOD)
    assert Call.objects.get().state == "answered"
    assert [reader.news() for reader in others] == [NOTHING] * 3
    assert own.news() == NEWS


def test_it_tells_of_each_step_of_a_call_its_team_alone(training, article, alice, bob):
    others, own = [Reader(), Reader(bob)], Reader(alice)
    queueing.enqueue(training, [article.pk])
    for change in ({"state": "asking"}, {"state": "waiting", "tries": 1}, {"due": article.added}):
        Call.objects.update(**change)
        assert own.news()[0] == 200
        own = Reader(alice)
    queueing.clear(training)
    assert own.news()[0] == 200
    assert [reader.news() for reader in others] == [NOTHING] * 2


def test_it_tells_of_names_to_whom_they_are_shown(training, article, alice, bob):
    store_results(article, training.producer, {Kind.NORMALIZATION: [P53]})
    others, own = [Reader(), Reader(bob)], Reader(alice)
    announce_articles("uniprot", ["P04637"])
    assert [reader.news() for reader in others] == [NOTHING] * 2
    assert own.news() == NEWS


def test_it_tells_everybody_when_it_is_opened(training, article, bob):
    store_results(article, training.producer, {Kind.NORMALIZATION: [P53]})
    bring_up()
    readers = [Reader(), Reader(bob)]
    open_to_all(type(training.producer).objects.filter(pk=training.producer.pk))
    assert [reader.news() for reader in readers] == [NEWS] * 2
    bring_up()
    assert Standing.objects.get().servers == 1


def test_it_makes_no_standing_anew_for_what_is_hidden(training, article):
    before = Article.objects.get().version
    store_results(article, training.producer, {Kind.NORMALIZATION: [P53]})
    assert Article.objects.get().version == before
