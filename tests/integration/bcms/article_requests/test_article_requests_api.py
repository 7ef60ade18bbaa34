"""Articles that are not here yet, asked for by REST."""

import pytest

from bcms.article_requests import request_queue
from bcms.tasks import answer_all_article_requests_unless_locked
from tests.integration.annotations.articles.test_entrez_client import hold, pubmed  # noqa: F401
from tests.integration.bcms.article_requests.test_article_requests import ncbi  # noqa: F401

pytestmark = pytest.mark.django_db


@pytest.fixture
def program(client, carol):
    client.force_login(carol)
    return client


def ask(client, ident):
    return client.post("/api/v1/article-requests/", {"ident": ident})


def test_an_article_is_fetched(program, ncbi):  # noqa: F811
    hold(ncbi, 5)
    reply = ask(program, "PMID 5")
    told = reply.json()
    assert (reply.status_code, told["ident"], told["done"], told["pmid"]) == (202, "5", False, None)
    assert ask(program, "5").json()["id"] == told["id"]
    answer_all_article_requests_unless_locked()
    told = program.get(f"/api/v1/article-requests/{told['id']}/").json()
    assert (told["done"], told["article"], told["pmid"], told["problem"]) == (True, "5", 5, "")
    assert program.get("/api/v1/articles/5/").json()["title"] == "No 5"


def test_it_tells_why_one_did_not_come(program, ncbi):  # noqa: F811
    number = ask(program, "5").json()["id"]
    answer_all_article_requests_unless_locked()
    told = program.get(f"/api/v1/article-requests/{number}/").json()
    assert (told["done"], told["article"], told["pmid"]) == (True, None, None)
    assert told["problem"].startswith("PMID 5 is not in PubMed. Check the number")


@pytest.mark.parametrize("ident", ["", "words", "5\0"])
def test_it_takes_names_only(program, ident):
    assert ask(program, ident).status_code == 400


def test_a_program_needs_no_account(client, db):
    assert ask(client, "5").status_code == 202


def test_it_says_when_to_ask_again(program, monkeypatch):
    assert [ask(program, str(pmid)).status_code for pmid in range(1, 11)] == [202] * 10
    refused = ask(program, "11")
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "60")
    monkeypatch.setattr(request_queue, "MOST_OPEN_REQUESTS", 1)
    assert ask(program, "1").status_code == 202
