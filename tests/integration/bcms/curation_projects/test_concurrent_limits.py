"""Limits of curation projects hold, too, when several requests come at the same moment."""

from itertools import count

import pytest

from annotations.curation.errors import CurationError
from annotations.curation.projects.models import CurationProject
from bcms.curation_projects import management
from tests.integration.evaluation_cast import make_corpus
from tests.integration.project_cast import make_project
from tests.integration.servers.notifications.test_concurrent_notifications import run_at_once

# Committed, so that all requests see it.
pytestmark = pytest.mark.django_db(transaction=True)


def try_each(operation):
    """Whether each of four operations at once was refused."""

    def run():
        try:
            operation()
        except CurationError:
            return "refused"
        return "done"

    return run_at_once(run, 4)


def test_an_account_gets_no_more_open_projects(olga, monkeypatch):
    monkeypatch.setattr(management, "MOST_OPEN_PROJECTS", 1)
    monkeypatch.setattr(management, "find_confirmed_address", lambda _: "olga@example.org")
    corpus = make_corpus()
    outcomes = try_each(lambda: management.create_project(olga, "Cadherins", corpus))
    assert outcomes == ["done", "refused", "refused", "refused"]
    assert CurationProject.objects.count() == 1


def test_a_project_gets_no_more_curators(olga, monkeypatch, django_user_model):
    monkeypatch.setattr(management, "MOST_CURATORS", 1)
    project = make_project(olga)
    people = [django_user_model.objects.create_user(f"curator-{number}") for number in range(4)]
    numbers = count()
    outcomes = try_each(lambda: management.add_curator(project, people[next(numbers)]))
    assert outcomes == ["done", "refused", "refused", "refused"]
    assert project.curators.count() == 1
