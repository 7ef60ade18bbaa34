"""A page says that it has news, and an answer by REST is sent again, for whom there is something new alone."""

import pytest
from django.test import Client

from annotations.articles.models import Article
from annotations.articles.versions import annotate_version
from annotations.identifiers.reported_identifiers import raise_article_or_private_producer_versions
from annotations.results.article_summaries import update_summaries_returning_whether_more_remain
from annotations.results.models import ArticleSummary
from annotations.results.producers import publish_producers_raising_article_versions
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from servers.calls.models import Call
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from servers.registry.models import Server
from servers.teams.models import Membership, Team
from tests.integration.server_cast import put_in_flight
from tests.integration.servers.calls.test_server_loop import GOOD, serve_against

URL = "/articles/10000001/"
ANNOTATIONS = "/api/v1/articles/10000001/annotations/"
P53 = AnnotationData(Kind.NORMALIZATION, 0.9, 1, database="uniprot", identifier="P04637")


@pytest.fixture
def training(server):
    return contents.get_or_create_queue_and_producer(server, QueueMode.TRAINING, "example")


@pytest.fixture
def bob(django_user_model, article):
    """Of another team, whose own server was trained with the same article."""
    team = Team.objects.create(name="Team Beta", slug="team-beta")
    user = django_user_model.objects.create_user("bob")
    Membership.objects.create(team=team, user=user)
    rival = Server.objects.create(
        review="accepted", team=team, name="Rival", slug="rival", url="http://127.0.0.1:9/", kinds=["mention"]
    )
    store_results_superseding_earlier(
        article,
        contents.get_or_create_queue_and_producer(rival, QueueMode.TRAINING, "example").producer,
        {Kind.MENTION: []},
    )
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
    contents.enqueue_articles_without_open_or_test_call(training, [article.pk])
    others, own = [Reader(), Reader(carol), Reader(bob)], Reader(alice)
    serve_against(server, lambda sent: GOOD)
    assert Call.objects.get().state == "answered"
    assert [reader.news() for reader in others] == [NOTHING] * 3
    assert own.news() == NEWS


def test_it_tells_of_each_step_of_a_call_its_team_alone(training, article, alice, bob):
    others, own = [Reader(), Reader(bob)], Reader(alice)
    contents.enqueue_articles_without_open_or_test_call(training, [article.pk])
    put_in_flight(Call.objects.get())
    assert own.news()[0] == 200
    for change in ({"state": "waiting", "batch": None, "tries": 1}, {"due": article.added}):
        own = Reader(alice)
        Call.objects.update(**change)
        assert own.news()[0] == 200
    own = Reader(alice)
    contents.delete_untried_or_fail_waiting_calls(training)
    assert own.news()[0] == 200
    assert [reader.news() for reader in others] == [NOTHING] * 2


def test_it_tells_of_names_to_whom_they_are_shown(training, article, alice, bob):
    store_results_superseding_earlier(article, training.producer, {Kind.NORMALIZATION: [P53]})
    others, own = [Reader(), Reader(bob)], Reader(alice)
    raise_article_or_private_producer_versions("uniprot", ["P04637"])
    assert [reader.news() for reader in others] == [NOTHING] * 2
    assert own.news() == NEWS


def test_it_tells_everybody_when_it_is_opened(training, article, bob):
    store_results_superseding_earlier(article, training.producer, {Kind.NORMALIZATION: [P53]})
    update_summaries_returning_whether_more_remain()
    readers = [Reader(), Reader(bob)]
    publish_producers_raising_article_versions(type(training.producer).objects.filter(pk=training.producer.pk))
    assert [reader.news() for reader in readers] == [NEWS] * 2
    update_summaries_returning_whether_more_remain()
    assert ArticleSummary.objects.get().servers == 1


def test_it_makes_no_standing_anew_for_what_is_hidden(training, article):
    before = annotate_version(Article.objects).get().version
    store_results_superseding_earlier(article, training.producer, {Kind.NORMALIZATION: [P53]})
    assert annotate_version(Article.objects).get().version == before
