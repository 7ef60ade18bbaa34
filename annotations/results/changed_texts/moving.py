"""Moves annotations of texts that have been replaced to the text of their article, if it changed only slightly.

A current Result stays the same row and gets the version and the positions of the new text; a superseded copy keeps what
it was on the earlier text. Servers are asked again all the same, and their new answers supersede what was moved.
"""

from collections.abc import Sequence
from copy import copy

from django.db import connection, transaction
from django.db.models.functions import Now

from annotations.articles.imports.citation_storage import lock_imports_until_commit
from annotations.articles.models import Article, OlderText
from annotations.articles.text_alignment import TextAlignment
from annotations.articles.text_versions import get_unsaved_copy_with_older_text
from annotations.articles.versions import raise_article_versions
from annotations.results.changed_texts.moved_annotations import move_annotations
from annotations.results.models import Result
from annotations.results.queries import load_annotations_by_result_id, read_stored_results
from annotations.results.storage import store_annotations
from annotations.schema import AnnotationData

MOST_TEXTS_AT_ONCE = 100
ASSIGN_ANNOTATIONS_TO_COPIES = """
    UPDATE annotations_annotation SET result_id = copy
    FROM unnest(%s::bigint[], %s::bigint[]) AS copied (original, copy) WHERE result_id = original
"""


def move_annotations_of_replaced_texts() -> bool:
    """Handle some of the texts that were replaced, each in one transaction; returns whether there may be more."""
    texts = list(OlderText.objects.filter(unmoved=True).order_by("pk")[:MOST_TEXTS_AT_ONCE])
    for older in texts:
        _move_annotations_of_text(older)
    return len(texts) == MOST_TEXTS_AT_ONCE


@transaction.atomic
def _move_annotations_of_text(older: OlderText) -> None:
    """Move the current annotations of a replaced text, and note that this is done; without a slight change, only note.

    If one more Result on this text is stored at the same time, nothing is done, so that the next call moves all.
    """
    # What imports lock articles before Results is excluded; everything else locks Results first.
    lock_imports_until_commit(exclusive=False)
    current = Result.objects.filter(article=older.article_id, text_version=older.text_version, superseded__isnull=True)
    results = list(current.select_for_update().order_by("pk"))
    article = Article.objects.select_for_update(no_key=True).get(pk=older.article_id)
    if current.count() != len(results):
        return
    OlderText.objects.filter(pk=older.pk).update(unmoved=False)
    alignment = align_older_with_current_text(article, older.text_version)
    if results and article.text_version != older.text_version and alignment.is_slight_change:
        _move_results(results, article, alignment)


def _move_results(results: Sequence[Result], article: Article, alignment: TextAlignment) -> None:
    pks = [result.pk for result in results]
    annotations = load_annotations_by_result_id(read_stored_results(Result.objects.filter(pk__in=pks)))
    copies = Result.objects.bulk_create(map(_build_superseded_copy, results))
    with connection.cursor() as cursor:
        cursor.execute(ASSIGN_ANNOTATIONS_TO_COPIES, [pks, [each.pk for each in copies]])
    for result in results:
        _store_moved_result(result, annotations.get(result.pk, ()), article, alignment)
    raise_article_versions([article.pk])


def _build_superseded_copy(result: Result) -> Result:
    copied = copy(result)
    copied.pk, copied.call, copied.superseded = None, None, Now()
    return copied


def _store_moved_result(
    result: Result, annotations: Sequence[AnnotationData], article: Article, alignment: TextAlignment
) -> None:
    found = move_annotations(annotations, alignment)
    # What did not fit a text that came with the annotations was never on a version of the article's text.
    left_before = (result.not_movable or 0) if result.moved_from else 0
    Result.objects.filter(pk=result.pk).update(
        text_version=article.text_version,
        moved_from=result.moved_from or result.text_version,
        not_movable=left_before + len(found.not_movable),
    )
    store_annotations((result.pk, annotation) for annotation in found.moved)


def align_older_with_current_text(article: Article, text_version: int) -> TextAlignment:
    """The alignment of a kept older text with the article's: 1 query. Raises OlderText.DoesNotExist."""
    return TextAlignment(get_unsaved_copy_with_older_text(article, text_version).text, article.text)


def list_not_movable_annotations(result: Result, article: Article) -> Sequence[AnnotationData]:
    """The annotations that a moved Result had on its first text and that the article's text does not have: 3 queries.

    Empty if nothing was left behind, the earlier text is no longer kept, or the annotations came with their own text.
    """
    if not result.not_movable or not result.moved_from:
        return ()
    earlier = Result.objects.filter(
        article=article, producer=result.producer_id, kind=result.kind, text_version=result.moved_from
    )
    last = read_stored_results(earlier.order_by("-received", "-pk")[:1])
    annotations = load_annotations_by_result_id(last)
    alignment = align_older_with_current_text(article, result.moved_from)
    return [
        annotation
        for each in last
        for annotation in move_annotations(annotations.get(each.id, ()), alignment).not_movable
    ]
