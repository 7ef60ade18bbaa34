"""Bodies that are larger than their URL takes: refused with one sentence before a byte of them is read."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import get_resolver

from bcms.middleware.body_limits import DEFAULT_LIMIT, LIMITS_BY_URL_NAME, MEBIBYTE

pytestmark = pytest.mark.django_db

BOUNDARY = "multipart/form-data; boundary=x"
TOO_MUCH = 200 * MEBIBYTE


class UnreadBody:
    """A body that nobody may read."""

    def read(self, *_: object) -> bytes:
        raise AssertionError("The body was read.")

    readline = __iter__ = read


def post_unread(client: Client, address: str, length: int | str, content_type: str = BOUNDARY, **headers: str):
    sent = {"CONTENT_LENGTH": str(length), "wsgi.input": UnreadBody()} | headers
    return client.generic("POST", address, b"", content_type, **sent)


@pytest.fixture
def strict(client):
    """Checks for forged requests, as the site does; with a cookie for them, which anybody can make."""
    client = Client(enforce_csrf_checks=True)
    client.cookies["csrftoken"] = "a" * 32
    return client


@pytest.mark.parametrize(
    "address",
    ["/login/", "/signup/", "/", "/articles/upload/", "/challenges/example/gold/"],
)
def test_it_reads_nothing_of_200_mb_from_a_visitor(strict, challenge, address):
    page = post_unread(strict, address, TOO_MUCH)
    assert (page.status_code, "larger than" in page.content.decode()) == (413, True)


@pytest.mark.parametrize(
    "address",
    ["/api/v1/articles/", "/api/v1/servers/", "/api/v1/challenges/example/phases/training/gold/TX/", "/api/v1/x/"],
)
def test_it_answers_programs_with_a_problem(strict, challenge, address):
    answer = post_unread(strict, address, TOO_MUCH)
    assert (answer.status_code, answer.headers["Content-Type"]) == (413, "application/problem+json")
    problem = answer.json()
    assert (problem["status"], problem["code"], problem["instance"]) == (413, "too-large", address)
    assert problem["detail"].endswith(".")


@pytest.mark.parametrize("address", ["/xmlrpc/", "/api/documents/", "/api/saveAnnotations/JSON"])
def test_it_answers_other_programs_in_plain_text(strict, address):
    answer = post_unread(strict, address, TOO_MUCH, "text/xml")
    assert (answer.status_code, answer.headers["Content-Type"]) == (413, "text/plain; charset=utf-8")


@pytest.mark.parametrize("length", [DEFAULT_LIMIT + 1, "9" * 5000])
def test_its_limit_is_one_mebibyte(strict, length):
    page = post_unread(strict, "/login/", length)
    assert (page.status_code, "larger than 1 MiB" in page.content.decode()) == (413, True)


@pytest.mark.parametrize(
    "headers", [{"HTTP_TRANSFER_ENCODING": "chunked"}, {"CONTENT_LENGTH": "-1"}, {"CONTENT_LENGTH": "x"}]
)
@pytest.mark.parametrize("address", ["/login/", "/api/v1/servers/", "/xmlrpc/", "/articles/upload/"])
def test_it_reads_no_body_of_unknown_length(strict, address, headers):
    answer = post_unread(strict, address, 0, **headers)
    assert (answer.status_code, "Content-Length" in answer.content.decode()) == (411, True)


@pytest.mark.parametrize("address", ["/articles/upload/", "/challenges/example/gold/", "/challenges/example/by-hand/"])
def test_it_asks_visitors_to_log_in_before_it_reads_files(strict, challenge, address):
    page = post_unread(strict, address, 10 * MEBIBYTE)
    assert (page.status_code, page.headers["Location"]) == (302, f"/login/?next={address}")


@pytest.mark.parametrize("address", ["/api/v1/articles/", "/api/v1/challenges/example/training/TX/runs/"])
def test_it_asks_programs_for_credentials_before_it_reads_files(strict, challenge, address):
    assert post_unread(strict, address, 10 * MEBIBYTE).status_code == 401


def test_it_reads_files_of_people_who_have_logged_in(client, olga, challenge):
    client.force_login(olga)
    file = SimpleUploadedFile("big.txt", b"x" * (2 * MEBIBYTE))
    assert client.post("/articles/upload/", {"file": file}).status_code in (302, 422)


def test_its_names_are_those_of_addresses():
    assert set(LIMITS_BY_URL_NAME) <= {name for name in get_resolver().reverse_dict if isinstance(name, str)}


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({f"field-{number}": "" for number in range(1001)}, "The request has more than 1,000 fields."),
        (
            {"pictures": [SimpleUploadedFile("a.png", b"x") for _ in range(101)]},
            "The request has more than 100 files.",
        ),
    ],
)
def test_a_form_of_too_many_parts_is_refused_in_a_sentence(client, challenge, olga, sent, sentence):
    client.force_login(olga)
    page = client.post("/challenges/example/pictures/", sent)
    assert (page.status_code, sentence in page.content.decode()) == (400, True)
    for content in sent.values():
        for file in content:
            file.seek(0)
    answer = client.post("/api/v1/challenges/example/pictures/", sent)
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert answer.json()["detail"].startswith(sentence)
