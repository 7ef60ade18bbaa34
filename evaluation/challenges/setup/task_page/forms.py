"""The form of the page on which organizers define a task, with a field for each setting."""

from dataclasses import dataclass
from typing import Any

from django import forms

from annotations.schema import Kind
from evaluation.challenges.models import Challenge
from evaluation.challenges.setup.forms import TaskForm
from evaluation.challenges.setup.task_page.choices import (
    CHOICES_BY_NAME,
    FIELDS_BY_MEMBER,
    OPEN_CHOICES,
    TASK_CHOICES,
    build_initial_fields,
    build_settings_of_fields,
    list_choices_with_measure,
    list_choices_with_setting,
)
from evaluation.measures.open_tasks import complete_task_settings, iter_given_members
from evaluation.measures.registry import MEASURES_BY_NAME, Measure
from evaluation.measures.task_settings import (
    TaskSettings,
    TaskSettingsError,
    check_settings_are_printable,
    read_task_settings,
)

# The fields of settings, by what they are for.
SETTING_GROUPS = (
    ("Mentions, identifiers and relations", ("entity_types", "type_spellings", "namespaces", "spans", "any_type")),
    ("Relations", ("relation", "relation_types", "excluded_type_pairs", "roles")),
    ("Labels", ("label_name", "label_values", "several_labels")),
)
SETTING_FIELDS = tuple(name for _, names in SETTING_GROUPS for name in names)
MEASURE_FIELDS = ("primary", "further")


@dataclass(frozen=True, slots=True)
class SettingField:
    """A field of settings on the page."""

    field: forms.BoundField

    @property
    def kinds(self) -> str:
        """The kinds that it means something for, by their values in the form, separated by spaces."""
        return " ".join(list_choices_with_setting(self.field.name))


@dataclass(frozen=True, slots=True)
class SettingGroup:
    """Fields of settings under a heading."""

    heading: str
    fields: list[SettingField]

    @property
    def kinds(self) -> str:
        """The kinds that one of its fields means something for, as in SettingField.kinds."""
        return " ".join(dict.fromkeys(kind for field in self.fields for kind in field.kinds.split()))


@dataclass(frozen=True, slots=True)
class MeasureOption:
    """A measure that can be chosen, or the empty choice of all kinds."""

    option: forms.boundfield.BoundWidget

    @property
    def measure(self) -> Measure | None:
        return MEASURES_BY_NAME.get(self.option.data["value"])

    @property
    def kinds(self) -> str:
        """The kinds that have the measure, as in SettingField.kinds; empty for the empty choice."""
        return " ".join(list_choices_with_measure(self.measure.name)) if self.measure else ""


def _make_names_field(label: str, help_text: str) -> forms.CharField:
    return forms.CharField(max_length=4000, required=False, label=label, help_text=help_text)


