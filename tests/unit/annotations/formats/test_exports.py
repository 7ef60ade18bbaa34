"""Articles go out in every format and come back: the text to the last character, annotations as the same sets."""

import gzip
import json
from dataclasses import fields, replace
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.articles.imports.article_files import (
    read_unpacked_non_pubmed_article_file,
    sniff_article_format_unpacking_gzip,
    unpack_if_gzipped_within_limit,
)
from annotations.formats.annotated_text.article_reader import read_annotated_articles_skipping_textless
from annotations.formats.articles.annotated_article import (
    AnnotatedArticle,
    ExportedProducer,
    Interactor,
    ProducerResult,
    UpdatedAnnotation,
)
from annotations.formats.articles.parsed_article import ArticleIds, TextPassage
from annotations.formats.bioc.writer import escape_xml_text_replacing_invalid_characters
from annotations.formats.exports import ANNOTATION_PARTS, EXPORTS, OPEN_PARTS, ExportPart
from annotations.formats.jats.reader import read_jats_articles
from annotations.formats.result_sniffing import ResultFormat
from annotations.schema import (
    AnnotationData,
    EntityId,
    Kind,
    RelationArgument,
    Span,
    make_entity,
    make_label,
    make_mention,
    make_relation,
)
from tests.drawn_annotations import ANNOTATIONS
from tests.shared_data import require_shared_path
from tests.unit.export_readers import READERS

ALPHA = ExportedProducer("Alpha", "server", "alpha", "2.1 =β\t<&>")
OLDER_ALPHA = ExportedProducer("Alpha", "server", "alpha", "2.0")
BETA = ExportedProducer('Beta <&"> \u2028 β', "server", "beta")
GOLD = ExportedProducer("Gold", "gold")
TITLE = "\U0001f9ec Loss of CDH1 & α-catenin\u200f <i>"
ABSTRACT = "AIM: To see.\tRESULTS: \u202eE-cadherin\u202c (CDH1)\r\nbinds β-catenin\x0b."
ARTICLE = AnnotatedArticle(
    "10000001",
    ArticleIds(10000001, "PMC7", "10.1000/x"),
    [
        TextPassage("title", TITLE),
        TextPassage("abstract", ABSTRACT),
        TextPassage("heading", ""),
        TextPassage("results", "CTNNB1\n"),
    ],
    2,
    "J Cell Ex",
    2026,
    ["Doe J", "Roe R"],
    [
        ProducerResult(
            ALPHA,
            Kind.MENTION,
            [
                AnnotationData(Kind.MENTION, 0.1 + 0.2, 1, 10, 14, "CDH1", "Gene"),
                AnnotationData(Kind.MENTION, start=2, end=14, text=TITLE[2:14]),
                AnnotationData(Kind.MENTION, start=0, end=len(TITLE) + 4, text=f"{TITLE}\nAIM", type="a:b c"),
            ],
        ),
        ProducerResult(
            ALPHA,
            Kind.NORMALIZATION,
            [AnnotationData(Kind.NORMALIZATION, 0.5, 1, database="uniprot", identifier="P12830")],
        ),
        ProducerResult(OLDER_ALPHA, Kind.TAXON, []),
        ProducerResult(ALPHA, Kind.CLASSIFICATION, [AnnotationData(Kind.CLASSIFICATION, 1.0, relevant=False)]),
        ProducerResult(
            BETA, Kind.MENTION, [AnnotationData(Kind.MENTION, 0.7, start=10, end=14, text="CDH1", type="Gene")]
        ),
        ProducerResult(
            BETA,
            Kind.PAIR,
            [
                UpdatedAnnotation(
                    *(Kind.PAIR, 0.9, 1),
                    database="uniprot",
                    identifier="P12830",
                    partner="P35222",
                    reported="Q12830 P35222",
                ),
                AnnotationData(Kind.PAIR, 0.8, 2, database="uniprot", identifier="P35222", partner="P35222"),
            ],
        ),
        ProducerResult(
            BETA, Kind.METHOD, [AnnotationData(Kind.METHOD, database="psi-mi", identifier="MI:0018", rank=3)]
        ),
        ProducerResult(
            GOLD,
            Kind.PASSAGE,
            [AnnotationData(Kind.PASSAGE, database="uniprot", identifier="P1", partner="P2", text="a\\tb\t\r\n\\ c")],
        ),
        ProducerResult(
            GOLD,
            Kind.NORMALIZATION,
            [AnnotationData(Kind.NORMALIZATION, database="ncbigene", identifier="999", taxon=9606)],
        ),
    ],
)
BARE = AnnotatedArticle("B0123456789abcdef", ArticleIds(), [TextPassage("title", "Only a title")])
XML_EXPORTS = ("bioc-xml", "uima-xmi")
FORMAT_BY_EXPORT = {
    "bioc-xml": ResultFormat.BIOC_XML,
    "bioc-json": ResultFormat.BIOC_JSON,
    "pubannotation": ResultFormat.PUBANNOTATION,
    "pubtator": ResultFormat.PUBTATOR,
    "brat": ResultFormat.BRAT,
    "uima-xmi": ResultFormat.XMI,
    "web-annotation": ResultFormat.WEB_ANNOTATION,
    "web-annotation-turtle": ResultFormat.WEB_ANNOTATION_TURTLE,
}
PASSAGE_EXPORTS = tuple(slug for slug in FORMAT_BY_EXPORT if slug != "pubtator")


