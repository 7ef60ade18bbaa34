"""Looks up the identifiers of annotations in outside databases, in batches and in the background.

After a failure, a database is paused for one minute, then for two and so on, up to six hours; the others are asked
meanwhile.
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.core.cache import cache
from django.db.models import F, Q
from django.utils import timezone

from annotations.articles.entrez.client import ncbi_requests_per_second
from annotations.articles.entrez.pacing import make_ncbi_pace
from annotations.errors import ServiceUnavailableError
from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.entry_storage import UNKNOWN_ENTRY_LIFETIME, store_entries
from annotations.identifiers.lookup import ncbi_eutils, uniprot_rest
from annotations.identifiers.lookup.ncbi_eutils import EutilsClient
from annotations.identifiers.lookup.psi_mi_ontology import OntologyClient
from annotations.identifiers.lookup.registry_client import RegistryClient
from annotations.identifiers.lookup.uniprot_rest import UniProtClient
from annotations.identifiers.models import Entry
from annotations.identifiers.namespaces import NAMESPACES, namespace_title
from annotations.identifiers.reported_identifiers import (
    queue_reported_identifiers,
    queue_taxa,
    raise_versions_for_identifiers,
)

SLICE_SECONDS = 10.0
# The ontology is fetched as a whole, so one request answers for many identifiers.
ONTOLOGY_BATCH = 1000
# Seconds.
FIRST_PAUSE, LONGEST_PAUSE = 60, 6 * 3600
# How long the failures of a database are remembered, in seconds.
FAILURE_MEMORY = 24 * 3600
SHOWN_FIELDS = ("exists", "name", "symbol", "synonyms", "taxon", "withdrawn", "successors", "location", "function")
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class IdentifierRegistry:
    """A database with its look-up function and the number of identifiers per request."""

    database: str
    batch_size: int
    look_up: Callable[[Sequence[str]], list[EntryRecord]]


def list_registries() -> list[IdentifierRegistry]:
    """The registries at the URLs of the settings."""
    networks, email, key = settings.ALLOWED_NETWORKS, settings.CONTACT_EMAIL, settings.ENTREZ_API_KEY
    per_second, pace = ncbi_requests_per_second(key), make_ncbi_pace(key)
    ncbi_client = RegistryClient("NCBI", per_second, email, networks, wait_for_turn=pace)
    eutils = EutilsClient(ncbi_client, settings.ENTREZ_URL, email, key)
    proteins = UniProtClient(RegistryClient("UniProt", uniprot_rest.PER_SECOND, email, networks), settings.UNIPROT_URL)
    ontology = OntologyClient(RegistryClient("PSI-MI", 1, email, networks), settings.PSI_MI_URL)
    return [
        IdentifierRegistry("uniprot", uniprot_rest.BATCH, proteins.look_up_entries),
        IdentifierRegistry("ncbigene", ncbi_eutils.BATCH, eutils.look_up_genes),
        IdentifierRegistry("ncbitaxon", ncbi_eutils.BATCH, eutils.look_up_organisms),
        IdentifierRegistry("psi-mi", ONTOLOGY_BATCH, ontology.look_up_terms),
    ]


def look_up_due_identifiers(seconds: float = SLICE_SECONDS) -> bool:
    """Queue and look up identifiers for so many seconds; return whether there is more to do."""
    until = time.monotonic() + seconds
    queued = queue_reported_identifiers()
    registries = list_registries()
    while registries and time.monotonic() < until:
        registries = [registry for registry in registries if look_up_batch(registry)]
    return bool(registries) or queued > 0


def look_up_batch(registry: IdentifierRegistry) -> bool:
    """Look up the next due identifiers; False if there are none, or if the database is paused or fails."""
    if cache.get(pause_cache_key(registry.database)):
        return False
    names = list_due_identifiers(registry.database, registry.batch_size)
    if not names:
        return False
    try:
        update_entries(registry, names)
    except ServiceUnavailableError as error:
        pause_registry(registry.database, error)
        return False
    if cache.delete(failure_cache_key(registry.database)):
        log.info("%s is available again", namespace_title(registry.database))
    return True


def list_due_identifiers(database: str, number: int) -> list[str]:
    """Identifiers to look up: first those never looked up, newest first, then those with the oldest entries."""
    due = Entry.objects.filter(Q(due__isnull=True) | Q(due__lte=timezone.now()), database=database, reported=True)
    order = (F("due").asc(nulls_first=True), F("id").desc())
    return list(due.order_by(*order).values_list("identifier", flat=True)[:number])


def update_entries(registry: IdentifierRegistry, names: Sequence[str]) -> None:
    """Look up identifiers, store their entries, and raise the versions of what shows the changed ones.

    Raises ServiceUnavailableError if the database does not answer.
    """
    database = registry.database
    well_formed = [name for name in names if NAMESPACES[database].pattern.fullmatch(name)]
    records = registry.look_up(well_formed) if well_formed else []
    # Malformed identifiers are not looked up, but stored as unknown, so that they are not due again at once.
    records += [
        EntryRecord(database, name, namespace_title(database), exists=None) for name in {*names} - {*well_formed}
    ]
    before = read_shown_fields(database, names)
    store_entries(records, timezone.now())
    postpone_identifiers(database, [record.identifier for record in records if record.exists is None])
    queue_taxa(record.taxon for record in records if record.taxon is not None and database != "ncbitaxon")
    after = read_shown_fields(database, names)
    raise_versions_for_identifiers(database, [name for name in names if before.get(name) != after.get(name)])
    log.info("%s: received %d entries for %d identifiers", namespace_title(database), len(records), len(names))


def postpone_identifiers(database: str, names: Sequence[str]) -> None:
    """Look up identifiers that the database did not answer for again in a week; their entries stay as they are."""
    unanswered = Entry.objects.filter(database=database, identifier__in=names)
    unanswered.update(due=timezone.now() + UNKNOWN_ENTRY_LIFETIME)


def read_shown_fields(database: str, names: Sequence[str]) -> dict[str, tuple[object, ...]]:
    """The fields of entries that pages show, by identifier."""
    rows = Entry.objects.filter(database=database, identifier__in=names).values_list("identifier", *SHOWN_FIELDS)
    return {name: fields for name, *fields in rows}


def pause_registry(database: str, error: ServiceUnavailableError) -> None:
    """Pause a database after a failure, twice as long each time, and at least as long as it asked for."""
    failures = cache.get(failure_cache_key(database), 0)
    seconds = max(error.retry_after, min(FIRST_PAUSE * 2**failures, LONGEST_PAUSE))
    cache.set(failure_cache_key(database), failures + 1, FAILURE_MEMORY)
    cache.set(pause_cache_key(database), True, seconds)
    log.warning("%s Retrying in %d min; until then identifiers are not verified.", error, -(-seconds // 60))


def pause_cache_key(database: str) -> str:
    return f"registry-rests-{database}"


def failure_cache_key(database: str) -> str:
    return f"registry-failures-{database}"
