"""Identifiers with their database in one text: CURIEs (`mesh:D001943`) and URLs.

CURIE stands for Compact URI: the prefix of a database, a colon, and the identifier. Prefixes are those of the
Bioregistry.
"""

import re
from dataclasses import replace
from functools import cache
from urllib.parse import unquote

from annotations.identifiers.namespace_table import ANY_IDENTIFIER, EntryUrl, load_entry_urls
from annotations.identifiers.namespaces import (
    NAMESPACES,
    OTHER_PREFIXES,
    find_database_by_spelling,
    find_namespace,
    is_well_formed_identifier,
)
from annotations.schema import AnnotationData, EntityId

# Databases whose identifiers have the prefix of a CURIE already: MI:0006.
PREFIXED_IDENTIFIERS = {"psi-mi": "MI:"}
CURIE = re.compile(r"(?P<prefix>\w[\w .+/:-]{0,63}?)\s*:\s*(?P<identifier>\S.*)", re.ASCII | re.DOTALL)
NESTED_CURIE = re.compile(r"(?P<prefix>\w[\w .+/:-]{0,63})\s*:\s*(?P<identifier>\S.*)", re.ASCII | re.DOTALL)
UNDERSCORED = re.compile(r"(?P<prefix>[A-Za-z][A-Za-z0-9.]{0,31})_(?P<identifier>[^\s_]+)", re.ASCII)
URL = re.compile(r"https?://(?:www\.)?(?P<host>[^/?#\s]+)(?P<path>/\S*)", re.IGNORECASE)
WHITE_SPACE = re.compile(r"\s")
# Sites that have a URL for the identifiers of every database: /mesh:D001943 or /mesh/D001943.
RESOLVER_HOSTS = {"bioregistry.io", "identifiers.org", "n2t.net", "bio2rdf.org"}
LONGEST_URL_START = 200
# Further forms of the URLs of our databases.
OTHER_URLS = {
    "uniprot.org/uniprot/": "uniprot",
    "uniprot.org/entry/": "uniprot",
    "purl.uniprot.org/uniprot/": "uniprot",
    "ncbi.nlm.nih.gov/taxonomy/": "ncbitaxon",
    "ebi.ac.uk/chebi/searchId.do?chebiId=": "chebi",
}


def format_curie(entity: EntityId) -> str:
    """The CURIE with the Bioregistry's prefix: `mesh:D001943`, `mi:0006`; without a database, the text as given."""
    database, identifier = entity
    if database in PREFIXED_IDENTIFIERS:
        return identifier.replace(PREFIXED_IDENTIFIERS[database], PREFIXED_IDENTIFIERS[database].lower(), 1)
    return f"{database}:{identifier}" if database else identifier


def list_reported_identifiers(annotation: AnnotationData) -> tuple[str, ...]:
    """What is kept beside current identifiers: the identifier, and the partner if any; else CURIEs, each once."""
    flat = tuple(filter(None, (annotation.identifier, annotation.partner)))
    return flat or tuple(dict.fromkeys(map(format_curie, annotation.iter_entity_ids())))


def format_curie_for_readers(entity: EntityId) -> str:
    """The form that is usual in texts: `MESH:D001943`, `CVCL_0440`, `MI:0006`, `NCBIGene:7157`."""
    namespace = find_namespace(entity.database)
    if namespace is None:
        return format_curie(entity)
    if entity.database in PREFIXED_IDENTIFIERS:
        return entity.identifier
    return f"{namespace.banana or f'{namespace.prefix}:'}{entity.identifier}"


def parse_curie_or_url(text: str) -> EntityId | None:
    """The entity of a CURIE with a known prefix in any spelling, or of a URL; None for any other text.

    The identifier of a CURIE may be malformed, that of a URL is well-formed.
    """
    return parse_entry_url(text) if URL.match(text) else parse_curie(text)


