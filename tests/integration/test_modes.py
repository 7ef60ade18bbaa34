"""The table of modes, cell by cell through the loop: what a server's answers lead to in LIVE, TRAINING and TEST."""

from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db.models.functions import Now

from annotations.kinds import Kind
from annotations.models import Annotation, Article, Result
from evaluation import challenges
from evaluation.errors import ChallengeError
from evaluation.leaderboard import board, runs_seen_by
from evaluation.models import Run
from servers import lifecycle, loop, queue_actions, queueing
from servers.models import Attempt, Call, Queue, Server
from servers.states import CallState, Outcome, QueueMode, QueueState, ServerState
from tests import fakeserver
from tests.fakeserver import FakeServer
from tests.integration.evaluation_cast import answer, make_challenge, make_corpus, make_server, relevant, species
from tests.integration.server_cast import articles

# Committed, as the heartbeat looks at the leases on a connection of its own.
pytestmark = pytest.mark.django_db(transaction=True)

LIVE, TRAINING, TEST = QueueMode.LIVE, QueueMode.TRAINING, QueueMode.TEST
BUT_TEST = pytest.mark.parametrize("mode", [LIVE, TRAINING])
EVERY = pytest.mark.parametrize("mode", [LIVE, TRAINING, TEST])
WAITS = (5, 25, 120, 600)

# One annotation of two breaks a rule.
MIXED = fakeserver.say(
    mentions=[{"offset": 0, "mention": "CDH1", "confidence": 1.5}, {"offset": 0, "mention": "CDH", "confidence": 0.5}]
)


@contextmanager
def refused():
    with fakeserver.dead() as url:
        yield url


@contextmanager
def saying(behave):
    with FakeServer(behave) as there:
        yield there.url


FAILURES = {
    "connection": refused,
    "communication": lambda: saying(fakeserver.fault),
}
FAILING = pytest.mark.parametrize("failure", FAILURES)


def queue_in(server, mode, number=2):
    """A queue with so many articles; their text is CDH1."""
    queue = queueing.queue_of(server, mode, "" if mode == LIVE else "phase")
    queueing.enqueue(queue, [article.pk for article in articles(50000001, number)])
    return queue


def serve(server, url, **limits):
    """One slice of the loop against whatever is at this URL; the outcomes of the tries in it."""
    before = Attempt.objects.count()
    Server.objects.filter(pk=server.pk).update(url=url, **limits)
    lifecycle.start(server)
    loop.serve(server.pk)
    return list(Attempt.objects.order_by("pk").values_list("outcome", flat=True)[before:])


def serve_good(server):
    with saying(fakeserver.say()) as url:
        return serve(server, url)


def first():
    return Call.objects.order_by("pk").first()


def tried_before(times):
    Call.objects.filter(pk=first().pk).update(tries=times, due=Now())


def states():
    return list(Call.objects.order_by("pk").values_list("state", flat=True))


def seconds_waited():
    return (first().due - Attempt.objects.order_by("pk").last().finished).total_seconds()


class TestArticlesLoadedAgain:
    @pytest.mark.parametrize(("mode", "loaded"), [(LIVE, 2), (TRAINING, 2), (TEST, 0)])
    def test_it_asks_again_but_in_a_test(self, server, mode, loaded):
        queue = queue_in(server, mode)
        serve_good(server)
        assert queueing.enqueue(queue, list(Article.objects.values_list("pk", flat=True))) == loaded
        assert len(serve_good(server)) == loaded

    @pytest.mark.parametrize("state", [CallState.WAITING, CallState.ANSWERED, CallState.FAILED])
    def test_it_takes_no_article_of_a_test_twice_whatever_became_of_it(self, server, state):
        queue = queue_in(server, TEST)
        Call.objects.update(state=state)
        assert queueing.enqueue(queue, list(Article.objects.values_list("pk", flat=True))) == 0

    @BUT_TEST
    def test_it_runs_all_again_at_a_word(self, server, mode):
        queue = queue_in(server, mode)
        serve_good(server)
        assert queue_actions.rerun(queue) == "2 articles will be asked again."

    def test_it_runs_no_test_again(self, server):
        queue = queue_in(server, TEST)
        serve_good(server)
        with pytest.raises(queue_actions.RefusedError, match="In a test no article is asked again"):
            queue_actions.rerun(queue)


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
                queue_actions.retry(queue)
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
        queue_actions.next_article(queue)
        assert states() == [CallState.EMPTY, CallState.WAITING]
        assert set(Result.objects.values_list("empty_reason", flat=True)) == {"passed-over"}
        assert serve_good(server) == [Outcome.EMPTY]


