"""The options of tasks with settings: which types and namespaces count, and how items match."""

from argparse import ArgumentParser, Namespace

from evaluation.commands.errors import UsageError
from evaluation.measures.items.task_columns import ItemForm
from evaluation.measures.items.type_spellings import parse_type_spellings
from evaluation.measures.mentions.schemes import MENTION_SCHEMES, MentionScheme
from evaluation.measures.task_settings import EVERY_TYPE, LabelSet, TaskSettings, TaskSettingsError, read_task_settings

# Mentions with types, links of mentions or entities of articles, relations.
ITEM_TASKS = frozenset({"ner", "nel", "relations"})
LABEL_TASKS = frozenset({"labels"})
# What --match may set in each task.
MATCH_MEMBERS = {"ner": ("spans", "types"), "nel": ("spans", "identifiers"), "relations": ("relation",)}
# The settings with an option of their own.
OPTIONS_BY_MEMBER = {
    "entity_types": "types",
    "namespaces": "namespaces",
    "type_spellings": "type-spellings",
    "matching.excluded_type_pairs": "exclude-type-pairs",
}
TRUTH_VALUES = {"yes": True, "no": False}


def add_open_task_options(parser: ArgumentParser) -> None:
    """Add the options of ner, nel, relations and labels."""
    add = parser.add_argument
    add(
        "--types",
        metavar="A,B",
        help="types that count: of entities (ner, nel) or of relations (relations); default: all",
    )
    add(
        "--match",
        metavar="NAME=VALUE,...",
        help="how items match: spans=exact|start|end|either|overlap|partial (ner, nel), types=yes|no (ner), "
        "identifiers=mention|article (nel), relation=pair|type|direction|novelty (relations)",
    )
    add(
        "--scheme",
        choices=MENTION_SCHEMES,
        help="score mentions by this scheme instead of by pairs of mentions that match (ner)",
    )
    add("--namespaces", metavar="A,B", help="namespaces of the identifiers that count (nel, relations); default: all")
    add(
        "--exclude-type-pairs",
        metavar="A-B,...",
        help="relations between entities of these types do not count, such as Gene-Variant (relations)",
    )
    add(
        "--type-spellings",
        action="append",
        metavar="TYPE:A,B",
        help="further spellings of a type of entity, such as 'Strain: cell strain, isolate', once for each type (ner, "
        "nel, relations)",
    )
    add("--label-set", metavar="NAME", help="set whose labels count, in BioC (labels); default: all sets")
    add(
        "--label",
        action="append",
        metavar="VALUE",
        help="a label of the set, once for each (labels); macro figures are means over these labels; default: those of "
        "the gold standard",
    )


def build_task_settings(options: Namespace) -> TaskSettings:
    """The settings of a task of ITEM_TASKS or LABEL_TASKS. UsageError when an option has a value that is not valid."""
    if options.task in LABEL_TASKS:
        return TaskSettings(label_set=LabelSet(options.label_set or "", tuple(options.label or ()), several=True))
    matching: dict[str, object] = {**_parse_matching(options)}
    types = _split_at_commas(options.types)
    if options.task == "relations":
        matching["relation_types"] = types
    if options.exclude_type_pairs:
        matching["excluded_type_pairs"] = [pair.split("-") for pair in _split_at_commas(options.exclude_type_pairs)]
    if options.task == "nel":
        matching.setdefault("identifiers", "mention")
    values = {
        "entity_types": [] if options.task == "relations" else types or [EVERY_TYPE],
        "namespaces": _split_at_commas(options.namespaces),
        "matching": matching,
        "type_spellings": parse_type_spellings(options.type_spellings or ()),
    }
    try:
        return read_task_settings(values)
    except TaskSettingsError as error:
        option = OPTIONS_BY_MEMBER.get(error.member, "match")
        raise UsageError(f"--{option}: {error}") from None


def check_open_task_options(options: Namespace) -> None:
    """UsageError when an option of ner, nel or relations has an invalid value, or when two contradict each other."""
    if options.task not in ITEM_TASKS:
        return
    settings = build_task_settings(options)
    if settings.identifiers == "article" and settings.spans != "exact":
        raise UsageError("--match: identifiers=article compares articles as a whole; leave out spans.")
    if settings.spans == "partial" and options.task != "ner":
        raise UsageError(f"--match: spans=partial does not work with --task {options.task}; it is for ner.")
    if options.scheme and settings.spans != "exact":
        raise UsageError("--scheme says how spans match; leave out --scheme, or spans of --match.")


def get_mention_scheme(options: Namespace) -> MentionScheme | None:
    """The scheme of --scheme; partial for spans=partial; None to pair mentions that match."""
    if options.task != "ner":
        return None
    scheme: MentionScheme | None = options.scheme
    return scheme or ("partial" if build_task_settings(options).spans == "partial" else None)


def choose_item_form_of_task(options: Namespace) -> ItemForm:
    """What a task of ITEM_TASKS compares."""
    if options.task == "relations":
        return "relation"
    if options.task == "ner":
        return "mention"
    return "concept" if build_task_settings(options).identifiers == "article" else "link"


def has_ranked_items(options: Namespace) -> bool:
    """Whether the items of a task of ITEM_TASKS have an order: those of articles and relations, not mentions."""
    return choose_item_form_of_task(options) in ("concept", "relation")


def _parse_matching(options: Namespace) -> dict[str, str | bool]:
    members: dict[str, str | bool] = {}
    for part in _split_at_commas(options.match):
        name, _, value = part.partition("=")
        if name not in MATCH_MEMBERS[options.task]:
            known = ", ".join(f"{member}=..." for member in MATCH_MEMBERS[options.task])
            raise UsageError(f"--match {part} does not work with --task {options.task}; it may have {known}.")
        members[name] = TRUTH_VALUES.get(value, value) if name == "types" else value
    return members


def _split_at_commas(text: str | None) -> list[str]:
    return [part.strip() for part in (text or "").split(",") if part.strip()]
