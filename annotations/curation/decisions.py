"""Store the decisions of curators: each once, in order, and none over a decision that its page has not shown."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from annotations.curation.errors import CurationError, StaleDecisionError
from annotations.curation.models import Curation, DecidedItem, Decision
from annotations.curation.states import STATES_BY_ACTION, CurationState, DecisionAction, ItemKind
from annotations.curation.timer import take_seconds_since_decision

ItemKey = tuple[ItemKind, str]
# More at once is a mistake: no article has so many mentions of one text.
MOST_ITEMS_AT_ONCE = 5000


@dataclass(frozen=True, slots=True)
class ItemProposal:
    """An item with its content as in DecidedItem, and the producers that proposed it."""

    kind: ItemKind
    key: str
    content: Mapping[str, object]
    producers: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class DecisionInput:
    """What a page sends. seen: the revision that it shows. token: the same if the request is sent again.

    user: the account that decides, None for an author without one. reason: of a rejection, or the rule by which many
    items are accepted at once. candidates: the id of the list that the items are from, None for the one on the page.
    """

    action: DecisionAction
    seen: int
    token: str
    user: int | None = None
    reason: str = ""
    items: Sequence[ItemProposal] = field(default=())
    candidates: int | None = None


@transaction.atomic
def store_decision(curation_id: int, given: DecisionInput, now: datetime) -> Decision:
    """Store a decision on items, which supersedes those that its page has shown, and return it.

    A decision with the same token is returned instead of being stored again. StaleDecisionError, and nothing is stored,
    if any of the items was decided since the page was opened. CurationError if the curation is finished, or is another
    user's by now.
    """
    curation = lock_curation(curation_id)
    if earlier := curation.decisions.filter(token=given.token).first():
        return earlier
    _check_not_handed_over(curation, given.user)
    _check_open(curation)
    if not given.items or len(given.items) > MOST_ITEMS_AT_ONCE:
        raise CurationError(f"Decide on 1 to {MOST_ITEMS_AT_ONCE:,} items at once.")
    keys = [(each.kind, each.key) for each in given.items]
    _check_not_decided_since(curation, keys, given.seen)
    decision = _append_decision(curation, given, now)
    _filter_current_items(curation.pk, keys).update(superseded_by=decision)
    state = STATES_BY_ACTION[given.action]
    DecidedItem.objects.bulk_create(
        DecidedItem(
            decision=decision,
            curation=curation,
            kind=each.kind,
            key=each.key,
            state=state,
            content=each.content,
            producers=list(each.producers),
        )
        for each in given.items
    )
    return decision


@transaction.atomic
def undo_last_decision(curation_id: int, given: DecisionInput, now: datetime) -> Decision:
    """Take back the last decision that is not taken back yet: its items are what they were before.

    A curation that has nothing of the record that it continued then continues none. Returns the new decision, whose
    undoes is the one taken back. CurationError if there is none, or if the curation is another user's by now.
    StaleDecisionError if the page has not shown it.
    """
    curation = lock_curation(curation_id)
    if earlier := curation.decisions.filter(token=given.token).first():
        return earlier
    _check_not_handed_over(curation, given.user)
    _check_open(curation)
    effective = curation.decisions.filter(undone=False).exclude(action=DecisionAction.UNDO)
    last = effective.order_by("-number").first()
    if last is None:
        raise CurationError("There is no decision to undo.")
    if last.number > given.seen:
        raise StaleDecisionError("A later decision was made elsewhere. It is shown now; undo it if you mean that one.")
    decision = _append_decision(curation, given, now, undoes=last)
    Decision.objects.filter(pk=last.pk).update(undone=True)
    DecidedItem.objects.filter(decision=last).update(superseded_by=decision)
    DecidedItem.objects.filter(superseded_by=last).update(superseded_by=None)
    if not has_items_of_basis(curation):
        _clear_basis(curation.pk)
    return decision


def has_items_of_basis(curation: Curation) -> bool:
    """Whether anything in the curation was taken over from the record that it continues: 1 query, none without one."""
    if curation.basis is None:
        return False
    taken_over = DecidedItem.objects.filter(producers__contains=[curation.basis.curator.producer_id])
    return taken_over.filter(curation=curation, superseded_by__isnull=True).exists()


def _clear_basis(curation_id: int) -> None:
    """Nobody else is a contributor any more; those of a published record are kept with it.

    A curator to whom a journal assigned a private manuscript still continues the author's record.
    """
    Curation.objects.filter(pk=curation_id, article__blind=False).update(basis=None)


def store_or_undo_decision(curation_id: int, given: DecisionInput, now: datetime) -> Decision:
    """Store the decision, or if its action is to undo, take back the last one."""
    operation = undo_last_decision if given.action is DecisionAction.UNDO else store_decision
    return operation(curation_id, given, now)


def lock_curation(curation_id: int) -> Curation:
    """The curation with its curator, of which no other decision is stored until the end of the transaction."""
    rows = Curation.objects.select_related("curator").select_for_update(of=("self",), no_key=True)
    return rows.get(pk=curation_id)


def check_begun(curation: Curation) -> None:
    """CurationError if it is assigned, and its curator has not opened it."""
    if curation.state == CurationState.ASSIGNED:
        raise CurationError("This curation is not begun. Open it first.")


def _check_not_handed_over(curation: Curation, user_id: int | None) -> None:
    """CurationError if it was handed over after the access of the user was checked. An outcome is of no single user."""
    if curation.curator.user_id not in (None, user_id):
        raise CurationError("The curation was handed over to a colleague, so nothing was stored.")


def _check_open(curation: Curation) -> None:
    check_begun(curation)
    if curation.state != CurationState.OPEN:
        raise CurationError("This curation is finished. Open it again to change it.")


def _check_not_decided_since(curation: Curation, keys: Collection[ItemKey], seen: int) -> None:
    if seen >= curation.revision:
        return
    later = _filter_current_items(curation.pk, keys).filter(decision__number__gt=seen).count()
    if later:
        items = "This item was" if len(keys) == 1 else f"{later:,} of these items were"
        raise StaleDecisionError(
            f"{items} decided in another window since this page was opened, so nothing was stored. "
            "The page shows that decision now; decide again to change it."
        )


def _filter_current_items(curation_id: int, keys: Collection[ItemKey]) -> QuerySet[DecidedItem]:
    by_kind: dict[ItemKind, list[str]] = {}
    for kind, key in keys:
        by_kind.setdefault(kind, []).append(key)
    condition = Q(pk__in=[])
    for kind, names in by_kind.items():
        condition |= Q(kind=kind, key__in=names)
    return DecidedItem.objects.filter(condition, curation=curation_id, superseded_by__isnull=True)


def _append_decision(
    curation: Curation, given: DecisionInput, now: datetime, undoes: Decision | None = None
) -> Decision:
    """Store the decision with the next number, and the new revision and timer of the curation."""
    seconds = take_seconds_since_decision(curation, now)
    curation.revision += 1
    curation.changed = now
    curation.save(update_fields=["revision", "changed", "seconds", "pending", "running"])
    return Decision.objects.create(
        curation=curation,
        number=curation.revision,
        token=given.token,
        action=given.action,
        reason=given.reason,
        at=now,
        seconds=seconds,
        candidates_id=given.candidates or curation.candidates_id,
        user_id=given.user,
        undoes=undoes,
    )
