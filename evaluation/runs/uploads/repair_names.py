"""The identifiers of names in BioCreative II XML, from the entries of UniProt and PSI-MI that are stored here."""

from collections.abc import Iterator, Sequence
from io import BytesIO

from annotations.formats.bc2_xml.reader import list_names_instead_of_identifiers
from annotations.formats.result_sniffing import ResultFormat, sniff_result_format_else_tsv
from annotations.identifiers.models import ENTRY_NAMES_EXPRESSION, Entry
from annotations.schema import Kind
from bcms.lib.text import strip_case_spaces_and_dashes

# The database whose entries have the names of each kind; the identifiers of interactors are UniProt accessions.
NAME_DATABASES = {Kind.PAIR: "uniprot", Kind.NORMALIZATION: "uniprot", Kind.PASSAGE: "uniprot", Kind.METHOD: "psi-mi"}
NAMES_PER_QUERY = 1_000
# A valid file has hundreds of names at most; the others of a larger one are not looked up.
MAX_NAMES = 20_000


def find_identifiers_of_names_in_bc2_xml(content: bytes, kind: Kind) -> dict[str, str]:
    """{name: identifier} of the names in a file that mean one entry only; {} for a file in another format."""
    stream, database = BytesIO(content), NAME_DATABASES.get(kind)
    if database is None or sniff_result_format_else_tsv(stream) != ResultFormat.BC2_XML:
        return {}
    stream.seek(0)
    names = list_names_instead_of_identifiers(stream)[:MAX_NAMES]
    identifiers = _find_identifiers_by_stripped_name(
        database, sorted({strip_case_spaces_and_dashes(name) for name in names} - {""})
    )
    found = {name: identifiers.get(strip_case_spaces_and_dashes(name), set()) for name in names}
    return {name: next(iter(of_name)) for name, of_name in found.items() if len(of_name) == 1}


def _find_identifiers_by_stripped_name(database: str, stripped_names: Sequence[str]) -> dict[str, set[str]]:
    """{name without case, spaces and dashes: current identifiers of the entries that have it}."""
    identifiers: dict[str, set[str]] = {}
    for batch in _iter_name_batches(stripped_names):
        entries = Entry.objects.filter(database=database, exists=True).alias(names=ENTRY_NAMES_EXPRESSION)
        rows = entries.filter(names__overlap=list(batch)).values_list(
            "identifier", "successors", "symbol", "name", "synonyms"
        )
        asked = set(batch)
        for identifier, successors, symbol, name, synonyms in rows:
            spellings = {strip_case_spaces_and_dashes(each) for each in (identifier, symbol, name, *synonyms)}
            for spelling in spellings & asked:
                identifiers.setdefault(spelling, set()).update(successors or [identifier])
    return identifiers


def _iter_name_batches(names: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), NAMES_PER_QUERY):
        yield names[start : start + NAMES_PER_QUERY]
