"""The webhooks of teams and challenges that an account has set up."""

from django.contrib.auth.models import User as Account
from django.db.models import Q

from evaluation.challenges.models import Challenge
from evaluation.challenges.webhooks.deliveries import make_challenge_owner
from servers.notifications.models import Webhook
from servers.notifications.webhooks.owners import (
    switch_off_webhooks_of_former_manager,
    switch_off_webhooks_of_former_organizer,
)
from servers.teams.models import Membership, Team


def switch_off_webhooks_of_account(account: Account) -> None:
    """Of an account that is closed or blocked, which may be an administrator's and on no team.

    Other managers and organizers can switch them on again.
    """
    webhooks = Webhook.objects.filter(set_by=account.pk, active=True)
    managed = set(account.membership_set.filter(role=Membership.Role.MANAGER).values_list("team", flat=True))
    of_teams = Q(webhooks__in=webhooks) | Q(servers__webhooks__in=webhooks) | Q(pk__in=managed)
    for team in Team.objects.filter(of_teams).distinct().order_by("pk"):
        switch_off_webhooks_of_former_manager(team, account, was_manager=team.pk in managed)
    of_challenges = Q(pk__in=webhooks.values("challenge_id")) | Q(organizers=account.pk)
    for challenge in Challenge.objects.filter(of_challenges).distinct().order_by("pk"):
        organizer_ids = challenge.organizers.values_list("pk", flat=True)
        switch_off_webhooks_of_former_organizer(make_challenge_owner(challenge), account, organizer_ids)
