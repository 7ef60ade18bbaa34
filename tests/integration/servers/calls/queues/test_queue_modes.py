"""The table of modes, cell by cell through the loop: what a server's answers lead to in LIVE, TRAINING and TEST.

What a server in trouble leads to is in test_modes_in_trouble.py.
"""

import pytest
from django.contrib.auth.models import AnonymousUser

from annotations.articles.models import Article
from annotations.results.models import Annotation, Result
from annotations.schema import Kind
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.errors import ChallengeError
from evaluation.leaderboards.board import build_board_visible_to_user
from evaluation.leaderboards.visibility import list_visible_board_runs
from evaluation.runs.models import Run
from servers.calls.models import Attempt, Call, Queue
from servers.calls.queues import actions, contents
from servers.calls.states import CallState, Outcome, QueueState
from servers.registry.models import Server
from tests import fakeserver
from tests.integration.evaluation_cast import answer, end, relevant, species
from tests.integration.mode_cast import (
    BUT_TEST,
    FAILING,
    FAILURES,
    LIVE,
    TEST,
    TRAINING,
    WAITS,
    compute_waited_seconds,
    get_first_call,
    list_call_states,
    make_mode_queue,
    serve,
    serve_behaviour,
    serve_good,
    set_first_call_tries,
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
        queue = make_mode_queue(server, mode)
        serve_good(server)
        assert (
            contents.enqueue_articles_without_open_or_test_call(
                queue, list(Article.objects.values_list("pk", flat=True))
            )
            == loaded
        )
        assert len(serve_good(server)) == loaded

    @pytest.mark.parametrize("state", [CallState.WAITING, CallState.ANSWERED, CallState.FAILED])
    def test_it_takes_no_article_of_a_test_twice_whatever_became_of_it(self, server, state):
        queue = make_mode_queue(server, TEST)
        Call.objects.update(state=state)
        assert (
            contents.enqueue_articles_without_open_or_test_call(
                queue, list(Article.objects.values_list("pk", flat=True))
            )
            == 0
        )

    @BUT_TEST
    def test_it_runs_all_again_at_a_word(self, server, mode):
        queue = make_mode_queue(server, mode)
        serve_good(server)
        assert actions.rerun_all_articles_unless_test_or_held(queue) == "2 articles will be sent again."

    def test_it_runs_no_test_again(self, server):
        queue = make_mode_queue(server, TEST)
        serve_good(server)
        with pytest.raises(actions.QueueActionRefusedError, match="The articles of a test cannot be sent again"):
            actions.rerun_all_articles_unless_test_or_held(queue)


@FAILING
class TestCommunicationOrConnectionError:
    @BUT_TEST
    def test_it_tries_again_with_growing_waits(self, server, mode, failure):
        make_mode_queue(server, mode, number=1)
        with FAILURES[failure]() as url:
            for tries, wait in enumerate(WAITS):
                set_first_call_tries(tries)
                # Not so often in a row that the server would be taken for down.
                Server.objects.update(misses=0)
                assert serve(server, url) == [failure]
                assert (get_first_call().state, get_first_call().tries) == (CallState.WAITING, tries + 1)
                assert wait - 1 <= compute_waited_seconds() <= wait * 1.2 + 1
        assert Queue.objects.get().state == QueueState.RUNNING

    @BUT_TEST
    def test_it_asks_for_the_next_article_meanwhile(self, server, mode, failure):
        make_mode_queue(server, mode)
        with FAILURES[failure]() as url:
            assert serve(server, url) == [failure, failure]
        assert Queue.objects.get().state == QueueState.RUNNING

    @BUT_TEST
    def test_it_gives_the_article_up_after_the_fifth_and_stores_nothing(self, server, mode, failure):
        make_mode_queue(server, mode)
        set_first_call_tries(4)
        with FAILURES[failure]() as url:
            assert serve(server, url) == [failure, failure]
        assert list_call_states() == [CallState.FAILED, CallState.WAITING]
        assert get_first_call().tries == 5
        assert Attempt.objects.first().message == get_first_call().reason
        assert not Result.objects.exists()
        assert Server.objects.get().failures_running == 1

    def test_it_stops_a_test_at_each_until_the_fifth(self, server, failure):
        queue = make_mode_queue(server, TEST)
        with FAILURES[failure]() as url:
            for tries in range(4):
                assert serve(server, url) == [failure]
                queue.refresh_from_db()
                assert (queue.state, queue.stopped_on, get_first_call().tries) == (
                    QueueState.STOPPED,
                    get_first_call(),
                    tries + 1,
                )
                assert serve(server, url) == []
                actions.retry_stopped_article_or_raise(queue)
            assert serve(server, url) == [failure, failure]
        queue.refresh_from_db()
        assert list_call_states() == [CallState.EMPTY, CallState.WAITING]
        assert (get_first_call().tries, queue.stopped_on) == (5, Call.objects.order_by("pk").last())
        assert {(result.kind, result.empty_reason != "") for result in Result.objects.all()} == {
            ("mention", True),
            ("normalization", True),
        }

    def test_it_goes_on_behind_an_article_of_a_test_at_a_word(self, server, failure):
        queue = make_mode_queue(server, TEST)
        with FAILURES[failure]() as url:
            serve(server, url)
        actions.skip_stopped_article_or_raise(queue)
        assert list_call_states() == [CallState.EMPTY, CallState.WAITING]
        assert set(Result.objects.values_list("empty_reason", flat=True)) == {"passed-over"}
        assert serve_good(server) == [Outcome.EMPTY]


class TestInvalidAnswer:
    @BUT_TEST
    def test_it_asks_again_five_times_in_all_and_then_stores_what_is_valid(self, server, mode):
        make_mode_queue(server, mode, number=1)
        with serve_behaviour(MIXED) as url:
            for tries, wait in enumerate(WAITS):
                set_first_call_tries(tries)
                assert serve(server, url) == [Outcome.INVALID]
                assert (get_first_call().state, get_first_call().tries) == (CallState.WAITING, tries + 1)
                assert wait - 1 <= compute_waited_seconds() <= wait * 1.2 + 1
                assert not Result.objects.exists()
            set_first_call_tries(4)
            serve(server, url)
        assert (get_first_call().state, get_first_call().tries) == (CallState.ANSWERED, 5)
        assert list(Annotation.objects.values_list("text", flat=True)) == ["CDH"]
        assert [rule["code"] for rule in Attempt.objects.order_by("pk").last().broken_rules] == ["R101"]

    @BUT_TEST
    def test_it_stores_nothing_when_the_fifth_answer_cannot_be_read(self, server, mode):
        make_mode_queue(server, mode, number=1)
        with serve_behaviour(MIXED) as url:
            serve(server, url)
        set_first_call_tries(4)
        with serve_behaviour(fakeserver.not_xml) as url:
            serve(server, url)
        assert list_call_states() == [CallState.FAILED]
        assert not Result.objects.exists()

    @BUT_TEST
    def test_it_stores_nothing_when_the_fifth_answer_is_of_another_article(self, server, mode):
        make_mode_queue(server, mode, number=1)
        set_first_call_tries(4)
        with serve_behaviour(fakeserver.other_article_json) as url:
            assert serve(server, url, protocol="rest") == [Outcome.INVALID]
        assert (list_call_states(), Attempt.objects.get().diagnosis) == ([CallState.FAILED], "wrong-article")
        assert not Result.objects.exists()

    @BUT_TEST
    def test_it_lets_a_failed_article_be_loaded_again(self, server, mode):
        queue = make_mode_queue(server, mode, number=1)
        set_first_call_tries(4)
        with serve_behaviour(fakeserver.not_xml) as url:
            serve(server, url)
        assert actions.retry_failed_articles_or_raise(queue) == "1 article will be sent again."
        assert serve_good(server) == [Outcome.EMPTY]

    def test_it_never_asks_again_in_a_test(self, server):
        make_mode_queue(server, TEST)
        with serve_behaviour(MIXED) as url:
            assert serve(server, url) == [Outcome.INVALID, Outcome.INVALID]
            assert serve(server, url) == []
        assert list_call_states() == [CallState.ANSWERED, CallState.ANSWERED]
        assert list(Annotation.objects.values_list("text", flat=True)) == ["CDH", "CDH"]
        assert [rule["code"] for rule in Attempt.objects.first().broken_rules] == ["R101"]
        assert Queue.objects.get().state == QueueState.DONE

    def test_it_takes_an_answer_of_another_article_for_an_empty_one_in_a_test(self, server):
        make_mode_queue(server, TEST)
        with serve_behaviour(fakeserver.other_article_json) as url:
            assert serve(server, url, protocol="rest") == [Outcome.INVALID, Outcome.INVALID]
        assert list_call_states() == [CallState.EMPTY, CallState.EMPTY]
        assert set(Result.objects.values_list("empty_reason", flat=True)) == {"wrong-article"}


class TestNoAnswerInTime:
    @BUT_TEST
    def test_it_is_an_error_like_any_other(self, server, mode):
        make_mode_queue(server, mode, number=1)
        with serve_behaviour(fakeserver.silence) as url:
            assert serve(server, url, time_limit=1) == [Outcome.NO_ANSWER]
            assert (get_first_call().state, get_first_call().tries) == (CallState.WAITING, 1)
            assert 4 <= compute_waited_seconds() <= 7
            set_first_call_tries(4)
            serve(server, url)
        assert list_call_states() == [CallState.FAILED]
        assert not Result.objects.exists()

    def test_it_is_an_empty_result_in_a_test_and_the_next_article_is_asked(self, server):
        make_mode_queue(server, TEST)
        with serve_behaviour(fakeserver.silence) as url:
            assert serve(server, url, time_limit=1) == [Outcome.NO_ANSWER, Outcome.NO_ANSWER]
        assert list_call_states() == [CallState.EMPTY, CallState.EMPTY]
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
        contents.enqueue_articles_without_open_or_test_call(
            contents.get_or_create_queue_and_producer(server, mode, "phase"), [letters.pk]
        )
        # The best is the last that is said.
        ranked = [(f"P{number:05}", 260 - number) for number in range(260)]
        said = fakeserver.say(
            mentions=[{"offset": at, "mention": "x"} for at in range(260)],
            normalizations=[{"dbname": "UniProt", "dbid": name, "rank": rank} for name, rank in ranked],
            pairs=[{"dbname": "UniProt", "a": name, "b": "P12830", "rank": rank} for name, rank in ranked],
            taxons=[{"taxid": number} for number in range(1, 261)],
        )
        with serve_behaviour(said) as url:
            serve(server, url, kinds=["mention", "normalization", "pair", "taxon"])
        rows = Annotation.objects.values_list("result__kind", "rank")
        ranks = {kind: sorted(rank or 0 for of, rank in rows if of == kind) for kind in Kind}
        assert ranks[Kind.NORMALIZATION] == ranks[Kind.PAIR] == list(range(1, kept + 1))
        assert (len(ranks[Kind.MENTION]), len(ranks[Kind.TAXON])) == (260, 260)


def train(runs):
    for pmid in (101, 102, 103, 104):
        for run in runs:
            answer(run, pmid, relevant(True) if run.task.name == "ACT" else species("9606"))


class TestScoresShown:
    def names(self, user, phase):
        act = phase.challenge.tasks.get(name="ACT")
        return [row.name for row in build_board_visible_to_user(act, phase, user).rows]

    def test_it_shows_no_scores_of_what_is_live(self, server):
        make_mode_queue(server, LIVE)
        assert not Run.objects.exists()

    def test_it_shows_the_team_those_of_the_training_at_any_time(self, reader, training, alice, carol):
        train(enter_eligible_server_and_enqueue_articles(reader, training, alice))
        assert self.names(alice, training) == ["Reader"]
        assert self.names(carol, training) == self.names(AnonymousUser(), training) == []

    def test_it_shows_those_of_a_test_when_the_organizer_publishes(self, reader, training, testing, alice, olga):
        train(enter_eligible_server_and_enqueue_articles(reader, training, alice))
        enter_eligible_server_and_enqueue_articles(reader, testing, alice)
        assert (self.names(alice, testing), list(list_visible_board_runs(alice, testing))) == ([], [])
        assert self.names(olga, testing) == ["Reader"]
        end(testing)
        publish_phase_or_request_if_sealed(testing)
        assert self.names(alice, testing) == self.names(AnonymousUser(), testing) == ["Reader"]


class TestWhoMayEnter:
    def test_it_lets_a_server_of_a_team_into_the_training(self, reader, training, alice, carol):
        with pytest.raises(ChallengeError, match="Only members of Team Alpha can enter Reader"):
            enter_eligible_server_and_enqueue_articles(reader, training, carol)
        assert enter_eligible_server_and_enqueue_articles(reader, training, alice)

    def test_it_lets_only_who_finished_the_whole_training_into_the_test(self, reader, training, testing, alice):
        with pytest.raises(ChallengeError, match="Reader"):
            enter_eligible_server_and_enqueue_articles(reader, testing, alice)
        act, tx = enter_eligible_server_and_enqueue_articles(reader, training, alice)
        for unfinished in (act, tx):
            with pytest.raises(ChallengeError, match="Reader has answered 0 of the 4 training articles"):
                enter_eligible_server_and_enqueue_articles(reader, testing, alice)
            train([unfinished])
        assert [run.phase.sort for run in enter_eligible_server_and_enqueue_articles(reader, testing, alice)] == [
            "test",
            "test",
        ]
