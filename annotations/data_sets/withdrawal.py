"""Withdraw data sets: nobody sees them any more, and a worker deletes their annotations."""

from collections.abc import Collection

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now

from annotations.data_sets.models import DataSet, DataSetArticle, DataSetState
from annotations.results.models import Producer, Result
from annotations.results.producers import set_producers_public_or_hidden

DELETED_BATCH = 2000


@transaction.atomic
def withdraw_data_sets(data_sets: QuerySet[DataSet]) -> list[DataSet]:
    """Withdraw those that are not withdrawn yet, and return them. What they had published is hidden at once."""
    locked = list(data_sets.filter(withdrawn__isnull=True).select_for_update(of=("self",), no_key=True).order_by("pk"))
    keys = [each.pk for each in locked]
    DataSet.objects.filter(pk__in=keys).update(
        state=DataSetState.WITHDRAWN, withdrawn=Now(), published=None, proposed=None, problem="", sizes={}, agreement=[]
    )
    producers = Producer.objects.filter(pk__in=[each.producer_id for each in locked])
    set_producers_public_or_hidden(producers, public=False)
    return locked


def withdraw_data_sets_of_sources(producer_keys: Collection[int]) -> list[DataSet]:
    """Withdraw the data sets that were made from any of these producers, whose annotations are about to be deleted."""
    made_from = DataSet.sources.through.objects.filter(producer__in=producer_keys)
    return withdraw_data_sets(DataSet.objects.filter(pk__in=made_from.values("dataset")))


def delete_annotations_of_withdrawn_data_sets() -> int:
    """Delete a batch of the Results of withdrawn data sets; returns how many, 0 when nothing is left to do.

    Those that were public stay until the versions of their articles are raised, for which their Results are needed.
    """
    withdrawn = DataSet.objects.filter(withdrawn__isnull=False, producer__raised_to__isnull=True)
    producers = list(withdrawn.filter(Exists(Result.objects.filter(producer=OuterRef("producer")))).values("producer"))
    results = Result.objects.filter(producer__in=[each["producer"] for each in producers])
    keys = list(results.order_by("pk").values_list("pk", flat=True)[:DELETED_BATCH])
    Result.objects.filter(pk__in=keys).delete()
    if not keys:
        DataSetArticle.objects.filter(data_set__in=withdrawn.values("pk")).delete()
    return len(keys)
