"""A site with a key signs its archives: openssl and sha256sum check them, and nobody can change them unseen."""

import subprocess
import zipfile
from hashlib import sha256
from io import BytesIO

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.utils import timezone

from bcms.draft_archives.archive_reader import open_uploaded_archive
from bcms.draft_archives.creation import create_draft_from_archive
from evaluation.archives.errors import ChallengeArchiveError
from evaluation.archives.export.challenge import write_publishable_archive_returning_manifest_hash
from evaluation.archives.signatures import CHECKSUMS_NAME, KEY_NAME, SIGNATURE_NAME
from evaluation.archives.zip_reader import open_checked_archive
from tests.integration.bcms.draft_archives.packing import pack, read_members
from tests.integration.evaluation_cast import make_challenge, make_corpus

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def keys():
    return [rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2)]


@pytest.fixture
def challenge(olga):
    return make_challenge(olga, make_corpus())


def write_archive(challenge):
    pieces = []
    write_publishable_archive_returning_manifest_hash(challenge, pieces.append, timezone.now())
    return b"".join(pieces)


@pytest.fixture
def signed(challenge, keys, settings):
    settings.NANOPUB_KEY = keys[0]
    return write_archive(challenge)


def fingerprint(key):
    return sha256(key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def read(content, path):
    path.write_bytes(content)
    with open_checked_archive(path) as archive:
        return archive.signer


def test_openssl_and_sha256sum_check_the_archive(signed, tmp_path):
    with zipfile.ZipFile(BytesIO(signed)) as archive:
        archive.extractall(tmp_path)
        readme = archive.read("README.md").decode()
    commands = [line.strip() for line in readme.splitlines() if line.startswith(("    openssl", "    sha256sum"))]

    assert len(commands) == 2
    for command in commands:
        subprocess.run(command.split(), cwd=tmp_path, check=True, timeout=60)
    (tmp_path / "challenge.json").write_text("{}")
    assert subprocess.run(commands[1].split(), cwd=tmp_path, capture_output=True, timeout=60, check=False).returncode


def test_a_name_that_reads_as_two_lines_of_the_checksums_hides_no_file(signed, tmp_path):
    """sha256sum writes such names otherwise; no site has any."""
    members = read_members(signed)
    first, second = sorted(members.keys() - {CHECKSUMS_NAME, SIGNATURE_NAME})[:2]
    content = members.pop(first)
    members[f"{first}\n{sha256(members.pop(second)).hexdigest()}  {second}"] = content
    with pytest.raises(ChallengeArchiveError, match="has a line break or another character"):
        read(pack(members), tmp_path / "a.zip")


def test_the_same_challenge_gives_the_same_bytes(signed, challenge, settings, tmp_path, keys):
    assert write_archive(challenge) == signed
    assert read(signed, tmp_path / "a.zip") == fingerprint(keys[0])
    settings.NANOPUB_KEY = None
    unsigned = write_archive(challenge)
    assert read(unsigned, tmp_path / "b.zip") == ""
    assert not {KEY_NAME, CHECKSUMS_NAME, SIGNATURE_NAME} & read_members(unsigned).keys()
    assert b"openssl" not in read_members(unsigned)["README.md"]


def remove(name):
    return lambda members, other: {key: data for key, data in members.items() if key != name}


CHANGES = {
    "a changed file": (
        lambda members, other: members | {"README.md": b"Nothing."},
        "changed after it was signed",
    ),
    "another file": (lambda members, other: members | {"more.txt": b"x"}, "changed after it was signed"),
    "a missing file": (remove("README.md"), "changed after it was signed"),
    "changed checksums": (
        lambda members, other: members | {CHECKSUMS_NAME: b"0" * 64 + b"  README.md\n"},
        f"{SIGNATURE_NAME} in the archive is not a signature of {CHECKSUMS_NAME}",
    ),
    "another key": (
        lambda members, other: (
            members | {KEY_NAME: other.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)}
        ),
        "is not a signature",
    ),
    "no signature": (remove(SIGNATURE_NAME), f"is signed, but has no {SIGNATURE_NAME}"),
    "no checksums": (remove(CHECKSUMS_NAME), f"is signed, but has no {CHECKSUMS_NAME}"),
    "no key": (remove(KEY_NAME), f"is signed, but has no {KEY_NAME}"),
    "no text of a key": (lambda members, other: members | {KEY_NAME: b"key"}, "is not a public RSA key"),
    "another sort of key": (
        lambda members, other: (
            members
            | {
                KEY_NAME: ec.generate_private_key(ec.SECP256R1())
                .public_key()
                .public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
            }
        ),
        "is not a public RSA key",
    ),
    "a large key": (
        lambda members, other: members | {KEY_NAME: b"\n" * 5000},
        f"{KEY_NAME} in the archive is too large",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_archive_is_refused(signed, keys, name, tmp_path):
    change, problem = CHANGES[name]
    changed = pack(change(read_members(signed), keys[1]))

    with pytest.raises(ChallengeArchiveError, match=problem) as refused:
        read(changed, tmp_path / "a.zip")
    assert str(refused.value).endswith(": download the archive again from the site that made it.")


def test_somebody_who_removes_or_replaces_the_signature_is_seen(signed, challenge, keys, settings, olga):
    olga.user_permissions.add(Permission.objects.get(codename="add_challenge"))
    bare = {
        name: data
        for name, data in read_members(signed).items()
        if name not in (KEY_NAME, CHECKSUMS_NAME, SIGNATURE_NAME)
    }
    settings.NANOPUB_KEY = keys[1]
    forged = write_archive(challenge)
    settings.NANOPUB_KEY = keys[0]

    assert [note_of(content, olga, slug) for content, slug in ((signed, "a"), (pack(bare), "b"), (forged, "c"))] == [
        "This site signed the archive, and nobody has changed it.",
        "The archive is not signed, so nothing says whether it was changed.",
        f"The archive is signed with the key {fingerprint(keys[1])} of another site. If that is what the site says "
        "under “About”, nobody has changed it.",
    ]
    with open_uploaded_archive(forged, "a.zip") as archive:
        assert archive.signer == fingerprint(keys[1])


def note_of(content, user, slug):
    return create_draft_from_archive(content, "a.zip", user, {"name": slug, "slug": slug}).notes[0]


def test_a_restored_challenge_says_who_signed_it(signed, tmp_path, capsys):
    path = tmp_path / "a.zip"
    path.write_bytes(signed)

    call_command("import_challenge", str(path), "--slug", "again")
    call_command("import_challenge", str(path), "--slug", "again")

    first, _, second, _ = capsys.readouterr().out.splitlines()[:4]
    assert first == second == "This site signed the archive, and nobody has changed it."


def test_the_key_is_on_the_page_about_the_site(client, keys, settings):
    assert client.get("/about/signing-key.pem").status_code == 404
    assert "Signatures" not in client.get("/about/").text

    settings.NANOPUB_KEY = keys[0]

    assert fingerprint(keys[0]) in client.get("/about/").text
    answer = client.get("/about/signing-key.pem")
    assert answer["Content-Type"] == "application/x-pem-file"
    assert answer.content == keys[0].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
