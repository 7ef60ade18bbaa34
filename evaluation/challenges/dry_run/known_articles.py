"""Which articles of a test set are publicly known: an article with the same identifiers or text is on this site."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q
from django.db.models.functions import Upper

from annotations.articles.models import Article
from annotations.articles.queries import annotate_recorded_ids
from annotations.results.models import Result
from evaluation.challenges.models import Phase
from servers.calls.states import QueueMode


@dataclass(frozen=True, slots=True)
class KnownTestArticles:
    """public_key_by_article: {key of the test article: key of the public one}.

    names: PMIDs, PMCIDs, DOIs or opaque ids. annotated: how many of the public articles servers have annotated outside
    of challenges.
    """

    public_key_by_article: Mapping[int, int]
    names: Sequence[str]
    annotated: int


def find_publicly_known_test_articles(phase: Phase) -> KnownTestArticles:
    """Look for the articles of a phase by PMID, PMCID and DOI, and by text among those without PMID: 3 queries.

    An article without an identifier is looked for by its text among all.
    """
    fields = ("pk", "recorded_pmid", "recorded_pmcid", "recorded_doi", "content_hash", "opaque")
    articles = annotate_recorded_ids(Article.objects.filter(corpora=phase.corpus_id))
    rows = list(articles.order_by("corpusarticle__position").values_list(*fields))
    known = _load_public_keys(rows)
    found: dict[int, int] = {}
    names = []
    for pk, pmid, pmcid, doi, digest, opaque in rows:
        key = next((known[each] for each in (pmid, pmcid, doi.upper(), digest) if each and each in known), None)
        if key is not None:
            found[pk] = key
            names.append(f"PMID {pmid}" if pmid else pmcid or doi or opaque)
    annotated = Result.objects.filter(
        article__in=list(found.values()), producer__queue__mode=QueueMode.LIVE, superseded__isnull=True
    )
    return KnownTestArticles(found, names, annotated.values("article").distinct().count())


def _load_public_keys(rows: Sequence[tuple[int, int | None, str, str, str, str]]) -> dict[object, int]:
    """{PMID, PMCID, DOI in upper case or hash of the text: key of the public article}."""
    has_name = (
        Q(pmid__in=[pmid for _, pmid, _, _, _, _ in rows if pmid])
        | Q(pmcid__in=[pmcid for _, _, pmcid, _, _, _ in rows if pmcid])
        | Q(upper_doi__in=[doi.upper() for _, _, _, doi, _, _ in rows if doi])
        | Q(pmid__isnull=True, content_hash__in=[digest for _, _, _, _, digest, _ in rows])
    )
    # Hashes have no index, so only these are looked for among all articles.
    if nameless := [digest for _, pmid, pmcid, doi, digest, _ in rows if not (pmid or pmcid or doi)]:
        has_name |= Q(content_hash__in=nameless)
    known: dict[object, int] = {}
    public = Article.objects.alias(upper_doi=Upper("doi")).filter(has_name, blind=False).order_by("-pk")
    for pk, pmid, pmcid, doi, digest in public.values_list("pk", "pmid", "pmcid", "doi", "content_hash"):
        known |= dict.fromkeys((key for key in (pmid, pmcid, doi.upper(), digest) if key), pk)
    return known
