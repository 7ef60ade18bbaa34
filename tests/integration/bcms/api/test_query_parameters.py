"""Query parameters that are unknown or not valid get 400, and the answer names them."""

import re
from urllib.parse import urlencode

import pytest
from drf_spectacular.generators import SchemaGenerator

from annotations.articles.models import Corpus
from bcms.api.urls import urlpatterns
from bcms.lib.rest.query_parameters import list_query_parameters

pytestmark = pytest.mark.django_db
OFFSET_LISTS = ("challenges", "corpora", "data", "servers")
CURSOR_LISTS = ("servers/genedict/calls", "servers/genedict/attempts", "servers/genedict/deliveries", "articles")


def get_problem(client, path):
    answer = client.get(f"/api/v1/{path}")
    assert answer.status_code == 400, (path, answer.status_code)
    return answer.json()


@pytest.fixture
def member(client, alice, server):
    client.force_login(alice)
    return client


@pytest.mark.parametrize("path", [*OFFSET_LISTS, "teams", *CURSOR_LISTS])
@pytest.mark.parametrize("query", ["limit=x", "limit=0", "limit=1001", "limit=", "page=2", "limit=-1"])
def test_it_names_the_parameter(member, path, query):
    assert query.partition("=")[0] in str(get_problem(member, f"{path}/?{query}"))


@pytest.mark.parametrize("path", OFFSET_LISTS)
@pytest.mark.parametrize("query", ["offset=-1", "offset=x", "offset=99999999999999999999", "cursor=abc"])
def test_it_names_a_wrong_offset(client, path, query):
    assert query.partition("=")[0] in str(get_problem(client, f"{path}/?{query}"))


def test_every_resource_takes_the_parameters_of_the_schema():
    paths = {
        re.sub(r"{\w+}", "{}", path): item for path, item in SchemaGenerator().get_schema(public=True)["paths"].items()
    }
    differing = {}
    for pattern in urlpatterns:
        item = paths.get("/api/v1/" + re.sub(r"<[^>]+>", "{}", str(pattern.pattern)), {})
        described = {one["name"] for one in item.get("get", {}).get("parameters", ()) if one["in"] == "query"}
        if "get" in item and described != set(list_query_parameters(pattern.callback.cls)):
            differing[pattern.name] = described
    assert differing == {}


@pytest.mark.parametrize(
    "path",
    ["measures", "consensus-methods", "export", "articles/20000001/servers", "challenges/none", "servers/genedict"],
)
def test_resources_without_pages_name_it_too(client, path):
    problem = get_problem(client, f"{path}/?pge=2")
    assert [fault["loc"] for fault in problem["errors"]] == ["pge"]
    assert client.head(f"/api/v1/{path}/?pge=2").status_code == 400


def test_the_document_itself_has_a_format_and_unknown_addresses_stay_unknown(client):
    assert client.get("/api/v1/schema/?format=json").status_code == 200
    assert client.get("/api/v1/nothing/?page=2").status_code == 404


@pytest.mark.parametrize(("name", "value"), [("producer", "null"), ("gold", "true"), ("kind", "taxa")])
def test_a_comparison_names_what_is_no_producer(client, name, value):
    Corpus.objects.create(slug="four", name="Four")
    assert name in str(get_problem(client, f"corpora/four/compare/?{name}={value}"))


def test_it_names_a_wrong_cursor(member):
    assert "no cursor of this list" in str(get_problem(member, "servers/genedict/calls/?cursor=x"))


def test_it_takes_what_the_schema_has(member):
    for path in (
        "challenges/?limit=1000&offset=0",
        "servers/genedict/calls/?limit=1&state=answered",
        "corpora/?offset=5",
    ):
        assert member.get(f"/api/v1/{path}").status_code == 200, path


@pytest.mark.parametrize("name", ["from", "to", "days"])
def test_availability_refuses_a_window(member, name):
    problem = get_problem(member, f"servers/genedict/availability/?{name}=2026-01-01")
    assert name in str(problem)
    assert "This address has no parameters." in str(problem)


@pytest.mark.parametrize("path", ["articles/", "export/tsv/"])
def test_a_search_names_a_filter_with_another_value_than_documented(client, db, path, settings):
    settings.API_FILES_PER_MINUTE = 100
    wrong = {
        "ppi": ("2", "191685", "maybe", ""),
        "disagree": ("null", " "),
        "year_from": ("", " ", "1_999", "+1999", "1999.0", "１９９９"),
        "servers": ("",),
        "sort": ("",),
    }
    for name, values in wrong.items():
        for value in values:
            (fault,) = get_problem(client, f"{path}?{urlencode({name: value})}")["errors"]
            assert fault["loc"] == name, value


def test_a_search_reads_flags_as_other_resources_do(client, article):
    for value, count in (("true", 0), ("1", 0), ("True", 0), ("false", 1), ("0", 1)):
        for name in ("ppi", "disagree"):
            assert client.get(f"/api/v1/articles/?{name}={value}").json()["count"] == count, value


def test_a_consensus_names_a_parameter_that_is_empty_or_no_number(client, article):
    wrong = [(name, "") for name in ("method", "threshold", "spans", "kind", "text")]
    for name, value in (*wrong, ("threshold", "nan"), ("threshold", "Infinity")):
        (fault,) = get_problem(client, f"articles/10000001/consensus/?{name}={value}")["errors"]
        assert fault["loc"] == name
