"""Strips of the matrix: what each article's bar looks like, without its colour."""

import pytest

from evaluation.plotting.call_strips import STRIP_FORMS, STRIP_HEIGHT, build_strip_path_per_state


def test_it_draws_each_state_by_its_own_form_and_neighbours_as_one_bar():
    drawn = {each.name: each.path for each in build_strip_path_per_state("aaef-wna")}
    assert drawn == {
        "answered": "M0 2h2v14h-2zM7 2h1v14h-1z",
        "empty": "M2 11h1v5h-1z",
        "failed": "M3 1h1v6h-1z",
        "asking": "M6 0h1v18h-1z",
        "waiting": "M5 9h1v1h-1z",
    }


def test_it_draws_nothing_for_articles_that_are_not_in_the_queue():
    assert build_strip_path_per_state("---") == []
    assert build_strip_path_per_state("") == []


def test_it_tells_states_apart_without_colour():
    assert len({(form.top, form.height) for form in STRIP_FORMS.values()}) == len(STRIP_FORMS)
    assert all(form.top >= 0 and form.top + form.height <= STRIP_HEIGHT for form in STRIP_FORMS.values())


def test_it_knows_no_other_letters():
    with pytest.raises(ValueError, match="'x' is not a state"):
        build_strip_path_per_state("ax")
