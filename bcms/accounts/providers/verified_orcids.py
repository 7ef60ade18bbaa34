"""Which ORCID iDs of profiles are verified: those with which their accounts are connected."""

from allauth.socialaccount.models import SocialAccount
from django.db.models import Exists, OuterRef

from annotations.curation.models import CuratorProfile
from bcms.accounts.providers.configuration import ORCID_ISSUER


def find_connected_orcid(account_id: int) -> str:
    """The iD with which the account is connected, "" if with none; 1 query."""
    connected = SocialAccount.objects.filter(user=account_id, provider=ORCID_ISSUER).values_list("uid", flat=True)
    return str(connected.first() or "")


def refresh_verified_orcid(account_id: int) -> None:
    """Note in the profile of the account, if there is one, whether its iD is verified now."""
    connected = SocialAccount.objects.filter(user=OuterRef("user"), provider=ORCID_ISSUER, uid=OuterRef("orcid"))
    CuratorProfile.objects.filter(user=account_id).update(orcid_verified=Exists(connected))
