"""Phases by their dates and by the organizers: begun, ended, frozen, moved, articles left out, teams reminded."""

from datetime import timedelta

import pytest
from django.utils import timezone

from evaluation import tasks
from evaluation.challenges.articles import list_unexcluded_article_names
from evaluation.challenges.models import Phase, PhaseEvent
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.phases import lifecycle, reminders
from evaluation.challenges.phases.scored_articles import (
    exclude_article_and_request_rescoring,
    get_phase_article,
    include_article_and_request_rescoring,
    mark_phase_scores_stale,
)
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.errors import ChallengeError
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.runs.uploads.eligibility import check_may_upload_run
from evaluation.scoring.models import Score
from evaluation.scoring.run_scores import compute_and_store_run_scores
from evaluation.scoring.stale_scores import list_runs_due_for_scoring
from evaluation.visibility import ANONYMOUS_READER
from servers.calls.claim import claim_next_call_within_rate_limit
from servers.calls.claim import get_server_with_queues as server_of_slice
from servers.calls.leases import lease
from servers.calls.models import Queue
from servers.calls.queues import contents
from servers.calls.queues.wake_ups import list_unleased_servers_with_work
from servers.calls.states import QueueMode
from servers.registry.models import Server
from tests.integration.evaluation_cast import ACT_GOLD, answer, make_corpus, make_server, relevant

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


@pytest.fixture
def entered(reader, phase, alice):
    """Online, with four training articles waiting."""
    runs = enter_eligible_server_and_enqueue_articles(reader, phase, alice)
    Server.objects.filter(pk=reader.pk).update(state="online")
    return runs


def set_dates(phase, **dates):
    Phase.objects.filter(pk=phase.pk).update(**dates)
    phase.refresh_from_db()


def list_phase_events(phase):
    return [event.what for event in phase.events.order_by("pk")]


def is_asked(server):
    """Whether the loop would ask the server now."""
    token = lease.acquire_free_lease_of_working_server(server.pk)
    try:
        return claim_next_call_within_rate_limit(server_of_slice(server.pk), token) is not None
    finally:
        lease.release_lease(token)


def test_it_begins_and_ends_by_its_dates_once(phase, entered):
    now = timezone.now()
    set_dates(phase, opens=now - HOUR, closes=now + HOUR)
    assert [
        lifecycle.begin_end_phases_and_publish_due_runs(now),
        lifecycle.begin_end_phases_and_publish_due_runs(now),
    ] == [
        1,
        0,
    ]
    assert [
        lifecycle.begin_end_phases_and_publish_due_runs(now + 2 * HOUR),
        lifecycle.begin_end_phases_and_publish_due_runs(now + 2 * HOUR),
    ] == [
        1,
        0,
    ]
    assert list_phase_events(phase) == ["begun", "ended"]


def test_it_makes_up_for_a_date_that_was_slept_over(phase):
    now = timezone.now()
    set_dates(phase, opens=now - 3 * HOUR, closes=now - HOUR)
    assert lifecycle.begin_end_phases_and_publish_due_runs(now) == 2
    assert list_phase_events(phase) == ["begun", "ended"]


def test_it_asks_nobody_after_its_end(phase, entered, reader):
    assert list_unleased_servers_with_work().filter(pk=reader.pk).exists()
    set_dates(phase, opens=timezone.now() - 2 * HOUR, closes=timezone.now() - HOUR)
    tasks.begin_or_end_phases_and_remind()
    assert not list_unleased_servers_with_work().filter(pk=reader.pk).exists()
    assert not is_asked(reader)


def test_it_lets_nothing_in_while_it_is_frozen(phase, entered, reader, alice, olga, team):
    assert lifecycle.freeze_phase_and_hold_queues(phase, olga, "The gold standard is looked at again.")
    assert not lifecycle.freeze_phase_and_hold_queues(phase, olga, "Twice.")
    phase.refresh_from_db()
    with pytest.raises(ChallengeError, match="have frozen the training phase; the page of the challenge says why"):
        enter_eligible_server_and_enqueue_articles(make_server(team, "second"), phase, alice)
    assert not is_asked(reader)
    assert lifecycle.unfreeze_phase_and_update_queues(phase, olga)
    assert not lifecycle.unfreeze_phase_and_update_queues(phase, olga)
    assert is_asked(reader)
    assert list_phase_events(phase) == ["frozen", "thawed"]


