"""Forms to set up a challenge: its name, rules, tasks, corpora and phases."""

import re
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.validators import EmailValidator, RegexValidator
from django.db import transaction
from django.utils import timezone

from annotations.articles.article_ids import (
    format_first_items_and_remaining_count,
    split_distinct_article_ids_refusing_too_many,
)
from annotations.articles.models import Corpus
from annotations.results.models import RESULT_KIND_CHOICES
from annotations.schema import Kind
from bcms.lib.forms.folded_fields import FoldingForm
from bcms.lib.forms.model_forms import ModelForm
from bcms.lib.forms.text_fields import OneLineField, ShownTextField
from bcms.lib.writing.markdown import list_pictures_in_markdown
from evaluation.challenges.forms import CLOSING_HELP, OPENING_HELP, UtcDateTimeField
from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.challenges.pictures.forms import LONGEST_SOURCE, list_picture_faults
from evaluation.challenges.setup.corpora import find_articles_for_corpus, list_corpora_challenge_may_use
from evaluation.challenges.setup.creation import PHASE_END_ERROR
from evaluation.errors import ChallengeError
from evaluation.measures import open_tasks, registry
from evaluation.measures.registry import MEASURES_BY_NAME
from evaluation.measures.task_settings import TaskSettings
from servers.audit.models import AuditAction
from servers.audit.trail import record_form_changes_if_any
from servers.teams.permissions import User

# Pages of the site, and addresses of REST, below /challenges/, which no challenge can have as its name in URLs.
RESERVED_SLUGS = {"from-file", "new"}
# The measures that a leaderboard can have, of all kinds; a form refuses those of other kinds than its own.
ORDERING_MEASURES = [
    measure
    for measure in registry.MEASURES
    if (measure.scored or measure.kinds == registry.LABEL_KINDS) and not measure.is_count
]
FURTHER_MEASURES = [
    *ORDERING_MEASURES,
    *(
        measure
        for measure in registry.MEASURES
        if measure.name in open_tasks.SCHEME_MEASURES
        or (measure.is_count and not measure.scored and measure.kinds & {*open_tasks.OPEN_TASK_KINDS})
    ),
]


validate_task_name = RegexValidator(
    r"^[A-Za-z0-9][A-Za-z0-9-]*$", "Use only letters, digits and dashes in the name of a task, as in ACT or GN-2."
)

CHALLENGE_RULES = ("name", "description", "entrance", "approve_teams", "file_rules", "terms")
CHALLENGE_FACTS = ("organizer_names", "contact", "doi", "citation", "data_licence")
# Pages fold these.
FOLDED_RULES = ("file_rules", "terms", *CHALLENGE_FACTS)
MARKDOWN_HELP = "Markdown: **bold**, *italic*, `code`, [text](https://address), lists with - and headings with #."
PICTURES_HELP = "Pictures that you upload below: ![What it shows](name.webp)."
validate_contact_address = EmailValidator("Give an e-mail address, or a URL that begins with https://.")


class ChallengeForm(ModelForm[Challenge]):
    class Meta:
        model = Challenge
        fields = ["name", "slug", "description"]
        field_classes = {"name": OneLineField, "description": ShownTextField}
        labels = {"slug": "Name in URLs"}
        help_texts = {
            "slug": "Letters, digits and dashes. The page of the challenge is at /challenges/NAME/.",
            "description": "Shown on the page of the challenge: what the tasks are, who can take part, and until when. "
            "You can add pictures once the challenge is created.",
        }

    def clean_slug(self) -> str:
        slug = str(self.cleaned_data["slug"])
        if slug in RESERVED_SLUGS:
            raise forms.ValidationError(f"The site uses “{slug}” itself. Choose another name.")
        return slug


class NewChallengeForm(ChallengeForm):
    """A challenge that somebody describes, which has no pictures yet."""

    def clean_description(self) -> str:
        description = str(self.cleaned_data["description"])
        if pictures := list_pictures_in_markdown(description):
            source = pictures[0].source[:LONGEST_SOURCE]
            raise forms.ValidationError(
                f"A new challenge has no pictures, so {source} would not be shown. Remove it here, and add it to "
                "“Description and rules” once the challenge is created."
            )
        return description


