"""Pages and buttons of what a team is told about a server: by e-mail, and by webhooks with their messages."""

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

from servers.buttons import button
from servers.masking import masked
from servers.models import Delivery, Membership, Server, Webhook
from servers.notification_forms import MailForm, WebhookForm
from servers.roles import Rights, rights
from servers.telling import readers, webhooks
from servers.topics import DeliveryState
from servers.views import server_to_change, server_to_run

MOST_WEBHOOKS = 10
PAGE = 25


@login_required
@require_safe
def notifications(request: HttpRequest, slug: str) -> HttpResponse:
    server, may = server_to_run(request, slug)
    return page(request, server, may, MailForm(instance=server), WebhookForm())


def page(request: HttpRequest, server: Server, may: Rights, mail: MailForm, webhook: WebhookForm) -> HttpResponse:
    """The choices as they are; a form that was refused stands there with its errors."""
    everybody = readers.readers_of(server.team, [server])
    context = {
        "server": server,
        "may": may,
        "mail_form": mail,
        "webhook_form": webhook,
        "readers": everybody,
        "own": next((each for each in everybody if each.member.user_id == request.user.pk), None),
        "webhooks": [(each, masked(each.url)) for each in server.webhooks.order_by("pk")],
    }
    refused = mail.errors or webhook.errors
    return render(request, "servers/notifications.html", context, status=422 if refused else 200)


@button
def choose(request: HttpRequest, slug: str) -> HttpResponse:
    server = server_to_change(request, slug)
    form = MailForm(request.POST, instance=server)
    if not form.is_valid():
        return page(request, server, rights(request.user, server.team), form, WebhookForm())
    form.store()
    messages.success(request, "The choices are stored.")
    return redirect("server-notifications", slug=slug)


@button
def my_mail(request: HttpRequest, slug: str) -> HttpResponse:
    """Whether the member who presses it gets mail about the server."""
    server, _ = server_to_run(request, slug)
    get_object_or_404(Membership, team=server.team, user=request.user.pk)
    wanted = request.POST.get("wanted") == "yes"
    readers.wish(server, request.user, wanted=wanted)
    words = "You get mail" if wanted else "You get no more mail"
    messages.success(request, f"{words} about {server.name}.")
    return redirect("server-notifications", slug=slug)


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def mail_stop(request: HttpRequest, token: str) -> HttpResponse:
    """Where the link of a mail leads. A mere visit changes nothing, as programs that look for viruses follow links.

    Mail programs press its button from outside (RFC 8058): the signed link itself says who may.
    """
    try:
        servers, member = readers.stopped_by(token)
    except readers.UnknownLinkError as error:
        return render(request, "servers/mail_stop.html", {"error": str(error)}, status=404)
    if request.method == "POST":
        for server in servers:
            readers.wish(server, member.user, wanted=False)
    context = {"servers": servers, "member": member, "stopped": request.method == "POST"}
    return render(request, "servers/mail_stop.html", context)


@button
def add_webhook(request: HttpRequest, slug: str) -> HttpResponse:
    server = server_to_change(request, slug)
    form = WebhookForm(request.POST)
    if form.is_valid() and server.webhooks.count() >= MOST_WEBHOOKS:
        form.add_error(None, f"{server.name} has {MOST_WEBHOOKS} webhooks, the most that there can be: remove one.")
    if not form.is_valid():
        return page(request, server, rights(request.user, server.team), MailForm(instance=server), form)
    form.instance.server = server
    webhook = form.save()
    messages.success(request, "The webhook is there. Give its secret to your receiver, then send a test.")
    return redirect("server-webhook", slug=slug, webhook_id=webhook.pk)


