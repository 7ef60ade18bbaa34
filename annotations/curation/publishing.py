"""Publish finished curations as the digital abstracts of their articles, and withdraw them."""

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from annotations.articles.models import Article
from annotations.articles.versions import store_change_if_producer_public
from annotations.curation.decisions import lock_curation
from annotations.curation.errors import CurationError, StaleDecisionError
from annotations.curation.models import Contribution, Curation, Curator, PublishedAbstract
from annotations.curation.projects.agreement import keep_decisions_of_publication
from annotations.curation.session import (
    check_words_in_text,
    list_accepted_items,
    load_digital_abstract,
    store_annotations_of_record,
)
from annotations.curation.states import CurationState
from annotations.results.models import Producer, Result

PUBLISHED_PRODUCER_NAME = "Published curations"
LONGEST_REASON = 500
BLIND_ARTICLE = "The article is not public, so its digital abstract cannot be published yet."
NOT_PROPOSED = "It is not proposed for publication any more. Its curator has changed it, or another reviewer decided."
PROPOSED_AGAIN = "The record was changed since you opened this page. Read it again, then decide."


def find_published_producer() -> Producer | None:
    """The public producer of all published digital abstracts, whose Results are their annotations; None before any."""
    rows = Producer.objects.filter(sort=Producer.Type.CURATOR, name=PUBLISHED_PRODUCER_NAME, public=True)
    return rows.filter(curator__isnull=True).order_by("pk").first()


def get_or_create_published_producer() -> Producer:
    """The producer of all published digital abstracts."""
    return find_published_producer() or Producer.objects.create(
        sort=Producer.Type.CURATOR, name=PUBLISHED_PRODUCER_NAME, public=True, published=True
    )


@transaction.atomic
def propose_curation(curation_id: int, now: datetime) -> None:
    """Ask reviewers to publish a finished curation. CurationError if it is not finished, or its article is blind."""
    curation = lock_curation(curation_id)
    if curation.state != CurationState.FINISHED:
        raise CurationError("Finish the curation before it is published.")
    if curation.article.blind:
        raise CurationError(BLIND_ARTICLE)
    Curation.objects.filter(pk=curation_id).update(proposed=now, declined="")


@transaction.atomic
def decline_proposed_curation(curation_id: int, proposed: datetime | None, reason: str) -> None:
    """Do not publish it, and keep why for its curator. proposed: as in publish_proposed_curation.

    CurationError without a reason, and as publish_proposed_curation.
    """
    if not reason.strip():
        raise CurationError("Write why it is not published, so that its curator can change it.", "reason")
    _lock_read_proposal(curation_id, proposed)
    Curation.objects.filter(pk=curation_id).update(proposed=None, declined=reason.strip()[:LONGEST_REASON])


@transaction.atomic
def publish_proposed_curation(
    curation_id: int, proposed: datetime | None, publisher_id: int, now: datetime
) -> PublishedAbstract:
    """Publish what its curator has proposed. proposed: when, as the reviewer has read it.

    CurationError if it was taken back meanwhile. StaleDecisionError if it was proposed again, maybe with other content.
    """
    _lock_read_proposal(curation_id, proposed)
    return publish_curation(curation_id, publisher_id, now)


def _lock_read_proposal(curation_id: int, proposed: datetime | None) -> None:
    current = lock_curation(curation_id).proposed
    if current is None:
        raise CurationError(NOT_PROPOSED)
    if current != proposed:
        raise StaleDecisionError(PROPOSED_AGAIN)


@transaction.atomic
def publish_curation(curation_id: int, publisher_id: int | None, now: datetime) -> PublishedAbstract:
    """Show everybody the record of a finished curation with its article, in place of an earlier one.

    CurationError if it is not finished, if its article is blind, or if the text was replaced since and does not have
    its words any more.
    """
    curation = lock_curation(curation_id)
    if curation.state != CurationState.FINISHED or curation.record is None:
        raise CurationError("Finish the curation before it is published.")
    article = Article.objects.select_for_update(no_key=True).get(pk=curation.article_id)
    if article.blind:
        raise CurationError(BLIND_ARTICLE)
    abstract = load_digital_abstract(curation)
    check_words_in_text(abstract, article.text)
    _current_abstracts(article).update(withdrawn=now)
    published = PublishedAbstract.objects.create(
        article=article, curation=curation, record=curation.record, published=now, publisher_id=publisher_id
    )
    keep_decisions_of_publication(published)
    _store_contributions(published, curation)
    Curation.objects.filter(pk=curation_id).update(proposed=None, declined="")
    store_annotations_of_record(article, get_or_create_published_producer(), abstract, None)
    return published


def _store_contributions(published: PublishedAbstract, curation: Curation) -> None:
    """Keep whose work is in the record now, whatever its curator undoes later."""
    curators = [*_list_earlier_contributors(curation), curation.curator_id]
    Contribution.objects.bulk_create(
        Contribution(published=published, curator_id=curator, position=position)
        for position, curator in enumerate(curators)
    )


def _list_earlier_contributors(curation: Curation) -> list[int]:
    """The other curators from whom accepted items were taken over: 3 queries.

    Only the author of a manuscript and those who are named with a published record of the article: the outcome of a
    project has items of its curators, who are not named.
    """
    producers = {producer for item in list_accepted_items(curation.pk) for producer in item.producers}
    authors = Curator.objects.filter(curations__manuscript__article=curation.article_id)
    named = Contribution.objects.filter(published__article=curation.article_id).order_by("-published", "position")
    known = [*authors.values_list("pk", "producer"), *named.values_list("curator", "curator__producer")]
    found = dict.fromkeys(curator for curator, producer in known if producer in producers)
    return [curator for curator in found if curator != curation.curator_id]


@transaction.atomic
def withdraw_published_abstract(
    article_id: int,
    now: datetime,
    *,
    reason: str = "",
    withdrawer_id: int | None = None,
    published_id: int | None = None,
) -> bool:
    """Show the digital abstract of an article no longer; returns whether there was one.

    reason: why, which everybody reads in its place. published_id: only if it is this one. The annotations of this and
    of earlier records are deleted, as superseded ones are still shown with the article; the records are kept.
    """
    article = Article.objects.select_for_update(no_key=True).get(pk=article_id)
    current = _current_abstracts(article)
    if published_id is not None:
        current = current.filter(pk=published_id)
    if not current.update(withdrawn=now, withdrawal_reason=reason, withdrawer=withdrawer_id):
        return False
    producer = get_or_create_published_producer()
    Result.objects.filter(article=article, producer=producer).delete()
    store_change_if_producer_public(article.pk, producer.pk)
    return True


def _current_abstracts(article: Article) -> QuerySet[PublishedAbstract]:
    return PublishedAbstract.objects.filter(article=article, withdrawn__isnull=True)
