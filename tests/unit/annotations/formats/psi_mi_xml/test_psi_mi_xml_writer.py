"""Digital abstracts are written as PSI-MI XML: valid by its schemas, and read back as they were."""

import gzip
from dataclasses import replace
from functools import cache
from io import BytesIO

import pytest
from hypothesis import given, settings
from lxml import etree

from annotations.digital_abstract import DigitalAbstract
from annotations.formats.articles.parsed_article import ArticleIds
from annotations.formats.psi_mi_xml.reader import read_psi_mi_xml
from annotations.formats.psi_mi_xml.vocabulary import PSI_MI_NAMESPACES, PsiMiVersion
from annotations.formats.psi_mi_xml.writer import write_psi_mi_xml
from tests.digital_abstract_samples import ARTICLE, BINDING, DIGITAL_ABSTRACTS, FULL, export
from tests.shared_data import require_shared_path

SCHEMAS = {PsiMiVersion.V254: "MIF254.xsd.gz", PsiMiVersion.V300: "MIF300.xsd.gz"}
EACH_VERSION = pytest.mark.parametrize("version", PsiMiVersion)
WITHOUT_IDS = replace(ARTICLE, ids=ArticleIds())


def write(version, *exported):
    return "".join(write_psi_mi_xml(exported or [export()], version)).encode()


def read(content):
    return read_psi_mi_xml(BytesIO(content), "mine.xml").abstracts


def find(content, version, path):
    names = {"m": PSI_MI_NAMESPACES[version]}
    return [
        each if isinstance(each, str) else each.text for each in etree.fromstring(content).xpath(path, namespaces=names)
    ]


@cache
def load_schema(version):
    path = require_shared_path("psi-mi", SCHEMAS[version])
    return etree.XMLSchema(etree.fromstring(gzip.decompress(path.read_bytes())))


@EACH_VERSION
def test_it_writes_everything_of_a_record(version):
    [back] = read(write(version))
    assert back.abstract == FULL
    assert back.publication.ids == ARTICLE.ids


@EACH_VERSION
@settings(max_examples=40, deadline=None)
@given(abstract=DIGITAL_ABSTRACTS)
def test_it_writes_any_record_so_that_it_comes_back(version, abstract):
    [back] = read(write(version, export(abstract)))
    assert back.abstract == abstract


@pytest.mark.shared
@EACH_VERSION
def test_it_is_valid_by_the_schema(version):
    content = write(version, export(), export(article=WITHOUT_IDS))
    load_schema(version).assertValid(etree.fromstring(content))


@pytest.mark.shared
@EACH_VERSION
@settings(max_examples=40, deadline=None)
@given(abstract=DIGITAL_ABSTRACTS)
def test_it_is_valid_by_the_schema_for_any_record(version, abstract):
    load_schema(version).assertValid(etree.fromstring(write(version, export(abstract, WITHOUT_IDS))))


@EACH_VERSION
def test_it_names_databases_organisms_and_terms_as_psi_mi_does(version):
    content = write(version)
    assert find(content, version, "//m:interactor/m:xref/m:primaryRef/@db") == [
        *("uniprotkb", "uniprotkb", "uniprotkb", "complex portal", "chebi")
    ]
    assert find(content, version, "//m:interactor/m:xref/m:primaryRef/@id")[-1] == "CHEBI:15422"
    assert find(content, version, "//m:interactor[1]/m:names/m:alias") == ["BRCA2", "FACD", "FANCD1 & others"]
    assert find(content, version, "//m:interactor[1]/m:organism/@ncbiTaxId") == ["9606"]
    assert find(content, version, "//m:interactor[1]/m:organism/m:names/m:fullName") == ["Homo sapiens"]
    assert find(content, version, "//m:interaction[1]/m:interactionType/m:names/m:shortLabel") == ["direct interaction"]
    assert find(content, version, "//m:experimentDescription[1]/m:bibref/m:xref/*/@id") == [
        *("10373512", "10.1000/xyz123", "PMC3463565")
    ]
    assert find(content, version, "//m:attribute[@nameAc='MI:0599']") == ["Figure 2A"]


@EACH_VERSION
def test_it_lists_a_shared_interactor_and_a_shared_experiment_once(version):
    twice = DigitalAbstract((BINDING, replace(BINDING, negative=True)))
    content = write(version, export(twice))
    assert (
        len(find(content, version, "//m:interactor")) == len(find(content, version, "//m:experimentDescription")) == 2
    )
    assert [each.abstract.interactions for each in read(content)] == [twice.interactions]


@EACH_VERSION
def test_it_identifies_an_article_without_identifiers_by_its_address(version):
    content = write(version, export(article=WITHOUT_IDS))
    [back] = read(content)
    assert back.abstract == FULL
    assert back.publication.source_id == "https://bcms.example/articles/12/"
    assert back.publication.title == ARTICLE.passages[0].text


@EACH_VERSION
def test_it_leaves_out_records_without_interactions(version):
    content = write(version, export(DigitalAbstract(nothing_found=True)), export())
    assert len(find(content, version, "//m:entry")) == 1
    assert read(write(version, export(DigitalAbstract()))) == []


@EACH_VERSION
def test_it_writes_one_piece_for_each_record(version):
    pieces = write_psi_mi_xml(iter([export(), export()]), version)
    assert [piece.count("<entry>") for piece in pieces] == [0, 1, 1, 0]


@EACH_VERSION
def test_it_replaces_characters_that_xml_does_not_allow(version):
    content = write(version, export(DigitalAbstract((replace(BINDING, comment="a\x00b\x0cc\ud800"),))))
    [back] = read(content)
    assert back.abstract.interactions[0].comment == "a\ufffdb\ufffdc\ufffd"
