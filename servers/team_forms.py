from typing import Any

from django import forms

from servers.models import Membership, Team

ROLES = [
    (Membership.Role.MEMBER, "member: runs the team's servers"),
    (Membership.Role.MANAGER, "manager: changes servers and members too"),
]


class TeamForm(forms.Form):
    name = forms.CharField(
        label="Name",
        max_length=100,
        help_text="As everybody sees it, such as that of your group.",
        error_messages={"required": "Give the team a name."},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)

    def clean_name(self) -> str:
        name = " ".join(self.cleaned_data["name"].split())
        if not name.isprintable():
            raise forms.ValidationError("The name has a character that cannot be seen: type it anew.")
        if Team.objects.filter(name__iexact=name).exists():
            raise forms.ValidationError(
                "There is a team of this name: choose another one, or ask its manager for an invitation."
            )
        return name


class InvitationForm(forms.Form):
    email = forms.EmailField(
        label="E-mail address",
        max_length=254,
        error_messages={
            "required": "Give the address to which the invitation is sent.",
            "invalid": "This is no e-mail address; one looks like ana@example.org.",
        },
    )
    role = forms.ChoiceField(label="Role", choices=ROLES)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=ROLES)
