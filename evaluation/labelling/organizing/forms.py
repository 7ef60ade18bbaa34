"""Forms of the organizers of a labelling."""

from typing import TYPE_CHECKING, Any

from django import forms

from annotations.schema import Kind
from evaluation.challenges.forms import PersonField, PhaseChoiceField
from evaluation.challenges.models import Challenge
from evaluation.challenges.setup.corpora import list_corpora_challenge_may_use
from evaluation.labelling.models import Labelling
from servers.teams.permissions import User

# django-stubs makes ModelForm generic, Django itself does not.
if TYPE_CHECKING:
    LabellingModelForm = forms.ModelForm[Labelling]
else:
    LabellingModelForm = forms.ModelForm


class LabellingForm(LabellingModelForm):
    class Meta:
        model = Labelling
        fields = ["corpus", "order", "again_every", "guideline"]
        labels = {"corpus": "Articles", "again_every": "Read a second time"}
        help_texts = {
            "order": "Curators never see how likely an article is.",
            "again_every": "Each curator unknowingly gets these articles again, 25 articles later or at the end. This "
            "measures how consistent each curator is.",
            "guideline": "What counts as relevant; shown beside every article.",
        }
        widgets = {"guideline": forms.Textarea(attrs={"rows": 5})}

    def __init__(self, challenge: Challenge, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        labelled = challenge.labellings.values("corpus")
        corpora = list_corpora_challenge_may_use(challenge, user).exclude(pk__in=labelled)
        self.fields["corpus"] = forms.ModelChoiceField(corpora, label="Articles", empty_label=None)


class CuratorForm(forms.Form):
    name = PersonField()


class LabelledGoldForm(forms.Form):
    """Choose a classification task and a phase with the corpus of the labelling."""

    def __init__(self, labelling: Labelling, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        challenge = labelling.challenge
        tasks = challenge.tasks.filter(kind=Kind.CLASSIFICATION).order_by("pk")
        phases = challenge.phases.filter(corpus=labelling.corpus_id).order_by("pk")
        self.fields["task"] = forms.ModelChoiceField(tasks, empty_label=None)
        self.fields["phase"] = PhaseChoiceField(phases, empty_label=None)