class TaskForm(ModelForm[Task]):
    """A task. Its settings are in cleaned_data, None for tasks of the seven kinds as BioCreative has defined them.

    task_settings: the settings, complete; pages have fields for them instead.
    """

    name = forms.CharField(
        max_length=20,
        validators=[validate_task_name],
        help_text="A short name, such as ACT or GN. It is part of URLs and of the signatures of scores.",
    )
    kind = forms.ChoiceField(choices=RESULT_KIND_CHOICES, label="Kind of annotation")
    primary = forms.ChoiceField(
        choices=[("", "The default of the kind"), *((measure.name, measure.label) for measure in ORDERING_MEASURES)],
        required=False,
        widget=forms.RadioSelect,
        label="Ordered by",
        help_text="The measure that orders the leaderboard.",
    )

    further = forms.MultipleChoiceField(
        choices=[(measure.name, measure.label) for measure in FURTHER_MEASURES],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Further measures",
        help_text="The other columns of the leaderboard. Choose none to show all measures of the kind.",
    )

    class Meta:
        model = Task
        fields = ["name", "title", "kind", "primary", "further", "note"]
        field_classes = {"title": OneLineField, "note": ShownTextField}
        widgets = {"note": forms.Textarea(attrs={"rows": 4})}
        help_texts = {"note": "Describe the gold standard. Shown above the leaderboard."}

    def __init__(
        self, challenge: Challenge, *args: Any, task_settings: TaskSettings | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.challenge = challenge
        self.task_settings = task_settings

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if self.challenge.tasks.filter(name__iexact=name).exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError(f"The challenge already has a task {name}. Choose another name.")
        return name

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "kind" in cleaned:
            cleaned["kind"], cleaned["settings"] = Kind(cleaned["kind"]), self.task_settings
            self.check_measures(cleaned)
        return cleaned

    def check_measures(self, cleaned: dict[str, Any]) -> None:
        kind, settings, primary = cleaned["kind"], cleaned["settings"], cleaned.get("primary")
        ordering = {measure.name for measure in open_tasks.list_offered_ordering_measures(kind, settings)}
        offered = {measure.name for measure in open_tasks.list_offered_measures(kind, settings)}
        if primary and primary not in ordering:
            self.add_error("primary", _format_measure_error(primary))
        for name in cleaned.get("further", []):
            if name not in offered:
                self.add_error("further", _format_measure_error(name))


def get_task_fields(form: TaskForm) -> dict[str, Any]:
    """The fields of a task, as create_task and update_task_refusing_breaking_changes take them; for a valid form."""
    return {name: form.cleaned_data[name] for name in (*TaskForm.Meta.fields, "settings")}


def _format_measure_error(measure: str) -> str:
    return f"{MEASURES_BY_NAME[measure].label} does not apply to this kind. Choose a measure of the kind, or none."


class CorpusForm(ModelForm[Corpus]):
    articles = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 6, "placeholder": "16054130 10.1016/j.febslet.2008.02.055 PMC2346421"}),
        help_text="PMIDs, DOIs, PMCIDs or opaque ids, separated by spaces, commas or line breaks. Servers are asked in "
        "this order. Leave this empty for a blind corpus whose articles you upload next: nobody else sees those before "
        "the test is published.",
    )

    class Meta:
        model = Corpus
        fields = ["name", "slug", "description", "blind"]
        field_classes = {"name": OneLineField, "description": ShownTextField}
        labels = {"slug": "Name in URLs", "blind": "Blind"}
        help_texts = {
            "blind": "For a test: teams and servers get copies of the articles under opaque ids, without PMIDs. Only "
            "organizers see which article is which until the phase is published. The articles themselves stay public.",
        }

    def __init__(self, challenge: Challenge, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.challenge = challenge

    def clean_articles(self) -> list[int]:
        try:
            names = split_distinct_article_ids_refusing_too_many(self.cleaned_data["articles"])
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error
        blind = bool(self.cleaned_data.get("blind"))
        if not names and not blind:
            raise forms.ValidationError("Name at least one article. Only a blind corpus can be empty at first.")
        known = find_articles_for_corpus(self.challenge, names, blind=blind)
        if unknown := [name for name in names if name not in known]:
            raise forms.ValidationError(
                f"These articles are not on this site: {format_first_items_and_remaining_count(unknown)}. "
                "Remove them, or upload them first."
            )
        return list(dict.fromkeys(known[name] for name in names))


def check_end_of_phase(form: forms.BaseForm, cleaned: Mapping[str, Any]) -> None:
    """Add an error to a form with the fields opens and closes if the end is past or before the beginning."""
    opens, closes, now = cleaned.get("opens"), cleaned.get("closes"), timezone.now()
    if closes and closes <= max(opens or now, now):
        form.add_error("closes", PHASE_END_ERROR)


class PhaseForm(ModelForm[Phase]):
    opens = UtcDateTimeField(OPENING_HELP)
    closes = UtcDateTimeField(CLOSING_HELP)

    class Meta:
        model = Phase
        fields = ["sort", "corpus", "opens", "closes"]
        labels = {"sort": "Phase", "corpus": "Articles"}

    def __init__(self, challenge: Challenge, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        taken = set(challenge.phases.values_list("sort", flat=True))
        self.fields["sort"] = forms.ChoiceField(
            label="Phase", choices=[choice for choice in Phase.Type.choices if choice[0] not in taken]
        )
        self.fields["corpus"] = forms.ModelChoiceField(
            list_corpora_challenge_may_use(challenge, user),
            label="Articles",
            help_text="An existing corpus.",
            empty_label="choose a corpus",
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        check_end_of_phase(self, cleaned)
        return cleaned


def normalize_doi_of_challenge(text: str) -> str:
    """The DOI without the address of a resolver; ValidationError if it is none."""
    doi = re.sub(r"^(https?://(dx\.)?doi\.org/|doi:\s*)", "", text.strip(), flags=re.IGNORECASE)
    if doi and not re.fullmatch(r"10\.[0-9]{4,9}/\S+", doi):
        raise forms.ValidationError("This is no DOI. It begins with 10., as in 10.1093/database/baw032.")
    return doi


class ChallengeRulesForm(FoldingForm, ModelForm[Challenge]):
    FOLDED = FOLDED_RULES

    class Meta:
        model = Challenge
        fields = [*CHALLENGE_RULES, *CHALLENGE_FACTS]
        field_classes = dict.fromkeys(
            ("name", "organizer_names", "contact", "doi", "data_licence"), OneLineField
        ) | dict.fromkeys(("description", "terms", "citation"), ShownTextField)
        labels = {"entrance": "Who can take part", "approve_teams": "Approve each team", "terms": "Terms"}
        labels |= {"file_rules": "Checks of uploaded runs", "organizer_names": "Organizers", "doi": "DOI"}
        labels |= {"citation": "How to cite", "data_licence": "Licence of the data"}
        widgets = {"citation": forms.Textarea(attrs={"rows": 3})}
        help_texts = {
            "description": f"Shown first on the page of the challenge. {MARKDOWN_HELP} {PICTURES_HELP}",
            "organizer_names": "Their names as readers shall see and cite them, separated by semicolons.",
            "contact": "An e-mail address or a URL for questions.",
            "doi": "Of the paper or data set to cite, such as 10.1093/database/baw032.",
            "citation": "The reference in words.",
            "data_licence": "Such as CC BY 4.0, or where its text is.",
            "approve_teams": "A team can enter servers and upload runs only after an organizer approved it.",
            "terms": "A member of each team has to accept these before the team takes part, and again after every "
            "change. Leave empty for no terms.",
        }

    def clean_description(self) -> str:
        description = str(self.cleaned_data["description"])
        if "description" in self.changed_data and (faults := list_picture_faults(self.instance, description)):
            raise forms.ValidationError(faults)
        return description

    def clean_contact(self) -> str:
        contact = str(self.cleaned_data["contact"])
        if contact and not contact.startswith(("https://", "http://")):
            validate_contact_address(contact)
        return contact

    def clean_doi(self) -> str:
        return normalize_doi_of_challenge(self.cleaned_data["doi"])

    @transaction.atomic
    def save(self, commit: bool = True) -> Challenge:
        """ChallengeError if a picture in the description was deleted since the form was checked."""
        if "description" in self.changed_data:
            Challenge.objects.select_for_update(no_key=True).get(pk=self.instance.pk)
            if faults := list_picture_faults(self.instance, self.cleaned_data["description"]):
                raise ChallengeError(" ".join(faults))
        challenge: Challenge = super().save(commit)
        record_form_changes_if_any(self, AuditAction.CHALLENGE_CHANGED, challenge, challenge_id=challenge.pk)
        return challenge
