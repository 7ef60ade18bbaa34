"""Create data sets, within the quota of an account, and rebuild what has changed since."""

from datetime import timedelta

from celery import current_app
from django.contrib.auth.models import AbstractBaseUser, User
from django.db import transaction
from django.utils import timezone

from annotations.data_sets.models import DataSet, DataSetState
from annotations.results.models import Producer
from bcms.data_sets.articles import MOST_ARTICLES, format_search, list_articles_of_corpus_or_search
from bcms.data_sets.errors import DataSetError
from bcms.data_sets.recipes import RecipeInput, build_weights, find_sources
from bcms.lib.text import clip_text_replacing_unprintable, replace_unstorable_characters
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event

# By name, as bcms/tasks.py imports the modules of this folder.
BUILD_TASK = "bcms.tasks.build_data_set_requeueing_unless_busy"
LONGEST_NAME = 100
# The quota of an account: data sets that are neither withdrawn nor published, and new ones in 24 hours.
MOST_UNPUBLISHED = 5
MOST_PER_DAY = 10
# Producers of other types do not begin so: nobody takes a consensus for a server of its name.
PRODUCER_PREFIX = "Consensus: "


@transaction.atomic
def create_data_set(owner: AbstractBaseUser, recipe: RecipeInput) -> DataSet:
    """Store the recipe, and let a worker build the data set; DataSetError with the field that is wrong."""
    # One at a time for an account, so that none exceeds its quota.
    User.objects.select_for_update(no_key=True).get(pk=owner.pk)
    _check_quota(owner)
    if not recipe.kinds:
        raise DataSetError("Choose at least one kind of annotation.", "kinds")
    if (recipe.corpus is None) == (not recipe.search):
        raise DataSetError("Choose either a corpus or a search.", "corpus")
    search = format_search(recipe.search) if recipe.search else ""
    _check_number_of_articles(owner, recipe, search)
    sources = find_sources(owner, recipe)
    name = clip_text_replacing_unprintable(" ".join(recipe.name.split()), LONGEST_NAME)
    producer = Producer.objects.create(sort=Producer.Type.CONSENSUS, name=f"{PRODUCER_PREFIX}{name}")
    data_set = DataSet.objects.create(
        producer=producer,
        owner_id=owner.pk,
        name=name,
        description=replace_unstorable_characters(recipe.description),
        licence=recipe.licence,
        corpus=recipe.corpus,
        search=search,
        kinds=list(dict.fromkeys(kind.value for kind in recipe.kinds)),
        method=recipe.method,
        threshold=recipe.threshold,
        spans=recipe.spans,
        match=recipe.match,
        weights=build_weights(recipe, sources),
    )
    data_set.sources.set(sources.values())
    record_audit_event(AuditAction.DATA_SET_CREATED, data_set, actor=owner, person=owner)
    enqueue_building_after_commit(data_set.pk)
    return data_set


def _check_quota(owner: AbstractBaseUser) -> None:
    own = DataSet.objects.filter(owner=owner.pk)
    if own.filter(withdrawn__isnull=True, published__isnull=True).count() >= MOST_UNPUBLISHED:
        raise DataSetError(f"An account can have {MOST_UNPUBLISHED} unpublished data sets. Withdraw one first.")
    if own.filter(created__gte=timezone.now() - timedelta(days=1)).count() >= MOST_PER_DAY:
        raise DataSetError(f"An account can create {MOST_PER_DAY} data sets in 24 hours. Try again tomorrow.")


def _check_number_of_articles(owner: AbstractBaseUser, recipe: RecipeInput, search: str) -> None:
    field = "corpus" if recipe.corpus else "search"
    articles = list_articles_of_corpus_or_search(owner, recipe.corpus, search)
    number = articles.values("pk")[: MOST_ARTICLES + 1].count()
    if not number:
        raise DataSetError("It has no articles that everybody sees. Choose another one.", field)
    if number > MOST_ARTICLES:
        raise DataSetError(f"A data set has at most {MOST_ARTICLES:,} articles. Choose fewer.", field)


@transaction.atomic
def update_outdated_data_set(data_set: DataSet) -> None:
    """Let a worker rebuild the articles that have changed; DataSetError unless it is outdated or failed."""
    states = (DataSetState.OUTDATED, DataSetState.FAILED)
    outdated = DataSet.objects.filter(pk=data_set.pk, state__in=states)
    if not outdated.update(state=DataSetState.BUILDING, problem="", total=0, done=0, tries=0):
        raise DataSetError("Nothing has changed since it was built, or it is being built.")
    enqueue_building_after_commit(data_set.pk)


def enqueue_building_after_commit(data_set_id: int) -> None:
    """If the message is lost, the next sweep enqueues it again."""
    transaction.on_commit(lambda: current_app.send_task(BUILD_TASK, [data_set_id]), robust=True)
