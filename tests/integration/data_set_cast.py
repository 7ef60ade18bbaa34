"""Four articles whose organisms three live servers report, and data sets of them."""

import pytest

from annotations.articles.models import Article
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from bcms.data_sets import building_job, publication
from bcms.data_sets.creation import create_data_set
from bcms.data_sets.recipes import RecipeInput
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.registry.models import Server
from tests.integration.evaluation_cast import make_corpus, make_server, species


def annotate(slug, identifiers_by_pmid):
    """The live organisms of a server."""
    producer = get_live_producer(slug)
    for pmid, identifiers in identifiers_by_pmid.items():
        store_results_superseding_earlier(Article.objects.get(pmid=pmid), producer, {Kind.TAXON: species(*identifiers)})


def get_live_producer(slug):
    return get_or_create_queue_and_producer(Server.objects.get(slug=slug), QueueMode.LIVE).producer


def make_annotated_corpus(team):
    """Two of the three servers agree on most organisms; nobody annotated 104."""
    corpus = make_corpus()
    for slug in ("one", "two", "three"):
        make_server(team, slug)
    annotate("one", {101: ["9606"], 102: ["10090", "9606"], 103: []})
    annotate("two", {101: ["9606"], 102: ["10090"], 103: ["7227"]})
    annotate("three", {101: ["4932"], 102: ["9606"]})
    return corpus


def make_recipe(corpus, **changes):
    values = {"name": "Organisms", "licence": "CC0-1.0", "kinds": [Kind.TAXON], "method": "votes", "corpus": corpus}
    return RecipeInput(**values | changes)


def build_data_set(owner, corpus, **changes):
    data_set = create_data_set(owner, make_recipe(corpus, **changes))
    assert building_job.build_slice_unless_busy(data_set.pk) == "built"
    data_set.refresh_from_db()
    return data_set


def publish_data_set(data_set, reviewer):
    publication.propose_data_set(data_set)
    publication.publish_proposed_data_set(data_set, reviewer)
    data_set.refresh_from_db()


@pytest.fixture
def corpus(team):
    return make_annotated_corpus(team)


@pytest.fixture
def staff(django_user_model):
    return django_user_model.objects.create_user("staff", "staff@example.org", is_staff=True)
