"""Mean ranks over tasks, compared with scipy."""

import random

import pytest

from evaluation.analyses.mean_ranks import compute_mean_ranks_best_first, rank_by_figure


@pytest.mark.parametrize("seed", range(20))
def test_it_ranks_as_scipy_does(seed):
    from scipy.stats import rankdata

    rng = random.Random(seed)
    figures = {team: rng.choice((0.1, 0.25, 0.5, rng.random())) for team in range(rng.randrange(1, 12))}
    for higher in (True, False):
        expected = rankdata([-value if higher else value for value in figures.values()], method="average")
        assert list(rank_by_figure(figures, higher_is_better=higher).values()) == expected.tolist()


@pytest.mark.parametrize("seed", range(20))
def test_its_means_are_those_of_scipy_with_missing_teams_after_the_last(seed):
    from scipy.stats import rankdata

    rng = random.Random(seed)
    teams = range(6)
    tasks = [({team: round(rng.random(), 1) for team in teams if rng.random() < 0.7}, True) for _ in range(4)]
    rows = {row.competitor: row for row in compute_mean_ranks_best_first(tasks)}
    for team in teams:
        ranks = []
        for figures, _ in tasks:
            of_task = dict(zip(figures, rankdata([-value for value in figures.values()]).tolist(), strict=True))
            ranks.append(of_task.get(team, len(figures) + 1))
        if any(team in figures for figures, _ in tasks):
            assert rows[team].ranks == ranks
            assert rows[team].mean == pytest.approx(sum(ranks) / 4)
        else:
            assert team not in rows
    means = [rows[team].mean for team in rows]
    assert [rows[team].place for team in rows] == rankdata(means, method="min").tolist()


def test_equal_means_share_a_place():
    rows = compute_mean_ranks_best_first([({"a": 0.9, "b": 0.5}, True), ({"a": 7.0, "b": 2.0, "c": 9.0}, False)])
    assert [(row.competitor, row.ranks, row.mean, row.place, row.shared) for row in rows] == [
        ("a", [1.0, 2.0], 1.5, 1, True),
        ("b", [2.0, 1.0], 1.5, 1, True),
        ("c", [3.0, 3.0], 3.0, 3, False),
    ]


def test_without_figures_nobody_is_ranked():
    assert compute_mean_ranks_best_first([({}, True), ({}, True)]) == []
