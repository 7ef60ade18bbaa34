"""Teams in the browser: created, joined by invitation, managed, left; and what an invitation is not good for."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone

from servers.teams import membership
from servers.teams.invitations import accept_invitation_and_add_or_promote, create_or_renew_invitation
from servers.teams.membership import MembershipError
from servers.teams.models import Invitation, Membership, Team
from tests.conftest import confirm_email_address
from tests.postbox import find_message_link

pytestmark = pytest.mark.django_db


@pytest.fixture
def dan(team, django_user_model):
    """Member of alice's team."""
    dan = confirm_email_address(django_user_model.objects.create_user("dan", "dan@example.org", "a-long-password"))
    Membership.objects.create(team=team, user=dan)
    return dan


def press(client, name, *place, **sent):
    return client.post(reverse(name, args=["team-alpha", *place]), sent, follow=True)


def read_page_source(response):
    return " ".join(response.content.decode().split())


def invite_by_mail(client, alice, postbox, email="carol@example.org", role="member"):
    """The link that arrives when alice invites."""
    client.force_login(alice)
    answer = press(client, "team-invite", email=email, role=role)
    assert f"An invitation was sent to {email.lower()}." in read_page_source(answer)
    client.logout()
    message = postbox.one()
    assert message["To"] == email.lower()
    return find_message_link(message)


def find_team_role(user):
    return Membership.objects.filter(user=user).values_list("role", flat=True).first()


def test_it_creates_a_team_whose_creator_is_its_manager(client, carol):
    client.force_login(carol)
    page = read_page_source(client.post("/teams/new/", {"name": "  Team\n Ωmega "}, follow=True))
    team = Team.objects.get()
    assert (team.name, team.slug) == ("Team Ωmega", "team-mega")
    assert find_team_role(carol) == "manager"
    assert "You are its manager" in page


@pytest.mark.parametrize(("name", "slug"), [("New", "new-2"), ("Team: Alpha!", "team-alpha-2"), ("チーム", "team")])
def test_it_gives_each_team_an_address_of_its_own(client, team, carol, name, slug):
    client.force_login(carol)
    assert client.post("/teams/new/", {"name": name}).url == f"/teams/{slug}/"


@pytest.mark.parametrize("name", ["", "team ALPHA", "Team\u202eXYZ"])
def test_it_says_what_is_wrong_with_a_name(client, team, carol, name):
    client.force_login(carol)
    response = client.post("/teams/new/", {"name": name})
    assert response.status_code == 422
    assert response.context["form"].errors["name"]
    assert Team.objects.count() == 1


def test_it_says_that_somebody_was_faster(alice, carol):
    membership.create_team_unless_name_taken("Team Beta", alice)
    with pytest.raises(MembershipError, match="exists already"):
        membership.create_team_unless_name_taken("Team Beta", carol)


def test_it_sends_an_invitation_that_its_reader_accepts(client, alice, team, carol, postbox):
    link = invite_by_mail(client, alice, postbox, "Carol@Example.org")
    client.force_login(carol)
    assert "alice invited carol@example.org to the team as a member." in read_page_source(client.get(link))
    assert find_team_role(carol) is None
    assert "You are now on Team Alpha." in read_page_source(client.post(link, follow=True))
    assert find_team_role(carol) == "member"


def test_it_says_in_the_mail_who_invites_to_what(client, alice, team, postbox):
    client.force_login(alice)
    press(client, "team-invite", email="eve@example.org", role="manager")
    message = postbox.one()
    assert message["Subject"] == "[BCMS] alice invites you to Team Alpha"
    assert "alice invited you to join the team Team Alpha on the BioCreative Meta-Server as a manager." in str(message)


def test_it_lets_somebody_without_an_account_sign_up_and_accept(client, alice, team, postbox, django_user_model):
    link = invite_by_mail(client, alice, postbox, "eve@example.org", "manager")
    page = read_page_source(client.get(link))
    assert "Sign up and accept" in page
    path = reverse("invitation", args=[link.rstrip("/").split("/")[-1]])
    signup = client.get("/signup/", {"next": path})
    assert 'value="eve@example.org"' in read_page_source(signup)
    person = {"username": "eve", "email": "eve@example.org", "password1": "correct horse battery"}
    answer = client.post("/signup/", {**person, "next": path})
    # The link was read in that mailbox: there is nothing left to confirm.
    assert answer.url == path
    assert postbox.fetch() == []
    client.post(link)
    assert find_team_role(django_user_model.objects.get(username="eve")) == "manager"


def test_it_lets_nobody_keep_an_address_from_its_owner(client, alice, team, postbox, django_user_model):
    person = {"username": "mallory", "email": "eve@example.org", "password1": "correct horse battery"}
    client.post("/signup/", person)
    postbox.fetch()
    link = invite_by_mail(client, alice, postbox, "eve@example.org")
    client.get(link)
    client.post("/signup/", {**person, "username": "eve"})
    client.post(link)
    assert find_team_role(django_user_model.objects.get(username="eve")) == "member"
    assert not django_user_model.objects.filter(username="mallory").exists()


