"""The workspace: every decision works by a form alone, is shown at once, and keeps what it was made on."""

import re

import pytest

from annotations.curation.models import Curation, Decision
from annotations.identifiers.models import Entry
from bcms.curation import item_rows, workspace
from tests.integration.article_cast import read_page_words
from tests.integration.curation_cast import list_states, make_article_with_proposals

pytestmark = pytest.mark.django_db


@pytest.fixture
def article(team):
    return make_article_with_proposals(team)


@pytest.fixture
def curation(as_alice, article):
    response = as_alice.post(f"/articles/{article.pmid}/curate/")
    curation = Curation.objects.get()
    assert response.url == f"/curation/{curation.pk}/"
    as_alice.get(response.url)
    return curation


def send(client, curation, query="", fragment=True, **fields):
    curation.refresh_from_db()
    values = {"seen": curation.revision, "token": f"token-{curation.revision:04}"} | fields
    headers = {"X-Fragment": "1"} if fragment else {}
    return client.post(f"/curation/{curation.pk}/decide/{query}", values, headers=headers)


def test_it_walks_through_the_steps(as_alice, curation):
    words = read_page_words(as_alice.get(f"/curation/{curation.pk}/"))
    assert "Homo sapiens" in words and "3 servers" in words
    words = read_page_words(as_alice.get(f"/curation/{curation.pk}/?step=entities"))
    assert words.index("CDH1 Cadherin-1") < words.index("CTNNB1 Catenin beta-1") < words.index("Cdh1 Cadherin-1")
    words = read_page_words(as_alice.get(f"/curation/{curation.pk}/?step=interactions"))
    assert "CDH1 – CTNNB1" in words


def test_it_shows_the_text_with_positions_in_code_points(as_alice, curation):
    texts = [("title", "Ä & \U0001d6fd"), ("heading", "Results"), ("paragraph", '<b>"x"</b>')]
    curation.article.passages = [{"type": kind, "text": text} for kind, text in texts]
    curation.article.save(update_fields=["passages"])
    page = as_alice.get(f"/curation/{curation.pk}/").content.decode()
    assert '<h1 data-start="0">Ä &amp; \U0001d6fd</h1>\n<h2 data-start="6">Results</h2>\n' in page
    assert '<p data-start="14">&lt;b&gt;&quot;x&quot;&lt;/b&gt;</p>' in page


def test_a_step_begins_with_the_first_list_that_has_items(as_alice, curation):
    curation.refresh_from_db()
    curation.candidates.candidates.filter(kind="entity").delete()
    page = as_alice.get(f"/curation/{curation.pk}/?step=entities").content.decode()
    assert re.search(r'<a href="\?step=entities&amp;kind=mention" aria-current="page">', page)
    assert 'data-kind="mention"' in page
    words = read_page_words(as_alice.get(f"/curation/{curation.pk}/?step=entities&kind=entity"))
    assert "Servers propose nothing here." in words


def test_added_items_count_as_items_of_their_list(as_alice, curation):
    words = read_page_words(as_alice.get(f"/curation/{curation.pk}/?step=entities"))
    assert "Genes, proteins and other entities 0 of 3" in words
    added = send(as_alice, curation, "?step=entities", action="add", kind="entity", identifier="uniprot:P19022")
    assert "Genes, proteins and other entities 1 of 4" in read_page_words(added)


def test_it_decides_by_a_form_and_returns_to_the_list(as_alice, curation):
    response = send(
        as_alice, curation, "?step=entities&kind=entity", False, action="accept", kind="entity", key="uniprot:P12830"
    )
    assert response.url == f"/curation/{curation.pk}/?step=entities&kind=entity"
    assert list_states(curation) == {"uniprot:P12830": "accepted"}
    decision = Decision.objects.get()
    assert (len(decision.candidates.recipe["producers"]), decision.items.get().producers) == (
        3,
        sorted(decision.candidates.recipe["producers"]),
    )


