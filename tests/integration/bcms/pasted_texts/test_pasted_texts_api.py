"""Pasted texts by REST: the same people, servers and limits as on the pages."""

import pytest
from allauth.account.models import EmailAddress

from servers.calls import loop
from servers.pasted_texts.models import PastedText
from servers.registry.models import Server
from tests.integration.pasted_text_cast import MENTION, NORMALIZATION, TEXT, TITLE

pytestmark = pytest.mark.django_db
URL = "/api/v1/pasted-texts/"


@pytest.fixture
def send_by_rest(as_carol, receiving):
    def send(**changes):
        fields = {"title": TITLE, "text": TEXT, "servers": ["genedict"]} | changes
        return as_carol.post(URL, fields, content_type="application/json")

    return send


def test_it_names_the_servers_that_take_texts(as_carol, receiving, second):
    listed = as_carol.get(f"{URL}servers/").json()["results"]
    assert listed == [
        {"slug": "genedict", "name": "GeneDict", "team": "Team Alpha"},
        {"slug": "speciesdict", "name": "SpeciesDict", "team": "Team Alpha"},
    ]
    Server.objects.filter(slug="genedict").update(accepts_pasted_texts=False)
    assert as_carol.get(f"{URL}servers/").json()["count"] == 1


def test_a_text_is_sent_to_the_named_servers_alone_and_read_and_deleted(
    as_carol, send_by_rest, receiving, second, annotator
):
    annotator.behave = lambda sent: {"mentions": [MENTION], "normalizations": [NORMALIZATION]}
    sent = send_by_rest()
    assert sent.status_code == 201
    entry = sent.json()
    url = f"{URL}{entry['key']}/"
    waiting = as_carol.get(url).json()
    assert waiting["open"] and [each["state"] for each in waiting["servers"]] == ["waiting"]
    for server in (receiving, second):
        loop.run_slices_if_slot_and_lease_free(server.pk)
    assert len(annotator.asked) == 1
    read = as_carol.get(url).json()
    assert not read["open"] and read["expires"] == entry["expires"]
    assert read["text"] == f"{TITLE}\nIn mouse cells, CDH1 was lost.\nZyxelgenin was not."
    [answer] = read["servers"]
    assert (answer["server"], answer["state"], answer["open"]) == ("genedict", "answered", False)
    assert answer["status"].endswith(": 2 annotations") and answer["broken_rules"] == []
    mention, normalization = answer["annotations"]
    assert (mention["kind"], mention["start"], mention["end"], mention["text"]) == ("mention", 17, 21, "CDH1")
    assert (normalization["kind"], normalization["identifier"]) == ("normalization", "P12830")
    assert [each["key"] for each in as_carol.get(URL).json()["results"]] == [entry["key"]]
    assert as_carol.delete(url).status_code == 204
    assert as_carol.get(url).status_code == 404 and not PastedText.objects.exists()


def test_an_answer_with_errors_names_them(as_carol, send_by_rest, receiving, annotator):
    wrong = {"offset": 400, "section": "title", "mention": "CDH1"}
    annotator.behave = lambda sent: {"mentions": [MENTION, wrong]}
    key = send_by_rest().json()["key"]
    loop.run_slices_if_slot_and_lease_free(receiving.pk)
    [answer] = as_carol.get(f"{URL}{key}/").json()["servers"]
    assert len(answer["annotations"]) == answer["broken_rule_count"] == 1
    assert set(answer["broken_rules"][0]) == {"code", "where", "message"}


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({"text": " \n "}, "text", "may not be blank"),
        ({"text": "a\x07b"}, "text", "The text contains a control character."),
        ({"text": "ab " * 20_000}, "text", "The text has 59,999 characters, but at most 50,000 are sent."),
        ({"title": "x" * 501}, "title", "500"),
        ({"servers": []}, "servers", "may not be empty"),
        ({"servers": "genedict"}, "servers", "list"),
        ({"servers": ["genedict", "elsewhere"]}, "servers", "A server that you chose does not take pasted texts any"),
    ],
)
def test_it_refuses_what_it_cannot_send_and_stores_nothing(send_by_rest, changes, field, message):
    refused = send_by_rest(**changes)
    assert refused.status_code == 400
    assert field in refused.content.decode() and message in refused.content.decode()
    assert not PastedText.objects.exists()


def test_an_account_without_a_confirmed_address_sends_none(send_by_rest, carol):
    EmailAddress.objects.filter(user=carol).update(verified=False)
    assert send_by_rest().status_code == 403
    assert not PastedText.objects.exists()


def test_an_account_waits_for_three_texts_by_page_and_rest(send_by_rest, send):
    assert (send_by_rest().status_code, send_by_rest().status_code, send().status_code) == (201, 201, 302)
    refused = send_by_rest()
    assert refused.status_code == 409 and "Wait for their answers, or delete one." in refused.json()["detail"]
    assert PastedText.objects.count() == 3


def test_an_account_sends_so_many_texts_in_an_hour_by_page_and_rest(send_by_rest, send, settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "paste_text": "2/h/user"}
    assert (send().status_code, send_by_rest().status_code) == (302, 201)
    refused = send_by_rest()
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "180")
    assert PastedText.objects.count() == 2


def test_nobody_else_sees_or_deletes_it(client, annotated, alice, django_user_model):
    url = f"{URL}{annotated.key}/"
    assert [client.get(URL).status_code, client.get(url).status_code, client.delete(url).status_code] == [401] * 3
    staff = django_user_model.objects.create_superuser("staff", "staff@example.org", "a-long-password")
    for user in (alice, staff):
        client.force_login(user)
        assert client.get(URL).json()["count"] == 0
        assert [client.get(url).status_code, client.delete(url).status_code] == [404, 404]
    assert PastedText.objects.exists()


def test_no_cache_keeps_it(as_carol, annotated):
    for url in (URL, f"{URL}{annotated.key}/"):
        assert "no-store" in as_carol.get(url).headers["Cache-Control"]


def test_the_number_of_queries_does_not_depend_on_servers(
    as_carol, send_by_rest, receiving, second, django_assert_max_num_queries
):
    key = send_by_rest(servers=["genedict", "speciesdict"]).json()["key"]
    for server in (receiving, second):
        loop.run_slices_if_slot_and_lease_free(server.pk)
    with django_assert_max_num_queries(6):
        as_carol.get(f"{URL}{key}/")
