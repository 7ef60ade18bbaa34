"""Settings that are given by files, as secrets are."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from bcms.setting_files import SettingEnv, SettingMapping


def test_it_reads_a_file_without_the_line_break_at_its_end(tmp_path):
    (tmp_path / "key").write_text("secret\n")

    assert SettingMapping({"KEY_FILE": str(tmp_path / "key"), "KEY": "other", "HOST": " host "})["KEY"] == "secret"


def test_it_reads_variables_and_says_what_is_not_given():
    mapping = SettingMapping({"HOST": "host", "KEY_FILE": ""})

    assert mapping["HOST"] == "host"
    assert "KEY" not in mapping


def test_an_empty_file_stands_for_no_value(tmp_path, monkeypatch):
    (tmp_path / "url").write_text("\n")
    monkeypatch.setattr(SettingEnv, "ENVIRON", SettingMapping({"URL_FILE": str(tmp_path / "url"), "HOST": ""}))
    env = SettingEnv()

    assert env.str("URL", "smtp://localhost:25") == "smtp://localhost:25"
    assert env.str("HOST", "localhost") == ""
    with pytest.raises(ImproperlyConfigured, match="URL"):
        env.str("URL")


@pytest.mark.parametrize(("content", "reason"), [(None, "No such file or directory"), (b"\xff", "it is not UTF-8")])
def test_it_says_which_file_cannot_be_read(tmp_path, content, reason):
    if content is not None:
        (tmp_path / "key").write_bytes(content)

    with pytest.raises(ImproperlyConfigured, match=f"KEY_FILE names {tmp_path}/key, which cannot be read: {reason}"):
        SettingMapping({"KEY_FILE": str(tmp_path / "key")})["KEY"]
