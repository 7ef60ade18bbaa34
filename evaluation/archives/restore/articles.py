"""Find the articles of an archive here by their ids, or create them without a text; likewise the corpus.

A blind corpus gets snapshots, under the opaque ids of the archive if these are free.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from annotations.articles.article_ids import LONGEST_PMID
from annotations.articles.corpora import append_absent_articles
from annotations.articles.imports.citation_storage import hash_passage_types_and_texts
from annotations.articles.models import Article, ArticleSnapshot, Corpus
from annotations.articles.snapshots import take_snapshots
from evaluation.archives import row_values
from evaluation.archives.errors import GET_ARCHIVE_AGAIN, ChallengeArchiveError
from evaluation.archives.parts import ARTICLE_COLUMNS
from evaluation.archives.row_values import build_validated_row_from_json
from evaluation.archives.zip_reader import CheckedArchive
from evaluation.challenges.models import Challenge

OPAQUE_ID = re.compile(r"B[0-9a-f]{16}")
IDS_PER_QUERY = 5000
SNAPSHOTS_PER_QUERY = 500
STORED_NAMES = ("pmid", "doi", "opaque", "text_version", "blind")


@dataclass(frozen=True, slots=True)
class ArchivedArticle:
    """A line of articles.tsv: the article's name in the archive, and its other ids unless they are secret."""

    name: str
    pmid: str
    doi: str
    pmcid: str


@dataclass(frozen=True, slots=True)
class RestoredArticles:
    """The articles of a phase by name in the archive, in the order of the corpus; created: names of the new ones."""

    by_name: Mapping[str, Article]
    created: Sequence[str]


def find_articles_or_create_without_text(
    archive: CheckedArchive, phase_type: str, corpus_document: Mapping[str, Any], challenge: Challenge
) -> RestoredArticles:
    """Return the articles that the archive lists for a phase. Missing ones are created without a text.

    Those of a blind corpus are snapshots that no other challenge has, unless a corpus that nobody owns has the same.
    """
    listed = list(_parse_archived_articles(archive.read(f"{phase_type}/articles.tsv").decode()))
    blind = corpus_document["blind"] is True
    known = {
        name: article
        for article in _iter_known_articles(listed, blind=blind)
        for name in _list_stored_article_names(article)
    }
    existing = {
        archived.name: article
        for archived in listed
        if (article := _find_archived_article(known, archived)) is not None
    }
    keys = [existing[archived.name].pk for archived in listed if archived.name in existing]
    if blind and (len(keys) < len(listed) or not _find_identical_corpus(corpus_document, keys)):
        existing = _take_snapshots_under_archived_ids(existing, challenge)
    created = {
        archived.name: _build_article_without_text(archived, blind=blind)
        for archived in listed
        if archived.name not in existing
    }
    Article.objects.bulk_create(created.values(), batch_size=IDS_PER_QUERY)
    if blind:
        ArticleSnapshot.objects.bulk_create(
            ArticleSnapshot(
                article=created[archived.name],
                pmid=_find_archived_pmid(archived),
                doi=archived.doi,
                pmcid=archived.pmcid,
            )
            for archived in listed
            if archived.name in created
        )
    return RestoredArticles(
        {archived.name: existing.get(archived.name) or created[archived.name] for archived in listed}, list(created)
    )


def _parse_archived_articles(text: str) -> Iterator[ArchivedArticle]:
    head, *lines = text.splitlines()
    if tuple(head.split("\t")) != ARTICLE_COLUMNS:
        raise ChallengeArchiveError(f"A list of articles in the archive has unknown columns: {GET_ARCHIVE_AGAIN}.")
    for line in lines:
        name, pmid, doi, pmcid, _ = line.split("\t")
        yield ArchivedArticle(name, pmid, doi, pmcid)


def _take_snapshots_under_archived_ids(existing: Mapping[str, Article], challenge: Challenge) -> dict[str, Article]:
    """Return snapshots of the articles; one that the challenge has already is kept. {name in the archive: article}."""
    own = Corpus.objects.filter(blind=True, owner__challenge=challenge)
    kept = set(
        Article.objects.filter(corpora__in=own, pk__in=[each.pk for each in existing.values()]).values_list("pk")
    )
    snapshots = {name: article for name, article in existing.items() if (article.pk,) in kept}
    names = {article.pk: name for name, article in existing.items() if name not in snapshots}
    taken_ids = set(Article.objects.filter(opaque__in=names.values()).values_list("opaque", flat=True))
    for start in range(0, len(names), SNAPSHOTS_PER_QUERY):
        batch = Article.objects.select_related("snapshot").in_bulk(list(names)[start : start + SNAPSHOTS_PER_QUERY])
        snapshot_by_article = take_snapshots(None, list(batch.values()))
        stored = Article.objects.only(*STORED_NAMES).in_bulk(list(snapshot_by_article.values()))
        for article, snapshot in snapshot_by_article.items():
            if OPAQUE_ID.fullmatch(names[article]) and names[article] not in taken_ids:
                stored[snapshot].opaque = names[article]
            snapshots[names[article]] = stored[snapshot]
        Article.objects.bulk_update(stored.values(), ["opaque"])
    return snapshots