def test_it_folds_the_genes_of_organisms_that_were_not_chosen(as_alice, curation):
    send(as_alice, curation, action="accept", kind="organism", key="ncbitaxon:9606")
    words = read_page_words(as_alice.get(f"/curation/{curation.pk}/?step=entities"))
    assert re.search(r"P09803 · Mus musculus · 1 server, confidence 0.40 · another organism", words)


def test_it_lists_genes_of_other_organisms_last_even_if_their_entries_became_known_later(as_alice, curation):
    mouse = Entry.objects.get(identifier="P09803")
    curation.refresh_from_db()
    for candidate in curation.candidates.candidates.filter(kind="entity"):
        candidate.content["row"][9] = None
        candidate.position += candidate.key != "uniprot:P09803"
        candidate.save()
    assert mouse.taxon == 10090
    send(as_alice, curation, action="accept", kind="organism", key="ncbitaxon:9606")
    words = read_page_words(as_alice.get(f"/curation/{curation.pk}/?step=entities"))
    assert words.index("CTNNB1 Catenin beta-1") < words.index("Cdh1 Cadherin-1") < words.index("another organism")


def test_it_lists_mentions_of_other_organisms_last(as_alice, curation):
    curation.refresh_from_db()
    mentions = curation.candidates.candidates.filter(kind="mention").order_by("position")
    first = mentions[0]
    words = first.content["row"][4]
    for candidate in mentions.filter(group=first.group):
        candidate.content["row"][6:8] = "uniprot", "P09803"
        candidate.save()
    address = f"/curation/{curation.pk}/?step=entities&kind=mention"
    assert list_titles(as_alice, address)[0] == words

    send(as_alice, curation, action="accept", kind="organism", key="ncbitaxon:9606")

    assert list_titles(as_alice, address)[-1] == words
    assert len(re.findall("another organism", read_page_words(as_alice.get(address)))) == 1
    group = f"{first.group}\t{first.content['row'][5]}"
    decided = send(as_alice, curation, "?step=entities&kind=mention", action="accept", kind="mention", group=group)
    assert "another organism" in read_page_words(decided)
    send(as_alice, curation, action="accept", kind="organism", key="ncbitaxon:10090")
    assert list_titles(as_alice, address)[0] == words


def test_a_corrected_link_decides_of_which_organism_a_mention_is(as_alice, curation):
    curation.refresh_from_db()
    for candidate in curation.candidates.candidates.filter(group="ecadherin"):
        candidate.content["row"][6:8] = "uniprot", "P09803"
        candidate.save()
    send(as_alice, curation, action="accept", kind="organism", key="ncbitaxon:9606")
    query = "?step=entities&kind=mention"
    fields = {"kind": "mention", "group": "ecadherin\tgene", "type": "gene"}
    assert "another organism" in read_page_words(send(as_alice, curation, query, action="accept", **fields))
    corrected = send(as_alice, curation, query, action="edit", identifier="uniprot:P12830", **fields)
    assert "another organism" not in read_page_words(corrected)
    assert "another organism" not in read_page_words(as_alice.get(f"/curation/{curation.pk}/{query}"))


def test_mentions_that_were_given_another_type_are_one_row_of_that_type(as_alice, curation):
    query = "?step=entities&kind=mention"
    titles = list_titles(as_alice, f"/curation/{curation.pk}/{query}")
    fields = {"kind": "mention", "group": "ecadherin\tgene", "type": "protein"}
    send(as_alice, curation, query, action="edit", identifier="", **fields)
    assert sorted(list_titles(as_alice, f"/curation/{curation.pk}/{query}")) == sorted(titles)
    missing = send(as_alice, curation, query, action="accept", kind="mention", group="ecadherin\tgene")
    assert "The item is no longer there" in read_page_words(missing)
    send(as_alice, curation, query, action="reject", kind="mention", group="ecadherin\tprotein", reason="other")
    assert list(list_states(curation).values()) == ["rejected", "rejected"]


