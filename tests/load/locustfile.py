"""The visitors that locust plays; `python -m tests.load` starts it in a process of its own, with its plan in LOAD_PLAN.

Each visitor comes from a loopback address of its own, so that the limits for each address count them as those of the
world. Whoever is refused waits as long as Retry-After says, as a browser's user or a careful program does.
"""

import itertools
import json
import os
import random
import re
import time
from pathlib import Path

import gevent
from locust import constant_pacing, events, task
from locust.contrib.fasthttp import FastHttpUser
from locust.exception import StopUser
from locust.stats import StatsEntry

from tests.load.figures import REFUSED, REFUSED_CODES

PLAN = json.loads(Path(os.environ["LOAD_PLAN"]).read_text())
LIVE = re.compile(r'data-live="([^"]+)" data-version="([^"]*)"')
ENDED = re.compile(r'data-live="[^"]+"[^>]* data-(?:done|settled)')
# What a page does (static/live.js).
POLL_SECONDS = 2
# A visitor who waited that long has left.
PATIENCE_SECONDS = 60
ADDRESSES = (f"127.{high}.{low}.1" for high in range(1, 200) for low in range(1, 255))
NUMBERS = itertools.count()


class Visitor(FastHttpUser):
    abstract = True
    host = PLAN["url"]
    network_timeout = connection_timeout = PATIENCE_SECONDS
    max_retries = 0
    max_redirects = 5

    def on_start(self):
        self.number, self.address = next(NUMBERS), next(ADDRESSES)
        self.random = random.Random(self.number)
        self.headers = {}
        connections = self.client.client.clientpool.get_client(self.host)._connection_pool
        create_socket = connections._create_tcp_socket

        def create_bound_socket(*family):
            created = create_socket(*family)
            created.bind((self.address, 0))
            return created

        connections._create_tcp_socket = create_bound_socket

    def ask(self, name, path, method="GET", **sent):
        """The text of the answer, or None. A polite refusal counts as one, and is waited for."""
        if self.environment.runner.state in ("stopping", "stopped"):
            raise StopUser
        headers = self.headers | sent.pop("headers", {})
        with self.client.request(method, path, name, catch_response=True, headers=headers, **sent) as answer:
            wait = answer.headers.get("Retry-After", "") if answer.headers else ""
            if answer.status_code in REFUSED_CODES and wait.isdecimal():
                answer.request_meta["name"] = f"{REFUSED} {answer.status_code}"
                answer.success()
            elif answer.status_code in REFUSED_CODES:
                answer.failure(f"{answer.status_code} without Retry-After")
            elif answer.status_code >= 400 or not answer.status_code:
                answer.failure(f"{answer.status_code or 'no answer'} {answer.error or ''}")
            else:
                return answer.text or ""
        gevent.sleep(int(wait) if wait.isdecimal() else POLL_SECONDS)
        return None

    def watch(self, name, path, seconds):
        """Open a page and poll what changes on it, as its script does."""
        page = self.ask(name, path)
        live = LIVE.search(page or "")
        for _ in range(int(seconds / POLL_SECONDS)):
            gevent.sleep(POLL_SECONDS)
            if not live or ENDED.search(page or ""):
                continue
            joint = "&" if "?" in live[1] else "?"
            page = self.ask(f"{name}: poll", f"{live[1]}{joint}v={live[2]}")
            live = LIVE.search(page or "") or live


class TeamMember(Visitor):
    """A member of a team in a test phase, who looks after its servers."""

    def on_start(self):
        super().on_start()
        member = PLAN["members"][self.number % len(PLAN["members"])]
        self.servers, self.headers = member["servers"], {"Cookie": f"{PLAN['cookie']}={member['session']}"}

    @task(5)
    def watch_server(self):
        self.watch("server", f"/servers/{self.random.choice(self.servers)}/", 20)

    @task(2)
    def read_attempts(self):
        self.ask("attempts", f"/servers/{self.random.choice(self.servers)}/attempts/")
        gevent.sleep(POLL_SECONDS)

    @task(2)
    def read_list(self):
        self.ask("servers", "/servers/")
        gevent.sleep(POLL_SECONDS)

    @task(2)
    def read_full_text(self):
        self.watch("full text", f"/articles/{self.random.choice(PLAN['full_texts'])}/", 10)


