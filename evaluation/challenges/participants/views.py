"""How teams take part in a challenge: join it, enter servers, download articles; and how organizers approve teams."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bcms.lib.rest.limits import claim_file_slot_while_streaming
from evaluation.challenges.articles import list_unexcluded_article_names
from evaluation.challenges.form_pages import organizer_post_action
from evaluation.challenges.lookup import get_challenge_or_404, get_phase_or_404
from evaluation.challenges.models import Challenge, Phase
from evaluation.challenges.participants import admission
from evaluation.challenges.participants.article_files import (
    ARTICLE_FILE_FORMATS,
    ArticleFileFormat,
    check_may_download_articles,
    iter_unexcluded_articles_hiding_blind_metadata,
)
from evaluation.challenges.participants.forms import ServerChoiceForm, TeamApprovalForm
from evaluation.challenges.participants.listing import list_named_teams, list_own_listings, store_team_listing
from evaluation.challenges.participants.server_entry import (
    enqueue_open_phase_articles_for_entered_server,
    enter_eligible_server_and_enqueue_articles,
    list_team_servers_of_user,
)
from evaluation.challenges.permissions import can_organize
from evaluation.challenges.phases.checks import format_phase_date
from evaluation.errors import ChallengeError
from servers.registry.models import Server
from servers.teams.models import Team


@require_safe
def show_article_download_page(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    """The number of articles and the formats to download them in, or why the user cannot."""
    of_phase = get_phase_or_404(request.user, slug, phase)
    context = {
        "phase": of_phase,
        "files": ARTICLE_FILE_FORMATS,
        "number": len(list_unexcluded_article_names(of_phase)),
        "refusal": _explain_articles_refusal(request, of_phase),
    }
    return render(request, "evaluation/challenges/phase_articles.html", context)


def _explain_articles_refusal(request: HttpRequest, phase: Phase) -> str:
    """Why the user cannot download the articles yet; empty if they can."""
    try:
        check_may_download_articles(request.user, phase)
    except ChallengeError as error:
        return str(error)
    return ""


@require_safe
def download_phase_articles(request: HttpRequest, slug: str, phase: str, form: str) -> HttpResponseBase:
    of_phase = get_phase_or_404(request.user, slug, phase)
    if form not in ARTICLE_FILE_FORMATS:
        raise Http404(f"Unknown format. Choose one of {', '.join(ARTICLE_FILE_FORMATS)}.")
    if reason := _explain_articles_refusal(request, of_phase):
        raise PermissionDenied(reason)
    return stream_phase_articles(of_phase, ARTICLE_FILE_FORMATS[form])


def stream_phase_articles(phase: Phase, file_format: ArticleFileFormat) -> StreamingHttpResponse:
    """The articles of a phase as a download, streamed while they are read."""
    chunks = (
        chunk.encode("utf-8", "replace")
        for chunk in file_format.write(iter_unexcluded_articles_hiding_blind_metadata(phase))
    )
    response = StreamingHttpResponse(chunks, content_type=f"{file_format.content_type}; charset=utf-8")
    name = f"{phase.challenge.slug}-{phase.sort}.{file_format.suffix}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return claim_file_slot_while_streaming(response)


@organizer_post_action
def approve_team(request: HttpRequest, challenge: Challenge) -> None:
    """Approve a team that asked to take part, or invite another one."""
    form = TeamApprovalForm(challenge, request.POST)
    if form.is_valid():
        team = form.cleaned_data["team"]
        admission.approve_team_without_organizers(challenge, team, request.user)
        messages.success(request, f"{team} can take part.")
    else:
        messages.error(request, "There is no such team, or it is already approved. Choose one from the list.")


@organizer_post_action
def revoke_team_approval(request: HttpRequest, challenge: Challenge) -> None:
    team = get_object_or_404(Team, slug=request.POST.get("team", ""))
    if admission.withdraw_team_approval(challenge, team):
        messages.success(request, f"{team} can no longer enter or upload. Its runs were kept.")
    else:
        messages.info(request, f"{team} is not approved.")


@require_http_methods(["GET", "HEAD", "POST"])
def show_participants_or_change_listing(request: HttpRequest, slug: str) -> HttpResponse:
    """The teams that agreed to be named; members of a team agree for it here."""
    challenge = get_challenge_or_404(request.user, slug)
    if request.method == "POST":
        # Teams without members belong to nobody.
        own = Team.objects.filter(members=request.user.pk) if request.user.is_authenticated else Team.objects.none()
        team = get_object_or_404(own, slug=request.POST.get("team", ""))
        listed = "listed" in request.POST
        try:
            store_team_listing(challenge, team, listed=listed)
        except ChallengeError as error:
            messages.error(request, str(error))
        else:
            messages.success(request, f"{team} is {'now' if listed else 'no longer'} named here.")
        return redirect("challenge-participants", slug)
    context = {
        "challenge": challenge,
        "teams": list_named_teams(challenge),
        "own": list_own_listings(challenge, request.user),
        "organizes": can_organize(request.user, challenge),
    }
    return render(request, "evaluation/challenges/participants.html", context)


@login_required
@require_POST
def accept_terms_and_request_participation(request: HttpRequest, slug: str) -> HttpResponse:
    """A member of a team accepts the terms for it and asks to take part."""
    challenge = get_challenge_or_404(request.user, slug)
    team = Team.objects.filter(members=request.user.pk, slug=request.POST.get("team", "")).first()
    if team is None:
        messages.error(request, "You are not on such a team. Choose one from the list.")
        return redirect("challenge", slug)
    try:
        entrant = admission.accept_terms_or_refuse_ineligible_team(challenge, team, request.user)
    except ChallengeError as error:
        messages.error(request, str(error))
    else:
        missing = admission.explain_missing_admission(challenge, entrant, team)
        if missing:
            messages.info(request, missing)
        else:
            messages.success(request, f"{team} takes part. Now enter a server or upload a run.")
    return redirect("challenge", slug)


def _get_phase_and_chosen_server(request: HttpRequest, slug: str, phase: str) -> tuple[Phase, Server | None]:
    """The phase of the address and the server of the form; None and a message if no team of the user has it."""
    chosen_phase = get_phase_or_404(request.user, slug, phase)
    form = ServerChoiceForm(list_team_servers_of_user(request.user), request.POST)
    if not form.is_valid():
        messages.error(request, "None of your teams has this server. Choose one from the list.")
        return chosen_phase, None
    return chosen_phase, form.cleaned_data["server"]


@login_required
@require_POST
def enter_server_in_phase(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    chosen_phase, server = _get_phase_and_chosen_server(request, slug, phase)
    if server:
        try:
            runs = enter_eligible_server_and_enqueue_articles(server, chosen_phase, request.user)
        except ChallengeError as error:
            messages.error(request, str(error))
        else:
            tasks = " and ".join(run.task.name for run in runs)
            until = f" until {format_phase_date(chosen_phase.closes)}" if chosen_phase.closes else ""
            messages.success(
                request, f"{server} takes part in the {phase} phase in {tasks}{until}. Start it if it is not online."
            )
    return redirect("challenge", slug)


@login_required
@require_POST
def add_phase_articles_to_queue(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    chosen_phase, server = _get_phase_and_chosen_server(request, slug, phase)
    if server:
        try:
            added = enqueue_open_phase_articles_for_entered_server(server, chosen_phase)
        except ChallengeError as error:
            messages.error(request, str(error))
        else:
            messages.success(request, _format_phase_load_message(server, phase, added))
    return redirect("challenge", slug)


def _format_phase_load_message(server: Server, phase: str, added: int) -> str:
    if added:
        return f"{added} articles added to the {phase} queue of {server}."
    if phase == Phase.Type.TEST:
        return f"Nothing added: {server} has every test article in its queue, and each is asked only once."
    return f"Nothing added: every training article is still waiting in the queue of {server}."
