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
from annotations.identifiers.entry_storage import (
    UNKNOWN_ENTRY_LIFETIME,
    upsert_entries_unless_second_hand_replaces_first,
)
from annotations.identifiers.lookup import ncbi_eutils, uniprot_rest
from annotations.identifiers.lookup.ncbi_eutils import EutilsClient
from annotations.identifiers.lookup.psi_mi_ontology import OntologyClient
from annotations.identifiers.lookup.registry_client import RegistryClient
from annotations.identifiers.lookup.registry_pauses import (
    failure_cache_key,
    pause_cache_key,
    pause_registry,
)
from annotations.identifiers.lookup.uniprot_rest import UniProtClient
from annotations.identifiers.models import Entry
from annotations.identifiers.namespaces import NAMESPACES, namespace_title_or_raw_name
from annotations.identifiers.reported_identifiers import (
    mark_result_batch_noted_queueing_identifiers,
    queue_organism_entries_for_lookup,
    raise_article_or_private_producer_versions,
)

SLICE_SECONDS = 10.0
# The ontology is fetched as a whole, so one request answers for many identifiers.
ONTOLOGY_BATCH = 1000
SHOWN_FIELDS = (
    *("exists", "name", "symbol", "synonyms", "taxon"),
    *("withdrawn", "successors", "location", "function", "genes"),
)
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class IdentifierRegistry:
    """A database with its look-up function and the number of identifiers per request."""

    database: str
    batch_size: int
    look_up: Callable[[Sequence[str]], list[EntryRecord]]


def _list_registries() -> list[IdentifierRegistry]:
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


def queue_and_look_up_due_identifiers(slice_seconds: float = SLICE_SECONDS) -> bool:
    """Queue and look up identifiers for so many seconds; return whether there is more to do."""
    until = time.monotonic() + slice_seconds
    queued = mark_result_batch_noted_queueing_identifiers()
    registries = _list_registries()
    while registries and time.monotonic() < until:
        registries = [registry for registry in registries if _look_up_batch(registry)]
    return bool(registries) or queued > 0


def _look_up_batch(registry: IdentifierRegistry) -> bool:
    """Look up the next due identifiers; False if there are none, or if the database is paused or fails."""
    if cache.get(pause_cache_key(registry.database)):
        return False
    names = list_next_reported_due_identifiers(registry.database, registry.batch_size)
    if not names:
        return False
    try:
        _update_entries(registry, names)
    except ServiceUnavailableError as error:
        pause_registry(registry.database, error)
        return False
    if cache.delete(failure_cache_key(registry.database)):
        log.info("%s is available again", namespace_title_or_raw_name(registry.database))
    return True


def list_next_reported_due_identifiers(database: str, max_count: int) -> list[str]:
    """Identifiers to look up: first those never looked up, newest first, then those with the oldest entries."""
    due = Entry.objects.filter(Q(due__isnull=True) | Q(due__lte=timezone.now()), database=database, reported=True)
    order = (F("due").asc(nulls_first=True), F("id").desc())
    return list(due.order_by(*order).values_list("identifier", flat=True)[:max_count])


def _update_entries(registry: IdentifierRegistry, names: Sequence[str]) -> None:
    """Look up identifiers, store their entries, and raise the versions of what shows the changed ones.

    Raises ServiceUnavailableError if the database does not answer.
    """
    database = registry.database
    well_formed = [name for name in names if NAMESPACES[database].pattern.fullmatch(name)]
    records = registry.look_up(well_formed) if well_formed else []
    # Malformed identifiers are not looked up, but stored as unknown, so that they are not due again at once.
    records += [
        EntryRecord(database, name, namespace_title_or_raw_name(database), exists=None)
        for name in {*names} - {*well_formed}
    ]
    before = _read_shown_fields(database, names)
    upsert_entries_unless_second_hand_replaces_first(records, timezone.now())
    _postpone_identifiers(database, [record.identifier for record in records if record.exists is None])
    queue_organism_entries_for_lookup(
        record.taxon for record in records if record.taxon is not None and database != "ncbitaxon"
    )
    after = _read_shown_fields(database, names)
    raise_article_or_private_producer_versions(
        database, [name for name in names if before.get(name) != after.get(name)]
    )
    log.info(
        "%s: received %d entries for %d identifiers", namespace_title_or_raw_name(database), len(records), len(names)
    )


def _postpone_identifiers(database: str, names: Sequence[str]) -> None:
    """Look up identifiers that the database did not answer for again in a week; their entries stay as they are."""
    unanswered = Entry.objects.filter(database=database, identifier__in=names)
    unanswered.update(due=timezone.now() + UNKNOWN_ENTRY_LIFETIME)


def _read_shown_fields(database: str, names: Sequence[str]) -> dict[str, tuple[object, ...]]:
    """The fields of entries that pages show, by identifier."""
    rows = Entry.objects.filter(database=database, identifier__in=names).values_list("identifier", *SHOWN_FIELDS)
    return {name: fields for name, *fields in rows}
