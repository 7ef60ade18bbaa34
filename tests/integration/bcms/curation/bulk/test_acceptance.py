"""A whole consensus is accepted by a rule, as one decision that is undone as one."""

import pytest

from annotations.curation.errors import CurationError
from annotations.curation.models import Curation
from annotations.curation.states import ItemKind
from annotations.results.models import Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from bcms.curation.bulk.acceptance import AcceptanceRule, accept_consensus
from tests.integration.article_cast import create_known_genes, make_read_article, three_servers
from tests.integration.curation_cast import NOON, begin, decide, list_states, propose, propose_gene
from tests.integration.project_cast import curate, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def curation(team, alice):
    article = make_read_article()
    create_known_genes()
    three_servers(team, article)
    return begin(alice, article)


def accept(curation, threshold, *kinds, seen=None, token="bulk", method="votes"):
    rule = AcceptanceRule(method, threshold, [ItemKind(kind) for kind in kinds])
    revision = Curation.objects.get(pk=curation.pk).revision if seen is None else seen
    return accept_consensus(curation, rule, revision, token, curation.curator.user_id, NOON)


def test_it_accepts_what_the_rule_keeps_and_undoes_it_as_one(curation):
    decision = accept(curation, 2.0, "entity", "mention")
    assert decision.reason == "At least m servers 2: entity, mention"
    assert decision.candidates.recipe["threshold"] == 2.0
    states = list_states(curation)
    assert {key for key in states if key.startswith("uniprot")} == {"uniprot:P12830", "uniprot:P35222"}
    assert len(states) == 2 + 4
    assert decision.items.get(key="uniprot:P35222").producers
    decide(curation, "undo")
    assert list_states(curation) == {}


def test_it_leaves_what_was_decided_by_hand(curation):
    decide(curation, "reject", propose_gene("P12830"))
    accept(curation, 1.0, "entity")
    assert list_states(curation)["uniprot:P12830"] == "rejected"
    assert list_states(curation)["uniprot:P35222"] == "accepted"


def test_it_accepts_genes_of_the_chosen_organisms_only(curation):
    genes = [
        AnnotationData(Kind.NORMALIZATION, 0.9, rank, database="uniprot", identifier=identifier, taxon=taxon)
        for rank, (identifier, taxon) in enumerate([("P12830", 9606), ("P09803", 10090)], 1)
    ]
    for producer in Producer.objects.filter(sort="server"):
        store_results_superseding_earlier(curation.article, producer, {Kind.NORMALIZATION: genes})
    human = AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="9606")
    decide(curation, "accept", propose(ItemKind.ORGANISM, "ncbitaxon:9606", human))
    accept(curation, 1.0, "entity")
    assert list_states(curation) == {"ncbitaxon:9606": "accepted", "uniprot:P12830": "accepted"}


def test_it_stores_a_request_that_is_sent_twice_once(curation):
    first = accept(curation, 1.0, "entity", seen=0)
    assert accept(curation, 1.0, "entity", seen=0) == first
    assert curation.decisions.count() == 1


def test_it_says_when_there_is_nothing_to_accept_or_the_rule_is_wrong(curation):
    accept(curation, 1.0, "entity")
    with pytest.raises(CurationError, match="not decided yet"):
        accept(curation, 1.0, "entity", token="second")
    with pytest.raises(CurationError, match="at least one kind"):
        accept(curation, 1.0, token="third")
    with pytest.raises(CurationError, match="threshold"):
        accept(curation, -1.0, "mention", token="fourth")
    with pytest.raises(CurationError, match="no consensus method"):
        accept(curation, 1.0, "mention", token="fifth", method="best")


def test_it_accepts_nothing_where_curators_work_without_help(olga, alice):
    project = make_project(olga, alice, help="none")
    curation = curate(project, alice, 101, "P12830", finish=False)
    with pytest.raises(CurationError, match="without what annotation servers propose"):
        accept(curation, 1.0, "entity")
