"""The leaderboard: who sees which runs, in which order, with which ranks."""

import pytest
from django.contrib.auth.models import AnonymousUser

from evaluation import challenges
from evaluation.leaderboard import board
from evaluation.models import Run
from evaluation.scoring import score_run
from servers.models import Membership, Team
from tests.integration.evaluation_cast import answer, make_challenge, make_corpus, make_server, relevant

pytestmark = pytest.mark.django_db

NOBODY = AnonymousUser()


@pytest.fixture
def bob(django_user_model):
    """Of another team."""
    return django_user_model.objects.create_user("bob", "bob@example.org", "a-long-password")


@pytest.fixture
def others(bob):
    team = Team.objects.create(name="Team Beta", slug="team-beta")
    Membership.objects.create(team=team, user=bob, role="member")
    return team


@pytest.fixture
def phase(olga):
    return make_challenge(olga, make_corpus()).phases.get()


@pytest.fixture
def act(phase):
    return phase.challenge.tasks.get(name="ACT")


def enter(team, slug, phase, said=(), duration=None):
    """A run that says of 101, 102, ... what `said` says: T relevant, F not."""
    run = challenges.enter(make_server(team, slug), phase)[0]
    for pmid, letter in zip((101, 102, 103, 104), said, strict=False):
        answer(run, pmid, relevant(letter == "T"), duration=duration)
    if said:
        score_run(run)
    return run


def listed(rows):
    return [(row.rank, row.name, row.primary.shown) for row in rows]


def test_it_orders_runs_by_the_primary_measure(team, others, phase, act, olga):
    enter(team, "half", phase, "TFTF")
    enter(others, "right", phase, "TTFF")
    enter(team, "wrong", phase, "FFTT")
    assert listed(board(act, phase, olga).rows) == [
        ("1", "Right", "1.0000"),
        ("2", "Half", "0.0000"),
        ("3", "Wrong", "-1.0000"),
    ]


def test_it_lets_equal_figures_share_their_ranks(team, phase, act, olga):
    enter(team, "b", phase, "TFTF")
    enter(team, "a", phase, "FTFT")
    enter(team, "best", phase, "TTFF")
    enter(team, "last", phase, "FFTT")
    assert [row.rank for row in board(act, phase, olga).rows] == ["1", "2-3", "2-3", "4"]
    assert [row.name for row in board(act, phase, olga).rows][1:3] == ["A", "B"]


def test_it_never_ranks_a_run_without_a_score_and_puts_it_last(team, phase, act, olga):
    enter(team, "silent", phase)
    enter(team, "wrong", phase, "FFTT")
    rows = board(act, phase, olga).rows
    assert listed(rows) == [("1", "Wrong", "-1.0000"), ("-", "Silent", "-")]
    assert not rows[1].scored


def test_it_shows_a_baseline_in_its_place_without_a_rank(team, phase, act, olga):
    enter(team, "best", phase, "TTFF")
    Run.objects.filter(pk=enter(team, "words", phase, "TFTF").pk).update(sort="baseline")
    enter(team, "wrong", phase, "FFTT")
    assert listed(board(act, phase, olga).rows) == [
        ("1", "Best", "1.0000"),
        ("-", "Words", "0.0000"),
        ("2", "Wrong", "-1.0000"),
    ]


def test_it_says_how_many_articles_were_answered_and_how_fast(team, phase, act, olga):
    enter(team, "half", phase, "TT", duration=3.0)
    (row,) = board(act, phase, olga).rows
    assert (row.answered, row.articles, row.seconds) == (2, 4, 3.0)
    assert (row.team, row.team_slug, row.server_slug, row.sort) == ("Team Alpha", "team-alpha", "half", "online")
    assert row.signature.startswith("act|training|")


def test_it_puts_the_primary_measure_first_and_names_every_column(phase, act, olga):
    act.primary = "auc_pr"
    columns = board(act, phase, olga).columns
    assert [column.label for column in columns][:3] == ["AUC PR", "MCC", "Sensitivity"]
    assert len(columns) == 9


def who_sees(phase, act, *users):
    return [[row.name for row in board(act, phase, user).rows] for user in users]


def test_it_shows_each_team_its_own_training_runs_until_they_are_published(
    team, others, phase, act, alice, bob, carol, olga
):
    enter(team, "alphas", phase, "TTFF")
    enter(others, "betas", phase, "TFTF")
    everybody = (NOBODY, carol, alice, bob, olga)
    assert who_sees(phase, act, *everybody) == [[], [], ["Alphas"], ["Betas"], ["Alphas", "Betas"]]
    challenges.publish(phase)
    assert who_sees(phase, act, *everybody) == [["Alphas", "Betas"]] * 5


def test_it_shows_staff_everything(team, phase, act, carol):
    enter(team, "alphas", phase, "TTFF")
    carol.is_staff = True
    assert who_sees(phase, act, carol) == [["Alphas"]]


def test_it_changes_its_version_with_what_it_shows(team, phase, act, olga):
    versions = [board(act, phase, olga).version]
    run = enter(team, "alphas", phase)
    versions.append(board(act, phase, olga).version)
    answer(run, 101, relevant(True))
    score_run(run)
    versions.append(board(act, phase, olga).version)
    score_run(run)
    versions.append(board(act, phase, olga).version)
    challenges.publish(phase)
    versions.append(board(act, phase, olga).version)
    assert len(set(versions)) == 5
    assert board(act, phase, olga).version == versions[-1]


def test_it_needs_no_more_queries_for_more_runs(team, phase, act, olga, django_assert_num_queries):
    enter(team, "first", phase, "TTFF", duration=1.0)
    with django_assert_num_queries(3):
        board(act, phase, olga)
    for slug in ("second", "third", "fourth"):
        enter(team, slug, phase, "TFTF", duration=1.0)
    with django_assert_num_queries(3):
        board(act, phase, olga)
