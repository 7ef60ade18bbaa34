"""Registering a server is a trial: its form, one article sent now, what came of it rule by rule, then the saving."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations.models import Article
from bcms.lib.exchanges import KEPT_BYTES
from bcms.visibility import articles_seen_by
from servers import trials
from servers.buttons import button
from servers.forms import RegistrationForm
from servers.inside import phases_of
from servers.masking import masked, shown
from servers.models import Server, Trial
from servers.roles import rights, teams_of
from servers.views import server_to_run


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def register(request: HttpRequest) -> HttpResponse:
    """The form, filled from an earlier trial in ?trial=; what is sent is tried before anything is saved."""
    teams = teams_of(request.user)
    if not teams.exists():
        return render(request, "servers/no_team.html", status=403)
    form = RegistrationForm(request.POST or None, teams=teams, initial=filled_from(request))
    if not form.is_valid():
        return render(request, "servers/register.html", {"form": form}, status=422 if form.errors else 200)
    fields = {name: value for name, value in form.cleaned_data.items() if name != "team"}
    try:
        begun = trials.begin(form.cleaned_data["team"], request.user, fields, article_to_try())
    except trials.TooManyTrialsError as refusal:
        form.add_error(None, str(refusal))
        return render(request, "servers/register.html", {"form": form}, status=429)
    return redirect("server-trial", trial_id=begun.pk)


def filled_from(request: HttpRequest) -> dict[str, Any]:
    number = request.GET.get("trial", "")
    if not (number.isascii() and number.isdigit() and len(number) < 19):
        return {}
    return registration_of(trial_for(request, int(number)))


def registration_of(trial: Trial) -> dict[str, Any]:
    return trial.fields | {"team": trial.team_id}


def article_to_try() -> Article | None:
    """The newest article that everybody may see, so that a server that wants PMIDs finds it in PubMed."""
    articles = articles_seen_by(AnonymousUser()).filter(pmid__isnull=False)
    return articles.order_by("-pmid").first()


def trial_for(request: HttpRequest, trial_id: int) -> Trial:
    """The trial, if the user may run the servers of its team."""
    trial = get_object_or_404(Trial.objects.select_related("team", "server", "article"), pk=trial_id)
    if not rights(request.user, trial.team).run:
        raise PermissionDenied
    return trial


@login_required
@require_safe
def trial(request: HttpRequest, trial_id: int) -> HttpResponse:
    return render(request, "servers/trial.html", context_of(trial_for(request, trial_id)))


@require_safe
def live(request: HttpRequest, trial_id: int) -> HttpResponse:
    """The part that changes once, when the answer is there; 204 until then."""
    found = trial_for(request, trial_id)
    if request.GET.get("v") == version_of(found):
        return HttpResponse(status=204)
    return render(request, "servers/_trial.html", context_of(found))


def version_of(trial: Trial) -> str:
    if trial.finished:
        return "done"
    return "cut-off" if age_of(trial) > trials.LONGEST + trials.MARGIN else "running"


def age_of(trial: Trial) -> float:
    return (timezone.now() - trial.started).total_seconds()


def context_of(trial: Trial) -> dict[str, Any]:
    return {
        "trial": trial,
        "version": version_of(trial),
        "sample": trials.sample_of(trial.article),
        "url": masked(trial.fields["url"]),
        "report": trial.report,
        "phases": phases_of(trial.report.get("phases", {})),
        "sent": shown(bytes(trial.request)),
        "received": shown(bytes(trial.answer)),
        "called_back": shown(bytes(trial.callback[:KEPT_BYTES])),
        "save_url": f"{settings.SITE_URL}{reverse('becalm-save', args=['JSON'])}",
        "age": age_of(trial),
        "longest": int(trials.LONGEST),
    }


@login_required
@require_POST
@transaction.atomic
def save(request: HttpRequest, trial_id: int) -> HttpResponse:
    """Register the server as it was tried."""
    tried = trial_for(request, trial_id)
    # One of two clicks saves it; the other waits for the row and finds it saved.
    Trial.objects.select_for_update(of=("self",)).get(pk=tried.pk)
    tried.refresh_from_db(fields=["server", "finished"])
    if tried.server is not None or not tried.finished:
        raise Http404
    form = RegistrationForm(registration_of(tried), teams=teams_of(request.user))
    if not form.is_valid():
        return render(request, "servers/register.html", {"form": form}, status=422)
    server = form.register()
    Trial.objects.filter(pk=tried.pk).update(server=server)
    messages.success(request, f"{server.name} is registered. Load a few articles, then start it.")
    return redirect("server", slug=server.slug)


@button
def try_again(request: HttpRequest, slug: str) -> HttpResponse:
    """Try a server that is registered, beside its queues: nothing of it is stored as a result."""
    server, _ = server_to_run(request, slug)
    try:
        begun = trials.begin(server.team, request.user, fields_of(server), article_to_try(), server)
    except trials.TooManyTrialsError as refusal:
        messages.warning(request, str(refusal))
        return redirect("server", slug=slug)
    return redirect("server-trial", trial_id=begun.pk)


def fields_of(server: Server) -> dict[str, Any]:
    return {name: getattr(server, name) for name in ("name", *trials.ASKED_WITH)}
