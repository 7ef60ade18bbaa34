"""How fast a curator can work on a text of a hundred pages with 20,000 annotations, and twenty curators at once.

    python -m tests.benchmarks.curating [--paragraphs 500] [--decisions 50] [--curators 20] [--each 50]

Prints the time to open the workspace for the first time (the candidates are built), again, and of a decision as the
page sends and shows it; the aim is 1 s for opening and 100 ms at the 95th percentile for a decision. Then curators
decide at once, each in a thread of its own, and send every tenth decision twice, as after a broken connection; it
counts the decisions that are lost or doubled.
"""

import statistics
import threading
import time

from tests.benchmarks.article_page import measure_milliseconds, print_times, read_annotations
from tests.benchmarks.command_line import print_ratio, run_main
from tests.benchmarks.django_setup import set_up_empty_site
from tests.benchmarks.spent import measure_time

FRAGMENT = {"X-Fragment": "item"}


def measure_curation(paragraphs, decisions, curators, each):
    from django.contrib.auth.models import User
    from django.db import connection
    from django.test import Client

    import bcms.wsgi  # noqa: F401 - configures the garbage collector as in the site's processes
    from servers.calls.models import Queue
    from tests.benchmarks.annotated_articles import make_annotated_articles, make_long_article

    make_annotated_articles(1, 4)
    article = make_long_article(list(Queue.objects.order_by("pk")), paragraphs)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    print(f"{len(article.text):,} characters, {len(read_annotations(article)):,} annotations")
    reading = print_times("annotations alone", [lambda: read_annotations(article)] * 5)
    client = Client()
    client.force_login(User.objects.create_user("curator"))
    address = client.post(f"/articles/{article.pmid}/curate/").url
    print_first_opening(client, address)
    for step in ("organisms", "entities", "entities&kind=mention", "check"):
        median = print_times(f"opened, {step[-9:]}", [lambda s=step: client.get(f"{address}?step={s}")] * 5)
        print_ratio(f"opening {step} / reading the annotations alone", median, reading)
    measure_decisions(client, address, decisions, reading)
    measure_at_once(article, curators, each)


def print_first_opening(client, address):
    """There is one only; its processor time tells more where others use the machine, too."""
    with measure_time() as spent:
        client.get(address)
    clock, own, database = (1000 * seconds for seconds in (spent.clock, spent.own, spent.database))
    print(f"opened first       {clock:.0f} ms   (CPU {own:.0f} ms + {database:.0f} ms in the database)")


def build_query(kind):
    """What the page has in the address of the forms of its items."""
    from annotations.curation.models import CandidateList

    return f"?step=entities&kind={kind}&page=1&list={CandidateList.objects.get().pk}"


def list_keys(kind):
    from annotations.curation.models import Candidate

    return list(Candidate.objects.filter(kind=kind).order_by("position").values_list("key", flat=True))


def measure_decisions(client, address, decisions, reading):
    """One decision after the other on entities, the details of each, then on all mentions of a text at once."""
    numbers = iter(range(10**6))

    def decide(query, **fields):
        number = next(numbers)
        values = {"action": "accept", "seen": number, "token": f"decision-{number}", **fields}
        answer = client.post(f"{address}decide/{query}", values, headers=FRAGMENT)
        assert answer.status_code == 200, answer.content

    def show_item(key):
        answer = client.get(f"{address}item/", {"kind": "entity", "key": key}, headers=FRAGMENT)
        assert answer.status_code == 200, answer.content

    entities = list_keys("entity")[:decisions]
    median = print_times(
        "a decision", [lambda k=key: decide(build_query("entity"), kind="entity", key=k) for key in entities]
    )
    print_ratio("a decision / reading the annotations alone", median, reading)
    median = print_times("details of an item", [lambda k=key: show_item(k) for key in entities])
    print_ratio("details of an item / reading the annotations alone", median, reading)
    groups = list(dict.fromkeys(list_groups()))[:decisions]
    median = print_times(
        "same text at once",
        [lambda g=group: decide(build_query("mention"), kind="mention", group=g) for group in groups],
    )
    print_ratio("all mentions of a text / reading the annotations alone", median, reading)


def list_groups():
    from annotations.curation.models import Candidate

    rows = Candidate.objects.filter(kind="mention").order_by("position")
    return [f"{group}\tgene" for group in rows.values_list("group", flat=True)]


def measure_at_once(article, curators, each):
    """Each curator decides in a thread of its own; every decision has to be stored once."""
    from django.contrib.auth.models import User
    from django.db import connection
    from django.test import Client

    from annotations.curation.models import Decision

    entities, query, times = list_keys("entity"), build_query("entity"), []

    def curate(number):
        client = Client()
        client.force_login(User.objects.create_user(f"curator-{number}"))
        address = client.post(f"/articles/{article.pmid}/curate/").url
        client.get(address)
        for index in range(each):
            values = {"action": "accept", "seen": index, "token": f"decision-{index}", "kind": "entity"}
            values["key"] = entities[index % len(entities)]
            for _ in range(2 if index % 10 == 9 else 1):
                times.append(
                    measure_milliseconds(lambda v=values: client.post(f"{address}decide/{query}", v, headers=FRAGMENT))
                )
        connection.close()

    before = Decision.objects.count()
    threads = [threading.Thread(target=curate, args=[number]) for number in range(curators)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - start
    stored, sent = Decision.objects.count() - before, curators * each
    p95 = statistics.quantiles(times, n=20)[-1]
    print(f"{curators} curators at once: {sent} decisions in {seconds:.1f} s, p95 {p95:.0f} ms")
    print(f"lost {max(sent - stored, 0)}, doubled {max(stored - sent, 0)}")
    print_ratio("stored / sent decisions", stored, sent)


def main(paragraphs: int = 500, decisions: int = 50, curators: int = 20, each: int = 50) -> None:
    with set_up_empty_site():
        measure_curation(paragraphs, decisions, curators, each)


if __name__ == "__main__":
    run_main(main)
