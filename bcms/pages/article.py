"""The article page: the text at once, everybody's annotations as they come."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TypeVar

from django.core.handlers.wsgi import WSGIRequest
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_POST, require_safe

from annotations.collation import Named, Order, Span
from annotations.formats.exports import EXPORTS
from annotations.kinds import Finding, Kind
from annotations.models import Article, ArticleRequest, CorpusArticle, OlderText
from annotations.older_texts import kept_versions, with_older_text
from annotations.querysets import (
    StoredResult,
    by_identifier,
    descriptions_of,
    findings_of,
    latest_results,
    named_entries,
    results_on_text,
    with_successors,
)
from bcms.calibrated import Learned, learned_of
from bcms.pages.agreed import Agreement, Voter, agreement, chosen_of
from bcms.pages.awaited import Source, server_lines, sources_of, states_of, unasked
from bcms.pages.choosing import choose
from bcms.pages.filters import filters_of, whole
from bcms.pages.news import version_of, version_today
from bcms.pages.reading import LISTED_KINDS, Choice, Reading, Spoken
from bcms.pages.shown_article import Page
from bcms.requesting import ident_of, known_by, name_in, open_request
from bcms.said import stated_today
from bcms.visibility import articles_seen_by, producers_seen_by
from evaluation.analyses.calibration import Knots
from servers.queueing import ask_everyone

Word = TypeVar("Word", bound=StrEnum)


def unknown(request: HttpRequest, ident: str) -> HttpResponse:
    """Leads to the article whose PMCID or DOI this is; else offers to fetch what has a name of the world, or shows that
    it is being fetched."""
    name = name_in(ident)
    if (name.pmcid or name.doi) and (here := known_by(articles_seen_by(request.user), name)):
        return redirect("article", ident=str(here.pmid or here.opaque))
    if name and (wanted := open_request(name)):
        return redirect("article-request", request_id=wanted.pk)
    called = str(ArticleRequest(ident=ident_of(name)))
    context = {"ident": ident, "name": name, "called": called}
    return render(request, "articles/unknown.html", context, status=404)


@gzip_page
@require_safe
def article(request: WSGIRequest, ident: str) -> HttpResponse:
    found = find(request, ident)
    if found is None:
        return unknown(request, ident)
    page = page_of(request, found, ident)
    exports = [] if blind(found) or page.present_version else list(EXPORTS.values())
    context = {"page": page, "exports": exports}
    return render(request, "articles/article.html", context)


@require_safe
def article_by_doi(request: WSGIRequest, doi: str) -> HttpResponse:
    return unknown(request, doi)


@gzip_page
@never_cache
@require_safe
def article_live(request: WSGIRequest, ident: str) -> HttpResponse:
    """The part of the page that changes, or 204 when the reader has seen it already.

    A reader whose text has the marks that it should have gets the rest only.
    """
    if request.GET.get("v", "") == version_today(request.user, ident):
        return HttpResponse(status=204)
    found = find(request, ident)
    if found is None:
        return HttpResponse(status=404)
    page = page_of(request, found, ident)
    kept = request.GET.get("keep") == page.reading.text_signature
    return render(request, "articles/_article.html", {"page": page, "kept": kept})


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


def page_of(request: WSGIRequest, article: Article, ident: str) -> Page:
    asked = whole(request.GET.get("text", ""))
    if asked is not None and asked != article.text_version:
        return older_page_of(request, article, ident, asked)
    sources = sources_of(article, producers_seen_by(request.user))
    latest = latest_results(article, [source.producer for source in sources])
    results = [result for result in latest if result.text_version == article.text_version]
    learned = learned_of(request.user, {source.slug for source in sources})
    reading = read(article, sources, results, choice_of(request), learned.curves)
    found = {word.source.producer for word in reading.spoken if word.findings}
    ask = not blind(article) and unasked(sources, results)
    older = len(latest) - len(results)
    return Page(
        reading=reading,
        chosen=choose(reading, descriptions_of(reading.chosen_entries)),
        agreement=agreement_of(reading, learned),
        servers=server_lines(sources, results, found, timezone.now()),
        version=version_of(article.version, states_of(sources)),
        done=not ask and not any(source.awaited for source in sources),
        ask=ask,
        ident=ident,
        older=older,
        older_versions=kept_versions(article) if older else (),
    )


def older_page_of(request: WSGIRequest, article: Article, ident: str, version: int) -> Page:
    """The article with an older text and what was said of that; nobody is asked or awaited there."""
    try:
        was = with_older_text(article, version)
    except OlderText.DoesNotExist:
        raise Http404(f"Version {version} of this text is not kept.") from None
    sources = [replace(source, call=None) for source in sources_of(article, producers_seen_by(request.user))]
    results = results_on_text(was, [source.producer for source in sources])
    heard = {result.producer for result in results}
    sources = [source for source in sources if source.producer in heard]
    learned = learned_of(request.user, {source.slug for source in sources})
    reading = read(was, sources, results, choice_of(request), learned.curves)
    found = {word.source.producer for word in reading.spoken if word.findings}
    return Page(
        reading=reading,
        chosen=choose(reading, descriptions_of(reading.chosen_entries)),
        agreement=agreement_of(reading, learned),
        servers=server_lines(sources, results, found, timezone.now()),
        version=str(article.version),
        done=True,
        ask=False,
        ident=ident,
        present_version=article.text_version,
    )


def agreement_of(reading: Reading, learned: Learned) -> Agreement:
    """By the rule that the reader chose, of the open kind and the servers that are listened to."""
    heard, kind, rule = reading.heard[reading.kind], reading.kind, reading.choice.rule
    sources = {producer: word.source for producer, word in heard.items()}
    voters = {pk: Voter(each.slug, each.label, learned.cuts.get((each.slug, kind))) for pk, each in sources.items()}
    return agreement(rule, kind, {pk: word.findings for pk, word in heard.items()}, voters, reading.naming)


def read(
    article: Article,
    sources: list[Source],
    results: list[StoredResult],
    choice: Choice,
    curves: Mapping[tuple[str, Kind], Knots],
) -> Reading:
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
    return Reading(article, spoken, entries, organisms, choice, curves)


def under_current_names(
    findings: Sequence[Finding], entries: Mapping[tuple[str, str], Named]
) -> tuple[list[Finding], dict[tuple[object, ...], str]]:
    """The findings with the identifiers of today, and by the key of each that this changed what was said."""
    if not any(entry.current != entry.identifier for entry in entries.values()):
        return list(findings), {}
    stated = stated_today(findings, entries)
    return [each.finding for each in stated], {
        each.finding.key: " and ".join(each.reported) for each in stated if each.reported
    }


def choice_of(request: HttpRequest) -> Choice:
    asked = request.GET
    return Choice(
        kind=one_of(LISTED_KINDS, asked.get("kind", "")),
        order=one_of(Order, asked.get("order", "")) or Order.SERVERS,
        mention=span_of(asked.get("mention", "")),
        beside=span_of(asked.get("beside", "")),
        page=whole(asked.get("page", "")),
        filters=filters_of(asked),
        rule=chosen_of(asked),
    )


def one_of(words: Iterable[Word], word: str) -> Word | None:
    return next((member for member in words if member.value == word), None)


def span_of(text: str) -> Span | None:
    match = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", text, re.ASCII)
    return (int(match[1]), int(match[2])) if match else None
