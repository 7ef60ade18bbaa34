"""Simulate the demo's experiment: two curators finish some articles with and without help, and answer questions.

Nobody waits for them: the times at which they decide are made up, and lie in the hours before.
"""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from annotations.articles.models import Article, Corpus
from annotations.curation import session
from annotations.curation.decisions import DecisionInput, ItemProposal, store_decision
from annotations.curation.models import Candidate, Curation
from annotations.curation.projects.adjudication import build_shown_state, get_compared_article
from annotations.curation.projects.assignment import assign_article
from annotations.curation.projects.models import CurationProject, ProjectHelp
from annotations.curation.projects.questionnaire_replies import store_questionnaire_reply
from annotations.curation.projects.questions import SCALED_QUESTIONS
from annotations.curation.states import CurationArm, DecisionAction, ItemKind
from bcms.curation.proposals import load_or_build_candidate_list
from bcms.curation_projects.management import accept_agreed, add_curator, create_project, decide_outcome
from bcms.demo import curation

NAME = "Experiment: genes with and without help"
GUIDELINE = f"{curation.GUIDELINE} What is finished here was simulated: times, decisions and answers are made up."
FINISHED_ARTICLES, WAITING_ARTICLES, ARM_SEED = 6, 2, 1
# Seconds to read an article, and to decide on one item.
READING = {CurationArm.WITH_HELP: 40, CurationArm.WITHOUT_HELP: 60}
DECIDING = {CurationArm.WITH_HELP: 8, CurationArm.WITHOUT_HELP: 25}
# In the order of the questions.
ANSWERS = {
    CurationArm.WITH_HELP: (4, 4, 5, 3, 4, 4, 4, 4, 5),
    CurationArm.WITHOUT_HELP: (2, 3, 2, 3, 5, 4, 4, 3, 3),
}
COMMENTS = {
    CurationArm.WITH_HELP: "Names that several genes share.",
    CurationArm.WITHOUT_HELP: "Looking for each identifier took longest.",
}


def advance_demo_experiment() -> bool:
    """Make the experiment once the other project is made; returns False once it is made."""
    if CurationProject.objects.filter(name=NAME).exists():
        return False
    if not CurationProject.objects.filter(name=curation.NAME).exists():
        return True
    _make_demo_experiment(timezone.now())
    return False


@transaction.atomic
def _make_demo_experiment(now: datetime) -> None:
    """Both curators finish the first articles, and the outcome of these is decided; the others wait for one of them."""
    names = (curation.OWNER, curation.CURATOR, curation.COLLEAGUE)
    owner, *people = (User.objects.get(username=name) for name in names)
    corpus = Corpus.objects.get(slug="reading")
    project = create_project(owner, NAME, corpus, guideline=GUIDELINE, help=ProjectHelp.RANDOM, arm_seed=ARM_SEED)
    curators = [add_curator(project, person) for person in people]
    articles = _choose_other_articles(corpus)
    finished, waiting = articles[:FINISHED_ARTICLES], articles[FINISHED_ARTICLES:]
    for number, article in enumerate(finished):
        for curator in curators:
            begin = now - timedelta(hours=4) + number * timedelta(minutes=30)
            _curate(assign_article(project, article, curator.pk), begin, number)
    for article in waiting:
        assign_article(project, article, curators[0].pk)
    accept_agreed(project, owner, now)
    for article in finished:
        _decide_on_outcome(project, article, owner, now)


def _choose_other_articles(corpus: Corpus) -> list[Article]:
    """Articles that nobody has seen in the other project, so that what help is worth can be told."""
    known = set(Curation.objects.filter(curator__project__name=curation.NAME).values_list("article", flat=True))
    return curation.choose_articles(corpus, FINISHED_ARTICLES + WAITING_ARTICLES, besides=known)


def _curate(assigned: Curation, begin: datetime, number: int) -> None:
    """Finish an article as its arm allows: with help some proposals are rejected, without it some are overlooked."""
    arm, candidates = CurationArm(assigned.arm), curation.list_candidates(assigned.article)
    has_help = arm is CurationArm.WITH_HELP
    shown = load_or_build_candidate_list(assigned.article) if has_help else None
    session.open_curation(assigned.pk, shown, begin)
    decisions = _reject_some(candidates) if has_help else _add_some(candidates, number)
    at = begin + timedelta(seconds=READING[arm] + 7 * number)
    for seen, (action, item) in enumerate(decisions):
        at += timedelta(seconds=DECIDING[arm])
        reason = curation.REASON if action is DecisionAction.REJECT else ""
        given = DecisionInput(action, seen, secrets.token_hex(8), assigned.curator.user_id, reason, [item])
        store_decision(assigned.pk, given, at)
    finished = at + timedelta(seconds=10)
    session.finish_curation(assigned.pk, len(decisions), finished)
    _answer(assigned, arm, number, finished)


def _reject_some(candidates: Sequence[Candidate]) -> list[tuple[DecisionAction, ItemProposal]]:
    """What is proposed, of which every fourth item is rejected."""
    return [
        (
            DecisionAction.REJECT if position % 4 == 3 else DecisionAction.ACCEPT,
            ItemProposal(ItemKind(each.kind), each.key, each.content, each.producers),
        )
        for position, each in enumerate(candidates)
    ]


def _add_some(candidates: Sequence[Candidate], number: int) -> list[tuple[DecisionAction, ItemProposal]]:
    """What somebody finds who sees no proposals: two of three items."""
    return [
        (DecisionAction.ADD, ItemProposal(ItemKind(each.kind), each.key, each.content))
        for position, each in enumerate(candidates)
        if position % 3 != number % 3
    ]


def _answer(assigned: Curation, arm: CurationArm, number: int, at: datetime) -> None:
    """Answer the questionnaire after each article but the fourth, and in words after the first."""
    skipped = number == 3
    answers = [None] * len(SCALED_QUESTIONS) if skipped else ANSWERS[arm]
    store_questionnaire_reply(assigned.pk, answers, COMMENTS[arm] if number == 0 else "", at)


def _decide_on_outcome(project: CurationProject, article: Article, owner: User, now: datetime) -> None:
    """Take over every second item on which the curators differ, unless the article is taken over as a whole."""
    items = get_compared_article(project, article.pk).compare()
    differing = [item for item in items if not item.agreed]
    if differing:
        choices = {(item.kind, item.key): 0 if turn % 2 == 0 else None for turn, item in enumerate(differing)}
        decide_outcome(project, article.pk, choices, build_shown_state(items, None), owner, now)