def test_it_shows_no_markup_of_others(client, alice, carol, postbox):
    client.force_login(alice)
    client.post("/teams/new/", {"name": "<script>x</script> & {{ 7 }}"})
    place = reverse("team-invite", args=[Team.objects.get().slug])
    client.post(place, {"email": "carol@example.org", "role": "member"})
    message = postbox.one()
    assert "the team <script>x</script> & {{ 7 }} on" in message.get_content()
    client.force_login(carol)
    page = read_page_source(client.get(find_message_link(message)))
    assert "Invitation to &lt;script&gt;x&lt;/script&gt; &amp; {{ 7 }}" in page


def test_it_lets_a_member_become_manager_by_invitation_but_never_less(client, alice, team, dan, postbox):
    link = invite_by_mail(client, alice, postbox, "dan@example.org", "manager")
    client.force_login(dan)
    client.post(link)
    assert find_team_role(dan) == "manager"
    link = invite_by_mail(client, alice, postbox, "dan@example.org", "member")
    client.force_login(dan)
    client.post(link)
    assert find_team_role(dan) == "manager"


def test_it_shows_invitations_on_the_account_page(client, alice, team, carol, postbox):
    invite_by_mail(client, alice, postbox)
    client.force_login(carol)
    page = read_page_source(client.get("/account/"))
    assert "Team Alpha" in page
    assert "View invitation" in page


def test_it_refuses_an_invitation_to_another_address(client, alice, team, olga, postbox):
    link = invite_by_mail(client, alice, postbox)
    client.force_login(olga)
    assert "carol@example.org is not a confirmed address of this account" in read_page_source(client.get(link))
    response = client.post(link)
    assert response.status_code == 403
    assert "This invitation is for carol@example.org" in read_page_source(response)
    assert find_team_role(olga) is None


def test_it_refuses_an_address_that_is_not_confirmed(client, alice, team, olga, postbox):
    link = invite_by_mail(client, alice, postbox)
    EmailAddress.objects.create(user=olga, email="carol@example.org", verified=False)
    client.force_login(olga)
    assert client.post(link).status_code == 403
    assert find_team_role(olga) is None


def test_it_takes_an_invitation_once(client, alice, team, carol, postbox):
    link = invite_by_mail(client, alice, postbox)
    client.force_login(carol)
    client.post(link)
    Membership.objects.filter(user=carol).delete()
    response = client.post(link)
    assert response.status_code == 403
    assert "was already accepted" in read_page_source(response)
    assert find_team_role(carol) is None


def test_it_takes_an_invitation_once_even_at_the_same_moment(alice, team, carol):
    first = create_or_renew_invitation(team, "carol@example.org", "member", alice)
    second = Invitation.objects.get(pk=first.pk)
    accept_invitation_and_add_or_promote(first, carol)
    with pytest.raises(MembershipError, match="just accepted or withdrawn"):
        accept_invitation_and_add_or_promote(second, carol)


def test_it_refuses_an_old_invitation_until_it_is_sent_again(client, alice, team, carol, postbox):
    link = invite_by_mail(client, alice, postbox)
    Invitation.objects.update(created=timezone.now() - timedelta(days=14, seconds=1))
    client.force_login(carol)
    assert "expired after 14 days" in read_page_source(client.get(link))
    assert client.post(link).status_code == 403
    link = invite_by_mail(client, alice, postbox)
    client.force_login(carol)
    client.post(link)
    assert find_team_role(carol) == "member"
    assert Invitation.objects.count() == 1


def test_it_refuses_an_invitation_that_was_taken_back(client, alice, team, carol, postbox):
    link = invite_by_mail(client, alice, postbox)
    client.force_login(alice)
    press(client, "team-withdraw", Invitation.objects.get().pk)
    client.force_login(carol)
    refused = read_page_source(client.post(link))
    assert "does not exist or was withdrawn" in refused
    assert '<a class="button" href="/">Home page</a>' in refused
    assert find_team_role(carol) is None


def test_it_refuses_an_invitation_to_a_team_that_is_gone(client, alice, team, carol, postbox):
    link = invite_by_mail(client, alice, postbox)
    client.force_login(alice)
    assert "Team Alpha was deleted." in read_page_source(press(client, "team-dissolve"))
    client.force_login(carol)
    assert client.post(link).status_code == 403


def test_it_refuses_a_made_up_link(client, carol):
    client.force_login(carol)
    assert client.get("/invitations/MQ:1tXYZa:bad/").status_code == 403


