"""The forms of data sets: the recipe, the decision of a reviewer, and the leaderboard to enter."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.db.models import QuerySet

from annotations.articles.models import Corpus
from annotations.data_sets.models import Licence
from annotations.results.consensus.methods import CONSENSUS_METHODS, MentionMatching, SpanMatching
from annotations.results.models import RESULT_KIND_CHOICES
from annotations.schema import Kind
from bcms.consensus.article_consensus import DEFAULT_CONSENSUS_METHOD
from bcms.data_sets.articles import MOST_ARTICLES
from bcms.data_sets.boards import BoardChoice
from bcms.data_sets.recipes import RecipeInput, list_possible_sources
from bcms.lib.forms.folded_fields import FoldingForm
from bcms.lib.forms.text_fields import OneLineField, ShownTextField
from evaluation.visibility import list_loadable_corpora
from servers.calls.states import QueueMode
from servers.review.states import ReviewState
from servers.teams.models import Team
from servers.teams.permissions import User

LONGEST_SEARCH = 5000
LONGEST_WEIGHTS = 2000
MOST_FURTHER_PRODUCERS = 25
SPAN_CHOICES = [
    (SpanMatching.STRICT.value, "equal positions"),
    (SpanMatching.OVERLAPPING.value, "positions that overlap"),
]
MATCH_CHOICES = [
    (MentionMatching.POSITION.value, "any type and identifiers"),
    (MentionMatching.TYPE.value, "the same type"),
    (MentionMatching.IDENTIFIER.value, "the same type and identifiers"),
]
# What most recipes leave empty or as it is.
FOLDED_FIELDS = ("threshold", "spans", "match", "weights", "producers")


class DataSetForm(FoldingForm, forms.Form):
    """The recipe of a new data set."""

    FOLDED = FOLDED_FIELDS

    name = OneLineField(max_length=100, help_text="Shown as the producer of its annotations, after “Consensus:”.")
    description = ShownTextField(
        max_length=4000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What it is for, and whom to cite.",
    )
    licence = forms.ChoiceField(
        choices=Licence.choices,
        initial=Licence.CC_BY.value,
        help_text="Of the annotations. The texts of the articles belong to their publishers.",
    )
    corpus = forms.ModelChoiceField(
        Corpus.objects.none(), required=False, to_field_name="slug", empty_label="none, use the search below"
    )
    search = forms.CharField(
        max_length=LONGEST_SEARCH,
        required=False,
        help_text="The part after ? of the address of a search page, such as q=cadherin&year_from=2005. It is searched "
        f"again with each update. At most {MOST_ARTICLES:,} articles.",
    )
    kinds = forms.MultipleChoiceField(
        label="Kinds of annotation", choices=RESULT_KIND_CHOICES, widget=forms.CheckboxSelectMultiple
    )
    servers = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Without a choice, all accepted servers vote.",
    )
    producers = forms.CharField(
        label="Further producers",
        max_length=500,
        required=False,
        help_text="Numbers of runs, separated by spaces, as the REST resource that compares a corpus lists them.",
    )
    method = forms.ChoiceField(
        label="Rule",
        choices=[(method.id, method.name) for method in CONSENSUS_METHODS.values()],
        initial=DEFAULT_CONSENSUS_METHOD,
    )
    threshold = forms.FloatField(
        required=False,
        help_text="For rules with at least m servers, how many must agree (2 by default); for weighted servers, their "
        "share of the weight (0.5 by default).",
    )
    spans = forms.ChoiceField(label="Mentions are the same at", choices=SPAN_CHOICES, initial=SpanMatching.STRICT.value)
    match = forms.ChoiceField(
        label="Mentions are the same with",
        choices=MATCH_CHOICES,
        initial=MentionMatching.POSITION.value,
        required=False,
    )
    weights = forms.CharField(
        max_length=LONGEST_WEIGHTS,
        required=False,
        help_text="For weighted servers, such as genedict:2,17:0.5, by the id of a server or the number of a producer.",
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        self.fields["corpus"].queryset = list_loadable_corpora(user)  # type: ignore[attr-defined]
        live = list_possible_sources(user).filter(queue__mode=QueueMode.LIVE, queue__isnull=False)
        rows = live.order_by("name", "pk").values_list("queue__server__slug", "name")
        self.fields["servers"].choices = list(rows)  # type: ignore[attr-defined]

    def clean_producers(self) -> list[int]:
        parts = self.cleaned_data["producers"].replace(",", " ").split()
        if len(parts) > MOST_FURTHER_PRODUCERS or not all(part.isascii() and part.isdigit() for part in parts):
            raise forms.ValidationError(f"Enter at most {MOST_FURTHER_PRODUCERS} numbers of producers.")
        if any(len(part) > 18 for part in parts):
            raise forms.ValidationError("There is no producer with such a number.")
        return [int(part) for part in parts]

    def build_recipe(self) -> RecipeInput:
        """The recipe of a valid form."""
        data = self.cleaned_data
        return RecipeInput(
            name=data["name"],
            description=data["description"].strip(),
            licence=Licence(data["licence"]),
            corpus=data["corpus"],
            search=data["search"].strip(),
            kinds=[Kind(kind) for kind in data["kinds"]],
            servers=data["servers"],
            producers=data["producers"],
            method=data["method"],
            threshold=data["threshold"],
            spans=SpanMatching(data["spans"]),
            match=MentionMatching(data["match"] or MentionMatching.POSITION),
            weights=data["weights"].strip(),
        )


class DataSetReviewForm(forms.Form):
    """The decision of a reviewer."""

    decision = forms.ChoiceField(
        choices=[(ReviewState.ACCEPTED.value, "Publish"), (ReviewState.DECLINED.value, "Decline")]
    )
    note = ShownTextField(
        max_length=400, required=False, widget=forms.Textarea(attrs={"rows": 2}), help_text="Shown to the owner."
    )


class BoardForm(forms.Form):
    """A leaderboard to enter; with teams, that of the run."""

    board = forms.ChoiceField(label="Leaderboard")
    team = forms.ModelChoiceField(Team.objects.none(), empty_label=None, to_field_name="slug")

    def __init__(self, boards: Sequence[BoardChoice], teams: QuerySet[Team] | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        self.boards = {board.value: board for board in boards}
        self.fields["board"].choices = [(board.value, board.label) for board in boards]  # type: ignore[attr-defined]
        if teams is None:
            del self.fields["team"]
        else:
            self.fields["team"].queryset = teams  # type: ignore[attr-defined]

    def get_board(self) -> BoardChoice:
        """The leaderboard of a valid form."""
        return self.boards[self.cleaned_data["board"]]
