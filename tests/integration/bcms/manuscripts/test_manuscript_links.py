"""A link opens one manuscript, for its author or for reviewers, until it is revoked or expires."""

import json
import re
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from annotations.curation.manuscripts import progress
from annotations.curation.manuscripts.links import hash_token
from annotations.curation.manuscripts.models import ManuscriptLink
from annotations.curation.models import Decision
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from tests.integration.article_cast import create_known_genes, gene, read_page_words
from tests.integration.curation_cast import list_states
from tests.integration.manuscript_cast import TITLE, URL, open_as, submit

pytestmark = pytest.mark.django_db

ACTIONS = ("decide", "finish", "reopen", "propose", "notes", "sight")


def get_path(url):
    return "/" + url.split("/", 3)[3]


RECORD = {
    "interactions": [
        {
            "type": "MI:0915",
            "participants": [
                {"database": "uniprot", "identifier": "P12830"},
                {"database": "uniprot", "identifier": "P35222"},
            ],
            "detections": [{"method": "MI:0018"}],
        }
    ]
}


def accept(client, manuscript):
    fields = {"action": "accept", "kind": "entity", "key": "uniprot:P12830", "seen": 0, "token": "token-0001"}
    return client.post(f"/curation/{manuscript.curation_id}/decide/", fields)


def test_it_stores_no_token(submitted):
    token = submitted[1]["author_link"].rstrip("/").rpartition("/")[2]
    assert len(token) == 43
    link = ManuscriptLink.objects.get(role="author")
    assert link.digest == hash_token(token) and token not in str(vars(link))


def test_the_author_curates_without_an_account(author, manuscript, queues):
    create_known_genes()
    store_results_superseding_earlier(
        manuscript.article, queues[0].producer, {Kind.NORMALIZATION: [gene("P12830", 0.9)]}
    )
    words = read_page_words(author.get(f"/manuscripts/{manuscript.pk}/"))
    assert TITLE in words and "Open the workspace" in words and "0 of 1 servers" in words
    page = author.get(f"/curation/{manuscript.curation_id}/?step=entities")
    assert "CDH1 Cadherin-1" in read_page_words(page)
    assert f"/articles/{manuscript.article.opaque}/" not in page.content.decode()
    assert accept(author, manuscript).status_code == 302
    assert list_states(manuscript.curation) == {"uniprot:P12830": "accepted"}
    assert Decision.objects.get().user is None
    author.post(f"/curation/{manuscript.curation_id}/finish/", {"seen": 1})
    manuscript.curation.refresh_from_db()
    assert manuscript.curation.state == "finished"
    words = read_page_words(author.get(f"/manuscripts/{manuscript.pk}/"))
    assert "The record is finished." in words and "then finish" not in words
    assert not manuscript.curation.curator.producer.public


def test_the_author_continues_a_file_without_an_account(author, manuscript):
    create_known_genes()
    author.get(f"/curation/{manuscript.curation_id}/")
    reply = author.post(
        f"/curation/{manuscript.curation_id}/file/",
        {"file": SimpleUploadedFile("mine.json", json.dumps(RECORD).encode()), "origin": "author"},
    )
    assert reply.status_code == 302, read_page_words(reply)
    assert Decision.objects.get().user is None


def test_reviewers_comment_and_do_nothing_else(author, reviewer, manuscript):
    page = f"/manuscripts/{manuscript.pk}/"
    assert "Flumoxite was not needed" in read_page_words(reviewer.get(page))
    reviewer.post(f"{page}comment/", {"name": "R. Two", "text": "Add the method <b>here</b>."})
    shown = author.get(page).content.decode()
    assert "R. Two, reviewer" in shown and "Add the method &lt;b&gt;here&lt;/b&gt;." in shown
    assert reviewer.post(f"{page}refuse/", {"reason": "x"}).status_code == 404
    curation = f"/curation/{manuscript.curation_id}/"
    assert reviewer.get(curation).status_code == 302 and reviewer.get(curation).url.startswith("/login/")
    for action in ACTIONS:
        assert reviewer.post(f"{curation}{action}/").url.startswith("/login/")
    assert not Decision.objects.exists()