def test_it_takes_back_an_invitation_of_its_own_team_alone(client, alice, team, carol):
    other = membership.create_team_unless_name_taken("Team Beta", carol)
    invitation = create_or_renew_invitation(other, "eve@example.org", "member", carol)
    client.force_login(alice)
    press(client, "team-withdraw", invitation.pk)
    assert Invitation.objects.count() == 1


def test_it_says_what_is_wrong_with_an_address(client, alice, team, postbox):
    client.force_login(alice)
    response = client.post(reverse("team-invite", args=["team-alpha"]), {"email": "eve", "role": "owner"})
    assert response.status_code == 422
    assert set(response.context["form"].errors) == {"email", "role"}
    assert postbox.fetch() == []


def test_it_stops_who_invites_very_often(client, alice, team, postbox):
    client.force_login(alice)
    place = reverse("team-invite", args=["team-alpha"])
    answers = [
        client.post(place, {"email": f"{number}@example.org", "role": "member"}).status_code for number in range(21)
    ]
    assert answers == [302] * 20 + [429]
    assert len(postbox.fetch()) == 20


@pytest.mark.parametrize("name", ["team-invite", "team-withdraw", "team-role", "team-remove", "team-dissolve"])
def test_it_lets_no_member_do_what_managers_do(client, alice, team, dan, name):
    invitation = create_or_renew_invitation(team, "eve@example.org", "member", alice)
    place = {"team-withdraw": [invitation.pk], "team-role": [dan.pk], "team-remove": [alice.pk]}.get(name, [])
    client.force_login(dan)
    assert press(client, name, *place, role="manager", email="eve@example.org").status_code == 403
    assert (find_team_role(dan), find_team_role(alice), Invitation.objects.count()) == ("member", "manager", 1)


def test_it_shows_members_the_team_but_not_the_invitations(client, alice, team, dan):
    create_or_renew_invitation(team, "eve@example.org", "member", alice)
    client.force_login(dan)
    page = read_page_source(client.get("/teams/team-alpha/"))
    assert "Leave team" in page
    assert "eve@example.org" not in page
    assert "Invite" not in page


def test_it_changes_a_role_and_removes_a_member(client, alice, team, dan):
    client.force_login(alice)
    assert "dan is now a manager." in read_page_source(press(client, "team-role", dan.pk, role="manager"))
    assert "dan is now a member." in read_page_source(press(client, "team-role", dan.pk, role="member"))
    assert "Select one of the two roles" in read_page_source(press(client, "team-role", dan.pk, role="owner"))
    create_or_renew_invitation(team, "dan@example.org", "manager", alice)
    assert "dan was removed from the team." in read_page_source(press(client, "team-remove", dan.pk))
    assert find_team_role(dan) is None
    # Nor may he come back by what was on its way to him.
    assert not Invitation.objects.exists()


def test_it_lets_a_member_leave(client, team, dan):
    client.force_login(dan)
    assert "You have left Team Alpha." in read_page_source(press(client, "team-leave"))
    assert find_team_role(dan) is None


def test_it_keeps_one_manager(client, alice, team, dan):
    client.force_login(alice)
    for answer in (press(client, "team-leave"), press(client, "team-role", alice.pk, role="member")):
        assert "needs a manager" in read_page_source(answer)
    assert find_team_role(alice) == "manager"
    press(client, "team-role", dan.pk, role="manager")
    press(client, "team-leave")
    assert (find_team_role(alice), find_team_role(dan)) == (None, "manager")


def leave(team, user):
    try:
        membership.remove_member_and_invitations_unless_last_manager(team, user.pk)
    finally:
        connection.close()


def wait_until_somebody_waits():
    with connection.cursor() as cursor:
        while cursor.rowcount < 1:
            cursor.execute("SELECT 1 FROM pg_locks WHERE NOT granted")


@pytest.mark.django_db(transaction=True)
def test_it_keeps_one_manager_when_two_leave_at_the_same_moment(team, alice, dan):
    Membership.objects.update(role="manager")
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            membership.remove_member_and_invitations_unless_last_manager(team, dan.pk)
            leaving = pool.submit(leave, team, alice)
            wait_until_somebody_waits()
        with pytest.raises(MembershipError, match="needs a manager"):
            leaving.result()
    assert (find_team_role(alice), find_team_role(dan)) == ("manager", None)


def test_it_dissolves_no_team_that_has_servers(client, alice, team, server):
    client.force_login(alice)
    assert "Team Alpha has servers" in read_page_source(press(client, "team-dissolve"))
    assert Team.objects.exists()


def test_it_shows_a_team_of_any_size_with_the_same_queries(
    client, alice, team, server, dan, django_user_model, django_assert_num_queries
):
    for number in range(3):
        member = django_user_model.objects.create_user(f"member-{number}")
        Membership.objects.create(team=team, user=member)
        create_or_renew_invitation(team, f"{number}@example.org", "member", alice)
    client.force_login(alice)
    with django_assert_num_queries(12):
        client.get("/teams/team-alpha/")
