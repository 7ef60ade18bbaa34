"""The proxy of docker-compose.yml before a web server that says what it gets."""

import contextlib
import json
import re
import socket
import ssl
import time
import uuid

import pytest
import requests
from django.urls import Resolver404, resolve

from bcms.lib.secret_paths import SECRET_PATH
from bcms.middleware.body_limits import DEFAULT, LIMITS_BY_URL_NAME
from tests.compose_file import ROOT
from tests.deployment.backend import run_backend
from tests.deployment.running import prepare_deployment, wait_until
from tests.integration.every_address import addresses

CONFIGURATION = (ROOT / "deploy" / "nginx" / "nginx.conf").read_text()
SECRET = "/invitations/a-secret-token/"


def list_location_patterns(limit):
    """The patterns of the locations with this limit of bodies."""
    return re.findall(rf"location ~ (\S+) \{{\n\s+client_max_body_size {limit};", CONFIGURATION)


def list_url_names_by_path():
    """An example path of each address of the site, with the name of its URL."""
    samples = {"int": "1", "uuid": str(uuid.UUID(int=1))}
    for form in sorted(set(addresses())):
        path = re.sub(r"<(?:(\w+):)?\w+>", lambda found: samples.get(found[1], "x"), form)
        with contextlib.suppress(Resolver404):
            yield path, resolve(path).url_name


def test_it_takes_as_much_as_the_site_where_the_site_takes_files():
    most = max(limit.most_bytes for limit in LIMITS_BY_URL_NAME.values())
    patterns = list_location_patterns(most)
    taken = {name for path, name in list_url_names_by_path() if any(re.match(pattern, path) for pattern in patterns)}

    assert taken == set(LIMITS_BY_URL_NAME)
    assert f"\n        client_max_body_size {DEFAULT.most_bytes};" in CONFIGURATION


def test_it_stores_no_gold_standard():
    locations = re.findall(r"location ~ (\S+) \{([^}]+)\}", CONFIGURATION)
    unstored = [pattern for pattern, settings in locations if "proxy_request_buffering off;" in settings]
    names = {name for path, name in list_url_names_by_path() if any(re.match(pattern, path) for pattern in unstored)}

    assert names == {
        *("challenge-gold", "api-phase-gold", "challenge-corpus-file"),
        *("challenge-new-from-file", "api-challenge-from-file"),
    }


def test_it_keeps_the_same_addresses_out_of_its_log_as_the_site():
    secret = re.search(r"\(\?:([^)]+)\)", SECRET_PATH.pattern)[1]

    assert f"(?:{secret})/)." in CONFIGURATION
    assert f"location ~ ^/({secret})/ {{\n            error_log /dev/null;" in CONFIGURATION


class Proxy:
    def __init__(self, deployment, backend):
        self.deployment, self.backend = deployment, backend
        self.url = f"https://localhost:{deployment.ports['proxy:8443']}"
        self.session = requests.Session()
        self.session.trust_env, self.session.verify = False, deployment.certificate

    def get(self, path, **headers):
        return self.session.get(self.url + path, headers=headers, timeout=30, allow_redirects=False)

    def connect(self):
        context = ssl.create_default_context(cafile=self.deployment.certificate)
        plain = socket.create_connection(("localhost", self.deployment.ports["proxy:8443"]), timeout=30)
        return context.wrap_socket(plain, server_hostname="localhost")

    def read_log(self):
        written = (self.deployment.folder / "proxy.tmp" / "stdout").read_text()
        return written + self.deployment.parts["proxy"].log.read_text()


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    with (
        prepare_deployment(tmp_path_factory.mktemp("proxy"), "nginx") as deployment,
        run_backend(deployment.ports["web:8000"]) as backend,
    ):
        (deployment.make_folder("srv") / "static").mkdir()
        deployment.start_proxy()
        yield Proxy(deployment, backend)


