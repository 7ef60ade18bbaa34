"""Asks UniProt's REST service about accessions: many by one request, and those that it then does not name one by one.

Only the second way tells what is withdrawn (a record that says why), what was merged (a redirect) and what never was
(status 404 or 400). Source: https://www.uniprot.org/api-documentation/uniprotkb
"""

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from annotations.databases import DATABASES
from annotations.registry.asking import BusyError, Door
from annotations.registry.descriptions import described, places
from annotations.registry.entries import EntryRecord
from annotations.registry.names import NO_TAXON, taxon_of
from annotations.registry.uniprot_tables import UNIPROT, protein
from bcms.lib.http import Reply

BATCH = 100
PER_SECOND = 2
# How many are asked one by one for each batch; the others wait for their turn.
MOST_SINGLE = 20
SECONDS_SINGLE = 15.0
FIELDS = "accession,id,protein_name,gene_names,organism_name,cc_function,cc_subcellular_location"
NEVER_WAS = {400, 404}
ACCESSION = DATABASES["uniprot"].pattern


class UniProt:
    """The service at one address."""

    def __init__(self, door: Door, base_url: str) -> None:
        self.door = door
        self.url = base_url.rstrip("/") + "/uniprotkb/"

    def entries(self, identifiers: Sequence[str]) -> list[EntryRecord]:
        """What UniProt says of these accessions, at most 100, each with or without an isoform; SilentError.

        An isoform exists when its entry does. Of those that stand for others now only 20 are answered at a time.
        """
        accessions = list(dict.fromkeys(name.partition("-")[0] for name in identifiers))
        known = self._many(accessions)
        missing = [name for name in accessions if name not in known]
        until = time.monotonic() + SECONDS_SINGLE
        for name in missing[:MOST_SINGLE]:
            if time.monotonic() < until:
                known[name] = self._one(name)
        return [_isoform(known[base], name) for name in identifiers if (base := name.partition("-")[0]) in known]

    def _many(self, accessions: Sequence[str]) -> dict[str, EntryRecord]:
        query = f"accessions?accessions={','.join(accessions)}&fields={FIELDS}&format=json&size={len(accessions)}"
        answer = self.door.get(self.url + query, _document)
        results = answer.get("results")
        if not isinstance(results, list):
            raise self.door.unfit("there is no list of results in it")
        told = [_record(item) for item in results if isinstance(item, dict)]
        return {record.identifier: record for record in told if record is not None}

    def _one(self, accession: str) -> EntryRecord:
        url = f"{self.url}{quote(accession)}?fields={FIELDS}&format=json"
        answer = self.door.get(url, lambda reply: {} if reply.status in NEVER_WAS else _document(reply), redirects=3)
        if not answer:
            return EntryRecord("uniprot", accession, UNIPROT, exists=False)
        told = _record(answer)
        if told is None:
            raise self.door.unfit("it is not the record of a protein")
        if told.identifier == accession:
            return told
        return replace(told, identifier=accession, withdrawn=True, successors=(told.identifier,))


def _isoform(record: EntryRecord, identifier: str) -> EntryRecord:
    return record if record.identifier == identifier else replace(record, identifier=identifier)


def _document(reply: Reply) -> dict[str, Any]:
    if reply.status != 200:
        raise BusyError(f"HTTP status {reply.status}")
    try:
        found = json.loads(reply.body)
    except (ValueError, RecursionError):
        raise BusyError("the answer is not JSON") from None
    if not isinstance(found, dict):
        raise BusyError("the answer is not a JSON object")
    return found


def _record(item: dict[str, Any]) -> EntryRecord | None:
    """The entry of a record, None when it is none."""
    accession = item.get("primaryAccession")
    if not isinstance(accession, str) or not ACCESSION.fullmatch(accession):
        return None
    reason = _part(item, "inactiveReason")
    if item.get("entryType") == "Inactive" or reason:
        successors = tuple(
            name for name in _list(reason, "mergeDemergeTo") if isinstance(name, str) and ACCESSION.fullmatch(name)
        )
        return EntryRecord("uniprot", accession, UNIPROT, withdrawn=True, successors=successors)
    taxon = _part(item, "organism").get("taxonId")
    genes = [gene for gene in _list(item, "genes") if isinstance(gene, dict)]
    named = [name for gene in genes for name in _gene_names(gene)]
    has_symbol = bool(genes and _values([genes[0].get("geneName")]))
    told = protein(
        accession,
        _protein_names(item),
        named,
        taxon_of(str(taxon)) if type(taxon) is int and taxon < NO_TAXON else None,
        has_symbol,
    )
    return replace(told, location=_location(item), function=_function(item))


def _function(item: dict[str, Any]) -> str:
    comment = _comment(item, "FUNCTION")
    return described(" ".join(_values(_list(comment, "texts"))))


def _location(item: dict[str, Any]) -> str:
    comment = _comment(item, "SUBCELLULAR LOCATION")
    found = [place for place in _list(comment, "subcellularLocations") if isinstance(place, dict)]
    return places(". ".join("; ".join(_values([place.get("location"), place.get("topology")])) for place in found))


def _comment(item: dict[str, Any], topic: str) -> dict[str, Any]:
    """The first comment on this topic: what follows tells of single isoforms and of infections."""
    comments = (part for part in _list(item, "comments") if isinstance(part, dict))
    return next((part for part in comments if part.get("commentType") == topic), {})


def _protein_names(item: dict[str, Any]) -> list[str]:
    described = _part(item, "proteinDescription")
    alternatives = [*_list(described, "submissionNames"), *_list(described, "alternativeNames")]
    named = [described.get("recommendedName"), *alternatives]
    return [
        name
        for part in named
        if isinstance(part, dict)
        for name in _values([part.get("fullName"), *_list(part, "shortNames")])
    ]


def _gene_names(gene: dict[str, Any]) -> list[str]:
    others = [name for key in ("synonyms", "orderedLocusNames", "orfNames") for name in _list(gene, key)]
    return _values([gene.get("geneName"), *others])


def _values(items: Sequence[Any]) -> list[str]:
    found = (item.get("value") for item in items if isinstance(item, dict))
    return [value for value in found if isinstance(value, str) and value]


def _part(item: dict[str, Any], key: str) -> dict[str, Any]:
    found = item.get(key)
    return found if isinstance(found, dict) else {}


def _list(item: dict[str, Any], key: str) -> list[Any]:
    found = item.get(key)
    return found if isinstance(found, list) else []
