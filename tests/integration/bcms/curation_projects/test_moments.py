"""Curators who do something at the same moment as somebody else: whoever comes second sees what the first has done."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from annotations.curation.errors import CurationError
from annotations.curation.models import CandidateList, Curation
from annotations.curation.projects.assignment import assign_article
from annotations.curation.session import open_curation
from annotations.curation.states import CurationArm
from bcms.curation_projects.management import take_article
from tests.integration.curation_cast import NOON, begin
from tests.integration.evaluation_cast import get_article
from tests.integration.experiment_cast import make_experiment
from tests.integration.project_cast import get_curator, make_project

pytestmark = pytest.mark.django_db(transaction=True)


def run_on_another_connection(operation, *values):
    try:
        return operation(*values)
    finally:
        connection.close()


def wait_until_it_waits(operation):
    """Returns when the operation waits for a lock, or has ended without that."""
    with connection.cursor() as cursor:
        while cursor.rowcount < 1 and not operation.done():
            cursor.execute("SELECT 1 FROM pg_locks WHERE NOT granted")


def test_two_curators_who_take_an_article_do_not_both_get_it(olga, alice, carol):
    project = make_project(olga, alice, carol)
    article = get_article(101)
    first, second = (get_curator(project, user) for user in (alice, carol))
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            take_article(project, first, article)
            taking = pool.submit(run_on_another_connection, take_article, project, second, article)
            wait_until_it_waits(taking)
        with pytest.raises(CurationError, match="A colleague has this article already"):
            taking.result()
    assert Curation.objects.get().curator == first


def begin_and_open(user, article, candidates):
    return open_curation(begin(user, article).pk, candidates, NOON)


def test_what_is_begun_while_the_article_is_assigned_without_help_has_none(olga, alice, monkeypatch):
    project = make_experiment(olga, alice)
    article, curator = get_article(101), get_curator(project, alice)
    monkeypatch.setattr(
        "annotations.curation.projects.experiments.draw_arms",
        lambda pairs, *_: dict.fromkeys(pairs, CurationArm.WITHOUT_HELP),
    )
    candidates = CandidateList.objects.create(article=article, text_version=article.text_version, fingerprint="1")
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            assign_article(project, article, curator.pk)
            beginning = pool.submit(run_on_another_connection, begin_and_open, alice, article, candidates)
            wait_until_it_waits(beginning)
        assert beginning.result().candidates is None
