"""The leaderboard: who sees which runs, in which order, with which ranks."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from evaluation import tasks
from evaluation.challenges.models import Phase
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.leaderboards.board import BoardSelection, build_board_visible_to_user
from evaluation.runs.models import Run
from evaluation.runs.names import build_run_naming
from evaluation.scoring.run_scores import compute_and_store_run_scores
from servers.teams.models import Membership, Team
from tests.integration.evaluation_cast import answer, make_server, relevant, species

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
def act(phase):
    return phase.challenge.tasks.get(name="ACT")


def enter(team, slug, phase, said=(), duration=None, confidence=0.5):
    """A run that says of 101, 102, ... what `said` says: T relevant, F not."""
    run = enter_eligible_server_and_enqueue_articles(make_server(team, slug), phase)[0]
    for pmid, letter in zip((101, 102, 103, 104), said, strict=False):
        answer(run, pmid, relevant(letter == "T", confidence), duration=duration)
    if said:
        compute_and_store_run_scores(run)
    return run


def list_ranked_rows(rows):
    return [(row.rank, row.name, row.primary.formatted) for row in rows]


def rank_and_build_board(task, phase, user, chosen=BoardSelection()):  # noqa: B008 - frozen
    """The board once all runs are compared."""
    tasks.rank_stale_boards_unless_busy()
    return build_board_visible_to_user(task, phase, user, chosen)


def test_it_orders_runs_by_the_primary_measure(team, others, phase, act, olga):
    enter(team, "half", phase, "TFTF")
    enter(others, "right", phase, "TTFF")
    enter(team, "wrong", phase, "FFTT")
    # Four articles tell nothing apart: all may have any rank.
    assert list_ranked_rows(rank_and_build_board(act, phase, olga).rows) == [
        ("1=", "Right", "1.0000"),
        ("1=", "Half", "0.0000"),
        ("1=", "Wrong", "-1.0000"),
    ]
    assert [row.ranks for row in build_board_visible_to_user(act, phase, olga).rows] == ["1-3"] * 3


def test_it_has_no_ranks_until_all_runs_are_compared(team, phase, act, olga):
    enter(team, "right", phase, "TTFF")
    enter(team, "half", phase, "TFTF")
    assert list_ranked_rows(build_board_visible_to_user(act, phase, olga).rows) == [
        ("-", "Right", "1.0000"),
        ("-", "Half", "0.0000"),
    ]
    assert rank_and_build_board(act, phase, olga).ranked
    enter(team, "third", phase, "TFTF")
    assert not build_board_visible_to_user(act, phase, olga).ranked


def test_it_stands_runs_that_share_a_rank_by_their_mean_confidence(team, phase, act, olga):
    enter(team, "right", phase, "TTFF", confidence=0.2)
    enter(team, "unsure", phase, "TFTF", confidence=0.1)
    enter(team, "sure", phase, "TFTF", confidence=0.9)
    assert [row.name for row in rank_and_build_board(act, phase, olga).rows] == ["Sure", "Right", "Unsure"]


def test_it_lets_equal_figures_share_their_ranks_where_nothing_tests_them(team, phase, olga):
    act = phase.challenge.tasks.get(name="ACT")
    act.primary = "auc_pr"
    act.save()
    enter(team, "b", phase, "TFTF")
    enter(team, "a", phase, "TFTF")
    enter(team, "best", phase, "TTFF")
    own = rank_and_build_board(act, phase, olga)
    assert "There is no paired test of auc_pr" in own.ranking.untested
    assert [(row.ranks, row.name) for row in own.rows] == [("1", "Best"), ("2-3", "A"), ("2-3", "B")]


def test_it_never_ranks_a_run_without_a_score_and_puts_it_last(team, phase, act, olga):
    enter(team, "silent", phase)
    enter(team, "wrong", phase, "FFTT")
    rows = rank_and_build_board(act, phase, olga).rows
    assert list_ranked_rows(rows) == [("1", "Wrong", "-1.0000"), ("-", "Silent", "-")]
    assert not rows[1].scored


def test_it_shows_a_baseline_in_its_place_without_a_rank(team, phase, act, olga):
    enter(team, "best", phase, "TTFF")
    Run.objects.filter(pk=enter(team, "words", phase, "TFTF").pk).update(sort="baseline")
    enter(team, "wrong", phase, "FFTT")
    assert list_ranked_rows(rank_and_build_board(act, phase, olga).rows) == [
        ("1=", "Best", "1.0000"),
        ("-", "Words", "0.0000"),
        ("1=", "Wrong", "-1.0000"),
    ]


def test_it_says_how_many_articles_were_answered_and_how_fast(team, phase, act, olga):
    enter(team, "half", phase, "TT", duration=3.0)
    (row,) = build_board_visible_to_user(act, phase, olga).rows
    assert (row.answered, row.articles, row.seconds) == (2, 4, 3.0)
    assert (row.team, row.team_slug, row.server_slug, row.sort) == ("Team Alpha", "team-alpha", "half", "online")
    assert row.signature.startswith("act|training|")


def test_it_puts_the_primary_measure_first_and_names_every_column(phase, act, olga):
    act.primary = "auc_pr"
    columns = build_board_visible_to_user(act, phase, olga).columns
    assert [column.label for column in columns][:3] == ["AUC PR", "MCC", "Sensitivity"]
    assert len(columns) == 9


def who_sees(phase, act, *users):
    return [[row.name for row in build_board_visible_to_user(act, phase, user).rows] for user in users]


def test_it_shows_each_team_its_own_training_runs_until_they_are_published(
    team, others, phase, act, alice, bob, carol, olga
):
    enter(team, "alphas", phase, "TTFF")
    enter(others, "betas", phase, "TFTF")
    everybody = (NOBODY, carol, alice, bob, olga)
    assert who_sees(phase, act, *everybody) == [[], [], ["Alphas"], ["Betas"], ["Alphas", "Betas"]]
    publish_phase_or_request_if_sealed(phase)
    assert who_sees(phase, act, *everybody) == [["Alphas", "Betas"]] * 5


def test_it_shows_staff_everything(team, phase, act, carol):
    enter(team, "alphas", phase, "TTFF")
    carol.is_staff = True
    assert who_sees(phase, act, carol) == [["Alphas"]]


def test_it_changes_its_version_with_what_it_shows(team, phase, act, olga):
    versions = [build_board_visible_to_user(act, phase, olga).version]
    run = enter(team, "alphas", phase)
    versions.append(build_board_visible_to_user(act, phase, olga).version)
    answer(run, 101, relevant(True))
    compute_and_store_run_scores(run)
    versions.append(build_board_visible_to_user(act, phase, olga).version)
    compute_and_store_run_scores(run)
    versions.append(build_board_visible_to_user(act, phase, olga).version)
    publish_phase_or_request_if_sealed(phase)
    versions.append(build_board_visible_to_user(act, phase, olga).version)
    assert len(set(versions)) == 5
    assert build_board_visible_to_user(act, phase, olga).version == versions[-1]


def test_it_keeps_its_version_for_whom_nothing_changes(team, others, bob, phase, act, olga):
    enter(others, "betas", phase, "TTFF")
    readers = (NOBODY, bob, olga)
    before = [rank_and_build_board(act, phase, user).version for user in readers]
    enter(team, "alphas", phase, "TFTF")
    own = [rank_and_build_board(act, phase, user) for user in readers]
    assert [board.version == was for board, was in zip(own, before, strict=True)] == [True, True, False]
    assert own[0].ranking is None
    assert own[1].ranking.computed is None


def test_it_needs_no_more_queries_for_more_runs(team, phase, act, olga, django_assert_num_queries):
    enter(team, "first", phase, "TTFF", duration=1.0)
    with django_assert_num_queries(8):
        build_board_visible_to_user(act, phase, olga)
    for slug in ("second", "third", "fourth"):
        enter(team, slug, phase, "TFTF", duration=1.0)
    tasks.rank_stale_boards_unless_busy()
    with django_assert_num_queries(8):
        build_board_visible_to_user(act, phase, olga)


def test_it_offers_the_scenarios_and_averages_of_ranked_lists(team, phase, olga):
    tx = phase.challenge.tasks.get(name="TX")
    run = enter_eligible_server_and_enqueue_articles(make_server(team, "species"), phase)[1]
    answer(run, 101, species("9606"))
    compute_and_store_run_scores(run)
    own = rank_and_build_board(tx, phase, olga, BoardSelection("answered", "micro"))
    assert [choice.scenario.name for choice in own.choices] == ["all", "answered"]
    assert (own.averages, own.columns[0].name) == (["micro", "macro"], "micro_f1")
    assert own.rows[0].primary.value == 1.0
    assert not own.official
    assert build_board_visible_to_user(tx, phase, olga).official
    assert "no test can compare them" in own.ranking.untested
    with pytest.raises(KeyError):
        build_board_visible_to_user(tx, phase, olga, BoardSelection("nonsense"))


def test_it_joins_the_best_runs_of_different_teams(team, others, phase, act, alice, olga):
    enter(team, "first", phase, "TTFT")
    enter(team, "second", phase, "TTTF")
    enter(others, "third", phase, "TTFF")
    own = rank_and_build_board(act, phase, olga).ensemble
    assert own.name == "Third, First: annotations of at least 2 of them"
    assert (own.primary.value, own.gain, own.rank, own.articles) == (1.0, 0.0, "-", 4)
    assert (own.gain_p, own.shown_gain_p) == (1.0, "p 1.0000")
    # Before publication a team must not learn what others say.
    assert build_board_visible_to_user(act, phase, alice).ensemble is None


def test_it_names_teams_from_the_date_that_the_phase_says(team, others, phase, act, alice, olga):
    enter(team, "alphas", phase, "TTFF")
    enter(others, "betas", phase, "TFTF")
    publish_phase_or_request_if_sealed(phase)
    later = timezone.now() + timedelta(days=1)
    Phase.objects.update(names_shown=later)
    phase.refresh_from_db()
    names = [(row.team, row.name, row.server_slug) for row in build_board_visible_to_user(act, phase, NOBODY).rows]
    assert {team for team, _, _ in names} == {"Team 1", "Team 2"}
    assert not any(name in ("Alphas", "Betas") or slug for _, name, slug in names)
    assert {row.team for row in build_board_visible_to_user(act, phase, alice).rows} == {"Team Alpha", "Team 1"}
    for user, now in ((olga, None), (NOBODY, later)):
        assert {row.team for row in build_board_visible_to_user(act, phase, user, now=now).rows} == {
            "Team Alpha",
            "Team Beta",
        }


def test_it_numbers_teams_by_a_secret_of_the_site(phase, settings):
    Phase.objects.update(names_shown=timezone.now() + timedelta(days=1))
    phase.refresh_from_db()
    teams = [Team(pk=pk) for pk in range(1, 21)]
    orders = []
    for settings.SECRET_KEY in ("one", "one", "another"):
        orders.append(build_run_naming(phase, NOBODY, teams, timezone.now()).numbers)
    assert orders[0] == orders[1] != orders[2]
    assert set(orders[0]) == {team.pk for team in teams}


def test_it_leaves_withdrawn_runs_off_the_board(team, phase, act, olga):
    run = enter(team, "alphas", phase, "TTFF")
    Run.objects.filter(pk=run.pk).update(withdrawn=timezone.now())
    assert build_board_visible_to_user(act, phase, olga).rows == []
