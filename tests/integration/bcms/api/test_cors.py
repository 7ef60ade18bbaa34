"""Scripts of other sites read what anybody may read, with nobody's rights, and write nothing."""

import pytest

ORIGIN = {"Origin": "https://elsewhere.example"}
READ = ["/api/v1/articles/10000001/", "/api/v1/articles/10000001/annotations/", "/api/v1/export/tsv/", "/api/v1/none/"]
ALLOW = "Access-Control-Allow-Origin"


@pytest.mark.parametrize("path", [*READ, "/articles/10000001/export/tsv/"])
@pytest.mark.parametrize("method", ["get", "head", "options"])
def test_it_lets_everybody_read(client, article, path, method):
    response = getattr(client, method)(path, headers=ORIGIN)
    assert response[ALLOW] == "*"
    assert "ETag" in response["Access-Control-Expose-Headers"]
    assert {"Cookie", "Authorization"} <= set(response["Vary"].split(", "))


def test_it_tells_before_what_may_be_sent(client, db, django_assert_num_queries):
    asked = {**ORIGIN, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "if-none-match"}
    with django_assert_num_queries(0):
        response = client.options("/api/v1/articles/10000001/", headers=asked)
    assert (response.status_code, response[ALLOW]) == (204, "*")
    assert response["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS"
    assert "authorization" not in response["Access-Control-Allow-Headers"].lower()


@pytest.mark.parametrize(
    "path", ["/", "/articles/10000001/", "/accounts/login/", "/xmlrpc/", "/api/saveAnnotations/JSON"]
)
def test_it_opens_no_other_page(client, article, path):
    for method in (client.get, client.options):
        assert not method(path, headers={**ORIGIN, "Access-Control-Request-Method": "GET"}).has_header(ALLOW)


@pytest.mark.parametrize("path", READ)
def test_it_opens_nothing_to_who_is_logged_in(client, article, alice, path):
    client.force_login(alice)
    assert not client.get(path, headers=ORIGIN).has_header(ALLOW)


def test_it_opens_nothing_that_comes_with_a_token_or_password(client, article):
    response = client.get("/api/v1/articles/10000001/", headers={**ORIGIN, "Authorization": "Bearer no"})
    assert not response.has_header(ALLOW)


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_it_opens_nothing_that_writes(client, article, method):
    assert not getattr(client, method)("/api/v1/articles/", headers=ORIGIN).has_header(ALLOW)


def test_it_never_allows_credentials(client, article):
    for path in READ:
        assert not client.get(path, headers=ORIGIN).has_header("Access-Control-Allow-Credentials")