class TestRest:
    @BUT_TEST
    def test_it_lets_a_queue_rest_when_three_articles_running_do_not_reach_the_server(self, server, mode):
        queue_in(server, mode, number=5)
        with refused() as url:
            assert serve(server, url) == [Outcome.CONNECTION] * 3
            queue = Queue.objects.get()
            assert queue.state == QueueState.RESTING
            assert list(Call.objects.order_by("pk").values_list("tries", flat=True)) == [1, 1, 0, 0, 0]
            assert loop.serve(server.pk) == "idle"
            Queue.objects.update(rest_until=Now())
            loop.serve(server.pk)
        assert Attempt.objects.count() == 4
        assert Queue.objects.get().rest_until > queue.rest_until

    @BUT_TEST
    def test_it_is_back_by_itself_when_a_probe_succeeds(self, server, mode):
        queue_in(server, mode)
        lifecycle.start(server)
        Server.objects.update(misses=7, unreachable_since=Now())
        Queue.objects.update(state=QueueState.RESTING, rest_until=Now() - timedelta(seconds=1))
        with saying(fakeserver.say()) as url:
            Server.objects.update(url=url)
            loop.serve(server.pk)
        assert (Queue.objects.get().state, Server.objects.get().misses) == (QueueState.DONE, 0)

    def test_it_stops_a_test_instead(self, server):
        queue_in(server, TEST)
        lifecycle.start(server)
        Server.objects.update(misses=7)
        with refused() as url:
            Server.objects.update(url=url)
            loop.serve(server.pk)
        assert Queue.objects.get().state == QueueState.STOPPED


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
    def test_it_lets_a_failed_article_be_loaded_again(self, server, mode):
        queue = queue_in(server, mode, number=1)
        tried_before(4)
        with saying(fakeserver.not_xml) as url:
            serve(server, url)
        assert queue_actions.retry_failed(queue) == "1 article that failed will be asked again."
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
        queueing.enqueue(queueing.queue_of(server, mode, "phase"), [letters.pk])
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
    return challenges.add_phase(challenge, "test", make_corpus("blind", pmids=(201, 202), blind=True))


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
        return [row.name for row in board(act, phase, user).rows]

    def test_it_shows_no_scores_of_what_is_live(self, server):
        queue_in(server, LIVE)
        assert not Run.objects.exists()

    def test_it_shows_the_team_those_of_the_training_at_any_time(self, reader, training, alice, carol):
        train(challenges.enter(reader, training, alice))
        assert self.names(alice, training) == ["Reader"]
        assert self.names(carol, training) == self.names(AnonymousUser(), training) == []

    def test_it_shows_those_of_a_test_when_the_organizer_publishes(self, reader, training, testing, alice, olga):
        train(challenges.enter(reader, training, alice))
        challenges.enter(reader, testing, alice)
        assert (self.names(alice, testing), list(runs_seen_by(alice, testing))) == ([], [])
        assert self.names(olga, testing) == ["Reader"]
        challenges.publish(testing)
        assert self.names(alice, testing) == self.names(AnonymousUser(), testing) == ["Reader"]


class TestWhoMayEnter:
    def test_it_lets_a_server_of_a_team_into_the_training(self, reader, training, alice, carol):
        with pytest.raises(ChallengeError, match="Only members of Team Alpha may enter Reader"):
            challenges.enter(reader, training, carol)
        assert challenges.enter(reader, training, alice)

    def test_it_lets_only_who_finished_the_whole_training_into_the_test(self, reader, training, testing, alice):
        with pytest.raises(ChallengeError, match="Reader"):
            challenges.enter(reader, testing, alice)
        act, tx = challenges.enter(reader, training, alice)
        for unfinished in (act, tx):
            with pytest.raises(ChallengeError, match="Reader has answered 0 of the 4 training articles"):
                challenges.enter(reader, testing, alice)
            train([unfinished])
        assert [run.phase.sort for run in challenges.enter(reader, testing, alice)] == ["test", "test"]


