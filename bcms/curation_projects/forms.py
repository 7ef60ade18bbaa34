"""The forms of curation projects and worklists."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.db.models import QuerySet

from annotations.articles.models import Corpus
from annotations.curation.models import Curator
from annotations.curation.projects.models import ProjectHelp
from annotations.curation.states import ItemKind
from annotations.results.consensus.methods import CONSENSUS_METHODS
from bcms.curation.bulk.acceptance import AcceptanceRule
from bcms.curation.proposals import DEFAULT_METHOD
from bcms.curation_projects.management import LARGEST_SEED
from bcms.lib.forms.model_forms import ModelChoiceField
from bcms.lib.forms.text_fields import OneLineField, ShownTextField
from evaluation.challenges.forms import PersonField
from evaluation.visibility import list_visible_corpora
from servers.teams.permissions import User

LONGEST_GUIDELINE = 20_000
METHOD_CHOICES = [(method.id, method.name) for method in CONSENSUS_METHODS.values() if method.id != "weighted"]
KIND_CHOICES = [
    (ItemKind.ORGANISM.value, "organisms"),
    (ItemKind.ENTITY.value, "entities"),
    (ItemKind.MENTION.value, "mentions"),
    (ItemKind.METHOD.value, "methods"),
    (ItemKind.INTERACTION.value, "interactions"),
    (ItemKind.RELATION.value, "other relations"),
    (ItemKind.LABEL.value, "labels"),
]
THRESHOLD_HELP = "For rules with at least m servers, how many have to agree; 2 if empty."


class ProjectForm(forms.Form):
    """A new project."""

    name = OneLineField(max_length=100)
    corpus = forms.ModelChoiceField(
        Corpus.objects.none(),
        label="Articles",
        to_field_name="slug",
        empty_label=None,
        help_text="A corpus you can see.",
    )
    guideline = ShownTextField(
        max_length=LONGEST_GUIDELINE,
        required=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="What to curate and how; its curators see it beside every article.",
    )
    help = forms.ChoiceField(
        label="Curators see",
        choices=ProjectHelp.choices,
        help_text="Curators never see the work of others. An experiment compares time and quality with and without "
        "help: each curator gets one half of their articles with it.",
    )
    method = forms.ChoiceField(
        label="Rule of what is proposed",
        choices=[("", "the default of this site"), *METHOD_CHOICES],
        required=False,
    )
    threshold = forms.FloatField(required=False, min_value=0, help_text=THRESHOLD_HELP)
    arm_seed = forms.IntegerField(
        label="Seed of the random assignment",
        required=False,
        min_value=0,
        max_value=LARGEST_SEED,
        help_text="For an experiment: the same number gives the same assignment again. Drawn if empty.",
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        corpora = list_visible_corpora(user).order_by("name", "pk")
        self.fields["corpus"].queryset = corpora  # type: ignore[attr-defined]


class ProjectPersonForm(forms.Form):
    """A person to add as curator or adjudicator."""

    person = PersonField()


class SplitForm(forms.Form):
    """How to split the articles that nobody curates."""

    overlap = forms.FloatField(
        label="Curated by two, in percent",
        min_value=0,
        max_value=100,
        initial=20,
        help_text="Agreement is measured on these articles. Each two curators share equally many.",
    )
    seed = forms.IntegerField(
        min_value=0, max_value=LARGEST_SEED, initial=1, help_text="The same number gives the same assignment again."
    )


class CuratorChoiceField(ModelChoiceField[Curator]):
    """A choice between curators of a project, by their user names."""

    def label_from_instance(self, obj: Curator) -> str:
        return obj.user.get_username() if obj.user else str(obj)


class HandOverForm(forms.Form):
    """The colleague who goes on with a curation."""

    def __init__(self, colleagues: QuerySet[Curator], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        self.fields["curator"] = CuratorChoiceField(
            colleagues.select_related("user"), label="Colleague", empty_label=None
        )


class AssignmentForm(forms.Form):
    """One article for one curator."""

    article = forms.CharField(max_length=32, label="PMID, or id of a blind article")

    def __init__(self, curators: QuerySet[Curator], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        self.fields["curator"] = CuratorChoiceField(curators.select_related("user"), empty_label=None)


class ProjectHandOverForm(AssignmentForm):
    """One article that a curator has not finished, for a colleague."""

    def __init__(self, curators: QuerySet[Curator], colleagues: QuerySet[Curator], *args: Any, **kwargs: Any) -> None:
        super().__init__(curators, *args, **kwargs)
        self.fields["curator"].label = "From"
        self.fields["colleague"] = CuratorChoiceField(
            colleagues.select_related("user"), label="To", empty_label="choose a colleague"
        )


class AcceptanceForm(forms.Form):
    """The rule by which a consensus is accepted as a whole."""

    method = forms.ChoiceField(label="Rule", choices=METHOD_CHOICES, initial=DEFAULT_METHOD)
    threshold = forms.FloatField(required=False, min_value=0, initial=2, help_text=THRESHOLD_HELP)
    kinds = forms.MultipleChoiceField(
        choices=KIND_CHOICES,
        widget=forms.CheckboxSelectMultiple,
        initial=[ItemKind.ENTITY.value],
        help_text="What you have decided on already stays as it is.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)

    def build_rule(self) -> AcceptanceRule:
        """The rule of a valid form."""
        data = self.cleaned_data
        return AcceptanceRule(data["method"], data["threshold"], [ItemKind(kind) for kind in data["kinds"]])


class OutcomeGoldForm(forms.Form):
    """A task and a phase that can have the outcome as their gold standard: "task:phase", by their ids."""

    task = forms.ChoiceField(label="Task and phase")

    def __init__(self, places: Sequence[tuple[str, str]], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        self.fields["task"].choices = list(places)  # type: ignore[attr-defined]