class Reader(Visitor):
    """A visitor without an account, who reads a page for ten seconds."""

    @task(6)
    def read_article(self):
        # Everybody reads the same few articles, and somebody now and then another one.
        self.watch("article", f"/articles/{self.choose_article()}/", 10)

    @task(2)
    def search(self):
        self.ask("search", f"/articles/?q={self.random.choice(PLAN['words'])}")
        gevent.sleep(5)

    @task(1)
    def read_servers(self):
        self.ask("servers", "/servers/")
        gevent.sleep(5)

    @task(1)
    def read_home(self):
        self.ask("home", "/")
        gevent.sleep(5)

    def choose_article(self):
        articles = PLAN["abstracts"]
        return articles[int(len(articles) * self.random.random() ** 3)]


class Importer(Visitor):
    """A program that brings an abstract each second and has it annotated."""

    wait_time = constant_pacing(1)

    def on_start(self):
        super().on_start()
        self.pmids = itertools.count(PLAN["next_pmid"] + 10_000 * self.number)
        tokens = PLAN["tokens"]
        self.headers = {"Authorization": f"Bearer {tokens[self.number % len(tokens)]}"}

    @task
    def bring_abstract(self):
        pmid = next(self.pmids)
        content = f"{pmid}|t|CDH1 CTNNB1 in case {pmid}\n{pmid}|a|{PLAN['abstract']}\n"
        body, kind = build_upload(content)
        if self.ask("import", "/api/v1/articles/", "POST", data=body, headers={"Content-Type": kind}) is not None:
            self.ask("have annotated", "/api/v1/article-requests/", "POST", json={"ident": str(pmid)})


class BoardReader(Visitor):
    """Somebody who has a leaderboard open while it changes."""

    @task(9)
    def watch_board(self):
        self.watch("board", PLAN["board"], 30)

    @task(1)
    def download_board(self):
        self.ask("board as CSV", f"{PLAN['board']}leaderboard.csv")
        gevent.sleep(5)


class Exporter(Visitor):
    """A program that downloads everything, again and again."""

    wait_time = constant_pacing(6)

    @task
    def download(self):
        slug = self.random.choice(PLAN["formats"])
        self.ask(f"export {slug}", f"/api/v1/export/{slug}/")


def build_upload(content):
    """The body of a form with one file, and its media type."""
    boundary = "load"
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="one.pubtator"\r\n'
    body = f"{head}Content-Type: text/plain\r\n\r\n{content}\r\n--{boundary}--\r\n"
    return body, f"multipart/form-data; boundary={boundary}"


for _name, _number in PLAN["numbers"].items():
    globals()[_name].fixed_count = _number


@events.test_stopping.add_listener
def note_end(environment, **_):
    """From now on nothing new is asked, and requests under way are waited for."""
    environment.load_ended = time.time()


@events.test_stop.add_listener
def write_summary(environment, **_):
    """What was counted, in the file that LOAD_SUMMARY names."""
    stats = environment.stats
    answered = StatsEntry(None, "answered", "")
    for entry in stats.entries.values():
        if not entry.name.startswith(REFUSED):
            answered.extend(entry)
    summary = describe(answered) | {
        "kinds": {entry.name: describe(entry) for entry in stats.entries.values()},
        "faults": {f"{error.name}: {error.error}": error.occurrences for error in stats.errors.values()},
        "ended": environment.load_ended,
        "seconds": stats.total.last_request_timestamp - stats.total.start_time,
    }
    Path(os.environ["LOAD_SUMMARY"]).write_text(json.dumps(summary))


def describe(entry):
    shares = {f"p{percent}": entry.get_response_time_percentile(percent / 100) for percent in (50, 95, 99)}
    return {"requests": entry.num_requests, "failures": entry.num_failures, "max": entry.max_response_time, **shares}
