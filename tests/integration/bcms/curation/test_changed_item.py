"""After a decision on one item the script gets that item alone, as the list shows it, if nothing else changed."""

import re

import pytest

from annotations.curation.models import Curation
from tests.integration.curation_cast import make_article_with_proposals

pytestmark = pytest.mark.django_db

ORGANISM = ("organisms", "organism", "key", "ncbitaxon:9606")
ENTITY = ("entities", "entity", "key", "uniprot:P12830")
MENTIONS = ("entities", "mention", "group", "ecadherin\tgene")
PAIR = ("interactions", "interaction", "key", "")


@pytest.fixture
def curation(as_alice, team):
    article = make_article_with_proposals(team)
    address = as_alice.post(f"/articles/{article.pmid}/curate/").url
    as_alice.get(address)
    return Curation.objects.get()


def find_key(curation, kind, name, key):
    candidates = curation.candidates.candidates.filter(kind=kind).order_by("position")
    if name == "group":
        first = candidates.first()
        return f"{first.group}\t{first.content['row'][5]}"
    return key or candidates.first().key


def decide(client, curation, item, action="accept", fragment="item", **changed):
    step, kind, name, key = item
    curation.refresh_from_db()
    query = f"?step={step}&kind={kind}&page=1&list={changed.pop('list', curation.candidates_id)}"
    values = {"seen": curation.revision, "token": f"token-{curation.revision:04}", "action": action, "kind": kind}
    values |= {name: find_key(curation, kind, name, key)} | changed
    return client.post(f"/curation/{curation.pk}/decide/{query}", values, headers={"X-Fragment": fragment})


def strip_drawn_values(html):
    """Without what is drawn anew for each answer, and the numbers of the rows that are parts of it."""
    html = re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"', "", html)
    return re.sub(r'name="token" value="[^"]*"', "", html)


def read_items(html):
    rows = re.findall(r'<li class="item.*?</li>', strip_drawn_values(html), re.DOTALL)
    return {re.search(r'data-key="([^"]*)"', row).group(1): row for row in rows}


def read_head(html):
    return re.search(r'<div class="list-head">.*?</form>', strip_drawn_values(html), re.DOTALL).group()


@pytest.mark.parametrize("action", ["accept", "reject", "skip"])
@pytest.mark.parametrize("item", [ORGANISM, ENTITY, MENTIONS, PAIR], ids=lambda item: item[1])
def test_it_is_as_in_the_whole_list(as_alice, curation, item, action):
    decide(as_alice, curation, ORGANISM)
    changed = decide(as_alice, curation, item, action, reason="other").content.decode()
    step, kind, _, _ = item
    whole = as_alice.get(f"/curation/{curation.pk}/?step={step}&kind={kind}&page=1").content.decode()
    assert 'data-changed="2"' in changed and read_head(changed) == read_head(whole)
    ((key, row),) = read_items(changed).items()
    assert row == read_items(whole)[key]


@pytest.mark.parametrize(
    "otherwise",
    [
        {"fragment": "1"},
        {"list": "0"},
        {"action": "undo"},
        {"key": ["uniprot:P12830", "uniprot:P35222"]},
    ],
    ids=["asked for the list", "other proposals", "undo", "two items"],
)
def test_otherwise_it_is_the_whole_list(as_alice, curation, otherwise):
    decide(as_alice, curation, ORGANISM)
    answer = decide(as_alice, curation, ENTITY, **otherwise)
    assert answer.status_code == 200
    assert "data-changed" not in answer.content.decode()
    assert len(read_items(answer.content.decode())) == 3


def test_a_decision_of_another_window_is_shown_with_the_whole_list(as_alice, curation):
    decide(as_alice, curation, ("entities", "entity", "key", "uniprot:P35222"))
    answer = decide(as_alice, curation, ENTITY, seen=0, token="other-window")
    assert answer.status_code == 200
    rows = read_items(answer.content.decode())
    assert "accepted" in rows["uniprot:P35222"] and "accepted" in rows["uniprot:P12830"]


def test_a_decision_that_is_sent_twice_is_stored_and_shown_once(as_alice, curation):
    decide(as_alice, curation, ENTITY)
    answer = decide(as_alice, curation, ENTITY, seen=0, token="token-0000")
    assert 'data-changed="1"' in answer.content.decode()
    assert curation.decisions.count() == 1


def test_what_was_decided_elsewhere_before_it_is_sent_again_is_shown_with_the_whole_list(as_alice, curation):
    decide(as_alice, curation, ENTITY)
    decide(as_alice, curation, ("entities", "entity", "key", "uniprot:P35222"))
    answer = decide(as_alice, curation, ENTITY, seen=0, token="token-0000")
    assert "accepted" in read_items(answer.content.decode())["uniprot:P35222"]
    assert curation.decisions.count() == 2


@pytest.mark.parametrize(("item", "queries"), [(ENTITY, 24), (MENTIONS, 28)], ids=lambda value: str(value))
def test_it_takes_a_fixed_number_of_queries(as_alice, curation, item, queries, django_assert_num_queries):
    decide(as_alice, curation, ORGANISM)
    with django_assert_num_queries(queries):
        decide(as_alice, curation, item)
