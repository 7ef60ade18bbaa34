"""Compare a run with the gold standard article by article, for its page and the API."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from django.db.models import Exists, F, OuterRef

from annotations.articles.models import Article, ArticleTakedown, CorpusArticle
from annotations.articles.queries import annotate_recorded_ids, format_pmid_or_opaque
from annotations.identifiers.namespaces import build_entry_url_or_empty
from annotations.identifiers.queries import find_named_entries
from annotations.results.annotation_rows import ANNOTATION_ROW_FIELDS, read_annotation_row
from annotations.results.models import Result
from annotations.schema import AnnotationData, Kind, Shape, Span
from evaluation.challenges.articles import list_unexcluded_article_names
from evaluation.challenges.models import Phase, Task
from evaluation.gold.alternatives import find_decrypted_alternatives
from evaluation.gold.models import GoldStandard
from evaluation.measures.leaderboard_figures import list_distinct_gene_or_untyped_spans
from evaluation.measures.list_order import sort_key_by_rank_else_confidence
from evaluation.measures.mentions.gene_mentions import split_found_genes_and_false_positives
from evaluation.measures.scored_annotations import KINDS_OF_DATABASE_IDENTIFIERS, keep_scored_annotations_by_article
from evaluation.measures.task_settings import TaskSettings
from evaluation.runs.models import Run
from evaluation.runs.run_page.marked_text import (
    FALSE_NEGATIVE,
    FALSE_POSITIVE,
    TRUE_POSITIVE,
    MarkedPart,
    mark_spans,
    mark_text,
)
from evaluation.runs.run_page.open_comparison import NamedEntries, describe_item, match_open_items
from evaluation.scoring.answers import list_result_kinds
from evaluation.scoring.gold_databases import load_gold_databases

ARTICLES_PER_PAGE = 25


@dataclass(frozen=True, slots=True)
class LinkedItem:
    """An item as shown on a page. page: its URL in its database, empty if it has none; name: of its entry, if known."""

    text: str
    page: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class ArticleComparison:
    """One article of a run compared with the gold standard.

    name: the article's name in the phase; page: the identifier in its page's URL, empty in a blind phase. Items are in
    found (true positives), missed (false negatives) and false (false positives). Classes are in said (of the run) and
    right (of the gold standard), which are empty for other kinds. marked: the text with the positions of items, if any.
    An article that was taken down has no title and no text.
    """

    name: str
    page: str
    title: str
    answered: bool
    found: Sequence[LinkedItem]
    missed: Sequence[LinkedItem]
    false: Sequence[LinkedItem]
    said: str = ""
    right: str = ""
    marked: Sequence[MarkedPart] = ()

    @property
    def faulty(self) -> bool:
        return bool(self.missed or self.false) or self.said != self.right


def collect_annotation_keys(annotations: Sequence[AnnotationData]) -> set[object]:
    return {annotation.key for annotation in annotations}


def compare_run_with_gold_by_article(
    run: Run, gold: GoldStandard, article_ids: Sequence[int]
) -> list[ArticleComparison]:
    """Compare the scored annotations of the articles with these keys, in the given order."""
    blind, has_mentions, settings = run.phase.corpus.blind, run.task.has_gene_mentions, run.task.get_settings()
    has_text = has_mentions or settings is not None
    fields = ("pk", "pmid", "doi", "opaque", "passages", *(["text"] if has_text else []))
    rows = _load_articles_without_texts_taken_down(article_ids, fields)
    gold_annotations, run_annotations = (
        _load_task_annotations_by_article(producer, run.task, article_ids)
        for producer in (gold.producer_id, run.producer_id)
    )
    if settings is not None:
        entries = _find_entries_of_entities([*gold_annotations.values(), *run_annotations.values()])
        return [
            _compare_open_items_in_article(
                run.task,
                settings,
                entries,
                rows[pk],
                gold_annotations.get(pk, []),
                run_annotations.get(pk),
                blind=blind,
            )
            for pk in article_ids
        ]
    databases = load_gold_databases(gold) if Kind(run.task.kind) in KINDS_OF_DATABASE_IDENTIFIERS else frozenset()
    run_annotations = keep_scored_annotations_by_article(run_annotations, databases)
    if has_mentions:
        alternatives = find_decrypted_alternatives(gold) or {}
        return [
            _compare_mentions_in_article(
                rows[pk], gold_annotations.get(pk, []), run_annotations.get(pk), alternatives.get(pk, ()), blind=blind
            )
            for pk in article_ids
        ]
    entries = _find_entries_of_database_identifiers([*gold_annotations.values(), *run_annotations.values()])
    return [
        _compare_items_in_article(
            rows[pk], Kind(run.task.kind), entries, gold_annotations.get(pk, []), run_annotations.get(pk), blind=blind
        )
        for pk in article_ids
    ]


def _load_articles_without_texts_taken_down(article_ids: Sequence[int], fields: Sequence[str]) -> dict[int, Any]:
    """The articles with their recorded ids, without title and text if administrators took them down: 1 query."""
    taken_down = ArticleTakedown.objects.filter(article=OuterRef("pk"))
    articles = annotate_recorded_ids(Article.objects.filter(pk__in=article_ids)).only(*fields)
    rows: dict[int, Any] = articles.annotate(is_taken_down=Exists(taken_down)).in_bulk()
    for article in rows.values():
        if article.is_taken_down:
            article.text, article.passages = "", []
    return rows


def _load_task_annotations_by_article(
    producer: int | None, task: Task, articles: Sequence[int]
) -> dict[int, list[AnnotationData]]:
    """The current annotations that count in the task; one query for each kind of them."""
    by_article: dict[int, list[AnnotationData]] = {}
    for kind in list_result_kinds(task):
        for article, annotations in _load_annotations_by_article(producer, kind, articles).items():
            by_article.setdefault(article, []).extend(annotations)
    return by_article


def _load_annotations_by_article(
    producer: int | None, kind: str, articles: Sequence[int]
) -> dict[int, list[AnnotationData]]:
    """Return a producer's current annotations of these articles; an empty Result gives an empty list. One query."""
    current = Result.objects.filter(producer=producer, kind=kind, superseded__isnull=True, article__in=articles)
    if kind == Kind.MENTION:
        current = current.filter(text_version=F("article__text_version"))
    fields = ("article_id", "annotations__pk", *(f"annotations__{name}" for name in ANNOTATION_ROW_FIELDS))
    rows = current.order_by("annotations__pk").values_list(*fields)
    by_article: dict[int, list[AnnotationData]] = {}
    for article, key, *row in rows:
        annotations = by_article.setdefault(article, [])
        if key is not None:
            annotations.append(read_annotation_row(Kind(kind), *row))
    return by_article


