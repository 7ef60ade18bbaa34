"""The page of a pasted text: its annotations side by side, drawn as those of an article."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.core.handlers.wsgi import WSGIRequest
from django.urls import reverse
from django.utils import timezone

from annotations.articles.models import Article
from annotations.identifiers.queries import find_entry_descriptions
from annotations.results.annotation_rows import read_annotation_row
from annotations.results.queries import StoredResult
from annotations.schema import AnnotationData, Kind
from bcms.article_annotations.calibrated_confidences import load_newest_visible_calibrations
from bcms.article_page.collated_article import CollatedArticle
from bcms.article_page.collation.loaded_annotations import load_names_of_annotations
from bcms.article_page.mention_panel import build_mention_panel
from bcms.article_page.page import ArticlePage, build_page_consensus
from bcms.article_page.reader_choice import read_reader_choice_ignoring_invalid
from bcms.article_page.server_status import AnnotationSource
from bcms.pasted_texts.call_states import CallStatus, compute_states_version, describe_calls, is_any_open
from servers.calls.states import QueueMode
from servers.pasted_texts.models import PastedCallState, PastedText, PastedTextCall
from servers.registry.states import ServerState
from servers.review.states import ReviewState

KINDS = list(Kind)


@dataclass(frozen=True, kw_only=True)
class AnswersPage(ArticlePage):
    """The parts of an article's page that a pasted text has, and the states of its servers."""

    pasted: PastedText
    statuses: Sequence[CallStatus]

    @property
    def live_url(self) -> str:
        page = str(self.reading.choice.page or "")
        return f"{reverse('pasted-text-live', args=[self.ident])}{self.build_query(page=page)}"

    @cached_property
    def results_url(self) -> str:
        """Answers have no pages of their own."""
        return ""

    @property
    def announcement(self) -> str:
        ended = sum(not each.is_open for each in self.statuses)
        return f"{ended} of {len(self.statuses)} servers have answered or ended."

    @property
    def expires(self) -> object:
        return self.pasted.expires


def build_answers_page(request: WSGIRequest, pasted: PastedText, calls: Sequence[PastedTextCall]) -> AnswersPage:
    """calls: those of the text, as list_calls_with_servers lists them."""
    answered = [call for call in calls if call.state == PastedCallState.ANSWERED]
    article = build_unsaved_article(pasted)
    annotations_by_result = {
        result_id: annotations for call in answered for result_id, annotations in _group_by_result(call).items()
    }
    results = [result for call in answered for result in _build_results(call)]
    calibrations = load_newest_visible_calibrations(request.user, {call.server.slug for call in answered})
    reading = CollatedArticle(
        article,
        [_build_source(call) for call in answered],
        results,
        load_names_of_annotations(article, results, annotations_by_result),
        read_reader_choice_ignoring_invalid(request),
        calibrations.curves,
    )
    statuses = describe_calls(calls, pasted.created, timezone.now())
    return AnswersPage(
        reading=reading,
        chosen=build_mention_panel(reading, find_entry_descriptions(reading.chosen_entries)),
        agreement=build_page_consensus(reading, calibrations),
        servers=[],
        version=compute_states_version(statuses),
        done=not is_any_open(statuses),
        ask=False,
        ident=str(pasted.key),
        pasted=pasted,
        statuses=statuses,
    )


def build_unsaved_article(pasted: PastedText) -> Article:
    """The text in the form in which texts are drawn; it is never stored."""
    title, *rest = pasted.lines
    passages = [{"type": "title", "text": title}, *({"type": "paragraph", "text": line} for line in rest)]
    return Article(passages=passages, text=pasted.canonical_text)


def _make_result_id(call: PastedTextCall, kind: Kind) -> int:
    return call.pk * len(KINDS) + KINDS.index(kind)


def _build_results(call: PastedTextCall) -> list[StoredResult]:
    """One for each kind that the server was registered for, as if they were stored."""
    return [
        StoredResult(
            id=_make_result_id(call, Kind(kind)),
            kind=Kind(kind),
            producer=call.pk,
            received=call.finished or call.text.created,
            duration=call.seconds,
            empty_reason="",
            text_version=1,
            stated_version=call.stated_version,
        )
        for kind in call.kinds
    ]


def _group_by_result(call: PastedTextCall) -> Mapping[int, list[AnnotationData]]:
    annotations: dict[int, list[AnnotationData]] = {}
    for name, *row in call.annotations:
        kind = Kind(name)
        annotations.setdefault(_make_result_id(call, kind), []).append(read_annotation_row(kind, *row))
    return annotations


def _build_source(call: PastedTextCall) -> AnnotationSource:
    server = call.server
    return AnnotationSource(
        queue=0,
        mode=QueueMode.LIVE,
        producer=call.pk,
        renewed=0,
        server=server.pk,
        name=server.name,
        slug=server.slug,
        server_state=ServerState(server.state),
        resting=False,
        review=ReviewState(server.review),
        askable=True,
        call=None,
    )
