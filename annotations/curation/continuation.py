"""Continue the record of somebody else: what it accepts is accepted, as one decision that is undone as one."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db import transaction
from django.db.models import Q

from annotations.curation.decisions import DecisionInput, ItemProposal, check_begun, lock_curation, store_decision
from annotations.curation.errors import CurationError
from annotations.curation.models import Curation, DecidedItem, Decision, PublishedAbstract
from annotations.curation.session import list_accepted_items
from annotations.curation.states import CurationState, DecisionAction, ItemKind
from annotations.digital_abstract import Origin

REASON = "taken over from {curator}"
# The lists of a record whose members say whose proposals they were taken from; older records do not have all of them.
SOURCED_PARTS = ("interactions", "organism_sources", "annotations")


@transaction.atomic
def take_over_record(
    curation_id: int,
    basis: Curation,
    token: str,
    user_id: int,
    now: datetime,
    accepted: Sequence[DecidedItem] | None = None,
) -> Curation:
    """Accept in an open curation what the basis accepts and this one has not decided on.

    Each item names the producer of the basis beside those that proposed it. accepted: what of the basis is taken over,
    such as what it accepted when it was published; None for what it accepts now.

    token: as in DecisionInput. CurationError if the basis is not finished or of another text, if this curation is
    finished or continues another record, if its manuscript is not assigned any more, or if the basis has nothing that
    is not decided here.
    """
    curation = lock_curation(curation_id)
    if curation.decisions.filter(token=token).exists():
        return curation
    _check_continuable(curation, basis)
    wanted = list_accepted_items(basis.pk) if accepted is None else accepted
    items = _list_undecided_items(curation, wanted, basis.curator.producer_id)
    if not items:
        raise CurationError("That record has nothing that you have not decided on.")
    if curation.basis_id is None:
        Curation.objects.filter(pk=curation.pk).update(basis=basis)
    reason = REASON.format(curator=basis.curator)[:500]
    given = DecisionInput(DecisionAction.ACCEPT, curation.revision, token, user_id, reason, items)
    store_decision(curation.pk, given, now)
    curation.refresh_from_db()
    return curation


def _check_continuable(curation: Curation, basis: Curation) -> None:
    check_begun(curation)
    if curation.state != CurationState.OPEN:
        raise CurationError("Your curation is finished. Open it again, then continue the other record.")
    if curation.article.blind and curation.basis_id is None:
        # Its curator opened the page before the journal revoked the assignment.
        raise CurationError("This manuscript is not assigned to you any more.")
    if basis.pk == curation.pk:
        raise CurationError("This record is your own. Open it again to go on.")
    if curation.basis_id not in (None, basis.pk):
        raise CurationError("Your curation continues another record already.")
    if basis.state != CurationState.FINISHED:
        raise CurationError("That record is not finished yet. Try again when it is.")
    if (basis.article_id, basis.text_version) != (curation.article_id, curation.text_version):
        raise CurationError("That record was made with another version of the text, so it cannot be continued.")


def _list_undecided_items(curation: Curation, accepted: Sequence[DecidedItem], maker: int) -> list[ItemProposal]:
    """Those of the accepted items on which the curation has not decided. maker: the producer that accepted them."""
    current = DecidedItem.objects.filter(curation=curation, superseded_by__isnull=True)
    known = set(current.values_list("kind", "key"))
    return [
        ItemProposal(ItemKind(each.kind), each.key, each.content, sorted({*each.producers, maker}))
        for each in accepted
        if (each.kind, each.key) not in known
    ]


def rename_curator_where_taken_over(name: str, new_name: str) -> None:
    """Replace the name of a curator in what was taken over from their records, also where it is published."""
    renamed = {"name": name, "origin": Origin.CURATOR.value}
    taken_over = reduce(or_, (Q(record__contains={part: [{"sources": [renamed]}]}) for part in SOURCED_PARTS))
    for rows in (Curation.objects.filter(taken_over), PublishedAbstract.objects.filter(taken_over)):
        for pk, record in rows.order_by("pk").values_list("pk", "record"):
            _rename_source(record, renamed, new_name)
            rows.model.objects.filter(pk=pk).update(record=record)
    reason, new_reason = (REASON.format(curator=each)[:500] for each in (name, new_name))
    Decision.objects.filter(reason=reason).update(reason=new_reason)


def _rename_source(record: Any, renamed: Mapping[str, str], new_name: str) -> None:
    for part in SOURCED_PARTS:
        for sourced in record.get(part, ()):
            for source in sourced.get("sources", ()):
                if source == renamed:
                    source["name"] = new_name
