"""The commands of docs/operations.md that configure PgBouncer and nginx on a host without containers."""

import re
import subprocess

import pytest

from bcms.local.ports import pick_free_ports
from tests.compose_file import ROOT
from tests.deployment.programs import require_programs

SECTION = (ROOT / "docs" / "operations.md").read_text().split("\n## Without containers\n")[1].split("\n## ")[0]
OF_CONTAINERS = re.compile(r"host=database|web:8000|127\.0\.0\.11\b|0\.0\.0\.0|/tmp/(?:users|nginx\.pid)|/dev/stdout")


@pytest.fixture
def host(tmp_path):
    """A folder in place of /etc, in which the commands were run."""
    commands = re.findall(r"^    ((?:cp|sed|printf|ln) .*(?:pgbouncer|nginx).*)$", SECTION, re.MULTILINE)
    assert len(commands) == 7
    for name in ("pgbouncer", "nginx", "bcms/secrets"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "bcms/secrets/postgres_password").write_text("a-password\n")
    script = re.sub(r"(?<=[ |])/etc/(?!pgbouncer/users\|)", f"{tmp_path}/", "\n".join(commands))
    subprocess.run(["sh", "-euc", script], cwd=ROOT, check=True)
    return tmp_path


def test_nothing_of_containers_is_left(host):
    pooler, proxy = host / "pgbouncer" / "pgbouncer.ini", host / "nginx" / "nginx.conf"

    for path in (pooler, proxy):
        assert OF_CONTAINERS.findall(path.read_text()) == [], path
    assert "auth_file = /etc/pgbouncer/users\n" in pooler.read_text()
    assert (host / "pgbouncer" / "users").read_text() == '"bcms" "a-password"\n'
    assert {"listen 80;", "listen 443 ssl http2;", "set $site 127.0.0.1:8000;"} <= {
        line.strip() for line in proxy.read_text().splitlines()
    }


@pytest.mark.long
def test_nginx_accepts_its_configuration(host):
    program = require_programs("nginx")["nginx"]
    (host / "tls").mkdir()
    files = ["-keyout", host / "tls" / "privkey.pem", "-out", host / "tls" / "fullchain.pem"]
    key = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", *files]
    subprocess.run(key, check=True, capture_output=True)
    text = (host / "nginx" / "nginx.conf").read_text()
    for folder in ("/run/", "/var/log/nginx/", "/var/cache/", "/tmp/", "/etc/(?=tls/)"):
        text = re.sub(f" {folder}(?!pytest)", f" {host}/", text)
    for port, free in zip(("80;", "443 "), pick_free_ports(2), strict=True):
        text = text.replace(f"listen {port}", f"listen 127.0.0.1:{free}{port[-1]}")
    (host / "nginx" / "site" / "nginx.conf").write_text(text)
    command = [program, "-t", "-e", "stderr", "-c", host / "nginx" / "nginx.conf"]
    checked = subprocess.run(command, capture_output=True, text=True)

    assert checked.returncode == 0, checked.stderr