def write_export(slug, *articles):
    return b"".join(EXPORTS[slug].write(articles))


def collect_statements(article, *kinds):
    return {(producer, finding) for producer, finding in article.iter_annotations(*(kinds or Kind))}


def collect_empty_results(article):
    return {(statement.producer, statement.kind) for statement in article.results if not statement.annotations}


def read_as_xml(text):
    """What XML gives back of a text, its entities resolved."""
    return (
        escape_xml_text_replacing_invalid_characters(text)
        .replace("&#13;", "\r")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
    )


def check(slug, article):
    """What the format says that it carries comes back whole."""
    back, export = READERS[slug](write_export(slug, article))[article.id], EXPORTS[slug]
    clean = read_as_xml if slug in XML_EXPORTS else str
    if ExportPart.TEXT in export.carries:
        assert back.text == clean(article.text)
    if ExportPart.PASSAGES in export.carries:
        assert back.passages == [(clean(own.type), clean(own.text)) for own in article.passages]
    assert export.carries >= ANNOTATION_PARTS
    assert {repr(own) for own in back.said} == {clean_repr(own, clean) for own in collect_statements(article)}
    if ExportPart.NOTHING in export.carries:
        assert back.silent == collect_empty_results(article)


def clean_repr(said, clean):
    producer, own = said
    texts = {field.name: clean(value) for field in fields(own) if type(value := getattr(own, field.name)) is str}
    return repr((producer, replace(own, **texts)))


@pytest.mark.parametrize("slug", READERS)
def test_it_carries_what_it_says(slug):
    check(slug, ARTICLE)


@pytest.mark.parametrize("slug", READERS)
def test_it_writes_many_articles_into_one_file(slug):
    backs = READERS[slug](write_export(slug, ARTICLE, BARE))
    assert backs["10000001"].said
    if ExportPart.TEXT in EXPORTS[slug].carries:
        assert (list(backs), backs[BARE.id].text) == ([ARTICLE.id, BARE.id], "Only a title")


@pytest.mark.parametrize("slug", READERS)
def test_it_writes_a_file_that_can_be_read_of_no_article(slug):
    assert dict(READERS[slug](write_export(slug))) == {}


@pytest.mark.parametrize("slug", EXPORTS)
def test_it_writes_one_file_however_often_it_is_asked(slug):
    assert write_export(slug, ARTICLE, BARE) == write_export(slug, ARTICLE, BARE)


@pytest.mark.parametrize("slug", [slug for slug, export in EXPORTS.items() if not export.packed])
def test_it_takes_one_article_at_a_time(slug):
    """Whoever writes a million articles has one of them in memory; an archive cannot hold one article five times.

    PubAnnotation writes an only document without a list, so it has to know whether there is a second.
    """
    asked = []

    def articles():
        for number in range(5):
            asked.append(number)
            yield ARTICLE

    pieces = EXPORTS[slug].write(articles())
    while not asked:
        next(pieces)
    assert len(asked) == (2 if slug == "pubannotation" else 1)


def test_it_says_of_every_format_what_is_lost():
    assert {slug for slug, export in EXPORTS.items() if export.lost() and not export.loses} == set()
    assert set(READERS) | {"pubtator", "mitab", "europe-pmc", "parquet-articles"} == set(EXPORTS)


def read_back(slug, *articles):
    return read_annotated_articles_skipping_textless(
        BytesIO(write_export(slug, *articles)), "x", FORMAT_BY_EXPORT[slug]
    ).articles


