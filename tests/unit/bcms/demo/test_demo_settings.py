"""The demo needs no network, and signs archives with a key of its own."""

import pytest

from annotations.nanopublications.key_file import read_optional_signing_key
from bcms.local.process_commands import create_and_save_demo_settings


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("run")


def test_it_asks_nobody_outside_unless_its_environment_says_so(folder, monkeypatch):
    monkeypatch.delenv("ASK_REGISTRIES", raising=False)
    assert create_and_save_demo_settings(folder, 8000, {})["ASK_REGISTRIES"] == "0"
    monkeypatch.setenv("ASK_REGISTRIES", "1")
    assert create_and_save_demo_settings(folder, 8000, {})["ASK_REGISTRIES"] == "1"


def test_its_archives_are_signed_with_the_same_key_at_each_start(folder):
    first, second = (
        read_optional_signing_key(create_and_save_demo_settings(folder, 8000, {})["NANOPUB_KEY_FILE"]) for _ in range(2)
    )
    assert first and second and first.private_numbers() == second.private_numbers()
