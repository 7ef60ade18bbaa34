"""Two servers side by side on one article: the text as each of them marks it, and what both or only one reports."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from django.core.handlers.wsgi import WSGIRequest
from django.urls import reverse
from django.utils.safestring import SafeString

from annotations.articles.models import Article
from annotations.results.collation import AnnotationGroup, GroupOrder
from annotations.results.heat_map import MentionParts
from annotations.results.queries import StoredResult, list_current_results_on_any_text
from annotations.schema import KIND_LABELS, Kind
from bcms.article_annotations.calibrated_confidences import load_newest_visible_calibrations
from bcms.article_page.annotation_list import AnnotationList
from bcms.article_page.collated_article import CollatedArticle, load_collated_article
from bcms.article_page.comparison.compared_passages import ComparedPassage, build_compared_passages
from bcms.article_page.comparison.server_pair import complete_server_pair
from bcms.article_page.reader_choice import (
    LISTED_KINDS,
    LONGEST_PARAMETER,
    AnnotationFilters,
    ReaderChoice,
    read_open_details,
)
from bcms.article_page.server_status import AnnotationSource, list_queues_with_last_calls
from bcms.article_page.template_data import VoteLine
from bcms.article_page.text.marked_text import get_plain_parts
from bcms.article_page.vote_list import PageWithRows, render_annotation_rows
from evaluation.visibility import list_producers_on_page
from servers.review.reader_choice import includes_unreviewed_on_page

MOST_ROWS = 100


@dataclass(frozen=True, slots=True)
class ReportedPart:
    """What both servers or only one of them report; rows is HTML of the first of count annotations."""

    label: str
    count: int
    rows: SafeString

    @property
    def hidden(self) -> int:
        return max(0, self.count - MOST_ROWS)


@dataclass(frozen=True, slots=True)
class ComparedKind:
    """The annotations of one kind: only by the first server, by both, only by the second.

    missing: the servers that did not annotate this kind.
    """

    kind: Kind
    parts: Sequence[ReportedPart]
    missing: Sequence[str]

    @property
    def label(self) -> str:
        return KIND_LABELS[self.kind]


@dataclass(frozen=True)
class Comparison(PageWithRows):
    """The comparison of two servers, for its template.

    options: the slugs of the servers that can be chosen, with their labels. slugs: of the two compared servers, in the
    reader's order; of fewer if fewer have answered.
    """

    reading: CollatedArticle
    ident: str
    options: Mapping[str, str]
    slugs: Sequence[str]

    @property
    def article(self) -> Article:
        return self.reading.article

    @property
    def labels(self) -> list[str]:
        return [self.options[slug] for slug in self.slugs]

    @property
    def has_two(self) -> bool:
        return len(self.slugs) == 2

    # URLs, as the rows of a list need them

    @cached_property
    def article_url(self) -> str:
        return reverse("article", args=[self.ident])

    @cached_property
    def servers_query(self) -> str:
        """The query string with the two servers, for this page and for the article's page."""
        unreviewed = [("unreviewed", "1")] * self.reading.choice.unreviewed
        return "?" + urlencode([*(("server", slug) for slug in self.slugs), *unreviewed])

    @cached_property
    def mention_query(self) -> str:
        return f"{self.article_url}{self.servers_query}&kind=mention&mention="

    @cached_property
    def relation_query(self) -> str:
        return f"{self.article_url}{self.servers_query}&kind=relation&relation="

    @property
    def no_relation_query(self) -> str:
        return f"{self.article_url}{self.servers_query}&kind=relation"

    @property
    def portion_query(self) -> str:
        return f"{self.servers_query}&portion="

    # The text

    @cached_property
    def _mentions_by_slug(self) -> dict[str, list[MentionParts]]:
        mentions: dict[str, list[MentionParts]] = {slug: [] for slug in self.slugs}
        for result in self.reading.results_by_kind[Kind.MENTION].values():
            mentions[result.source.slug] += [get_plain_parts(each) for each in result.annotations]
        return mentions

    @property
    def marks_text(self) -> bool:
        return any(self._mentions_by_slug.values())

    @property
    def passages(self) -> list[ComparedPassage]:
        """The title and the passages of the portions that are shown."""
        if not self.article.passages:
            return []
        numbers = list(dict.fromkeys([0, *self.reading.portions.passages]))
        return build_compared_passages(self.article, self._mentions_by_slug.values(), numbers, self.mention_query)

    # The annotations of the article

    @property
    def kinds(self) -> list[ComparedKind]:
        """Mentions come last: the text shows them already."""
        kinds = sorted(LISTED_KINDS, key=lambda kind: kind == Kind.MENTION)
        return [self._compare_kind(kind) for kind in kinds if self.reading.results_by_kind[kind]]

    def _compare_kind(self, kind: Kind) -> ComparedKind:
        listed = AnnotationList(self.reading, kind)
        slugs = {producer: each.source.slug for producer, each in listed.results.items()}
        groups: dict[frozenset[str], list[AnnotationGroup]] = {}
        for group in listed.groups:
            groups.setdefault(frozenset(slugs[vote.producer] for vote in group.votes), []).append(group)
        first, second = self.slugs
        # Pairs, as servers of two teams may have the same name.
        parts = [
            (f"Only {self.options[first]}", frozenset({first})),
            ("Both", frozenset(self.slugs)),
            (f"Only {self.options[second]}", frozenset({second})),
        ]
        return ComparedKind(
            kind,
            [self._build_part(label, listed, groups.get(by, [])) for label, by in parts],
            [self.options[slug] for slug in self.slugs if slug not in slugs.values()],
        )

    def _build_part(self, label: str, listed: AnnotationList, groups: Sequence[AnnotationGroup]) -> ReportedPart:
        rows = [listed.build_row(group) for group in groups[:MOST_ROWS]]
        return ReportedPart(label, len(groups), render_annotation_rows(self, listed.kind, rows))

    @property
    def classifications(self) -> Sequence[VoteLine]:
        """The servers' yes or no on the article."""
        return self.reading.bar.lines if self.reading.bar else ()