@pytest.mark.parametrize("slug", PASSAGE_EXPORTS)
def test_it_is_imported_with_its_passages(slug):
    [article, bare] = read_back(slug, ARTICLE, BARE)
    clean = read_as_xml if slug in XML_EXPORTS else str
    assert article.passages == tuple(TextPassage(own.type, clean(own.text)) for own in ARTICLE.passages)
    assert (bare.passages, bare.source_id) == ((TextPassage("title", "Only a title"),), BARE.id)
    assert {(own.start, own.end) for own in article.mentions} == {(10, 14), (2, 14), (0, len(TITLE) + 4)}
    assert {(own.a, own.b) for own in article.pairs if own.interacts} == {("P12830", "P35222"), ("P35222", "P35222")}


@pytest.mark.parametrize("slug", PASSAGE_EXPORTS)
def test_it_is_imported_with_its_names(slug):
    [article] = read_back(slug, ARTICLE)
    assert (article.ids, article.journal, article.year) == (ARTICLE.ids, ARTICLE.journal, ARTICLE.year)
    # In PubAnnotation, the class is among the annotations only.
    assert (article.authors, article.relevant) == (("Doe J", "Roe R"), None if slug == "pubannotation" else False)


def test_it_keeps_positions_in_pubtator():
    [article, bare] = read_back("pubtator", ARTICLE, BARE)
    blanks = str.maketrans("\r\n\v", "   ")
    assert article.text.translate(blanks) == ARTICLE.text.translate(blanks)
    assert {(own.start, own.end, own.type) for own in article.mentions} == {
        (10, 14, "Gene"),
        (2, 14, "Mention"),
        (0, len(TITLE) + 4, "a:b c"),
    }
    assert {(own.a, own.b) for own in article.pairs} == {("P12830", "P35222"), ("P35222", "P35222")}
    assert bare.text == "Only a title"


def test_it_says_once_in_pubtator_what_several_say():
    assert write_export("pubtator", ARTICLE).decode().count("\tCDH1\tGene\t") == 1


@pytest.mark.parametrize("text", ["=1+1", "+x", "-x", "@a\t\\"])
def test_it_writes_no_cell_that_a_spreadsheet_takes_for_a_formula(text):
    said = AnnotationData(Kind.PASSAGE, database="uniprot", identifier="P1", partner="P2", text=text)
    content = write_export("tsv", replace(BARE, results=[ProducerResult(GOLD, Kind.PASSAGE, [said])]))
    assert not any(cell.startswith(text[0]) for line in content.decode().split("\n") for cell in line.split("\t"))
    assert {finding for _, finding in READERS["tsv"](content)[BARE.id].said} == {said}


def test_it_writes_pairs_as_psi_mitab():
    header, *rows = [line.split("\t") for line in write_export("mitab", ARTICLE, BARE).decode().split("\n")[:-1]]
    assert {len(row) for row in (header, *rows)} == {42}
    one, two = [dict(zip(header, row, strict=True)) for row in rows]
    assert (one["#ID(s) interactor A"], one["ID(s) interactor B"]) == ("uniprotkb:P12830", "uniprotkb:P35222")
    assert one["Publication Identifier(s)"] == "pubmed:10000001|pmc:PMC7|doi:10.1000/x"
    assert one["Publication 1st author(s)"] == "Doe J et al. (2026)"
    assert one["Interaction detection method(s)"] == 'psi-mi:"MI:0087"(predictive text mining)'
    assert (one["Confidence value(s)"], two["Confidence value(s)"]) == ("confidence:0.9", "confidence:0.8")
    told = 'comment:"producer Beta <&\\"> \u2028 β"|comment:sort server|comment:server beta|comment:rank 1|'
    assert one["Interaction annotation(s)"] == told + "comment:reported Q12830 P35222"
    assert (one["Type(s) interactor A"], one["Alt. ID(s) interactor A"], one["Negative"]) == (
        'psi-mi:"MI:0326"(protein)',
        "-",
        "false",
    )


def test_it_writes_what_is_known_of_interactors_as_psi_mitab():
    known = {
        ("uniprot", "P12830"): Interactor("CDH1", "Cadherin-1 (E)", 9606),
        ("uniprot", "P35222"): Interactor("B|1"),
    }
    header, row, *_ = write_export("mitab", replace(ARTICLE, interactors=known)).decode().split("\n")
    one = dict(zip(header.split("\t"), row.split("\t"), strict=True))

    assert one["Alias(es) interactor A"] == (
        'psi-mi:CDH1(display_short)|uniprotkb:CDH1(gene name)|psi-mi:"Cadherin-1 (E)"(display_long)'
    )
    assert one["Alias(es) interactor B"] == 'psi-mi:"B|1"(display_short)|uniprotkb:"B|1"(gene name)'
    assert (one["Taxid interactor A"], one["Taxid interactor B"]) == ("taxid:9606", "-")


