"""The published digital abstract on the page of an article, and the way to curate the article."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
    """abstract: None if there is none. last: it, or the one that was withdrawn last, None if there was none.

    own_curation: the id of the reader's own curation, None without one. without_help: in an experiment the reader still
    curates the article from its text alone. is_continuable: the reader may take over the abstract. may_withdraw:
    whether the reader may withdraw it.
    """

    abstract: ShownAbstract | None
    last: PublishedAbstract | None
    own_curation: int | None = None
    without_help: bool = False
    is_continuable: bool = False
    may_withdraw: bool = False

    @property
    def withdrawn(self) -> PublishedAbstract | None:
        """The one that was withdrawn, in place of which the page says so."""
        return None if self.abstract else self.last


def load_visitors_curation_section(article: Article) -> CurationSection | None:
    """What the page of an article shows to visitors; None for a blind article, which is curated where it is assigned.

    1 query, 3 more with a digital abstract.
    """
    if article.blind:
        return None
    last = find_last_published_abstract(article)
    if last is None or last.withdrawn is not None:
        return CurationSection(None, last)
    return CurationSection(_build_shown_abstract(last, article), last)


def add_own_curations(section: CurationSection | None, article: Article, reader: User) -> CurationSection | None:
    """What the page shows to this reader, from what it shows to visitors.

    1 query for readers who have logged in, and with a digital abstract as many more as can_withdraw_abstract needs.
    """
    if section is None or not reader.is_authenticated:
        return section
    own = _list_own_curations(article, reader)
    measured = [curation.pk for curation in own if is_without_help_yet(curation)]
    own_curation = next(iter(measured or [curation.pk for curation in own]), None)
    section = replace(section, own_curation=own_curation, without_help=bool(measured))
    if section.abstract is None or section.last is None:
        return section
    known = {key for curation in own for key in (curation.pk, curation.basis_id)}
    is_continuable = not measured and section.last.curation_id not in known and not section.abstract.is_outdated
    return replace(section, is_continuable=is_continuable, may_withdraw=can_withdraw_abstract(reader, section.last))


def _build_shown_abstract(published: PublishedAbstract, article: Article) -> ShownAbstract:
    abstract = build_published_record(published)
    return ShownAbstract(
        build_record_view(article, abstract, build_article_url(article)),
        abstract.contributors,
        list_verified_orcids(published),
        published.published,
        published.curation.text_version != article.text_version,
        list(list_abstract_formats(of_one_article=True).values()),
        get_licence().label,
        get_licence_url(),
    )


def _list_own_curations(article: Article, reader: User) -> Sequence[Curation]:
    own = Curation.objects.filter(article=article.pk, curator__user=reader.pk)
    return list(own.only("arm", "basis", "state").order_by("pk"))
