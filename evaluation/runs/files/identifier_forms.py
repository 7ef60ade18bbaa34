"""The identifiers that the results of each kind may have: their databases and how they are written."""

from dataclasses import dataclass

from annotations.formats.errors import quote_file_text
from annotations.identifiers.namespaces import NAMESPACES
from annotations.schema import Kind


@dataclass(frozen=True, slots=True)
class IdentifierForm:
    """The databases that a kind accepts, best first; what an error says is expected, and how to fix it."""

    databases: tuple[str, ...]
    expected: str
    fix: str


PAIR_IDENTIFIERS = IdentifierForm(
    ("uniprot", "ncbigene"),
    "a pair of UniProt accessions or of NCBI Gene ids",
    "use one database for both, such as P12830 and P35222",
)
IDENTIFIER_FORMS = {
    Kind.TAXON: IdentifierForm(("ncbitaxon",), "an NCBI Taxonomy ID", "write the number alone, such as 9606"),
    Kind.NORMALIZATION: IdentifierForm(
        ("ncbigene", "uniprot"), "an NCBI Gene ID or a UniProt accession", "write one such as 999 or P12830"
    ),
    Kind.METHOD: IdentifierForm(("psi-mi",), "a PSI-MI ID", "write its prefix and four digits, such as MI:0018"),
    Kind.PAIR: PAIR_IDENTIFIERS,
    Kind.PASSAGE: PAIR_IDENTIFIERS,
}


def format_identifier_fault(kind: Kind, item_parts: tuple[str, ...]) -> str:
    form = IDENTIFIER_FORMS[kind]
    item_parts = item_parts[:2] if kind == Kind.PASSAGE else item_parts
    return f"{quote_file_text(' and '.join(item_parts))} is not {form.expected} - {form.fix}"


def ensure_item_is_tuple(item: str | tuple[str, ...]) -> tuple[str, ...]:
    return (item,) if isinstance(item, str) else item


def find_database_with_matching_pattern(kind: Kind, item_parts: tuple[str, ...]) -> str | None:
    """Return the first database of the kind whose identifier pattern all parts match, None if there is none.

    Of a passage, whose parts are two identifiers and the text, only the identifiers count.
    """
    item_parts = item_parts[:2] if kind == Kind.PASSAGE else item_parts
    databases = (
        database
        for database in IDENTIFIER_FORMS[kind].databases
        if all(map(NAMESPACES[database].pattern.fullmatch, item_parts))
    )
    return next(databases, None)
