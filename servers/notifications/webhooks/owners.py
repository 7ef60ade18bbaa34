"""What webhooks belong to: a server, a team or a challenge."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.urls import reverse

from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.inbox.entries import notify_accounts
from servers.notifications.events import ChallengeTopic, Topic, WebhookOwnerType
from servers.notifications.models import Webhook
from servers.registry.models import Server
from servers.teams.models import Membership, Team
from servers.teams.permissions import User

TOPICS_OF_OWNERS = {
    WebhookOwnerType.SERVER: tuple(Topic),
    WebhookOwnerType.TEAM: (ChallengeTopic.ENTRY, ChallengeTopic.RUN, ChallengeTopic.PHASE, ChallengeTopic.NEWS),
    WebhookOwnerType.CHALLENGE: (ChallengeTopic.ENTRY, ChallengeTopic.RUN, ChallengeTopic.PHASE, ChallengeTopic.FILE),
}
# The page of an owner, whose URL has its slug.
PAGES_OF_OWNERS = {
    WebhookOwnerType.SERVER: "server",
    WebhookOwnerType.TEAM: "team",
    WebhookOwnerType.CHALLENGE: "challenge",
}
SWITCHED_OFF_WITH_MANAGER = (
    "Switched off because the person who entered its URL or switched it on can no longer manage {name}. Check the "
    "URL, then switch the webhook on again."
)
# Webhooks that are older than Webhook.set_by.
SWITCHED_OFF_WITH_POSSIBLE_MANAGER = (
    "Switched off because a person who may have entered its URL can no longer manage {name}: nobody recorded who did. "
    "Check the URL, then switch the webhook on again."
)


@dataclass(frozen=True, slots=True)
class WebhookOwner:
    """A server, a team or a challenge. team: whose members see changes in the audit trail, None for a challenge."""

    type: WebhookOwnerType
    pk: int
    name: str
    slug: str
    team: Team | None = None

    @property
    def webhooks(self) -> QuerySet[Webhook]:
        return Webhook.objects.filter(**{f"{self.type}_id": self.pk})

    def make_webhook(self) -> Webhook:
        """A new webhook of this owner, which is not stored yet."""
        return Webhook(**{f"{self.type}_id": self.pk})


def make_server_owner(server: Server) -> WebhookOwner:
    return WebhookOwner(WebhookOwnerType.SERVER, server.pk, server.name, server.slug, server.team)


def make_team_owner(team: Team) -> WebhookOwner:
    return WebhookOwner(WebhookOwnerType.TEAM, team.pk, team.name, team.slug, team)


def record_webhook_change(owner: WebhookOwner, webhook_id: int, change: str) -> None:
    """Record a change of a webhook in the audit trail, without its URL, which may contain a secret."""
    action = AuditAction.SERVER_KEYS_CHANGED if owner.type == WebhookOwnerType.SERVER else AuditAction.WEBHOOK_CHANGED
    challenge_id = owner.pk if owner.type == WebhookOwnerType.CHALLENGE else None
    after = {"webhook": webhook_id, "change": change}
    record_audit_event(action, owner.name, after=after, team=owner.team, challenge_id=challenge_id)


def switch_off_webhooks_of_former_manager(team: Team, user: User, *, was_manager: bool = True) -> None:
    """Send nothing more to URLs of somebody who does not manage the team any more, nor to those of its servers.

    The other managers are notified. was_manager: False for other members, who have entered a URL only as staff.
    """
    memberships = Membership.objects.filter(team=team, role=Membership.Role.MANAGER)
    managers = set(memberships.values_list("user", flat=True)) - {user.pk}
    owned = Webhook.objects.filter(Q(team=team) | Q(server__team=team), active=True)
    webhooks = owned.filter(_make_filter_of_setter(user) if was_manager else Q(set_by=user.pk))
    for webhook in webhooks.select_related("server").order_by("pk").select_for_update(of=("self",)):
        owner = make_team_owner(team) if webhook.server is None else make_server_owner(webhook.server)
        _switch_off(owner, webhook, team.name, managers)


def switch_off_webhooks_of_former_organizer(owner: WebhookOwner, user: User, organizer_ids: Iterable[int]) -> None:
    """Send nothing more to URLs of somebody who does not organize the challenge any more; the others are notified."""
    others = set(organizer_ids) - {user.pk}
    webhooks = owner.webhooks.filter(_make_filter_of_setter(user), active=True)
    for webhook in webhooks.order_by("pk").select_for_update():
        _switch_off(owner, webhook, owner.name, others)


def _make_filter_of_setter(user: User) -> Q:
    """Webhooks whose URL the user has entered, or may have entered."""
    return Q(set_by=user.pk) | Q(set_by__isnull=True)


def _switch_off(owner: WebhookOwner, webhook: Webhook, managed: str, notified: Collection[int]) -> None:
    reason = SWITCHED_OFF_WITH_POSSIBLE_MANAGER if webhook.set_by_id is None else SWITCHED_OFF_WITH_MANAGER
    Webhook.objects.filter(pk=webhook.pk).update(active=False, reason=reason.format(name=managed))
    record_webhook_change(owner, webhook.pk, "switched off")
    page = reverse(f"{owner.type}-webhook", args=[owner.slug, webhook.pk])
    notify_accounts(notified, f"A webhook of {owner.name} was switched off. Check its URL.", page)
