"""The demo needs no network: it asks outside only when its environment says so."""

from bcms.local.process_commands import create_and_save_demo_settings


def test_it_asks_nobody_outside_unless_told_to(tmp_path, monkeypatch):
    monkeypatch.delenv("ASK_REGISTRIES", raising=False)
    assert create_and_save_demo_settings(tmp_path, 8000, {})["ASK_REGISTRIES"] == "0"
    monkeypatch.setenv("ASK_REGISTRIES", "1")
    assert create_and_save_demo_settings(tmp_path, 8000, {})["ASK_REGISTRIES"] == "1"
