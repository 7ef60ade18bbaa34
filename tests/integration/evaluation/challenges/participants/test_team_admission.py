"""Which teams take part: terms accepted, approved by the organizers, named by them."""

import pytest

from evaluation.challenges.models import Challenge, Entrant
from evaluation.challenges.participants import admission
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.errors import ChallengeError
from tests.integration.evaluation_cast import make_server

pytestmark = pytest.mark.django_db


@pytest.fixture
def phase(challenge):
    return challenge.phases.get()


def set_challenge_rules(challenge, **rules):
    Challenge.objects.filter(pk=challenge.pk).update(**rules)
    challenge.refresh_from_db()


def test_it_asks_for_nothing_unless_the_challenge_does(reader, phase, alice):
    assert enter_eligible_server_and_enqueue_articles(reader, phase, alice)
    assert not Entrant.objects.exists()


def test_it_asks_for_the_terms_to_be_accepted_once(reader, challenge, team, alice):
    set_challenge_rules(challenge, terms="Cite the paper.")
    phase = challenge.phases.get()
    with pytest.raises(ChallengeError, match="Nobody has accepted the terms of Example challenge for Team Alpha"):
        enter_eligible_server_and_enqueue_articles(reader, phase, alice)
    first = admission.accept_terms_or_refuse_ineligible_team(challenge, team, alice)
    assert (first.accepted_by, admission.accept_terms_or_refuse_ineligible_team(challenge, team, alice).accepted) == (
        alice,
        first.accepted,
    )
    assert enter_eligible_server_and_enqueue_articles(reader, phase, alice)


def test_it_asks_again_when_the_terms_have_changed_and_keeps_what_was_accepted(reader, challenge, team, alice, olga):
    set_challenge_rules(challenge, terms="Cite the paper.")
    first = admission.accept_terms_or_refuse_ineligible_team(challenge, team, alice)
    assert first.accepted_terms == "Cite the paper."
    set_challenge_rules(challenge, terms="Cite both papers.")
    assert admission.find_entrant_even_if_not_admitted(challenge, team).accepted_terms == "Cite the paper."
    with pytest.raises(ChallengeError, match=r"have changed since Team Alpha accepted them. Accept them again"):
        enter_eligible_server_and_enqueue_articles(reader, challenge.phases.get(), alice)
    again = admission.accept_terms_or_refuse_ineligible_team(challenge, team, alice)
    assert again.accepted > first.accepted
    assert enter_eligible_server_and_enqueue_articles(reader, challenge.phases.get(), alice)


def test_it_shows_the_button_again_when_the_terms_have_changed(client, challenge, team, alice, olga):
    set_challenge_rules(challenge, terms="Cite the paper.")
    admission.accept_terms_or_refuse_ineligible_team(challenge, team, alice)
    client.force_login(alice)
    button = "Accept the terms for Team Alpha"
    assert button not in client.get("/challenges/example/").content.decode()
    set_challenge_rules(challenge, terms="Cite both papers.")
    assert button in client.get("/challenges/example/").content.decode()
    client.force_login(olga)
    assert "earlier terms accepted" in client.get("/challenges/example/organize/").content.decode()


def test_it_lets_members_alone_accept_for_a_team(challenge, team, carol):
    with pytest.raises(ChallengeError, match="Only members of Team Alpha can enter it"):
        admission.accept_terms_or_refuse_ineligible_team(challenge, team, carol)


def test_it_waits_for_approval_and_can_take_it_back(reader, challenge, team, alice, olga):
    set_challenge_rules(challenge, approve_teams=True)
    phase = challenge.phases.get()
    with pytest.raises(ChallengeError, match=r"approve each team. Ask to take part"):
        enter_eligible_server_and_enqueue_articles(reader, phase, alice)
    admission.accept_terms_or_refuse_ineligible_team(challenge, team, alice)
    with pytest.raises(ChallengeError, match=r"have not approved Team Alpha yet. Wait for their decision"):
        enter_eligible_server_and_enqueue_articles(reader, phase, alice)
    assert admission.approve_team_without_organizers(challenge, team, olga).approved_by == olga
    assert enter_eligible_server_and_enqueue_articles(reader, phase, alice)
    assert admission.withdraw_team_approval(challenge, team)
    assert not admission.withdraw_team_approval(challenge, team)
    with pytest.raises(ChallengeError, match="have not approved"):
        admission.check_team_may_take_part(challenge, team)


def test_it_takes_named_teams_alone_where_the_challenge_says_so(reader, challenge, team, alice, olga):
    set_challenge_rules(challenge, entrance="invited", terms="Cite the paper.")
    phase = challenge.phases.get()
    for step in (
        lambda: admission.accept_terms_or_refuse_ineligible_team(challenge, team, alice),
        lambda: enter_eligible_server_and_enqueue_articles(reader, phase, alice),
    ):
        with pytest.raises(ChallengeError, match=r"open only to teams that its organizers invite. Ask them to invite"):
            step()
    admission.approve_team_without_organizers(challenge, team, olga)
    with pytest.raises(ChallengeError, match="accepted the terms"):
        enter_eligible_server_and_enqueue_articles(reader, phase, alice)
    admission.accept_terms_or_refuse_ineligible_team(challenge, team, alice)
    assert enter_eligible_server_and_enqueue_articles(reader, phase, alice)


def test_it_lets_so_many_servers_of_a_team_in_as_the_phase_says(team, phase, alice):
    phase.online_runs = 1
    phase.save()
    assert enter_eligible_server_and_enqueue_articles(make_server(team, "first"), phase, alice)
    with pytest.raises(
        ChallengeError, match="Team Alpha has 1 servers in ACT of the training phase, and the limit is 1"
    ):
        enter_eligible_server_and_enqueue_articles(make_server(team, "second"), phase, alice)
