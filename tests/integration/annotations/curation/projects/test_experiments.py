"""In an experiment, every assignment has an arm, which is measured; nothing that is measured can be changed later."""

from collections import Counter

import pytest

from annotations.curation.errors import CurationError
from annotations.curation.models import Curation
from annotations.curation.projects.assignment import assign_article, hand_over_curation, split_unassigned_articles
from annotations.curation.projects.experiments import has_help
from annotations.curation.projects.models import QuestionnaireReply
from annotations.curation.projects.questionnaire_replies import store_questionnaire_reply
from annotations.curation.session import reopen_curation
from tests.integration.curation_cast import NOON, begin
from tests.integration.evaluation_cast import get_article
from tests.integration.experiment_cast import curate_in_arm, make_experiment
from tests.integration.project_cast import get_curator, make_project

pytestmark = pytest.mark.django_db
ANSWERS = [5, 4, 3, 2, 1, None, 4, 4, 5]


@pytest.fixture
def project(olga, alice, carol):
    return make_experiment(olga, alice, carol)


def list_arms(project):
    rows = Curation.objects.filter(curator__project=project).order_by("article__pmid", "curator")
    return list(rows.values_list("article__pmid", "curator__user__username", "arm"))


def test_it_gives_both_arms_to_each_article_and_curator_of_a_split(project):
    split_unassigned_articles(project, 100, 1)
    arms = list_arms(project)
    assert Counter((name, arm) for _, name, arm in arms) == {
        ("alice", "with"): 2,
        ("alice", "without"): 2,
        ("carol", "with"): 2,
        ("carol", "without"): 2,
    }
    assert Counter((pmid, arm) for pmid, _, arm in arms).total() == len({(pmid, arm) for pmid, _, arm in arms}) == 8


def test_it_draws_the_same_arms_for_the_same_seed(project):
    split_unassigned_articles(project, 100, 1)
    first = list_arms(project)
    Curation.objects.filter(curator__project=project).delete()
    split_unassigned_articles(project, 100, 1)
    assert list_arms(project) == first


def test_it_balances_articles_that_are_assigned_one_by_one(project, alice, carol):
    arms = [assign_article(project, get_article(101), get_curator(project, user).pk).arm for user in (alice, carol)]
    assert sorted(arms) == ["with", "without"]
    again = assign_article(project, get_article(101), get_curator(project, alice).pk)
    assert again.arm == arms[0]


def test_it_draws_nothing_in_other_projects(olga, alice, project):
    other = make_project(olga, alice, corpus=project.corpus)
    assert assign_article(other, get_article(101), get_curator(other, alice).pk).arm == ""


def test_it_withholds_help_wherever_the_article_is_curated_until_it_is_finished(project, alice, carol):
    curation = curate_in_arm(project, alice, 101, "without", "P12830", finish=False)
    elsewhere = begin(alice, get_article(101))
    assert not has_help(curation)
    assert not has_help(elsewhere)
    assert has_help(begin(carol, get_article(101)))
    assert has_help(begin(alice, get_article(102)))
    Curation.objects.filter(pk=curation.pk).update(state="finished")
    assert has_help(elsewhere)
    assert not has_help(curation)


def test_it_does_not_hand_over_or_reopen_what_is_measured(project, alice, carol):
    colleague = get_curator(project, carol).pk
    begun = curate_in_arm(project, alice, 101, "with", "P12830", finish=False)
    with pytest.raises(CurationError, match="cannot be handed over"):
        hand_over_curation(begun.pk, colleague, NOON)
    finished = curate_in_arm(project, alice, 102, "with", "P12830")
    with pytest.raises(CurationError, match="stays as it was finished"):
        reopen_curation(finished.pk, NOON)
    assigned = assign_article(project, get_article(103), get_curator(project, alice).pk)
    assert hand_over_curation(assigned.pk, colleague, NOON).arm == assigned.arm


def test_it_stores_answers_once_for_a_finished_article_of_an_experiment(project, olga, alice):
    curation = curate_in_arm(project, alice, 101, "with", "P12830")
    reply = store_questionnaire_reply(curation.pk, ANSWERS, "Names.", NOON)
    assert (reply.answers, reply.comment, reply.is_skipped) == (ANSWERS, "Names.", False)
    with pytest.raises(CurationError, match="answered or skipped already"):
        store_questionnaire_reply(curation.pk, ANSWERS, "", NOON)
    skipped = curate_in_arm(project, alice, 102, "without", "P12830")
    assert store_questionnaire_reply(skipped.pk, [None] * 9, "", NOON).is_skipped


@pytest.mark.parametrize(
    ("answers", "comment", "message"),
    [([6] + [None] * 8, "", "from 1 to 5"), ([1], "", "Send 9 answers"), ([None] * 9, "x" * 2001, "at most 2,000")],
)
def test_it_says_what_is_wrong_with_answers(project, alice, answers, comment, message):
    curation = curate_in_arm(project, alice, 101, "with", "P12830")
    with pytest.raises(CurationError, match=message):
        store_questionnaire_reply(curation.pk, answers, comment, NOON)


def test_it_asks_nothing_before_the_end_or_outside_of_an_experiment(project, alice):
    begun = curate_in_arm(project, alice, 101, "with", "P12830", finish=False)
    with pytest.raises(CurationError, match="Finish the article first"):
        store_questionnaire_reply(begun.pk, ANSWERS, "", NOON)
    with pytest.raises(CurationError, match="not part of an experiment"):
        store_questionnaire_reply(begin(alice, get_article(102)).pk, ANSWERS, "", NOON)
    assert not QuestionnaireReply.objects.exists()
