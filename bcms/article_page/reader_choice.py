"""The reader's choice on the article page: kind, order, filters, mention and consensus rule, kept in its URL.

Filters that the reader applies or removes are also kept in a cookie, for the next article, whose URL gets them by a
redirect. An URL with filters wins over the cookie and does not change it, so that a shared link shows the same to
everybody.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TypeVar
from urllib.parse import urlencode

from django.conf import settings
from django.core.exceptions import TooManyFieldsSent
from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase

from annotations.results.collation import AnnotationGroup, GroupOrder
from annotations.results.consensus.methods import (
    CONSENSUS_METHODS,
    VOTES_PARAMETER,
    ConsensusMethod,
    MentionMatching,
    SpanMatching,
)
from annotations.results.heat_map import MarkedRange, MentionParts
from annotations.schema import Kind
from bcms.lib.rest.numbers import parse_positive_int32, parse_positive_share
from servers.review.reader_choice import includes_unreviewed_on_page

# Kinds whose annotations have no organism.
WITHOUT_ORGANISM = (Kind.METHOD, Kind.LABEL)
MOST_SERVERS = 100
FILTER_PARAMETERS = ("server", "taxon", "confidence", "agree", "differ")
# Asks to keep the filters of this URL for other articles; it is never part of a link to share.
REMEMBER_PARAMETER = "remember"
FILTERS_COOKIE = "article_filters"
COOKIE_PATH = "/articles/"
COOKIE_LIFETIME = timedelta(days=90)
# Browsers ignore cookies of more than 4 KiB.
LONGEST_COOKIE = 3500


@dataclass(frozen=True, slots=True)
class AnnotationFilters:
    """The filters of the annotation list.

    servers: slugs, none for all; they apply to the whole page, the others to the list. confidence: the least mean
    confidence, in (0, 1]. agree: the least number of servers. differ: only annotations that some server of this kind
    did not make.
    """

    servers: tuple[str, ...] = ()
    taxon: int | None = None
    confidence: float | None = None
    agree: int = 1
    differ: bool = False

    @property
    def active(self) -> bool:
        return bool(self.servers or self.narrow)

    @property
    def narrow(self) -> bool:
        """Whether any filter other than the servers is set."""
        return bool(self.taxon or self.confidence or self.agree > 1 or self.differ)

    def passes_group(self, group: AnnotationGroup, total: int, taxa: Collection[int]) -> bool:
        """Whether to show an annotation; total servers annotated its kind, taxa are its taxon numbers.

        An annotation without confidence fails every confidence filter.
        """
        if self.confidence is not None and (group.mean is None or group.mean < self.confidence):
            return False
        if group.count < self.agree or (self.differ and group.count == total):
            return False
        return self.taxon is None or group.annotation.kind in WITHOUT_ORGANISM or self.taxon in taxa

    def list_filter_pairs(self) -> list[tuple[str, str]]:
        """The filters as query parameters."""
        return [
            *(("server", slug) for slug in self.servers),
            *([("taxon", str(self.taxon))] if self.taxon else []),
            *([("confidence", _format_share(self.confidence))] if self.confidence else []),
            *([("agree", str(self.agree))] if self.agree > 1 else []),
            *([("differ", "1")] if self.differ else []),
        ]


def _format_share(share: float) -> str:
    """A share as parse_positive_share reads it: without an exponent."""
    return f"{share:.6f}".rstrip("0").rstrip(".")


NO_FILTERS = AnnotationFilters()


def read_annotation_filters_ignoring_invalid(query: QueryDict) -> AnnotationFilters:
    """The filters in a query string; invalid values are ignored."""
    return AnnotationFilters(
        servers=tuple(dict.fromkeys(filter(None, query.getlist("server"))))[:MOST_SERVERS],
        taxon=parse_positive_int32(query.get("taxon", "")),
        confidence=parse_positive_share(query.get("confidence", "")),
        agree=parse_positive_int32(query.get("agree", "")) or 1,
        differ=query.get("differ") == "1",
    )


def read_kept_filters_unless_url_has_any(request: HttpRequest) -> AnnotationFilters:
    """The filters that the cookie of a request keeps; none if its URL has filters or asks to keep its own."""
    if any(name in request.GET for name in (*FILTER_PARAMETERS, REMEMBER_PARAMETER)):
        return NO_FILTERS
    try:
        return read_annotation_filters_ignoring_invalid(QueryDict(request.COOKIES.get(FILTERS_COOKIE, "")))
    except TooManyFieldsSent:
        return NO_FILTERS


def keep_url_filters_if_asked(request: HttpRequest, response: HttpResponseBase) -> None:
    """If the URL asks for it, keep its filters in the cookie, or delete the cookie if the URL has none.

    A link on another site cannot ask for it. Filters that are too long for a cookie apply to this page only.
    """
    if REMEMBER_PARAMETER not in request.GET or request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        return
    value = urlencode(read_annotation_filters_ignoring_invalid(request.GET).list_filter_pairs())
    if value and len(value) <= LONGEST_COOKIE:
        response.set_cookie(
            FILTERS_COOKIE,
            value,
            max_age=COOKIE_LIFETIME,
            path=COOKIE_PATH,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
    else:
        response.delete_cookie(FILTERS_COOKIE, path=COOKIE_PATH, samesite="Lax")


def format_filters(
    filters: AnnotationFilters,
    kind: Kind,
    organism_label: str,
    chosen_server_names: Iterable[str],
    annotating_server_count: int,
) -> str:
    """The filters as a sentence, empty for none; chosen_server_names: the chosen ones of annotating_server_count
    servers that annotated this kind.
    """
    chosen = list(chosen_server_names)
    parts = [f"annotations by {_join_with_and(chosen)}"] if chosen else []
    if filters.agree > 1:
        parts.append(f"at least {filters.agree} servers agree")
    if filters.differ:
        parts.append(f"not all {annotating_server_count} servers agree")
    if filters.confidence:
        parts.append(f"mean confidence at least {filters.confidence:.2f}")
    if filters.taxon and kind not in WITHOUT_ORGANISM:
        parts.append(organism_label)
    return f"Filters: {', '.join(parts)}." if parts else ""


def _join_with_and(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else ""


EnumMember = TypeVar("EnumMember", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class ChosenConsensusRule:
    """The reader's consensus rule as written in the URL; rule "" means none.

    The parameter of the threshold is called m for a number of servers and share otherwise, so that a change of the rule
    does not reuse the value of the other.
    """

    rule: str = ""
    threshold: str = ""
    weights: str = ""
    spans: SpanMatching = SpanMatching.STRICT
    match: MentionMatching = MentionMatching.POSITION

    def list_rule_pairs(self) -> list[tuple[str, str]]:
        """The rule as query parameters."""
        if not self.rule:
            return []
        spans = self.spans.value if self.spans is not SpanMatching.STRICT else ""
        pairs = [
            ("rule", self.rule),
            (_choose_threshold_parameter(self.rule), self.threshold),
            ("weights", self.weights),
            ("spans", spans),
            ("match", self.match.value if self.match is not MentionMatching.POSITION else ""),
        ]
        return [(name, value) for name, value in pairs if value]

    @property
    def method(self) -> ConsensusMethod | None:
        return CONSENSUS_METHODS.get(self.rule)


NO_RULE = ChosenConsensusRule()


class OpenFolds(StrEnum):
    """Which folded parts of the list are open: annotations of a single server, unverified ones, both or none."""

    NONE = ""
    SINGLE = "single"
    UNVERIFIED = "unverified"
    ALL = "all"

    @property
    def single(self) -> bool:
        return self in (OpenFolds.SINGLE, OpenFolds.ALL)

    @property
    def unverified(self) -> bool:
        return self in (OpenFolds.UNVERIFIED, OpenFolds.ALL)


@dataclass(frozen=True, slots=True)
class ReaderChoice:
    """The reader's choice. With kind None, the page chooses; with page None, it is the page with the chosen annotation.

    beside is a second mention: only sentences that name both are shown. relation: the id of the row of a relation,
    whose ends stand out in the text, "" for none. entity_type: the only type of mentions to show, "" for all.
    unreviewed: servers and challenges that nobody has reviewed are included. portion: which portions of a long text are
    sent (bcms/article_page/text/text_portions.py), as in the URL. open_details: the ids of the folded parts of the page
    that are open, apart from those of the list of annotations in show.
    """

    kind: Kind | None
    order: GroupOrder
    mention: MentionParts | None
    beside: MentionParts | None = None
    page: int | None = None
    show: OpenFolds = OpenFolds.NONE
    filters: AnnotationFilters = NO_FILTERS
    rule: ChosenConsensusRule = NO_RULE
    unreviewed: bool = False
    relation: str = ""
    entity_type: str = ""
    portion: str = ""
    open_details: tuple[str, ...] = ()

    def format_open_details(self, without: str = "") -> str:
        """As in the URL; without: the id of one that is left out."""
        return ".".join(each for each in self.open_details if each != without)


def read_reader_choice_ignoring_invalid(request: HttpRequest) -> ReaderChoice:
    """The choice in the query string of a request; invalid values are ignored."""
    query = request.GET
    return ReaderChoice(
        kind=_find_enum_member(LISTED_KINDS, query.get("kind", "")),
        order=_find_enum_member(GroupOrder, query.get("order", "")) or GroupOrder.SERVERS,
        mention=parse_parts_or_none(query.get("mention", "")),
        beside=parse_parts_or_none(query.get("beside", "")),
        page=parse_positive_int32(query.get("page", "")),
        show=_find_enum_member(OpenFolds, query.get("show", "")) or OpenFolds.NONE,
        filters=read_annotation_filters_ignoring_invalid(query),
        rule=_read_chosen_rule(query),
        unreviewed=includes_unreviewed_on_page(request),
        relation=query.get("relation", "")[:LONGEST_PARAMETER],
        entity_type=query.get("type", "")[:LONGEST_PARAMETER],
        portion=query.get("portion", "")[:LONGEST_PARAMETER],
        open_details=read_open_details(query),
    )


def read_open_details(query: QueryDict) -> tuple[str, ...]:
    """The ids of open folded parts in a query string, as static/folds.js writes them; some may be of no part."""
    return tuple(filter(None, query.get("open", "")[:LONGEST_PARAMETER].split(".")))


def _find_enum_member(members: Iterable[EnumMember], value: str) -> EnumMember | None:
    return next((member for member in members if member.value == value), None)


def parse_parts_or_none(text: str) -> MentionParts | None:
    """The mention written as "20-24", or as "20-24.30-32" if it has two parts; None for anything else."""
    parts = [parse_span_or_none(part) for part in text[:LONGEST_PARAMETER].split(".")]
    known = tuple(part for part in parts if part)
    return known if len(known) == len(parts) else None


def parse_span_or_none(text: str) -> MarkedRange | None:
    """The span written as "20-24", None for anything else."""
    match = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", text, re.ASCII)
    return (int(match[1]), int(match[2])) if match else None


LISTED_KINDS = [kind for kind in Kind if kind != Kind.CLASSIFICATION]
FIRST_KINDS = (Kind.NORMALIZATION, Kind.MENTION, Kind.TAXON)
LONGEST_PARAMETER = 500


def _choose_threshold_parameter(rule: str) -> str:
    return "m" if CONSENSUS_METHODS[rule].has_parameter(VOTES_PARAMETER) else "share"


def _read_chosen_rule(query: QueryDict) -> ChosenConsensusRule:
    """The rule in a query string; an unknown method counts as none."""
    rule = query.get("rule", "")
    if rule not in CONSENSUS_METHODS:
        return NO_RULE
    names = (_choose_threshold_parameter(rule), "weights")
    threshold, weights = (query.get(name, "")[:LONGEST_PARAMETER].strip() for name in names)
    overlapping = query.get("spans") == SpanMatching.OVERLAPPING
    match = query.get("match", "")
    return ChosenConsensusRule(
        rule,
        threshold,
        weights,
        SpanMatching.OVERLAPPING if overlapping else SpanMatching.STRICT,
        MentionMatching(match) if match in set(MentionMatching) else MentionMatching.POSITION,
    )
