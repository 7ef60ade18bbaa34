"""The packages that a site installs: known holes, licences and the bill of materials."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = ["requirements.txt", "requirements-local.txt", "requirements-dev.txt", "requirements-readers.txt"]
# What may be installed beside software under the MIT licence, and passed on with it.
FREE = re.compile(
    r"MIT|BSD|0BSD|Apache|ISC|PSF|Python Software Foundation|MPL|Mozilla|Zope|Zlib|CC0|Unlicense|"
    r"Lesser General Public|dependency licenses"
)
# The package states two: its code is under the BSD licence, and "other" is that of the trademark in its name.
STATES_MORE = {"qrcode": "BSD License; Other/Proprietary License"}


def run_module(*command):
    return subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)


def list_pinned_packages(name):
    """{name: version} of a file of requirements."""
    text = (ROOT / name).read_text()
    return dict(re.findall(r"^([\w.-]+)(?:\[[\w, -]+\])?==([\w.]+)", text, re.M))


@pytest.mark.long
@pytest.mark.parametrize("name", FILES)
def test_no_package_has_a_known_hole(name):
    audit = run_module("pip_audit", "-r", name, "--no-deps", "--disable-pip", "-f", "json")

    if audit.stdout == "":
        if "ConnectionError" in audit.stderr or "ServiceError" in audit.stderr:
            pytest.skip("not tried, because the source of known holes cannot be reached")
        pytest.fail(audit.stderr)
    packages = json.loads(audit.stdout)["dependencies"]
    holes = {each["name"]: [hole["id"] for hole in each["vulns"]] for each in packages if each.get("vulns")}
    assert holes == {}
    if all("skip_reason" in each for each in packages):
        pytest.skip("not tried, because the source of known holes knows none of these packages")
    assert [each for each in packages if "skip_reason" in each] == []


def test_the_table_of_licences_has_what_is_installed(tmp_path):
    written = tmp_path / "licences.md"
    subprocess.run([sys.executable, ROOT / "tools/list_licences.py", written], check=True)

    assert written.read_text() == (ROOT / "docs/licences.md").read_text(), "run `make licences`"


def test_every_licence_is_free():
    rows = re.findall(r"^\| ([\w-]+) \| (.+) \|$", (ROOT / "docs/licences.md").read_text(), re.M)[1:]
    parts = {(name, part) for name, licence in rows for part in re.split(r"; | OR | AND |, ", licence)}

    assert len(rows) > 60
    assert {name for name, part in parts if not FREE.search(part)} == set(STATES_MORE)
    assert {name: licence for name, licence in rows if name in STATES_MORE} == STATES_MORE


def test_the_bill_of_materials_has_each_package_with_its_hashes(tmp_path):
    path = tmp_path / "bcms.cdx.json"
    made = run_module("cyclonedx_py", "requirements", "requirements.txt", "--output-reproducible", "-o", str(path))

    assert made.returncode == 0, made.stderr
    components = json.loads(path.read_text())["components"]
    assert {each["name"]: each["version"] for each in components} == list_pinned_packages("requirements.txt")
    assert all(each["externalReferences"][0]["hashes"] for each in components)
