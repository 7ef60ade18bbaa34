"""Looks up accessions with UniProt's REST service: many in one request, then the missing ones one by one.

Only single requests distinguish deleted entries (a record with a reason), merged ones (a redirect) and accessions that
never existed (status 404 or 400). Source: https://www.uniprot.org/api-documentation/uniprotkb
"""

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from annotations.errors import TransientServiceError
from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.entry_descriptions import (
    clip_location_without_notes_and_evidence,
    strip_evidence_and_shorten_description,
)
from annotations.identifiers.entry_names import TAXON_LIMIT, parse_taxon_id
from annotations.identifiers.lookup.registry_client import RegistryClient
from annotations.identifiers.namespaces import NAMESPACES
from annotations.identifiers.tables.uniprot import UNIPROT, build_protein_record, list_gene_identifiers
from bcms.lib.http.messages import HttpReply

BATCH = 100
PER_SECOND = 2
# The number and time of single requests per batch; the remaining accessions stay due.
MOST_SINGLE_REQUESTS = 20
SINGLE_REQUESTS_SECONDS = 15.0
FIELDS = "accession,id,protein_name,gene_names,organism_name,cc_function,cc_subcellular_location,xref_geneid"
NONEXISTENT_STATUSES = {400, 404}
ACCESSION = NAMESPACES["uniprot"].pattern


class UniProtClient:
    """A client for the service at one URL."""

    def __init__(self, client: RegistryClient, base_url: str) -> None:
        self.client = client
        self.url = base_url.rstrip("/") + "/uniprotkb/"

    def look_up_entries(self, identifiers: Sequence[str]) -> list[EntryRecord]:
        """The entries of at most 100 accessions, with or without isoforms.

        An isoform exists if its entry does. At most 20 accessions that are not current entries are looked up at a time;
        the result lacks the others. Raises ServiceUnavailableError if UniProt does not answer.
        """
        accessions = list(dict.fromkeys(name.partition("-")[0] for name in identifiers))
        known = self._fetch_many(accessions)
        missing = [name for name in accessions if name not in known]
        until = time.monotonic() + SINGLE_REQUESTS_SECONDS
        for name in missing[:MOST_SINGLE_REQUESTS]:
            if time.monotonic() < until:
                known[name] = self._fetch_one(name)
        return [
            _replace_identifier(known[base], name) for name in identifiers if (base := name.partition("-")[0]) in known
        ]

    def _fetch_many(self, accessions: Sequence[str]) -> dict[str, EntryRecord]:
        query = f"accessions?accessions={','.join(accessions)}&fields={FIELDS}&format=json&size={len(accessions)}"
        answer = self.client.get(self.url + query, _read_json_object)
        results = answer.get("results")
        if not isinstance(results, list):
            raise self.client.unusable_answer_error("it has no list of results")
        records = [_parse_record(item) for item in results if isinstance(item, dict)]
        return {record.identifier: record for record in records if record is not None}

    def _fetch_one(self, accession: str) -> EntryRecord:
        url = f"{self.url}{quote(accession)}?fields={FIELDS}&format=json"
        answer = self.client.get(
            url, lambda reply: {} if reply.status in NONEXISTENT_STATUSES else _read_json_object(reply), redirects=3
        )
        if not answer:
            return EntryRecord("uniprot", accession, UNIPROT, exists=False)
        record = _parse_record(answer)
        if record is None:
            raise self.client.unusable_answer_error("it is not the record of a protein")
        if record.identifier == accession:
            return record
        return replace(record, identifier=accession, withdrawn=True, successors=(record.identifier,))


def _replace_identifier(record: EntryRecord, identifier: str) -> EntryRecord:
    return record if record.identifier == identifier else replace(record, identifier=identifier)


