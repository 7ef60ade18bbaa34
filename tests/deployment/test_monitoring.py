"""The rules of alerts and the panels, by Prometheus itself and against a site of its own."""

import json
import re
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from contextlib import ExitStack, contextmanager
from datetime import timedelta

import pytest
import yaml
from django.db.models.functions import Now
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from bcms.health.heartbeats import write_heartbeat
from bcms.local.ports import pick_free_ports
from bcms.local.process_commands import build_gunicorn_arguments
from bcms.mail.models import Mail
from bcms.metrics.requests import format_request_metrics
from bcms.metrics.site import format_site_metrics
from servers.availability.models import Figures
from servers.calls.models import Call
from servers.calls.queues.contents import enqueue_articles_without_open_or_test_call, get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.registry.models import Server
from tests.deployment.programs import require_programs
from tests.integration.worker_cast import ROOT, wait_for_condition, worker_environment

FOLDER = ROOT / "deploy" / "prometheus"
PANELS = json.loads((ROOT / "deploy" / "grafana" / "bcms.json").read_text())["panels"]
EXPRESSIONS = [target["expr"] for panel in PANELS for target in panel["targets"]]
RULES = [rule for group in yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"] for rule in group["rules"]]


def test_each_alert_has_a_test_and_advice():
    names = {rule["alert"] for rule in RULES}
    tested = {case["alertname"] for test in list_rule_tests() for case in test["alert_rule_test"] if case["exp_alerts"]}
    assert tested == names
    advice = (ROOT / "docs" / "operations.md").read_text()
    assert [name for name in sorted(names) if f"`{name}`" not in advice] == []


def list_rule_tests():
    return yaml.safe_load((FOLDER / "alerts_test.yml").read_text())["tests"]


@pytest.mark.django_db
def test_alerts_and_panels_name_metrics_that_exist():
    told = (format_request_metrics() + format_site_metrics()).decode()
    known = {family.name for family in text_string_to_metric_families(told)}
    named = {
        re.sub("_(bucket|total)$", "", name)
        for expression in [*EXPRESSIONS, *(rule["expr"] for rule in RULES)]
        for name in re.findall(r"\b(?:bcms|monitor)_[a-z_]+\b", expression)
        if name != "monitor_name"
    }
    assert named <= known


@pytest.mark.long
@pytest.mark.parametrize("check", [["check", "config", "prometheus.yml"], ["test", "rules", "alerts_test.yml"]])
def test_promtool_accepts_the_rules(check):
    require_programs("promtool")
    ran = subprocess.run(["promtool", *check], cwd=FOLDER, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@contextmanager
def run_web_server():
    """A web server on the test's database; yields its address."""
    (port,) = pick_free_ports(1)
    command = [sys.executable, *build_gunicorn_arguments(port)]
    environment = {**worker_environment(), "METRICS_NETWORKS": "127.0.0.0/8"}
    with subprocess.Popen(command, cwd=ROOT, env=environment) as process:
        try:
            wait_for_condition(lambda: fetch(f"http://127.0.0.1:{port}/healthz") is not None, 60, "the site answers")
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()


@contextmanager
def run_prometheus(folder, site):
    """Prometheus with our rules, but every few seconds and without waiting; yields its URL."""
    configuration = yaml.safe_load((FOLDER / "prometheus.yml").read_text())
    configuration["global"] = {"scrape_interval": "4s", "evaluation_interval": "1s"}
    configuration["scrape_configs"][0]["static_configs"] = [{"targets": [site]}]
    rules = [{**rule, "for": "1s"} for rule in RULES]
    (folder / "prometheus.yml").write_text(yaml.safe_dump(configuration))
    (folder / "alerts.yml").write_text(yaml.safe_dump({"groups": [{"name": "bcms", "rules": rules}]}))
    (port,) = pick_free_ports(1)
    options = ["--config.file=prometheus.yml", "--storage.tsdb.path=data", f"--web.listen-address=127.0.0.1:{port}"]
    with subprocess.Popen(["prometheus", *options], cwd=folder, stderr=subprocess.DEVNULL) as process:
        try:
            url = f"http://127.0.0.1:{port}"
            wait_for_condition(lambda: fetch(f"{url}/-/ready") is not None, 60, "Prometheus is ready")
            yield url
        finally:
            process.terminate()


def fetch(url):
    try:
        with urllib.request.urlopen(url, timeout=10) as reply:
            return reply.read()
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return None


def list_firing_alerts(prometheus):
    alerts = json.loads(fetch(f"{prometheus}/api/v1/alerts") or b'{"data": {"alerts": []}}')["data"]["alerts"]
    return {alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"}


def query(prometheus, expression):
    parameters = urllib.parse.urlencode({"query": expression})
    reply = fetch(f"{prometheus}/api/v1/query?{parameters}")
    return json.loads(reply)["data"]["result"] if reply else []


def shows_all_panels(prometheus):
    """Whether each panel shows something; the processes of the site are alive meanwhile."""
    for name in ("asking", "scoring", "work"):
        write_heartbeat(f"{name}@host", [name])
    write_heartbeat("beat")
    return all(query(prometheus, each) for each in EXPRESSIONS)


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_what_is_wrong_fires_alerts_and_panels_show_the_site(tmp_path, server, article, settings):
    require_programs("prometheus")
    settings.REDIS_URL = worker_environment()["REDIS_URL"]
    # On a busy machine others fire too, such as the one for slow pages.
    expected = {"BcmsCallsLate", "BcmsMailFails", "BcmsWorkersMissing"}
    now = timezone.now()
    for window in ("24h", "30d"):
        Figures.objects.create(server=server, window=window, until=now, observed=100.0, down=25.0, p50=0.5)
    with ExitStack() as running:
        prometheus = running.enter_context(run_prometheus(tmp_path, running.enter_context(run_web_server())))
        wait_for_condition(
            lambda: shows_all_panels(prometheus) and not list_firing_alerts(prometheus) & expected,
            120,
            "each panel shows something, and no alert fires",
        )
        queue = get_or_create_queue_and_producer(server, QueueMode.LIVE)
        enqueue_articles_without_open_or_test_call(queue, [article.pk])
        long_ago = Now() - timedelta(hours=1)
        Call.objects.update(due=long_ago)
        Server.objects.filter(pk=server.pk).update(state="online", state_since=long_ago)
        Mail.objects.create(sender="", recipient="gone@example.org", subject="", body="", failed=Now())
        # A worker that ended by itself: its heartbeat is removed.
        write_heartbeat("scoring@host", [])
        wait_for_condition(lambda: list_firing_alerts(prometheus) >= expected, 120, "three alerts fire")
