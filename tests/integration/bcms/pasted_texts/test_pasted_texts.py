"""Pasting a text: which servers are named and get it, what they send, and what its author sees of it."""

import re

import pytest
from django.urls import reverse

from servers.calls import loop
from servers.calls.models import Attempt, Queue
from servers.pasted_texts.annotation import build_sample
from servers.pasted_texts.models import PastedCallState, PastedText, PastedTextCall
from servers.registry.models import Server
from tests.integration.pasted_text_cast import MENTION, NORMALIZATION, TEXT, TITLE

pytestmark = pytest.mark.django_db


def read(response) -> str:
    return " ".join(response.content.decode().split())


def test_it_names_the_servers_that_get_the_text_and_their_teams(as_carol, receiving, second):
    page = read(as_carol.get(reverse("annotate")))
    for server in (receiving, second):
        assert f'name="servers" value="{server.slug}" checked> {server.name}, run by Team Alpha</label>' in page


@pytest.mark.parametrize(
    "fields",
    [
        {"accepts_pasted_texts": False},
        {"state": "offline"},
        {"state": "halting"},
        {"review": "unreviewed"},
        {"review": "private"},
    ],
)
def test_it_offers_no_server_that_does_not_take_texts_now(as_carol, send, receiving, fields):
    Server.objects.update(**fields)
    assert "No server takes pasted texts" in read(as_carol.get(reverse("annotate")))
    refused = send()
    assert refused.status_code == 422
    assert not PastedText.objects.exists()


def test_it_offers_no_server_whose_queue_rests_or_is_held(as_carol, receiving):
    for changes in ({"held": True}, {"held": False, "state": "resting", "rest_until": "2999-01-01T00:00Z"}):
        Queue.objects.update(**changes)
        assert "No server takes pasted texts" in read(as_carol.get(reverse("annotate")))


def test_members_of_the_team_may_send_texts_to_a_server_that_is_not_reviewed(as_alice, as_carol, receiving):
    Server.objects.update(review="unreviewed")
    assert 'value="genedict"' in read(as_alice.get(reverse("annotate")))
    assert 'value="genedict"' not in read(as_carol.get(reverse("annotate")))


def test_it_sends_the_text_to_the_chosen_servers_alone_and_draws_their_answers(
    as_carol, send, receiving, second, annotator
):
    sent = send("genedict")
    key = sent.url.split("/")[-2]
    assert sent.url == reverse("pasted-text", args=[key])
    for server in (receiving, second):
        loop.run_slices_if_slot_and_lease_free(server.pk)
    (asked,) = annotator.asked
    assert asked["title"] == TITLE and asked["abstract"] == "In mouse cells, CDH1 was lost.\nZyxelgenin was not."
    assert asked["id"].startswith("text-") and key not in str(asked)
    page = read(as_carol.get(sent.url))
    assert "GeneDict</a> <span" in page and "SpeciesDict" not in page
    assert re.search(r'<h1 data-visit>Zyxelgenin binds <a class="mark" id="m17-21"[^>]*>CDH1</a></h1>', page)
    assert re.search(r'<span class="chip good">answered in [^<]+: 1 annotation</span>', page)


def test_the_first_line_of_a_text_without_a_title_is_sent_as_the_title(send, receiving, annotator):
    send(title="", text="  CDH1 binds. \r\n\r\n Here it is lost. ")
    assert build_sample(PastedText.objects.get()).text == "CDH1 binds.\nHere it is lost."
    loop.run_slices_if_slot_and_lease_free(receiving.pk)
    assert (annotator.asked[0]["title"], annotator.asked[0]["abstract"]) == ("CDH1 binds.", "Here it is lost.")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"text": " \n "}, "Paste the text that you want to have annotated."),
        ({"text": "a\x07b"}, "The text contains a control character."),
        ({"title": "a\u200bb"}, "The text contains an invisible character."),
        ({"text": "ab " * 20_000}, "The text has 59,999 characters, but at most 50,000 are sent. Paste a part."),
        ({"servers": []}, "Choose at least one server."),
        ({"servers": ["genedict", "elsewhere"]}, "A server that you chose does not take pasted texts any more"),
    ],
)
def test_it_refuses_what_it_cannot_send_and_stores_nothing(send, changes, message):
    refused = send(**changes)
    assert refused.status_code == 422
    assert message in read(refused)
    assert not PastedText.objects.exists()


