"""The page that compares producers over a corpus: whoever comes sees only what those say whom they may see."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotations.kinds import LABELS, Kind
from annotations.models import Producer
from bcms.lib.svg.sheet import Sheet, as_element
from bcms.visibility import corpora_seen_by, producers_seen_by
from evaluation.analyses.overlap import Overlap
from evaluation.answers import Candidate, candidates_in
from evaluation.comparing import Comparison, compared
from evaluation.measures.agreement import Agreement
from evaluation.plotting.overlap_sets import overlap_panel

MOST = 10


@dataclass(frozen=True, slots=True)
class KindTab:
    kind: Kind
    label: str
    producers: int


@dataclass(frozen=True, slots=True)
class PairRow:
    names: tuple[str, str]
    agreement: Agreement


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address asks for, of what its reader may see; lost: so many of the producers are not among that."""

    kind: Kind | None
    producers: Sequence[Candidate]
    gold: Candidate | None
    lost: int


@never_cache
@require_safe
def comparison(request: HttpRequest, slug: str) -> HttpResponse:
    corpus = get_object_or_404(corpora_seen_by(request.user), slug=slug)
    candidates = candidates_in(corpus, producers_seen_by(request.user))
    asked = asked_for(request, candidates)
    found = None
    if asked.kind and asked.producers and len(asked.producers) <= MOST:
        found = compared(corpus, asked.kind, asked.producers, asked.gold)
    context = {
        "corpus": corpus,
        "articles": corpus.articles.count(),
        "tabs": tabs_of(candidates),
        "candidates": [own for own in candidates if own.kind == asked.kind],
        "golds": [own for own in candidates if own.kind == asked.kind and own.sort == Producer.Sort.GOLD],
        "asked": asked,
        "chosen": {own.id for own in asked.producers},
        "most": MOST,
        "found": found,
        "pairs": pairs_of(found),
        "drawing": drawing_of(asked, found.overlap) if found and found.overlap else "",
    }
    return render(request, "evaluation/comparison.html", context)


def asked_for(request: HttpRequest, candidates: Sequence[Candidate]) -> Asked:
    kinds = [own.kind for own in candidates]
    wanted = request.GET.get("kind", "")
    kind = Kind(wanted) if wanted in set(kinds) else max(dict.fromkeys(kinds), key=kinds.count, default=None)
    known = {str(own.id): own for own in candidates if own.kind == kind}
    ids = list(dict.fromkeys(request.GET.getlist("producer")))
    gold = known.get(request.GET.get("gold", ""))
    if gold is not None and gold.sort != Producer.Sort.GOLD:
        gold = None
    return Asked(kind, [known[pk] for pk in ids if pk in known], gold, sum(pk not in known for pk in ids))


def tabs_of(candidates: Sequence[Candidate]) -> list[KindTab]:
    kinds = [own.kind for own in candidates]
    return [KindTab(kind, LABELS[kind], kinds.count(kind)) for kind in dict.fromkeys(kinds)]


def pairs_of(found: Comparison | None) -> list[PairRow]:
    if found is None or found.agreements is None:
        return []
    names = found.agreements.names
    return [PairRow((names[a], names[b]), own) for (a, b), own in found.agreements.pairs.items()]


def drawing_of(asked: Asked, found: Overlap) -> SafeString:
    """Empty when there is nothing to draw."""
    if not found.regions or asked.kind is None:
        return SafeString("")
    against = f", right after {asked.gold.name}" if asked.gold else ""
    title = f"{LABELS[asked.kind]}, {len(asked.producers)} producers{against}"
    panel = overlap_panel([own.name for own in asked.producers], found)
    # The drawing escapes every text that it is given.
    return mark_safe(as_element(Sheet(title, [[panel]])))
