"""The pages of webhooks and their messages, which are the same for servers, teams and challenges."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Count, Max, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from servers.notifications.events import DeliveryState, WebhookOwnerType
from servers.notifications.models import Delivery, Webhook
from servers.notifications.webhooks import webhook_changes, webhook_delivery
from servers.notifications.webhooks.forms import STORED_FIELDS, WebhookForm
from servers.notifications.webhooks.owners import PAGES_OF_OWNERS, WebhookOwner, record_webhook_change
from servers.notifications.webhooks.webhook_messages import mask_webhook_url
from servers.teams.permissions import User, get_logged_in_user_id

MOST_WEBHOOKS = 10
PAGE = 25
SWITCHED_OFF = "The webhook is switched off. Switch it on first."
# The ends of the names of the URLs that templates use.
URL_NAMES = ("live", "change", "switch", "secret", "remove", "test", "replay")


def list_webhooks_with_masked_urls(owner: WebhookOwner) -> list[tuple[Webhook, str]]:
    return [(webhook, mask_webhook_url(webhook)) for webhook in owner.webhooks.order_by("pk")]


def show_webhook_list(request: HttpRequest, owner: WebhookOwner, form: WebhookForm | None = None) -> HttpResponse:
    """The webhooks of a team or a challenge, for those who may change them; status 422 if the form has errors."""
    form = form or WebhookForm(owner.type)
    context = {
        "owner": owner,
        "owner_page": reverse(PAGES_OF_OWNERS[owner.type], args=[owner.slug]),
        "webhooks": list_webhooks_with_masked_urls(owner),
        "webhook_form": form,
        "page_name": f"{owner.type}-webhook",
        "add_url": reverse(f"{owner.type}-webhook-add", args=[owner.slug]),
    }
    return render(request, "servers/notifications/webhooks.html", context, status=422 if form.errors else 200)


@dataclass(frozen=True, slots=True)
class WebhookPages:
    """The pages of the webhooks of one type of owner.

    list_page: the URL name of the page with the owner's webhooks; find_owner: the owner with this slug for a user who
    may see its webhooks, and whether they may change them, else Http404 or PermissionDenied; render_refused: that page
    with a form for a new webhook that has errors.
    """

    owner_type: WebhookOwnerType
    list_page: str
    find_owner: Callable[[HttpRequest, str], tuple[WebhookOwner, bool]]
    render_refused: Callable[[HttpRequest, WebhookOwner, WebhookForm], HttpResponse]

    def make_urls(self, owner_url: str) -> list[URLPattern]:
        """The URLs of the pages; owner_url: of an owner, with its slug, such as teams/<slug:slug>/."""
        name = f"{self.owner_type}-webhook"
        one = f"{owner_url}webhooks/<int:webhook_id>/"
        return [
            path(f"{owner_url}webhooks/new/", self._require_manager(self.add), name=f"{name}-add"),
            path(one, login_required(require_safe(self.show)), name=name),
            path(f"{one}live/", require_safe(self.poll), name=f"{name}-live"),
            path(f"{one}change/", self._require_manager(self.edit), name=f"{name}-change"),
            path(f"{one}switch/", self._require_manager(self.switch), name=f"{name}-switch"),
            path(f"{one}new-secret/", self._require_manager(self.renew_secret), name=f"{name}-secret"),
            path(f"{one}remove/", self._require_manager(self.remove), name=f"{name}-remove"),
            path(f"{one}test/", self._require_manager(self.send_test), name=f"{name}-test"),
            path(
                f"{one}deliveries/<uuid:delivery_id>/replay/",
                self._require_manager(self.resend),
                name=f"{name}-replay",
            ),
        ]

    def _require_manager(self, view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        """A view that accepts POST of those who may change the owner's webhooks; it gets the owner in place of slug.

        Visitors come to the page of the owner after they have logged in.
        """

        @sensitive_post_parameters("url", "token")
        @require_POST
        @wraps(view)
        def wrapper(request: HttpRequest, slug: str, **kwargs: Any) -> HttpResponse:
            if not request.user.is_authenticated:
                return redirect_to_login(reverse(PAGES_OF_OWNERS[self.owner_type], args=[slug]))
            owner, may_change = self.find_owner(request, slug)
            if not may_change:
                raise PermissionDenied(f"Only managers of {owner.team} may do this with {owner.name}.")
            return view(request, owner, **kwargs)

        return wrapper

    def _redirect(self, owner: WebhookOwner, webhook: Webhook) -> HttpResponse:
        return redirect(f"{self.owner_type}-webhook", slug=owner.slug, webhook_id=webhook.pk)

    def add(self, request: HttpRequest, owner: WebhookOwner) -> HttpResponse:
        form = WebhookForm(self.owner_type, request.POST, instance=owner.make_webhook())
        if not form.is_valid() or not _add_webhook_below_limit(owner, form, request.user):
            return self.render_refused(request, owner, form)
        messages.success(request, "The webhook was added. Configure its secret in your receiver, then send a test.")
        return self._redirect(owner, form.instance)

    def show(self, request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
        owner, may_change = self.find_owner(request, slug)
        webhook = _get_webhook_or_404(owner, webhook_id)
        form = WebhookForm(self.owner_type, instance=webhook)
        return self._render_webhook_page(request, owner, webhook, form, may_change=may_change)

    def _render_webhook_page(
        self, request: HttpRequest, owner: WebhookOwner, webhook: Webhook, form: WebhookForm, *, may_change: bool
    ) -> HttpResponse:
        context = {
            "form": form,
            "url": mask_webhook_url(webhook),
            "owner_page": reverse(PAGES_OF_OWNERS[self.owner_type], args=[owner.slug]),
            "list_page": reverse(self.list_page, args=[owner.slug]),
            **self._build_webhook_context(request, owner, webhook, may_change=may_change),
        }
        return render(request, "servers/notifications/webhook.html", context, status=422 if form.errors else 200)

    def poll(self, request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
        """The part of the webhook's page that changes; status 204 if the version in ?v= is up to date."""
        owner, may_change = self.find_owner(request, slug)
        webhook = _get_webhook_or_404(owner, webhook_id)
        if request.GET.get("v") == _compute_webhook_version(webhook):
            return HttpResponse(status=204)
        context = self._build_webhook_context(request, owner, webhook, may_change=may_change)
        return render(request, "servers/notifications/_webhook.html", context)

    def _build_webhook_context(
        self, request: HttpRequest, owner: WebhookOwner, webhook: Webhook, *, may_change: bool
    ) -> dict[str, Any]:
        """The template context of the webhook and one page of its messages, newest first: 3 queries."""
        newest = webhook.deliveries.order_by("-created", "pk")
        return {
            "owner": owner,
            "may_change": may_change,
            "url_names": {"page": f"{self.owner_type}-webhook"}
            | {name: f"{self.owner_type}-webhook-{name}" for name in URL_NAMES},
            "webhook": webhook,
            "version": _compute_webhook_version(webhook),
            "resting": webhook.active and webhook.misses > 0 and webhook.rest_until > timezone.now(),
            "most_waiting": f"{webhook_delivery.MOST_WAITING:,}",
            "deliveries": Paginator(newest, PAGE).get_page(request.GET.get("page")),
        }

    def edit(self, request: HttpRequest, owner: WebhookOwner, webhook_id: int) -> HttpResponse:
        """Store the changes, and send what waits because the receiver failed."""
        webhook = _get_webhook_or_404(owner, webhook_id)
        form = WebhookForm(self.owner_type, request.POST, instance=webhook)
        if not form.is_valid():
            stored = _get_webhook_or_404(owner, webhook_id)
            return self._render_webhook_page(request, owner, stored, form, may_change=True)
        # Who changes the topics alone has not checked where the URL leads to.
        if form.changes_receiver:
            webhook.set_by_id = get_logged_in_user_id(request.user)
        with transaction.atomic():
            webhook.save(update_fields=[*STORED_FIELDS, "set_by"])
            record_webhook_change(owner, webhook.pk, "changed")
            webhook_delivery.end_webhook_rest_and_enqueue_sending(webhook)
        messages.success(request, "The webhook was changed.")
        return self._redirect(owner, webhook)

    def switch(self, request: HttpRequest, owner: WebhookOwner, webhook_id: int) -> HttpResponse:
        webhook = _get_webhook_or_404(owner, webhook_id)
        if request.POST.get("on") == "yes":
            webhook_changes.switch_webhook_on_resetting_failures(owner, webhook, request.user)
            messages.success(request, "The webhook was switched on.")
        else:
            webhook_changes.switch_webhook_off(owner, webhook)
            messages.success(request, "The webhook was switched off.")
        return self._redirect(owner, webhook)

    def renew_secret(self, request: HttpRequest, owner: WebhookOwner, webhook_id: int) -> HttpResponse:
        webhook = _get_webhook_or_404(owner, webhook_id)
        webhook_changes.rotate_webhook_secret_keeping_old(owner, webhook)
        messages.success(
            request,
            "A new secret was created. Configure it in your receiver within a day: until then the old one is valid.",
        )
        return self._redirect(owner, webhook)

    def remove(self, request: HttpRequest, owner: WebhookOwner, webhook_id: int) -> HttpResponse:
        webhook = _get_webhook_or_404(owner, webhook_id)
        with transaction.atomic():
            record_webhook_change(owner, webhook.pk, "removed")
            webhook.delete()
        messages.success(request, "The webhook and its messages were removed.")
        return redirect(self.list_page, slug=owner.slug)

    def send_test(self, request: HttpRequest, owner: WebhookOwner, webhook_id: int) -> HttpResponse:
        webhook = _get_webhook_or_404(owner, webhook_id)
        if not webhook.active:
            messages.warning(request, SWITCHED_OFF)
            return self._redirect(owner, webhook)
        try:
            webhook_delivery.enqueue_test_delivery_below_limit(owner, webhook)
        except webhook_delivery.TooManyTestsError as error:
            messages.warning(request, str(error))
        else:
            messages.success(request, "A test message is being sent.")
        return self._redirect(owner, webhook)

    def resend(
        self, request: HttpRequest, owner: WebhookOwner, webhook_id: int, delivery_id: uuid.UUID
    ) -> HttpResponse:
        webhook = _get_webhook_or_404(owner, webhook_id)
        delivery = get_object_or_404(Delivery, pk=delivery_id, webhook=webhook)
        if webhook.active:
            webhook_delivery.reset_delivery_and_resume_webhook_sending(delivery)
            messages.success(request, "The message is being sent again with the same id.")
        else:
            messages.warning(request, SWITCHED_OFF)
        return self._redirect(owner, webhook)


