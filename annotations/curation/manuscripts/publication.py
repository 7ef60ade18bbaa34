"""Publish a manuscript: its article becomes public, with the digital abstract of its author if that is finished."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Upper

from annotations.articles.imports.citation_storage import lock_imports_until_commit
from annotations.articles.models import Article, ArticleSnapshot
from annotations.articles.snapshot_release import release_snapshot_as_separate_article
from annotations.curation.decisions import lock_curation
from annotations.curation.manuscripts.assignment import list_curations_of_assigned_curators
from annotations.curation.manuscripts.errors import ManuscriptError
from annotations.curation.manuscripts.journals import list_journals
from annotations.curation.manuscripts.models import Manuscript
from annotations.curation.manuscripts.states import PRIVATE_STATES, ManuscriptState
from annotations.curation.models import Curation
from annotations.curation.publishing import publish_curation
from annotations.curation.states import CurationState


@dataclass(frozen=True, slots=True)
class AttachedIds:
    """What a journal attaches to a manuscript; None or empty for what it does not have yet."""

    pmid: int | None = None
    doi: str = ""


@transaction.atomic
def publish_manuscript(
    manuscript_id: int,
    now: datetime,
    is_publishable: Callable[[Curation], bool],
    ids: AttachedIds = AttachedIds(),
    publisher_id: int | None = None,
) -> None:
    """Show everybody the article, and its digital abstract if that is finished; nothing else is waited for.

    The digital abstract is that of the curator who finished one last, else the author's. is_publishable: whether the
    record of a curation may be shown; if not, the article is shown without it. If the site has the article already,
    both are shown, and their pages link to each other. ManuscriptError if it is withdrawn. Of a published manuscript,
    only the identifiers are attached.
    """
    manuscript = Manuscript.objects.select_for_update(no_key=True).get(pk=manuscript_id)
    if manuscript.state == ManuscriptState.WITHDRAWN:
        raise ManuscriptError("The manuscript is withdrawn. Send it in again to publish it.")
    # Locked in the order in which curations are finished: first the curation, then the article.
    curation = _lock_curation_to_publish(manuscript)
    lock_imports_until_commit(exclusive=True)
    if manuscript.state == ManuscriptState.PUBLISHED:
        _attach_to_public_article(manuscript.article_id, ids)
        return
    snapshot = ArticleSnapshot.objects.select_related("article").get(pk=manuscript.article_id)
    snapshot.pmid, snapshot.doi = ids.pmid or snapshot.pmid, ids.doi or snapshot.doi
    snapshot.save(update_fields=["pmid", "doi"])
    release_snapshot_as_separate_article(snapshot)
    Manuscript.objects.filter(pk=manuscript_id).update(state=ManuscriptState.PUBLISHED, closed=now)
    if curation.state == CurationState.FINISHED and is_publishable(curation):
        publish_curation(curation.pk, publisher_id, now)


def _lock_curation_to_publish(manuscript: Manuscript) -> Curation:
    """That of the curator who finished last and has not opened it again meanwhile, else the author's."""
    finished = list_curations_of_assigned_curators(manuscript).filter(state=CurationState.FINISHED)
    for curation_id in finished.order_by("-finished").values_list("pk", flat=True):
        if (curation := lock_curation(curation_id)).state == CurationState.FINISHED:
            return curation
    return lock_curation(manuscript.curation_id)


def _attach_to_public_article(article_id: int, ids: AttachedIds) -> None:
    """Give a published article identifiers that it does not have; ManuscriptError if it has others, or another article
    has these."""
    article = Article.objects.select_for_update(no_key=True).get(pk=article_id)
    for name, value in (("pmid", ids.pmid), ("doi", ids.doi)):
        stored = getattr(article, name)
        if value and stored and str(stored).upper() != str(value).upper():
            raise ManuscriptError(f"The article has the {name.upper()} {stored} already.", name)
    _check_not_taken(article_id, ids)
    Article.objects.filter(pk=article_id).update(
        pmid=ids.pmid or article.pmid, doi=ids.doi or article.doi, counted_version=F("counted_version") + 1
    )


def _check_not_taken(article_id: int, ids: AttachedIds) -> None:
    others = Article.objects.filter(blind=False).exclude(pk=article_id)
    taken = others.alias(upper_doi=Upper("doi")).filter(upper_doi=ids.doi.upper())
    if ids.doi and taken.exists():
        raise ManuscriptError(f"Another article of this site has the DOI {ids.doi}.", "doi")
    if ids.pmid and others.filter(pmid=ids.pmid).exists():
        raise ManuscriptError(f"Another article of this site has the PMID {ids.pmid}.", "pmid")


def publish_due_manuscripts(now: datetime, is_publishable: Callable[[Curation], bool]) -> int:
    """Publish the manuscripts whose day has come, each in a transaction of its own; returns how many.

    Those of a journal that has lost its right wait until administrators publish them, or give the right back.
    """
    journals = list_journals().values("pk")
    due = Manuscript.objects.filter(public_on__lte=now.date(), state__in=PRIVATE_STATES, journal__in=journals)
    published = 0
    for manuscript_id in list(due.order_by("pk").values_list("pk", flat=True)):
        # The journal may have withdrawn it since they were listed.
        with suppress(ManuscriptError):
            publish_manuscript(manuscript_id, now, is_publishable)
            published += 1
    return published
