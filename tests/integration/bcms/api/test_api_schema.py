"""The API describes itself: to programs as OpenAPI, to people as a page."""

import importlib
import io
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from django.core.management import call_command
from django.urls import get_resolver, resolve
from drf_spectacular.generators import SchemaGenerator

from bcms.api.groups import GROUP_PATHS, find_operation_group
from bcms.api.views import RESOURCES, UnknownApiAddress, group_api_operations, list_api_operations
from evaluation.challenges.api import ChallengeAPIView


def test_it_describes_itself_without_a_warning():
    out = io.StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=out)
    assert "/api/v1/articles/{identifier}/annotations/" in yaml.safe_load(out.getvalue())["paths"]


@pytest.fixture(scope="module")
def document():
    return SchemaGenerator().get_schema(request=None, public=True)


def test_it_is_a_valid_openapi_document(document):
    # Here, because it prepares grammars for three seconds.
    from openapi_spec_validator import OpenAPIV30SpecValidator

    assert [error.message for error in OpenAPIV30SpecValidator(document).iter_errors()] == []


def test_it_names_the_errors_of_every_operation(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            statuses = set(operation["responses"])
            assert {"400", "401", "403", "406", "429"} <= statuses
            assert "404" in statuses or "{" not in path
            assert {"411", "413", "415"} <= statuses or method == "get"
            errors = [response for status, response in operation["responses"].items() if status.startswith("4")]
            assert all(list(response["content"]) == ["application/problem+json"] for response in errors)


def test_it_has_the_range_of_every_whole_number_that_it_takes(document):
    """The database has one: a larger number would be refused although the document allows it."""
    schemas = document["components"]["schemas"]

    def iter_numbers(name, schema):
        for part in (schema, *schema.get("allOf", ())):
            part = schemas[part["$ref"].rpartition("/")[2]] if "$ref" in part else part
            if part.get("type") == "integer" and "enum" not in part:
                yield name, part
            children = {**part.get("properties", {}), "": part.get("items", {}), "{}": part.get("additionalProperties")}
            for key, child in children.items():
                if child:
                    yield from iter_numbers(f"{name}.{key}", child)

    unbounded = [
        (path, name)
        for path, operations in document["paths"].items()
        for operation in operations.values()
        for content in operation.get("requestBody", {}).get("content", {}).values()
        for name, number in iter_numbers("", content["schema"])
        if not {"minimum", "maximum"} <= number.keys()
    ]
    assert unbounded == []


def test_it_says_where_a_wrong_id_leads_to_a_url_without_the_method(document):
    """For example the id of imported annotations: with text in its place, the URL is a leaderboard's."""
    undocumented = []
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            parts = [part["name"] for part in operation.get("parameters", ()) if part["in"] == "path"]
            for name in parts:
                wrong = re.sub(r"{\w+}", "1", path.replace(f"{{{name}}}", "none"))
                view = resolve(wrong).func.cls
                if not hasattr(view, method) and view is not UnknownApiAddress and "405" not in operation["responses"]:
                    undocumented.append((method, path, name))
    assert undocumented == []


def test_it_names_the_conflicts_of_everything_that_changes_a_challenge(document):
    """Their views answer 409 to a ChallengeError, which any operation below them may raise."""
    unnamed = [
        (method, path)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if method != "get"
        and "409" not in operation["responses"]
        # A queue's action is one of a few words, which are part of the route.
        and issubclass(resolve(re.sub(r"{\w+}", "1", path.replace("{action}", "next"))).func.cls, ChallengeAPIView)
    ]
    assert unnamed == []


@pytest.mark.long
def test_a_client_that_is_generated_from_it_imports_completely(tmp_path, monkeypatch):
    schema, client = tmp_path / "schema.yml", tmp_path / "generated_client"
    call_command("spectacular", "--file", str(schema))
    generator = Path(sys.executable).with_name("openapi-python-client")
    command = [generator, "generate", "--path", schema, "--output-path", client, "--meta", "none"]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    package = importlib.import_module("generated_client")
    modules = [module.name for module in pkgutil.walk_packages(package.__path__, "generated_client.")]
    assert len(modules) > 300
    for name in modules:
        importlib.import_module(name)


def test_it_describes_every_address_of_the_api():
    hidden = {"api-root", "api-schema", "api-docs", "api-console", "api-unknown"}
    named = {name for name in get_resolver().reverse_dict if isinstance(name, str) and name.startswith("api-")}
    assert len({operation.path for operation in list_api_operations()}) == len(named - hidden)


def test_it_says_of_every_operation_what_it_does():
    assert [
        operation.path for operation in list_api_operations() if not (operation.summary and operation.description)
    ] == []


def test_it_shows_the_operations_on_a_page(client, db):
    page = client.get("/api/v1/docs/").content.decode()
    assert "GET /api/v1/articles/{identifier}/annotations/" in page
    assert "POST /api/v1/servers/{slug}/halt-hard/" in page
    assert "https://" not in page.split("<main", 1)[1].split("</main>")[0]


def test_its_page_leads_to_each_group_of_operations(client, db):
    page = client.get("/api/v1/docs/").content.decode()
    contents = page[page.index('aria-label="Groups of operations"') : page.index("</nav>", page.index("Groups of"))]
    assert re.findall('href="#([^"]+)"', contents) == re.findall('<h2 id="([^"]+)"', page)
    assert '<a href="#digital-abstracts">Digital abstracts' in contents
    assert sum(len(group.operations) for group in group_api_operations()) == len(list_api_operations())
    assert all(group.operations for group in group_api_operations())


def test_the_document_groups_operations_as_the_page_does(document):
    assert [tag["name"] for tag in document["tags"]] == list(GROUP_PATHS)
    assert document["paths"]["/api/v1/tapk/"]["post"]["tags"] == ["Measures and TAP-k"]
    assert document["paths"]["/api/v1/challenges/{slug}/{phase}/{task}/runs/"]["post"]["tags"] == ["Runs"]


def test_a_path_without_a_group_is_an_error():
    with pytest.raises(LookupError, match="/no-such-thing/ is in no group"):
        find_operation_group("/no-such-thing/")


def test_its_root_leads_to_every_resource(client, db):
    root = client.get("/api/v1/").json()
    assert tuple(root) == RESOURCES
    for name, address in root.items():
        assert client.get(address).status_code == (401 if name == "teams" else 200)
