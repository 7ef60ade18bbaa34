"""Data sets by REST: what is sent, read and refused."""

from urllib.parse import urlsplit

import pytest

from annotations.data_sets.models import DataSet
from bcms.data_sets import building_job
from bcms.data_sets.queries import LICENCE_URLS
from tests.integration.data_set_cast import build_data_set, publish_data_set

pytestmark = pytest.mark.django_db

DATA = "/api/v1/data/"
NEW = {"name": "Organisms", "licence": "CC0-1.0", "corpus": "four", "kinds": ["taxon"], "method": "majority"}


def post(client, path="", status=200, **body):
    response = client.post(f"{DATA}{path}", body, content_type="application/json")
    assert response.status_code == status, response.content
    return response.json()


def test_a_program_makes_publishes_and_withdraws_one(corpus, carol, staff, client):
    client.force_login(carol)
    made = post(client, status=201, **NEW, servers=["one", "two"])
    assert (made["state"], made["files"], made["corpus"]) == ("building", {}, "four")
    building_job.build_slice_unless_busy(made["id"])
    address = f"{made['id']}/"
    read = client.get(DATA + address).json()
    assert read["sizes"] == [{"kind": "taxon", "articles": 3, "annotations": 2}]
    assert [producer["server"] for producer in read["producers"]] == ["one", "two"]
    assert [each["kind"] for each in read["agreement"]] == ["taxon"] and read["agreement"][0]["articles"] == 3
    assert client.get(read["files"]["tsv"]).status_code == 200
    described = client.get(read["files"]["croissant"]).json()
    assert (described["name"], described["license"]) == ("Organisms", LICENCE_URLS["CC0-1.0"])
    for file, slug in zip(described["distribution"], ("parquet-articles", "parquet-annotations"), strict=True):
        assert urlsplit(file["contentUrl"]).path == urlsplit(read["files"][slug]).path
        assert f'filename="{file["name"]}"' in client.get(read["files"][slug])["Content-Disposition"]
    assert "detail" in post(client, address + "update/", status=409)
    assert post(client, address + "propose/")["proposed"]
    assert post(client, address + "review/", status=403, decision="accepted")
    client.force_login(staff)
    assert post(client, address + "review/", decision="accepted")["published"]
    client.logout()
    assert [each["name"] for each in client.get(DATA).json()["results"]] == ["Organisms"]
    assert client.post(f"{DATA}{address}withdraw/").status_code == 401
    client.force_login(carol)
    assert post(client, address + "withdraw/")["state"] == "withdrawn"
    client.logout()
    assert client.get(DATA + address).status_code == 404


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"corpus": "nowhere"}, "corpus"),
        ({"corpus": ""}, "corpus"),
        ({"search": "q=x"}, "corpus"),
        ({"servers": ["nobody"]}, "servers"),
        ({"producers": [2**63 - 1]}, "producers"),
        ({"kinds": ["words"]}, "kinds.0"),
        ({"licence": "mine"}, "licence"),
        ({"method": "best"}, "method"),
        ({"threshold": "NaN", "method": "votes"}, "threshold"),
        ({"weights": "one:2:x"}, "weights"),
    ],
)
def test_it_names_what_is_wrong(corpus, carol, client, changes, field):
    client.force_login(carol)
    problem = post(client, status=400, **NEW | changes)
    assert [fault["loc"] for fault in problem["errors"]] == [field]
    assert not DataSet.objects.exists()


def test_reading_takes_a_fixed_number_of_queries(corpus, carol, staff, client, django_assert_num_queries):
    data_set = build_data_set(carol, corpus)
    publish_data_set(data_set, staff)
    with django_assert_num_queries(5):
        assert client.get(f"{DATA}{data_set.pk}/").status_code == 200
    with django_assert_num_queries(2):
        client.get(DATA)


def test_published_ones_come_before_the_others(corpus, carol, staff, client):
    published = build_data_set(carol, corpus)
    publish_data_set(published, staff)
    newer = build_data_set(carol, corpus, name="Newer")
    client.force_login(carol)
    assert [each["id"] for each in client.get(DATA).json()["results"]] == [published.pk, newer.pk]