def test_mentions_that_are_linked_to_a_gene_of_each_organism_stay(as_alice, curation):
    curation.refresh_from_db()
    mentions = curation.candidates.candidates.filter(kind="mention").order_by("position")
    for candidate in mentions.filter(group=mentions[0].group):
        candidate.content["row"][12] = ["uniprot:P09803", "uniprot:P12830"]
        candidate.save()
    send(as_alice, curation, action="accept", kind="organism", key="ncbitaxon:9606")
    page = as_alice.get(f"/curation/{curation.pk}/?step=entities&kind=mention")
    assert "another organism" not in read_page_words(page)


def list_titles(client, address):
    return re.findall(r'<div class="item-name"><strong>([^<]+)</strong>', client.get(address).content.decode())


def test_it_refuses_an_identifier_that_is_too_long(as_alice, curation):
    refused = send(as_alice, curation, action="add", kind="entity", identifier=f"ncbigene:{'1' * 500}")
    assert refused.status_code == 422
    assert "does not have the form of an identifier of NCBI Gene" in read_page_words(refused)


def test_it_separates_what_is_known_of_an_item(as_alice, curation):
    words = read_page_words(as_alice.get(f"/curation/{curation.pk}/?step=entities&kind=mention"))
    assert re.search(r"E-cadherin gene · 2 mentions · \d servers?, confidence 0\.\d\d ", words), words
    send(as_alice, curation, action="add", kind="entity", identifier="uniprot:P04637")
    words = read_page_words(as_alice.get(f"/curation/{curation.pk}/?step=entities"))
    assert "UniProt:P04637 · added by you" in words


def test_it_shows_a_long_list_in_pages(as_alice, curation, monkeypatch):
    monkeypatch.setattr(item_rows, "ROWS_PER_PAGE", 2)
    monkeypatch.setattr(workspace, "ROWS_PER_PAGE", 2)
    send(as_alice, curation, action="add", kind="entity", identifier="uniprot:P04637")
    pages = {
        number: re.findall(r'data-key="uniprot:(\w+)"', page.content.decode())
        for number in (1, 2, 3)
        if (page := as_alice.get(f"/curation/{curation.pk}/?step=entities&page={number}"))
    }
    assert pages == {1: ["P04637", "P12830"], 2: ["P35222", "P09803"], 3: []}
    mentions = [
        re.findall(r'data-key="([^"]+)"', page.content.decode())
        for number in (1, 2)
        if (page := as_alice.get(f"/curation/{curation.pk}/?step=entities&kind=mention&page={number}"))
    ]
    assert len(mentions[0]) == 2 and not set(mentions[0]) & set(mentions[1])


def test_it_decides_on_all_mentions_of_one_text_at_once(as_alice, curation):
    query = "?step=entities&kind=mention"
    send(as_alice, curation, query, action="reject", kind="mention", group="ecadherin\tgene", reason="other")
    assert list(list_states(curation).values()) == ["rejected", "rejected"]
    response = send(as_alice, curation, query, action="undo")
    assert list_states(curation) == {}
    assert response.status_code == 200


def test_it_corrects_an_identifier_and_says_what_is_wrong_with_another(as_alice, curation):
    edit = {"action": "edit", "kind": "entity", "key": "uniprot:P09803"}
    for text, problem in {
        "": "Enter an identifier",
        "P1": "not an identifier of a known database",
        "uniprot:P1": "does not have the form",
    }.items():
        response = send(as_alice, curation, **edit, identifier=text)
        assert (response.status_code, problem in response.content.decode()) == (422, True)
    send(as_alice, curation, **edit, identifier="uniprot:P12830")
    row = curation.items.get(superseded_by=None)
    assert (row.key, row.content["row"][7], row.state) == ("uniprot:P09803", "P12830", "accepted")


def test_it_adds_what_is_selected_in_the_text_everywhere(as_alice, curation):
    start = curation.article.text.index("moves")
    fields = {"start": start, "end": start + 5, "type": "Process", "everywhere": "1"}
    send(as_alice, curation, action="add", kind="mention", **fields)
    assert list_states(curation) == {f"{start}-{start + 5}:process": "accepted"}
    response = send(as_alice, curation, action="add", kind="mention", **fields | {"end": 10**6})
    assert response.status_code == 422


