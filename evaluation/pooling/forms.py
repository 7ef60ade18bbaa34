"""Name a judge, and decide about a passage."""

from datetime import UTC, datetime

from django import forms
from django.core import signing

from evaluation.forms import PersonField
from evaluation.measures.passages import Verdict

SALT = "judging"
VERDICTS = {"y": Verdict(True, False), "n": Verdict(False, False), "b": Verdict(True, True)}


class JudgeForm(forms.Form):
    judge = PersonField()
    adjudicates = forms.BooleanField(
        required=False, label="Decides where judges differ", help_text="Instead of judging: a third person."
    )


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
