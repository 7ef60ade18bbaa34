"""Archives that are made to hurt are refused by one sentence before anything is unpacked; paths in names do nothing."""

import struct
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.errors import RefusedFileError
from annotations.formats.result_sniffing import ResultFormat
from annotations.formats.zip.reader import LARGEST_DIRECTORY, list_zip_names_or_none

ENTRY = b"PK\x01\x02" + struct.pack("<HHHHHHIIIHHHHHII", 20, 20, *[0] * 7, 1, *[0] * 6) + b"a"


def list_many_members():
    """An archive that is nothing but a list of members, which is a little too large."""
    directory = ENTRY * (LARGEST_DIRECTORY // len(ENTRY) + 1)
    first = b"PK\x03\x04" + bytes(26)
    return first + directory + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(directory), len(first), 0)


def zip_files(files):
    stream = BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def understate_size():
    """An archive whose list says that a text has five bytes, while it unpacks to a million."""
    content = bytearray(zip_files({"12.txt": bytes(1_000_000), "12.ann": b""}))
    entry = content.find(b"PK\x01\x02")
    content[entry + 24 : entry + 28] = struct.pack("<I", 5)
    return bytes(content)


def cut_name_off():
    """A name ends at its first NUL."""
    return zip_files({"12.txt": b"", "12.ann": b"", "more": b""}).replace(b"more", b"\0ore")


@pytest.mark.parametrize(
    ("content", "rule", "wrong"),
    [
        (list_many_members(), "R448", "the list of the files in the archive is larger than 16 MiB"),
        (zip_files({"12.txt": bytes(70_000_000), "12.ann": b""}), "R448", "the archive has 2 files, which unpack to"),
        (understate_size(), "R401", "“12.txt” is damaged"),
        (cut_name_off(), "R401", "a file in the archive has no name"),
    ],
    ids=["many members", "zeros", "wrong size", "no name"],
)
def test_it_refuses_them(content, rule, wrong):
    with pytest.raises(RefusedFileError) as refused:
        ANNOTATED_TEXT_FORMATS[ResultFormat.BRAT].read(BytesIO(content), "run.zip")
    [fault] = refused.value.faults
    assert fault.rule == rule
    assert fault.wrong.startswith(wrong)


def test_it_lists_no_names_of_an_archive_with_too_many():
    assert list_zip_names_or_none(BytesIO(list_many_members())) is None


def test_names_with_paths_name_documents_only():
    files = {"../../etc/12.txt": "p53", "../../etc/12.ann": "T1\tGene 0 3\tp53\n", "/tmp/13.txt": "", "/tmp/13.ann": ""}
    content = ANNOTATED_TEXT_FORMATS[ResultFormat.BRAT].read(BytesIO(zip_files(files)), "run.zip")
    assert content.documents == ["12", "13"]