def _iter_known_articles(listed: Sequence[ArchivedArticle], *, blind: bool) -> Iterator[Article]:
    """Yield every stored article that has one of the ids. blind: also snapshots, which have opaque ids only."""
    articles = Article.objects.all() if blind else Article.objects.filter(blind=False)
    ids: dict[str, list[Any]] = {
        "opaque": [archived.name for archived in listed],
        "doi": [name for archived in listed for name in (archived.doi, archived.name) if name],
        "pmid": [int(name) for archived in listed for name in {archived.pmid, archived.name} if _has_pmid_form(name)],
    }
    for column, values in ids.items():
        for start in range(0, len(values), IDS_PER_QUERY):
            condition = {f"{column}__in": values[start : start + IDS_PER_QUERY]}
            yield from articles.filter(**condition).only(*STORED_NAMES)


def _has_pmid_form(name: str) -> bool:
    return name.isascii() and name.isdigit() and len(name) <= LONGEST_PMID


def _list_stored_article_names(article: Article) -> Iterable[str]:
    return [name for name in (article.opaque, str(article.pmid or ""), article.doi) if name]


def _find_archived_article(known: Mapping[str, Article], archived: ArchivedArticle) -> Article | None:
    """Return the stored article with this PMID, DOI or name, in this order; None if there is none."""
    return next((known[name] for name in (archived.pmid, archived.doi, archived.name) if name and name in known), None)


def _find_archived_pmid(archived: ArchivedArticle) -> int | None:
    return next((int(name) for name in (archived.pmid, archived.name) if _has_pmid_form(name)), None)


def _build_article_without_text(archived: ArchivedArticle, *, blind: bool) -> Article:
    """Build an article with ids only, a blind one without these; an opaque id is kept."""
    pmid = _find_archived_pmid(archived)
    article = Article(passages=[], text="", content_hash=hash_passage_types_and_texts([]), blind=blind)
    if not blind:
        article.pmid, article.doi, article.pmcid = pmid, archived.doi, archived.pmcid
    if OPAQUE_ID.fullmatch(archived.name):
        article.opaque = archived.name
    elif not pmid and not archived.doi:
        raise ChallengeArchiveError(
            f"The article {archived.name!r} in the archive is not a PMID, DOI or opaque id: {GET_ARCHIVE_AGAIN}."
        )
    return article


def find_identical_or_create_corpus(
    corpus_document: Mapping[str, Any], articles: RestoredArticles, fallback_slug: str
) -> Corpus:
    """Return the corpus with the archived slug if it has the same articles in the same order, or create one.

    A new corpus gets the archived slug, fallback_slug, or the latter with a number, whichever is free. The blind corpus
    of another challenge is never reused.
    """
    article_keys = [article.pk for article in articles.by_name.values()]
    if existing := _find_identical_corpus(corpus_document, article_keys):
        return existing
    new = build_validated_row_from_json(Corpus, corpus_document, row_values.CORPUS_FIELDS)
    new.slug = _find_free_corpus_slug([new.slug, fallback_slug])
    new.save()
    append_absent_articles(new, article_keys)
    ArticleSnapshot.objects.filter(article__in=article_keys, corpus__isnull=True).update(corpus=new)
    return new


def _find_identical_corpus(corpus_document: Mapping[str, Any], article_keys: Sequence[int]) -> Corpus | None:
    """Return the corpus with the archived slug if it has these articles in this order and no challenge owns it."""
    new = build_validated_row_from_json(Corpus, corpus_document, row_values.CORPUS_FIELDS)
    not_owned = Q(blind=False) | Q(owner__isnull=True)
    existing = Corpus.objects.filter(not_owned, slug=new.slug, blind=new.blind).first()
    if existing is None:
        return None
    rows = existing.corpusarticle_set.order_by("position").values_list("article_id", flat=True)
    return existing if list(rows) == list(article_keys) else None


def _find_free_corpus_slug(preferred: Sequence[str]) -> str:
    """Return the first free slug, or the last one with a number."""
    candidates = [*preferred, *(f"{preferred[-1][:44]}-{number}" for number in range(2, 1000))]
    taken = set(Corpus.objects.filter(slug__in=candidates).values_list("slug", flat=True))
    return next(slug[:50] for slug in candidates if slug not in taken)
