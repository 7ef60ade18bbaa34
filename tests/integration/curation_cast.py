"""Curators of an article that three servers read differently."""

from datetime import UTC, datetime, timedelta

from annotations.curation.contents import build_annotation_content
from annotations.curation.decisions import DecisionInput, ItemProposal, store_decision, undo_last_decision
from annotations.curation.models import Curation, DecidedItem
from annotations.curation.session import get_or_begin_curation, get_or_create_curator
from annotations.curation.states import DecisionAction, ItemKind
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from tests.integration.article_cast import create_known_genes, make_read_article, three_servers

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def make_article_with_proposals(team):
    """What three servers read, and an interaction with its method."""
    article = make_read_article()
    create_known_genes()
    store_proposals(team, article)
    return article


def store_proposals(team, article):
    """What three servers read in the article, and one of them an interaction with its method."""
    queues = three_servers(team, article)
    pair = AnnotationData(Kind.PAIR, 0.7, database="uniprot", identifier="P35222", partner="P12830")
    method = AnnotationData(Kind.METHOD, 0.4, database="psi-mi", identifier="MI:0018")
    store_results_superseding_earlier(article, queues[0].producer, {Kind.PAIR: [pair], Kind.METHOD: [method]})


def begin(user, article) -> Curation:
    return get_or_begin_curation(get_or_create_curator(user.pk, user.get_username()), article)


def propose_gene(identifier="P12830", producers=()):
    annotation = AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier=identifier)
    return propose(ItemKind.ENTITY, f"uniprot:{identifier}", annotation, producers)


def propose(kind, key, annotation, producers=()):
    return ItemProposal(kind, key, build_annotation_content(annotation), producers)


def decide(curation, action, *items, seen=None, token=None, reason="", seconds=0):
    """A decision by a page that shows the newest revision, so many seconds after noon."""
    known = Curation.objects.get(pk=curation.pk).revision
    given = DecisionInput(
        DecisionAction(action),
        known if seen is None else seen,
        token or f"token-{curation.decisions.count() + 1}",
        user=curation.curator.user_id,
        reason=reason,
        items=items,
    )
    now = NOON + timedelta(seconds=seconds)
    operation = undo_last_decision if action == "undo" else store_decision
    return operation(curation.pk, given, now)


def list_states(curation):
    """{key: state} of the current items."""
    rows = DecidedItem.objects.filter(curation=curation, superseded_by__isnull=True)
    return dict(rows.order_by("pk").values_list("key", "state"))
