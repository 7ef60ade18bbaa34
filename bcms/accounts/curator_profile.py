"""The form of what a person who curates says about themselves, and agrees to."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db import transaction

from annotations.curation.models import CuratorProfile
from annotations.orcids import parse_orcid
from bcms.accounts.providers.verified_orcids import find_connected_orcid, refresh_verified_orcid
from servers.audit.models import AuditAction
from servers.audit.trail import record_form_changes_if_any

# What people type: the iD alone, or its address.
LONGEST_ORCID = 60


class CuratorProfileForm(forms.ModelForm):  # type: ignore[type-arg]
    orcid = forms.CharField(
        label="ORCID iD",
        max_length=LONGEST_ORCID,
        required=False,
        help_text="Such as 0000-0002-1825-0097, or its address. Leave it empty to remove it.",
    )
    shows_orcid = forms.BooleanField(
        label="Show my ORCID iD with my name",
        required=False,
        help_text=(
            "Everybody sees it with the digital abstracts that you made, and in their files and nanopublications; the "
            "members of your teams see it on the page of the team, and who sees a run that you uploaded sees it there."
        ),
    )
    shares_decisions = forms.BooleanField(
        label="Show teams what I decided about annotations of their servers",
        required=False,
        help_text=(
            "For digital abstracts of yours and outcomes of your projects that are published, each team sees which "
            "annotations of its servers you accepted, corrected or rejected, and why. It does not see your name. You "
            "can change this at any time."
        ),
    )

    class Meta:
        model = CuratorProfile
        fields = ("orcid", "shows_orcid", "shares_decisions")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)

    def clean_orcid(self) -> str:
        text = str(self.cleaned_data["orcid"]).strip()
        try:
            return parse_orcid(text) if text else ""
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("shows_orcid") and not cleaned.get("orcid") and "orcid" not in self.errors:
            self.add_error("orcid", "Enter your ORCID iD, or do not show it.")
        return cleaned


def build_profile_form(user_id: int, data: Any = None) -> CuratorProfileForm:
    """The form with the profile of the account, or an empty one."""
    profile = CuratorProfile.objects.filter(user=user_id).first() or CuratorProfile(user_id=user_id)
    initial = {} if profile.orcid else {"orcid": find_connected_orcid(user_id)}
    return CuratorProfileForm(data, instance=profile, initial=initial)


@transaction.atomic
def store_profile_if_valid(user_id: int, data: Any) -> CuratorProfileForm:
    """Store what the account says, and record what that changes, without the iD, which a closed account has no more.

    Forms that come at the same time are stored one after the other.
    """
    User.objects.select_for_update(no_key=True).get(pk=user_id)
    form = build_profile_form(user_id, data)
    if form.is_valid():
        form.save()
        refresh_verified_orcid(user_id)
        record_form_changes_if_any(
            form, AuditAction.ACCOUNT_PROFILE_CHANGED, "", secret_fields=("orcid",), person=form.instance.user
        )
    return form
