"""Combined mentions, links and relations as lines of PubTator."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotations.entity_types import fold_type_spelling
from annotations.schema import AnnotationData, Shape, Span
from evaluation.commands.files.inputs import InputFiles
from evaluation.commands.files.open_annotations import read_open_file_noting_faults
from evaluation.measures.columns import Item, MentionItem, RelationItem
from evaluation.measures.items.task_columns import ItemForm
from evaluation.measures.task_settings import TaskSettings

UNTYPED_RELATION = "relation"


@dataclass(slots=True)
class PubTatorLines:
    """lines: without their ends; left_out: number of items that the format cannot hold; documents: with a title."""

    lines: list[str] = field(default_factory=list)
    left_out: int = 0
    documents: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Spellings:
    """How the runs write what was combined; the first run that has it decides.

    mentions: {(document, parts, name of the type for matching, or "" for any type): mention}; relation_types: {type for
    matching: type}.
    """

    mentions: Mapping[tuple[str, tuple[Span, ...], str], AnnotationData]
    relation_types: Mapping[str, str]


def read_spellings(paths: Sequence[str], settings: TaskSettings) -> Spellings:
    """The spellings in valid files."""
    mentions: dict[tuple[str, tuple[Span, ...], str], AnnotationData] = {}
    relation_types: dict[str, str] = {}
    for path in paths:
        file = read_open_file_noting_faults(path, InputFiles())
        for document, annotations in file.annotations_by_document.items() if file else ():
            for annotation in annotations:
                if annotation.shape is Shape.MENTION:
                    for name in (settings.normalize_type(annotation.type), ""):
                        mentions.setdefault((document, annotation.parts, name), annotation)
                elif annotation.shape is Shape.RELATION:
                    spelling = annotation.relation_type
                    relation_types.setdefault(fold_type_spelling(spelling), spelling)
    return Spellings(mentions, relation_types)


def format_items_as_pubtator(form: ItemForm, rows: Iterable[tuple[str, Item]], spellings: Spellings) -> PubTatorLines:
    """Lines of the items (document, item) of mentions, links or relations, sorted by document and text."""
    found = PubTatorLines()
    links: dict[tuple[str, tuple[Span, ...]], list[str]] = {}
    for document, item in sorted(rows, key=_sort_key_by_document_and_text):
        if isinstance(item, RelationItem):
            _add_relation(found, document, item, spellings)
        elif isinstance(item, MentionItem) and form == "link":
            links.setdefault((document, item.parts), []).append(item.name)
        elif isinstance(item, MentionItem):
            _add_mention(found, document, item.parts, spellings.mentions.get((document, item.parts, item.name)), ())
    for (document, parts), names in links.items():
        _add_mention(found, document, parts, spellings.mentions.get((document, parts, "")), names)
    return found


def _sort_key_by_document_and_text(row: tuple[str, Item]) -> tuple[str, tuple[Span, ...], tuple[str, ...]]:
    document, item = row
    if isinstance(item, MentionItem):
        return document, item.parts, (item.name,)
    return document, (), tuple(map(str, item))


def _add_mention(
    found: PubTatorLines,
    document: str,
    parts: tuple[Span, ...],
    mention: AnnotationData | None,
    links: Sequence[str],
) -> None:
    if mention is None or len(parts) > 1:
        found.left_out += 1
        return
    columns = [document, str(parts[0].start), str(parts[0].end), mention.text, mention.type]
    # A CURIE without a namespace begins with the colon.
    identifiers = [";".join(link.removeprefix(":") for link in links)] if links else []
    found.lines.append("\t".join([*columns, *identifiers]))


def _add_relation(found: PubTatorLines, document: str, item: RelationItem, spellings: Spellings) -> None:
    """PubTator has two entities in a relation, without roles and negations."""
    names = [name.removeprefix(":") for name in item.arguments]
    if len(names) != 2 or item.negated or any("=" in name or name.startswith("@") for name in names):
        found.left_out += 1
        return
    if document not in found.documents:
        # Without the line of a title, a file that has only relations would not be known as PubTator.
        found.documents.add(document)
        found.lines.append(f"{document}|t|")
    relation_type = spellings.relation_types.get(item.type, item.type) or UNTYPED_RELATION
    found.lines.append("\t".join([document, relation_type, *names, *([item.novelty] if item.novelty else [])]))
