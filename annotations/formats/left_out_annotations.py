"""What an export leaves out because its format has no place for it, as a file beside it.

Some formats have no comments, so a file cannot say itself what it does not have.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from annotations.formats.articles.annotated_article import AnnotatedArticle, ProducerResult
from annotations.formats.tsv.writer import write_annotations_as_tsv
from annotations.schema import AnnotationData

# For an article: whether the format leaves an annotation of it out.
FindLeftOut = Callable[[AnnotatedArticle], Callable[[AnnotationData], bool]]


def write_left_out_annotations(articles: Iterable[AnnotatedArticle], find_left_out: FindLeftOut) -> Iterator[str]:
    """The annotations that are left out, as TSV with a line of column names; nothing else if all are written."""
    return write_annotations_as_tsv(_keep_left_out(article, find_left_out(article)) for article in articles)


def _keep_left_out(article: AnnotatedArticle, is_left_out: Callable[[AnnotationData], bool]) -> AnnotatedArticle:
    return replace(article, results=[_filter_result(result, is_left_out) for result in article.results])


def _filter_result(result: ProducerResult, is_left_out: Callable[[AnnotationData], bool]) -> ProducerResult:
    return replace(result, annotations=[each for each in result.annotations if is_left_out(each)])