def test_it_goes_on_when_its_end_is_moved(phase, entered, reader, olga):
    now = timezone.now()
    set_dates(phase, opens=now - 3 * HOUR, closes=now - HOUR, reminded=now)
    tasks.begin_or_end_phases_and_remind()
    lifecycle.change_end_of_unpublished_phase(phase, now + HOUR, olga, "The network was down.")
    phase.refresh_from_db()
    assert (phase.ended, phase.reminded) == (None, None)
    assert is_asked(reader)
    moved = phase.events.get(what="moved")
    assert moved.reason == "The network was down."
    assert moved.words.startswith("from ")
    assert " UTC to " in moved.words


def test_it_begins_and_ends_at_once_when_an_organizer_says_so(phase, entered, reader, olga):
    now = timezone.now()
    set_dates(phase, opens=now + HOUR, closes=now + 2 * HOUR)
    assert lifecycle.begin_unpublished_phase_early(phase, olga, "All is ready.")
    assert not lifecycle.begin_unpublished_phase_early(phase, olga, "Twice.")
    assert lifecycle.end_begun_phase_early(phase, olga, "All are done.")
    assert not lifecycle.end_begun_phase_early(phase, olga, "Twice.")
    assert not is_asked(reader)
    assert lifecycle.begin_end_phases_and_publish_due_runs(timezone.now()) == 0
    assert [(event.what, event.reason, event.by) for event in phase.events.order_by("pk")] == [
        ("begun", "All is ready.", olga),
        ("ended", "All are done.", olga),
    ]
    lifecycle.change_end_of_unpublished_phase(phase, now + HOUR, olga, "It goes on.")
    assert is_asked(reader)


def test_it_ends_at_once_what_opened_a_moment_ago(phase, olga):
    assert lifecycle.end_begun_phase_early(phase, olga, "It was a slip.")
    assert lifecycle.begin_end_phases_and_publish_due_runs(timezone.now()) == 0
    assert list_phase_events(phase) == ["begun", "ended"]


@pytest.mark.parametrize("change", [lifecycle.begin_unpublished_phase_early, lifecycle.end_begun_phase_early])
def test_it_begins_and_ends_nothing_that_is_published(phase, olga, change):
    publish_phase_or_request_if_sealed(phase)
    with pytest.raises(ChallengeError, match="The training phase is published, so nobody can"):
        change(phase, olga, "Because.")


@pytest.mark.parametrize(("hours", "said"), [(-1, "new end is in the past"), (None, "already has this end")])
def test_it_refuses_an_end_that_is_none(phase, olga, hours, said):
    closes = timezone.now() + hours * HOUR if hours else None
    with pytest.raises(ChallengeError, match=said):
        lifecycle.change_end_of_unpublished_phase(phase, closes, olga, "Because.")


def test_it_does_not_move_the_end_of_a_published_phase(phase, olga):
    publish_phase_or_request_if_sealed(phase)
    with pytest.raises(ChallengeError, match="is published, so nobody can change its end"):
        lifecycle.change_end_of_unpublished_phase(phase, timezone.now() + HOUR, olga, "Because.")


def test_it_lets_nothing_into_a_test_whose_gold_standard_is_public(phase, reader, team, alice, olga):
    set_dates(phase, sort="test")
    phase.golds.filter(task__name="TX").update(published=timezone.now())
    said = "The gold standard of TX in the test phase is published, so nobody can"
    with pytest.raises(ChallengeError, match=f"{said} enter any more"):
        enter_eligible_server_and_enqueue_articles(reader, phase, alice)
    with pytest.raises(ChallengeError, match=f"{said} upload runs of it any more"):
        check_may_upload_run(team, phase.challenge.tasks.get(name="TX"), phase, alice)
    with pytest.raises(ChallengeError, match=f"{said} change its end any more"):
        lifecycle.change_end_of_unpublished_phase(phase, timezone.now() + HOUR, olga, "Because.")
    check_may_upload_run(team, phase.challenge.tasks.get(name="ACT"), phase, alice)


