"""The article page: everything it shows, and the URLs of everything that a reader can choose on it."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import urlencode

from django.core.handlers.wsgi import WSGIRequest
from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from annotations.articles.models import Article, OlderText
from annotations.articles.text_versions import get_unsaved_copy_with_older_text, list_older_text_versions_newest_first
from annotations.identifiers.namespaces import build_entry_url_or_empty
from annotations.identifiers.queries import find_entry_descriptions
from annotations.results.classification_balance import ClassificationBalance
from annotations.results.collation import GroupOrder
from annotations.results.queries import list_last_even_superseded_results_on_text
from annotations.schema import Kind
from bcms.article_annotations.calibrated_confidences import LearnedCalibrations, load_newest_visible_calibrations
from bcms.article_page.annotation_list import AnnotationList
from bcms.article_page.collated_article import CollatedArticle, list_annotating_producers, load_collated_article
from bcms.article_page.comparison.server_pair import complete_server_pair
from bcms.article_page.consensus_panel import ConsensusPanel, ConsensusVoter, build_consensus_panel
from bcms.article_page.live_version import compute_page_version
from bcms.article_page.mention_panel import build_mention_panel
from bcms.article_page.mentions.shared_articles import SharedEntity, list_shared_entities
from bcms.article_page.reader_choice import REMEMBER_PARAMETER, OpenFolds, read_reader_choice_ignoring_invalid
from bcms.article_page.records.article_records import ArticleRecords, add_curations_of_reader, load_article_records
from bcms.article_page.server_status import (
    ServerLine,
    build_live_and_asked_server_lines,
    has_untried_askable_server_for_current_text,
    iter_queue_call_states,
    list_queues_with_last_calls,
)
from bcms.article_page.template_data import MentionPanel
from bcms.article_page.text.heat_legend import list_heat_levels
from bcms.article_page.text.marked_text import format_parts, render_pieces_with_mention_links
from bcms.article_page.vote_list import PageWithRows, render_annotation_rows, render_vote_list_items
from bcms.digital_abstracts.article_section import CurationSection
from bcms.lib.rest.numbers import parse_positive_int32
from evaluation.visibility import list_producers_on_page
from servers.review.reader_choice import includes_unreviewed_on_page

MOST_AUTHORS = 12
# A longer text is rendered by the browser only as it scrolls into view.
LONG_TEXT_PASSAGES = 20


@dataclass(frozen=True)
class ArticlePage(PageWithRows):
    """The content of the article page and of its refreshed part.

    done: no server is awaited or left to ask. ask: some server can be asked. move_up: the article waits in the queue of
    some server, but not at its head. older: how many results are on an older text; older_versions: which older texts
    are kept. present_version: on a page with an older text, the current version of the text. curation: the digital
    abstract, None for blind articles and older texts. shared_entities: those that other articles have together with the
    chosen one.
    """

    reading: CollatedArticle
    chosen: MentionPanel | None
    agreement: ConsensusPanel
    servers: list[ServerLine]
    version: str
    done: bool
    ask: bool
    ident: str
    move_up: bool = False
    older: int = 0
    older_versions: Sequence[int] = ()
    present_version: int | None = None
    curation: CurationSection | None = None
    shared_entities: Sequence[SharedEntity] = ()

    @property
    def article(self) -> Article:
        return self.reading.article

    @property
    def live_url(self) -> str:
        page = str(self.reading.choice.page or "")
        return f"{reverse('article-live', args=[self.ident])}{self.build_query(page=page)}"

    @property
    def legend(self) -> list[tuple[int, str]]:
        return list_heat_levels(self.reading.looked)

    @property
    def passages(self) -> list[tuple[int, str, SafeString]]:
        """The number, from 1, the type and the marked text of each passage that is shown."""
        return [
            (passage.number, passage.type, render_pieces_with_mention_links(passage.pieces, self.mention_query))
            for passage in self.reading.passages
        ]

    @property
    def abstract_end(self) -> int:
        """The number of passages up to the end of the abstract, or of all if there is nothing after it."""
        types = [passage["type"] for passage in self.article.passages]
        following = (number for number, each in enumerate(types) if each not in ("title", "abstract"))
        return next(following, len(types)) if "abstract" in types else len(types)

    @cached_property
    def listing(self) -> AnnotationList:
        return AnnotationList(self.reading, self.reading.kind)

    @property
    def rows_html(self) -> SafeString:
        """The rows of the list, each with its votes. A page has hundreds of them, too many for a template of Django."""
        return render_annotation_rows(self, self.reading.kind, self.listing.rows)

    @property
    def chosen_votes_html(self) -> SafeString:
        """What each server says of the chosen mention."""
        votes = self.chosen.votes if self.chosen else ()
        return render_vote_list_items(votes, self.server_url, self.results_url, self.results_query)

    @property
    def compare_query(self) -> str:
        """The query string of the comparison of two servers, "" if fewer have answered or the text is an older one."""
        kinds: dict[str, set[Kind]] = {}
        for each in self.reading.source_results:
            kinds.setdefault(each.source.slug, set()).add(each.result.kind)
        if len(kinds) < 2 or self.present_version:
            return ""
        chosen = complete_server_pair([slug for slug in self.reading.slugs if slug in kinds], kinds)
        unreviewed = [("unreviewed", "1")] * self.reading.choice.unreviewed
        return "?" + urlencode([*(("server", slug) for slug in chosen), *unreviewed])

    @property
    def rows_signature(self) -> str:
        """A checksum that changes whenever the rows of the list do, apart from what is chosen among them."""
        results = sorted(result.result.id for result in self.reading.source_results)
        # The row of the chosen relation has another link. Names of entries and servers change with the version. What is
        # folded is the browser's to keep.
        link_query = self.build_query(mention="", beside="", relation="", open="")
        queries = (link_query, self.results_query, self.reading.choice.relation)
        state = (self.version, self.reading.text_signature, results, self.listing.row_ids, queries)
        return f"{zlib.crc32(repr(state).encode()):08x}"

    @property
    def long(self) -> bool:
        return len(self.article.passages) > LONG_TEXT_PASSAGES

    @property
    def highlighted_keys(self) -> str:
        """The keys of the highlighted names, for the script of a page that has the text already."""
        return " ".join(sorted(self.reading.highlight.name_keys))

    @property
    def pubmed(self) -> str:
        return build_entry_url_or_empty("pubmed", str(self.article.pmid or ""))

    @property
    def doi(self) -> str:
        return build_entry_url_or_empty("doi", self.article.doi)

    @property
    def authors(self) -> str:
        names = [str(name) for name in self.article.metadata.get("authors", ())]
        return ", ".join(names[:MOST_AUTHORS]) + (" and others" if len(names) > MOST_AUTHORS else "")

    @property
    def balance_text(self) -> str:
        return _format_balance(self.reading.bar.balance) if self.reading.bar else ""

    @property
    def announcement(self) -> str:
        """The text that screen readers read out when it changes."""
        answered = len({result.source.server for result in self.reading.source_results})
        text = f"{answered} of {len(self.servers)} servers answered."
        if chosen := self.chosen:
            noun = "entries" if self.reading.mention_links.given_links else "genes or proteins"
            return f"{text} {chosen.text}: {len(chosen.genes)} {noun}, {chosen.sentences} sentences."
        return text

    @property
    def close_query(self) -> str:
        return self.build_query(mention="", beside="", open=self.reading.choice.format_open_details(without="why"))

    def build_query(self, **changes: str) -> str:
        return "?" + urlencode(self.list_query_pairs(**changes))

    def list_query_pairs(self, **changes: str) -> list[tuple[str, str]]:
        """The reader's choice as query parameters, with these changes, and without the page of the list."""
        choice = self.reading.choice
        chosen = {
            "kind": self.reading.kind.value,
            "order": choice.order.value if choice.order != GroupOrder.SERVERS else "",
            "mention": format_parts(choice.mention) if choice.mention else "",
            "beside": format_parts(choice.beside) if choice.beside else "",
            "show": choice.show.value,
            "text": str(self.article.text_version) if self.present_version else "",
            "unreviewed": "1" if choice.unreviewed else "",
            "relation": choice.relation,
            "type": self.reading.chosen_type.key if self.reading.chosen_type else "",
            "portion": self.reading.portions.parameter,
            "open": choice.format_open_details(),
        }
        pairs = [(key, value) for key, value in {**chosen, **changes}.items() if value]
        return pairs + choice.filters.list_filter_pairs() + choice.rule.list_rule_pairs()

    # Queries of links, each without the value at its end

    @cached_property
    def tab_query(self) -> str:
        return self.build_query(kind="", show="") + "&kind="

    @cached_property
    def order_query(self) -> str:
        return self.build_query(order="") + "&order="

    @cached_property
    def page_query(self) -> str:
        return self.build_query() + "&page="

    @cached_property
    def mention_query(self) -> str:
        return self.build_query(mention="", beside="", relation="") + "&mention="

    @cached_property
    def relation_query(self) -> str:
        return self.build_query(mention="", beside="", relation="") + "&relation="

    @property
    def no_relation_query(self) -> str:
        return self.build_query(relation="")

    @cached_property
    def type_query(self) -> str:
        return self.build_query(type="") + "&type="

    @cached_property
    def portion_query(self) -> str:
        return self.build_query(portion="", mention="", beside="", relation="") + "&portion="

    @property
    def all_types_query(self) -> str:
        return self.build_query(type="")

    @cached_property
    def sentence_query(self) -> str:
        return self.build_query(mention="") + "&mention="

    @cached_property
    def beside_query(self) -> str:
        return self.build_query(beside="") + "&beside="

    @property
    def alone_query(self) -> str:
        return self.build_query(beside="")

    @property
    def single_query(self) -> str:
        """Opens the fold of annotations by a single server."""
        return self.build_query(show=OpenFolds.ALL if self.reading.choice.show.unverified else OpenFolds.SINGLE)

    @property
    def unverified_query(self) -> str:
        return self.build_query(show=OpenFolds.ALL if self.reading.choice.show.single else OpenFolds.UNVERIFIED)

    @property
    def folded_query(self) -> str:
        return self.build_query(show="")

    @property
    def unreviewed_query(self) -> str:
        return self.build_query(unreviewed="1")

    @property
    def reviewed_query(self) -> str:
        return self.build_query(unreviewed="")

    @property
    def unfiltered_query(self) -> str:
        """Removes the filters, from the next articles, too."""
        return "?" + urlencode([*self.filter_pairs, (REMEMBER_PARAMETER, "1")])

    @property
    def filter_summary(self) -> str:
        """How much the filters leave, empty for none."""
        filters, reading = self.reading.choice.filters, self.reading
        others = len([name for name, _ in filters.list_filter_pairs() if name != "server"])
        parts = [f"Showing {len(reading.slugs)} of {_count_nouns(reading.server_count, 'server')}"] * bool(
            reading.slugs
        )
        parts += [f"{_count_nouns(others, 'filter')} on the list"] * bool(others)
        return ", ".join(parts)

    @property
    def filter_pairs(self) -> list[tuple[str, str]]:
        """The hidden fields of the filter form."""
        return [pair for pair in self.list_query_pairs() if pair not in self.reading.choice.filters.list_filter_pairs()]

    @property
    def rule_pairs(self) -> list[tuple[str, str]]:
        """The hidden fields of the consensus form."""
        return [pair for pair in self.list_query_pairs() if pair not in self.reading.choice.rule.list_rule_pairs()]


