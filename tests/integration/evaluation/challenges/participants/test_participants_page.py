"""Teams that agreed to be named, and the facts that readers are told about a challenge."""

import pytest
import yaml

from evaluation.challenges.citation.formats import format_bibtex
from evaluation.challenges.models import Challenge, ChallengeState, Entrant
from servers.teams.models import Membership, Team

pytestmark = pytest.mark.django_db
PAGE = "/challenges/example/participants/"


def name_team(client, slug, **fields):
    return client.post(PAGE, {"team": slug, **fields})


def test_a_team_is_named_once_a_member_agreed(client, phase, reader, alice):
    assert "Team Alpha" not in client.get(PAGE).content.decode()
    client.force_login(alice)
    assert name_team(client, "team-alpha", listed="1").status_code == 302
    client.logout()
    assert "Team Alpha" in client.get(PAGE).content.decode()
    client.force_login(alice)
    name_team(client, "team-alpha")
    client.logout()
    assert "Team Alpha" not in client.get(PAGE).content.decode()


def test_nobody_else_names_it(client, phase, reader, carol):
    Team.objects.create(name="Empty", slug="empty")
    for slug in ("team-alpha", "empty"):
        assert name_team(client, slug, listed="1").status_code == 404
    client.force_login(carol)
    assert name_team(client, "team-alpha", listed="1").status_code == 404
    assert not Entrant.objects.exists()


def test_a_team_that_cannot_take_part_is_not_named(client, phase, reader, alice):
    client.force_login(alice)
    name_team(client, "team-alpha", listed="1")
    client.logout()
    assert "Team Alpha" in client.get(PAGE).content.decode()
    Challenge.objects.update(terms="New terms.")
    assert "Team Alpha" not in client.get(PAGE).content.decode()


def test_an_agreement_can_always_be_taken_back(client, phase, reader, alice):
    client.force_login(alice)
    name_team(client, "team-alpha", listed="1")
    Challenge.objects.update(terms="New terms.", state=ChallengeState.ARCHIVED)
    assert "Do not name Team Alpha" in client.get(PAGE).content.decode()
    name_team(client, "team-alpha")
    assert not Entrant.objects.get().listed


def test_a_team_with_an_organizer_is_not_named(client, phase, reader, alice, olga):
    Membership.objects.create(team=reader.team, user=olga, role=Membership.Role.MEMBER)
    client.force_login(alice)
    name_team(client, "team-alpha", listed="1")
    assert not Entrant.objects.exists()


def test_nobody_joins_a_challenge_that_is_over_by_being_named(client, phase, reader, alice):
    Challenge.objects.update(state=ChallengeState.ARCHIVED)
    client.force_login(alice)
    assert "Name Team Alpha" not in client.get(PAGE).content.decode()
    name_team(client, "team-alpha", listed="1")
    assert not Entrant.objects.exists()


def test_organizers_tell_readers_whom_to_ask_and_how_to_cite(organizer, client, phase):
    rules = {"name": "Example challenge", "entrance": "open", "file_rules": "library"}
    facts = {
        "organizer_names": "Ada Lovelace; Grace & Co",
        "contact": "ask@example.org",
        "doi": "https://doi.org/10.1093/database/baw032",
        "citation": "Cite us.",
        "data_licence": "CC BY 4.0",
    }
    assert organizer.post("/challenges/example/description/", rules | facts).status_code == 302
    client.logout()
    page = client.get("/challenges/example/").content.decode()
    for words in ("Ada Lovelace, Grace &amp; Co", "mailto:ask@example.org", "doi:10.1093/database/baw032", "CC BY 4.0"):
        assert words in page
    bibtex = client.get("/challenges/example/cite/bibtex/").content.decode()
    assert "author = {{Ada Lovelace} and {Grace \\& Co}}" in bibtex
    assert "doi = {10.1093/database/baw032}" in bibtex
    cff = yaml.safe_load(client.get("/challenges/example/cite/cff/").content)
    assert cff["authors"] == [{"name": "Ada Lovelace"}, {"name": "Grace & Co"}]
    assert cff["doi"] == "10.1093/database/baw032"
    assert client.get("/challenges/example/cite/ris/").status_code == 404


@pytest.mark.parametrize(("field", "value"), [("contact", "nobody"), ("contact", "javascript:x"), ("doi", "11.1/x")])
def test_it_refuses_a_contact_or_doi_that_is_none(organizer, phase, field, value):
    rules = {"name": "Example challenge", "entrance": "open", "file_rules": "library", field: value}
    assert organizer.post("/challenges/example/description/", rules).status_code == 422
    assert not Challenge.objects.exclude(contact="", doi="").exists()


def test_bibtex_escapes_what_latex_reads(phase):
    phase.challenge.name = "50% of {genes} & x_y \\input{z}"
    entry = format_bibtex(phase.challenge)
    assert "50\\% of \\textbraceleft{}genes\\textbraceright{} \\& x\\_y \\textbackslash{}input\\textbrace" in entry


def test_the_description_is_markdown(client, phase):
    Challenge.objects.update(description="# Tasks\n\nRead [this](https://example.org). <script>x</script>")
    page = client.get("/challenges/example/").content.decode()
    assert "<h3>Tasks</h3>" in page
    assert "<script>x" not in page


def test_the_timeline_shows_each_phase(client, phase):
    page = client.get("/challenges/example/").content.decode()
    assert page.count('class="bar"') == page.count('class="today"') == page.count("<b>today</b>") == 1
    assert "no end" in page


def test_a_contact_that_an_archive_brought_is_no_script(client, phase):
    Challenge.objects.update(contact="javascript:alert(1)//@")
    page = client.get("/challenges/example/").content.decode()
    assert "javascript:alert(1)//@" in page
    assert 'href="javascript' not in page