def test_it_holds_the_live_queues_of_its_servers_until_it_is_published(phase, entered, reader, olga):
    contents.enqueue_articles_without_open_or_test_call(
        contents.get_or_create_queue_and_producer(reader, QueueMode.LIVE), [phase.corpus.articles.first().pk]
    )
    set_dates(phase, closes=timezone.now() + HOUR, opens=timezone.now() - HOUR, closes_live=True)
    tasks.begin_or_end_phases_and_remind()
    live = Queue.objects.get(server=reader, mode="live")
    assert not live.held
    set_dates(phase, closes=timezone.now() - timedelta(seconds=1))
    tasks.begin_or_end_phases_and_remind()
    live.refresh_from_db()
    assert live.held
    assert (
        contents.enqueue_or_prioritize_missing_nonblind_live_calls(phase.corpus.articles.last(), ANONYMOUS_READER) == 0
    )
    publish_phase_or_request_if_sealed(phase)
    live.refresh_from_db()
    assert not live.held


def test_it_scores_without_an_excluded_article_and_with_it_again(phase, entered, olga):
    run = entered[0]
    for pmid, letter in zip((101, 102, 103, 104), "TTTF", strict=True):
        answer(run, pmid, relevant(letter == "T"))
    compute_and_store_run_scores(run)
    assert run not in list_runs_due_for_scoring()
    article = get_phase_article(phase, "103")
    assert exclude_article_and_request_rescoring(phase, article, olga, "It is retracted.")
    assert not exclude_article_and_request_rescoring(phase, article, olga, "Twice.")
    phase.refresh_from_db()
    assert article.pk not in list_unexcluded_article_names(phase)
    (stale,) = [each for each in list_runs_due_for_scoring() if each.pk == run.pk]
    compute_and_store_run_scores(stale)
    newest = Score.objects.filter(run=run, superseded__isnull=True, scenario="all").get()
    assert (newest.articles, newest.figures["mcc"]) == (3, 1.0)
    assert include_article_and_request_rescoring(phase, article, olga)
    assert not include_article_and_request_rescoring(phase, article, olga)
    assert list_phase_events(phase) == ["excluded", "included"]


def test_it_names_articles_by_any_name_and_says_so_when_there_is_none(phase):
    article = phase.corpus.articles.get(pmid=101)
    for name in ("101", "PMID 101", "10.1000/101", article.opaque):
        assert get_phase_article(phase, name) == article
    for name in ("", "999", "٣"):
        with pytest.raises(ChallengeError, match="Four has no article"):
            get_phase_article(phase, name)


def test_it_has_all_runs_scored_again_when_an_organizer_asks(phase, entered, olga):
    run = entered[0]
    answer(run, 101, relevant(True))
    compute_and_store_run_scores(run)
    assert run not in list_runs_due_for_scoring()
    mark_phase_scores_stale(phase, olga)
    assert run in list_runs_due_for_scoring()


def test_it_tells_everybody_that_a_gold_standard_took_the_place_of_another(client, phase):
    task = phase.challenge.tasks.get(name="ACT")
    for content in (ACT_GOLD, ACT_GOLD.replace(b"101\t1", b"101\t0")):
        store_gold_sealed_or_open(task, phase, content, "act.tsv")
    (event,) = PhaseEvent.objects.filter(phase=phase)
    assert (event.what, event.words) == ("rescored", "with a new gold standard of ACT")
    assert "Scored again with a new gold standard of ACT" in client.get("/challenges/example/").content.decode()


