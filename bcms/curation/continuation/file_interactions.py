"""The interactions of a file that belong to an article, as items of its curation, and what of the file is left out."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotations.articles.models import Article
from annotations.curation.contents import build_interaction_content
from annotations.curation.decisions import ItemProposal
from annotations.curation.states import ItemKind
from annotations.digital_abstract import Detection, EvidencePassage, Interaction, Source
from annotations.digital_abstract_json import build_interaction_json
from annotations.formats.digital_abstracts.file_reader import AbstractFile
from annotations.formats.digital_abstracts.parsed_abstract import Publication
from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.namespaces import namespace_title_or_raw_name
from annotations.identifiers.psi_mi_terms import PsiMiTerms
from annotations.identifiers.queries import find_named_entries, find_psi_mi_terms
from annotations.rules.digital_abstracts import find_interaction_faults
from annotations.schema import Span

NamedEntries = Mapping[tuple[str, str], NamedEntry]


@dataclass(frozen=True, slots=True)
class LeftOutPart:
    """What of a file was not taken over, in words, and why. line: where it is, from 1; 0 for the file as a whole."""

    line: int
    part: str
    reason: str


@dataclass(slots=True)
class FileInteractions:
    """items: of the article. others: articles with interactions in the file that are other ones, with their number."""

    items: list[ItemProposal] = field(default_factory=list)
    left_out: list[LeftOutPart] = field(default_factory=list)
    others: dict[str, int] = field(default_factory=dict)


def collect_file_interactions(file: AbstractFile, article: Article, basis: Source) -> FileInteractions:
    """The interactions of a file that are of the article, each once: 2 queries. basis: what they are taken over from.

    Passages that are not in the text are left out of their interaction. An interaction that breaks a rule is left out.
    """
    found = FileInteractions(left_out=[LeftOutPart(each.line, each.part, each.reason) for each in file.left_out])
    own: list[tuple[int, Interaction]] = []
    for parsed in file.abstracts:
        if _is_of_article(parsed.publication, article):
            own += zip(parsed.lines, parsed.abstract.interactions, strict=True)
            _note_other_annotations(found, len(parsed.abstract.organisms) + len(parsed.abstract.annotations))
        else:
            name = parsed.publication.name
            found.others[name] = found.others.get(name, 0) + len(parsed.abstract.interactions)
    terms = find_psi_mi_terms()
    entries = find_named_entries({(*each.entity,) for _, interaction in own for each in interaction.participants})
    items: dict[str, ItemProposal] = {}
    for line, interaction in own:
        if item := _make_item(found, line, interaction, article.text, terms, entries, basis):
            items.setdefault(item.key, item)
    found.items = list(items.values())
    return found


def _is_of_article(publication: Publication, article: Article) -> bool:
    """Whether they share an identifier; a record in JSON without any is of the article it is sent to."""
    ids = publication.ids
    if not publication.name:
        return True
    if ids.pmid and article.pmid:
        return ids.pmid == article.pmid
    same_doi = bool(ids.doi) and ids.doi.casefold() == article.doi.casefold()
    return same_doi or (bool(ids.pmcid) and ids.pmcid == article.pmcid)


def _note_other_annotations(found: FileInteractions, number: int) -> None:
    if number:
        reason = "only interactions are taken over from a file; choose the others in the lists"
        found.left_out.append(LeftOutPart(0, f"organisms and other annotations: {number:,}", reason))


def _make_item(
    found: FileInteractions,
    line: int,
    interaction: Interaction,
    text: str,
    terms: PsiMiTerms,
    entries: NamedEntries,
    basis: Source,
) -> ItemProposal | None:
    """None, noted as left out, if the interaction breaks a rule."""
    placed = _place_passages(found, line, interaction, text)
    placed = replace(placed, sources=tuple(dict.fromkeys((*interaction.sources, basis))))
    faults = [f"{each.message} {each.mend}" for each in find_interaction_faults(placed, text, terms)]
    faults += _list_entry_faults(placed, entries)
    if faults:
        names = " and ".join(each.name or each.entity.identifier for each in placed.participants[:4])
        found.left_out.append(LeftOutPart(line, f"interaction of {names}"[:200], faults[0]))
        return None
    return ItemProposal(ItemKind.INTERACTION, _make_key(placed), build_interaction_content(placed))


def _place_passages(found: FileInteractions, line: int, interaction: Interaction, text: str) -> Interaction:
    """The interaction with the positions of its passages in the text; those that are not in it are left out."""
    detections: list[Detection] = []
    for detection in interaction.detections:
        placed = [(passage, _find_passage(passage, text)) for passage in detection.evidence]
        for passage, found_passage in placed:
            if found_passage is None:
                part = f"passage “{passage.text[:80]}”"
                found.left_out.append(LeftOutPart(line, part, "it is not in the text of the article"))
        detections.append(replace(detection, evidence=tuple(each for _, each in placed if each is not None)))
    return replace(interaction, detections=tuple(detections))


def _find_passage(passage: EvidencePassage, text: str) -> EvidencePassage | None:
    if passage.text and text[slice(*passage.span)] == passage.text:
        return passage
    start = text.find(passage.text) if passage.text else -1
    return None if start < 0 else replace(passage, span=Span(start, start + len(passage.text)))


def _list_entry_faults(interaction: Interaction, entries: NamedEntries) -> Sequence[str]:
    """What databases say against the identifiers of the participants."""
    return [fault for each in interaction.participants if (fault := _find_entry_fault(each.entity, entries))]


def _find_entry_fault(entity: tuple[str, str], entries: NamedEntries) -> str:
    entry, (database, identifier) = entries.get(entity), entity
    title = namespace_title_or_raw_name(database)
    if not database:
        return f"“{identifier[:60]}” has no database. Write it as in uniprotkb:P04637."
    if entry is None:
        return ""
    if entry.exists is False:
        return f"{title} has no entry {identifier}. Check it for a typing error."
    if entry.current != identifier:
        return f"{identifier} was replaced by {entry.current}. Use that one."
    return f"{title} has withdrawn {identifier}. Choose another entry." if entry.withdrawn else ""


def _make_key(interaction: Interaction) -> str:
    """Equal for equal interactions, so that a file that is sent twice adds nothing the second time."""
    content = json.dumps(build_interaction_json(replace(interaction, sources=())), sort_keys=True)
    return f"file-{hashlib.sha256(content.encode()).hexdigest()[:24]}"


def describe_others(others: Mapping[str, int]) -> Iterable[LeftOutPart]:
    """The interactions of other articles, as parts that are left out."""
    for name, number in others.items():
        noun = "interaction" if number == 1 else "interactions"
        yield LeftOutPart(0, f"{number:,} {noun} of {name}", "another article")