def test_it_says_only_what_all_who_classify_say():
    second = ProducerResult(GOLD, Kind.CLASSIFICATION, [AnnotationData(Kind.CLASSIFICATION, relevant=True)])
    both = AnnotatedArticle("1", ArticleIds(1), ARTICLE.passages, results=[*ARTICLE.results, second])
    [article] = read_back("bioc-xml", both)
    assert article.relevant is None


CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")
TEXTS = st.text(
    st.one_of(CHARACTERS, st.sampled_from("\r\n\t |\\\"'<>&;\x01\x1f\x85\u2028\u200f\u202e\ufeff\ufffe\U0001f9ec"))
)
TYPES = st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=9)


@st.composite
def articles(draw):
    sections = st.sampled_from(["abstract", "abstract", "text", "heading", "methods"])
    rest = [TextPassage(draw(sections), draw(TEXTS)) for _ in range(draw(st.integers(0, 3)))]
    passages = [TextPassage("title", "x" + draw(TEXTS)), *rest]
    text = "\n".join(passage.text for passage in passages)
    spans = st.integers(0, len(text) - 1).flatmap(
        lambda start: st.tuples(st.just(start), st.integers(start + 1, len(text)))
    )
    said = [mention(draw, text, draw(spans)) for _ in range(draw(st.integers(0, 4)))]
    whole = AnnotationData(Kind.PASSAGE, database="uniprot", identifier="P1", partner="P2", text=draw(TEXTS))
    statements = [ProducerResult(ALPHA, Kind.MENTION, said), ProducerResult(BETA, Kind.PASSAGE, [whole])]
    return AnnotatedArticle("7", ArticleIds(7), passages, results=statements)


def mention(draw, text, span):
    start, end = span
    sure = draw(st.none() | st.floats(0, 1, exclude_min=True))
    return AnnotationData(
        Kind.MENTION, sure, draw(st.none() | st.integers(1, 999)), start, end, text[start:end], draw(TYPES)
    )


@pytest.mark.parametrize("slug", READERS)
@settings(deadline=None, max_examples=40)
@given(article=articles())
def test_it_brings_back_any_article(slug, article):
    check(slug, article)


@pytest.mark.parametrize("slug", PASSAGE_EXPORTS)
@settings(deadline=None, max_examples=40)
@given(article=articles())
def test_it_imports_any_article_as_it_was(slug, article):
    [back] = read_back(slug, article)
    clean = read_as_xml if slug in XML_EXPORTS else str
    assert back.text == clean(article.text)
    assert back.passages == tuple(TextPassage(own.type, clean(own.text)) for own in article.passages)
    assert {(own.start, own.end) for own in back.mentions} == {
        (own.start, own.end) for _, own in article.iter_annotations(Kind.MENTION)
    }


OPEN_EXPORTS = (
    *("ndjson", "ndjson-annotations", "parquet-annotations", "tsv", "brat"),
    *("uima-xmi", "web-annotation", "web-annotation-turtle"),
)
BRCA1, CANCER = EntityId("ncbigene", "672"), EntityId("mesh", "D001943")
SPLIT = make_mention([Span(0, 3), Span(5, 6)], "ERK 2", "Gene", [BRCA1, EntityId("psi-mi", "MI:0018")])
BOUND = make_relation(
    "Association",
    [
        RelationArgument("Gene", (BRCA1,), (Span(0, 3), Span(5, 6)), "Gene", "ERK 2"),
        RelationArgument(identifiers=(CANCER,)),
    ],
    directed=True,
    qualifiers={"novelty": "Novel"},
    evidence=[Span(0, 12)],
    confidence=0.5,
)
OPEN_ARTICLE = replace(
    BARE,
    results=[
        ProducerResult(ALPHA, Kind.MENTION, [SPLIT]),
        ProducerResult(ALPHA, Kind.ENTITY, [make_entity(CANCER, "Disease", text="cancer"), make_entity(BRCA1)]),
        ProducerResult(ALPHA, Kind.RELATION, [BOUND]),
        ProducerResult(ALPHA, Kind.LABEL, [make_label("topic", "oncology")]),
    ],
)


@pytest.mark.parametrize("slug", EXPORTS)
def test_it_writes_open_annotations_and_what_the_format_keeps_comes_back(slug):
    content = write_export(slug, OPEN_ARTICLE)
    if slug in OPEN_EXPORTS:
        assert EXPORTS[slug].carries >= OPEN_PARTS
        assert READERS[slug](content)[BARE.id].said == collect_statements(OPEN_ARTICLE)


