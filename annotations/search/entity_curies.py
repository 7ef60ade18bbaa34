"""The stored CURIEs of entities by their names, synonyms and identifiers, old ones too."""

from django.db.models import QuerySet

from annotations.identifiers.curies import parse_curie_or_url
from annotations.identifiers.models import ENTRY_NAMES_EXPRESSION, Entry
from annotations.identifiers.namespaces import NAMESPACES
from annotations.identifiers.psi_mi_terms import PSI_MI_NAMESPACE, load_shipped_psi_mi_terms
from annotations.identifiers.tables.species import list_species_of_bundled_table
from annotations.search.greek import spell_out_greek_letters
from bcms.lib.text import strip_case_spaces_and_dashes

ORGANISM_NAMESPACE = "ncbitaxon"
# The databases of genes and proteins.
GENE_NAMESPACES = ("uniprot", "ncbigene")
# The number of entries of one name; of a name that many organisms share, those that annotations report come first.
MOST_MATCHING_ENTRIES = 1000


def list_entity_curies_by_name_or_id(name_or_id: str) -> list[str]:
    """The CURIEs, as in ArticleSummary.named, of the entities with this name, synonym or (old) identifier.

    A CURIE or URL of any database means only that entry: "MESH:D001943", "CVCL_0440". An identifier without a database
    is found as it was reported, too. One query.
    """
    name_or_id = name_or_id.strip()
    if entity := parse_curie_or_url(name_or_id):
        return _list_current_curies(*entity)
    curies = _list_entry_curies(_find_entries_by_name(name_or_id))
    return list(dict.fromkeys([f":{name_or_id}", *_list_organism_curies(name_or_id), *curies]))


def list_method_curies_by_name_or_id(name_or_id: str) -> list[str]:
    """The CURIEs, as in ArticleSummary.named, of PSI-MI terms with this name, synonym or identifier. One query.

    The table of the project is searched, too.
    """
    name_or_id = name_or_id.strip()
    entity = parse_curie_or_url(name_or_id)
    if entity and entity.database == PSI_MI_NAMESPACE:
        return _list_current_curies(*entity)
    shipped = load_shipped_psi_mi_terms().list_terms_named(name_or_id)
    curies = [f"{PSI_MI_NAMESPACE}:{term.id}" for term in shipped]
    entries = _find_entries_by_name(name_or_id).filter(database=PSI_MI_NAMESPACE)
    return list(dict.fromkeys([*_list_entry_curies(entries), *curies]))


def list_gene_curies_by_name_or_id(name_or_id: str) -> list[str]:
    """The CURIEs, as in ArticleSummary.named, of genes and proteins with this name, synonym or (old) identifier.

    "uniprot:P04637" means only that entry, and a number is an identifier of NCBI Gene. One query.
    """
    name_or_id = name_or_id.strip()
    database, _, identifier = name_or_id.partition(":")
    if database.lower() in NAMESPACES and database.lower() != ORGANISM_NAMESPACE:
        return _list_current_curies(database.lower(), identifier.strip())
    identifiers = [
        f"{namespace}:{form}"
        for namespace in GENE_NAMESPACES
        for form in (name_or_id, name_or_id.upper())
        if _is_well_formed(namespace, form)
    ]
    entries = _find_entries_by_name(name_or_id).filter(database__in=GENE_NAMESPACES)
    return list(dict.fromkeys([*identifiers, *_list_entry_curies(entries)]))


def list_organism_curies_by_name_or_taxon(name_or_taxon: str) -> list[str]:
    """The CURIEs, as in ArticleSummary.named, of organisms with this name or taxon id. One query."""
    name_or_taxon = name_or_taxon.strip().removeprefix(f"{ORGANISM_NAMESPACE}:")
    taxa = [f"{ORGANISM_NAMESPACE}:{name_or_taxon}"] if _is_well_formed(ORGANISM_NAMESPACE, name_or_taxon) else []
    entries = _find_entries_by_name(name_or_taxon).filter(database=ORGANISM_NAMESPACE)
    return list(dict.fromkeys([*taxa, *_list_organism_curies(name_or_taxon), *_list_entry_curies(entries)]))


def _list_organism_curies(text: str) -> list[str]:
    """The CURIEs of the organisms in the bundled table with this name."""
    name = strip_case_spaces_and_dashes(text)
    return [
        f"{ORGANISM_NAMESPACE}:{species.taxon}"
        for species in list_species_of_bundled_table()
        if name in {strip_case_spaces_and_dashes(form) for form in (species.name, *species.common)}
    ]


def _list_current_curies(database: str, identifier: str) -> list[str]:
    entries = _find_entries_by_name(identifier).filter(database=database)
    return list(dict.fromkeys([f"{database}:{identifier}", *_list_entry_curies(entries)]))


def _find_entries_by_name(text: str) -> QuerySet[Entry]:
    spellings = (text, spell_out_greek_letters(text))
    names = list({name for spelling in spellings if (name := strip_case_spaces_and_dashes(spelling))})
    known = Entry.objects.alias(names=ENTRY_NAMES_EXPRESSION)
    entries = known.filter(names__overlap=names) if names else known.none()
    return entries.order_by("-reported", "pk")


def _list_entry_curies(entries: QuerySet[Entry]) -> list[str]:
    """The CURIEs of the entries and of their successors."""
    rows = entries.values_list("database", "identifier", "successors")[:MOST_MATCHING_ENTRIES]
    return [f"{database}:{name}" for database, identifier, successors in rows for name in (identifier, *successors)]


def _is_well_formed(database: str, identifier: str) -> bool:
    return NAMESPACES[database].pattern.fullmatch(identifier) is not None
