"""How long the home pages of a visitor, a team's member, an organizer and a curator take.

    python -m tests.benchmarks.home_pages [--runs 40] [--abstracts 100] [--servers 8] [--requests 25]

The team owns all servers and runs on a leaderboard, the organizer has the challenge, and the curator has begun ten
digital abstracts. Prints the median and the 95th percentile in milliseconds of the whole request inside the process;
the aim for each is 50 ms. The ratios compare with the visitor's page.
"""

from tests.benchmarks.article_page import print_times
from tests.benchmarks.command_line import print_ratio, run_main
from tests.benchmarks.django_setup import set_up_empty_site

ALLOWED = 50.0
BEGUN = 10


def make_people(articles):
    """Their clients, {name: client}."""
    from django.contrib.auth.models import User
    from django.test import Client

    from evaluation.challenges.models import Challenge
    from servers.registry.models import Server
    from servers.teams.models import Membership, Team

    team = Team.objects.filter(runs__isnull=False).order_by("pk").first()
    Server.objects.update(team=team)
    accounts = {name: User.objects.create_user(name) for name in ("member", "organizer", "curator")}
    Membership.objects.create(team=team, user=accounts["member"], role=Membership.Role.MANAGER)
    Challenge.objects.get(slug="board").organizers.add(accounts["organizer"])
    clients = {"visitor": Client()} | {name: Client() for name in accounts}
    for name, account in accounts.items():
        clients[name].force_login(account)
    for article in articles[:BEGUN]:
        assert clients["curator"].post(f"/articles/{article.pmid}/curate/").status_code == 302
    return clients


def main(runs: int = 40, abstracts: int = 100, servers: int = 8, requests: int = 25) -> None:
    with set_up_empty_site():
        from django.db import connection

        import bcms.wsgi  # noqa: F401 - configures the garbage collector as in the site's processes
        from tests.benchmarks.mixed_site import make_board_and_abstracts

        clients = make_people(make_board_and_abstracts(runs, 60, abstracts, servers))
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        medians = {}
        for name, client in clients.items():
            assert client.get("/").status_code == 200
            medians[name] = print_times(f"home of {name}", [lambda c=client: c.get("/")] * requests)
            print(f"{'':<18} {medians[name] / ALLOWED:.2f} of the {ALLOWED:g} ms that it may take")
        for name in ("member", "organizer", "curator"):
            print_ratio(f"home of {name} / of a visitor", medians[name], medians["visitor"])


if __name__ == "__main__":
    run_main(main)