def test_it_keeps_what_was_typed_in_a_refused_comment(reviewer, manuscript):
    response = reviewer.post(f"/manuscripts/{manuscript.pk}/comment/", {"name": "R. Two", "text": " " * 3 + "x" * 5001})
    assert response.status_code == 422
    assert "1 to 5,000 characters" in response.content.decode() and "R. Two" in response.content.decode()


def test_a_comment_that_is_sent_twice_is_kept_once(author, reviewer, manuscript):
    for program, text in ((reviewer, "Same."), (reviewer, "Same."), (author, "Same."), (reviewer, "Other.")):
        assert comment(program, manuscript, text).status_code == 302
    kept = [("reviewer", "Same."), ("author", "Same."), ("reviewer", "Other.")]
    assert list(manuscript.comments.order_by("pk").values_list("role", "text")) == kept


def test_one_link_does_not_use_up_the_comments_of_all(author, reviewer, program, manuscript, monkeypatch):
    monkeypatch.setattr(progress, "MOST_COMMENTS_BY_LINK", 2)
    for number in range(2):
        assert comment(reviewer, manuscript, f"More {number}.").status_code == 302
    refused = comment(reviewer, manuscript, "More and more.")
    shown = refused.content.decode()
    assert refused.status_code == 422
    assert "at most 2 comments. Ask the journal" in shown and "More and more." in shown
    made = program.post(f"{URL}{manuscript.pk}/links/", {"role": "reviewer"}, content_type="application/json").json()
    for other in (author, open_as(made["url"])):
        assert comment(other, manuscript, "Mine.").status_code == 302
    assert manuscript.comments.count() == 4


def test_a_manuscript_takes_no_comments_without_end(author, reviewer, manuscript, monkeypatch):
    monkeypatch.setattr(progress, "MOST_COMMENTS", 2)
    sent = ((author, "More."), (reviewer, "More."), (author, "More and more."))
    answers = [comment(program, manuscript, text) for program, text in sent]
    assert [each.status_code for each in answers] == [302, 302, 422]
    assert "A manuscript has at most 2 comments." in answers[-1].content.decode()


def test_the_author_declines_with_a_reason(author, program, manuscript):
    page = f"/manuscripts/{manuscript.pk}/"
    assert author.post(f"{page}refuse/", {"reason": " "}).status_code == 422
    author.post(f"{page}refuse/", {"reason": "No time."})
    assert program.get(f"{URL}{manuscript.pk}/").json()["reason"] == "No time."
    assert "takes no part in this manuscript" in read_page_words(author.get(f"/curation/{manuscript.curation_id}/"))


@pytest.mark.parametrize("role", ["author", "reviewer"])
def test_a_link_of_another_manuscript_opens_nothing_of_this_one(program, submitted, role):
    other, answer = submit(program, reference="E-2")
    client = open_as(answer[f"{role}_link"])
    manuscript = submitted[0]
    for path in ("", "live/"):
        assert client.get(f"/manuscripts/{manuscript.pk}/{path}").status_code == 404
    for path in ("comment", "refuse"):
        assert client.post(f"/manuscripts/{manuscript.pk}/{path}/", {"text": "x", "reason": "x"}).status_code == 404
    assert client.get(f"/curation/{manuscript.curation_id}/").url.startswith("/login/")
    assert accept(client, manuscript).url.startswith("/login/")
    assert not manuscript.comments.exists() and not Decision.objects.exists()
    assert client.get(f"/manuscripts/{other.pk}/").status_code == 200


def test_an_account_with_another_link_gets_404(program, submitted, carol):
    _, answer = submit(program, reference="E-2")
    client = open_as(answer["author_link"])
    client.force_login(carol)
    client.get(get_path(answer["author_link"]))
    assert client.get(f"/curation/{submitted[0].curation_id}/").status_code == 404


@pytest.mark.parametrize("token", ["x", "0" * 43, "a" * 3000, "%00", "..%2F..", "' OR 1=1 --"])
def test_a_guessed_token_opens_nothing(manuscript, client, token):
    for guess in (token, ManuscriptLink.objects.first().digest):
        response = client.get(f"/manuscripts/open/{guess}/")
        assert response.status_code == 404
    assert client.get(f"/manuscripts/{manuscript.pk}/").status_code == 404


