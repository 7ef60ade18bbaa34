"""Decide what the outcome of a project is: item by item where curators disagree, and at once where they agree."""

import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db import transaction

from annotations.articles.models import Article
from annotations.curation.decisions import DecisionInput, ItemProposal, lock_curation, store_decision
from annotations.curation.errors import CurationError, StaleDecisionError
from annotations.curation.models import Curation, Curator, DecidedItem
from annotations.curation.projects.comparison import ComparedItem, compute_comparison_fingerprint
from annotations.curation.projects.finished_curations import ProjectArticle, load_project_articles
from annotations.curation.projects.models import CurationProject
from annotations.curation.session import finish_curation
from annotations.curation.states import CurationState, DecisionAction, ItemKind, ItemState

# The number of the version of an item that is taken over, None to leave the item out.
Choices = Mapping[tuple[ItemKind, str], int | None]
# More in one request would take longer than a page may.
MOST_AT_ONCE = 100
LEFT_OUT = "left out in adjudication"


@transaction.atomic
def store_adjudicated_outcome(
    project: CurationProject, article_id: int, choices: Choices, fingerprint: str, user_id: int, now: datetime
) -> Curation:
    """Store the outcome of an article, which replaces an earlier one, and return its finished curation.

    choices: for each item that not all curators agree on; agreed items are accepted without one. fingerprint: of the
    comparison that was shown. StaleDecisionError if curators or another adjudicator have changed something since.
    CurationError if a choice is missing, or if nobody has finished the article.
    """
    outcome = _lock_outcome(project, article_id)
    compared = get_compared_article(project, article_id)
    items = compared.compare()
    if build_shown_state(items, outcome) != fingerprint:
        raise StaleDecisionError("A record or the outcome has changed since this page was opened. Check them again.")
    _check_choices(items, choices)
    return _decide_outcome(outcome, compared, items, choices, user_id, now)


def get_compared_article(project: CurationProject, article_id: int) -> ProjectArticle:
    """The article with what its curators finished; CurationError if nobody has, or somebody still works on it."""
    found = load_project_articles(project, [article_id]).get(article_id)
    if found is None or not found.finished:
        raise CurationError("Nobody has finished this article yet.")
    if found.unfinished:
        raise CurationError("A curator still works on this article. Wait, or hand their work over.")
    return found


def find_outcome(project: CurationProject, article_id: int) -> Curation | None:
    return Curation.objects.filter(curator=project.outcome_id, article=article_id).first()


def build_shown_state(items: Iterable[ComparedItem], outcome: Curation | None) -> str:
    """What a page for adjudication shows, for store_adjudicated_outcome."""
    return f"{outcome.revision if outcome else 0}-{compute_comparison_fingerprint(items)}"


def _lock_outcome(project: CurationProject, article_id: int) -> Curation:
    text_version = Article.objects.values_list("text_version", flat=True).get(pk=article_id)
    outcome, _ = Curation.objects.get_or_create(
        curator_id=project.outcome_id, article_id=article_id, defaults={"text_version": text_version}
    )
    return lock_curation(outcome.pk)


def _check_choices(items: Iterable[ComparedItem], choices: Choices) -> None:
    for item in items:
        if item.agreed:
            continue
        choice = choices.get((item.kind, item.key), -1)
        if choice is not None and not 0 <= choice < len(item.versions):
            raise CurationError(f"Choose a version of {item.key}, or to leave it out.", item.key)


def _decide_outcome(
    outcome: Curation,
    compared: ProjectArticle,
    items: Iterable[ComparedItem],
    choices: Choices,
    user_id: int,
    now: datetime,
) -> Curation:
    Curation.objects.filter(pk=outcome.pk).update(state=CurationState.OPEN, running=None)
    accepted: list[ItemProposal] = []
    left_out: list[ItemProposal] = []
    for item in items:
        choice = choices.get((item.kind, item.key), 0 if item.agreed else None)
        version = item.versions[choice or 0]
        producers = [compared.finished[curator].producer for curator in version.curators]
        proposal = ItemProposal(item.kind, item.key, version.content, producers)
        (left_out if choice is None else accepted).append(proposal)
    left_out += _list_withdrawn_items(outcome, {(each.kind, each.key) for each in (*accepted, *left_out)})
    revision = outcome.revision
    for action, proposals, reason in (
        (DecisionAction.ACCEPT, accepted, ""),
        (DecisionAction.REJECT, left_out, LEFT_OUT),
    ):
        if proposals:
            given = DecisionInput(action, revision, str(uuid.uuid4()), user_id, reason, proposals)
            revision = store_decision(outcome.pk, given, now).number
    # An organism alone, which is chosen before anything is looked for, is no result.
    nothing_found = all(each.kind is ItemKind.ORGANISM for each in accepted)
    return finish_curation(outcome.pk, revision, now, nothing_found=nothing_found)


def _list_withdrawn_items(outcome: Curation, known: set[tuple[ItemKind, str]]) -> list[ItemProposal]:
    """What an earlier outcome has that no curator has any more."""
    rows = DecidedItem.objects.filter(curation=outcome, superseded_by__isnull=True, state=ItemState.ACCEPTED)
    return [
        ItemProposal(ItemKind(row.kind), row.key, row.content, row.producers)
        for row in rows
        if (ItemKind(row.kind), row.key) not in known
    ]


@transaction.atomic
def accept_agreed_articles(project: CurationProject, user_id: int, now: datetime) -> tuple[int, int]:
    """Take over the records on which all curators of an article agree, and those of articles with one curator.

    Articles that have an outcome, or that somebody still works on, are left as they are. At most MOST_AT_ONCE articles.
    Returns how many articles were taken over, and how many more could be. CurationError, and nothing is taken over, if
    one of the articles prevents it.
    """
    Curator.objects.select_for_update(no_key=True).get(pk=project.outcome_id)
    agreed = [each for each in load_project_articles(project).values() if not each.outcome and each.is_agreed]
    for article in agreed[:MOST_AT_ONCE]:
        outcome = _lock_outcome(project, article.id)
        try:
            _decide_outcome(outcome, article, article.compare(), {}, user_id, now)
        except CurationError as error:
            raise CurationError(f"Article {outcome.article}: {error}") from None
    return min(len(agreed), MOST_AT_ONCE), max(len(agreed) - MOST_AT_ONCE, 0)
