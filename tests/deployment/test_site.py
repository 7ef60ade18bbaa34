"""A site in its deployment: what people do there works through all parts, and goes on when a part is restarted."""

import json
import re

import pytest
import requests

from tests.annotator import Annotator
from tests.compose_file import OURS, SERVICES, get_health_command
from tests.deployment.registration import register_server
from tests.deployment.running import list_parts, wait_until
from tests.deployment.visitor import Visitor

pytestmark = pytest.mark.long

RUNS = "/challenges/example/training/TX/runs/"
SERVER = "/servers/species-finder/"


@pytest.fixture(scope="module")
def annotator():
    """An annotation server that finds the first word of each title."""
    with Annotator(lambda sent: {"mentions": [{"offset": 0, "section": "title", "mention": "Article"}]}) as running:
        yield running


@pytest.fixture(scope="module")
def server(manager, annotator):
    """The address of the page of alice's server, which is tried, registered and online."""
    assert register_server(manager, annotator, "Species Finder") == SERVER
    return SERVER


def ask(manager, annotator, pmid):
    """Load an article into the queue of the server, and wait until its annotations are exported."""
    before = len(annotator.asked)
    assert "1 article added" in manager.post(SERVER, f"{SERVER}load/", pmids=str(pmid)).text
    export = f"/api/v1/articles/{pmid}/export/ndjson/?unreviewed=1"
    wait_until(lambda: '"Article"' in manager.read(export), f"{pmid} is annotated")
    assert len(annotator.asked) == before + 1


def upload_run(manager, name, confidence):
    """Upload a run, and wait until the leaderboard has its score."""
    content = f"101\t9606\t{confidence}\n102\t10090\t0.8\n103\t10116\t0.8\n".encode()
    assert "stored as a run" in manager.post(RUNS, files={"file": (f"{name}.tsv", content)}).text
    wait_until(lambda: list_scored_runs(manager).get(name), f"{name} is scored")


def list_scored_runs(manager):
    """{name of a run on the leaderboard: when its score was computed, None before}."""
    board = json.loads(manager.read("/challenges/example/training/TX/leaderboard.json"))
    return {row["run"]: row["computed"] for row in board["runs"]}


def answers(visitor):
    try:
        return visitor.get("/healthz").ok
    except requests.ConnectionError:
        return False


def test_styles_have_names_that_change_with_their_content(manager):
    (style,) = set(re.findall(r'href="(/static/site\.[^"]*css)"', manager.read("/")))
    reply = manager.get(style)
    assert re.fullmatch(r"/static/site\.[0-9a-f]{12}\.css", style)
    assert reply.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert reply.headers["Content-Encoding"] == "gzip"
    assert "X-Request-ID" not in reply.headers


def test_pages_of_other_sites_show_the_widget_and_nothing_else(deployment, manager):
    script = manager.get("/widget/v1.js")
    framed, missing = manager.get("/widget/articles/101/"), manager.get("/widget/articles/99999999/")
    assert (script.status_code, framed.status_code, missing.status_code) == (200, 200, 404)
    assert script.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    for reply in (framed, missing):
        assert "frame-ancestors *; sandbox allow-scripts" in reply.headers["Content-Security-Policy"]
        assert not {"X-Frame-Options", "Set-Cookie"} & set(reply.headers)
    anonymous = requests.get(f"{manager.url}/widget/articles/101/", verify=deployment.certificate, timeout=60)
    assert anonymous.content == framed.content
    # The frame has no origin, so that its files must not be for one origin only.
    files = re.findall(r'(?:href|src)="(/static/[^"]*)"', framed.text)
    assert len(files) == 4
    for reply in map(manager.get, files):
        assert (reply.status_code, reply.headers.get("Cross-Origin-Resource-Policy")) == (200, None)
    for path in ("/", "/widget/v1.js", "/articles/101/"):
        assert manager.get(path).headers["X-Frame-Options"] == "DENY"


def test_metrics_are_for_the_network_of_the_site_only(deployment, manager):
    assert manager.get("/metrics").status_code == 404
    direct = f"http://127.0.0.1:{deployment.ports['web:8000']}/metrics"
    assert b"bcms_http_requests_total" in requests.get(direct, timeout=60).content


def test_prometheus_reads_the_metrics_of_the_web_servers(deployment):
    deployment.copy_configuration("prometheus", "prometheus")
    deployment.start_part("prometheus")
    url = f"http://127.0.0.1:{deployment.ports['prometheus:9090']}/api/v1/query"
    with requests.Session() as session:
        session.trust_env = False

        def query_state():
            found = session.get(url, params={"query": 'up{job="bcms"}'}, timeout=60)
            return found.ok and [each["value"][1] for each in found.json()["data"]["result"]]

        wait_until(lambda: query_state() == ["1", "1"], "both web servers are scraped")


def test_a_server_is_tried_registered_and_asked(manager, annotator, server):
    ask(manager, annotator, 101)


def test_a_run_is_uploaded_and_scored(manager):
    upload_run(manager, "first", 0.9)


@pytest.mark.parametrize("name", [name for name in OURS if "healthcheck" in SERVICES[name]])
def test_each_process_says_that_it_is_healthy(deployment, name):
    deployment.run(f"{name}-1", get_health_command(name))


def test_it_goes_on_when_each_part_has_been_restarted(deployment, manager, annotator, server):
    for part in ["database", "pooler", "broker", *list_parts(), "proxy"]:
        assert deployment.restart_part(part), f"{part} had to be killed"
        wait_until(lambda: answers(manager), f"the site answers after a restart of {part}")
    ask(manager, annotator, 102)
    upload_run(manager, "second", 0.7)
    assert set(list_scored_runs(manager)) == {"first", "second"}


def test_with_two_schedulers_each_mail_is_sent_once(deployment):
    visitor = Visitor(deployment.url, deployment.certificate)
    visitor.post("/account/reset/", email="olga@example.org")
    wait_until(lambda: "was sent to olga@example.org" in deployment.read_logs(), "the mail is sent")
    sent = re.findall(r"Mail (\d+) was sent", deployment.read_logs())

    assert len(sent) == len(set(sent))
