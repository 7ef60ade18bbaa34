"""Pages of Web Annotations: a JSON-LD processor and Turtle say the same, ids are absolute, faults have a place."""

import json
from io import BytesIO

import pytest
import rdflib
from pyld import jsonld
from rdflib.compare import to_isomorphic

from annotations.formats.annotated_text.article_reader import read_annotated_articles_skipping_textless
from annotations.formats.articles.annotated_article import AnnotatedArticle, ExportedProducer, ProducerResult
from annotations.formats.articles.article_sniffing import ArticleFormat, sniff_format_else_text_refusing_non_articles
from annotations.formats.articles.parsed_article import ArticleIds, TextPassage
from annotations.formats.errors import RefusedFileError
from annotations.formats.exports import EXPORTS
from annotations.formats.result_sniffing import ResultFormat
from annotations.schema import (
    EntityId,
    Kind,
    RelationArgument,
    Span,
    make_entity,
    make_label,
    make_mention,
    make_relation,
)

PAGE = "https://example.org/api/v1/articles/12/export/web-annotation/?kind=mention&q=a"
OA, OWN = rdflib.Namespace("http://www.w3.org/ns/oa#"), rdflib.Namespace("tag:bcms,2026:")
GENE, CANCER, OTHER = EntityId("ncbigene", "672"), EntityId("mesh", "D001943"), EntityId("", "BRCA 1")
TEXT = 'BRCA1 and\tERK1/2 in "breast" cancer \\ \U0001f9ec\nTrx1\u2028binds.'
ARGUMENTS = [RelationArgument("Gene", (GENE,), (Span(0, 5),), "Gene", "BRCA1"), RelationArgument("", (CANCER,))]
ALPHA = ExportedProducer("Alpha", "server", "alpha")
ARTICLE = AnnotatedArticle(
    "A b",
    ArticleIds(),
    [TextPassage("title", TEXT[:40]), TextPassage("abstract", TEXT[41:])],
    results=[
        ProducerResult(
            ALPHA,
            Kind.MENTION,
            [
                make_mention([Span(0, 5)], "BRCA1", "Gene", [GENE, OTHER], confidence=0.5),
                make_mention([Span(10, 13), Span(15, 16)], "ERK 2", "Gene"),
            ],
        ),
        ProducerResult(ALPHA, Kind.ENTITY, [make_entity(CANCER, "Disease")]),
        ProducerResult(
            ALPHA,
            Kind.RELATION,
            [
                make_relation("Association", ARGUMENTS, qualifiers={"novelty": "Novel"}, evidence=[Span(0, 35)]),
            ],
        ),
        ProducerResult(ALPHA, Kind.LABEL, [make_label("topic", "oncology")]),
        ProducerResult(ExportedProducer("Gold", "gold"), Kind.TAXON, []),
    ],
)
# The terms of http://www.w3.org/ns/anno.jsonld that pages have, as the vocabulary describes them.
NODE = {"@type": "@id"}
ANNO_TERMS = {
    **{name: f"http://www.w3.org/ns/oa#{name}" for name in ("Annotation", "SpecificResource", "TextualBody")},
    **{name: f"http://www.w3.org/ns/oa#{name}" for name in ("TextQuoteSelector", "TextPositionSelector")},
    **{name: f"http://www.w3.org/ns/oa#{name}" for name in ("tagging", "identifying", "linking", "classifying")},
    **{name: f"http://www.w3.org/ns/oa#{name}" for name in ("describing", "exact", "prefix", "suffix")},
    "id": "@id",
    "type": "@type",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "Software": "http://www.w3.org/ns/activitystreams#Application",
    "AnnotationPage": "http://www.w3.org/ns/activitystreams#OrderedCollectionPage",
    "items": NODE | {"@id": "http://www.w3.org/ns/activitystreams#items", "@container": "@list"},
    "startIndex": {
        "@id": "http://www.w3.org/ns/activitystreams#startIndex",
        "@type": "http://www.w3.org/2001/XMLSchema#nonNegativeInteger",
    },
    "body": NODE | {"@id": "http://www.w3.org/ns/oa#hasBody"},
    "target": NODE | {"@id": "http://www.w3.org/ns/oa#hasTarget"},
    "source": NODE | {"@id": "http://www.w3.org/ns/oa#hasSource"},
    "selector": NODE | {"@id": "http://www.w3.org/ns/oa#hasSelector"},
    "creator": NODE | {"@id": "http://purl.org/dc/terms/creator"},
    "motivation": {"@type": "@vocab", "@id": "http://www.w3.org/ns/oa#motivatedBy"},
    "purpose": {"@type": "@vocab", "@id": "http://www.w3.org/ns/oa#hasPurpose"},
    "value": "http://www.w3.org/1999/02/22-rdf-syntax-ns#value",
    "format": "http://purl.org/dc/elements/1.1/format",
    "name": "http://xmlns.com/foaf/0.1/name",
    "start": {"@id": "http://www.w3.org/ns/oa#start", "@type": "http://www.w3.org/2001/XMLSchema#nonNegativeInteger"},
    "end": {"@id": "http://www.w3.org/ns/oa#end", "@type": "http://www.w3.org/2001/XMLSchema#nonNegativeInteger"},
}


def load_context(url, options):
    assert url == "http://www.w3.org/ns/anno.jsonld"
    document = {"@context": ANNO_TERMS}
    return {"contextUrl": None, "documentUrl": url, "contentType": "application/ld+json", "document": document}


def write(slug, article=ARTICLE):
    return b"".join(EXPORTS[slug].write([article], PAGE))


