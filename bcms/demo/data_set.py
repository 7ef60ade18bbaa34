"""Simulate what the demo's people do for its data set: create it once the servers are ready, propose and publish it."""

import logging

from django.contrib.auth.models import User

from annotations.articles.models import Corpus
from annotations.data_sets.models import DataSet, DataSetState, Licence
from annotations.schema import Kind
from bcms.data_sets.creation import create_data_set
from bcms.data_sets.errors import DataSetError
from bcms.data_sets.publication import propose_data_set, publish_proposed_data_set
from bcms.data_sets.recipes import RecipeInput
from servers.calls.models import Call
from servers.calls.states import OPEN_CALLS, QueueMode

OWNER, REVIEWER = "alice", "olga"
NAME = "Genes, diseases and chemicals of the reading articles"
DESCRIPTION = (
    "A silver standard: mentions and relations that two annotation servers report at the same position. Nobody has "
    "checked it, and servers that share a dictionary make the same mistakes."
)
# Independent ones: those that annotate titles alone have the dictionaries of the others.
SOURCES = (
    *("mention-patterns", "gene-dictionary", "disease-dictionary"),
    *("chemical-dictionary", "relation-triggers", "mesh-labels"),
)
log = logging.getLogger(__name__)


def advance_demo_data_set() -> bool:
    """Take the next step that is possible now; returns False once it is published, or cannot be."""
    data_set = DataSet.objects.filter(name=NAME, owner__username=OWNER).first()
    try:
        if data_set is None:
            return has_open_source_calls() or bool(_create_demo_data_set())
        if data_set.state == DataSetState.CURRENT and not data_set.published:
            propose_data_set(data_set)
            publish_proposed_data_set(data_set, User.objects.get(username=REVIEWER))
    except DataSetError as error:
        log.warning("The demo's data set is not published: %s", error)
        return False
    return data_set.state == DataSetState.BUILDING


def has_open_source_calls() -> bool:
    """Whether a server of the demo still annotates what readers see."""
    live = Call.objects.filter(queue__mode=QueueMode.LIVE, queue__server__slug__in=SOURCES)
    return live.filter(state__in=sorted(OPEN_CALLS)).exists()


def _create_demo_data_set() -> DataSet:
    recipe = RecipeInput(
        name=NAME,
        description=DESCRIPTION,
        licence=Licence.CC0,
        kinds=(Kind.MENTION, Kind.RELATION),
        corpus=Corpus.objects.get(slug="reading"),
        servers=SOURCES,
        method="votes",
        threshold=2,
    )
    return create_data_set(User.objects.get(username=OWNER), recipe)