@transaction.atomic
def _add_webhook_below_limit(owner: WebhookOwner, form: WebhookForm, user: User) -> bool:
    """Store the webhook of a valid form. False, with an error in the form, if the owner has enough of them."""
    # Who adds another one at the same time waits here, and then counts this one.
    list(owner.webhooks.select_for_update().order_by("pk").values_list("pk"))
    if owner.webhooks.count() >= MOST_WEBHOOKS:
        form.add_error(None, f"{owner.name} already has {MOST_WEBHOOKS} webhooks, the maximum. Remove one first.")
        return False
    form.instance.set_by_id = get_logged_in_user_id(user)
    record_webhook_change(owner, form.save().pk, "added")
    return True


def _get_webhook_or_404(owner: WebhookOwner, webhook_id: int) -> Webhook:
    return get_object_or_404(owner.webhooks, pk=webhook_id)


def _compute_webhook_version(webhook: Webhook) -> str:
    """A version that changes with everything that the list of messages shows: 1 query."""
    waiting = Count("pk", filter=Q(state=DeliveryState.WAITING))
    counts = webhook.deliveries.aggregate(number=Count("pk"), waiting=waiting, tried=Max("tried"))
    latest = _get_timestamp_or_zero(counts["tried"])
    return "-".join(
        map(str, [counts["number"], counts["waiting"], latest, webhook.active, webhook.misses, webhook.left_out])
    )


def _get_timestamp_or_zero(moment: datetime | None) -> float:
    return moment.timestamp() if moment else 0.0
