"""Writes a digital abstract as a page of HTML that needs no other file, with metadata of schema.org in JSON-LD.

Characters that neither XML nor HTML allows become U+FFFD.
"""

import json
from collections.abc import Iterator, Sequence

from annotations.digital_abstract import (
    UNSPECIFIED_ROLE,
    Contributor,
    Detection,
    Interaction,
    Participant,
    Source,
    SourcedAnnotation,
)
from annotations.formats.digital_abstracts.entity_iris import build_orcid_iri, build_term_iri, list_article_iris
from annotations.formats.digital_abstracts.exported_abstract import ExportedAbstract
from annotations.formats.digital_abstracts.schema_org import build_schema_org_graph
from annotations.identifiers.curies import format_curie_for_readers
from annotations.identifiers.namespaces import build_entry_url_or_empty
from annotations.schema import AnnotationData, EntityId, RelationArgument, Shape
from bcms.lib.xml_text import (
    escape_xml_text_replacing_invalid_characters as escape,
)
from bcms.lib.xml_text import (
    quote_xml_attribute_replacing_invalid_characters as quote_attribute,
)

STYLE = """
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid #767676; padding: .4rem .6rem; text-align: left; vertical-align: top; }
blockquote { margin: .3rem 0 .3rem 1rem; white-space: pre-line; }
"""
TABLE_HEAD = ("Participants", "Interaction", "Detection methods and evidence", "Notes")
# In a script, these characters could end it, or be read as markup; all others are ASCII.
SCRIPT_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&"}


def write_abstract_html(exported: ExportedAbstract, sentences: Sequence[str]) -> str:
    """The page of one digital abstract. sentences: one for each interaction, in their order; plain text."""
    title = _find_title(exported)
    metadata = json.dumps(build_schema_org_graph(exported, sentences)).translate(SCRIPT_ESCAPES)
    return "".join(
        (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n",
            f'<script type="application/ld+json">{metadata}</script>\n</head>\n<body>\n<main>\n',
            *_iter_article_pieces(exported, title),
            *_iter_record_pieces(exported, sentences),
            "</main>\n</body>\n</html>\n",
        )
    )


def _find_title(exported: ExportedAbstract) -> str:
    passages = exported.article.passages
    return (passages[0].text if passages and passages[0].type == "title" else "") or f"Article {exported.article.id}"


def _iter_article_pieces(exported: ExportedAbstract, title: str) -> Iterator[str]:
    article = exported.article
    yield f"<h1>{escape(title)}</h1>\n"
    reference = ". ".join(filter(None, (", ".join(article.authors), article.journal, str(article.year or ""))))
    if reference:
        yield f"<p>{escape(reference)}</p>\n"
    links = [_format_link(iri, iri) for iri in (exported.url, *list_article_iris(article.ids))]
    yield f"<p>{'<br>'.join(links)}</p>\n"
    abstract = [passage.text for passage in article.passages if passage.type == "abstract"]
    if abstract:
        yield "<h2>Abstract</h2>\n" + "".join(f"<p>{escape(text)}</p>\n" for text in abstract)


def _iter_record_pieces(exported: ExportedAbstract, sentences: Sequence[str]) -> Iterator[str]:
    abstract = exported.abstract
    yield "<h2>Structured digital abstract</h2>\n"
    if abstract.nothing_found:
        yield "<p>The article was read and has no interactions to record.</p>\n"
    if sentences:
        items = (f'<li id="interaction-{number}">{escape(text)}</li>\n' for number, text in enumerate(sentences, 1))
        yield f"<ol>\n{''.join(items)}</ol>\n"
        head = "".join(f'<th scope="col">{name}</th>' for name in TABLE_HEAD)
        rows = "".join(_format_row(exported, interaction) for interaction in abstract.interactions)
        yield f"<table>\n<caption>Interactions</caption>\n<tr>{head}</tr>\n{rows}</table>\n"
    if abstract.organisms:
        names = ", ".join(
            _format_organism(exported, taxon) + _format_sources(abstract.organism_sources.get(taxon, ()))
            for taxon in abstract.organisms
        )
        yield f"<p>Organisms: {names}</p>\n"
    if abstract.annotations:
        items = (f"<li>{_format_sourced_annotation(sourced)}</li>\n" for sourced in abstract.annotations)
        yield f"<h2>Other annotations</h2>\n<ul>\n{''.join(items)}</ul>\n"
    if abstract.contributors:
        yield f"<p>Recorded by {', '.join(map(_format_contributor, abstract.contributors))}</p>\n"
    if abstract.updated:
        yield f"<p>Last change: {escape(abstract.updated)}</p>\n"


