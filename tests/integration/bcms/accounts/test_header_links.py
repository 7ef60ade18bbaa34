"""The links of the header that depend on the reader."""

import pytest

from bcms.accounts.header_links import load_header_links
from servers.teams.models import Membership, Team
from tests.integration.article_cast import make_read_article
from tests.integration.curation_cast import begin
from tests.integration.project_cast import make_project

pytestmark = pytest.mark.django_db
LINK = 'href="/curation/"'


def has_link(client, user):
    client.force_login(user)
    return LINK in client.get("/").content.decode()


def test_only_those_who_have_something_there_see_curation(client, alice, carol, olga):
    assert LINK not in client.get("/").content.decode()
    assert [has_link(client, user) for user in (alice, carol, olga)] == [False, False, False]
    begin(alice, make_read_article())
    assert [has_link(client, user) for user in (alice, carol, olga)] == [True, False, False]
    project = make_project(olga, carol)
    assert [has_link(client, user) for user in (alice, carol, olga)] == [True, True, True]
    project.curators.update(released="2026-03-02T12:00:00Z")
    assert not has_link(client, carol)
    project.adjudicators.add(carol)
    assert has_link(client, carol)


def test_it_loads_everything_with_one_query(alice, team, django_assert_num_queries):
    Membership.objects.create(user=alice, team=Team.objects.create(name="Alpha <1>", slug="first"))
    with django_assert_num_queries(1):
        links = load_header_links(alice)
    assert [each["slug"] for each in links.teams] == ["first", "team-alpha"]
    assert links.curates is False


def test_the_link_is_marked_on_its_pages(client, alice):
    begin(alice, make_read_article())
    client.force_login(alice)
    assert f'{LINK} aria-current="page"' in client.get("/curation/").content.decode()


def test_the_names_of_teams_are_escaped(client, alice, team):
    Team.objects.filter(pk=team.pk).update(name="<b>Alpha")
    client.force_login(alice)
    assert "&lt;b&gt;Alpha" in client.get("/").content.decode()
