"""What a site has before its users come, written with the settings of the deployment: `python -m ...content`.

A team with its manager alice, and a challenge with a training phase over a corpus of four articles.
"""

import os

import django


def write_content() -> None:
    from allauth.account.models import EmailAddress
    from django.contrib.auth.models import User

    from servers.teams.models import Membership, Team
    from tests.integration.evaluation_cast import make_challenge, make_corpus

    accounts = {}
    for name in ("alice", "olga"):
        address = f"{name}@example.org"
        account = User.objects.create_user(name, address, "a-long-password")
        EmailAddress.objects.create(user=account, email=address, verified=True, primary=True)
        accounts[name] = account
    team = Team.objects.create(name="Team Alpha", slug="team-alpha")
    Membership.objects.create(team=team, user=accounts["alice"], role="manager")
    make_challenge(accounts["olga"], make_corpus())


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "bcms.settings"
    django.setup()
    write_content()
