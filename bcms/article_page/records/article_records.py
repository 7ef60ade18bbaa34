"""What the database holds for the page of an article with its current text; nothing in it depends on a choice."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from annotations.articles.models import Article
from annotations.results.queries import StoredResult, list_current_results_on_any_text
from bcms.article_annotations.calibrated_confidences import LearnedCalibrations, load_newest_visible_calibrations
from bcms.article_page.server_status import AnnotationSource, list_queues_with_last_calls
from bcms.digital_abstracts.article_section import (
    CurationSection,
    add_own_curations,
    load_visitors_curation_section,
)
from evaluation.visibility import list_visible_producers
from servers.teams.permissions import User


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


def load_article_records(article: Article, reader: User, *, with_unreviewed: bool = False) -> ArticleRecords:
    """What the reader may see; curation is what visitors see of it."""
    producers = list_visible_producers(reader, with_unreviewed=with_unreviewed)
    sources = list_queues_with_last_calls(article, producers, reader)
    return ArticleRecords(
        article,
        sources,
        list_current_results_on_any_text(article, [source.producer for source in sources]),
        load_newest_visible_calibrations(reader, {source.slug for source in sources}),
        load_visitors_curation_section(article),
    )


def add_curations_of_reader(records: ArticleRecords, reader: User) -> ArticleRecords:
    """The records with the reader's own curations: no query for visitors, 1 for accounts without a digital abstract."""
    return replace(records, curation=add_own_curations(records.curation, records.article, reader))