def _read_json_object(reply: HttpReply) -> dict[str, Any]:
    if reply.status != 200:
        raise TransientServiceError(f"HTTP status {reply.status}")
    try:
        answer = json.loads(reply.body)
    except (ValueError, RecursionError):
        raise TransientServiceError("the answer is not JSON") from None
    if not isinstance(answer, dict):
        raise TransientServiceError("the answer is not a JSON object")
    return answer


def _parse_record(item: dict[str, Any]) -> EntryRecord | None:
    """The entry of a record, None if it has no valid accession."""
    accession = item.get("primaryAccession")
    if not isinstance(accession, str) or not ACCESSION.fullmatch(accession):
        return None
    reason = _get_object(item, "inactiveReason")
    if item.get("entryType") == "Inactive" or reason:
        successors = tuple(
            name for name in _get_list(reason, "mergeDemergeTo") if isinstance(name, str) and ACCESSION.fullmatch(name)
        )
        return EntryRecord("uniprot", accession, UNIPROT, withdrawn=True, successors=successors)
    taxon = _get_object(item, "organism").get("taxonId")
    genes = [gene for gene in _get_list(item, "genes") if isinstance(gene, dict)]
    gene_names = [name for gene in genes for name in _list_gene_names(gene)]
    has_symbol = bool(genes and _list_values([genes[0].get("geneName")]))
    record = build_protein_record(
        accession,
        _list_protein_names(item),
        gene_names,
        parse_taxon_id(str(taxon)) if type(taxon) is int and taxon < TAXON_LIMIT else None,
        has_symbol,
    )
    return replace(
        record, location=_parse_location(item), function=_parse_function(item), genes=_parse_gene_references(item)
    )


def _parse_gene_references(item: dict[str, Any]) -> tuple[str, ...]:
    references = [part for part in _get_list(item, "uniProtKBCrossReferences") if isinstance(part, dict)]
    return list_gene_identifiers(str(part.get("id")) for part in references if part.get("database") == "GeneID")


def _parse_function(item: dict[str, Any]) -> str:
    comment = _find_comment(item, "FUNCTION")
    return strip_evidence_and_shorten_description(" ".join(_list_values(_get_list(comment, "texts"))))


def _parse_location(item: dict[str, Any]) -> str:
    comment = _find_comment(item, "SUBCELLULAR LOCATION")
    locations = [part for part in _get_list(comment, "subcellularLocations") if isinstance(part, dict)]
    return clip_location_without_notes_and_evidence(
        ". ".join("; ".join(_list_values([part.get("location"), part.get("topology")])) for part in locations)
    )


def _find_comment(item: dict[str, Any], topic: str) -> dict[str, Any]:
    """The first comment on a topic; later ones are about single isoforms or infections."""
    comments = (part for part in _get_list(item, "comments") if isinstance(part, dict))
    return next((part for part in comments if part.get("commentType") == topic), {})


def _list_protein_names(item: dict[str, Any]) -> list[str]:
    description = _get_object(item, "proteinDescription")
    alternatives = [*_get_list(description, "submissionNames"), *_get_list(description, "alternativeNames")]
    name_groups = [description.get("recommendedName"), *alternatives]
    return [
        name
        for part in name_groups
        if isinstance(part, dict)
        for name in _list_values([part.get("fullName"), *_get_list(part, "shortNames")])
    ]


def _list_gene_names(gene: dict[str, Any]) -> list[str]:
    other_names = [name for key in ("synonyms", "orderedLocusNames", "orfNames") for name in _get_list(gene, key)]
    return _list_values([gene.get("geneName"), *other_names])


def _list_values(items: Sequence[Any]) -> list[str]:
    values = (item.get("value") for item in items if isinstance(item, dict))
    return [value for value in values if isinstance(value, str) and value]


def _get_object(item: dict[str, Any], key: str) -> dict[str, Any]:
    value = item.get(key)
    return value if isinstance(value, dict) else {}


def _get_list(item: dict[str, Any], key: str) -> list[Any]:
    value = item.get(key)
    return value if isinstance(value, list) else []
