"""What an organizer chooses on the page of a task: the kinds in the words of shared tasks, and settings as fields."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from annotations.schema import KIND_LABELS, KIND_TASK_NAMES, SEVEN_KINDS, Kind
from evaluation.measures import open_tasks
from evaluation.measures.items.type_spellings import format_type_spellings, parse_type_spellings
from evaluation.measures.task_settings import EVERY_TYPE, IdentifierMatch, TaskSettings


@dataclass(frozen=True, slots=True)
class TaskChoice:
    """A choice of the page. identifiers: that of TaskSettings; has_settings: False for the seven kinds as they are."""

    name: str
    label: str
    kind: Kind
    has_settings: bool = True
    identifiers: IdentifierMatch = ""


SEVEN_CHOICES = tuple(
    TaskChoice(kind.value, f"{KIND_LABELS[kind]} ({', '.join(KIND_TASK_NAMES[kind])})", kind, has_settings=False)
    for kind in SEVEN_KINDS
)
OPEN_CHOICES = (
    TaskChoice("ner", "Mentions of any types (NER)", Kind.MENTION),
    TaskChoice("nel", "Identifiers of mentions (NEL)", Kind.MENTION, identifiers="mention"),
    TaskChoice("nel-articles", "Identifiers of articles (NEL)", Kind.ENTITY),
    TaskChoice("relations", "Relations of any types", Kind.RELATION),
    TaskChoice("labels", "Labels of articles", Kind.LABEL),
)
CHOICES_BY_NAME: Mapping[str, TaskChoice] = {choice.name: choice for choice in (*SEVEN_CHOICES, *OPEN_CHOICES)}
TASK_CHOICES = [
    ("As in BioCreative II to III", [(choice.name, choice.label) for choice in SEVEN_CHOICES]),
    ("Of any types, with settings", [(choice.name, choice.label) for choice in OPEN_CHOICES]),
]
# The field of the page for each setting, by its name in JSON.
FIELDS_BY_MEMBER = {
    "entity_types": "entity_types",
    "type_spellings": "type_spellings",
    "namespaces": "namespaces",
    "roles": "roles",
    "label_set": "label_name",
    "label_set.name": "label_name",
    "label_set.values": "label_values",
    "label_set.several": "several_labels",
    "matching.spans": "spans",
    "matching.types": "any_type",
    "matching.identifiers": "kind",
    "matching.relation": "relation",
    "matching.relation_types": "relation_types",
    "matching.excluded_type_pairs": "excluded_type_pairs",
}
SEPARATORS = re.compile(r"[,\n]")


def find_task_choice(kind: Kind, settings: TaskSettings | None) -> TaskChoice:
    """The choice that a task is."""
    if settings is None:
        return CHOICES_BY_NAME[kind.value]
    identifiers = settings.identifiers if kind is Kind.MENTION else ""
    return next(choice for choice in OPEN_CHOICES if (choice.kind, choice.identifiers) == (kind, identifiers))


def list_choices_with_measure(measure: str) -> list[str]:
    """The names of the choices whose leaderboards can have a measure."""
    return [choice.name for choice in CHOICES_BY_NAME.values() if measure in _list_measure_names(choice)]


def _list_measure_names(choice: TaskChoice) -> set[str]:
    settings = TaskSettings(identifiers=choice.identifiers) if choice.has_settings else None
    return {measure.name for measure in open_tasks.list_offered_measures(choice.kind, settings)}


def list_choices_with_setting(field: str) -> list[str]:
    """The names of the choices for which a field of settings means something."""
    return [choice.name for choice in OPEN_CHOICES if field in _list_setting_fields(choice)]


def _list_setting_fields(choice: TaskChoice) -> set[str]:
    form = open_tasks.choose_compared_form(choice.kind, TaskSettings(identifiers=choice.identifiers))
    members = open_tasks.MEANINGFUL_MEMBERS[form]
    return {
        field for member, field in FIELDS_BY_MEMBER.items() if member in members or member.partition(".")[0] in members
    }


def build_settings_of_fields(choice: TaskChoice, fields: Mapping[str, object]) -> dict[str, object]:
    """Settings in JSON, of the values of the page's fields; those that are empty or the default are not given."""
    matching = {
        "identifiers": choice.identifiers,
        "spans": "" if fields["spans"] == "exact" else fields["spans"],
        "relation": "" if fields["relation"] == "type" else fields["relation"],
        "relation_types": split_names(fields["relation_types"]),
        "excluded_type_pairs": [
            [part.strip() for part in pair.split("-")] for pair in split_names(fields["excluded_type_pairs"])
        ],
    }
    label_set = {
        "name": str(fields["label_name"]).strip(),
        "values": [line.strip() for line in str(fields["label_values"]).splitlines() if line.strip()],
        "several": fields["several_labels"],
    }
    values: dict[str, object] = {
        "entity_types": split_names(fields["entity_types"]),
        "namespaces": split_names(fields["namespaces"]),
        "roles": split_names(fields["roles"]),
        "type_spellings": parse_type_spellings(str(fields["type_spellings"]).splitlines()),
        "matching": {name: value for name, value in matching.items() if value}
        | ({"types": False} if fields["any_type"] else {}),
        "label_set": label_set if any(label_set.values()) else None,
    }
    return {name: value for name, value in values.items() if value}


def split_names(text: object) -> list[str]:
    """Names that commas or line breaks separate."""
    return [name.strip() for name in SEPARATORS.split(str(text)) if name.strip()]


def build_initial_fields(kind: Kind, settings: TaskSettings | None) -> dict[str, object]:
    """The values of the page's fields for a task."""
    settings_or_default = settings or TaskSettings()
    label_set = settings_or_default.label_set
    types = () if EVERY_TYPE in settings_or_default.entity_types else settings_or_default.entity_types
    return {
        "kind": find_task_choice(kind, settings).name,
        "entity_types": ", ".join(types),
        "namespaces": ", ".join(settings_or_default.namespaces),
        "spans": settings_or_default.spans,
        "any_type": not settings_or_default.types,
        "relation": settings_or_default.relation,
        "relation_types": ", ".join(settings_or_default.relation_types),
        "excluded_type_pairs": ", ".join("-".join(pair) for pair in settings_or_default.excluded_type_pairs),
        "roles": ", ".join(settings_or_default.roles),
        "type_spellings": "\n".join(format_type_spellings(settings_or_default.type_spellings)),
        "label_name": label_set.name if label_set else "",
        "label_values": "\n".join(label_set.values) if label_set else "",
        "several_labels": bool(label_set and label_set.several),
    }