def test_its_records_have_the_members_of_open_annotations():
    _, entity, _, relation, label = map(json.loads, write_export("ndjson-annotations", OPEN_ARTICLE).splitlines())
    gene = {"curie": "ncbigene:672", "database": "ncbigene", "identifier": "672"}
    cancer = {"curie": "mesh:D001943", "database": "mesh", "identifier": "D001943"}
    assert set(entity) - set(label) == {"database", "identifier"}
    assert list(relation.items())[-6:] == [
        ("confidence", 0.5),
        ("type", "Association"),
        (
            "arguments",
            [
                {"role": "Gene", "identifiers": [gene], "spans": [[0, 3], [5, 6]], "type": "Gene", "text": "ERK 2"},
                {"identifiers": [cancer]},
            ],
        ),
        ("directed", True),
        ("qualifiers", {"novelty": "Novel"}),
        ("evidence", [[0, 12]]),
    ]
    assert (label["type"], label["text"]) == ("topic", "oncology")


def test_tsv_has_them_in_its_last_column():
    header, *rows = [line.split("\t") for line in write_export("tsv", OPEN_ARTICLE).decode().split("\n")[:-1]]
    assert header[-2:] == ["reported", "details"]
    assert rows[0][-1] == (
        '{"spans":[[0,3],[5,6]],"identifiers":[{"curie":"ncbigene:672","database":"ncbigene","identifier":"672"},'
        '{"curie":"mi:0018","database":"psi-mi","identifier":"MI:0018"}]}'
    )
    assert [bool(row[-1]) for row in rows] == [True, False, False, True, False]
    assert {line.split("\t")[-1] for line in write_export("tsv", ARTICLE).decode().split("\n")[1:-1]} == {""}


@pytest.mark.parametrize("slug", OPEN_EXPORTS)
@settings(deadline=None, max_examples=40)
@given(drawn=st.lists(ANNOTATIONS, min_size=1, max_size=5))
def test_it_brings_back_any_open_annotation(slug, drawn):
    said = [ProducerResult(BETA, kind, [own for own in drawn if own.kind is kind]) for kind in Kind]
    article = replace(BARE, passages=[TextPassage("title", "Only a title " * 5)], results=said)
    assert READERS[slug](write_export(slug, article))[BARE.id].said == collect_statements(article)


REAL = [
    "corpora/biored/Dev.BioC.XML.gz",
    "corpora/gnormplus/GNormPlus_Train.PubTator.gz",
    "corpora/nlmgene/NLMgene_Train.PubTator.gz",
    "corpora/tmvar3/tmVar3_Train.PubTator.gz",
    "corpora/bc6pm/PMtask_Relations_TrainingSet.json.gz",
]


@pytest.mark.long
@pytest.mark.parametrize("name", REAL)
def test_it_brings_back_the_articles_of_corpora(name):
    with require_shared_path(*name.split("/")).open("rb") as stream:
        form = sniff_article_format_unpacking_gzip(stream, name)
        articles = [
            build_exported_article(own)
            for own in read_unpacked_non_pubmed_article_file(
                unpack_if_gzipped_within_limit(stream, name), name, form
            ).articles
        ]
    check_real(articles)


@pytest.mark.parametrize("folder", ["pmc_fulltext"])
def test_it_brings_back_full_texts(folder):
    paths = sorted(require_shared_path("samples", folder).glob("*.nxml.gz"))
    read = (read_jats_articles(gzip.decompress(path.read_bytes()), path.name).articles for path in paths)
    check_real([build_exported_article(own) for some in read for own in some])


def check_real(articles):
    assert articles
    for slug, reader in READERS.items():
        backs = reader(write_export(slug, *articles))
        for own in articles:
            if own.results[0].annotations:
                assert {repr(said) for said in backs[own.id].said} == {repr(said) for said in collect_statements(own)}
            if ExportPart.TEXT in EXPORTS[slug].carries:
                assert backs[own.id].text == own.text
    for slug in ("bioc-xml", "bioc-json", "pubannotation"):
        back = read_back(slug, *articles)
        assert [own.passages for own in back] == [tuple(own.passages) for own in articles]


def build_exported_article(read):
    mentions = dict.fromkeys(
        AnnotationData(Kind.MENTION, start=own.start, end=own.end, text=read.text[own.start : own.end], type=own.type)
        for own in read.mentions
    )
    ident = str(read.ids.pmid or read.ids.pmcid or read.source_id)
    return AnnotatedArticle(
        ident, read.ids, read.passages, results=[ProducerResult(GOLD, Kind.MENTION, list(mentions))]
    )
