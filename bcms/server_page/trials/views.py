"""The registration of a server: the form, a trial with one article, its report, and saving the tried server."""

from dataclasses import dataclass
from typing import Any

from allauth.core import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations.articles.models import Article
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
from servers.registry import lifecycle, trials
from servers.registry.forms import RegistrationForm
from servers.registry.lookup import get_server_for_member, require_logged_in_post
from servers.registry.models import Trial
from servers.registry.trial_callbacks import build_unblinded_trial_sample_or_default
from servers.teams.forms import NewTeamForm
from servers.teams.membership import MembershipError, create_team_unless_name_taken
from servers.teams.permissions import get_team_rights, list_own_teams_or_all_for_staff


@sensitive_post_parameters(TrialCredentialsForm.secret_field)
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def show_registration_form_or_start_trial(request: HttpRequest) -> HttpResponse:
    """Show the form, filled from the earlier trial in ?trial=, or start a trial of the server in a valid form.

    Somebody without a team names a new one in the form.
    """
    teams, data = list_own_teams_or_all_for_staff(request.user), request.POST or None
    team_form = None if teams.exists() else NewTeamForm(data, prefix="team")
    form = RegistrationForm(
        data, teams=None if team_form else teams, initial=_read_registration_fields_of_trial(request)
    )
    forms = RegistrationForms(form, TrialCredentialsForm(data), team_form)
    if not forms.are_valid():
        return _render_registration(request, forms, status=422 if forms.have_errors() else 200)
    try:
        article = find_trial_article(form.cleaned_data["pmid"])
    except UnknownArticleError as error:
        form.add_error("pmid", str(error))
        return _render_registration(request, forms, status=422)
    # After all that is checked without making a team, so that mistyped numbers are no teams of this hour.
    if team_form and not ratelimit.consume(request, action="create_team"):
        too_many: HttpResponse = ratelimit.respond_429(request)
        return too_many
    try:
        trial = _start_trial_creating_new_team(request, forms, article)
    except MembershipError as error:
        form.add_error(None, str(error))
        return _render_registration(request, forms, status=422)
    except trials.TooManyTrialsError as refusal:
        form.add_error(None, str(refusal))
        return _render_registration(request, forms, status=429)
    return redirect("server-trial", trial_id=trial.pk)


@dataclass(frozen=True, slots=True)
class RegistrationForms:
    """The forms of one page; team: that of a new team, None if the user chooses one of theirs."""

    server: RegistrationForm
    credentials: TrialCredentialsForm
    team: NewTeamForm | None

    def _list_all(self) -> list[BaseForm]:
        return [self.server, self.credentials, *([self.team] if self.team else [])]

    def are_valid(self) -> bool:
        return all(form.is_bound for form in self._list_all()) and not self.have_errors()

    def have_errors(self) -> bool:
        """Whether a form has a fault; all are checked, so that the page shows all faults at once."""
        return any(faults for faults in [form.errors for form in self._list_all()])


@transaction.atomic
def _start_trial_creating_new_team(request: HttpRequest, forms: RegistrationForms, article: Article | None) -> Trial:
    """Start the trial. If it is refused, there is no new team either."""
    sent = forms.server.cleaned_data
    if forms.team:
        team = create_team_unless_name_taken(forms.team.cleaned_data["name"], request.user)
    else:
        team = sent["team"]
    return trials.store_and_enqueue_trial_below_limit(
        team,
        request.user,
        {name: value for name, value in sent.items() if name not in ("team", "pmid")},
        article,
        sealed_credentials=forms.credentials.seal_for_url(sent["url"]),
    )


def _render_registration(request: HttpRequest, forms: RegistrationForms, *, status: int) -> HttpResponse:
    context = {
        "form": forms.server,
        "credentials": forms.credentials,
        "team_form": forms.team,
        "has_key": settings.CREDENTIALS_PUBLIC_KEY is not None,
    }
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
    """Register the server as it was tried, and start it if that is asked for."""
    trial = _get_runnable_trial(request, trial_id)
    # After a double click, the second request waits for the lock and then finds the server registered.
    Trial.objects.select_for_update(of=("self",)).get(pk=trial.pk)
    trial.refresh_from_db(fields=["server", "finished"])
    if trial.server is not None or not trial.finished:
        raise Http404
    form = RegistrationForm(build_registration_fields(trial), teams=list_own_teams_or_all_for_staff(request.user))
    if not form.is_valid():
        forms = RegistrationForms(form, TrialCredentialsForm(), None)
        return _render_registration(request, forms, status=422)
    server = form.register()
    Trial.objects.filter(pk=trial.pk).update(server=server)
    if "start" in request.POST:
        lifecycle.bring_server_online_and_resume_resting_queues(server, request.user)
        messages.success(request, f"{server.name} is registered and started. It annotates articles that people open.")
    else:
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