class TestProxy:
    pytestmark = pytest.mark.long

    def test_it_hands_on_what_it_knows_of_the_client_and_nothing_that_the_client_claims(self, proxy):
        claims = {"X-Forwarded-For": "1.2.3.4", "X-Forwarded-Proto": "http", "X-Forwarded-Host": "evil.example"}
        claims |= {
            "Forwarded": "for=1.2.3.4",
            "X-Real-IP": "1.2.3.4",
            "X-Request-ID": "f" * 32,
            "X_Forwarded_For": "1.2.3.4",
        }
        told = proxy.get("/", **claims).json()["headers"]

        assert told["X-Forwarded-For"] == "127.0.0.1"
        assert told["X-Forwarded-Proto"] == "https"
        assert re.fullmatch("[0-9a-f]{32}", told["X-Request-ID"]) and told["X-Request-ID"] != "f" * 32
        assert not {"X-Forwarded-Host", "Forwarded", "X-Real-IP", "X_Forwarded_For"} & set(told)

    def test_it_leads_to_https(self, proxy):
        reply = requests.get(
            f"http://localhost:{proxy.deployment.ports['proxy:8080']}/a?b=c", allow_redirects=False, timeout=30
        )

        assert (reply.status_code, reply.headers["Location"]) == (301, "https://localhost/a?b=c")

    def test_it_closes_metrics(self, proxy):
        for path in ("/metrics", "//metrics", "/x/../metrics", "/%6detrics"):
            assert proxy.get(path).status_code == 404
        assert "/metrics" not in proxy.backend.requests

    def test_it_hands_on_a_slow_upload_when_it_is_complete(self, proxy):
        with proxy.connect() as client:
            client.sendall(b"POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n" + b"a" * 99_000)
            assert proxy.get("/meanwhile").ok
            assert "/slow" not in proxy.backend.requests
            client.sendall(b"a" * 1000)
            assert b'"body": 100000' in client.recv(65536)

    def test_it_hands_on_a_gold_standard_as_it_comes(self, proxy):
        path = "/challenges/x/gold/"
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n".encode()
        with proxy.connect() as client:
            client.sendall(head + b"a" * 99_000)
            wait_until(lambda: path in proxy.backend.requests, "the proxy hands on what it has")
            client.sendall(b"a" * 1000)
            assert b'"body": 100000' in client.recv(65536)

    def test_the_site_says_what_is_too_large_without_getting_it(self, proxy):
        with proxy.connect() as client:
            client.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9900000\r\n\r\n")
            answer = client.recv(65536).decode()
        told = json.loads(answer[answer.index("{") :])

        assert answer.startswith("HTTP/1.1 413")
        assert (told["method"], told["headers"]["Content-Length"], told["body"]) == ("POST", "9900000", 0)

    def test_it_takes_large_files_where_the_site_does(self, proxy):
        body = b"a" * 2_000_000

        assert proxy.session.post(f"{proxy.url}/articles/upload/", body, timeout=30).json()["body"] == len(body)

    def test_it_takes_of_a_download_what_the_client_reads(self, proxy):
        with proxy.connect() as client:
            client.sendall(b"GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n")
            client.recv(1000)
            before = -1
            while before != proxy.backend.pieces_sent:
                before = proxy.backend.pieces_sent
                time.sleep(0.3)
            # Buffers of the system and of the proxy, a few megabytes each.
            assert 0 < before < 200

    def test_its_log_has_no_secrets(self, proxy):
        proxy.get(f"{SECRET}?key=a-secret-key")
        proxy.get("/articles/?q=a-secret-query")
        wait_until(lambda: "/articles/" in proxy.read_log(), "the log is written")
        written = proxy.read_log()

        assert "secret" not in written
        lines = [json.loads(line) for line in written.splitlines() if line.startswith("{")]
        assert "/invitations/***" in {line["path"] for line in lines}
        assert all(re.fullmatch("[0-9a-f]{32}", line["request_id"]) for line in lines)

    def test_it_says_that_the_site_is_away(self, proxy):
        proxy.backend.shutdown()
        proxy.backend.server_close()
        page, rest = proxy.get("/"), proxy.get("/api/v1/servers/")

        assert (page.status_code, page.headers["Retry-After"]) == (503, "10")
        assert "The site is being restarted" in page.text
        assert page.headers["X-Content-Type-Options"] == rest.headers["X-Content-Type-Options"] == "nosniff"
        assert rest.status_code == 503 and rest.json()["code"] == "unavailable"
        assert rest.headers["Content-Type"] == "application/problem+json"
        proxy.get(SECRET)
        assert "secret" not in proxy.read_log()

    def test_it_refuses_more_than_a_person_asks_for(self, proxy):
        replies = [proxy.get("/busy") for _ in range(400)]
        refused = [reply for reply in replies if reply.status_code == 429]

        assert refused and refused[0].headers["Retry-After"] == "5"
        assert len(replies) - len(refused) >= 100
