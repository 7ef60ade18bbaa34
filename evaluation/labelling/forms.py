"""What organizers write to have a corpus labelled."""

from typing import Any

from django import forms
from django.contrib.auth import get_user_model

from annotations.kinds import Kind
from evaluation.challenges import corpora_for
from evaluation.forms import PhaseChoice
from evaluation.labelling.models import Labelling
from evaluation.models import Challenge


class LabellingForm(forms.ModelForm):
    class Meta:
        model = Labelling
        fields = ["corpus", "order", "again_every", "guideline"]
        labels = {"corpus": "Articles", "again_every": "Read a second time"}
        help_texts = {
            "order": "The likelihood by which they are ordered is never shown to curators.",
            "again_every": "Each curator gets these articles again, without being told, 25 articles later or at the "
            "end: how far curators agree with themselves.",
            "guideline": "What counts as relevant; stands beside every article.",
        }
        widgets = {"guideline": forms.Textarea(attrs={"rows": 5})}

    def __init__(self, challenge: Challenge, by: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        labelled = challenge.labellings.values("corpus")
        corpora = corpora_for(challenge, by).exclude(pk__in=labelled)
        self.fields["corpus"] = forms.ModelChoiceField(corpora, label="Articles", empty_label=None)


class CuratorForm(forms.Form):
    name = forms.CharField(label="User name", max_length=150, help_text="Of somebody with an account here.")

    def clean_name(self) -> Any:
        name = self.cleaned_data["name"]
        user = get_user_model().objects.filter(username=name, is_active=True).first()
        if user is None:
            raise forms.ValidationError(f"Nobody here is called “{name}”; ask for the name of the account.")
        return user


class MakeGoldForm(forms.Form):
    """Tasks and phases that the labelling fits."""

    def __init__(self, labelling: Labelling, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        challenge = labelling.challenge
        tasks = challenge.tasks.filter(kind=Kind.CLASSIFICATION).order_by("pk")
        phases = challenge.phases.filter(corpus=labelling.corpus_id).order_by("pk")
        self.fields["task"] = forms.ModelChoiceField(tasks, empty_label=None)
        self.fields["phase"] = PhaseChoice(phases, empty_label=None)