def _compare_open_items_in_article(
    task: Task,
    settings: TaskSettings,
    entries: NamedEntries,
    article: Article,
    gold_annotations: list[AnnotationData],
    run_annotations: list[AnnotationData] | None,
    *,
    blind: bool,
) -> ArticleComparison:
    matched = match_open_items(task, settings, gold_annotations, run_annotations or [])
    groups = (matched.found, matched.missed, matched.false)
    items = [[_build_open_item(annotation, entries) for annotation in group] for group in groups]
    marked = mark_text(article.text, matched)
    return _build_marked_comparison(article, items, marked, answered=run_annotations is not None, blind=blind)


def _build_marked_comparison(
    article: Article,
    items: Sequence[Sequence[LinkedItem]],
    marked: Sequence[MarkedPart],
    *,
    answered: bool,
    blind: bool,
) -> ArticleComparison:
    """items: those found, missed and false; marked: the text with their marks."""
    name, page = _get_article_name_and_page(article, blind=blind)
    found, missed, false = items
    return ArticleComparison(name, page, article.title, answered, found, missed, false, marked=marked)


def _find_entries_of_entities(annotations_of_articles: Iterable[Sequence[AnnotationData]]) -> NamedEntries:
    """The entries of entities and relations, which may have no text; mentions have one. At most one query."""
    textless = (one for one in chain.from_iterable(annotations_of_articles) if one.shape is not Shape.MENTION)
    return find_named_entries({entity for annotation in textless for entity in annotation.iter_entity_ids()})


def _find_entries_of_database_identifiers(annotations_of_articles: Iterable[Sequence[AnnotationData]]) -> NamedEntries:
    """The entries of annotations with one identifier: 1 query, none for classes and pairs."""
    linked = (one for one in chain.from_iterable(annotations_of_articles) if one.database and not one.partner)
    return find_named_entries({(one.database, one.identifier) for one in linked})


def _build_open_item(annotation: AnnotationData, entries: NamedEntries) -> LinkedItem:
    links = list(annotation.iter_entity_ids()) if annotation.shape is not Shape.RELATION else []
    url = build_entry_url_or_empty(*links[0]) if len(links) == 1 else ""
    return LinkedItem(describe_item(annotation, entries), url)


