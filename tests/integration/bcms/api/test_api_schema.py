"""The API describes itself: to programs as OpenAPI, to people as a page."""

import io

import yaml
from django.core.management import call_command
from django.urls import get_resolver

from bcms.api.views import RESOURCES, list_api_operations


def test_it_describes_itself_without_a_warning():
    out = io.StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=out)
    assert "/api/v1/articles/{identifier}/annotations/" in yaml.safe_load(out.getvalue())["paths"]


def test_it_describes_every_address_of_the_api():
    hidden = {"api-root", "api-schema", "api-docs", "api-unknown"}
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


def test_its_root_leads_to_every_resource(client, db):
    root = client.get("/api/v1/").json()
    assert tuple(root) == RESOURCES
    for name, address in root.items():
        assert client.get(address).status_code == (401 if name == "teams" else 200)
