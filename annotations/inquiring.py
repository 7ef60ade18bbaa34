"""Asks outside databases for the identifiers that annotations name, each once for all who report it, in batches.

Nobody waits for it: a worker does it slice by slice. A database that does not answer is left alone for a minute, then
for two, up to six hours; the others are asked meanwhile.
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.core.cache import cache
from django.db.models import F, Q
from django.utils import timezone

from annotations.databases import DATABASES, database_title
from annotations.errors import SilentError
from annotations.fetching import per_second
from annotations.models import Entry
from annotations.pacing import turn_at_ncbi
from annotations.registering import WHILE_UNKNOWN, register
from annotations.registry import ncbi, uniprot
from annotations.registry.asking import Door
from annotations.registry.entries import EntryRecord
from annotations.registry.ncbi import Eutils
from annotations.registry.psi_mi import Ontology
from annotations.registry.uniprot import UniProt
from annotations.reported import announce_articles, note_reported, note_taxa

SLICE_SECONDS = 10.0
# The ontology comes whole; so many of its identifiers are answered by one look into it.
ONTOLOGY_BATCH = 1000
FIRST_REST, LONGEST_REST = 60, 6 * 3600
# How long it is remembered that a database failed.
MEMORY = 24 * 3600
SHOWN = ("exists", "name", "symbol", "synonyms", "taxon", "withdrawn", "successors", "location", "function")
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Authority:
    """Who knows the identifiers of a database, and how many are asked for at once."""

    database: str
    batch: int
    ask: Callable[[Sequence[str]], list[EntryRecord]]


def authorities() -> list[Authority]:
    """Those that the settings name."""
    networks, email, key = settings.ALLOWED_NETWORKS, settings.CONTACT_EMAIL, settings.ENTREZ_API_KEY
    ncbi_door = Door("NCBI", per_second(key), email, networks, turn=turn_at_ncbi(key))
    eutils = Eutils(ncbi_door, settings.ENTREZ_URL, email, key)
    proteins = UniProt(Door("UniProt", uniprot.PER_SECOND, email, networks), settings.UNIPROT_URL)
    ontology = Ontology(Door("PSI-MI", 1, email, networks), settings.PSI_MI_URL)
    return [
        Authority("uniprot", uniprot.BATCH, proteins.entries),
        Authority("ncbigene", ncbi.BATCH, eutils.genes),
        Authority("ncbitaxon", ncbi.BATCH, eutils.organisms),
        Authority("psi-mi", ONTOLOGY_BATCH, ontology.terms),
    ]


def ask_slice(seconds: float = SLICE_SECONDS) -> bool:
    """Note what is newly reported and ask for it until the time is over; whether there is more to do now."""
    until = time.monotonic() + seconds
    noted = note_reported()
    asked = authorities()
    while asked and time.monotonic() < until:
        asked = [authority for authority in asked if ask_batch(authority)]
    return bool(asked) or noted > 0


def ask_batch(authority: Authority) -> bool:
    """Ask for the identifiers whose turn it is; False when there are none, or the database rests."""
    if cache.get(resting(authority.database)):
        return False
    names = due(authority.database, authority.batch)
    if not names:
        return False
    try:
        learn(authority, names)
    except SilentError as error:
        rest(authority.database, error)
        return False
    if cache.delete(failures(authority.database)):
        log.info("%s answers again", database_title(authority.database))
    return True


def due(database: str, number: int) -> list[str]:
    """Identifiers to ask for: the newest of those never asked for, then those whose answer is old."""
    waiting = Entry.objects.filter(Q(due__isnull=True) | Q(due__lte=timezone.now()), database=database, reported=True)
    order = (F("due").asc(nulls_first=True), F("id").desc())
    return list(waiting.order_by(*order).values_list("identifier", flat=True)[:number])


def learn(authority: Authority, names: Sequence[str]) -> None:
    """Ask, keep the answers, and tell the pages that show what is new; SilentError when nobody answers."""
    database = authority.database
    known_form = [name for name in names if DATABASES[database].pattern.fullmatch(name)]
    records = authority.ask(known_form) if known_form else []
    # What can be no identifier of the database is not asked for, and not found due again at once.
    records += [EntryRecord(database, name, database_title(database), exists=None) for name in {*names} - {*known_form}]
    before = shown(database, names)
    register(records, timezone.now())
    postpone(database, [record.identifier for record in records if record.exists is None])
    note_taxa(record.taxon for record in records if record.taxon is not None and database != "ncbitaxon")
    after = shown(database, names)
    announce_articles(database, [name for name in names if before.get(name) != after.get(name)])
    log.info("%s told of %d identifiers of %d", database_title(database), len(records), len(names))


def postpone(database: str, names: Sequence[str]) -> None:
    """Ask in a week again for what the database passed over; what is known of it stays."""
    passed_over = Entry.objects.filter(database=database, identifier__in=names)
    passed_over.update(due=timezone.now() + WHILE_UNKNOWN)


def shown(database: str, names: Sequence[str]) -> dict[str, tuple[object, ...]]:
    """What pages show of these entries."""
    rows = Entry.objects.filter(database=database, identifier__in=names).values_list("identifier", *SHOWN)
    return {name: fields for name, *fields in rows}


def rest(database: str, error: SilentError) -> None:
    """Leave the database alone, twice as long each time."""
    failed = cache.get(failures(database), 0)
    seconds = max(error.after, min(FIRST_REST * 2**failed, LONGEST_REST))
    cache.set(failures(database), failed + 1, MEMORY)
    cache.set(resting(database), True, seconds)
    log.warning("%s It is asked again in %d min; until then identifiers stay unverified.", error, -(-seconds // 60))


def resting(database: str) -> str:
    return f"registry-rests-{database}"


def failures(database: str) -> str:
    return f"registry-failures-{database}"
