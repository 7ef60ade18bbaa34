"""Who can create a challenge, and who can organize one."""

from django.contrib.auth.models import PermissionsMixin

from evaluation.challenges.models import Challenge
from evaluation.visibility import is_staff
from servers.teams.permissions import User


def can_create_challenge(user: User) -> bool:
    """Staff, and users with the permission to add challenges."""
    permitted = isinstance(user, PermissionsMixin) and user.has_perm("evaluation.add_challenge")
    return is_staff(user) or permitted


def can_organize(user: User, challenge: Challenge) -> bool:
    """Whether the user can change this challenge and see everything in it: its organizers and staff."""
    # Workers carry out what somebody ordered whose account may have been deactivated since.
    if not (user.is_authenticated and user.is_active):
        return False
    return is_staff(user) or challenge.organizers.filter(pk=user.pk).exists()
