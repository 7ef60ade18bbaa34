"""What the database holds for the page of an article with its current text; nothing in it depends on a choice."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.handlers.wsgi import WSGIRequest

from annotations.articles.models import Article
from annotations.results.queries import StoredResult, list_current_results_on_any_text
from bcms.article_annotations.calibrated_confidences import LearnedCalibrations, load_newest_visible_calibrations
from bcms.article_page.server_status import AnnotationSource, list_queues_with_last_calls
from bcms.digital_abstracts.article_section import CurationSection, load_curation_section
from evaluation.visibility import list_producers_on_page


@dataclass(frozen=True, slots=True)
class ArticleRecords:
    """What one reader may see of an article.

    latest: the current Results, also those on an older text. curation: the digital abstract, None for blind articles.
    """

    article: Article
    sources: Sequence[AnnotationSource]
    latest: Sequence[StoredResult]
    calibrations: LearnedCalibrations
    curation: CurationSection | None


def load_article_records(request: WSGIRequest, article: Article) -> ArticleRecords:
    sources = list_queues_with_last_calls(article, list_producers_on_page(request), request.user)
    return ArticleRecords(
        article,
        sources,
        list_current_results_on_any_text(article, [source.producer for source in sources]),
        load_newest_visible_calibrations(request.user, {source.slug for source in sources}),
        load_curation_section(article, request.user),
    )
