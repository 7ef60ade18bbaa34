"""The table of modes, cell by cell through the loop: what a server's answers lead to in LIVE, TRAINING and TEST.

What a server in trouble leads to is in test_modes_in_trouble.py.
"""

import pytest
from django.contrib.auth.models import AnonymousUser

from annotations.articles.models import Article
from annotations.results.models import Annotation, Result
from annotations.schema import Kind
from evaluation.challenges.participants.server_entry import enter_server
from evaluation.challenges.publication.publication_requests import request_phase_publication
from evaluation.challenges.setup import creation
from evaluation.errors import ChallengeError
from evaluation.leaderboards.board import build_board, list_board_runs
from evaluation.runs.models import Run
from servers.calls.models import Attempt, Call, Queue
from servers.calls.queues import actions, contents
from servers.calls.states import CallState, Outcome, QueueState
from servers.registry.models import Server
from tests import fakeserver
from tests.integration.evaluation_cast import answer, end, make_challenge, make_corpus, make_server, relevant, species
from tests.integration.mode_cast import (
    BUT_TEST,
    FAILING,
    FAILURES,
    LIVE,
    TEST,
    TRAINING,
    WAITS,
    first,
    queue_in,
    saying,
    seconds_waited,
    serve,
    serve_good,
    states,
    tried_before,
)

# Committed, as the heartbeat looks at the leases on a connection of its own.
pytestmark = pytest.mark.django_db(transaction=True)

# One annotation of two breaks a rule.
MIXED = fakeserver.say(
    mentions=[{"offset": 0, "mention": "CDH1", "confidence": 1.5}, {"offset": 0, "mention": "CDH", "confidence": 0.5}]
)


class TestArticlesLoadedAgain:
    @pytest.mark.parametrize(("mode", "loaded"), [(LIVE, 2), (TRAINING, 2), (TEST, 0)])
    def test_it_asks_again_but_in_a_test(self, server, mode, loaded):
        queue = queue_in(server, mode)
        serve_good(server)
        assert contents.enqueue_articles(queue, list(Article.objects.values_list("pk", flat=True))) == loaded
        assert len(serve_good(server)) == loaded

    @pytest.mark.parametrize("state", [CallState.WAITING, CallState.ANSWERED, CallState.FAILED])
    def test_it_takes_no_article_of_a_test_twice_whatever_became_of_it(self, server, state):
        queue = queue_in(server, TEST)
        Call.objects.update(state=state)
        assert contents.enqueue_articles(queue, list(Article.objects.values_list("pk", flat=True))) == 0

    @BUT_TEST
    def test_it_runs_all_again_at_a_word(self, server, mode):
        queue = queue_in(server, mode)
        serve_good(server)
        assert actions.rerun_all_articles(queue) == "2 articles will be sent again."

    def test_it_runs_no_test_again(self, server):
        queue = queue_in(server, TEST)
        serve_good(server)
        with pytest.raises(actions.QueueActionRefusedError, match="The articles of a test cannot be sent again"):
            actions.rerun_all_articles(queue)


@FAILING
class TestCommunicationOrConnectionError:
    @BUT_TEST
    def test_it_tries_again_with_growing_waits(self, server, mode, failure):
        queue_in(server, mode, number=1)
        with FAILURES[failure]() as url:
            for tries, wait in enumerate(WAITS):
                tried_before(tries)
                # Not so often in a row that the server would be taken for down.
                Server.objects.update(misses=0)
                assert serve(server, url) == [failure]
                assert (first().state, first().tries) == (CallState.WAITING, tries + 1)
                assert wait - 1 <= seconds_waited() <= wait * 1.2 + 1
        assert Queue.objects.get().state == QueueState.RUNNING

    @BUT_TEST
    def test_it_asks_for_the_next_article_meanwhile(self, server, mode, failure):
        queue_in(server, mode)
        with FAILURES[failure]() as url:
            assert serve(server, url) == [failure, failure]
        assert Queue.objects.get().state == QueueState.RUNNING

    @BUT_TEST
    def test_it_gives_the_article_up_after_the_fifth_and_stores_nothing(self, server, mode, failure):
        queue_in(server, mode)
        tried_before(4)
        with FAILURES[failure]() as url:
            assert serve(server, url) == [failure, failure]
        assert states() == [CallState.FAILED, CallState.WAITING]
        assert first().tries == 5
        assert Attempt.objects.first().message == first().reason
        assert not Result.objects.exists()
        assert Server.objects.get().failures_running == 1

    def test_it_stops_a_test_at_each_until_the_fifth(self, server, failure):
        queue = queue_in(server, TEST)
        with FAILURES[failure]() as url:
            for tries in range(4):
                assert serve(server, url) == [failure]
                queue.refresh_from_db()
                assert (queue.state, queue.stopped_on, first().tries) == (QueueState.STOPPED, first(), tries + 1)
                assert serve(server, url) == []
                actions.retry_stopped_article(queue)
            assert serve(server, url) == [failure, failure]
        queue.refresh_from_db()
        assert states() == [CallState.EMPTY, CallState.WAITING]
        assert (first().tries, queue.stopped_on) == (5, Call.objects.order_by("pk").last())
        assert {(result.kind, result.empty_reason != "") for result in Result.objects.all()} == {
            ("mention", True),
            ("normalization", True),
        }

    def test_it_goes_on_behind_an_article_of_a_test_at_a_word(self, server, failure):
        queue = queue_in(server, TEST)
        with FAILURES[failure]() as url:
            serve(server, url)
        actions.skip_stopped_article(queue)
        assert states() == [CallState.EMPTY, CallState.WAITING]
        assert set(Result.objects.values_list("empty_reason", flat=True)) == {"passed-over"}
        assert serve_good(server) == [Outcome.EMPTY]


