"""The webhooks of teams and challenges that an account has set up."""

from django.contrib.auth.models import User as Account

from evaluation.challenges.models import Challenge
from evaluation.challenges.webhooks.deliveries import make_challenge_owner
from servers.notifications.webhooks.owners import (
    switch_off_webhooks_of_former_manager,
    switch_off_webhooks_of_former_organizer,
)
from servers.teams.models import Team


def switch_off_webhooks_of_account(account: Account) -> None:
    """Before the account is closed or blocked; other managers and organizers can switch them on again."""
    for team in Team.objects.filter(members=account.pk).order_by("pk"):
        switch_off_webhooks_of_former_manager(team, account)
    for challenge in Challenge.objects.filter(organizers=account.pk).order_by("pk"):
        switch_off_webhooks_of_former_organizer(make_challenge_owner(challenge), account)
