"""Pages for a team's notifications about a server: mail settings, webhooks and their messages."""

import uuid
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count, Max, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from servers.notifications.events import DeliveryState
from servers.notifications.forms import MailSettingsForm, WebhookForm
from servers.notifications.mail import recipients
from servers.notifications.mail.unsubscribe_links import UnknownLinkError, get_servers_and_member_to_unsubscribe
from servers.notifications.models import Delivery, Webhook
from servers.notifications.webhooks import webhook_delivery
from servers.notifications.webhooks.webhook_messages import mask_webhook_url
from servers.registry.lookup import get_server_for_manager, get_server_for_member, require_logged_in_post
from servers.registry.models import Server
from servers.teams.models import Membership
from servers.teams.permissions import Rights, get_team_rights

MOST_WEBHOOKS = 10
PAGE = 25
SWITCHED_OFF = "The webhook is switched off. Switch it on first."


@login_required
@require_safe
def show_notifications(request: HttpRequest, slug: str) -> HttpResponse:
    server, rights = get_server_for_member(request, slug)
    return _render_notifications_page(request, server, rights, MailSettingsForm(instance=server), WebhookForm())


def _render_notifications_page(
    request: HttpRequest, server: Server, rights: Rights, mail_form: MailSettingsForm, webhook_form: WebhookForm
) -> HttpResponse:
    """The page with both forms; its status is 422 if one of them has errors."""
    members = recipients.list_active_members_and_wanted_servers(server.team, [server])
    context = {
        "server": server,
        "may": rights,
        "mail_form": mail_form,
        "webhook_form": webhook_form,
        "readers": members,
        "own": next((recipient for recipient in members if recipient.member.user_id == request.user.pk), None),
        "webhooks": [(webhook, mask_webhook_url(webhook)) for webhook in server.webhooks.order_by("pk")],
    }
    refused = mail_form.errors or webhook_form.errors
    return render(request, "servers/notifications/notifications.html", context, status=422 if refused else 200)


