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


def format_identifier_fault(kind: Kind, parts: tuple[str, ...]) -> str:
    form = IDENTIFIER_FORMS[kind]
    parts = parts[:2] if kind == Kind.PASSAGE else parts
    return f"{quote_file_text(' and '.join(parts))} is not {form.expected} - {form.fix}"


def split_item(item: str | tuple[str, ...]) -> tuple[str, ...]:
    return (item,) if isinstance(item, str) else item


def find_identifier_database(kind: Kind, parts: tuple[str, ...]) -> str | None:
    """Return the first database of the kind whose identifier pattern all parts match, None if there is none.

    Of a passage, whose parts are two identifiers and the text, only the identifiers count.
    """
    parts = parts[:2] if kind == Kind.PASSAGE else parts
    databases = (
        database
        for database in IDENTIFIER_FORMS[kind].databases
        if all(map(NAMESPACES[database].pattern.fullmatch, parts))
    )
    return next(databases, None)
