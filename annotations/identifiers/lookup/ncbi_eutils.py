"""Looks up genes (esummary) and organisms (efetch) with NCBI's E-utilities.

The status of a gene is 0 if it is current, 1 if it was merged into the gene of its CurrentID, and 2 if it was
discontinued. Sources: https://www.ncbi.nlm.nih.gov/books/NBK25499/ and https://www.ncbi.nlm.nih.gov/books/NBK3841/
"""

from collections.abc import Callable, Sequence

from lxml import etree

from annotations.errors import TransientServiceError
from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.entry_descriptions import (
    format_band_or_else_chromosome,
    strip_evidence_and_shorten_description,
)
from annotations.identifiers.entry_names import list_distinct_nonempty_names, parse_taxon_id
from annotations.identifiers.lookup.registry_client import RegistryClient
from annotations.identifiers.namespaces import NAMESPACES
from annotations.identifiers.tables.ncbi import GENES, ORGANISMS, build_organism_record_with_abbreviation
from bcms.lib.http.messages import HttpReply

BATCH = 200
SECONDARY, DISCONTINUED = "1", "2"
# What efetch answers if it knows none of the identifiers.
NO_KNOWN_ID_MESSAGE = "ID list is empty"
UNKNOWN_GENE_MESSAGE = "cannot get document summary"
OTHER_NAMES = ("GenbankCommonName", "CommonName", "Synonym", "EquivalentName", "Acronym", "GenbankAcronym")


class EutilsClient:
    """A client for the E-utilities at one URL; tool, email and API key are sent with each request."""

    def __init__(self, client: RegistryClient, base_url: str, email: str = "", api_key: str = "") -> None:
        self.client = client
        self.url = base_url.rstrip("/") + "/"
        self.credentials = (
            {"tool": "bcms"} | ({"email": email} if email else {}) | ({"api_key": api_key} if api_key else {})
        )

    def look_up_genes(self, numbers: Sequence[str]) -> list[EntryRecord]:
        """The entries of at most 200 genes; `exists` is None for a gene that the answer lacks.

        Raises ServiceUnavailableError if NCBI does not answer.
        """
        form = {"db": "gene", "version": "2.0", "retmode": "xml", "id": ",".join(numbers)}
        root = self._request_xml("esummary.fcgi", form, "eSummaryResult")
        summaries = {item.get("uid", ""): item for item in root.iter("DocumentSummary")}
        return [_parse_gene(number, summaries.get(number)) for number in numbers]

    def look_up_organisms(self, numbers: Sequence[str]) -> list[EntryRecord]:
        """The entries of at most 200 taxa. Raises ServiceUnavailableError if NCBI does not answer."""
        form = {"db": "taxonomy", "retmode": "xml", "id": ",".join(numbers)}
        root = self._request_xml("efetch.fcgi", form, "TaxaSet")
        known: dict[str, EntryRecord] = {}
        for item in root.findall("Taxon"):
            known |= _parse_organism(item)
        return [known.get(number) or _make_nonexistent_record("ncbitaxon", number, ORGANISMS) for number in numbers]

    def _request_xml(self, program: str, form: dict[str, str], root: str) -> etree._Element:
        return self.client.post(self.url + program, {**form, **self.credentials}, _make_reply_reader(root))


def _make_reply_reader(name: str) -> Callable[[HttpReply], etree._Element]:
    """A function that parses an answer with this root element, and raises TransientServiceError for others."""

    def read(reply: HttpReply) -> etree._Element:
        if NO_KNOWN_ID_MESSAGE.encode() in reply.body:
            return etree.Element(name)
        if reply.status != 200:
            raise TransientServiceError(f"HTTP status {reply.status}")
        root = _parse_xml(reply.body)
        if root.tag != name:
            raise TransientServiceError("the answer is not of the requested type")
        if root.find("ERROR") is not None:
            raise TransientServiceError(f"NCBI reports “{root.findtext('ERROR', '')[:200]}”")
        return root

    return read


def _parse_xml(body: bytes) -> etree._Element:
    try:
        return etree.fromstring(body, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
    except (etree.XMLSyntaxError, ValueError):
        raise TransientServiceError("the answer is not complete XML") from None


def _parse_gene(number: str, item: etree._Element | None) -> EntryRecord:
    if item is None:
        return EntryRecord("ncbigene", number, GENES, exists=None)
    if (error := item.findtext("error")) is not None:
        return (
            _make_nonexistent_record("ncbigene", number, GENES)
            if UNKNOWN_GENE_MESSAGE in error
            else EntryRecord("ncbigene", number, GENES, exists=None)
        )
    symbol, name = item.findtext("Name", ""), item.findtext("Description", "")
    synonyms = (*item.findtext("OtherAliases", "").split(", "), *item.findtext("OtherDesignations", "").split("|"))
    status, current = item.findtext("Status", ""), item.findtext("CurrentID", "")
    return EntryRecord(
        "ncbigene",
        number,
        GENES,
        name=name,
        symbol=symbol,
        synonyms=list_distinct_nonempty_names(synonyms, exclude=(symbol, name)),
        taxon=parse_taxon_id(item.findtext("Organism/TaxID", "")),
        withdrawn=status in (SECONDARY, DISCONTINUED),
        successors=(current,) if status == SECONDARY and NAMESPACES["ncbigene"].pattern.fullmatch(current) else (),
        location=format_band_or_else_chromosome(item.findtext("Chromosome", ""), item.findtext("MapLocation", "")),
        function=strip_evidence_and_shorten_description(item.findtext("Summary", "")),
    )


def _parse_organism(item: etree._Element) -> dict[str, EntryRecord]:
    """The entries of an organism and of the taxa that were merged into it, by taxon id; empty if it has no valid id."""
    number = item.findtext("TaxId", "")
    if parse_taxon_id(number) is None:
        return {}
    other_names = [text for tag in OTHER_NAMES for text in _list_element_texts(item, f"OtherNames/{tag}")]
    record = build_organism_record_with_abbreviation(number, item.findtext("ScientificName", ""), other_names)
    merged = {old: _make_merged_record(record, old) for old in _list_element_texts(item, "AkaTaxIds/TaxId")}
    return {**merged, number: record}


def _make_merged_record(successor: EntryRecord, old: str) -> EntryRecord:
    return EntryRecord(
        "ncbitaxon",
        old,
        ORGANISMS,
        name=successor.name,
        symbol=successor.symbol,
        synonyms=successor.synonyms,
        taxon=successor.taxon,
        withdrawn=True,
        successors=(successor.identifier,),
    )


def _list_element_texts(item: etree._Element, path: str) -> list[str]:
    return [element.text for element in item.findall(path) if element.text]


def _make_nonexistent_record(database: str, identifier: str, source: str) -> EntryRecord:
    return EntryRecord(database, identifier, source, exists=False)