def _format_row(exported: ExportedAbstract, interaction: Interaction) -> str:
    participants = "<br>".join(_format_participant(exported, each) for each in interaction.participants)
    kind = _format_term(exported, interaction.interaction_type) if interaction.interaction_type else ""
    kinds = [kind, "directed" if interaction.directed else "", "does not take place" if interaction.negative else ""]
    detections = "".join(_format_detection(exported, detection) for detection in interaction.detections)
    cells = (participants, "<br>".join(filter(None, kinds)), detections, "<br>".join(_iter_notes(interaction)))
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"


def _iter_notes(interaction: Interaction) -> Iterator[str]:
    if interaction.comment:
        yield escape(interaction.comment)
    if interaction.confidence is not None:
        yield f"Confidence of the author: {interaction.confidence:g}"
    for source in interaction.sources:
        yield f"Proposed by {_format_source(source)}"


def _format_source(source: Source) -> str:
    return f"{escape(source.name)} ({source.origin})"


def _format_sources(sources: Sequence[Source]) -> str:
    """What follows an annotation or organism, "" without sources."""
    return f" [proposed by {', '.join(map(_format_source, sources))}]" if sources else ""


def _format_participant(exported: ExportedAbstract, participant: Participant) -> str:
    name = escape(exported.get_participant_name(participant))
    roles = dict.fromkeys((participant.biological_role, participant.experimental_role))
    parts = [
        f"{name} ({_format_entity(participant.entity)})",
        "" if participant.taxon is None else _format_organism(exported, participant.taxon),
        *(_format_term(exported, role) for role in roles if role and role != UNSPECIFIED_ROLE),
    ]
    return ", ".join(filter(None, parts))


def _format_detection(exported: ExportedAbstract, detection: Detection) -> str:
    quotations = "".join(
        f"<blockquote>{escape(passage.text)}{f' <cite>{escape(passage.figure)}</cite>' if passage.figure else ''}"
        "</blockquote>"
        for passage in detection.evidence
    )
    return f"<div>{_format_term(exported, detection.method)}{quotations}</div>"


def _format_term(exported: ExportedAbstract, term: str) -> str:
    name = exported.get_term_name(term)
    return _format_link(build_term_iri(term), f"{name} ({term})" if name != term else term)


def _format_organism(exported: ExportedAbstract, taxon: int) -> str:
    curie = _format_entity(EntityId("ncbitaxon", str(taxon)))
    name = exported.organisms.get(taxon)
    return f"<i>{escape(name)}</i> ({curie})" if name else curie


def _format_entity(entity: EntityId) -> str:
    """The CURIE, with a link to the entry if the database has pages."""
    curie = format_curie_for_readers(entity)
    url = build_entry_url_or_empty(*entity)
    return _format_link(url, curie) if url else escape(curie)


def _format_link(url: str, text: str) -> str:
    return f"<a href={quote_attribute(url)}>{escape(text)}</a>"


def _format_contributor(contributor: Contributor) -> str:
    name = escape(contributor.name)
    linked = f"<a href={quote_attribute(build_orcid_iri(contributor.orcid))}>{name}</a>" if contributor.orcid else name
    return f"{linked} ({contributor.origin})"


def _format_sourced_annotation(sourced: SourcedAnnotation) -> str:
    return _format_annotation(sourced.annotation) + _format_sources(sourced.sources)


def _format_annotation(annotation: AnnotationData) -> str:
    """What an annotation of the open model states, in one line."""
    match annotation.shape:
        case Shape.LABEL:
            return escape(": ".join(annotation.label or ("class", "not decided")))
        case Shape.RELATION:
            arguments = " – ".join(map(_format_argument, annotation.arguments))
            negated = " (negated)" if annotation.relation and annotation.relation.is_negated() else ""
            return f"{escape(annotation.relation_type)}: {arguments}{negated}"
        case _:
            entities = ", ".join(map(_format_entity, annotation.iter_entity_ids()))
            return " ".join(filter(None, (escape(annotation.type), escape(annotation.text), entities)))


def _format_argument(argument: RelationArgument) -> str:
    entities = ", ".join(map(_format_entity, argument.identifiers))
    return " ".join(filter(None, (escape(argument.role), escape(argument.text), entities)))