@require_logged_in_post
def edit_mail_settings(request: HttpRequest, slug: str) -> HttpResponse:
    server = get_server_for_manager(request, slug)
    form = MailSettingsForm(request.POST, instance=server)
    if not form.is_valid():
        return _render_notifications_page(
            request, server, get_team_rights(request.user, server.team), form, WebhookForm()
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


@require_logged_in_post
def add_webhook_below_limit(request: HttpRequest, slug: str) -> HttpResponse:
    server = get_server_for_manager(request, slug)
    form = WebhookForm(request.POST)
    if form.is_valid() and server.webhooks.count() >= MOST_WEBHOOKS:
        form.add_error(None, f"{server.name} already has {MOST_WEBHOOKS} webhooks, the maximum. Remove one first.")
    if not form.is_valid():
        return _render_notifications_page(
            request, server, get_team_rights(request.user, server.team), MailSettingsForm(instance=server), form
        )
    form.instance.server = server
    webhook = form.save()
    webhook_delivery.record_webhook_change(webhook, "added")
    messages.success(request, "The webhook was added. Configure its secret in your receiver, then send a test.")
    return redirect("server-webhook", slug=slug, webhook_id=webhook.pk)


@login_required
@require_safe
def show_webhook(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    server, rights = get_server_for_member(request, slug)
    webhook = _get_webhook_or_404(server, webhook_id)
    return _render_webhook_page(request, webhook, rights, WebhookForm(instance=webhook))


def _get_webhook_or_404(server: Server, webhook_id: int) -> Webhook:
    return get_object_or_404(Webhook.objects.select_related("server__team"), pk=webhook_id, server=server)


def _render_webhook_page(request: HttpRequest, webhook: Webhook, rights: Rights, form: WebhookForm) -> HttpResponse:
    context = {
        "server": webhook.server,
        "may": rights,
        "form": form,
        "url": mask_webhook_url(webhook),
        **_build_webhook_context(request, webhook),
    }
    return render(request, "servers/notifications/webhook.html", context, status=422 if form.errors else 200)


@require_safe
def poll_webhook_page(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    """The part of the webhook's page that changes; status 204 if the version in ?v= is up to date."""
    server, rights = get_server_for_member(request, slug)
    webhook = _get_webhook_or_404(server, webhook_id)
    if request.GET.get("v") == _compute_webhook_version(webhook):
        return HttpResponse(status=204)
    context = {"server": server, "may": rights, **_build_webhook_context(request, webhook)}
    return render(request, "servers/notifications/_webhook.html", context)


def _compute_webhook_version(webhook: Webhook) -> str:
    """A version that changes with everything that the list of messages shows: 1 query."""
    waiting = Count("pk", filter=Q(state=DeliveryState.WAITING))
    counts = webhook.deliveries.aggregate(number=Count("pk"), waiting=waiting, tried=Max("tried"))
    latest = _get_timestamp_or_zero(counts["tried"])
    return "-".join(map(str, [counts["number"], counts["waiting"], latest, webhook.active, webhook.misses]))


def _get_timestamp_or_zero(moment: datetime | None) -> float:
    return moment.timestamp() if moment else 0.0


def _build_webhook_context(request: HttpRequest, webhook: Webhook) -> dict[str, Any]:
    """The template context of the webhook and one page of its messages, newest first: 3 queries."""
    newest = webhook.deliveries.order_by("-created", "pk")
    return {
        "webhook": webhook,
        "version": _compute_webhook_version(webhook),
        "resting": webhook.active and webhook.misses > 0 and webhook.rest_until > timezone.now(),
        "deliveries": Paginator(newest, PAGE).get_page(request.GET.get("page")),
    }


@require_logged_in_post
def edit_webhook_and_end_rest(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    server = get_server_for_manager(request, slug)
    webhook = _get_webhook_or_404(server, webhook_id)
    form = WebhookForm(request.POST, instance=webhook)
    if not form.is_valid():
        return _render_webhook_page(
            request, _get_webhook_or_404(server, webhook_id), get_team_rights(request.user, server.team), form
        )
    form.save()
    webhook_delivery.record_webhook_change(webhook, "changed")
    webhook_delivery.end_webhook_rest_and_enqueue_sending(webhook)
    messages.success(request, "The webhook was changed.")
    return redirect("server-webhook", slug=slug, webhook_id=webhook_id)


@require_logged_in_post
def set_webhook_on_or_off_as_posted(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    webhook = _get_webhook_or_404(get_server_for_manager(request, slug), webhook_id)
    active = request.POST.get("on") == "yes"
    webhook_delivery.set_webhook_active_and_reset_failures(webhook, active=active)
    messages.success(request, f"The webhook was switched {'on' if active else 'off'}.")
    return redirect("server-webhook", slug=slug, webhook_id=webhook_id)


@require_logged_in_post
def renew_webhook_secret_keeping_old_briefly(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    webhook_delivery.rotate_webhook_secret_keeping_old(
        _get_webhook_or_404(get_server_for_manager(request, slug), webhook_id)
    )
    messages.success(
        request,
        "A new secret was created. Configure it in your receiver within a day: until then the old one is valid.",
    )
    return redirect("server-webhook", slug=slug, webhook_id=webhook_id)


@require_logged_in_post
def remove_webhook_and_its_messages(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    webhook = _get_webhook_or_404(get_server_for_manager(request, slug), webhook_id)
    webhook_delivery.record_webhook_change(webhook, "removed")
    webhook.delete()
    messages.success(request, "The webhook and its messages were removed.")
    return redirect("server-notifications", slug=slug)


@require_logged_in_post
def enqueue_test_if_webhook_active_below_limit(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    webhook = _get_webhook_or_404(get_server_for_manager(request, slug), webhook_id)
    if not webhook.active:
        messages.warning(request, SWITCHED_OFF)
        return redirect("server-webhook", slug=slug, webhook_id=webhook_id)
    try:
        webhook_delivery.enqueue_test_delivery_below_limit(webhook)
    except webhook_delivery.TooManyTestsError as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, "A test message is being sent.")
    return redirect("server-webhook", slug=slug, webhook_id=webhook_id)


@require_logged_in_post
def resend_delivery_if_webhook_active(
    request: HttpRequest, slug: str, webhook_id: int, delivery_id: uuid.UUID
) -> HttpResponse:
    webhook = _get_webhook_or_404(get_server_for_manager(request, slug), webhook_id)
    delivery = get_object_or_404(Delivery, pk=delivery_id, webhook=webhook)
    if webhook.active:
        webhook_delivery.reset_delivery_and_resume_webhook_sending(delivery)
        messages.success(request, "The message is being sent again with the same id.")
    else:
        messages.warning(request, SWITCHED_OFF)
    return redirect("server-webhook", slug=slug, webhook_id=webhook_id)
