"""Forms of a pool: add a judge, and judge a passage."""

from datetime import UTC, datetime

from django import forms
from django.core import signing

from evaluation.challenges.forms import PersonField
from evaluation.measures.passages import Verdict

SHOWN_TIME_SALT = "judging"
VERDICT_BY_KEY = {"y": Verdict(True, False), "n": Verdict(False, False), "b": Verdict(True, True)}


class JudgeForm(forms.Form):
    judge = PersonField()
    adjudicates = forms.BooleanField(
        required=False, label="Adjudicator", help_text="Decides where judges disagree, and does not judge."
    )


class DecisionForm(forms.Form):
    passage = forms.IntegerField()
    verdict = forms.ChoiceField(choices=[(key, key) for key in VERDICT_BY_KEY])
    at = forms.IntegerField(min_value=1)
    shown = forms.CharField(required=False)

    def clean_shown(self) -> datetime | None:
        """When the page was rendered, by the server's clock; None if the value is not signed by this site."""
        try:
            return datetime.fromtimestamp(float(signing.loads(self.cleaned_data["shown"], salt=SHOWN_TIME_SALT)), UTC)
        except signing.BadSignature:
            return None

    @property
    def chosen_verdict(self) -> Verdict:
        return VERDICT_BY_KEY[self.cleaned_data["verdict"]]


def sign_shown_time(now: datetime) -> str:
    """Sign the time at which a page was rendered, so that it cannot be forged."""
    return signing.dumps(now.timestamp(), salt=SHOWN_TIME_SALT)
