"""The form with which a team describes a run."""

import re
from urllib.parse import urlsplit

from django import forms
from django.core.validators import URLValidator
from django.db import transaction

from bcms.lib.forms.model_forms import ModelForm
from bcms.lib.forms.text_fields import OneLineField, ShownTextField
from evaluation.runs.descriptions.description import DESCRIPTION_FIELDS, DOI_RESOLVER
from evaluation.runs.models import Run
from servers.audit.models import AuditAction
from servers.audit.trail import record_form_changes_if_any

LOGIN_FAULT = "Give a URL without a user name and password: everybody reads it."
URL_FAULT = "Give a URL that begins with https://, such as https://github.com/group/tool."
check_url = URLValidator(["https", "http"], message=URL_FAULT)


class RunDescriptionForm(ModelForm[Run]):
    class Meta:
        model = Run
        fields = DESCRIPTION_FIELDS
        field_classes = dict.fromkeys(("method_name", "paper", "code"), OneLineField) | dict.fromkeys(
            ("abstract", "environment"), ShownTextField
        )
        labels = {"method_name": "Method", "environment": "Environment"}
        widgets = {
            "abstract": forms.Textarea(attrs={"rows": 6}),
            "paper": forms.TextInput(attrs={"placeholder": f"{DOI_RESOLVER}10.1093/database/baw032"}),
            "code": forms.TextInput(attrs={"placeholder": "https://github.com/group/tool"}),
            "environment": forms.Textarea(attrs={"rows": 2}),
        }
        help_texts = {
            "method_name": "Its name on the leaderboard, such as “BioBERT and dictionary”.",
            "abstract": "How it works, in a few sentences.",
            "paper": "The URL or DOI of the paper that describes it.",
            "code": "The URL of its source code or model.",
            "environment": "What it ran on: hardware, and the versions of its software and models.",
        }

    def clean_paper(self) -> str:
        paper = re.sub(r"^doi:\s*(?=10\.)", "", str(self.cleaned_data["paper"]), flags=re.IGNORECASE)
        return _check_url_if_any(f"{DOI_RESOLVER}{paper}" if re.match(r"10\.[0-9]{4,9}/", paper) else paper)

    def clean_code(self) -> str:
        return _check_url_if_any(str(self.cleaned_data["code"]))

    @transaction.atomic
    def save(self, commit: bool = True) -> Run:
        """Store the description, and what changed in the audit trail.

        Teams can do so at any time, as papers appear after challenges.
        """
        run = self.instance
        # Also what a program leaves out, for which Django keeps what the run has.
        for name in DESCRIPTION_FIELDS:
            setattr(run, name, self.cleaned_data[name])
        run.save(update_fields=DESCRIPTION_FIELDS)
        record_form_changes_if_any(
            self, AuditAction.RUN_DESCRIBED, run, team=run.team, challenge_id=run.phase.challenge_id
        )
        return run


def _check_url_if_any(url: str) -> str:
    if url:
        check_url(url)
    if "@" in urlsplit(url).netloc:
        raise forms.ValidationError(LOGIN_FAULT)
    return url
