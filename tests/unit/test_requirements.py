"""The files of requirements: everything is pinned, with hashes, and as the .in files ask."""

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
NAMES = ["requirements", "requirements-local", "requirements-dev", "requirements-readers"]


def read_lock(name):
    """{package: (version, hashes)} of the file that is installed from."""
    text = (ROOT / f"{name}.txt").read_text()
    entries = re.split(r"\n(?=[A-Za-z])", re.sub(r"^ *#.*\n?", "", text, flags=re.M))
    requirements = [
        (Requirement(re.split(r" \\\n", entry)[0]), re.findall(r"sha256:(\w{64})", entry)) for entry in entries
    ]
    return {canonicalize_name(each.name): (str(each.specifier), hashes) for each, hashes in requirements}


def read_wishes(name):
    lines = re.sub(r"#.*", "", (ROOT / f"{name}.in").read_text()).split()
    return {canonicalize_name(each.name): str(each.specifier) for each in map(Requirement, lines)}


@pytest.mark.parametrize("name", NAMES)
def test_every_package_is_pinned_with_the_hashes_of_its_files(name):
    lock = read_lock(name)

    assert [package for package, (version, hashes) in lock.items() if not version.startswith("==") or not hashes] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_lock_has_the_versions_that_are_asked_for(name):
    lock, wishes = read_lock(name), read_wishes(name)

    assert wishes
    assert {package: lock[package][0] for package in wishes} == wishes, "run `make lock`"


def test_the_files_agree():
    pinned = [(package, *entry) for name in NAMES for package, entry in read_lock(name).items()]
    versions = {}
    for package, version, _ in pinned:
        versions.setdefault(package, set()).add(version)

    assert {package: found for package, found in versions.items() if len(found) > 1} == {}
