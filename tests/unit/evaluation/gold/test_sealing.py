"""Sealed files: only the private key opens them, and nothing of them is said by an error."""

import pytest
from django.core.management import CommandError, call_command

from evaluation.errors import SealError
from evaluation.gold import sealing

PUBLIC, PRIVATE = sealing.generate_public_and_private_key(key_bits=2048)
GOLD = b"101\tP12345\n102\tQ67890\n"


@pytest.fixture(scope="module")
def public():
    return sealing.parse_optional_public_key(PUBLIC)


@pytest.fixture(scope="module")
def private():
    return sealing.parse_optional_private_key(PRIVATE)


def test_it_opens_what_it_sealed_and_shows_nothing_of_it(public, private):
    sealed = sealing.seal_content(GOLD, public)
    assert b"P12345" not in sealed
    assert sealing.unseal_content(sealed, private) == GOLD
    assert sealing.seal_content(GOLD, public) != sealed
    assert sealing.read_seal_fingerprint(sealed) == sealing.compute_key_fingerprint(public)


def test_it_does_not_open_without_the_key_and_says_what_to_do(public):
    with pytest.raises(SealError, match="Start the scoring worker with GOLD_PRIVATE_KEY"):
        sealing.unseal_content(sealing.seal_content(GOLD, public), None)


def test_it_names_both_keys_when_the_key_is_another(public):
    other = sealing.parse_optional_private_key(sealing.generate_public_and_private_key(key_bits=2048)[1])
    sealed_with = sealing.compute_key_fingerprint(public)
    opened_with = sealing.compute_key_fingerprint(other.public_key())
    said = f"with the key {sealed_with}, .* has the key {opened_with}"
    with pytest.raises(SealError, match=said):
        sealing.unseal_content(sealing.seal_content(GOLD, public), other)


@pytest.mark.parametrize("at", [-3, -100, 100, 40])
def test_it_notices_every_change(public, private, at):
    sealed = bytearray(sealing.seal_content(GOLD, public))
    sealed[at] ^= 1
    with pytest.raises(SealError) as refused:
        sealing.unseal_content(bytes(sealed), private)
    assert refused.value.__cause__ is None
    assert "P12345" not in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"101\tP12345\n"])
def test_it_knows_what_is_no_sealed_file(content, private):
    with pytest.raises(SealError, match="is not sealed"):
        sealing.unseal_content(content, private)


def test_it_reads_settings_and_refuses_what_is_no_key():
    assert sealing.parse_optional_public_key("") is None
    assert sealing.parse_optional_private_key(" ") is None
    for text in ("rubbish!", PRIVATE, PUBLIC[:-8]):
        with pytest.raises(ValueError, match="GOLD_PUBLIC_KEY is not a public key"):
            sealing.parse_optional_public_key(text)
    for text in ("rubbish!", PUBLIC):
        with pytest.raises(ValueError, match="GOLD_PRIVATE_KEY is not a private key") as refused:
            sealing.parse_optional_private_key(text)
        assert text not in str(refused.value)


def test_its_command_writes_a_pair_once_and_for_its_owner_only(tmp_path, capsys):
    call_command("make_gold_key", str(tmp_path / "keys"))
    private = tmp_path / "keys" / "gold-private-key"
    public = tmp_path / "keys" / "gold-public-key"
    assert (private.stat().st_mode & 0o777, public.stat().st_mode & 0o777) == (0o600, 0o600)
    pair = sealing.compute_key_fingerprint(sealing.parse_optional_public_key(public.read_text()))
    assert pair == sealing.compute_key_fingerprint(sealing.parse_optional_private_key(private.read_text()).public_key())
    said = capsys.readouterr().out
    assert pair in said
    assert private.read_text().strip() not in said
    with pytest.raises(CommandError, match="exists, and gold standards sealed with it would be lost"):
        call_command("make_gold_key", str(tmp_path / "keys"))
