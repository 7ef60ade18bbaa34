"""TAP-k of pasted lists: the figures of the command, on the page and by REST, for anybody; nothing is stored."""

import json
import re
from html import unescape

import pytest

from evaluation.__main__ import main
from evaluation.retrieval.pasted_lists import MAX_CHARACTERS

pytestmark = pytest.mark.django_db
LISTS = "q1\n2\n1 3.0\n0 2.5\n1 2.0\n0 1.0\n\nq2 2\n1\n0 2.2\n0 1.5\n1 1.2\n"


def read_page_text(response):
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))


@pytest.fixture
def printed(tmp_path, capsys):
    """What the command prints of the lists."""

    def run(*options, lists=LISTS):
        (tmp_path / "lists").write_text(lists)
        assert main(["tapk", "--format", "json", *options, str(tmp_path / "lists")]) == 0
        return json.loads(capsys.readouterr().out)["tapk"]

    return run


def test_anybody_gets_the_figures_of_the_command(client, printed):
    reply = client.post("/api/v1/tapk/", {"lists": LISTS, "k": [1, 2]}, content_type="application/json")
    assert reply.json() == {
        "taps": printed("-k", "1,2"),
        "per_list": printed("-k", "1,2", "--per-list"),
        "refusal": "",
    }
    page = client.post("/tapk/", {"lists": LISTS, "k": "1, 2"})
    assert page.status_code == 200
    rows = re.findall(r"<tr><th scope=\"row\" class=\"num\">(\d)</th>(.*?)</tr>", page.content.decode())
    shown = [[k, *re.findall(r"(?:title=\"|<td class=\"num\">)([^\"<]+)", cells)] for k, cells in rows]
    both = zip(printed("-k", "1,2"), printed("-k", "1,2", "--per-list"), strict=True)
    assert shown == [
        [str(tap["k"]), str(tap["e_k"]), f"{tap['tap_k']:.5f}", f"{own['tap_k']:.5f}"] for tap, own in both
    ]
    assert b"<svg" in page.content


def test_it_pads_or_says_that_there_is_no_threshold(client, printed):
    def send(**fields):
        return client.post("/api/v1/tapk/", {"lists": LISTS, "k": [9], **fields}, content_type="application/json")

    refused = send().json()
    assert (refused["taps"], refused["per_list"]) == ([], printed("-k", "9", "--per-list"))
    assert refused["refusal"] == "fewer than half of the lists have 9 errors; choose a smaller k or pad the lists."
    assert send(pad=True).json()["taps"] == printed("-k", "9", "--pad")
    page = read_page_text(client.post("/tapk/", {"lists": LISTS, "k": "9"}))
    assert "There is no TAP-k with one threshold: fewer than half of the lists have 9 errors" in page
    assert "none: whole lists" in read_page_text(client.post("/tapk/", {"lists": LISTS, "k": "9", "pad": "on"}))


def test_it_shows_every_fault(client):
    wrong = "q1\nx\n2 a\n\nq2\n0\n1 1\n"
    page = client.post("/tapk/", {"lists": wrong, "k": "1"})
    assert page.status_code == 422
    problem = client.post("/api/v1/tapk/", {"lists": wrong}, content_type="application/json")
    assert problem.status_code == 422
    errors = [(error["line"], error["code"], error["loc"]) for error in problem.json()["errors"]]
    assert (2, "R622", "lists") in errors
    assert all(code in page.content.decode() for _, code, _ in errors)
    opposite = "q1\n1\n1 1\n0 2\n\nq2\n1\n1 2\n0 1\n"
    reply = client.post("/api/v1/tapk/", {"lists": opposite, "k": [1]}, content_type="application/json").json()
    assert (reply["taps"], len(reply["per_list"])) == ([], 1)
    assert reply["refusal"].startswith("some lists have the highest scores first and others the lowest")


def test_it_has_limits(client):
    for fields in ({"k": "0"}, {"k": "x"}, {"k": ",".join(map(str, range(1, 12)))}, {"lists": ""}):
        assert client.post("/tapk/", {"lists": LISTS, "k": "5", **fields}).status_code == 422
    long = "x" * (MAX_CHARACTERS + 1)
    assert client.post("/tapk/", {"lists": long, "k": "5"}).status_code == 422
    for fields in ({"k": []}, {"k": [0]}, {"k": [1] * 11}, {"lists": long}):
        reply = client.post("/api/v1/tapk/", {"lists": LISTS, **fields}, content_type="application/json")
        assert reply.status_code == 400


def test_text_in_lists_is_escaped_and_nothing_is_written(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        page = client.post("/tapk/", {"lists": LISTS.replace("q1", "<b>q1"), "k": "1"})
    assert b"&lt;b&gt;q1" in page.content
    with django_assert_num_queries(0):
        assert client.get("/tapk/").status_code == 200
