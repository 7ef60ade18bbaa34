"""A digital abstract is a page of HTML that stands alone, with metadata of schema.org."""

import json
from dataclasses import replace

import pytest
import rdflib
from lxml import etree, html
from pyld import jsonld

from annotations.digital_abstract import (
    Contributor,
    Detection,
    DigitalAbstract,
    Interaction,
    Origin,
    Participant,
    Source,
    SourcedAnnotation,
)
from annotations.formats.articles.annotated_article import AnnotatedArticle
from annotations.formats.articles.parsed_article import ArticleIds, TextPassage
from annotations.formats.digital_abstracts.entity_iris import build_entity_iri_or_empty
from annotations.formats.digital_abstracts.html_writer import write_abstract_html
from annotations.schema import EntityId, RelationArgument, make_entity, make_label, make_relation
from tests.digital_abstract_samples import ARTICLE, BINDING, BRCA2, FULL, NEGATIVE, RAD51, TITLE, export, find_passage

SDO = rdflib.Namespace("https://schema.org/")
# Names of schema.org 29; bioChemInteraction and taxonomicRange are from Bioschemas.
TYPES = {
    *("ScholarlyArticle", "Dataset", "Claim", "Quotation", "Person", "Periodical", "DefinedTerm"),
    *("BioChemEntity", "Protein", "Gene", "MolecularEntity", "Taxon"),
}
PROPERTIES = {
    *("about", "abstract", "alternateName", "author", "bioChemInteraction", "creator", "dateModified", "datePublished"),
    *("description", "hasPart", "headline", "identifier", "inDefinedTermSet", "isBasedOn", "isPartOf", "keywords"),
    *("name", "sameAs", "taxonomicRange", "termCode", "text", "url"),
}
LINKS = ("sameAs", "url", "inDefinedTermSet")
CONTEXT = {
    **{name: f"https://schema.org/{name}" for name in (*TYPES, *PROPERTIES)},
    **{name: {"@id": f"https://schema.org/{name}", "@type": "@id"} for name in LINKS},
}
PAGE = "https://bcms.example/articles/12/"
SENTENCES = ("BRCA2 binds Rad51.", "It does <not> bind p53.", "Rad51 binds itself.", "A complex & ATP.")
NASTY = "</script><script>alert(1)</script><!-- \u2028 \" ' & ]]> \x00 \U0001f9ec"


def write(abstract=FULL, sentences=SENTENCES, article=ARTICLE):
    return write_abstract_html(export(abstract, article), sentences)


def parse(page):
    # The parser of lxml reads text as bytes in the encoding that the page declares.
    return html.document_fromstring(page.encode())


def read_metadata(page):
    [script] = parse(page).xpath("//script")
    assert script.get("type") == "application/ld+json"
    return json.loads(script.text)


def load_context(url, options):
    assert url == "https://schema.org"
    return {
        "contextUrl": None,
        "documentUrl": url,
        "contentType": "application/ld+json",
        "document": {"@context": CONTEXT},
    }


def iter_members(value):
    if isinstance(value, dict):
        yield from value.items()
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from iter_members(each)


@pytest.fixture
def graph():
    """The metadata as a JSON-LD processor understands it."""
    quads = jsonld.to_rdf(read_metadata(write()), {"documentLoader": load_context, "format": "application/n-quads"})
    return rdflib.Graph().parse(data=quads, format="nt")


def test_it_uses_names_of_schema_org_only():
    members = list(iter_members(read_metadata(write())))
    assert {name for name, _ in members if not name.startswith("@")} <= PROPERTIES
    assert {value for name, value in members if name == "@type"} <= TYPES
    assert all(value not in ("", [], {}, None) for _, value in members)


def test_a_processor_finds_the_article_and_its_molecules(graph):
    article = rdflib.URIRef(PAGE)
    assert (article, rdflib.RDF.type, SDO.ScholarlyArticle) in graph
    assert str(graph.value(article, SDO.headline)) == TITLE
    assert {str(each) for each in graph.objects(article, SDO.sameAs)} == {
        "https://pubmed.ncbi.nlm.nih.gov/10373512/",
        "https://doi.org/10.1000/xyz123",
        "https://pmc.ncbi.nlm.nih.gov/articles/PMC3463565/",
    }
    brca2, rad51, p53 = (
        rdflib.URIRef(f"https://identifiers.org/uniprot:{each}") for each in ("P51587", "Q06609", "P04637")
    )
    assert {brca2, rad51, p53} <= set(graph.objects(article, SDO.about))
    assert (brca2, rdflib.RDF.type, SDO.Protein) in graph
    assert (brca2, SDO.bioChemInteraction, rad51) in graph
    assert (rad51, SDO.bioChemInteraction, rad51) in graph
    assert (brca2, SDO.bioChemInteraction, p53) not in graph
    organism = rdflib.URIRef("http://purl.obolibrary.org/obo/NCBITaxon_9606")
    assert graph.value(brca2, SDO.taxonomicRange) == organism
    assert str(graph.value(organism, SDO.name)) == "Homo sapiens"


def test_a_processor_finds_the_interactions_with_their_evidence(graph):
    [record] = graph.subjects(rdflib.RDF.type, SDO.Dataset)
    assert len(list(graph.objects(record, SDO.hasPart))) == len(FULL.interactions)
    first = rdflib.URIRef(f"{PAGE}#interaction-1")
    assert str(graph.value(first, SDO.text)) == SENTENCES[0]
    assert {str(graph.value(each, SDO.termCode)) for each in graph.objects(first, SDO.keywords)} == {
        *("MI:0407", "MI:0018", "MI:0019")
    }
    assert {str(graph.value(each, SDO.text)) for each in graph.objects(first, SDO.isBasedOn)} == {
        passage.text for passage in BINDING.iter_evidence()
    }
    assert rdflib.URIRef("https://orcid.org/0000-0002-1825-0097") in set(graph.objects(record, SDO.creator))