class TestFail:
    @BUT_TEST
    def test_it_fails_after_twenty_articles_running_until_the_team_starts_it_again(self, server, mode):
        queue_in(server, mode, number=22)
        Call.objects.update(tries=4)
        with saying(fakeserver.fault) as url:
            assert len(serve(server, url)) == 20
        failed = Server.objects.get()
        assert (failed.state, states().count(CallState.FAILED)) == (ServerState.FAIL, 20)
        assert failed.state_reason == "20 articles in a row ended as failed"
        assert loop.serve(server.pk) == "busy"
        assert serve_good(server) == [Outcome.EMPTY, Outcome.EMPTY]
        assert (Server.objects.get().state, Server.objects.get().failures_running) == (ServerState.ONLINE, 0)

    @BUT_TEST
    def test_it_begins_to_count_anew_with_each_answer(self, server, mode):
        queue_in(server, mode, number=1)
        lifecycle.start(server)
        Server.objects.update(failures_running=19)
        with saying(fakeserver.say()) as url:
            Server.objects.update(url=url)
            loop.serve(server.pk)
        assert Server.objects.get().failures_running == 0

    @EVERY
    @pytest.mark.parametrize(("hours", "state"), [(23.9, ServerState.ONLINE), (24.1, ServerState.FAIL)])
    def test_it_fails_after_24_hours_out_of_reach_until_the_team_starts_it_again(self, server, mode, hours, state):
        queue_in(server, mode)
        lifecycle.start(server)
        Server.objects.update(unreachable_since=Now() - timedelta(hours=hours))
        with refused() as url:
            Server.objects.update(url=url)
            loop.serve(server.pk)
        assert Server.objects.get().state == state
        assert lifecycle.start(server) == (state == ServerState.FAIL)
        assert Server.objects.get().state == ServerState.ONLINE


class TestFaultsOfOurs:
    """No cell of the table: what we do wrong costs a team nothing, but is not repeated for ever either."""

    def break_down(self, monkeypatch):
        def broken(*_):
            raise ZeroDivisionError("a fault of ours")

        monkeypatch.setattr(loop, "judged", broken)

    @EVERY
    def test_it_waits_longer_each_time_and_charges_no_try(self, server, mode, monkeypatch, caplog):
        queue_in(server, mode, number=1)
        self.break_down(monkeypatch)
        with saying(fakeserver.say()) as url:
            for wait in WAITS:
                tried_before(0)
                assert serve(server, url) == [Outcome.OUR_FAULT]
                assert (first().state, first().tries) == (CallState.WAITING, 0)
                assert wait - 1 <= seconds_waited() <= wait * 1.2 + 1
        assert "a fault of the meta-server, not of yours" in first().reason
        assert [record.levelname for record in caplog.records].count("ERROR") == len(WAITS)
        assert "a fault of ours" in caplog.text

    @pytest.mark.parametrize(
        ("mode", "call", "queue"),
        [
            (LIVE, CallState.FAILED, QueueState.DONE),
            (TRAINING, CallState.FAILED, QueueState.DONE),
            (TEST, CallState.WAITING, QueueState.STOPPED),
        ],
    )
    def test_it_ends_after_the_fifth_and_blames_nobody(self, server, mode, call, queue, monkeypatch, caplog):
        queue_in(server, mode, number=1)
        self.break_down(monkeypatch)
        with saying(fakeserver.say()) as url:
            for _ in range(5):
                tried_before(0)
                serve(server, url)
        assert (first().state, first().tries, Queue.objects.get().state) == (call, 0, queue)
        assert (Server.objects.get().failures_running, Server.objects.get().misses) == (0, 0)
        assert f"call {first().pk} was never settled through faults of ours" in caplog.text
        assert not Result.objects.exists()
