"""Look-ups of articles by PMID, DOI, PMCID and opaque id."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Coalesce, NullIf, Upper

from annotations.articles.article_ids import LONGEST_PMID
from annotations.articles.models import Article


def filter_articles_by_pmid_or_opaque(articles: QuerySet[Article], pmid_or_opaque: str) -> QuerySet[Article]:
    """The articles narrowed to the one with this PMID or opaque id."""
    return articles.filter(**dict([parse_pmid_or_opaque_lookup(pmid_or_opaque)]))


def parse_pmid_or_opaque_lookup(pmid_or_opaque: str) -> tuple[str, int | str]:
    """The field and value to filter articles by for a PMID or opaque id.

    Text that cannot be an opaque id becomes "", which no article has: PostgreSQL rejects NUL characters.
    """
    if re.fullmatch(rf"[0-9]{{1,{LONGEST_PMID}}}", pmid_or_opaque, re.ASCII):
        return "pmid", int(pmid_or_opaque)
    return "opaque", pmid_or_opaque if pmid_or_opaque.isalnum() else ""


def list_unknown_pmids(pmids: Iterable[int], known_articles: QuerySet[Article]) -> list[int]:
    """The PMIDs that none of the known articles has, without duplicates, in their order: 1 query."""
    wanted = list(dict.fromkeys(pmids))
    present = set(known_articles.filter(pmid__in=wanted).values_list("pmid", flat=True))
    return [pmid for pmid in wanted if pmid not in present]


def find_article_keys(identifiers: Sequence[str], known_articles: QuerySet[Article]) -> dict[str, int]:
    """The primary key of the known article with each PMID, DOI, PMCID or opaque id: 1 query.

    The result has the identifiers as they were given, without those of no known article.
    """
    pmids = [int(each) for each in identifiers if re.fullmatch(rf"[0-9]{{1,{LONGEST_PMID}}}", each, re.ASCII)]
    upper = [identifier.upper() for identifier in identifiers]
    has_identifier = Q(pmid__in=pmids) | Q(doi_upper__in=upper) | Q(pmcid__in=upper) | Q(opaque__in=identifiers)
    rows = known_articles.annotate(doi_upper=Upper("doi")).filter(has_identifier).order_by("-pk")
    key_by_identifier: dict[str, int] = {}
    for pk, *article_ids in rows.values_list("pk", "pmid", "doi_upper", "pmcid", "opaque"):
        key_by_identifier |= dict.fromkeys((str(article_id) for article_id in article_ids if article_id), pk)
    keys = ((each, key_by_identifier.get(each) or key_by_identifier.get(each.upper())) for each in identifiers)
    return {identifier: key for identifier, key in keys if key is not None}


def annotate_recorded_ids(articles: QuerySet[Article]) -> QuerySet[Any]:
    """The articles with recorded_pmid, recorded_doi and recorded_pmcid: of a snapshot those of what it was taken of.

    Only for the files and pages of the challenge of the snapshot: they name blind articles.
    """
    doi, pmcid = (Coalesce(NullIf(name, Value("")), f"snapshot__{name}", Value("")) for name in ("doi", "pmcid"))
    return articles.annotate(recorded_pmid=Coalesce("pmid", "snapshot__pmid"), recorded_doi=doi, recorded_pmcid=pmcid)


def format_pmid_or_opaque(article: Article) -> str:
    """The article's PMID, or its opaque id if it has none, as a blind one. Never show both."""
    return article.opaque if article.pmid is None else str(article.pmid)
