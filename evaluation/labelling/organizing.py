"""The organizers' pages of a labelling: who labels, how far they are and agree, conflicts, the gold standard."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations.formats.errors import RefusedFileError
from annotations.models import Article
from evaluation.errors import ChallengeError
from evaluation.labelling import curators, deciding
from evaluation.labelling.forms import CuratorForm, LabellingForm, MakeGoldForm
from evaluation.labelling.models import Labelling
from evaluation.labelling.outcome import outcome_of
from evaluation.models import Challenge
from evaluation.organizing import form_page, organizers_only

CONFLICTS_PER_PAGE = 25


def labelling_of(challenge: Challenge, corpus: str) -> Labelling:
    rows: QuerySet[Labelling] = Labelling.objects.select_related("corpus", "challenge")
    return get_object_or_404(rows, challenge=challenge, corpus__slug=corpus)


@organizers_only
@require_http_methods(["GET", "POST"])
def labelling_new(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    form = LabellingForm(challenge, request.user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = curators.begin_labelling(challenge, **form.cleaned_data)
        except ChallengeError as error:
            form.add_error(None, str(error))
        else:
            return redirect("labelling", challenge.slug, made.corpus.slug)
    return form_page(request, form, "Have articles labelled", challenge=challenge)


@never_cache
@organizers_only
@require_safe
def labelling(request: HttpRequest, challenge: Challenge, corpus: str) -> HttpResponse:
    found = labelling_of(challenge, corpus)
    outcome = outcome_of(found)
    page = Paginator(outcome.conflicts, CONFLICTS_PER_PAGE).get_page(request.GET.get("page"))
    rows = Article.objects.filter(opaque__in=[conflict.article for conflict in page])
    articles = {article.opaque: article for article in rows.only("opaque", "passages")}
    context = {
        "labelling": found,
        "outcome": outcome,
        "page": page,
        "conflicts": [(own, articles[own.article], outcome.names[own.article]) for own in page],
        "curator_form": CuratorForm(label_suffix=""),
        "gold_form": MakeGoldForm(found, label_suffix=""),
    }
    return render(request, "evaluation/labelling.html", context)


@organizers_only
@require_POST
def name_curator(request: HttpRequest, challenge: Challenge, corpus: str) -> HttpResponse:
    found = labelling_of(challenge, corpus)
    form = CuratorForm(request.POST)
    try:
        if form.is_valid():
            own = curators.name_curator(found, form.cleaned_data["name"])
            messages.success(request, f"{own} labels the articles of {found.corpus}, and is told so by mail.")
        else:
            messages.error(request, str(form.errors["name"][0]))
    except ChallengeError as error:
        messages.error(request, str(error))
    return redirect("labelling", challenge.slug, corpus)


@organizers_only
@require_POST
def release_curator(request: HttpRequest, challenge: Challenge, corpus: str) -> HttpResponse:
    found = labelling_of(challenge, corpus)
    number = request.POST.get("labeller", "")
    if number.isascii() and number.isdecimal() and len(number) < 10 and curators.release(found, int(number)):
        messages.success(request, "No more labels are taken of that curator; those given stay and count.")
    return redirect("labelling", challenge.slug, corpus)


@organizers_only
@require_POST
def rule(request: HttpRequest, challenge: Challenge, corpus: str) -> HttpResponse:
    found = labelling_of(challenge, corpus)
    article, said = request.POST.get("article", ""), request.POST.get("said", "")
    if said in ("yes", "no") and article.isalnum():
        try:
            deciding.rule_on(found, article, said == "yes", request.user, timezone.now())
        except ChallengeError as error:
            messages.error(request, str(error))
    else:
        messages.error(request, "Say of an article from the list whether it is relevant or not.")
    return redirect("labelling", challenge.slug, corpus)


@never_cache
@organizers_only
@require_safe
def gold_file(request: HttpRequest, challenge: Challenge, corpus: str) -> HttpResponse:
    lines = deciding.gold_lines(outcome_of(labelling_of(challenge, corpus)))
    response = HttpResponse(lines, content_type="text/tab-separated-values; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{corpus}-gold.tsv"'
    return response


@organizers_only
@require_POST
def make_gold(request: HttpRequest, challenge: Challenge, corpus: str) -> HttpResponse:
    found = labelling_of(challenge, corpus)
    form = MakeGoldForm(found, request.POST)
    if not form.is_valid():
        messages.error(request, f"Choose a task of articles and a phase with {found.corpus}.")
        return redirect("labelling", challenge.slug, corpus)
    task, phase = form.cleaned_data["task"], form.cleaned_data["phase"]
    try:
        gold = deciding.make_gold(found, task, phase)
    except ChallengeError as error:
        messages.error(request, str(error))
    except RefusedFileError as error:
        messages.error(request, f"The labels were refused as a gold standard: {error.faults[0]}")
    else:
        done = "sealed" if gold.producer_id is None else "stored"
        messages.success(request, f"They are the gold standard of {task} in the {phase.sort} phase now; it is {done}.")
    return redirect("labelling", challenge.slug, corpus)