def test_a_session_holds_only_links_that_it_opened(manuscript, client):
    client.cookies["manuscript_links"] = str(list(ManuscriptLink.objects.values_list("pk", flat=True)))
    client.cookies["sessionid"] = "x" * 32
    assert client.get(f"/manuscripts/{manuscript.pk}/").status_code == 404


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"revoked": timezone.now()}, "The journal has revoked this link."),
        ({"expires": timezone.now() - timedelta(days=2)}, "This link expired on"),
    ],
)
def test_one_that_has_ended_says_so_at_once(author, submitted, change, sentence):
    manuscript, answer = submitted
    ManuscriptLink.objects.update(**change)
    paths = [f"/manuscripts/{manuscript.pk}/", f"/curation/{manuscript.curation_id}/", get_path(answer["author_link"])]
    for path in paths:
        response = author.get(path)
        assert (response.status_code, sentence in read_page_words(response)) == (404, True)
    assert accept(author, manuscript).status_code == 404
    assert not Decision.objects.exists()


def test_an_expired_link_of_the_author_does_not_stop_that_of_a_reviewer(author, submitted):
    manuscript, answer = submitted
    author.get(get_path(answer["reviewer_link"]))
    ManuscriptLink.objects.filter(role="author").update(expires=timezone.now() - timedelta(days=2))
    assert author.get(f"/manuscripts/{manuscript.pk}/").status_code == 200
    assert author.get(f"/curation/{manuscript.curation_id}/").url.startswith("/login/")


def test_the_journal_revokes_one(author, program, manuscript):
    links = program.get(f"{URL}{manuscript.pk}/").json()["links"]
    assert [(link["role"], link["opened"] is not None) for link in links] == [("author", True), ("reviewer", False)]
    address = f"{URL}{manuscript.pk}/links/{links[0]['id']}/"
    assert program.delete(address).status_code == 204
    assert program.delete(address).status_code == 404
    assert author.get(f"/manuscripts/{manuscript.pk}/").status_code == 404


def test_the_author_goes_on_with_a_new_link(author, program, manuscript):
    ManuscriptLink.objects.update(revoked=timezone.now())
    made = program.post(f"{URL}{manuscript.pk}/links/", {"role": "author"}, content_type="application/json").json()
    assert author.get(get_path(made["url"])).status_code == 302
    assert author.get(f"/curation/{manuscript.curation_id}/").status_code == 200


@pytest.mark.parametrize(("action", "sentence"), [("withdraw", "has withdrawn"), ("publish", "is published")])
def test_it_ends_with_its_manuscript(author, program, manuscript, action, sentence):
    program.post(f"{URL}{manuscript.pk}/{action}/", {}, content_type="application/json")
    response = author.get(f"/manuscripts/{manuscript.pk}/")
    assert (response.status_code, sentence in read_page_words(response)) == (404, True)
    assert (f"/articles/{manuscript.article.opaque}/" in response.content.decode()) == (action == "publish")


def test_the_page_polls_for_answers(author, manuscript, queues):
    address = f"/manuscripts/{manuscript.pk}/live/"
    version = author.get(f"/manuscripts/{manuscript.pk}/").context["version"]
    assert author.get(address, {"v": version}).status_code == 204
    queues[0].calls.update(state="answered")
    assert "1 of 1 servers have answered" in read_page_words(author.get(address, {"v": version}))


def test_the_page_takes_a_fixed_number_of_queries(author, manuscript, django_assert_max_num_queries):
    with django_assert_max_num_queries(14):
        author.get(f"/manuscripts/{manuscript.pk}/")


def test_a_visitor_is_led_to_the_login(manuscript):
    assert Client().get(f"/curation/{manuscript.curation_id}/").url.startswith("/login/")


def comment(client, manuscript, text, **fields):
    return client.post(f"/manuscripts/{manuscript.pk}/comment/", {"text": text} | fields)


