"""The key that signs nanopublications is in a file that a setting names."""

import pytest
from django.core.management import CommandError, call_command

from annotations.nanopublications.key_file import read_optional_signing_key


def test_its_command_writes_a_key_once_and_for_its_owner_only(tmp_path, capsys):
    path = tmp_path / "keys" / "nanopub"
    call_command("make_nanopub_key", str(path))
    assert path.stat().st_mode & 0o777 == 0o600
    key = read_optional_signing_key(str(path))
    assert key.key_size == 2048
    output = capsys.readouterr().out
    assert "NANOPUB_KEY_FILE" in output
    assert path.read_text().strip() not in output
    with pytest.raises(CommandError, match="exists: choose another file"):
        call_command("make_nanopub_key", str(path))


def test_its_command_says_why_it_cannot_write(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(CommandError, match="file exists: choose another"):
        call_command("make_nanopub_key", str(tmp_path / "file" / "key"))
    with pytest.raises(CommandError, match="cannot be written: File name too long"):
        call_command("make_nanopub_key", str(tmp_path / ("k" * 300)))


def test_a_site_may_have_no_key():
    assert read_optional_signing_key("") is None


@pytest.mark.parametrize("content", [b"secret", b"", b"\xff\xfe"])
def test_it_refuses_a_file_without_a_key(tmp_path, content):
    path = tmp_path / "key"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="NANOPUB_KEY_FILE names has no private key") as refused:
        read_optional_signing_key(str(path))
    assert "secret" not in str(refused.value)
    assert "make_nanopub_key" in str(refused.value)


def test_it_refuses_a_file_that_is_missing(tmp_path):
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        read_optional_signing_key(str(tmp_path / "key"))
