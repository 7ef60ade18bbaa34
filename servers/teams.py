"""Pages and buttons of teams: who is on them, who is invited, what they run."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.core.mail import send_mail
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from servers import membership, querysets
from servers.membership import MembershipError
from servers.models import Invitation, Membership, Team
from servers.roles import Rights, rights
from servers.team_forms import InvitationForm, RoleForm, TeamForm


@require_safe
def team(request: HttpRequest, slug: str) -> HttpResponse:
    team = get_object_or_404(Team, slug=slug)
    return team_page(request, team, rights(request.user, team), InvitationForm())


def team_page(request: HttpRequest, team: Team, may: Rights, form: InvitationForm, status: int = 200) -> HttpResponse:
    members = querysets.members_of(team)
    context = {
        "team": team,
        "may": may,
        "members": members,
        "own": next((each for each in members if each.user_id == request.user.pk), None),
        "invitations": membership.open_invitations(team) if may.manage else [],
        "days": membership.VALID.days,
        "form": form,
        "servers": querysets.listed_servers(team.servers.all()),
        "awaiting": querysets.awaiting_word(team) if may.run else set(),
    }
    return render(request, "servers/team.html", context, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    form = TeamForm(request.POST or None)
    if form.is_valid():
        if not ratelimit.consume(request, action="create_team"):
            return ratelimit.respond_429(request)
        try:
            team = membership.create_team(form.cleaned_data["name"], request.user)
        except MembershipError as error:
            form.add_error("name", str(error))
        else:
            messages.success(request, f"{team} is there, and you are its manager.")
            return redirect("team", slug=team.slug)
    return render(request, "servers/new_team.html", {"form": form}, status=422 if form.errors else 200)


def button(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A view that is only sent to, for those on the team; it ends on the team's page, with what stood in the way."""

    @require_POST
    @wraps(view)
    def pressed(request: HttpRequest, slug: str, **place: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(reverse("team", args=[slug]))
        team = get_object_or_404(Team, slug=slug)
        may = rights(request.user, team)
        if not may.run:
            raise PermissionDenied
        try:
            return view(request, team, may, **place)
        except MembershipError as error:
            messages.error(request, str(error))
            return redirect("team", slug=slug)

    return pressed


def managing(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A button for managers alone."""

    @wraps(view)
    def pressed(request: HttpRequest, team: Team, may: Rights, **place: Any) -> HttpResponse:
        if not may.manage:
            raise PermissionDenied
        return view(request, team, **place)

    return button(pressed)


@managing
def invite(request: HttpRequest, team: Team) -> HttpResponse:
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return team_page(request, team, Rights(run=True, manage=True), form, status=422)
    if not ratelimit.consume(request, action="invite"):
        return ratelimit.respond_429(request)
    invitation = membership.invite(team, form.cleaned_data["email"], form.cleaned_data["role"], request.user)
    send_invitation(request, invitation)
    messages.success(request, f"{invitation.email} is invited by e-mail.")
    return redirect("team", slug=team.slug)


def send_invitation(request: HttpRequest, invitation: Invitation) -> None:
    link = request.build_absolute_uri(reverse("invitation", args=[membership.token_of(invitation)]))
    context = {"invitation": invitation, "link": link, "days": membership.VALID.days}
    subject = f"[BCMS] {request.user.get_username()} invites you to {invitation.team}"
    body = render_to_string("servers/email/invitation.txt", context)
    send_mail(" ".join(subject.split()), body, None, [invitation.email])


@managing
def withdraw(request: HttpRequest, team: Team, invitation_id: int) -> HttpResponse:
    number, _ = membership.open_invitations(team).filter(pk=invitation_id).delete()
    messages.success(request, "The invitation is taken back." if number else "It was accepted or taken back already.")
    return redirect("team", slug=team.slug)


@managing
def change_role(request: HttpRequest, team: Team, user_id: int) -> HttpResponse:
    member = get_object_or_404(Membership.objects.select_related("user"), team=team, user=user_id)
    form = RoleForm(request.POST)
    if not form.is_valid():
        raise MembershipError("There are two roles, manager and member: choose one of them.")
    membership.change_role(team, user_id, form.cleaned_data["role"])
    messages.success(request, f"{member.user.get_username()} is a {form.cleaned_data['role']} now.")
    return redirect("team", slug=team.slug)


@managing
def remove(request: HttpRequest, team: Team, user_id: int) -> HttpResponse:
    member = get_object_or_404(Membership.objects.select_related("user"), team=team, user=user_id)
    membership.remove(team, user_id)
    messages.success(request, f"{member.user.get_username()} is off the team.")
    return redirect("team", slug=team.slug)


@button
def leave(request: HttpRequest, team: Team, may: Rights) -> HttpResponse:
    own = get_object_or_404(Membership, team=team, user=request.user.pk)
    membership.remove(team, own.user_id)
    messages.success(request, f"You have left {team}.")
    return redirect("account")


@managing
def dissolve(request: HttpRequest, team: Team) -> HttpResponse:
    membership.dissolve(team)
    messages.success(request, f"{team} is dissolved.")
    return redirect("account")
