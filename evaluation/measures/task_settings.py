"""What counts in a task and how it has to match: types, namespaces, spans, identifiers, relations, labels."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Literal, TypeVar, get_args

from annotations.entity_types import normalize_entity_type
from annotations.identifiers.namespaces import find_database_by_spelling
from evaluation.measures.items.type_spellings import (
    TypeSpellings,
    find_fault_of_type_spellings,
    format_type_spellings,
    map_spellings_to_types,
    normalize_type_for_matching,
)

# How mentions match: as in mentions/spans.py, or `partial`, which gives half a point for an overlap.
MentionMatch = Literal["exact", "start", "end", "either", "overlap", "partial"]
# Whether identifiers count for each mention or for the article; "" if they do not count.
IdentifierMatch = Literal["", "mention", "article"]
# What counts of a relation besides its entities: nothing, its type, type and direction, or type and novelty.
RelationMatch = Literal["pair", "type", "direction", "novelty"]
# In place of types: every type counts.
EVERY_TYPE = "*"
Choice = TypeVar("Choice", bound=str)
MOST_TEXTS, LONGEST_TEXT = 100, 100


class TaskSettingsError(ValueError):
    """Settings that are not valid. member: the one with the fault, such as `matching.spans`; message: what is wrong."""

    def __init__(self, member: str, message: str) -> None:
        super().__init__(f"{member}: {message}")
        self.member = member
        self.message = message


@dataclass(frozen=True, slots=True)
class LabelSet:
    """The labels of a task. values: () for those of the gold standard; several: an article may have more than one."""

    name: str
    values: tuple[str, ...] = ()
    several: bool = False


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """The settings of a task; the defaults are those of tasks without settings, such as GM.

    entity_types: those that count; without any, mentions of genes and without a type, and entities of every type;
    (EVERY_TYPE,) for all. namespaces: identifiers of others do not count, () for all. spans, identifiers, relation: how
    mentions, identifiers and relations match. types: whether the type of a mention has to match. relation_types: those
    that count, () for all. excluded_type_pairs: relations between entities of two such types do not count. roles: those
    that the arguments of relations in uploaded files may have, () for any; figures do not depend on them.
    type_spellings: further spellings of types of entities, besides those that the site knows.
    """

    entity_types: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    spans: MentionMatch = "exact"
    identifiers: IdentifierMatch = ""
    relation: RelationMatch = "type"
    types: bool = True
    relation_types: tuple[str, ...] = ()
    excluded_type_pairs: tuple[tuple[str, str], ...] = ()
    label_set: LabelSet | None = None
    roles: tuple[str, ...] = ()
    type_spellings: TypeSpellings = ()
    # Made once, as every annotation that is scored is looked up.
    _types_by_spelling: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_types_by_spelling", map_spellings_to_types(self.type_spellings))

    def name_type(self, spelling: str) -> str:
        """The type that this task spells so; the spelling itself if the task adds no spellings for it."""
        if not self._types_by_spelling:
            return spelling
        return self._types_by_spelling.get(normalize_type_for_matching(spelling), spelling)

    def normalize_type(self, spelling: str) -> str:
        """Equal for the spellings of a type of entity in this task."""
        return normalize_type_for_matching(self.name_type(spelling))

    def counts_every_type(self) -> bool:
        return EVERY_TYPE in self.entity_types

    def select_entity_type(self, entity_type: str) -> "TaskSettings":
        """The same settings for one type of entity."""
        return replace(self, entity_types=(entity_type,))

    def select_relation_type(self, relation_type: str) -> "TaskSettings":
        """The same settings for one type of relation."""
        return replace(self, relation_types=(relation_type,))

    def describe(self) -> tuple[str, ...]:
        """The settings that are not the default, as parts of a signature; () if all are."""
        excluded = ",".join("-".join(pair) for pair in self.excluded_type_pairs)
        labels = self.label_set
        parts = {
            "types": ",".join(self.entity_types),
            "type-spellings": ";".join(format_type_spellings(self.type_spellings)),
            "namespaces": ",".join(self.namespaces),
            "spans": "" if self.spans == "exact" else self.spans,
            "identifiers": self.identifiers,
            "relation": "" if self.relation == "type" else self.relation,
            "type-matching": "" if self.types else "no",
            "relation-types": ",".join(self.relation_types),
            "without": excluded,
            "labels": labels.name if labels else "",
            "values": ",".join(labels.values) if labels else "",
            "several-labels": "yes" if labels and labels.several else "",
        }
        return tuple(f"{name}:{value}" for name, value in parts.items() if value)


def read_task_settings(values: Mapping[str, object]) -> TaskSettings:
    """Settings from JSON: `entity_types`, `namespaces`, `matching`, `label_set`, `roles` and `type_spellings`, each of
    them optional.

    matching: `{"spans": "overlap", "identifiers": "article", "relation": "novelty", "types": false, "relation_types":
    ["CID"], "excluded_type_pairs": [["Disease", "Disease"]]}`. label_set: `{"name": "topic", "values": ["a", "b"],
    "several": true}`. type_spellings: `{"Strain": ["cell strain", "isolate"]}`. Known types and namespaces may have any
    of their spellings. TaskSettingsError if invalid.
    """
    for member in values:
        if member not in SETTING_MEMBERS:
            known = ", ".join(sorted(SETTING_MEMBERS))
            raise TaskSettingsError(member, f"is not a setting - a task may have {known}")
    matching = _read_object(values, "matching", "", MATCHING_MEMBERS)
    types = matching.get("types", True)
    if not isinstance(types, bool):
        raise TaskSettingsError("matching.types", "is not true or false - give one of the two")
    settings = TaskSettings(
        tuple(dict.fromkeys(map(normalize_entity_type, _read_texts(values, "entity_types")))),
        tuple(dict.fromkeys(map(_find_namespace_or_raise, _read_texts(values, "namespaces")))),
        _read_choice(matching, "spans", get_args(MentionMatch), "exact"),
        _read_choice(matching, "identifiers", get_args(IdentifierMatch), ""),
        _read_choice(matching, "relation", get_args(RelationMatch), "type"),
        types,
        tuple(dict.fromkeys(_read_texts(matching, "relation_types", "matching."))),
        _read_type_pairs(matching),
        _read_label_set(values),
        tuple(dict.fromkeys(_read_texts(values, "roles"))),
        _read_type_spellings(values),
    )
    _check_type_spellings(settings)
    return settings


def check_settings_are_printable(settings: TaskSettings) -> None:
    """TaskSettingsError for texts with characters that nobody sees: in settings from people, as stored ones stay."""
    labels = settings.label_set
    texts_by_member: dict[str, Iterable[str]] = {
        "entity_types": settings.entity_types,
        "roles": settings.roles,
        "matching.relation_types": settings.relation_types,
        "matching.excluded_type_pairs": chain.from_iterable(settings.excluded_type_pairs),
        "label_set.name": [labels.name] if labels else [],
        "label_set.values": labels.values if labels else [],
        "type_spellings": chain.from_iterable((name, *spellings) for name, spellings in settings.type_spellings),
    }
    for member, texts in texts_by_member.items():
        if not all(text.isprintable() for text in texts):
            raise TaskSettingsError(member, "has an invisible character - type it again")


SETTING_MEMBERS = frozenset({"entity_types", "namespaces", "matching", "label_set", "roles", "type_spellings"})
MATCHING_MEMBERS = frozenset({"spans", "identifiers", "relation", "types", "relation_types", "excluded_type_pairs"})
LABEL_SET_MEMBERS = frozenset({"name", "values", "several"})


def build_task_settings_json(settings: TaskSettings) -> dict[str, object]:
    """What read_task_settings reads, without defaults; {} if all are."""
    matching = {
        "spans": "" if settings.spans == "exact" else settings.spans,
        "identifiers": settings.identifiers,
        "relation": "" if settings.relation == "type" else settings.relation,
        "relation_types": list(settings.relation_types),
        "excluded_type_pairs": [list(pair) for pair in settings.excluded_type_pairs],
    }
    labels = settings.label_set
    values: dict[str, object] = {
        "entity_types": list(settings.entity_types),
        "namespaces": list(settings.namespaces),
        "matching": {name: value for name, value in matching.items() if value}
        | ({} if settings.types else {"types": False}),
        "label_set": labels and {"name": labels.name, "values": list(labels.values), "several": labels.several},
        "roles": list(settings.roles),
        "type_spellings": {name: list(spellings) for name, spellings in settings.type_spellings},
    }
    return {name: value for name, value in values.items() if value}


# Of the settings whose names do not say what they mean in front of their values.
READER_NAMES = {
    "spans": "mentions match by",
    "identifiers": "identifiers compared in each",
    "relation": "relations match by",
    "types": "types have to match:",
}


def list_settings_for_readers(settings: TaskSettings) -> list[tuple[str, str]]:
    """(name, value) of the settings that are not the default, for pages."""
    members = build_task_settings_json(settings)
    matching = members.pop("matching", {})
    named = {**members, **(matching if isinstance(matching, dict) else {})}
    return [
        (READER_NAMES.get(name, name.replace("_", " ")), "all" if value == [EVERY_TYPE] else _format_setting(value))
        for name, value in named.items()
    ]


def _format_setting(value: object) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_format_setting(each)}" for name, each in value.items() if each != [])
    if isinstance(value, list):
        return ", ".join("-".join(each) if isinstance(each, list) else str(each) for each in value)
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _read_object(
    values: Mapping[str, object], name: str, parent: str, known_members: frozenset[str]
) -> Mapping[str, object]:
    value = values.get(name) or {}
    if not isinstance(value, Mapping):
        raise TaskSettingsError(f"{parent}{name}", "is not an object - give its members in braces")
    for member in value:
        if member not in known_members:
            known = ", ".join(sorted(known_members))
            raise TaskSettingsError(f"{parent}{name}.{member}", f"is not a member - it may have {known}")
    return value


def _read_texts(values: Mapping[str, object], name: str, parent: str = "") -> list[str]:
    value = values.get(name) or []
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise TaskSettingsError(f"{parent}{name}", "is not a list - give texts in brackets")
    texts = [text.strip() for text in value if isinstance(text, str) and text.strip()]
    if len(texts) < len(value):
        raise TaskSettingsError(
            f"{parent}{name}", "has an empty text or something that is no text - correct or omit it"
        )
    if len(texts) > MOST_TEXTS or any(len(text) > LONGEST_TEXT for text in texts):
        limits = f"at most {MOST_TEXTS} texts of at most {LONGEST_TEXT} characters"
        raise TaskSettingsError(f"{parent}{name}", f"is too long - give {limits}")
    return texts


def _read_choice(values: Mapping[str, object], name: str, choices: tuple[Choice, ...], default: Choice) -> Choice:
    value = values.get(name, default)
    for choice in choices:
        if value == choice:
            return choice
    known = ", ".join(choice for choice in choices if choice)
    raise TaskSettingsError(f"matching.{name}", f"{value!r} is not one of {known} - give one of them or omit it")


def _find_namespace_or_raise(spelling: str) -> str:
    database = find_database_by_spelling(spelling)
    if database is None:
        raise TaskSettingsError(
            "namespaces", f"{spelling!r} is not a known namespace - give a prefix of the Bioregistry, such as mesh"
        )
    return database


def _read_type_pairs(matching: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    pairs = matching.get("excluded_type_pairs") or []
    fault = TaskSettingsError(
        "matching.excluded_type_pairs", 'is not a list of pairs of types - give it as [["Gene", "Variant"]]'
    )
    if isinstance(pairs, str) or not isinstance(pairs, Sequence):
        raise fault
    for pair in pairs:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise fault
        if not all(isinstance(each, str) and each.strip() for each in pair):
            raise fault
    if len(pairs) > MOST_TEXTS or any(len(each) > LONGEST_TEXT for pair in pairs for each in pair):
        limits = f"at most {MOST_TEXTS} pairs of texts of at most {LONGEST_TEXT} characters"
        raise TaskSettingsError("matching.excluded_type_pairs", f"is too long - give {limits}")
    return sort_type_pairs((first, second) for first, second in pairs)


def sort_type_pairs(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Distinct pairs of the names of types, sorted; the order in a pair does not count."""
    names = [(normalize_entity_type(first), normalize_entity_type(second)) for first, second in pairs]
    return tuple(sorted({(min(pair), max(pair)) for pair in names}))