def test_it_completes_a_proposed_interaction(as_alice, curation):
    key = "interaction:uniprot:P12830|uniprot:P35222"
    details = as_alice.get(f"/curation/{curation.pk}/item/", {"kind": "interaction", "key": key})
    assert "E-cadherin (CDH1) binds beta-catenin." in read_page_words(details)
    span = re.search(r'value="(\d+-\d+)"> E-cadherin \(CDH1\)', details.content.decode())[1]
    send(
        as_alice,
        curation,
        action="edit",
        kind="interaction",
        key=key,
        participant=["uniprot:P12830", "uniprot:P35222"],
        name=["CDH1", ""],
        type="MI:0915",
        **{"method-1": "MI:0018", "evidence-1": [span], "figure-1": "Figure 1"},
    )
    content = curation.items.get().content["interaction"]
    assert [each["name"] for each in content["participants"]] == ["CDH1", "CTNNB1"]
    (passage,) = content["detections"][0]["evidence"]
    assert (passage["text"], passage["figure"]) == ("E-cadherin (CDH1) binds beta-catenin.", "Figure 1")


def test_it_warns_of_a_decision_in_another_window_and_stores_nothing(as_alice, curation):
    accept = {"action": "accept", "kind": "entity", "key": "uniprot:P12830"}
    send(as_alice, curation, **accept)
    response = send(as_alice, curation, **accept | {"action": "reject"}, seen=0, token="other-window")
    assert response.status_code == 409
    assert "decided in another window" in response.content.decode()
    assert list_states(curation) == {"uniprot:P12830": "accepted"}


def test_it_is_finished_and_opened_again(as_alice, curation):
    send(as_alice, curation, action="accept", kind="entity", key="uniprot:P12830")
    as_alice.post(f"/curation/{curation.pk}/finish/", {"seen": 1})
    curation.refresh_from_db()
    assert curation.state == "finished"
    as_alice.post(f"/curation/{curation.pk}/reopen/")
    curation.refresh_from_db()
    assert curation.state == "open"


def test_nobody_else_sees_it(client, carol, curation):
    client.force_login(carol)
    for address in ("", "item/?kind=entity&key=uniprot:P12830"):
        assert client.get(f"/curation/{curation.pk}/{address}").status_code == 404
    for address in ("decide", "finish", "reopen", "notes", "sight"):
        assert client.post(f"/curation/{curation.pk}/{address}/").status_code == 404


@pytest.mark.parametrize(
    ("query", "queries"),
    [
        ("organisms", 23),
        ("entities", 24),
        ("entities&kind=mention", 22),
        ("interactions", 24),
        ("check", 23),
    ],
)
def test_it_takes_a_fixed_number_of_queries(as_alice, curation, query, queries, django_assert_num_queries):
    send(as_alice, curation, action="accept", kind="organism", key="ncbitaxon:9606")
    with django_assert_num_queries(queries):
        as_alice.get(f"/curation/{curation.pk}/?step={query}")


def test_a_decision_takes_a_fixed_number_of_queries(as_alice, curation, django_assert_num_queries):
    send(as_alice, curation, action="accept", kind="organism", key="ncbitaxon:9606")
    with django_assert_num_queries(25):
        send(as_alice, curation, "?step=entities", action="accept", kind="entity", key="uniprot:P12830")


def test_a_revision_of_thousands_of_digits_is_no_revision(as_alice, curation):
    refused = send(as_alice, curation, seen="0" * 11 + "9" * 5000, action="undo")
    assert refused.status_code == 422
    assert "does not say which state of the record it shows" in read_page_words(refused)


def test_notes_have_as_many_characters_as_the_page_lets_one_type_and_longer_ones_are_refused(as_alice, curation):
    address, headers = f"/curation/{curation.pk}/notes/", {"X-Fragment": "1"}
    assert as_alice.post(address, {"notes": "a\r\n" * 10_000}, headers=headers).status_code == 204
    refused = as_alice.post(address, {"notes": "a" * 20_001}, headers=headers)
    assert (refused.status_code, refused.content) == (422, b"Notes have at most 20,000 characters.")
    curation.refresh_from_db()
    assert curation.notes == "a\n" * 10_000
