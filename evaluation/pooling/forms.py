"""Name a judge, and decide about a passage."""

from datetime import UTC, datetime
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.core import signing
from django.db.models import Q

from evaluation.measures.passages import Verdict

SALT = "judging"
VERDICTS = {"y": Verdict(True, False), "n": Verdict(False, False), "b": Verdict(True, True)}


class JudgeForm(forms.Form):
    judge = forms.CharField(max_length=254, label="User name or e-mail address")
    adjudicates = forms.BooleanField(
        required=False, label="Decides where judges differ", help_text="Instead of judging: a third person."
    )

    def clean_judge(self) -> Any:
        said = self.cleaned_data["judge"].strip()
        found = list(User.objects.filter(Q(username__iexact=said) | Q(email__iexact=said), is_active=True)[:2])
        if len(found) != 1:
            raise forms.ValidationError(
                f"Nobody here has the user name or address {said}; ask them to sign up, or look at how it is written."
            )
        return found[0]


class DecisionForm(forms.Form):
    passage = forms.IntegerField()
    verdict = forms.ChoiceField(choices=[(key, key) for key in VERDICTS])
    at = forms.IntegerField(min_value=1)
    shown = forms.CharField(required=False)

    def clean_shown(self) -> datetime | None:
        """When the page was made, by the server's own clock; None when that was not written here."""
        try:
            return datetime.fromtimestamp(float(signing.loads(self.cleaned_data["shown"], salt=SALT)), UTC)
        except signing.BadSignature:
            return None

    @property
    def said(self) -> Verdict:
        return VERDICTS[self.cleaned_data["verdict"]]


def shown_at(now: datetime) -> str:
    """What a page says of when it was made, which nobody else can write."""
    return signing.dumps(now.timestamp(), salt=SALT)