class TaskPageForm(TaskForm):
    kind = forms.ChoiceField(
        choices=TASK_CHOICES,
        label="Kind of annotation",
        help_text="Tasks of any types have settings, below. The others are scored as BioCreative has defined them.",
    )
    entity_types = _make_names_field(
        "Entity types",
        "Mentions and identifiers: the types that count, separated by commas, such as Disease, Chemical. "
        "Leave empty for all.",
    )
    type_spellings = forms.CharField(
        max_length=20_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Spellings of types",
        help_text="Mentions, identifiers and relations: other names of types of entities, a line for each type, such "
        "as Strain: cell strain, isolate. Case and punctuation do not matter.",
    )
    namespaces = _make_names_field(
        "Namespaces",
        "Identifiers and relations: the databases whose identifiers count, by their prefixes in the Bioregistry, such "
        "as mesh, ncbigene. Leave empty for all.",
    )
    spans = forms.ChoiceField(
        required=False,
        choices=[
            ("exact", "at the same position"),
            ("start", "with the same start"),
            ("end", "with the same end"),
            ("either", "with the same start or end"),
            ("overlap", "that overlap"),
        ],
        label="Matching mentions",
        help_text="Mentions and their identifiers: which mentions are the same.",
    )
    any_type = forms.BooleanField(
        required=False,
        label="Types do not have to match",
        help_text="Mentions: only the position counts; mentions of other types still do not count.",
    )
    relation = forms.ChoiceField(
        required=False,
        choices=[
            ("pair", "the same entities"),
            ("type", "the same entities and type"),
            ("direction", "the same entities, type and direction"),
            ("novelty", "the same entities, type and novelty"),
        ],
        label="Matching relations",
        initial="type",
        help_text="Which relations are the same.",
    )
    relation_types = _make_names_field(
        "Relation types", "The types that count, separated by commas, such as CID. Leave empty for all."
    )
    excluded_type_pairs = _make_names_field(
        "Excluded pairs of types",
        "Relations between entities of these types do not count, such as Gene-Variant, Disease-Disease.",
    )
    roles = _make_names_field(
        "Roles",
        "The roles that arguments may have, separated by commas. A run with another role is refused. Leave empty for "
        "any role or none.",
    )
    label_name = forms.CharField(
        max_length=100,
        required=False,
        label="Name of the set",
        help_text="The set of labels, such as topic; BioC has labels of several sets.",
    )
    label_values = forms.CharField(
        max_length=20_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        label="Labels",
        help_text="One in each line. A run with another label is refused, and macro figures are means over these. "
        "Leave empty for those of the gold standard.",
    )
    several_labels = forms.BooleanField(required=False, label="An article may have several of these labels")

    def __init__(self, challenge: Challenge, *args: Any, **kwargs: Any) -> None:
        super().__init__(challenge, *args, **kwargs)
        if self.instance.pk:
            self.initial.update(build_initial_fields(Kind(self.instance.kind), self.instance.get_settings()))

    @property
    def main_fields(self) -> list[forms.BoundField]:
        """The fields of every task other than the measures."""
        folded = {*MEASURE_FIELDS, *SETTING_FIELDS}
        return [field for field in self if field.name not in folded]

    @property
    def setting_groups(self) -> list[SettingGroup]:
        return [
            SettingGroup(heading, [SettingField(self[name]) for name in names]) for heading, names in SETTING_GROUPS
        ]

    @property
    def setting_kinds(self) -> str:
        """The kinds that have settings, as in SettingField.kinds."""
        return " ".join(choice.name for choice in OPEN_CHOICES)

    @property
    def shows_settings(self) -> bool:
        """Whether the settings are open at first: the task has some, or one of them has an error."""
        choice = CHOICES_BY_NAME.get(str(self["kind"].value()))
        return bool(choice and choice.has_settings) or any(name in self.errors for name in SETTING_FIELDS)

    @property
    def measure_lists(self) -> list[tuple[forms.BoundField, list[MeasureOption]]]:
        return [(self[name], [MeasureOption(option) for option in self[name]]) for name in MEASURE_FIELDS]

    @property
    def shows_measures(self) -> bool:
        """Whether the measures are open at first: some are chosen, or one of them is wrong."""
        return any(self[name].value() or name in self.errors for name in MEASURE_FIELDS)

    def clean(self) -> dict[str, Any]:
        if choice := CHOICES_BY_NAME.get(self.cleaned_data.get("kind", "")):
            self.cleaned_data["kind"] = choice.kind.value
            try:
                self.task_settings = self.read_settings(choice.name)
            except TaskSettingsError as error:
                self.add_error(FIELDS_BY_MEMBER.get(error.member, "kind"), _format_setting_error(error))
        return super().clean()

    def read_settings(self, choice_name: str) -> TaskSettings | None:
        """The settings of the fields, None for the seven kinds. TaskSettingsError if they are not valid."""
        choice = CHOICES_BY_NAME[choice_name]
        filled = {name: self.cleaned_data.get(name, "") for name in FIELDS_BY_MEMBER.values() if name != "kind"}
        filled |= {"spans": filled["spans"] or "exact", "relation": filled["relation"] or "type"}
        settings = read_task_settings(build_settings_of_fields(choice, filled))
        check_settings_are_printable(settings)
        if choice.has_settings:
            return complete_task_settings(choice.kind, settings)
        for member in iter_given_members(settings):
            message = "does not apply to this kind - choose a kind of any types, or leave it empty"
            raise TaskSettingsError(member, message)
        return None


def _format_setting_error(error: TaskSettingsError) -> str:
    """The error as sentences: what is wrong, and how to fix it."""
    wrong, _, fix = error.message.rpartition(" - ")
    return (
        f"This {wrong}. {fix[:1].upper()}{fix[1:]}."
        if wrong.startswith(("is ", "has ", "does "))
        else (f"{wrong[:1].upper()}{wrong[1:]}. {fix[:1].upper()}{fix[1:]}.")
    )
