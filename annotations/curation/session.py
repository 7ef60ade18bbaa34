"""Begin, open, finish and reopen the curation of an article by one curator."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from annotations.articles.models import Article
from annotations.curation.annotation_texts import find_misplaced_words
from annotations.curation.decisions import lock_curation
from annotations.curation.errors import CurationError, StaleDecisionError
from annotations.curation.models import CandidateList, Curation, Curator, DecidedItem
from annotations.curation.projection import AcceptedItem, build_digital_abstract, list_annotations_of_abstract
from annotations.curation.projects.experiments import check_not_measured, has_help, lock_accounts_of_curators
from annotations.curation.states import CurationState, ItemKind, ItemState
from annotations.curation.timer import stop_timer
from annotations.digital_abstract import DigitalAbstract, Origin, Source
from annotations.digital_abstract_json import build_abstract_json
from annotations.identifiers.queries import find_psi_mi_terms
from annotations.results.models import Producer, Result
from annotations.results.storage import store_results_superseding_earlier
from annotations.rules.digital_abstracts import find_abstract_faults
from annotations.schema import Kind

LONGEST_NOTES = 20_000
# What the producers of proposals are; all others are systems.
ORIGINS = {Producer.Type.AUTHOR.value: Origin.AUTHOR, Producer.Type.CURATOR.value: Origin.CURATOR}


def get_or_create_curator(user_id: int, user_name: str) -> Curator:
    """The curator of an account outside projects, with a producer of its own, whose annotations are not public."""
    with transaction.atomic():
        known = Curator.objects.filter(user=user_id, project__isnull=True).select_related("producer").first()
        if known is not None:
            return known
        producer = Producer.objects.create(sort=Producer.Type.CURATOR, name=f"{user_name} (curator)"[:200])
        curator, created = Curator.objects.get_or_create(user_id=user_id, project=None, defaults={"producer": producer})
        if not created:
            producer.delete()
        return curator


def get_or_begin_curation(curator: Curator, article: Article) -> Curation:
    """The curation of the article by the curator, new or known. An assignment at the same moment is waited for."""
    known = Curation.objects.filter(curator=curator, article=article).first()
    if known is not None:
        return known
    with transaction.atomic():
        lock_accounts_of_curators([curator.user_id])
        curation, _ = Curation.objects.get_or_create(
            curator=curator, article=article, defaults={"text_version": article.text_version}
        )
        return curation


@transaction.atomic
def open_curation(curation_id: int, candidates: CandidateList | None, now: datetime) -> Curation:
    """Start the timer of a curation that its curator opens, and keep what is proposed on its page.

    Nothing is, if the curator was given the article without help since the list was made.
    """
    curation = lock_curation(curation_id)
    stop_timer(curation, now)
    if curation.state == CurationState.ASSIGNED:
        curation.state, curation.started = CurationState.OPEN, now
    curation.running = now if curation.state == CurationState.OPEN else None
    curation.showing += 1
    curation.candidates = candidates if candidates and has_help(curation) else None
    curation.save(update_fields=["state", "started", "running", "seconds", "pending", "showing", "candidates"])
    return curation


@transaction.atomic
def show_candidates(curation_id: int, candidates: CandidateList | None, now: datetime) -> Curation:
    """Keep what is proposed to a program that curates: nobody looks at a page, so the timer does not run.

    Nothing is, if the curator was given the article without help since the list was made.
    """
    curation = lock_curation(curation_id)
    if curation.state == CurationState.ASSIGNED:
        curation.state, curation.started = CurationState.OPEN, now
    curation.candidates = candidates if candidates and has_help(curation) else None
    curation.save(update_fields=["state", "started", "candidates"])
    return curation


@transaction.atomic
def set_sight(curation_id: int, showing: int, now: datetime, *, in_sight: bool) -> bool:
    """Stop or resume the timer, if this page is the one that was opened last; returns whether it is."""
    curation = lock_curation(curation_id)
    if curation.showing != showing:
        return False
    if in_sight and curation.running is None and curation.state == CurationState.OPEN:
        curation.running = now
    elif not in_sight:
        stop_timer(curation, now)
    curation.save(update_fields=["running", "seconds", "pending"])
    return True


def list_accepted_items(curation_id: int) -> Sequence[DecidedItem]:
    """The items of the record in the order in which they were decided: 1 query."""
    rows = DecidedItem.objects.filter(curation=curation_id, superseded_by__isnull=True, state=ItemState.ACCEPTED)
    return list(rows.order_by("pk"))


def load_digital_abstract(curation: Curation) -> DigitalAbstract:
    """The record as it is now, finished or not: 2 queries."""
    rows = list_accepted_items(curation.pk)
    producers = Producer.objects.in_bulk({producer for item in rows for producer in item.producers})
    sources = {
        pk: Source(producer.name, ORIGINS.get(producer.sort, Origin.SYSTEM)) for pk, producer in producers.items()
    }
    items = [
        AcceptedItem(ItemKind(item.kind), item.content, tuple(sources[pk] for pk in item.producers if pk in sources))
        for item in rows
    ]
    return build_digital_abstract(items, nothing_found=curation.nothing_found)


@transaction.atomic
def finish_curation(curation_id: int, seen: int, now: datetime, *, nothing_found: bool = False) -> Curation:
    """Store the record, and its annotations as Results of the curator's producer.

    StaleDecisionError if a decision was stored that the page has not shown. CurationError if it is finished already, if
    the record is empty without saying that nothing was found, if it says so and is not empty, or if the text of the
    article was replaced and does not have its words any more.
    """
    curation = lock_curation(curation_id)
    if curation.state == CurationState.FINISHED:
        raise CurationError("This curation is finished already.")
    if curation.revision != seen:
        raise StaleDecisionError("The record was changed in another window. Check it again, then finish.")
    curation.nothing_found = nothing_found
    abstract = load_digital_abstract(curation)
    _check_emptiness(abstract)
    _check_rules(abstract, curation.article.text)
    check_words_in_text(abstract, curation.article.text)
    stop_timer(curation, now)
    curation.pending = 0.0
    curation.state, curation.finished, curation.changed = CurationState.FINISHED, now, now
    curation.text_version = curation.article.text_version
    curation.record = build_abstract_json(abstract)
    curation.save()
    store_annotations_of_record(curation.article, curation.curator.producer, abstract, curation.seconds)
    return curation


def _check_emptiness(abstract: DigitalAbstract) -> None:
    is_empty = not (abstract.interactions or abstract.annotations)
    if is_empty and not abstract.nothing_found:
        raise CurationError('The record is empty. Add to it, or tick "Nothing to record" if that is the result.')
    if abstract.nothing_found and not is_empty:
        raise CurationError('The record is not empty. Undo what it has, or do not tick "Nothing to record".')


def check_words_in_text(abstract: DigitalAbstract, article_text: str) -> None:
    """CurationError for words of a record that the article does not have at their place: its text was replaced."""
    if words := find_misplaced_words(abstract, article_text):
        raise CurationError(
            f"The text of the article was replaced since “{words[:60]}” was recorded, and it does not have these words "
            "there any more. Reject what has them or select them again, then finish."
        )


def _check_rules(abstract: DigitalAbstract, article_text: str) -> None:
    faults = find_abstract_faults(abstract, article_text, find_psi_mi_terms())
    if faults:
        first = faults[0]
        more = f" {len(faults) - 1:,} more faults are listed." if len(faults) > 1 else ""
        raise CurationError(f"{first.where}: {first.message} {first.mend}{more}", first.where)


def store_annotations_of_record(
    article: Article, producer: Producer, abstract: DigitalAbstract, seconds: float | None
) -> None:
    """Store the annotations of a record as the current Results of its producer; kinds it no longer has become empty."""
    by_kind = list_annotations_of_abstract(abstract)
    current = Result.objects.filter(article=article, producer=producer, superseded__isnull=True)
    for kind in current.values_list("kind", flat=True):
        by_kind.setdefault(Kind(kind), [])
    store_results_superseding_earlier(article, producer, by_kind, duration_seconds=seconds)


@transaction.atomic
def reopen_curation(curation_id: int, now: datetime) -> Curation:
    """Continue a finished curation; what was finished or published stays as it is until it is finished again.

    CurationError if it is not finished, if it counts in an experiment, or if its curator works in the project no longer
    and could not finish it again.
    """
    curation = lock_curation(curation_id)
    if curation.state != CurationState.FINISHED:
        raise CurationError("This curation is not finished.")
    _check_still_curates(curation.curator)
    check_not_measured(curation, "It stays as it was finished.")
    curation.state, curation.changed, curation.running, curation.proposed = CurationState.OPEN, now, now, None
    curation.save(update_fields=["state", "changed", "running", "proposed"])
    return curation


def _check_still_curates(curator: Curator) -> None:
    if curator.released:
        raise CurationError("You are no curator of this project any more, so the record stays as it was finished.")
    if curator.project and curator.project.closed:
        raise CurationError("The project is closed, so the record stays as it was finished.")


def save_notes(curation_id: int, notes: str) -> None:
    """Keep the notes of the curator, which nobody else sees. CurationError if they are too long."""
    if len(notes) > LONGEST_NOTES:
        raise CurationError(f"Notes have at most {LONGEST_NOTES:,} characters.", "notes")
    Curation.objects.filter(pk=curation_id).update(notes=notes)
