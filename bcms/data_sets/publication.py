"""Propose, publish, decline and withdraw data sets.

Published annotations are on article pages, in searches and exports for everybody, like those of accepted servers, so
the same accounts decide: those that review servers and challenges.
"""

from collections.abc import Sequence

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from annotations.data_sets.models import DataSet, DataSetState
from annotations.data_sets.withdrawal import withdraw_data_sets
from annotations.results.models import Producer
from annotations.results.producers import set_producers_public_or_hidden
from bcms.data_sets.errors import DataSetError
from evaluation.visibility import is_staff, list_visible_producers
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.review.decisions import can_review_servers, check_may_review
from servers.teams.permissions import User

BUILT_STATES = (DataSetState.CURRENT, DataSetState.OUTDATED)


def list_visible_data_sets(user: User) -> QuerySet[DataSet]:
    """Published ones, the user's own, and all for staff; for reviewers those that wait for them, too."""
    if is_staff(user):
        return DataSet.objects.all()
    visible = Q(published__isnull=False)
    if user.is_authenticated:
        visible |= Q(owner=user.pk)
    if can_review_servers(user):
        # Of which they could see everything anyway.
        hidden = DataSet.objects.filter(sources__public=False)
        visible |= Q(proposed__isnull=False) & ~Q(pk__in=hidden.values("pk"))
    return DataSet.objects.filter(visible)


def can_change_data_set(user: User, data_set: DataSet) -> bool:
    """Whether the user may update, propose and withdraw it: its owner, and staff."""
    return user.is_authenticated and (is_staff(user) or user.pk == data_set.owner_id)


def check_may_change_data_set(user: User, data_set: DataSet) -> None:
    """PermissionDenied unless the user is its owner or staff."""
    if not can_change_data_set(user, data_set):
        raise PermissionDenied("Only its owner and administrators can change a data set.")


def can_read_annotations(user: User, data_set: DataSet) -> bool:
    """Whether the user may read its annotations, figures and files, and not only its recipe: 1 query.

    Its owner may not any more after losing sight of a source. Reviewers may read what waits for them.
    """
    if data_set.withdrawn:
        return False
    if data_set.proposed and can_review_servers(user) and not data_set.sources.filter(public=False).exists():
        return True
    return list_visible_producers(user).filter(pk=data_set.producer_id).exists()


def find_publication_obstacles(data_set: DataSet) -> list[str]:
    """What has to change before it can be published, as sentences: 1 query."""
    obstacles = []
    if data_set.state not in BUILT_STATES:
        obstacles.append("It is not built yet.")
    hidden = data_set.sources.filter(public=False).count()
    if hidden:
        noun = "producer is" if hidden == 1 else "producers are"
        obstacles.append(f"{hidden} of its {noun} not public. A data set shows what they report.")
    return obstacles


@transaction.atomic
def propose_data_set(data_set: DataSet) -> None:
    """Ask reviewers to publish it; DataSetError if it cannot be published, or is already."""
    locked = _lock_unless_withdrawn(data_set)
    if locked.published:
        raise DataSetError("It is published already.")
    _check_can_be_published(locked)
    DataSet.objects.filter(pk=data_set.pk).update(proposed=Now(), problem="")


def _lock_unless_withdrawn(data_set: DataSet) -> DataSet:
    unwithdrawn = DataSet.objects.filter(withdrawn__isnull=True).select_for_update(of=("self",), no_key=True)
    locked = unwithdrawn.filter(pk=data_set.pk).first()
    if locked is None:
        raise DataSetError("It is withdrawn. Make a new one.")
    return locked


def _check_can_be_published(data_set: DataSet) -> None:
    if obstacles := find_publication_obstacles(data_set):
        raise DataSetError(" ".join(obstacles))


@transaction.atomic
def publish_proposed_data_set(data_set: DataSet, reviewer: User) -> None:
    """Show a data set that its owner proposed to everybody; DataSetError if it cannot be. PermissionDenied."""
    check_may_review(reviewer)
    # Before the data set, in the order in which hiding a producer locks them; what is public now stays so until the
    # commit.
    list(Producer.objects.filter(data_sets=data_set).order_by("pk").select_for_update(no_key=True).values_list("pk"))
    locked = _lock_unless_withdrawn(data_set)
    if locked.proposed is None:
        raise DataSetError("It does not wait for a review.")
    _check_can_be_published(locked)
    DataSet.objects.filter(pk=data_set.pk).update(published=Now(), proposed=None, problem="")
    set_producers_public_or_hidden(Producer.objects.filter(pk=locked.producer_id), public=True)
    record_audit_event(AuditAction.DATA_SET_PUBLISHED, data_set, actor=reviewer, person=data_set.owner)


@transaction.atomic
def decline_proposed_data_set(data_set: DataSet, reviewer: User, note: str) -> None:
    """Leave it unpublished, with a note for its owner; DataSetError if it does not wait. PermissionDenied."""
    check_may_review(reviewer)
    waiting = DataSet.objects.filter(pk=data_set.pk, proposed__isnull=False)
    if not waiting.update(proposed=None, problem=f"Publication declined. {note}".strip()[:500]):
        raise DataSetError("It does not wait for a review.")
    record_audit_event(AuditAction.DATA_SET_DECLINED, data_set, reason=note, actor=reviewer, person=data_set.owner)


@transaction.atomic
def withdraw_data_set(data_set: DataSet, user: User) -> None:
    """Nobody sees it any more, and its annotations are deleted; DataSetError if it is withdrawn already."""
    if not record_withdrawals(withdraw_data_sets(DataSet.objects.filter(pk=data_set.pk)), user):
        raise DataSetError("It is withdrawn already.")


def record_withdrawals(withdrawn: Sequence[DataSet], user: User) -> int:
    """Record the withdrawal of these data sets in the audit trail, and return how many they are."""
    for data_set in withdrawn:
        record_audit_event(AuditAction.DATA_SET_WITHDRAWN, data_set, actor=user, person=data_set.owner)
    return len(withdrawn)
