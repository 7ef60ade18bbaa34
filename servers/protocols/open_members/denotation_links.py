"""What the objects and attributes of PubAnnotation's denotations say: the type of a mention and its identifiers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from annotations.entity_types import find_known_entity_type, list_known_entity_types, normalize_entity_type
from annotations.formats.bioc.documents import DATABASES_BY_KEY, normalize_infon_key
from annotations.identifiers.curies import parse_curie_or_url, parse_entry_url
from annotations.identifiers.given_identifiers import parse_identifier_field
from annotations.schema import EntityId

CONFIDENCE_KEYS = frozenset({"confidence", "score", "probability"})
ORGANISM_KEYS = frozenset({"organism", "species", "taxon"})
TYPE_KEYS = frozenset({"type", "category"})
BASE_PREFIX = "_base"
# Databases of one type of entities; those of genes and others are in the table of types.
TYPES_BY_DATABASE = {
    "cellosaurus": "CellLine",
    "chebi": "Chemical",
    "cl": "CellType",
    "doid": "Disease",
    "hp": "Phenotype",
    "mondo": "Disease",
    "uberon": "Tissue",
}


@dataclass(frozen=True, slots=True)
class LinkReader:
    """Reads identifiers. namespaces: {prefix: URL} as the answer declares them; entity_types: as registered."""

    namespaces: Mapping[str, str]
    entity_types: tuple[str, ...] = ()

    def find_entity(self, text: str) -> EntityId | None:
        """The entity of a CURIE or URL of a known database, or of a CURIE with a prefix that the answer declares."""
        prefix, colon, rest = text.partition(":")
        url = self.namespaces.get(prefix if colon else BASE_PREFIX)
        declared = parse_entry_url(f"{url}{rest if colon else text}") if url else None
        return declared or parse_curie_or_url(text)

    def read_object(self, text: str) -> tuple[str, tuple[EntityId, ...]]:
        """The type and the identifier that the obj of a denotation says; mostly only one of them."""
        entity = self.find_entity(text)
        if entity is None:
            return text, ()
        known_type = find_known_entity_type(text.partition(":")[0])
        return (known_type.name if known_type else self.find_type(entity.database)), (entity,)

    def find_type(self, database: str) -> str:
        """The only type that entities of a database can have; "" if there are several, or none is known."""
        if database in TYPES_BY_DATABASE:
            return TYPES_BY_DATABASE[database]
        names = [each.name for each in list_known_entity_types() if database in each.databases[:1]]
        registered = set(map(normalize_entity_type, self.entity_types))
        for candidates in ([name for name in names if name in registered], names):
            if len(candidates) == 1:
                return candidates[0]
        return ""

    def read_attribute(self, predicate: str, value: object, entity_type: str) -> tuple[EntityId, ...]:
        """The identifiers in an attribute: of a database that the predicate names, or CURIEs and URLs."""
        values = value if isinstance(value, list) else [value]
        texts = [str(each) for each in values if isinstance(each, str | int) and not isinstance(each, bool)]
        key = normalize_infon_key(predicate)
        if key in DATABASES_BY_KEY:
            database = DATABASES_BY_KEY[key]
            return tuple(entity for text in texts for entity in self._read_field(text, database, entity_type))
        if key in ORGANISM_KEYS:
            return ()
        return tuple(entity for text in texts if (entity := self.find_entity(text)))

    def _read_field(self, text: str, database: str, entity_type: str) -> Iterable[EntityId]:
        entity = self.find_entity(text)
        if entity:
            return (entity,)
        return parse_identifier_field(f"{database}:{text}" if database else text, entity_type)


def read_namespaces(value: object) -> dict[str, str]:
    """{prefix: URL} of the namespaces of a document, [{prefix, uri}]; what has another form is left out."""
    elements = value if isinstance(value, list) else []
    return {
        str(each["prefix"]): str(each["uri"])
        for each in elements
        if isinstance(each, dict) and {"prefix", "uri"} <= each.keys()
    }
