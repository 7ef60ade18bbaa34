"""The article page: the text at once, everybody's annotations as they come."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar
from urllib.parse import urlencode

from django.core.handlers.wsgi import WSGIRequest
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotations.collation import Balance, Named, Order, Span, heat_level, named_today
from annotations.databases import entry_page
from annotations.kinds import Finding, Kind
from annotations.models import Article, CorpusArticle
from annotations.querysets import (
    StoredResult,
    by_identifier,
    current_results,
    findings_of,
    named_entries,
    with_successors,
)
from bcms.pages.awaited import ServerLine, Source, server_lines, sources_of, unasked, waiting_signature
from bcms.pages.reading import LISTED_KINDS, Choice, Reading, Spoken
from bcms.visibility import articles_seen_by, producers_seen_by
from servers.queueing import ask_everyone

MOST_AUTHORS = 12
Word = TypeVar("Word", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Page:
    """All that the article page and its refreshed part show."""

    reading: Reading
    servers: list[ServerLine]
    version: str
    done: bool
    ask: bool
    ident: str

    @property
    def article(self) -> Article:
        return self.reading.article

    @property
    def live_url(self) -> str:
        return f"{reverse('article-live', args=[self.ident])}{self.query()}"

    @property
    def looked(self) -> int:
        """How many servers looked for mentions."""
        return self.reading.total(Kind.MENTION)

    @property
    def legend(self) -> list[tuple[int, str]]:
        return legend(self.looked)

    @property
    def pubmed(self) -> str:
        return entry_page("pubmed", str(self.article.pmid or ""))

    @property
    def doi(self) -> str:
        return entry_page("doi", self.article.doi)

    @property
    def authors(self) -> str:
        names = [str(name) for name in self.article.metadata.get("authors", ())]
        return ", ".join(names[:MOST_AUTHORS]) + (" and others" if len(names) > MOST_AUTHORS else "")

    @property
    def bar_words(self) -> str:
        return bar_words(self.reading.bar.balance) if self.reading.bar else ""

    @property
    def announcement(self) -> str:
        """What is read out when it changes."""
        heard = len({word.source.server for word in self.reading.spoken})
        words = f"{heard} of {len(self.servers)} servers answered."
        if chosen := self.reading.chosen:
            return f"{words} {chosen.text}: {len(chosen.meanings)} database entries."
        return words

    @property
    def server_url(self) -> str:
        """What the address of each server's page begins with: hundreds of links, resolved once."""
        return reverse("server-list")

    @property
    def close_query(self) -> str:
        return self.query(mention="")

    def query(self, **changes: str) -> str:
        choice = self.reading.choice
        chosen = {
            "kind": self.reading.kind.value,
            "order": choice.order.value,
            "mention": f"{choice.mention[0]}-{choice.mention[1]}" if choice.mention else "",
        }
        return "?" + urlencode({key: value for key, value in {**chosen, **changes}.items() if value})

    @property
    def tab_query(self) -> str:
        """A link's query but for the kind at its end."""
        return self.query(kind="") + "&kind="

    @property
    def order_query(self) -> str:
        return self.query(order="") + "&order="

    @property
    def mention_query(self) -> str:
        return self.query(mention="") + "&mention="


def legend(total: int) -> list[tuple[int, str]]:
    """The levels of heat that occur with so many servers, each with how many servers it means."""
    counts: dict[int, list[int]] = {}
    for count in range(1, total + 1):
        counts.setdefault(heat_level(count, total), []).append(count)
    return [(level, legend_words(some, total)) for level, some in counts.items()]


def legend_words(counts: list[int], total: int) -> str:
    if counts[0] == total:
        return f"all {total} servers" if total > 1 else "1 server"
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def bar_words(sum_of: Balance) -> str:
    total = sum_of.yes + sum_of.no
    mean = "" if sum_of.mean_confidence is None else f", mean confidence {sum_of.mean_confidence:.2f}"
    return f"{sum_of.yes} of {total} server{'s' if total > 1 else ''} say{'s' if total == 1 else ''} yes{mean}"


def unknown(request: HttpRequest, ident: str) -> HttpResponse:
    context = {"ident": ident, "is_number": ident.isascii() and ident.isdigit()}
    return render(request, "articles/unknown.html", context, status=404)