def build_comparison(request: WSGIRequest, article: Article, ident: str) -> Comparison:
    """The comparison of the servers in `server` of the query; completed to two that have kinds in common."""
    sources = list_queues_with_last_calls(article, list_producers_on_page(request), request.user)
    latest = list_current_results_on_any_text(article, [source.producer for source in sources])
    results = [result for result in latest if result.text_version == article.text_version]
    options = _list_answered_servers(sources, results)
    asked = [slug for slug in request.GET.getlist("server") if slug in options]
    slugs = complete_server_pair(asked, _list_annotated_kinds(options, sources, results))
    choice = ReaderChoice(
        kind=None,
        order=GroupOrder.SERVERS,
        mention=None,
        filters=AnnotationFilters(servers=tuple(slugs)),
        unreviewed=includes_unreviewed_on_page(request),
        portion=request.GET.get("portion", "")[:LONGEST_PARAMETER],
        open_details=read_open_details(request.GET),
    )
    calibrations = load_newest_visible_calibrations(request.user, set(slugs))
    reading = load_collated_article(article, sources, results, choice, calibrations.curves)
    return Comparison(reading, ident, options, slugs)


def _list_answered_servers(sources: Sequence[AnnotationSource], results: Sequence[StoredResult]) -> dict[str, str]:
    """The slugs of the servers with a result, each with its label: that of its LIVE queue if that answered."""
    answered = {result.producer for result in results}
    labels: dict[str, str] = {}
    for source in sorted(sources, key=lambda each: (not each.live, each.name, each.producer)):
        if source.producer in answered:
            labels.setdefault(source.slug, source.label)
    return dict(sorted(labels.items(), key=lambda item: item[1].casefold()))


def _list_annotated_kinds(
    slugs: Iterable[str], sources: Sequence[AnnotationSource], results: Sequence[StoredResult]
) -> dict[str, set[Kind]]:
    slug_by_producer = {source.producer: source.slug for source in sources}
    kinds: dict[str, set[Kind]] = {slug: set() for slug in slugs}
    for result in results:
        kinds[slug_by_producer[result.producer]].add(result.kind)
    return kinds
