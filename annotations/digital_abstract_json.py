"""A structured digital abstract as JSON, as it is stored and as REST gives and takes it.

The members are named like the fields of annotations/digital_abstract.py, except `type` of an interaction, and
`database` and `identifier` for the entity of a participant; a span is [start, end]. Annotations have the members of
exports, and `sources`. Every member is written. Missing members have the values of an empty record, apart from those
that nothing can do without; other members are refused, so that no misspelled one is lost.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

from annotations.digital_abstract import (
    UNSPECIFIED_ROLE,
    AbstractState,
    Contributor,
    Detection,
    DigitalAbstract,
    EvidencePassage,
    Interaction,
    Origin,
    Participant,
    Source,
    SourcedAnnotation,
)
from annotations.formats.annotated_text.declared_members import InvalidMembersError
from annotations.formats.digital_abstracts.annotation_members import build_annotation_members, parse_annotation_members
from annotations.json_members import JsonMemberError, JsonMembers, is_whole_number, parse_json_list
from annotations.schema import EntityId, Span

Json = dict[str, Any]
Part = TypeVar("Part")


def build_abstract_json(abstract: DigitalAbstract) -> Json:
    """The JSON object of a digital abstract."""
    return {
        "interactions": [build_interaction_json(each) for each in abstract.interactions],
        "organisms": list(abstract.organisms),
        "organism_sources": [
            {"organism": organism, "sources": build_sources_json(sources)}
            for organism, sources in abstract.organism_sources.items()
        ],
        "annotations": [build_annotation_json(each) for each in abstract.annotations],
        "contributors": [
            {"name": each.name, "origin": each.origin.value, "orcid": each.orcid} for each in abstract.contributors
        ],
        "nothing_found": abstract.nothing_found,
        "state": abstract.state.value,
        "updated": abstract.updated,
    }


def build_interaction_json(interaction: Interaction) -> Json:
    """The JSON object of an interaction."""
    return {
        "participants": [_build_participant_json(each) for each in interaction.participants],
        "type": interaction.interaction_type,
        "detections": [
            {"method": each.method, "evidence": [_build_passage_json(passage) for passage in each.evidence]}
            for each in interaction.detections
        ],
        "directed": interaction.directed,
        "negative": interaction.negative,
        "confidence": interaction.confidence,
        "comment": interaction.comment,
        "sources": build_sources_json(interaction.sources),
    }


def build_annotation_json(sourced: SourcedAnnotation) -> Json:
    """The JSON object of an annotation."""
    return {**build_annotation_members(sourced.annotation), "sources": build_sources_json(sourced.sources)}


def build_sources_json(sources: Iterable[Source]) -> list[Json]:
    """The JSON array of the sources of an interaction, annotation or organism."""
    return [{"name": each.name, "origin": each.origin.value} for each in sources]


def _build_participant_json(participant: Participant) -> Json:
    return {
        "database": participant.entity.database,
        "identifier": participant.entity.identifier,
        "name": participant.name,
        "taxon": participant.taxon,
        "biological_role": participant.biological_role,
        "experimental_role": participant.experimental_role,
    }


def _build_passage_json(passage: EvidencePassage) -> Json:
    return {"span": list(passage.span), "text": passage.text, "figure": passage.figure}


def parse_abstract_json(value: object, path: str = "") -> DigitalAbstract:
    """The digital abstract of a JSON value. path: where the value is in a larger one, "" for nowhere.

    JsonMemberError with the path of the first member that is not as it has to be. The rules of its content, such as the
    branches of terms, are checked by annotations/rules/digital_abstracts.py.
    """
    members = JsonMembers(value, path)
    organisms = _parse_list(members, "organisms", _parse_taxon)
    abstract = DigitalAbstract(
        _parse_list(members, "interactions", parse_interaction_json),
        organisms,
        _parse_list(members, "annotations", parse_annotation_json),
        _parse_list(members, "contributors", _parse_contributor),
        members.take_flag("nothing_found"),
        members.take_choice("state", AbstractState, AbstractState.DRAFT),
        members.take_text("updated"),
        _parse_sources_by_organism(members, organisms),
    )
    members.refuse_others()
    return abstract


def parse_interaction_json(value: object, path: str = "") -> Interaction:
    """The interaction of a JSON value; path: where it is in a larger one. JsonMemberError as for a digital abstract."""
    members = JsonMembers(value, path)
    interaction = Interaction(
        _parse_list(members, "participants", _parse_participant),
        members.take_text("type"),
        _parse_list(members, "detections", _parse_detection),
        members.take_flag("directed"),
        members.take_flag("negative"),
        members.take_number("confidence"),
        members.take_text("comment"),
        parse_sources_json(members),
    )
    members.refuse_others()
    return interaction


def parse_sources_json(members: JsonMembers) -> tuple[Source, ...]:
    """The member `sources`, empty if it is missing: who is named there. JsonMemberError as for a digital abstract."""
    return _parse_list(members, "sources", _parse_source)


def _parse_list(members: JsonMembers, name: str, parse: Callable[[object, str], Part]) -> tuple[Part, ...]:
    path = members.get_path(name)
    values = parse_json_list(members.take(name, []), path)
    return tuple(parse(value, f"{path}[{index}]") for index, value in enumerate(values))


def _parse_participant(value: object, path: str) -> Participant:
    members = JsonMembers(value, path)
    participant = Participant(
        EntityId(members.take_text("database"), members.take_text("identifier", None)),
        members.take_text("name"),
        members.take_whole_number("taxon"),
        members.take_text("biological_role", UNSPECIFIED_ROLE),
        members.take_text("experimental_role", UNSPECIFIED_ROLE),
    )
    members.refuse_others()
    return participant


def _parse_detection(value: object, path: str) -> Detection:
    members = JsonMembers(value, path)
    detection = Detection(members.take_text("method", None), _parse_list(members, "evidence", _parse_passage))
    members.refuse_others()
    return detection


def _parse_passage(value: object, path: str) -> EvidencePassage:
    members = JsonMembers(value, path)
    passage = EvidencePassage(
        _parse_span(members.take("span"), members.get_path("span")),
        members.take_text("text", None),
        members.take_text("figure"),
    )
    members.refuse_others()
    return passage


def _parse_span(value: object, path: str) -> Span:
    values = parse_json_list(value, path)
    if len(values) != 2 or not all(map(is_whole_number, values)):
        raise JsonMemberError(path, f"{path} is not two whole numbers: write [start, end].")
    return Span(*values)


def _parse_taxon(value: Any, path: str) -> int:
    if not is_whole_number(value):
        raise JsonMemberError(path, f"{path} is not a whole number: write an NCBI Taxonomy number, such as 9606.")
    return int(value)


def _parse_sources_by_organism(members: JsonMembers, organisms: Collection[int]) -> Mapping[int, tuple[Source, ...]]:
    path = members.get_path("organism_sources")
    sources: dict[int, tuple[Source, ...]] = {}
    for organism, given in _parse_list(members, "organism_sources", _parse_organism_sources):
        if organism not in organisms or organism in sources:
            problem = "twice" if organism in sources else "which is not one of organisms"
            raise JsonMemberError(path, f"{path} has the organism {organism}, {problem}.")
        sources[organism] = given
    return sources


def _parse_organism_sources(value: object, path: str) -> tuple[int, tuple[Source, ...]]:
    members = JsonMembers(value, path)
    organism = _parse_taxon(members.take("organism"), members.get_path("organism"))
    sources = parse_sources_json(members)
    members.refuse_others()
    return organism, sources


def parse_annotation_json(value: object, path: str = "") -> SourcedAnnotation:
    """The annotation of a JSON value, without sources if it names none; path: where it is in a larger one.

    JsonMemberError as for a digital abstract.
    """
    if not isinstance(value, Mapping):
        raise JsonMemberError(path, f"{path} is not an object.")
    sources = parse_sources_json(JsonMembers({"sources": value.get("sources", [])}, path))
    try:
        return SourcedAnnotation(parse_annotation_members(value), sources)
    except InvalidMembersError as error:
        wrong, _, hint = str(error).rpartition(" - ")
        raise JsonMemberError(path, f"{path}: {wrong}: {hint}." if wrong else f"{path}: {hint}.") from error


def _parse_contributor(value: object, path: str) -> Contributor:
    members = JsonMembers(value, path)
    contributor = Contributor(
        members.take_text("name", None), members.take_choice("origin", Origin), members.take_text("orcid")
    )
    members.refuse_others()
    return contributor


def _parse_source(value: object, path: str) -> Source:
    members = JsonMembers(value, path)
    source = Source(members.take_text("name", None), members.take_choice("origin", Origin))
    members.refuse_others()
    return source
