"""The digital abstracts that are published with their articles, with those who made them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

from django.db.models import F, Prefetch, Q, QuerySet

from annotations.articles.models import Article
from annotations.curation.exported_records import build_exported_abstracts
from annotations.curation.models import Contribution, Curator, CuratorProfile, DecidedItem, PublishedAbstract
from annotations.curation.states import ItemState
from annotations.digital_abstract import AbstractState, Contributor, DigitalAbstract, Origin
from annotations.digital_abstract_json import parse_abstract_json
from annotations.formats.digital_abstracts.exported_abstract import ExportedAbstract
from annotations.results.models import Producer

ABSTRACTS_PER_BATCH = 100
WHO = ("curator__user__curator_profile", "curator__producer")


def list_published_abstracts() -> QuerySet[PublishedAbstract]:
    """Those that are shown now, of all articles, with their curators and contributors."""
    return _add_people(PublishedAbstract.objects.filter(withdrawn__isnull=True))


def _add_people(rows: QuerySet[PublishedAbstract]) -> QuerySet[PublishedAbstract]:
    """1 query more, for the contributors."""
    contributions = Contribution.objects.select_related(*WHO).order_by("position")
    people = [f"curation__{part}" for part in WHO]
    return rows.select_related(*people).prefetch_related(Prefetch("contributions", contributions))


def find_published_abstract(article: Article) -> PublishedAbstract | None:
    """The digital abstract that is shown with the article: 1 query, 2 if there is one."""
    return list_published_abstracts().filter(article=article.pk).first()


def find_last_published_abstract(article: Article) -> PublishedAbstract | None:
    """The digital abstract that is shown with the article, or the one that was withdrawn last.

    1 query, 2 if there is one.
    """
    rows = _add_people(PublishedAbstract.objects.filter(article=article.pk))
    return rows.order_by(F("withdrawn").desc(nulls_first=True), "-pk").first()


def list_published_items(published: PublishedAbstract) -> list[DecidedItem]:
    """What the curation accepted when it was published, whatever its curator has decided since: 1 query."""
    later = Q(superseded_by__isnull=True) | Q(superseded_by__at__gt=published.published)
    known = DecidedItem.objects.filter(later, curation=published.curation_id, decision__at__lte=published.published)
    # A decision that was taken back after the publication superseded others before it: the last one counts.
    last = known.order_by("kind", "key", "-decision__number").distinct("kind", "key")
    return sorted((item for item in last if item.state == ItemState.ACCEPTED), key=lambda item: item.pk)


def build_published_record(published: PublishedAbstract) -> DigitalAbstract:
    """The record with its contributors, and the date of its publication."""
    return replace(
        parse_abstract_json(published.record),
        contributors=tuple(_build_contributor(each.curator) for each in published.contributions.all()),
        state=AbstractState.PUBLISHED,
        updated=published.published.isoformat(timespec="seconds"),
    )


def _build_contributor(curator: Curator) -> Contributor:
    origin = Origin.AUTHOR if curator.producer.sort == Producer.Type.AUTHOR else Origin.CURATOR
    return Contributor(_name_person(curator), origin, _find_shown_orcid(curator))


def _name_person(curator: Curator) -> str:
    return curator.user.get_username() if curator.user else curator.producer.name


def _find_shown_orcid(curator: Curator) -> str:
    """The ORCID of the curator's account if its owner shows it, else ""."""
    profile: CuratorProfile | None = getattr(curator.user, "curator_profile", None)
    return profile.shown_orcid if profile else ""


def list_verified_orcids(published: PublishedAbstract) -> list[str]:
    """The ORCIDs of its contributors that are shown and verified; no queries."""
    profiles = (getattr(each.curator.user, "curator_profile", None) for each in published.contributions.all())
    return [profile.shown_orcid for profile in profiles if profile and profile.orcid_verified and profile.shown_orcid]


def iter_exported_abstracts(
    articles: QuerySet[Article], build_url: Callable[[Article], str]
) -> Iterator[ExportedAbstract]:
    """The published digital abstracts of the articles, in the order of their ids.

    1 query, and at most 6 for each ABSTRACTS_PER_BATCH of them, which are all that memory holds. build_url: of an
    article.
    """
    rows = list_published_abstracts().filter(article__in=articles.values("pk")).order_by("article")
    streamed = rows.select_related("article").defer("article__text").iterator(chunk_size=ABSTRACTS_PER_BATCH)
    while batch := list(islice(streamed, ABSTRACTS_PER_BATCH)):
        yield from build_exported_abstracts([(each.article, build_published_record(each)) for each in batch], build_url)
