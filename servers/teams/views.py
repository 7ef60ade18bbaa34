"""Pages of teams: members, invitations and servers."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.core.mail import send_mail
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from servers.calls import queries as calls_queries
from servers.notifications.site_links import build_site_url
from servers.registry.models import Server
from servers.registry.queries import list_servers_with_live_queue_progress
from servers.review.reader_choice import includes_unreviewed_on_page
from servers.review.visible_servers import list_listed_servers
from servers.teams import membership
from servers.teams.forms import InvitationForm, RoleForm, TeamForm
from servers.teams.invitations import (
    INVITATION_VALIDITY,
    create_or_renew_invitation,
    delete_unaccepted_invitation,
    make_invitation_token,
)
from servers.teams.membership import MembershipError
from servers.teams.models import Invitation, Membership, Team
from servers.teams.permissions import Rights, get_team_rights
from servers.teams.queries import list_team_members, list_unaccepted_team_invitations


@require_safe
def show_team(request: HttpRequest, slug: str) -> HttpResponse:
    team = get_object_or_404(Team, slug=slug)
    return _render_team_page(request, team, get_team_rights(request.user, team), InvitationForm())


def _render_team_page(
    request: HttpRequest, team: Team, rights: Rights, form: InvitationForm, status: int = 200
) -> HttpResponse:
    """The team's page; form is the invitation form, with its errors if it was refused."""
    members = list_team_members(team)
    context = {
        "team": team,
        "may": rights,
        "members": members,
        "own": next((member for member in members if member.user_id == request.user.pk), None),
        "invitations": list_unaccepted_team_invitations(team) if rights.manage else [],
        "days": INVITATION_VALIDITY.days,
        "form": form,
        "servers": list_servers_with_live_queue_progress(_list_team_servers(request, team)),
        "awaiting": calls_queries.list_server_ids_with_unheld_stopped_queue(team) if rights.run else set(),
    }
    return render(request, "servers/teams/team.html", context, status=status)


def _list_team_servers(request: HttpRequest, team: Team) -> QuerySet[Server]:
    """The servers of the team that are in lists for this reader."""
    return list_listed_servers(request.user, with_unreviewed=includes_unreviewed_on_page(request)).filter(team=team)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def show_form_or_create_team(request: HttpRequest) -> HttpResponse:
    form = TeamForm(request.POST or None)
    if form.is_valid():
        if not ratelimit.consume(request, action="create_team"):
            return _respond_too_many_requests(request)
        try:
            team = membership.create_team_unless_name_taken(form.cleaned_data["name"], request.user)
        except MembershipError as error:
            form.add_error("name", str(error))
        else:
            messages.success(request, f"{team} was created. You are its manager.")
            return redirect("team", slug=team.slug)
    return render(request, "servers/teams/new_team.html", {"form": form}, status=422 if form.errors else 200)


def _respond_too_many_requests(request: HttpRequest) -> HttpResponse:
    """The error page of status 429."""
    response: HttpResponse = ratelimit.respond_429(request)
    return response


def _require_team_member_post(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Decorate a view that accepts POST from members of the team only; it gets the team and the user's rights.

    A MembershipError is shown as a message on the team's page.
    """

    @require_POST
    @wraps(view)
    def wrapper(request: HttpRequest, slug: str, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(reverse("team", args=[slug]))
        team = get_object_or_404(Team, slug=slug)
        rights = get_team_rights(request.user, team)
        if not rights.run:
            raise PermissionDenied
        try:
            return view(request, team, rights, **kwargs)
        except MembershipError as error:
            messages.error(request, str(error))
            return redirect("team", slug=slug)

    return wrapper


def _require_team_manager_post(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Decorate a view that accepts POST from managers of the team only; it gets the team."""

    @wraps(view)
    def wrapper(request: HttpRequest, team: Team, rights: Rights, **kwargs: Any) -> HttpResponse:
        if not rights.manage:
            raise PermissionDenied
        return view(request, team, **kwargs)

    return _require_team_member_post(wrapper)


@_require_team_manager_post
def invite_member(request: HttpRequest, team: Team) -> HttpResponse:
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _render_team_page(request, team, Rights(run=True, manage=True), form, status=422)
    if not ratelimit.consume(request, action="invite"):
        return _respond_too_many_requests(request)
    invitation = create_or_renew_invitation(team, form.cleaned_data["email"], form.cleaned_data["role"], request.user)
    _send_invitation_mail(request, invitation)
    messages.success(request, f"An invitation was sent to {invitation.email}.")
    return redirect("team", slug=team.slug)


def _send_invitation_mail(request: HttpRequest, invitation: Invitation) -> None:
    link = build_site_url("invitation", make_invitation_token(invitation))
    context = {"invitation": invitation, "link": link, "days": INVITATION_VALIDITY.days}
    subject = f"[BCMS] {request.user.get_username()} invites you to {invitation.team}"
    body = render_to_string("servers/email/invitation.txt", context)
    send_mail(" ".join(subject.split()), body, None, [invitation.email])


@_require_team_manager_post
def withdraw_invitation(request: HttpRequest, team: Team, invitation_id: int) -> HttpResponse:
    if delete_unaccepted_invitation(team, invitation_id):
        messages.success(request, "The invitation was withdrawn.")
    else:
        messages.success(request, "The invitation had already been accepted or withdrawn.")
    return redirect("team", slug=team.slug)


@_require_team_manager_post
def edit_member_role_unless_last_manager(request: HttpRequest, team: Team, user_id: int) -> HttpResponse:
    member = get_object_or_404(Membership.objects.select_related("user"), team=team, user=user_id)
    form = RoleForm(request.POST)
    if not form.is_valid():
        raise MembershipError("Select one of the two roles, manager or member.")
    membership.change_role_unless_last_manager(team, user_id, form.cleaned_data["role"])
    messages.success(request, f"{member.user.get_username()} is now a {form.cleaned_data['role']}.")
    return redirect("team", slug=team.slug)


@_require_team_manager_post
def expel_member_unless_last_manager(request: HttpRequest, team: Team, user_id: int) -> HttpResponse:
    member = get_object_or_404(Membership.objects.select_related("user"), team=team, user=user_id)
    membership.remove_member_and_invitations_unless_last_manager(team, user_id)
    messages.success(request, f"{member.user.get_username()} was removed from the team.")
    return redirect("team", slug=team.slug)


@_require_team_member_post
def leave_team_unless_last_manager(request: HttpRequest, team: Team, _: Rights) -> HttpResponse:
    member = get_object_or_404(Membership, team=team, user=request.user.pk)
    membership.remove_member_and_invitations_unless_last_manager(team, member.user_id)
    messages.success(request, f"You have left {team}.")
    return redirect("account")


@_require_team_manager_post
def dissolve_team_without_servers_or_runs(request: HttpRequest, team: Team) -> HttpResponse:
    membership.delete_team_without_servers_or_runs(team)
    messages.success(request, f"{team} was deleted.")
    return redirect("account")
