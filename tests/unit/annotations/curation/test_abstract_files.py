"""The formats of files with digital abstracts: several records in one file, and what cannot be signed."""

import io
import json
import zipfile
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from annotations.curation.abstract_files import build_abstract_formats
from annotations.digital_abstract import DigitalAbstract, Interaction, Participant
from annotations.formats.articles.parsed_article import ArticleIds
from annotations.nanopublications.verification import verify_nanopublications
from annotations.schema import EntityId
from tests.digital_abstract_samples import BINDING, FULL, export

LICENCE = "https://creativecommons.org/licenses/by/4.0/"
EXPORTED = export(FULL)
EMPTY = replace(
    EXPORTED,
    article=replace(EXPORTED.article, id="opaque", ids=ArticleIds(None, "", "10.1000/empty")),
    abstract=DigitalAbstract(nothing_found=True, updated="2026-03-02T12:00:00+00:00"),
)


def write(slug, *abstracts, key=None, of_one_article=False):
    formats = build_abstract_formats(key, LICENCE, of_one_article=of_one_article)
    return b"".join(formats[slug].write(abstracts))


def test_it_heads_the_sentences_of_each_article():
    first, second = write("sentences", EXPORTED, EMPTY).decode().split("\n\n")
    assert first.startswith("PMID 10373512\n")
    assert len(first.splitlines()) == 1 + len(EXPORTED.abstract.interactions)
    assert second == "doi:10.1000/empty\nThe article was read, and has nothing to record.\n"


def test_it_writes_a_line_of_json_for_each_article():
    lines = [json.loads(line) for line in write("ndjson", EXPORTED, EMPTY).decode().splitlines()]
    assert [line["article"] for line in lines] == ["12", "opaque"]
    assert len(lines[0]["sentences"]) == len(lines[0]["interactions"])


def test_pages_of_several_articles_are_an_archive():
    with zipfile.ZipFile(io.BytesIO(write("html", EXPORTED, EMPTY))) as archive:
        assert archive.namelist() == ["12.html", "opaque.html"]
    assert write("html", EXPORTED, of_one_article=True).startswith(b"<!doctype html>")


def test_it_has_nanopublications_with_a_key_only():
    assert "nanopublications" not in build_abstract_formats(None, LICENCE, of_one_article=True)
    key = rsa.generate_private_key(65537, 2048)
    assert "nanopublications" in build_abstract_formats(key, LICENCE, of_one_article=True)


def test_it_says_in_the_file_what_cannot_be_signed():
    participants = tuple(Participant(EntityId("ncbigene", str(number)), "", 9606) for number in range(1, 60))
    abstract = DigitalAbstract((Interaction(participants), BINDING), updated="2026-03-02T12:00:00+00:00")
    key = rsa.generate_private_key(65537, 2048)
    body = write("nanopublications", export(abstract), key=key).decode()
    assert body.startswith("# PMID 10373512: The interaction cannot be signed as a nanopublication:")
    assert len(verify_nanopublications(body)) == 1


@pytest.mark.parametrize("slug", ["mitab", "psi-mi-xml-2.5.4", "psi-mi-xml-3.0.0"])
def test_records_without_interactions_are_left_out(slug):
    assert b"10.1000/empty" not in write(slug, EXPORTED, EMPTY)