def _compare_mentions_in_article(
    article: Article,
    gold_annotations: list[AnnotationData],
    run_annotations: list[AnnotationData] | None,
    accepted: Collection[Span],
    *,
    blind: bool,
) -> ArticleComparison:
    """Compare gene mentions, in text order. An accepted alternative is found, even if its gene was found before."""
    genes, reported = (
        list_distinct_gene_or_untyped_spans(gold_annotations),
        list_distinct_gene_or_untyped_spans(run_annotations or []),
    )
    found_genes, false_positives = split_found_genes_and_false_positives(genes, accepted, reported)
    spans = {
        TRUE_POSITIVE: [span for span in reported if span not in false_positives],
        FALSE_NEGATIVE: [span for span in genes if span not in found_genes],
        FALSE_POSITIVE: [span for span in reported if span in false_positives],
    }
    items = [[_format_mention_item(article, span) for span in group] for group in spans.values()]
    marked = mark_spans(article.text, spans)
    return _build_marked_comparison(article, items, marked, answered=run_annotations is not None, blind=blind)


def _format_mention_item(article: Article, span: Span) -> LinkedItem:
    return LinkedItem(f"{article.text[slice(*span)]} ({span.start}-{span.end})".strip(), "")


def _get_article_name_and_page(article: Any, *, blind: bool) -> tuple[str, str]:
    """Return the name in the phase of an article with its recorded ids, and the identifier in its page's URL."""
    if blind:
        return article.opaque, ""
    return str(article.recorded_pmid or article.recorded_doi or article.opaque), format_pmid_or_opaque(article)


def _compare_items_in_article(
    article: Article,
    kind: Kind,
    entries: NamedEntries,
    gold_annotations: list[AnnotationData],
    run_annotations: list[AnnotationData] | None,
    *,
    blind: bool,
) -> ArticleComparison:
    name, page = _get_article_name_and_page(article, blind=blind)
    reported = sorted(
        run_annotations or [],
        key=lambda annotation: (
            *sort_key_by_rank_else_confidence(annotation),
            annotation.identifier,
            annotation.partner,
        ),
    )
    if kind == Kind.CLASSIFICATION:
        return ArticleComparison(
            name,
            page,
            article.title,
            run_annotations is not None,
            [],
            [],
            [],
            format_relevance(reported),
            format_relevance(gold_annotations),
        )
    gold_keys, reported_keys = collect_annotation_keys(gold_annotations), collect_annotation_keys(reported)
    # As in scores, predictions for an article without gold items cost nothing.
    false_positives = [annotation for annotation in reported if annotation.key not in gold_keys] if gold_keys else []
    return ArticleComparison(
        name,
        page,
        article.title,
        run_annotations is not None,
        _list_linked_items((each for each in reported if each.key in gold_keys), entries),
        _list_linked_items((each for each in gold_annotations if each.key not in reported_keys), entries),
        _list_linked_items(false_positives, entries),
    )


def format_relevance(annotations: Iterable[AnnotationData]) -> str:
    """The class in words; an article without a class counts as not relevant."""
    return "relevant" if any(annotation.relevant for annotation in annotations) else "not relevant"


def _list_linked_items(annotations: Iterable[AnnotationData], entries: NamedEntries) -> list[LinkedItem]:
    return [_build_linked_item(annotation, entries) for annotation in annotations]


def _build_linked_item(annotation: AnnotationData, entries: NamedEntries) -> LinkedItem:
    if annotation.text:
        return LinkedItem(f"{annotation.identifier} - {annotation.partner}: {annotation.text}", "")
    if annotation.partner:
        return LinkedItem(f"{annotation.identifier} - {annotation.partner}", "")
    entry = entries.get((annotation.database, annotation.identifier))
    url = build_entry_url_or_empty(annotation.database, annotation.identifier)
    return LinkedItem(annotation.identifier, url, (entry.symbol or entry.name) if entry else "")


def list_unexcluded_article_ids_in_corpus_order(phase: Phase) -> list[int]:
    """The keys of the articles that count, in the order of the corpus."""
    counted = list_unexcluded_article_names(phase)
    rows = (
        CorpusArticle.objects.filter(corpus=phase.corpus_id).order_by("position").values_list("article_id", flat=True)
    )
    return [pk for pk in rows if pk in counted]
