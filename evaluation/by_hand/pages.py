"""The organizers' page of what authors and curators say: bring it in, take it out."""

from collections.abc import Sequence
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotations.formats.errors import FormatError, RefusedFileError
from evaluation.by_hand.bringing_in import Brought, bring_in, brought_to, take_out
from evaluation.by_hand.forms import ByHandForm
from evaluation.errors import ChallengeError
from evaluation.models import ByHand, Challenge
from evaluation.organizing import organizers_only


@never_cache
@organizers_only
@require_http_methods(["GET", "HEAD", "POST"])
def by_hand(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    form = ByHandForm(challenge, request.POST or None, request.FILES or None, label_suffix="")
    faults: tuple[FormatError, ...] = ()
    if request.method == "POST" and form.is_valid():
        try:
            done = bring_in(form.cleaned_data["task"], form.cleaned_data["corpus"], form.hand_file())
        except RefusedFileError as error:
            faults = error.faults
        except ChallengeError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, in_words(done))
            return redirect("challenge-by-hand", challenge.slug)
    every = list(brought_to(challenge))
    rows = [(own, compare_address(own, every)) for own in every]
    context = {"challenge": challenge, "form": form, "faults": faults, "rows": rows}
    return render(request, "evaluation/by_hand.html", context, status=422 if form.errors or faults else 200)


def compare_address(own: ByHand, every: Sequence[ByHand]) -> str:
    """Where all who say something of this kind in this corpus are held against each other."""
    same = [each.producer_id for each in every if (each.corpus_id, each.kind) == (own.corpus_id, own.kind)]
    asked = urlencode({"kind": own.kind, "producer": same}, doseq=True)
    return f"{reverse('corpus-compare', args=[own.corpus.slug])}?{asked}"


def in_words(done: Brought) -> str:
    articles = "1 article" if done.articles == 1 else f"{done.articles:,} articles"
    again = f", {done.again:,} of them for another time" if done.again else ""
    return f"What {done.by_hand} say of {articles}{again} is stored."


@organizers_only
@require_POST
def by_hand_remove(request: HttpRequest, challenge: Challenge, pk: int) -> HttpResponse:
    own = get_object_or_404(ByHand.objects.select_related("producer"), challenge=challenge, pk=pk)
    messages.success(request, f"What {own} say of {own.get_kind_display()} is taken out.")
    take_out(own)
    return redirect("challenge-by-hand", challenge.slug)