@login_required
@require_safe
def webhook(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    server, may = server_to_run(request, slug)
    found = webhook_of(server, webhook_id)
    return webhook_page(request, found, may, WebhookForm(instance=found))


def webhook_of(server: Server, webhook_id: int) -> Webhook:
    return get_object_or_404(Webhook.objects.select_related("server__team"), pk=webhook_id, server=server)


def webhook_page(request: HttpRequest, found: Webhook, may: Rights, form: WebhookForm) -> HttpResponse:
    context = {"server": found.server, "may": may, "form": form, "url": masked(found.url), **state_of(request, found)}
    return render(request, "servers/webhook.html", context, status=422 if form.errors else 200)


@require_safe
def webhook_live(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    """The part of the webhook's page that changes; 204 while the version in ?v= is the newest."""
    server, may = server_to_run(request, slug)
    found = webhook_of(server, webhook_id)
    if request.GET.get("v") == version_of(found):
        return HttpResponse(status=204)
    return render(request, "servers/_webhook.html", {"server": server, "may": may, **state_of(request, found)})


def version_of(webhook: Webhook) -> str:
    """Changes with everything that the list of messages shows: 1 query."""
    waiting = Count("pk", filter=Q(state=DeliveryState.WAITING))
    told = webhook.deliveries.aggregate(number=Count("pk"), waiting=waiting, tried=Max("tried"))
    return "-".join(map(str, [told["number"], told["waiting"], stamp(told["tried"]), webhook.active, webhook.misses]))


def stamp(moment: datetime | None) -> float:
    return moment.timestamp() if moment else 0.0


def state_of(request: HttpRequest, webhook: Webhook) -> dict[str, Any]:
    """The webhook with one page of its messages, the newest first: 3 queries."""
    newest = webhook.deliveries.order_by("-created", "pk")
    return {
        "webhook": webhook,
        "version": version_of(webhook),
        "resting": webhook.active and webhook.misses > 0 and webhook.rest_until > timezone.now(),
        "deliveries": Paginator(newest, PAGE).get_page(request.GET.get("page")),
    }


@button
def change_webhook(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    server = server_to_change(request, slug)
    found = webhook_of(server, webhook_id)
    form = WebhookForm(request.POST, instance=found)
    if not form.is_valid():
        return webhook_page(request, webhook_of(server, webhook_id), rights(request.user, server.team), form)
    form.save()
    webhooks.hurry(found)
    messages.success(request, "The webhook is changed.")
    return redirect("server-webhook", slug=slug, webhook_id=webhook_id)


@button
def switch_webhook(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    found = webhook_of(server_to_change(request, slug), webhook_id)
    on = request.POST.get("on") == "yes"
    webhooks.switch(found, on=on)
    messages.success(request, f"The webhook is switched {'on' if on else 'off'}.")
    return redirect("server-webhook", slug=slug, webhook_id=webhook_id)


@button
def new_secret(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    webhooks.rotate_secret(webhook_of(server_to_change(request, slug), webhook_id))
    messages.success(request, "The secret is new: give it to your receiver. For a day the old one signs beside it.")
    return redirect("server-webhook", slug=slug, webhook_id=webhook_id)


@button
def remove_webhook(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    webhook_of(server_to_change(request, slug), webhook_id).delete()
    messages.success(request, "The webhook is removed, with its messages.")
    return redirect("server-notifications", slug=slug)


@button
def test_webhook(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    found = webhook_of(server_to_change(request, slug), webhook_id)
    if not found.active:
        messages.warning(request, "The webhook is switched off: switch it on first.")
        return redirect("server-webhook", slug=slug, webhook_id=webhook_id)
    try:
        webhooks.send_test(found)
    except webhooks.TooManyTestsError as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, "A test message is on its way.")
    return redirect("server-webhook", slug=slug, webhook_id=webhook_id)


@button
def replay(request: HttpRequest, slug: str, webhook_id: int, delivery_id: uuid.UUID) -> HttpResponse:
    """Send a message once more."""
    found = webhook_of(server_to_change(request, slug), webhook_id)
    delivery = get_object_or_404(Delivery, pk=delivery_id, webhook=found)
    if found.active:
        webhooks.replay(delivery)
        messages.success(request, "The message is sent again, under the same id.")
    else:
        messages.warning(request, "The webhook is switched off: switch it on first.")
    return redirect("server-webhook", slug=slug, webhook_id=webhook_id)