class TestInvalidAnswer:
    @BUT_TEST
    def test_it_asks_again_five_times_in_all_and_then_stores_what_is_valid(self, server, mode):
        queue_in(server, mode, number=1)
        with saying(MIXED) as url:
            for tries, wait in enumerate(WAITS):
                tried_before(tries)
                assert serve(server, url) == [Outcome.INVALID]
                assert (first().state, first().tries) == (CallState.WAITING, tries + 1)
                assert wait - 1 <= seconds_waited() <= wait * 1.2 + 1
                assert not Result.objects.exists()
            tried_before(4)
            serve(server, url)
        assert (first().state, first().tries) == (CallState.ANSWERED, 5)
        assert list(Annotation.objects.values_list("text", flat=True)) == ["CDH"]
        assert [rule["code"] for rule in Attempt.objects.order_by("pk").last().broken_rules] == ["R101"]

    @BUT_TEST
    def test_it_stores_nothing_when_the_fifth_answer_cannot_be_read(self, server, mode):
        queue_in(server, mode, number=1)
        with saying(MIXED) as url:
            serve(server, url)
        tried_before(4)
        with saying(fakeserver.not_xml) as url:
            serve(server, url)
        assert states() == [CallState.FAILED]
        assert not Result.objects.exists()

    @BUT_TEST
    def test_it_stores_nothing_when_the_fifth_answer_is_of_another_article(self, server, mode):
        queue_in(server, mode, number=1)
        tried_before(4)
        with saying(fakeserver.other_article_json) as url:
            assert serve(server, url, protocol="rest") == [Outcome.INVALID]
        assert (states(), Attempt.objects.get().diagnosis) == ([CallState.FAILED], "wrong-article")
        assert not Result.objects.exists()

    @BUT_TEST
    def test_it_lets_a_failed_article_be_loaded_again(self, server, mode):
        queue = queue_in(server, mode, number=1)
        tried_before(4)
        with saying(fakeserver.not_xml) as url:
            serve(server, url)
        assert actions.retry_failed_articles(queue) == "1 article will be sent again."
        assert serve_good(server) == [Outcome.EMPTY]

    def test_it_never_asks_again_in_a_test(self, server):
        queue_in(server, TEST)
        with saying(MIXED) as url:
            assert serve(server, url) == [Outcome.INVALID, Outcome.INVALID]
            assert serve(server, url) == []
        assert states() == [CallState.ANSWERED, CallState.ANSWERED]
        assert list(Annotation.objects.values_list("text", flat=True)) == ["CDH", "CDH"]
        assert [rule["code"] for rule in Attempt.objects.first().broken_rules] == ["R101"]
        assert Queue.objects.get().state == QueueState.DONE

    def test_it_takes_an_answer_of_another_article_for_an_empty_one_in_a_test(self, server):
        queue_in(server, TEST)
        with saying(fakeserver.other_article_json) as url:
            assert serve(server, url, protocol="rest") == [Outcome.INVALID, Outcome.INVALID]
        assert states() == [CallState.EMPTY, CallState.EMPTY]
        assert set(Result.objects.values_list("empty_reason", flat=True)) == {"wrong-article"}