def _read_label_set(values: Mapping[str, object]) -> LabelSet | None:
    members = _read_object(values, "label_set", "", LABEL_SET_MEMBERS)
    if not members:
        return None
    name, several = members.get("name"), members.get("several", False)
    if not isinstance(name, str) or not name.strip():
        raise TaskSettingsError("label_set.name", "is missing - give the name of the set of labels")
    if len(name.strip()) > LONGEST_TEXT:
        raise TaskSettingsError("label_set.name", f"is too long - give at most {LONGEST_TEXT} characters")
    if not isinstance(several, bool):
        raise TaskSettingsError("label_set.several", "is not true or false - give one of the two")
    return LabelSet(name.strip(), tuple(dict.fromkeys(_read_texts(members, "values", "label_set."))), several)


def _read_type_spellings(values: Mapping[str, object]) -> TypeSpellings:
    member = "type_spellings"
    given = values.get(member) or {}
    if not isinstance(given, Mapping):
        message = 'is not an object - give the spellings of each type, as {"Strain": ["cell strain", "isolate"]}'
        raise TaskSettingsError(member, message)
    types = map(normalize_entity_type, _read_texts({member: list(given)}, member))
    spellings = [tuple(dict.fromkeys(_read_texts({member: texts}, member))) for texts in given.values()]
    return tuple(zip(types, spellings, strict=True))


def _check_type_spellings(settings: TaskSettings) -> None:
    """TaskSettingsError unless each spelling is that of one type, and no other type of the task."""
    other_types = [*settings.entity_types, *chain.from_iterable(settings.excluded_type_pairs)]
    if fault := find_fault_of_type_spellings(settings.type_spellings, other_types):
        raise TaskSettingsError("type_spellings", fault)
