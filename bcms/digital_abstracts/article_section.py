"""The published digital abstract on the page of an article, and the way to curate the article."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from annotations.articles.models import Article
from annotations.curation.abstract_files import AbstractFileFormat
from annotations.curation.models import Curation, PublishedAbstract
from annotations.curation.projects.experiments import is_without_help_yet
from annotations.curation.published_records import (
    build_published_record,
    find_last_published_abstract,
    list_verified_orcids,
)
from annotations.digital_abstract import Contributor
from bcms.curation.record_view import RecordView, build_record_view
from bcms.digital_abstracts.published_abstracts import (
    build_article_url,
    get_licence,
    get_licence_url,
    list_abstract_formats,
)
from bcms.digital_abstracts.withdrawal import can_withdraw_abstract
from servers.teams.permissions import User


@dataclass(frozen=True, slots=True)
class ShownAbstract:
    """A published digital abstract. verified_orcids: those of contributors who have logged in with them.

    is_outdated: the text of the article has been replaced since it was curated.
    """

    record: RecordView
    contributors: Sequence[Contributor]
    verified_orcids: Sequence[str]
    published: datetime
    is_outdated: bool
    formats: Sequence[AbstractFileFormat]
    licence: str
    licence_url: str


@dataclass(frozen=True, slots=True)
class CurationSection:
    """abstract: None if there is none. own_curation: the id of the reader's own curation, None without one.

    without_help: in an experiment the reader still curates the article from its text alone. is_continuable: the reader
    may take over the abstract.
    may_withdraw: whether the reader may withdraw it. withdrawn: the one that was withdrawn, in place of which the page
    says so.
    """

    abstract: ShownAbstract | None
    own_curation: int | None
    without_help: bool = False
    is_continuable: bool = False
    may_withdraw: bool = False
    withdrawn: PublishedAbstract | None = None


def load_curation_section(article: Article, reader: User) -> CurationSection | None:
    """What the page of an article shows; None for a blind article, which is curated where it is assigned.

    1 query, 3 more with a digital abstract, and for readers who have logged in 1 more, and with a digital abstract as
    many as can_withdraw_abstract needs.
    """
    if article.blind:
        return None
    last, own = find_last_published_abstract(article), _list_own_curations(article, reader)
    measured = [curation.pk for curation in own if is_without_help_yet(curation)]
    own_curation = next(iter(measured or [curation.pk for curation in own]), None)
    if last is None or last.withdrawn is not None:
        return CurationSection(None, own_curation, bool(measured), withdrawn=last)
    known = {key for curation in own for key in (curation.pk, curation.basis_id)}
    is_continuable = reader.is_authenticated and not measured and last.curation_id not in known
    return CurationSection(
        _build_shown_abstract(last, article),
        own_curation,
        bool(measured),
        is_continuable and _is_of_text(last, article),
        can_withdraw_abstract(reader, last),
    )


def _build_shown_abstract(published: PublishedAbstract, article: Article) -> ShownAbstract:
    abstract = build_published_record(published)
    return ShownAbstract(
        build_record_view(article, abstract, build_article_url(article)),
        abstract.contributors,
        list_verified_orcids(published),
        published.published,
        not _is_of_text(published, article),
        list(list_abstract_formats(of_one_article=True).values()),
        get_licence().label,
        get_licence_url(),
    )


def _is_of_text(published: PublishedAbstract, article: Article) -> bool:
    return published.curation.text_version == article.text_version


def _list_own_curations(article: Article, reader: User) -> Sequence[Curation]:
    if not reader.is_authenticated:
        return []
    own = Curation.objects.filter(article=article.pk, curator__user=reader.pk)
    return list(own.only("arm", "basis", "state").order_by("pk"))