def test_it_reminds_each_member_of_each_team_once_a_day_before_the_end(phase, entered, alice, mailoutbox):
    now = timezone.now()
    set_dates(phase, opens=now - HOUR, closes=now + timedelta(hours=30))
    assert reminders.mail_teams_once_before_phase_ends(now) == 0
    later = now + timedelta(hours=10)
    assert [reminders.mail_teams_once_before_phase_ends(later), reminders.mail_teams_once_before_phase_ends(later)] == [
        1,
        0,
    ]
    (mail,) = mailoutbox
    assert mail.to == [alice.email]
    assert mail.subject.startswith("[BCMS] Example challenge: the training phase ends on ")
    assert "ACT: Reader - 4 articles not answered yet" in mail.body
    assert "/challenges/example/" in mail.body


def test_it_reminds_of_the_end_of_a_short_phase_when_a_quarter_of_it_is_over(phase, reader, alice, mailoutbox):
    opens = timezone.now() - HOUR
    set_dates(phase, opens=opens, closes=opens + 8 * HOUR)
    assert reminders.mail_teams_once_before_phase_ends(opens + HOUR) == 0
    enter_eligible_server_and_enqueue_articles(reader, phase, alice)
    assert [reminders.mail_teams_once_before_phase_ends(opens + hours * HOUR) for hours in (2, 3)] == [1, 0]
    assert mailoutbox[0].to == [alice.email]


def test_it_reminds_nobody_of_an_end_that_is_over_or_of_a_frozen_phase(phase, entered, olga):
    now = timezone.now()
    set_dates(phase, opens=now - 2 * HOUR, closes=now - HOUR)
    assert reminders.mail_teams_once_before_phase_ends(now) == 0
    set_dates(phase, closes=now + HOUR, frozen=now)
    assert reminders.mail_teams_once_before_phase_ends(now) == 0


def test_it_gives_its_rules_to_the_queues_of_its_servers(phase, reader, alice):
    Phase.objects.filter(pk=phase.pk).update(minutes=2, tries=3)
    phase.refresh_from_db()
    queue = enter_eligible_server_and_enqueue_articles(reader, phase, alice)[0].producer.queue
    queue.refresh_from_db()
    assert (queue.minutes, queue.tries) == (2, 3)


def test_it_has_a_queue_of_its_own_in_development(phase, reader, alice):
    development = creation.create_phase_claiming_blind_corpus(
        phase.challenge, "development", make_corpus("dev", pmids=(301, 302))
    )
    training = enter_eligible_server_and_enqueue_articles(reader, phase, alice)[0].producer.queue
    queue = enter_eligible_server_and_enqueue_articles(reader, development, alice)[0].producer.queue
    assert training != queue
    assert (queue.mode, queue.name, queue.calls.count()) == ("training", "example-development", 2)


def test_it_tells_on_the_page_what_the_organizers_did_and_why(client, phase, olga):
    exclude_article_and_request_rescoring(phase, get_phase_article(phase, "103"), olga, "It is retracted.")
    lifecycle.freeze_phase_and_hold_queues(phase, olga, "The network is down.")
    page = client.get("/challenges/example/").content.decode()
    for words in ("Article excluded PMID 103: It is retracted.", "Frozen: The network is down.", "(1 excluded)"):
        assert words in page
    assert PhaseEvent.objects.count() == 2


@pytest.mark.parametrize("year", [26, 9999])
def test_a_year_that_can_only_be_a_slip_is_refused(organizer, phase, olga, year):
    slip = timezone.now().replace(year=year, day=1)
    corpus = make_corpus("test", pmids=(301, 302))
    for dates in ({"opens": slip}, {"closes": slip}):
        with pytest.raises(ChallengeError, match=f"The year {year} is not from 1990 to 2199"):
            creation.create_phase_claiming_blind_corpus(phase.challenge, "test", corpus, **dates)
    with pytest.raises(ChallengeError, match=f"The year {year}"):
        lifecycle.change_end_of_unpublished_phase(phase, slip, olga, "Later.")
    set_dates(phase, opens=timezone.now() + HOUR)
    fields = {"online_runs": 2, "offline_runs": 3, "minutes": 4, "tries": 1, "opens": f"{year:04}-01-01T00:00"}
    refused = organizer.post("/challenges/example/phases/training/rules/", fields)
    assert refused.status_code == 422
    assert f"The year {year} is not from" in " ".join(refused.context["form"].errors["opens"])