def _count_nouns(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _format_balance(balance: ClassificationBalance) -> str:
    """The votes of each side with their own confidence, as in "Yes: 1 of 3 servers, mean confidence 0.70."."""
    total = balance.yes + balance.no
    sides = (("Yes", balance.yes, balance.yes_confidence), ("No", balance.no, balance.no_confidence))
    return " ".join(_format_side(name, count, total, mean) for name, count, mean in sides if count)


def _format_side(name: str, count: int, total: int, mean: float | None) -> str:
    confidence = "" if mean is None else f", {'mean ' if count > 1 else ''}confidence {mean:.2f}"
    return f"{name}: {count} of {total} server{'s' if total > 1 else ''}{confidence}."


def build_current_or_older_article_page(request: WSGIRequest, article: Article, ident: str) -> ArticlePage:
    """The page of the article with its current text, or with the older text that ?text= names."""
    version = parse_positive_int32(request.GET.get("text", ""))
    if version is not None and version != article.text_version:
        return _build_older_text_page(request, article, ident, version)
    records = load_article_records(article, request.user, with_unreviewed=includes_unreviewed_on_page(request))
    return build_current_article_page(request, add_curations_of_reader(records, request.user), ident)


def build_current_article_page(request: WSGIRequest, records: ArticleRecords, ident: str) -> ArticlePage:
    article, sources, calibrations = records.article, records.sources, records.calibrations
    results = [result for result in records.latest if result.text_version == article.text_version]
    reading = load_collated_article(
        article, sources, results, read_reader_choice_ignoring_invalid(request), calibrations.curves
    )
    ask = not article.blind and has_untried_askable_server_for_current_text(sources, results)
    older = len(records.latest) - len(results)
    chosen = build_mention_panel(reading, find_entry_descriptions(reading.chosen_entries))
    return ArticlePage(
        reading=reading,
        chosen=chosen,
        agreement=build_page_consensus(reading, calibrations),
        servers=build_live_and_asked_server_lines(sources, results, list_annotating_producers(reading), timezone.now()),
        version=compute_page_version(article.version, iter_queue_call_states(sources)),
        done=not ask and not any(source.awaited for source in sources),
        ask=ask,
        ident=ident,
        move_up=not article.blind and any(source.can_move_up for source in sources),
        older=older,
        older_versions=list_older_text_versions_newest_first(article) if older else (),
        curation=records.curation,
        shared_entities=list_shared_entities(request.user, article, chosen),
    )


def _build_older_text_page(request: WSGIRequest, article: Article, ident: str, version: int) -> ArticlePage:
    """The page of the article with an older text and its annotations; no server is asked or awaited there."""
    try:
        older_article = get_unsaved_copy_with_older_text(article, version)
    except OlderText.DoesNotExist:
        raise Http404(f"Version {version} of this text is not kept.") from None
    sources = [
        replace(source, call=None)
        for source in list_queues_with_last_calls(article, list_producers_on_page(request), request.user)
    ]
    results = list_last_even_superseded_results_on_text(older_article, [source.producer for source in sources])
    producers = {result.producer for result in results}
    sources = [source for source in sources if source.producer in producers]
    calibrations = load_newest_visible_calibrations(request.user, {source.slug for source in sources})
    reading = load_collated_article(
        older_article, sources, results, read_reader_choice_ignoring_invalid(request), calibrations.curves
    )
    return ArticlePage(
        reading=reading,
        chosen=build_mention_panel(reading, find_entry_descriptions(reading.chosen_entries)),
        agreement=build_page_consensus(reading, calibrations),
        servers=build_live_and_asked_server_lines(sources, results, list_annotating_producers(reading), timezone.now()),
        version=str(article.version),
        done=True,
        ask=False,
        ident=ident,
        present_version=article.text_version,
    )


def build_page_consensus(reading: CollatedArticle, calibrations: LearnedCalibrations) -> ConsensusPanel:
    """The consensus of the listed servers on the open kind, by the reader's rule."""
    results, kind = reading.results_by_kind[reading.kind], reading.kind
    voters = {
        producer: ConsensusVoter(
            result.source.slug, result.source.label, calibrations.cuts.get((result.source.slug, kind))
        )
        for producer, result in results.items()
    }
    annotations = {producer: result.annotations for producer, result in results.items()}
    return build_consensus_panel(
        reading.choice.rule, kind, annotations, voters, reading.entry_names, reading.article.text
    )
