"""Reviewers suggest organisms, entities and methods; the author adds them to the record with one button."""

import pytest

from annotations.curation.contents import read_content_sources
from annotations.curation.manuscripts.models import ManuscriptComment
from annotations.curation.manuscripts.progress import add_comment
from annotations.curation.manuscripts.states import LinkRole
from annotations.curation.models import DecidedItem, Decision
from annotations.digital_abstract import Origin, Source
from annotations.identifiers.models import Entry
from tests.integration.article_cast import create_known_genes, read_page_words
from tests.integration.curation_cast import list_states
from tests.integration.manuscript_cast import open_as, submit

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def known_genes(db):
    create_known_genes()


def suggest(client, manuscript, identifier, text=""):
    fields = {"name": "R. Two", "text": text, "identifier": identifier}
    return client.post(f"/manuscripts/{manuscript.pk}/comment/", fields)


def take_over(client, curation, comment, token="token-0001"):
    fields = {"action": "add", "kind": "entity", "seen": curation.revision, "token": token, "comment": comment}
    return client.post(f"/curation/{curation.pk}/decide/", fields)


def open_workspace(author, manuscript):
    return author.get(f"/curation/{manuscript.curation_id}/")


def test_the_author_adds_what_a_reviewer_suggests(author, reviewer, manuscript):
    assert suggest(reviewer, manuscript, "uniprot:P12830", "It is in figure 2.").status_code == 302
    shown = open_workspace(author, manuscript)
    assert "It is in figure 2. Suggests CDH1 UniProt:P12830" in read_page_words(shown)
    assert b"Add to the record" in shown.content

    assert take_over(author, manuscript.curation, ManuscriptComment.objects.get().pk).status_code == 302

    assert list_states(manuscript.curation) == {"uniprot:P12830": "accepted"}
    assert Decision.objects.get().user is None
    assert read_content_sources(DecidedItem.objects.get().content) == (Source("a reviewer", Origin.REVIEWER),)
    shown = author.get(f"/curation/{manuscript.curation_id}/?step=entities")
    assert "taken over from a reviewer" in read_page_words(shown)
    assert b"Add to the record" not in shown.content
    assert "P12830 in the record" in read_page_words(reviewer.get(f"/manuscripts/{manuscript.pk}/"))


def test_it_says_what_is_wrong_and_keeps_what_was_typed(reviewer, manuscript):
    refused = suggest(reviewer, manuscript, "uniprot:12", "It is in figure 2.")
    assert refused.status_code == 422
    assert "does not have the form of an identifier of UniProt" in read_page_words(refused)
    assert b'value="uniprot:12"' in refused.content and b"It is in figure 2." in refused.content
    assert suggest(reviewer, manuscript, "").status_code == 422
    refused = suggest(reviewer, manuscript, f"ncbigene:{'1' * 201}")
    assert "does not have the form of an identifier of NCBI Gene" in read_page_words(refused)
    assert not ManuscriptComment.objects.exists()


def test_it_is_in_the_record_only_as_long_as_it_is_not_corrected(author, reviewer, manuscript):
    suggest(reviewer, manuscript, "uniprot:P12830")
    suggest(reviewer, manuscript, "uniprot:P35222")
    open_workspace(author, manuscript)
    take_over(author, manuscript.curation, ManuscriptComment.objects.order_by("pk")[0].pk)
    fields = {"action": "edit", "kind": "entity", "key": "uniprot:P12830", "identifier": "uniprot:P35222"}
    sent = fields | {"seen": "1", "token": "token-0002"}
    assert author.post(f"/curation/{manuscript.curation_id}/decide/", sent).status_code == 302
    words = read_page_words(reviewer.get(f"/manuscripts/{manuscript.pk}/"))
    assert "P35222 in the record" in words
    assert "P12830 in the record" not in words


@pytest.mark.parametrize(
    ("identifier", "kind"), [("NCBITaxon:10090", "organism"), ("MI:0018", "method"), ("MESH:D001943", "entity")]
)
def test_each_suggestion_becomes_an_item_of_its_kind(author, reviewer, manuscript, identifier, kind):
    Entry.objects.get_or_create(database="ncbitaxon", identifier="10090", defaults={"name": "Mus musculus"})
    suggest(reviewer, manuscript, identifier)
    open_workspace(author, manuscript)
    take_over(author, manuscript.curation, ManuscriptComment.objects.get().pk)
    assert DecidedItem.objects.get().kind == kind


def test_only_reviewers_suggest(author, manuscript):
    suggest(author, manuscript, "uniprot:P12830", "Mine.")
    assert ManuscriptComment.objects.get().database == ""


def test_a_suggestion_that_is_sent_twice_is_kept_once(reviewer, manuscript):
    for identifier in ("uniprot:P12830", "uniprot:P12830", "uniprot:P35222"):
        assert suggest(reviewer, manuscript, identifier).status_code == 302
    assert list(ManuscriptComment.objects.order_by("pk").values_list("identifier", flat=True)) == ["P12830", "P35222"]


def test_nobody_takes_over_what_was_suggested_for_another_manuscript(program, author, reviewer, manuscript):
    other, answer = submit(program, reference="E-2")
    stranger = open_as(answer["author_link"])
    suggest(reviewer, manuscript, "uniprot:P12830")
    add_comment(manuscript.links.get(role=LinkRole.AUTHOR), "", "Words only.")
    open_workspace(stranger, other)
    open_workspace(author, manuscript)
    suggested, words = ManuscriptComment.objects.order_by("pk").values_list("pk", flat=True)
    for client, curation, comment in (
        (stranger, other.curation, suggested),
        (author, manuscript.curation, words),
        (author, manuscript.curation, "9" * 30),
        (author, manuscript.curation, "x"),
    ):
        refused = take_over(client, curation, comment)
        assert "This suggestion is no longer there." in read_page_words(client.get(refused.url))
    assert not Decision.objects.exists()


def test_suggestions_cost_two_queries_and_not_more_with_their_number(
    author, reviewer, manuscript, django_assert_max_num_queries
):
    address = f"/manuscripts/{manuscript.pk}/live/"
    with django_assert_max_num_queries(50) as without:
        author.get(address)
        most = len(without) + 2
    for identifier in ("uniprot:P12830", "uniprot:P35222", "MI:0018"):
        suggest(reviewer, manuscript, identifier)
    with django_assert_max_num_queries(most):
        assert "Suggests" in read_page_words(author.get(address))