def test_it_shows_what_is_wrong_with_an_answer_and_keeps_the_rest(send, receiving, annotator, as_carol):
    wrong = {"offset": 400, "section": "title", "mention": "<script>CDH1</script>"}
    annotator.behave = lambda sent: {"mentions": [MENTION, wrong]}
    sent = send()
    loop.run_slices_if_slot_and_lease_free(receiving.pk)
    page = read(as_carol.get(sent.url))
    assert re.search(r'<span class="chip warn">answered in [^<]+: 1 annotation, 1 error</span>', page)
    assert "Errors in the answer" in page and "What has an error is left out." in page
    assert "<script>CDH1" not in page


def test_it_names_no_address_of_a_server_that_fails(send, receiving, as_carol):
    Server.objects.update(url="http://127.0.0.1:9/hidden")
    sent = send()
    loop.run_slices_if_slot_and_lease_free(receiving.pk)
    page = read(as_carol.get(sent.url))
    assert '<span class="chip bad">no answer: the server could not be reached</span>' in page
    assert "hidden/" not in page and "127.0.0.1:9" not in page


def test_it_sends_no_text_that_is_too_long_for_a_server(send, receiving, as_carol, annotator):
    Server.objects.update(largest_text=20)
    sent = send()
    loop.run_slices_if_slot_and_lease_free(receiving.pk)
    assert "not sent: it takes at most 20 characters" in read(as_carol.get(sent.url))
    assert annotator.asked == []


def test_a_server_that_takes_no_texts_any_more_gets_none_that_waits(pasted, receiving, annotator, as_carol):
    Server.objects.update(review="declined")
    loop.run_slices_if_slot_and_lease_free(receiving.pk)
    assert annotator.asked == []
    page = read(as_carol.get(reverse("pasted-text", args=[pasted.key])))
    assert "not sent: the server does not take pasted texts any more" in page


def test_a_call_whose_worker_crashed_ends(pasted, receiving, annotator):
    PastedTextCall.objects.update(state=PastedCallState.ASKING)
    loop.run_slices_if_slot_and_lease_free(receiving.pk)
    assert PastedTextCall.objects.get().failure == "interrupted"
    assert annotator.asked == []


def test_it_counts_texts_as_calls_of_the_minute(send, receiving, annotator):
    Server.objects.update(calls_per_minute=1)
    send()
    send()
    loop.run_slices_if_slot_and_lease_free(receiving.pk)
    assert len(annotator.asked) == 1
    assert not Attempt.objects.exists()


def test_the_live_part_comes_when_something_changed(as_carol, pasted, receiving):
    page = as_carol.get(reverse("pasted-text", args=[pasted.key]))
    version = re.search(r'data-version="(\w+)"', page.content.decode())[1]
    live = reverse("pasted-text-live", args=[pasted.key])
    assert as_carol.get(live, {"v": version}).status_code == 204
    loop.run_slices_if_slot_and_lease_free(receiving.pk)
    changed = as_carol.get(live, {"v": version})
    assert changed.status_code == 200
    assert 'id="m17-21"' in changed.content.decode() and "data-settled" in changed.content.decode()


def test_a_reader_can_choose_a_mention(as_carol, annotated):
    page = read(as_carol.get(reverse("pasted-text", args=[annotated.key]), {"mention": "17-21"}))
    assert "annotated by 1 of 1 servers: GeneDict" in page


def test_the_number_of_queries_does_not_depend_on_servers_and_annotations(
    send, receiving, second, as_carol, annotator, django_assert_num_queries
):
    sent = send("genedict", "speciesdict")
    with django_assert_num_queries(5):
        as_carol.get(sent.url)
    annotator.behave = lambda sent: {"mentions": [MENTION], "normalizations": [NORMALIZATION]}
    loop.run_slices_if_slot_and_lease_free(receiving.pk)
    with django_assert_num_queries(8):
        as_carol.get(sent.url, {"mention": "17-21"})
    annotator.behave = lambda sent: {"taxons": [{"taxid": 9606}, {"taxid": 10090}]}
    loop.run_slices_if_slot_and_lease_free(second.pk)
    with django_assert_num_queries(8):
        as_carol.get(sent.url, {"mention": "17-21"})
    live = reverse("pasted-text-live", args=[PastedText.objects.get().key])
    with django_assert_num_queries(7):
        version = as_carol.get(live, {"v": "other"}).context["page"].version
    with django_assert_num_queries(4):
        as_carol.get(live, {"v": version})


def test_the_form_lists_the_texts_of_a_day(as_carol, annotated):
    page = read(as_carol.get(reverse("annotate")))
    assert f'<a href="{reverse("pasted-text", args=[annotated.key])}">{TITLE}</a>' in page
    assert TEXT not in page