class TestNoAnswerInTime:
    @BUT_TEST
    def test_it_is_an_error_like_any_other(self, server, mode):
        queue_in(server, mode, number=1)
        with saying(fakeserver.silence) as url:
            assert serve(server, url, time_limit=1) == [Outcome.NO_ANSWER]
            assert (first().state, first().tries) == (CallState.WAITING, 1)
            assert 4 <= seconds_waited() <= 7
            tried_before(4)
            serve(server, url)
        assert states() == [CallState.FAILED]
        assert not Result.objects.exists()

    def test_it_is_an_empty_result_in_a_test_and_the_next_article_is_asked(self, server):
        queue_in(server, TEST)
        with saying(fakeserver.silence) as url:
            assert serve(server, url, time_limit=1) == [Outcome.NO_ANSWER, Outcome.NO_ANSWER]
        assert states() == [CallState.EMPTY, CallState.EMPTY]
        assert set(Result.objects.values_list("empty_reason", flat=True)) == {"no-answer"}
        assert Queue.objects.get().state == QueueState.DONE


class TestResultsKept:
    @pytest.mark.parametrize(("mode", "kept"), [(LIVE, 260), (TRAINING, 260), (TEST, 250)])
    def test_it_keeps_the_best_250_of_a_test_by_rank_and_all_else(self, server, mode, kept):
        letters = Article.objects.create(
            pmid=50000009,
            passages=[{"type": "title", "text": "x" * 260}],
            text="x" * 260,
            content_hash="0" * 64,
        )
        contents.enqueue_articles(contents.get_or_create_queue(server, mode, "phase"), [letters.pk])
        # The best is the last that is said.
        ranked = [(f"P{number:05}", 260 - number) for number in range(260)]
        said = fakeserver.say(
            mentions=[{"offset": at, "mention": "x"} for at in range(260)],
            normalizations=[{"dbname": "UniProt", "dbid": name, "rank": rank} for name, rank in ranked],
            pairs=[{"dbname": "UniProt", "a": name, "b": "P12830", "rank": rank} for name, rank in ranked],
            taxons=[{"taxid": number} for number in range(1, 261)],
        )
        with saying(said) as url:
            serve(server, url, kinds=["mention", "normalization", "pair", "taxon"])
        rows = Annotation.objects.values_list("result__kind", "rank")
        ranks = {kind: sorted(rank or 0 for of, rank in rows if of == kind) for kind in Kind}
        assert ranks[Kind.NORMALIZATION] == ranks[Kind.PAIR] == list(range(1, kept + 1))
        assert (len(ranks[Kind.MENTION]), len(ranks[Kind.TAXON])) == (260, 260)


@pytest.fixture
def challenge(olga):
    return make_challenge(olga, make_corpus())


@pytest.fixture
def training(challenge):
    return challenge.phases.get(sort="training")


@pytest.fixture
def testing(challenge):
    return creation.create_phase(challenge, "test", make_corpus("blind", pmids=(201, 202), blind=True))


@pytest.fixture
def reader(team):
    return make_server(team, "reader")


def train(runs):
    for pmid in (101, 102, 103, 104):
        for run in runs:
            answer(run, pmid, relevant(True) if run.task.name == "ACT" else species("9606"))


class TestScoresShown:
    def names(self, user, phase):
        act = phase.challenge.tasks.get(name="ACT")
        return [row.name for row in build_board(act, phase, user).rows]

    def test_it_shows_no_scores_of_what_is_live(self, server):
        queue_in(server, LIVE)
        assert not Run.objects.exists()

    def test_it_shows_the_team_those_of_the_training_at_any_time(self, reader, training, alice, carol):
        train(enter_server(reader, training, alice))
        assert self.names(alice, training) == ["Reader"]
        assert self.names(carol, training) == self.names(AnonymousUser(), training) == []

    def test_it_shows_those_of_a_test_when_the_organizer_publishes(self, reader, training, testing, alice, olga):
        train(enter_server(reader, training, alice))
        enter_server(reader, testing, alice)
        assert (self.names(alice, testing), list(list_board_runs(alice, testing))) == ([], [])
        assert self.names(olga, testing) == ["Reader"]
        end(testing)
        request_phase_publication(testing)
        assert self.names(alice, testing) == self.names(AnonymousUser(), testing) == ["Reader"]


class TestWhoMayEnter:
    def test_it_lets_a_server_of_a_team_into_the_training(self, reader, training, alice, carol):
        with pytest.raises(ChallengeError, match="Only members of Team Alpha can enter Reader"):
            enter_server(reader, training, carol)
        assert enter_server(reader, training, alice)

    def test_it_lets_only_who_finished_the_whole_training_into_the_test(self, reader, training, testing, alice):
        with pytest.raises(ChallengeError, match="Reader"):
            enter_server(reader, testing, alice)
        act, tx = enter_server(reader, training, alice)
        for unfinished in (act, tx):
            with pytest.raises(ChallengeError, match="Reader has answered 0 of the 4 training articles"):
                enter_server(reader, testing, alice)
            train([unfinished])
        assert [run.phase.sort for run in enter_server(reader, testing, alice)] == ["test", "test"]