def test_it_shows_the_record():
    text = " ".join(parse(write()).text_content().split())
    for part in (
        *(TITLE, "Marmorstein LY, Doe J. Cell & Biology. 1999", *SENTENCES, "direct interaction (MI:0407)"),
        *("Rad51 & co (UniProt:Q06609)", "Homo sapiens (NCBITaxon:9606)", "bait (MI:0496)", "two hybrid (MI:0018)"),
        *("Figure 2A", "directed", "does not take place", "Checked twice.", "Confidence of the author: 0.8"),
        *("Proposed by GNormPlus 2 (system)", "Disease breast cancer MESH:D001943", "kind: review"),
        *("Josiah Carberry (curator)", "2026-11-24T10:11:12+00:00"),
    ):
        assert " ".join(part.split()) in text
    assert "unspecified role" not in text


def test_it_links_to_entries_and_terms():
    links = set(parse(write()).xpath("//a/@href"))
    assert {
        "https://www.uniprot.org/uniprotkb/P51587/entry",
        "http://purl.obolibrary.org/obo/MI_0018",
        "https://orcid.org/0000-0002-1825-0097",
        PAGE,
    } <= links
    assert all(link.startswith(("https://", "http://")) for link in links)


def test_it_is_well_formed_and_names_its_language():
    page = parse(write())
    assert page.get("lang") == "en"
    assert page.xpath("//title/text()") == [TITLE]
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids)) == len(SENTENCES)
    assert len(page.xpath("//table//tr")) == len(SENTENCES) + 1


def test_it_says_whose_proposals_annotations_and_organisms_were():
    page = parse(write())
    texts = [" ".join(each.text_content().split()) for each in page.xpath("//li | //p")]
    assert "kind: review" in texts
    [disease] = [each for each in texts if "breast cancer" in each]
    assert disease.endswith("[proposed by TaggerOne & co (system), Doe J (author)]")
    [organisms] = [each for each in texts if each.startswith("Organisms:")]
    assert "[proposed by SR4GN <1> (system)], Mus musculus" in organisms


def test_nothing_in_a_record_becomes_markup():
    participants = (Participant(EntityId("uniprot", NASTY), NASTY), Participant(EntityId("", NASTY), NASTY))
    abstract = DigitalAbstract(
        (
            Interaction(
                participants,
                "MI:0407",
                (Detection("MI:0018", (replace(find_passage(TITLE, NASTY), text=NASTY),)),),
                comment=NASTY,
                sources=(Source(NASTY, Origin.SYSTEM),),
            ),
        ),
        annotations=(
            SourcedAnnotation(make_entity(EntityId("", NASTY), NASTY, text=NASTY), (Source(NASTY, Origin.SYSTEM),)),
            SourcedAnnotation(make_label(NASTY, NASTY)),
            SourcedAnnotation(
                make_relation(NASTY, [RelationArgument(NASTY, (EntityId("", NASTY),)), RelationArgument("", (BRCA2,))])
            ),
        ),
        contributors=(Contributor(NASTY, Origin.AUTHOR, NASTY),),
        updated=NASTY,
        organisms=(9606,),
        organism_sources={9606: (Source(NASTY, Origin.AUTHOR),)},
    )
    article = AnnotatedArticle(
        NASTY, ArticleIds(doi=f"10.1/{NASTY}"), [TextPassage("title", NASTY)], journal=NASTY, authors=[NASTY]
    )
    page = write(abstract, [NASTY], article)
    assert page.encode()
    assert page.count("<script") == 1 and page.count("</script") == 1 and "<!--" not in page
    assert "\u2028" not in page.partition("</script>")[0].partition("<script")[2]
    metadata = read_metadata(page)
    assert metadata["@graph"][0]["headline"] == NASTY
    allowed = {element.tag for element in parse(write()).iter() if isinstance(element.tag, str)}
    assert {element.tag for element in parse(page).iter() if element.tag is not etree.Comment} <= allowed


def test_it_says_that_nothing_was_found():
    page = write(DigitalAbstract(nothing_found=True), [])
    assert "has no interactions to record" in page
    assert not parse(page).xpath("//table")


def test_it_needs_a_sentence_for_each_interaction():
    with pytest.raises(ValueError, match="shorter"):
        write(DigitalAbstract((BINDING, NEGATIVE)), ["Only one."])


@pytest.mark.parametrize(
    ("entity", "iri"),
    [
        (RAD51, "https://identifiers.org/uniprot:Q06609"),
        (EntityId("ncbigene", "672"), "https://identifiers.org/ncbigene:672"),
        (EntityId("chebi", "15422"), "http://purl.obolibrary.org/obo/CHEBI_15422"),
        (EntityId("psi-mi", "MI:0018"), "http://purl.obolibrary.org/obo/MI_0018"),
        (EntityId("cellosaurus", "0440"), "https://bioregistry.io/cellosaurus:0440"),
        (EntityId("uniprot", "<b>"), ""),
        (EntityId("", "P12345"), ""),
        (EntityId("nowhere", "P12345"), ""),
    ],
)
def test_it_builds_iris_of_well_formed_identifiers(entity, iri):
    assert build_entity_iri_or_empty(entity) == iri
