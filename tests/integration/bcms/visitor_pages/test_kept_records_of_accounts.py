"""Accounts get kept records as well: those of visitors if they see no more, else their own, which nobody else gets."""

import pytest
from django.db.models import F
from django.test import Client

from annotations.results.models import Producer, Result
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from bcms.article_page.records import kept_records
from evaluation.challenges.models import Challenge
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.runs.models import Run
from servers.registry.models import Server
from servers.review.decisions import apply_review_decision
from servers.review.states import ReviewState
from servers.teams.models import Membership
from tests.integration.article_cast import gene, make_article_of_three_servers
from tests.integration.bcms.visitor_pages.test_kept_pages import CHANGES
from tests.integration.bcms.visitor_pages.test_kept_records import choose
from tests.integration.curation_cast import begin
from tests.integration.evaluation_cast import make_challenge, make_corpus, make_server
from tests.integration.published_cast import publish_interaction

pytestmark = pytest.mark.django_db

TRAINED = "Trainee (training)"
DECLINED = "Gamma (declined)"
# The other team is there already.
SEEN_CHANGES = {name: change for name, change in CHANGES.items() if name != "another team"}
SEEN = {"alice": {TRAINED, DECLINED}, "olga": {TRAINED}, "staff": {TRAINED, DECLINED}, "carol": set(), "": set()}


@pytest.fixture
def article(team, alice, olga, carol, django_user_model):
    """What Gamma says of it is the team's alone, what Trainee says the organizer's, too."""
    article = make_article_of_three_servers(team)
    apply_review_decision(Server.objects.get(slug="gamma"), ReviewState.DECLINED, "No.")
    phase = make_challenge(olga, make_corpus()).phases.get()
    run = enter_eligible_server_and_enqueue_articles(make_server(team, "trainee"), phase, alice)[0]
    store_results_superseding_earlier(article, run.producer, {Kind.NORMALIZATION: [gene("P35222", 0.3)]})
    django_user_model.objects.create_user("staff", "staff@example.org", "a-long-password", is_staff=True)
    return article


@pytest.fixture
def clients(article, django_user_model):
    """By the name of who has logged in, "" for a visitor."""
    clients = {name: Client() for name in SEEN}
    for user in django_user_model.objects.all():
        clients[user.username].force_login(user)
    return clients


def find_seen(content):
    return {label for label in (TRAINED, DECLINED) if label in content}


@pytest.mark.parametrize("first", SEEN)
def test_everybody_sees_what_their_roles_grant_whoever_came_before(clients, first):
    choose(clients[first])
    contents = {name: choose(client)[0][1] for name, client in clients.items()}
    assert {name: find_seen(content) for name, content in contents.items()} == SEEN
    assert {name: choose(client) for name, client in clients.items()} == {
        name: ((200, content), False) for name, content in contents.items()
    }
    for name, client in clients.items():
        kept_records.forget_records()
        assert choose(client) == ((200, contents[name]), True)


def test_accounts_that_see_no_more_than_visitors_share_their_records(clients):
    assert choose(clients[""])[1] and not choose(clients["carol"])[1]
    kept_records.forget_records()
    assert choose(clients["carol"])[1] and not choose(clients[""])[1]


def test_those_who_see_more_share_no_records(clients, carol, alice):
    Membership.objects.create(team=alice.membership_set.get().team, user=carol)
    assert all(choose(clients[name])[1] for name in ("alice", "carol", "olga", "staff", ""))


def test_a_choice_has_few_queries(clients, django_assert_max_num_queries):
    for client in clients.values():
        choose(client)
        with django_assert_max_num_queries(11):
            choose(client)


@pytest.mark.parametrize("name", [name for name in SEEN if name])
@pytest.mark.parametrize("change", SEEN_CHANGES.values(), ids=SEEN_CHANGES)
def test_they_are_kept_until_something_changes(article, clients, name, change):
    check_change_is_seen(article, clients[name], change)