def read(content, text_format=ResultFormat.WEB_ANNOTATION):
    return read_annotated_articles_skipping_textless(BytesIO(content), "mine", text_format)


@pytest.fixture(scope="module")
def graph():
    """The page in JSON-LD as a JSON-LD processor understands it."""
    page = json.loads(write("web-annotation"))
    quads = jsonld.to_rdf(page, {"documentLoader": load_context, "format": "application/n-quads"})
    return rdflib.Graph().parse(data=quads, format="nt")


def test_a_processor_finds_every_annotation_with_its_target(graph):
    [page] = graph.subjects(
        rdflib.RDF.type, rdflib.URIRef("http://www.w3.org/ns/activitystreams#OrderedCollectionPage")
    )
    assert str(page) == PAGE
    items = list(graph.items(graph.value(page, rdflib.URIRef("http://www.w3.org/ns/activitystreams#items"))))
    assert [str(item) for item in items] == [f"{PAGE}#A%20b", *(f"{PAGE}#A%20b-{number}" for number in range(1, 6))]
    assert set(graph.subjects(rdflib.RDF.type, OA.Annotation)) == set(items)
    assert all(list(graph.objects(item, OA.hasTarget)) for item in items)
    assert len(list(graph.objects(items[2], OA.hasTarget))) == 2
    assert {str(value) for value in graph.objects(None, OA.hasSource)} == {
        "https://example.org/articles/A%20b/",
        "https://www.ncbi.nlm.nih.gov/gene/672",
        "https://meshb.nlm.nih.gov/record/ui?ui=D001943",
    }
    nodes = [node for triple in graph for node in triple if isinstance(node, rdflib.URIRef)]
    assert all(str(node).startswith(("http://", "https://", "tag:")) for node in nodes)


def test_turtle_says_the_same(graph):
    turtle = rdflib.Graph().parse(data=write("web-annotation-turtle").decode(), format="turtle")

    def normalize(some):
        """The graph with JSON as any program may write it."""
        normal = rdflib.Graph()
        for subject, predicate, value in some:
            is_json = isinstance(value, rdflib.Literal) and value.datatype == rdflib.RDF.JSON
            text = json.dumps(json.loads(value), sort_keys=True) if is_json else None
            normal.add((subject, predicate, rdflib.Literal(text) if is_json else value))
        return to_isomorphic(normal)

    assert normalize(turtle) == normalize(graph)


@pytest.mark.parametrize("slug", ["web-annotation", "web-annotation-turtle"])
def test_it_knows_its_files(slug):
    stream = BytesIO(write(slug))
    assert sniff_format_else_text_refusing_non_articles(stream, "x") is ArticleFormat(slug)


def test_it_skips_annotations_of_other_programs():
    page = json.loads(write("web-annotation"))
    page["items"].append({"id": "https://example.org/1", "type": "Annotation", "target": "https://example.org/"})
    read_file = read(json.dumps(page, indent=1).encode())
    [warning] = read_file.warnings
    assert len(read_file.articles) == 1
    assert warning.line > 100
    assert (warning.rule, warning.wrong) == (
        "R675",
        "the annotation has neither finding nor article, so it is skipped",
    )


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('"start": 0, "end": 5, "text"', '"start": 0, "end": 500, "text"', "mine:3:1: R668 0 to 500 is not a span"),
        ('"kind": "label"', '"kind": "colour"', "mine:7:1: R668 “colour” is not a kind of annotation - "),
        ('"confidence": 0.5', '"confidence": 5', "mine:3:1: R668 “5” is not a confidence - "),
        ("[[10, 13], [15, 16]]", "[[15, 16], [10, 13]]", "mine:4:1: R668 the spans overlap or are not in the order"),
        ('"identifiers": [{"curie": "mesh', '"x": [{"curie": "mesh', "mine:6:1: R668 an argument has neither"),
        ('"article": "A b", "kind": "label"', '"article": "B", "kind": "label"', "mine:7:1: R668 no annotation before"),
        ('"qualifiers": {"novelty": "Novel"}', '"qualifiers": {"novelty": 1}', "mine:6:1: R668 qualifiers is not an "),
        ("\n]}", "\n", "R666 the JSON is invalid here"),
    ],
)
def test_it_names_the_place_of_a_fault(old, new, fault):
    content = write("web-annotation").decode()
    assert old in content
    with pytest.raises(RefusedFileError) as refused:
        read(content.replace(old, new).encode())
    assert fault in str(refused.value)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"@prefix oa: <http://www.w3.org/ns/oa#> .\n<a> oa:x [ .", "mine:2:1: R676 the Turtle is not valid here - "),
        (b"<a> <b> " + b"[<c> " * 100_000, "R676 the file is not valid Turtle, or nested too deeply - "),
        (b"# \xff", "mine:1:1: R651 a byte is not UTF-8 - "),
        (b"#" * 9 * 1024 * 1024, "mine:0:0: R448 the file is larger than 8 MiB - "),
        (b"", "mine:0:0: R675 no annotation of the file has the text of an article, "),
        (
            b'<p> <http://www.w3.org/ns/activitystreams#items> ( <a> ) . <a> <tag:bcms,2026:finding> "{" .',
            "mine:0:0: R668 “{” is not JSON - ",
        ),
    ],
    ids=["syntax", "deep", "encoding", "large", "empty", "json"],
)
def test_it_refuses_turtle_that_it_cannot_read(content, fault):
    with pytest.raises(RefusedFileError) as refused:
        read(content, ResultFormat.WEB_ANNOTATION_TURTLE)
    assert fault in str(refused.value)
