"""The registration of a server: the form, a trial with one article, its report, and saving the tried server."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bcms.lib.http.exchange import KEPT_BYTES
from bcms.server_page.trials.trial_input import (
    UnknownArticleError,
    build_registration_fields,
    copy_trial_fields,
    find_trial_article,
)
from servers.calls.dashboard import build_phase_bars
from servers.calls.secret_masking import decode_printable_and_mask_secrets, mask_secrets
from servers.credentials.forms import TrialCredentialsForm
from servers.registry import trials
from servers.registry.forms import RegistrationForm
from servers.registry.lookup import get_server_for_member, require_logged_in_post
from servers.registry.models import Trial
from servers.registry.trial_callbacks import build_unblinded_trial_sample_or_default
from servers.teams.permissions import get_team_rights, list_own_teams_or_all_for_staff


@sensitive_post_parameters(TrialCredentialsForm.secret_field)
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def show_registration_form_or_start_trial(request: HttpRequest) -> HttpResponse:
    """Show the form, filled from the earlier trial in ?trial=, or start a trial of the server in a valid form."""
    teams = list_own_teams_or_all_for_staff(request.user)
    if not teams.exists():
        return render(request, "servers/teams/no_team.html", status=403)
    form = RegistrationForm(request.POST or None, teams=teams, initial=_read_registration_fields_of_trial(request))
    credentials = TrialCredentialsForm(request.POST or None)
    if not (form.is_valid() & credentials.is_valid()):
        return _render_registration(
            request, form, credentials, status=422 if form.errors or credentials.errors else 200
        )
    fields = {name: value for name, value in form.cleaned_data.items() if name not in ("team", "pmid")}
    try:
        trial = trials.store_and_enqueue_trial_below_limit(
            form.cleaned_data["team"],
            request.user,
            fields,
            find_trial_article(form.cleaned_data["pmid"]),
            sealed_credentials=credentials.seal_for_url(form.cleaned_data["url"]),
        )
    except UnknownArticleError as error:
        form.add_error("pmid", str(error))
        return _render_registration(request, form, credentials, status=422)
    except trials.TooManyTrialsError as refusal:
        form.add_error(None, str(refusal))
        return _render_registration(request, form, credentials, status=429)
    return redirect("server-trial", trial_id=trial.pk)


def _render_registration(
    request: HttpRequest, form: RegistrationForm, credentials: TrialCredentialsForm, *, status: int
) -> HttpResponse:
    context = {"form": form, "credentials": credentials, "has_key": settings.CREDENTIALS_PUBLIC_KEY is not None}
    return render(request, "servers/registry/register.html", context, status=status)


def _read_registration_fields_of_trial(request: HttpRequest) -> dict[str, Any]:
    """The fields of the trial in ?trial=, empty without one."""
    trial_id = request.GET.get("trial", "")
    if not (trial_id.isascii() and trial_id.isdigit() and len(trial_id) < 19):
        return {}
    return build_registration_fields(_get_runnable_trial(request, int(trial_id)))


def _get_runnable_trial(request: HttpRequest, trial_id: int) -> Trial:
    """The trial; Http404 if there is none, PermissionDenied unless the user may run the servers of its team."""
    trial = get_object_or_404(Trial.objects.select_related("team", "server", "article"), pk=trial_id)
    if not get_team_rights(request.user, trial.team).run:
        raise PermissionDenied
    return trial


@login_required
@require_safe
def show_trial(request: HttpRequest, trial_id: int) -> HttpResponse:
    return render(request, "servers/registry/trial.html", _build_trial_context(_get_runnable_trial(request, trial_id)))


@require_safe
def poll_trial(request: HttpRequest, trial_id: int) -> HttpResponse:
    """The part of the page that changes when the trial ends; 204 until then."""
    trial = _get_runnable_trial(request, trial_id)
    if request.GET.get("v") == _compute_trial_version(trial):
        return HttpResponse(status=204)
    return render(request, "servers/registry/_trial.html", _build_trial_context(trial))


def _compute_trial_version(trial: Trial) -> str:
    """The state of a trial; "cut-off" if it should have ended long ago."""
    if trial.finished:
        return "done"
    return "cut-off" if _compute_trial_age(trial) > trials.LONGEST_TRIAL + trials.TRIAL_MARGIN else "running"


def _compute_trial_age(trial: Trial) -> float:
    """Seconds since the trial started."""
    return (timezone.now() - trial.started).total_seconds()


def _build_trial_context(trial: Trial) -> dict[str, Any]:
    return {
        "trial": trial,
        "version": _compute_trial_version(trial),
        "sample": build_unblinded_trial_sample_or_default(trial.article),
        "url": mask_secrets(trial.fields["url"]),
        "report": trial.report,
        "phases": build_phase_bars(trial.report.get("phases", {})),
        "sent": decode_printable_and_mask_secrets(bytes(trial.request)),
        "received": decode_printable_and_mask_secrets(bytes(trial.answer)),
        "called_back": decode_printable_and_mask_secrets(bytes(trial.callback[:KEPT_BYTES])),
        "called_back_for_two": decode_printable_and_mask_secrets(bytes(trial.batch_callback[:KEPT_BYTES])),
        "save_url": f"{settings.SITE_URL}{reverse('becalm-save', args=['JSON'])}",
        "age": _compute_trial_age(trial),
        "longest": int(trials.LONGEST_TRIAL),
    }


@login_required
@require_POST
@transaction.atomic
def register_server_of_finished_trial(request: HttpRequest, trial_id: int) -> HttpResponse:
    """Register the server as it was tried."""
    trial = _get_runnable_trial(request, trial_id)
    # After a double click, the second request waits for the lock and then finds the server registered.
    Trial.objects.select_for_update(of=("self",)).get(pk=trial.pk)
    trial.refresh_from_db(fields=["server", "finished"])
    if trial.server is not None or not trial.finished:
        raise Http404
    form = RegistrationForm(build_registration_fields(trial), teams=list_own_teams_or_all_for_staff(request.user))
    if not form.is_valid():
        return _render_registration(request, form, TrialCredentialsForm(), status=422)
    server = form.register()
    Trial.objects.filter(pk=trial.pk).update(server=server)
    messages.success(request, f"{server.name} is registered. Load a few articles, then start it.")
    return redirect("server", slug=server.slug)


@require_logged_in_post
def start_trial_of_registered_server(request: HttpRequest, slug: str) -> HttpResponse:
    """Start a trial of a registered server, outside its queues; its annotations are not stored as a result."""
    server, _ = get_server_for_member(request, slug)
    try:
        trial = trials.store_and_enqueue_trial_below_limit(
            server.team,
            request.user,
            copy_trial_fields(server),
            find_trial_article(request.POST.get("pmid", "").strip()),
            server,
        )
    except (trials.TooManyTrialsError, UnknownArticleError) as refusal:
        messages.warning(request, str(refusal))
        return redirect("server", slug=slug)
    return redirect("server-trial", trial_id=trial.pk)
