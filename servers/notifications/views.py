"""Pages for a team's notifications about a server: mail settings and webhooks."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from servers.notifications.events import WebhookOwnerType
from servers.notifications.forms import RHYTHMS, TOPICS, MailSettingsForm
from servers.notifications.mail import recipients
from servers.notifications.mail.unsubscribe_links import UnknownLinkError, get_servers_and_member_to_unsubscribe
from servers.notifications.webhooks.forms import WebhookForm
from servers.notifications.webhooks.owners import WebhookOwner, make_server_owner
from servers.notifications.webhooks.views import WebhookPages, list_webhooks_with_masked_urls
from servers.registry.lookup import get_server_for_manager, get_server_for_member, require_logged_in_post
from servers.registry.models import Server
from servers.teams.models import Membership
from servers.teams.permissions import Rights, get_team_rights


@login_required
@require_safe
def show_notifications(request: HttpRequest, slug: str) -> HttpResponse:
    server, rights = get_server_for_member(request, slug)
    return _render_notifications_page(
        request, server, rights, MailSettingsForm(instance=server), WebhookForm(WebhookOwnerType.SERVER)
    )


def _render_notifications_page(
    request: HttpRequest, server: Server, rights: Rights, mail_form: MailSettingsForm, webhook_form: WebhookForm
) -> HttpResponse:
    """The page with both forms; its status is 422 if one of them has errors."""
    members = recipients.list_active_members_and_wanted_servers(server.team, [server])
    context = {
        "server": server,
        "may": rights,
        "mail_form": mail_form,
        "mail_topics": [label for topic, label in TOPICS if topic in server.mail_topics],
        "mail_rhythm": dict(RHYTHMS)[server.mail_rhythm],
        "webhook_form": webhook_form,
        "readers": members,
        "own": next((recipient for recipient in members if recipient.member.user_id == request.user.pk), None),
        "webhooks": list_webhooks_with_masked_urls(make_server_owner(server)),
    }
    refused = mail_form.errors or webhook_form.errors
    return render(request, "servers/notifications/notifications.html", context, status=422 if refused else 200)


@require_logged_in_post
def edit_mail_settings(request: HttpRequest, slug: str) -> HttpResponse:
    server = get_server_for_manager(request, slug)
    form = MailSettingsForm(request.POST, instance=server)
    if not form.is_valid():
        return _render_notifications_page(
            request, server, get_team_rights(request.user, server.team), form, WebhookForm(WebhookOwnerType.SERVER)
        )
    form.store()
    messages.success(request, "The notification settings were saved.")
    return redirect("server-notifications", slug=slug)


@require_logged_in_post
def change_own_mail_preference(request: HttpRequest, slug: str) -> HttpResponse:
    """Store whether the member who sends this form gets mail about the server."""
    server, _ = get_server_for_member(request, slug)
    get_object_or_404(Membership, team=server.team, user=request.user.pk)
    wanted = request.POST.get("wanted") == "yes"
    recipients.store_mail_preference(server, request.user, wanted=wanted)
    outcome = "You will get mail" if wanted else "You will not get mail"
    messages.success(request, f"{outcome} about {server.name}.")
    return redirect("server-notifications", slug=slug)


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def show_or_confirm_unsubscription(request: HttpRequest, token: str) -> HttpResponse:
    """The page of the unsubscribe link in a mail. GET changes nothing, because virus scanners follow links.

    CSRF-exempt because mail programs send the POST themselves (RFC 8058); the signed token grants the permission.
    """
    try:
        servers, member = get_servers_and_member_to_unsubscribe(token)
    except UnknownLinkError as error:
        return render(request, "servers/notifications/unsubscribe.html", {"error": str(error)}, status=404)
    if request.method == "POST":
        for server in servers:
            recipients.store_mail_preference(server, member.user, wanted=False)
    context = {"servers": servers, "member": member, "stopped": request.method == "POST"}
    return render(request, "servers/notifications/unsubscribe.html", context)


def _render_page_with_refused_webhook(request: HttpRequest, owner: WebhookOwner, form: WebhookForm) -> HttpResponse:
    server = get_server_for_manager(request, owner.slug)
    rights = get_team_rights(request.user, server.team)
    return _render_notifications_page(request, server, rights, MailSettingsForm(instance=server), form)


def _find_webhook_owner(request: HttpRequest, slug: str) -> tuple[WebhookOwner, bool]:
    server, rights = get_server_for_member(request, slug)
    return make_server_owner(server), rights.manage


server_webhook_pages = WebhookPages(
    WebhookOwnerType.SERVER, "server-notifications", _find_webhook_owner, _render_page_with_refused_webhook
)
