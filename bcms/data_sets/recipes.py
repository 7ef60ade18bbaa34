"""The recipe of a data set as its owner gives it, and the checks of each part."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from annotations.articles.models import Corpus
from annotations.data_sets.models import Licence
from annotations.results.consensus.methods import (
    WEIGHTS_PARAMETER,
    ConsensusRuleError,
    MentionMatching,
    SpanMatching,
    make_consensus_rule,
)
from annotations.results.models import Producer
from annotations.schema import Kind
from bcms.consensus.parameters import parse_server_weights
from bcms.data_sets.errors import DataSetError
from evaluation.visibility import list_visible_producers
from servers.calls.states import QueueMode
from servers.teams.permissions import User

# Two sets of answers of each are counted in the bits of a number (evaluation/agreement/answer_counts.py).
MOST_SOURCES = 25


@dataclass(frozen=True, slots=True)
class RecipeInput:
    """A recipe as text and numbers. servers: slugs, whose live annotations vote; producers: ids of further ones.

    Without either, all accepted servers vote. weights: as in `genedict:2,17:0.5`, by slug or id.
    """

    name: str
    licence: Licence
    kinds: Sequence[Kind]
    method: str
    description: str = ""
    corpus: Corpus | None = None
    search: str = ""
    servers: Collection[str] = ()
    producers: Collection[int] = ()
    threshold: float | None = None
    spans: SpanMatching = SpanMatching.STRICT
    match: MentionMatching = MentionMatching.POSITION
    weights: str = ""


def list_possible_sources(user: User) -> QuerySet[Producer]:
    """The servers and runs whose annotations the user sees; never a gold standard, a curator or another data set."""
    sorts = (Producer.Type.SERVER, Producer.Type.RUN)
    return list_visible_producers(user, with_unreviewed=True).filter(sort__in=sorts)


def find_sources(user: User, recipe: RecipeInput) -> dict[str, Producer]:
    """The producers that vote, by the slug or id that names each in the recipe; DataSetError for an unknown one."""
    possible = list_possible_sources(user)
    live = possible.filter(queue__mode=QueueMode.LIVE).select_related("queue__server")
    if not recipe.servers and not recipe.producers:
        chosen = live.filter(public=True)
    else:
        chosen = live.filter(queue__server__slug__in=[slug.replace("\0", "") for slug in recipe.servers])
    sources = {producer.queue.server.slug: producer for producer in chosen.order_by("name", "pk")}
    if unknown := sorted(set(recipe.servers) - set(sources)):
        raise DataSetError(f'There is no server "{unknown[0][:50]}" with annotations that you can see.', "servers")
    further = {str(producer.pk): producer for producer in possible.filter(pk__in=recipe.producers).order_by("pk")}
    if lost := sorted(set(map(str, recipe.producers)) - set(further)):
        raise DataSetError(
            f"There is no producer {lost[0]} that you can see. Only servers and runs vote in a consensus.", "producers"
        )
    _check_sources(sources | further)
    return sources | further


def _check_sources(sources: Mapping[str, Producer]) -> None:
    if not sources:
        raise DataSetError("Choose at least one server or producer whose annotations you can see.", "servers")
    if len(sources) > MOST_SOURCES:
        raise DataSetError(f"Choose at most {MOST_SOURCES} servers and producers.", "servers")
    servers = [producer.server or -producer.pk for producer in sources.values()]
    twice = next((own for own in sources.values() if servers.count(own.server or -own.pk) > 1), None)
    if twice is not None or len({own.pk for own in sources.values()}) < len(sources):
        raise DataSetError(
            "A server has one vote: choose its live annotations or those of one phase, not both.", "producers"
        )


def build_weights(recipe: RecipeInput, sources: Mapping[str, Producer]) -> dict[str, float]:
    """{id of a source as text: its weight}, after a check of the whole rule; DataSetError if it is invalid."""
    try:
        by_name = parse_server_weights(recipe.weights)
        rule = make_consensus_rule(
            recipe.method, recipe.threshold, spans=recipe.spans, weights=dict(enumerate(by_name.values()))
        )
    except ConsensusRuleError as error:
        raise DataSetError(str(error), error.parameter) from error
    if unknown := sorted(set(by_name) - set(sources)):
        raise DataSetError(f'The weight of "{unknown[0][:50]}" is of no chosen server or producer.', "weights")
    if not rule.method.has_parameter(WEIGHTS_PARAMETER):
        return {}
    return {str(sources[name].pk): weight for name, weight in by_name.items()}