def parse_curie(text: str) -> EntityId | None:
    """The entity of `NCBI Gene:7157`, `MESH:D001943`, `MI:0006`, `CVCL_0440` or `OMIM_114480`; None if unknown.

    What follows a colon is the identifier, even a malformed one, unless it has several words; what follows `_` has to
    be well-formed.
    """
    for pattern in (NESTED_CURIE, CURIE):
        match = pattern.fullmatch(text)
        database = find_database_by_spelling(match["prefix"]) if match else None
        if match and database:
            entity = EntityId(database, _strip_prefix(database, match["identifier"].rstrip()))
            return entity if has_known_form(entity) or not WHITE_SPACE.search(entity.identifier) else None
    return _parse_underscored_curie(text)


def _parse_underscored_curie(text: str) -> EntityId | None:
    match = UNDERSCORED.fullmatch(text)
    database = find_database_by_spelling(match["prefix"]) if match else None
    if match is None or database is None:
        return None
    entity = EntityId(database, _strip_prefix(database, match["identifier"]))
    return entity if has_known_form(entity) else None


def parse_entry_url(text: str) -> EntityId | None:
    """The entity whose page or resource a URL is; None if no database is known to have such URLs."""
    match = URL.fullmatch(text)
    if match is None:
        return None
    host, path = match["host"].lower(), match["path"]
    if host == "purl.obolibrary.org":
        return _parse_underscored_curie(unquote(re.split("[/#]", path.rstrip("/"))[-1]))
    if host in RESOLVER_HOSTS:
        return _parse_resolver_path(unquote(path.strip("/")))
    return _find_entity_of_longest_start(f"{host}{path}")


def _parse_resolver_path(path: str) -> EntityId | None:
    """The entity of `mesh:D001943`, `mesh/D001943` or `a-provider/mesh:D001943`."""
    prefix, _, rest = path.partition("/")
    for curie in (f"{prefix}:{rest}" if rest else "", path, rest):
        if (entity := parse_curie(curie)) and is_well_formed_identifier(*entity):
            return entity
    return None


def _find_entity_of_longest_start(url: str) -> EntityId | None:
    for end in range(min(len(url) - 1, LONGEST_URL_START), 0, -1):
        form = _find_url_form(url[:end])
        if form and url.endswith(form.ending):
            identifier = unquote(url[end:].removesuffix(form.ending)).rstrip("/")
            entity = EntityId(form.database, _strip_prefix(form.database, identifier))
            if is_well_formed_identifier(*entity):
                return entity
    return None


@cache
def _load_url_forms_of_our_databases() -> dict[str, EntryUrl]:
    """The forms of URLs by what precedes the identifier."""
    forms = {start: EntryUrl(database, "") for start, database in OTHER_URLS.items()}
    for database, namespace in NAMESPACES.items():
        start, _, ending = namespace.url_template.partition("{}")
        forms[re.sub("^https?://(?:www[.])?", "", start)] = EntryUrl(database, ending.rstrip("/"))
    return forms


def _find_url_form(start: str) -> EntryUrl | None:
    form = _load_url_forms_of_our_databases().get(start) or load_entry_urls().get(start)
    return form and replace(form, database=OTHER_PREFIXES.get(form.database, form.database))


def has_known_form(entity: EntityId) -> bool:
    """Whether the identifier has the form that the database documents; False if it documents none."""
    namespace = find_namespace(entity.database)
    return namespace is not None and namespace.pattern is not ANY_IDENTIFIER and is_well_formed_identifier(*entity)


def _strip_prefix(database: str, identifier: str) -> str:
    """The identifier without the prefix or banana that some repeat: `15377` for `CHEBI:15377` in `CHEBI:CHEBI:15377`.

    Identifiers of PSI-MI keep theirs, or get it.
    """
    while (inner := CURIE.fullmatch(identifier)) and find_database_by_spelling(inner["prefix"]) == database:
        identifier = inner["identifier"]
    if database in PREFIXED_IDENTIFIERS:
        return f"{PREFIXED_IDENTIFIERS[database]}{identifier}"
    namespace = find_namespace(database)
    if namespace is None or not namespace.banana or namespace.pattern.fullmatch(identifier):
        return identifier
    bare = identifier.removeprefix(namespace.banana)
    return bare if namespace.pattern.fullmatch(bare) else identifier