def check_change_is_seen(article, client, change):
    choose(client)
    assert not choose(client)[1]
    change(article)
    changed, is_read = choose(client)
    kept_records.forget_records()
    assert choose(client)[0] == changed
    return changed[1], is_read


def get_hidden_producer():
    return Producer.objects.get(queue__server__slug="gamma")


HIDDEN_CHANGES = {
    "an answer": lambda article: store_results_superseding_earlier(
        article, get_hidden_producer(), {Kind.NORMALIZATION: [gene("P09803")]}
    ),
    "an answer that is gone": lambda article: Result.objects.filter(producer=get_hidden_producer()).delete(),
    "an older text": lambda article: Result.objects.filter(producer=get_hidden_producer()).update(text_version=9),
    "an entry or a calibration": lambda article: Producer.objects.filter(pk=get_hidden_producer().pk).update(
        renewed=F("renewed") + 1
    ),
    "a run": lambda article: Run.objects.filter(producer__queue__server__slug="trainee").update(
        withdrawn="2020-01-01T00:00Z"
    ),
}


@pytest.mark.parametrize("name", ["alice", "staff"])
@pytest.mark.parametrize("change", HIDDEN_CHANGES.values(), ids=HIDDEN_CHANGES)
def test_what_visitors_do_not_see_changes_the_records_of_those_who_do(article, clients, name, change):
    before = choose(clients[""])[0]
    _, is_read = check_change_is_seen(article, clients[name], change)
    assert is_read
    assert choose(clients[""])[0] == before


def test_the_end_of_a_role_hides_and_its_beginning_shows_at_once(
    article, clients, olga, carol, alice, django_user_model
):
    challenge = Challenge.objects.get()
    for name, change, seen in (
        ("olga", lambda _: challenge.organizers.remove(olga), set()),
        ("carol", lambda _: challenge.organizers.add(carol), {TRAINED}),
        ("carol", lambda _: challenge.organizers.clear(), set()),
        ("alice", lambda _: Membership.objects.filter(user=alice).delete(), set()),
        (
            "carol",
            lambda _: Membership.objects.create(user=carol, team=Server.objects.get(slug="gamma").team),
            SEEN["alice"],
        ),
        ("staff", lambda _: django_user_model.objects.filter(username="staff").update(is_staff=False), set()),
    ):
        assert find_seen(check_change_is_seen(article, clients[name], change)[0]) == seen


def test_a_role_that_begins_while_records_are_read_leaves_nothing_behind(clients, carol, alice, monkeypatch):
    """Visitors share the records of carol, and alice has her own: both are organizers only while these are read."""
    challenge, load = Challenge.objects.get(), kept_records.load_article_records

    def load_as_organizer(*args, **options):
        challenge.organizers.add(carol, alice)
        return load(*args, **options)

    monkeypatch.setattr(kept_records, "load_article_records", load_as_organizer)
    for name in ("carol", "alice"):
        choose(clients[name])
        challenge.organizers.remove(carol, alice)
    monkeypatch.undo()
    assert find_seen(choose(clients[""])[0][1]) == set()
    assert choose(clients["alice"])[1]


def test_each_sees_their_own_curations_at_once(article, clients, carol, alice):
    assert "Go on curating" not in choose(clients["carol"])[0][1]
    begin(carol, article)
    contents = {name: choose(clients[name])[0][1] for name in ("carol", "alice", "")}
    assert {name: "Go on curating" in content for name, content in contents.items()} == {
        "carol": True,
        "alice": False,
        "": False,
    }
    publish_interaction(alice, article)
    contents = {name: choose(clients[name])[0][1] for name in ("", "carol", "alice", "staff", "")}
    assert all("physically interacts" in content for content in contents.values())
    assert {name for name, content in contents.items() if "Withdraw the digital abstract" in content} == {
        "alice",
        "staff",
    }
