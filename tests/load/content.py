"""What the site of a load test has, written with the settings of the deployment; prints the plan of the visitors.

    python -m tests.load.content fill PORT SIZES
    python -m tests.load.content begin-phase PORT SERVERS

fill: abstracts with annotations, three public servers, a board, and organizers who import; SIZES is JSON. begin-phase:
so many servers of teams that have all full texts in their queues. PORT: of tests.benchmarks.quick_annotators.
"""

import hashlib
import json
import os
import sys
from contextlib import redirect_stdout
from typing import Any

PUBLIC_SERVERS, SERVERS_OF_A_TEAM = 3, 3
FIRST_FULL_TEXT, NEXT_PMID = 40_000_000, 50_000_000
IMPORTERS = 60
FORMATS = ("ndjson", "bioc-xml", "pubtator", "parquet-annotations")
WORDS = ("cadherin", "CDH1", "TNF-alpha", "receptor", "patients", "EGFR+nuclei", "p53")


def fill(port: int, sizes: dict[str, int]) -> dict[str, Any]:
    from django.db import transaction

    from annotations.articles.models import Article
    from annotations.results.article_summaries import update_summaries_returning_whether_more_remain
    from servers.registry.models import Server
    from servers.registry.states import ServerState
    from tests.benchmarks import quick_annotators
    from tests.benchmarks.mixed_site import make_board_and_abstracts

    # The workers of the deployment see all of it at once; else they would score and rank what is half there. What the
    # making of the board prints is no plan.
    with transaction.atomic(), redirect_stdout(sys.stderr):
        abstracts = make_board_and_abstracts(sizes["runs"], sizes["board_articles"], sizes["abstracts"], PUBLIC_SERVERS)
    for number, server in enumerate(Server.objects.order_by("pk")):
        Server.objects.filter(pk=server.pk).update(url=f"http://127.0.0.1:{port}/{number}", state=ServerState.OFFLINE)
        start_server(server.pk)
    Article.objects.bulk_create([make_full_text(number) for number in range(sizes["full_texts"])], batch_size=100)
    while update_summaries_returning_whether_more_remain():
        pass
    return {
        "abstracts": [article.pmid for article in abstracts],
        "full_texts": [FIRST_FULL_TEXT + number for number in range(sizes["full_texts"])],
        "tokens": make_tokens(IMPORTERS),
        "board": "/challenges/board/training/GN/",
        "formats": FORMATS,
        "words": WORDS,
        "next_pmid": NEXT_PMID,
        "abstract": quick_annotators.ABSTRACT,
    }


def start_server(pk: int) -> None:
    from servers.registry import lifecycle
    from servers.registry.models import Server

    lifecycle.bring_server_online_and_resume_resting_queues(Server.objects.get(pk=pk))


def make_full_text(number: int) -> Any:
    """A paper of ten pages: 30,000 characters in 50 paragraphs."""
    from annotations.articles.models import Article
    from tests.benchmarks.annotated_articles import GENE_NAMES, make_paragraph

    passages = [
        {"type": "title", "text": f"CDH1 CTNNB1 in case {number}"},
        {"type": "abstract", "text": "AKT1 was seen."},
    ]
    passages += [{"type": "paragraph", "text": make_paragraph(1000 * number + each, GENE_NAMES)} for each in range(50)]
    text = "\n".join(passage["text"] for passage in passages)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Article(
        pmid=FIRST_FULL_TEXT + number, passages=passages, text=text, content_hash=digest, journal="J Load", year=2021
    )


def make_tokens(number: int) -> list[str]:
    """Tokens of administrators, one each."""
    from django.contrib.auth.models import User

    from bcms.accounts.tokens import create_api_token_including_read_scope

    accounts = [
        User.objects.create_user(f"importer-{each}", f"i{each}@example.org", is_staff=True, is_superuser=True)
        for each in range(number)
    ]
    return [create_api_token_including_read_scope(account, "load", ["organize"]) for account in accounts]


def begin_phase(port: int, servers: int) -> dict[str, Any]:
    """The servers that there are not yet, each with all full texts in its queue."""
    from django.conf import settings
    from django.utils.text import slugify

    from annotations.articles.models import Article
    from servers.calls.queues import contents
    from servers.calls.states import QueueMode
    from servers.registry.models import Server
    from servers.teams.models import Team

    ids = list(Article.objects.filter(pmid__range=(FIRST_FULL_TEXT, NEXT_PMID - 1)).values_list("pk", flat=True))
    for number in range(servers):
        name = f"Load {number // SERVERS_OF_A_TEAM}"
        team, _ = Team.objects.get_or_create(slug=slugify(name), defaults={"name": name})
        server, made = Server.objects.get_or_create(
            slug=f"phase-{number}",
            defaults={
                "team": team,
                "name": f"Phase {number}",
                "url": f"http://127.0.0.1:{port}/{PUBLIC_SERVERS + number}",
                "kinds": ["mention", "normalization"],
            },
        )
        if made:
            queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
            contents.enqueue_articles_without_open_or_test_call(queue, ids)
            start_server(server.pk)
    teams = Team.objects.filter(slug__startswith="load-").order_by("pk")
    return {"cookie": settings.SESSION_COOKIE_NAME, "members": [make_member(team) for team in teams]}


def make_member(team: Any) -> dict[str, Any]:
    """A manager of the team who has logged in."""
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.test import Client

    from servers.registry.models import Server
    from servers.teams.models import Membership

    account, _ = User.objects.get_or_create(username=team.slug, defaults={"email": f"{team.slug}@example.org"})
    Membership.objects.get_or_create(team=team, user=account, defaults={"role": "manager"})
    client = Client()
    client.force_login(account, settings.AUTHENTICATION_BACKENDS[0])
    slugs = list(Server.objects.filter(team=team).order_by("pk").values_list("slug", flat=True))
    return {"session": client.cookies[settings.SESSION_COOKIE_NAME].value, "servers": slugs}


def main(what: str, port: str, more: str) -> None:
    import django

    django.setup()
    plan = fill(int(port), json.loads(more)) if what == "fill" else begin_phase(int(port), int(more))
    print(json.dumps(plan))


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "bcms.settings"
    main(*sys.argv[1:])
