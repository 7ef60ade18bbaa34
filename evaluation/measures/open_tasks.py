"""Tasks with settings: what they compare, which settings and measures they have, and how the command line names them.

| kind | form | `--task` | compared |
|---|---|---|---|
| mention | mention | ner | mentions of types |
| mention, identifiers of mentions | link | nel | links of mentions |
| entity | concept | nel | entities of articles, also those that mentions are linked to |
| relation | relation | relations | relations |
| label | label | labels | labels of articles |
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Literal

from annotations.schema import Kind
from evaluation.measures.items.task_columns import ItemForm, choose_item_form
from evaluation.measures.items.type_spellings import format_type_spellings
from evaluation.measures.leaderboard_scenarios import (
    ANSWERED_SCENARIO,
    PARTIAL_SPAN_MATCHES,
    TYPE_SCENARIO_PREFIX,
    LeaderboardScenario,
)
from evaluation.measures.mentions.spans import SpanMatch
from evaluation.measures.registry import (
    DEFAULT_PRIMARY_MEASURES,
    MEASURES_BY_NAME,
    Measure,
    list_scored_measures,
)
from evaluation.measures.task_settings import EVERY_TYPE, TaskSettings, TaskSettingsError

ComparedForm = ItemForm | Literal["label"]
OPEN_TASK_KINDS = (Kind.MENTION, Kind.ENTITY, Kind.RELATION, Kind.LABEL)
COMMAND_TASKS: Mapping[ComparedForm, str] = {
    "mention": "ner",
    "link": "nel",
    "concept": "nel",
    "relation": "relations",
    "label": "labels",
}
DEFAULT_MEASURES: Mapping[ComparedForm, str] = {
    **dict.fromkeys(("mention", "link", "concept", "relation"), "micro_f1"),
    "label": "label_micro_f1",
}
# What each form compares, in the plural, for messages.
FORM_LABELS: Mapping[ComparedForm, str] = {
    "mention": "mentions",
    "link": "links of mentions",
    "concept": "entities of articles",
    "relation": "relations",
    "label": "labels",
}
# The settings that mean something for each form; `matching.identifiers` says which of two forms a task of mentions has.
MEANINGFUL_MEMBERS: Mapping[ComparedForm, frozenset[str]] = {
    "mention": frozenset({"entity_types", "type_spellings", "matching.spans", "matching.types"}),
    "link": frozenset({"entity_types", "type_spellings", "namespaces", "matching.spans", "matching.identifiers"}),
    "concept": frozenset({"entity_types", "type_spellings", "namespaces", "matching.identifiers"}),
    "relation": frozenset(
        {
            *("namespaces", "roles", "type_spellings"),
            *("matching.relation", "matching.relation_types", "matching.excluded_type_pairs"),
        }
    ),
    "label": frozenset({"label_set"}),
}
SCHEME_MEASURES = ("ner_strict_f1", "ner_exact_f1", "ner_type_f1", "ner_partial_f1")
COUNT_MEASURES = ("micro_tp", "micro_fp", "micro_fn")
# The kinds whose measures each form has.
MEASURED_KINDS: Mapping[ComparedForm, Kind] = {
    "mention": Kind.MENTION,
    "link": Kind.MENTION,
    "concept": Kind.ENTITY,
    "relation": Kind.RELATION,
}


def choose_compared_form(kind: Kind, settings: TaskSettings) -> ComparedForm:
    """What a task of one of OPEN_TASK_KINDS compares."""
    return "label" if kind is Kind.LABEL else choose_item_form(kind, settings)


def list_counted_result_kinds(kind: Kind) -> tuple[Kind, ...]:
    """The kinds of Results that count in a task with settings: the entities of an article are those of its mentions,
    too."""
    return (Kind.ENTITY, Kind.MENTION) if kind is Kind.ENTITY else (kind,)


def complete_task_settings(kind: Kind, settings: TaskSettings) -> TaskSettings:
    """Settings of a task of this kind, with what they leave open. TaskSettingsError for those that do not fit it."""
    if kind not in OPEN_TASK_KINDS:
        kinds = ", ".join(OPEN_TASK_KINDS)
        raise TaskSettingsError("settings", f"tasks of the kind {kind} have none - choose one of {kinds}, or omit them")
    _check_identifier_matching(kind, settings)
    form = choose_compared_form(kind, settings)
    for member in iter_given_members(settings):
        if member not in MEANINGFUL_MEMBERS[form]:
            raise TaskSettingsError(member, f"does not apply to tasks of {FORM_LABELS[form]} - omit it")
    if settings.spans == "partial":
        message = "'partial' is a figure of every task of mentions - choose exact, start, end, either or overlap"
        raise TaskSettingsError("matching.spans", message)
    _check_characters(settings)
    if form == "label" and settings.label_set is None:
        raise TaskSettingsError("label_set", "is missing - give the name of the set of labels and, best, its values")
    if form == "concept":
        settings = replace(settings, identifiers="article")
    if form in ("mention", "link", "concept") and not settings.entity_types:
        settings = replace(settings, entity_types=(EVERY_TYPE,))
    return settings


def _check_identifier_matching(kind: Kind, settings: TaskSettings) -> None:
    if kind is Kind.MENTION and settings.identifiers == "article":
        message = "the identifiers of an article are a task of the kind entity - choose that kind, or mention"
        raise TaskSettingsError("matching.identifiers", message)
    if kind is Kind.ENTITY and settings.identifiers == "mention":
        message = "the identifiers of mentions are a task of the kind mention - choose that kind, or article"
        raise TaskSettingsError("matching.identifiers", message)


def iter_given_members(settings: TaskSettings) -> Iterator[str]:
    """The settings that are not the default, by their names in JSON."""
    values = {
        "entity_types": settings.entity_types,
        "namespaces": settings.namespaces,
        "roles": settings.roles,
        "type_spellings": settings.type_spellings,
        "label_set": settings.label_set,
        "matching.spans": settings.spans != "exact",
        "matching.identifiers": settings.identifiers,
        "matching.relation": settings.relation != "type",
        "matching.types": not settings.types,
        "matching.relation_types": settings.relation_types,
        "matching.excluded_type_pairs": settings.excluded_type_pairs,
    }
    return (member for member, value in values.items() if value)


def _check_characters(settings: TaskSettings) -> None:
    """Types stand in options of the command line, where commas separate them, and dashes those of a pair."""
    for member, names in {
        "entity_types": settings.entity_types,
        "matching.relation_types": settings.relation_types,
    }.items():
        for name in names:
            if "," in name:
                raise TaskSettingsError(member, f"{name!r} has a comma - give each type by itself")
    for pair in settings.excluded_type_pairs:
        for name in pair:
            if "," in name or "-" in name:
                raise TaskSettingsError("matching.excluded_type_pairs", f"{name!r} has a comma or a dash - omit both")


def list_open_measures(form: ComparedForm) -> list[Measure]:
    """The measures of a leaderboard of a task with settings, in the order of its columns."""
    if form == "label":
        return [measure for measure in MEASURES_BY_NAME.values() if Kind.LABEL in measure.kinds]
    schemes = SCHEME_MEASURES if form == "mention" else ()
    extra = [MEASURES_BY_NAME[name] for name in (*schemes, *COUNT_MEASURES)]
    return [*list_scored_measures(MEASURED_KINDS[form]), *extra]


def list_offered_measures(kind: Kind, settings: TaskSettings | None) -> list[Measure]:
    """The measures that an organizer can choose as further columns."""
    if settings is not None:
        return list_open_measures(choose_compared_form(kind, settings))
    return [measure for measure in MEASURES_BY_NAME.values() if measure.scored and kind in measure.kinds]


def list_offered_ordering_measures(kind: Kind, settings: TaskSettings | None) -> list[Measure]:
    """The measures that an organizer can choose to order a leaderboard."""
    if settings is not None:
        return list_ordering_measures(choose_compared_form(kind, settings))
    return [measure for measure in list_offered_measures(kind, None) if not measure.is_count]


def list_ordering_measures(form: ComparedForm) -> list[Measure]:
    """The measures that can order a leaderboard: those that paired tests compare."""
    return [
        measure for measure in list_open_measures(form) if not measure.is_count and measure.name not in SCHEME_MEASURES
    ]


def get_default_measure(kind: Kind, settings: TaskSettings | None) -> str:
    """The measure that orders the leaderboard of a task unless an organizer chooses another."""
    return (
        DEFAULT_PRIMARY_MEASURES[kind] if settings is None else DEFAULT_MEASURES[choose_compared_form(kind, settings)]
    )


def list_command_options(
    form: ComparedForm, settings: TaskSettings, scenario: LeaderboardScenario | None = None
) -> list[str]:
    """The options of `python -m evaluation` for a task with these settings, in a scenario of its leaderboard."""
    options = []
    if scenario is not None:
        options = ["--answered-only"] if scenario.name == ANSWERED_SCENARIO else []
        settings = _apply_scenario(form, settings, scenario)
    label_set = settings.label_set
    types = settings.relation_types if form == "relation" else settings.entity_types
    pairs = ",".join("-".join(pair) for pair in settings.excluded_type_pairs)
    values = {
        "--types": "" if EVERY_TYPE in types else ",".join(types),
        "--match": ",".join(f"{name}={value}" for name, value in _iter_matching(form, settings)),
        "--namespaces": ",".join(settings.namespaces),
        "--exclude-type-pairs": pairs,
    }
    options += [part for name, value in values.items() if value for part in (name, value)]
    options += [part for line in format_type_spellings(settings.type_spellings) for part in ("--type-spellings", line)]
    if label_set is not None:
        options += [f"--label-set={label_set.name}", *(f"--label={value}" for value in label_set.values)]
    return options


def _apply_scenario(form: ComparedForm, settings: TaskSettings, scenario: LeaderboardScenario) -> TaskSettings:
    if scenario.name.startswith(TYPE_SCENARIO_PREFIX):
        chosen = scenario.name.removeprefix(TYPE_SCENARIO_PREFIX)
        return settings.select_relation_type(chosen) if form == "relation" else settings.select_entity_type(chosen)
    spans: SpanMatch | None = next((how for how in PARTIAL_SPAN_MATCHES if how == scenario.name), None)
    return replace(settings, spans=spans) if spans else settings


def _iter_matching(form: ComparedForm, settings: TaskSettings) -> Iterator[tuple[str, str]]:
    """The parts of --match that are not the default."""
    if settings.spans != "exact":
        yield "spans", settings.spans
    if form == "concept":
        yield "identifiers", "article"
    if settings.relation != "type":
        yield "relation", settings.relation
    if not settings.types:
        yield "types", "no"
