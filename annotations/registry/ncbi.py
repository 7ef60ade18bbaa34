"""Asks NCBI's E-utilities about genes (esummary) and organisms (efetch).

The status of a gene is 0 while it is current, 1 when it was merged into the one of its current number, 2 when it was
discontinued. Sources: https://www.ncbi.nlm.nih.gov/books/NBK25499/ and https://www.ncbi.nlm.nih.gov/books/NBK3841/
"""

from collections.abc import Callable, Sequence

from lxml import etree

from annotations.databases import DATABASES
from annotations.registry.asking import BusyError, Door
from annotations.registry.descriptions import described, gene_place
from annotations.registry.entries import EntryRecord
from annotations.registry.names import distinct, taxon_of
from annotations.registry.ncbi_tables import GENES, ORGANISMS, organism
from bcms.lib.http import Reply

BATCH = 200
SECONDARY, DISCONTINUED = "1", "2"
# What efetch says when it knows none of the numbers.
NONE_KNOWN = "ID list is empty"
NOT_KNOWN = "cannot get document summary"
OTHER_NAMES = ("GenbankCommonName", "CommonName", "Synonym", "EquivalentName", "Acronym", "GenbankAcronym")


class Eutils:
    """E-utilities at one address; who they are asked by goes with each request."""

    def __init__(self, door: Door, base_url: str, email: str = "", api_key: str = "") -> None:
        self.door = door
        self.url = base_url.rstrip("/") + "/"
        self.who = {"tool": "bcms"} | ({"email": email} if email else {}) | ({"api_key": api_key} if api_key else {})

    def genes(self, numbers: Sequence[str]) -> list[EntryRecord]:
        """What NCBI Gene says of these numbers, at most 200; SilentError. What it passes over stays not known."""
        form = {"db": "gene", "version": "2.0", "retmode": "xml", "id": ",".join(numbers)}
        root = self._ask("esummary.fcgi", form, "eSummaryResult")
        summaries = {item.get("uid", ""): item for item in root.iter("DocumentSummary")}
        return [_gene(number, summaries.get(number)) for number in numbers]

    def organisms(self, numbers: Sequence[str]) -> list[EntryRecord]:
        """What the NCBI Taxonomy says of these numbers, at most 200; SilentError."""
        form = {"db": "taxonomy", "retmode": "xml", "id": ",".join(numbers)}
        root = self._ask("efetch.fcgi", form, "TaxaSet")
        known: dict[str, EntryRecord] = {}
        for item in root.findall("Taxon"):
            known |= _organism(item)
        return [known.get(number) or _never("ncbitaxon", number, ORGANISMS) for number in numbers]

    def _ask(self, program: str, form: dict[str, str], root: str) -> etree._Element:
        return self.door.post(self.url + program, {**form, **self.who}, _reader(root))


def _reader(name: str) -> Callable[[Reply], etree._Element]:
    """Reads an answer whose root has this name; what else comes with status 200 is trouble."""

    def read(reply: Reply) -> etree._Element:
        if NONE_KNOWN.encode() in reply.body:
            return etree.Element(name)
        if reply.status != 200:
            raise BusyError(f"HTTP status {reply.status}")
        root = _parsed(reply.body)
        if root.tag != name:
            raise BusyError("the answer is not what was asked for")
        if root.find("ERROR") is not None:
            raise BusyError(f"NCBI says “{root.findtext('ERROR', '')[:200]}”")
        return root

    return read


def _parsed(body: bytes) -> etree._Element:
    try:
        return etree.fromstring(body, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
    except (etree.XMLSyntaxError, ValueError):
        raise BusyError("the answer is not XML, or half of it") from None


def _gene(number: str, item: etree._Element | None) -> EntryRecord:
    if item is None:
        return EntryRecord("ncbigene", number, GENES, exists=None)
    if (error := item.findtext("error")) is not None:
        return (
            _never("ncbigene", number, GENES)
            if NOT_KNOWN in error
            else EntryRecord("ncbigene", number, GENES, exists=None)
        )
    symbol, name = item.findtext("Name", ""), item.findtext("Description", "")
    others = (*item.findtext("OtherAliases", "").split(", "), *item.findtext("OtherDesignations", "").split("|"))
    status, current = item.findtext("Status", ""), item.findtext("CurrentID", "")
    return EntryRecord(
        "ncbigene",
        number,
        GENES,
        name=name,
        symbol=symbol,
        synonyms=distinct(others, but=(symbol, name)),
        taxon=taxon_of(item.findtext("Organism/TaxID", "")),
        withdrawn=status in (SECONDARY, DISCONTINUED),
        successors=(current,) if status == SECONDARY and DATABASES["ncbigene"].pattern.fullmatch(current) else (),
        location=gene_place(item.findtext("Chromosome", ""), item.findtext("MapLocation", "")),
        function=described(item.findtext("Summary", "")),
    )


def _organism(item: etree._Element) -> dict[str, EntryRecord]:
    """The organism by its number and by those that were merged into it."""
    number = item.findtext("TaxId", "")
    if taxon_of(number) is None:
        return {}
    called = [text for tag in OTHER_NAMES for text in _texts(item, f"OtherNames/{tag}")]
    told = organism(number, item.findtext("ScientificName", ""), called)
    merged = {old: _merged(told, old) for old in _texts(item, "AkaTaxIds/TaxId")}
    return {**merged, number: told}


def _merged(told: EntryRecord, old: str) -> EntryRecord:
    return EntryRecord(
        "ncbitaxon",
        old,
        ORGANISMS,
        name=told.name,
        symbol=told.symbol,
        synonyms=told.synonyms,
        taxon=told.taxon,
        withdrawn=True,
        successors=(told.identifier,),
    )


def _texts(item: etree._Element, path: str) -> list[str]:
    return [element.text for element in item.findall(path) if element.text]


def _never(database: str, identifier: str, source: str) -> EntryRecord:
    return EntryRecord(database, identifier, source, exists=False)
