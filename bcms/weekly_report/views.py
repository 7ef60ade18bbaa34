"""Choose the weekly report of a team, and the page of the link in it that ends it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from bcms.weekly_report.links import UnknownReportLinkError, get_member_to_unsubscribe
from bcms.weekly_report.mailing import choose_report
from servers.teams.models import Membership, Team


@login_required
@require_POST
def choose_weekly_report(request: HttpRequest, slug: str) -> HttpResponse:
    """For members of the team only, each for themselves."""
    team = get_object_or_404(Team, slug=slug)
    if not Membership.objects.filter(team=team, user=request.user.pk).exists():
        raise PermissionDenied(f"Only members of {team} get its weekly report.")
    wanted = request.POST.get("wanted") == "yes"
    choose_report(team, request.user, timezone.now(), wanted=wanted)
    outcome = f"You will get the weekly report of {team} from next Monday on."
    messages.success(request, outcome if wanted else f"You will not get the weekly report of {team}.")
    return redirect("team", slug=slug)


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def show_or_confirm_end_of_reports(request: HttpRequest, token: str) -> HttpResponse:
    """The page of the link in a report. GET changes nothing, because virus scanners follow links.

    CSRF-exempt because mail programs send the POST themselves (RFC 8058); the signed token grants the permission.
    """
    try:
        member = get_member_to_unsubscribe(token)
    except UnknownReportLinkError as error:
        return render(request, "weekly_report/unsubscribe.html", {"error": str(error)}, status=404)
    if request.method == "POST":
        choose_report(member.team, member.user, timezone.now(), wanted=False)
    context = {"member": member, "stopped": request.method == "POST"}
    return render(request, "weekly_report/unsubscribe.html", context)