@require_safe
def article(request: WSGIRequest, ident: str) -> HttpResponse:
    found = find(request, ident)
    if found is None:
        return unknown(request, ident)
    return render(request, "articles/article.html", {"page": page_of(request, found, ident)})


@never_cache
@require_safe
def article_live(request: WSGIRequest, ident: str) -> HttpResponse:
    """The part of the page that changes, or 204 when the reader has seen it already."""
    found = find(request, ident)
    if found is None:
        return HttpResponse(status=404)
    sources = sources_of(found, producers_seen_by(request.user))
    if request.GET.get("v") == version_of(found, sources):
        return HttpResponse(status=204)
    return render(request, "articles/_article.html", {"page": page_of(request, found, ident, sources)})


@require_POST
def article_ask(request: WSGIRequest, ident: str) -> HttpResponse:
    """Ask the servers that were not asked yet; asking again while a call is open adds nothing."""
    found = find(request, ident)
    if found is None:
        return unknown(request, ident)
    if not blind(found):
        ask_everyone(found)
    return redirect("article", ident=ident)


def find(request: HttpRequest, ident: str) -> Article | None:
    in_blind_corpus = CorpusArticle.objects.filter(article=OuterRef("pk"), corpus__blind=True)
    seen = articles_seen_by(request.user).annotate(in_blind_corpus=Exists(in_blind_corpus))
    return by_identifier(seen, ident).first()


def blind(article: Article) -> bool:
    """An article of a blind test set is asked in its phase only: a LIVE request would give its PMID away."""
    return bool(getattr(article, "in_blind_corpus", True))


def version_of(article: Article, sources: list[Source]) -> str:
    return f"{article.version}.{waiting_signature(sources)}"


def page_of(request: WSGIRequest, article: Article, ident: str, sources: list[Source] | None = None) -> Page:
    if sources is None:
        sources = sources_of(article, producers_seen_by(request.user))
    results = current_results(article, [source.producer for source in sources])
    reading = read(article, sources, results, choice_of(request))
    found = {word.source.producer for word in reading.spoken if word.findings}
    ask = not blind(article) and unasked(sources, results)
    return Page(
        reading=reading,
        servers=server_lines(sources, results, found, timezone.now()),
        version=version_of(article, sources),
        done=not ask and not any(source.awaited for source in sources),
        ask=ask,
        ident=ident,
    )


def read(article: Article, sources: list[Source], results: list[StoredResult], choice: Choice) -> Reading:
    by_producer = {source.producer: source for source in sources}
    findings = findings_of(results)
    said = [finding for some in findings.values() for finding in some]
    identifiers = {(f.database, name) for f in said for name in (f.identifier, f.partner) if name}
    entries = with_successors(named_entries(identifiers))
    spoken = [
        Spoken(by_producer[result.producer], result, *under_current_names(findings.get(result.id, ()), entries))
        for result in results
    ]
    taxa = {f.taxon for f in said if f.taxon} | {entry.taxon for entry in entries.values() if entry.taxon}
    organisms = named_entries(("ncbitaxon", str(taxon)) for taxon in taxa)
    return Reading(article, spoken, entries, organisms, choice)


def under_current_names(
    findings: Sequence[Finding], entries: Mapping[tuple[str, str], Named]
) -> tuple[list[Finding], dict[tuple[object, ...], str]]:
    """The findings with the identifiers of today, and by the key of each that this changed what was said."""
    if not any(entry.current != entry.identifier for entry in entries.values()):
        return list(findings), {}
    today = [named_today(finding, entries) for finding in findings]
    changed = [(new, old) for new, old in zip(today, findings, strict=True) if new is not old]
    return today, {new.key: " and ".join(filter(None, (old.identifier, old.partner))) for new, old in changed}


def choice_of(request: HttpRequest) -> Choice:
    kind = one_of(Kind, request.GET.get("kind", ""))
    return Choice(
        kind=kind if kind in LISTED_KINDS else None,
        order=one_of(Order, request.GET.get("order", "")) or Order.SERVERS,
        mention=span_of(request.GET.get("mention", "")),
    )


def one_of(words: type[Word], word: str) -> Word | None:
    return next((member for member in words if member.value == word), None)


def span_of(text: str) -> Span | None:
    match = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", text, re.ASCII)
    return (int(match[1]), int(match[2])) if match else None