def test_the_author_sees_comments_in_the_workspace_answers_and_marks_them_as_done(author, reviewer, manuscript):
    comment(reviewer, manuscript, "Name the method.", name="R. Two")
    curation = f"/curation/{manuscript.curation_id}/"
    shown = read_page_words(author.get(curation))
    assert "Name the method." in shown and "Comments 1 not done" in shown
    answered = comment(author, manuscript, "It is two hybrid.", page="workspace")
    assert answered.url.startswith(curation)
    done = f"/manuscripts/{manuscript.pk}/comments/{manuscript.comments.get(role='reviewer').pk}/done/"
    assert author.post(done, {"done": "1", "page": "workspace"}).url.startswith(curation)
    shown = read_page_words(reviewer.get(f"/manuscripts/{manuscript.pk}/"))
    assert "It is two hybrid." in shown and "UTC done" in shown and "not done" not in shown
    author.post(done, {"done": "0"})
    assert not manuscript.comments.filter(done__isnull=False).exists()


def test_only_the_author_marks_comments_and_only_of_this_manuscript(author, reviewer, program, manuscript):
    comment(reviewer, manuscript, "Name the method.")
    mine = manuscript.comments.get().pk
    assert reviewer.post(f"/manuscripts/{manuscript.pk}/comments/{mine}/done/", {"done": "1"}).status_code == 404
    other, answer = submit(program, reference="E-2")
    stranger = open_as(answer["author_link"])
    for owner in (manuscript, other):
        assert stranger.post(f"/manuscripts/{owner.pk}/comments/{mine}/done/", {"done": "1"}).status_code == 404
    assert not manuscript.comments.filter(done__isnull=False).exists()


def test_later_answers_come_to_the_open_list_by_themselves(author, manuscript, queues):
    create_known_genes()
    address = f"/curation/{manuscript.curation_id}/?step=entities"
    assert "CDH1" not in author.get(address).content.decode()
    live = f"/manuscripts/{manuscript.pk}/live/?in=workspace&step=entities"
    version = author.get(f"/curation/{manuscript.curation_id}/").context["version"]
    assert author.get(live, {"v": version}).status_code == 204
    store_results_superseding_earlier(
        manuscript.article, queues[0].producer, {Kind.NORMALIZATION: [gene("P12830", 0.9)]}
    )
    queues[0].calls.update(state="answered")
    news = author.get(f"{live}&v={version}").content.decode()
    assert 'data-on="alpha"' in news and "?in=workspace&amp;step=entities" in news
    before = author.get(address).context["curation"].showing
    fragment = author.get(address, headers={"X-Fragment": "1"})
    assert "CDH1" in fragment.content.decode() and "<html" not in fragment.content.decode()
    assert fragment.context["curation"].showing == before


@pytest.mark.parametrize(
    ("path", "fields", "field"),
    [
        ("comment/", {"text": " "}, 'id="comment-text"'),
        ("comment/", {"text": "Words.", "identifier": "uniprot:12"}, 'id="comment-identifier"'),
        ("refuse/", {"reason": " "}, 'id="reason"'),
    ],
)
def test_what_is_wrong_is_said_once_at_its_field(author, reviewer, manuscript, path, fields, field):
    client = author if path == "refuse/" else reviewer
    page = client.post(f"/manuscripts/{manuscript.pk}/{path}", fields)
    assert page.status_code == 422
    html = page.content.decode()
    assert html.count('id="form-error"') == html.count('role="alert"') == 1
    assert html.count('aria-describedby="form-error"') == 1
    tag = re.search(rf"<[^<>]*{field}[^<>]*>", html)
    assert tag and 'aria-invalid="true"' in tag[0]


def test_what_was_typed_can_be_copied_when_the_link_was_revoked(reviewer, manuscript):
    manuscript.links.update(revoked=timezone.now())
    page = reviewer.post(f"/manuscripts/{manuscript.pk}/comment/", {"text": "<b>Long & good.</b>"})
    assert page.status_code == 404
    assert "The journal has revoked this link." in read_page_words(page)
    assert "readonly>&lt;b&gt;Long &amp; good.&lt;/b&gt;</textarea>" in page.content.decode()
    assert not manuscript.comments.exists()


def test_a_comment_has_as_many_characters_as_the_page_lets_one_type(reviewer, manuscript):
    sent = "a\r\n" * 2_499 + "aa"
    assert reviewer.post(f"/manuscripts/{manuscript.pk}/comment/", {"text": sent}).status_code == 302
    assert manuscript.comments.get().text == sent.replace("\r\n", "\n")
