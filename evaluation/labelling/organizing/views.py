"""Pages of a labelling for organizers: curators, progress, agreement, conflicts, and the gold standard."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations.articles.models import Article
from annotations.formats.errors import RefusedFileError
from evaluation.challenges.form_pages import organizer_required, render_form_page_or_422
from evaluation.challenges.models import Challenge
from evaluation.errors import ChallengeError
from evaluation.labelling import adjudication, curators
from evaluation.labelling.lookup import get_labelling_or_404
from evaluation.labelling.organizing.forms import CuratorForm, LabelledGoldForm, LabellingForm
from evaluation.labelling.outcome import load_labelling_outcome
from evaluation.pooling.views import build_tsv_download

CONFLICTS_PER_PAGE = 25


@organizer_required
@require_http_methods(["GET", "POST"])
def create_labelling(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    form = LabellingForm(challenge, request.user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            labelling = curators.begin_labelling_claiming_blind_corpus(challenge, **form.cleaned_data)
        except ChallengeError as error:
            form.add_error(None, str(error))
        else:
            return redirect("labelling", challenge.slug, labelling.corpus.slug)
    return render_form_page_or_422(request, form, "Label articles", challenge=challenge)


@never_cache
@organizer_required
@require_safe
def show_labelling(request: HttpRequest, challenge: Challenge, corpus: str) -> HttpResponse:
    labelling = get_labelling_or_404(challenge, corpus)
    outcome = load_labelling_outcome(labelling)
    page = Paginator(outcome.conflicts, CONFLICTS_PER_PAGE).get_page(request.GET.get("page"))
    rows = Article.objects.filter(opaque__in=[conflict.article for conflict in page])
    articles = {article.opaque: article for article in rows.only("opaque", "passages")}
    context = {
        "labelling": labelling,
        "outcome": outcome,
        "page": page,
        "conflicts": [(conflict, articles[conflict.article], outcome.names[conflict.article]) for conflict in page],
        "curator_form": CuratorForm(label_suffix=""),
        "gold_form": LabelledGoldForm(labelling, label_suffix=""),
    }
    return render(request, "evaluation/labelling/labelling.html", context)


@organizer_required
@require_POST
def appoint_curator(request: HttpRequest, challenge: Challenge, corpus: str) -> HttpResponse:
    labelling = get_labelling_or_404(challenge, corpus)
    form = CuratorForm(request.POST)
    try:
        if form.is_valid():
            labeller = curators.add_and_mail_or_readmit_curator(labelling, form.cleaned_data["name"])
            messages.success(
                request, f"{labeller} can now label the articles of {labelling.corpus}, and has been notified by mail."
            )
        else:
            messages.error(request, str(form.errors["name"][0]))
    except ChallengeError as error:
        messages.error(request, str(error))
    return redirect("labelling", challenge.slug, corpus)


@organizer_required
@require_POST
def release_curator(request: HttpRequest, challenge: Challenge, corpus: str) -> HttpResponse:
    labelling = get_labelling_or_404(challenge, corpus)
    number = request.POST.get("labeller", "")
    if (
        number.isascii()
        and number.isdecimal()
        and len(number) < 10
        and curators.release_labeller_keeping_labels(labelling, int(number))
    ):
        messages.success(request, "The curator can no longer label articles; labels given so far still count.")
    return redirect("labelling", challenge.slug, corpus)


@organizer_required
@require_POST
def rule_on_article(request: HttpRequest, challenge: Challenge, corpus: str) -> HttpResponse:
    labelling = get_labelling_or_404(challenge, corpus)
    article, answer = request.POST.get("article", ""), request.POST.get("said", "")
    if answer in ("yes", "no") and article.isalnum():
        try:
            adjudication.store_ruling_and_supersede_earlier(
                labelling, article, answer == "yes", request.user, timezone.now()
            )
        except ChallengeError as error:
            messages.error(request, str(error))
    else:
        messages.error(request, "Choose for an article of the list whether it is relevant or not.")
    return redirect("labelling", challenge.slug, corpus)


@never_cache
@organizer_required
@require_safe
def download_decided_labels(request: HttpRequest, challenge: Challenge, corpus: str) -> HttpResponse:
    outcome = load_labelling_outcome(get_labelling_or_404(challenge, corpus))
    return build_tsv_download(adjudication.format_decided_labels_tsv(outcome).decode(), f"{corpus}-gold.tsv")


@organizer_required
@require_POST
def make_completed_labels_gold(request: HttpRequest, challenge: Challenge, corpus: str) -> HttpResponse:
    labelling = get_labelling_or_404(challenge, corpus)
    form = LabelledGoldForm(labelling, request.POST)
    if not form.is_valid():
        messages.error(request, f"Choose a classification task and a phase with {labelling.corpus}.")
        return redirect("labelling", challenge.slug, corpus)
    task, phase = form.cleaned_data["task"], form.cleaned_data["phase"]
    try:
        gold = adjudication.store_completed_labels_as_gold(labelling, task, phase)
    except ChallengeError as error:
        messages.error(request, str(error))
    except RefusedFileError as error:
        messages.error(request, f"The labels are not a valid gold standard: {error.faults[0]}")
    else:
        state = "sealed" if gold.producer_id is None else "stored"
        messages.success(
            request, f"The labels are now the gold standard of {task} in the {phase.sort} phase; it is {state}."
        )
    return redirect("labelling", challenge.slug, corpus)
