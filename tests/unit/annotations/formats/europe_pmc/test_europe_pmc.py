"""The JSON of Europe PMC: it has the shape that its documentation gives, and quotes the text as it is."""

import json
from dataclasses import replace

from annotations.formats.articles.annotated_article import AnnotatedArticle, ExportedProducer, ProducerResult
from annotations.formats.articles.parsed_article import ArticleIds, TextPassage
from annotations.formats.exports import DOWNLOADS, EXPORTS
from annotations.schema import (
    AnnotationData,
    EntityId,
    Kind,
    RelationArgument,
    Span,
    make_entity,
    make_mention,
    make_relation,
)

PAGE = "https://example.org/api/v1/articles/12/export/europe-pmc/"
TITLE, ABSTRACT, METHODS = "Loss of \U0001f9ec CDH1", "In mice, E-cadherin binds.", "Mice were kept."
ALPHA = ExportedProducer("Alpha", "server", "alpha", "2.1")
CDH1, MOUSE, OTHER = EntityId("ncbigene", "999"), EntityId("ncbitaxon", "10090"), EntityId("", "CDH 1")
CADHERIN = (len(TITLE) + 10, len(TITLE) + 20)
ARTICLE = AnnotatedArticle(
    "12",
    ArticleIds(12, "PMC7", "10.1000/x"),
    [TextPassage("title", TITLE), TextPassage("abstract", ABSTRACT), TextPassage("Materials and methods", METHODS)],
)
# Of a reply of annotationsByArticleIds, with what the schemas of Europe PMC's validator require of tags.
TEXT = {"type": "string"}
SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["source", "extId", "annotations"],
        "additionalProperties": False,
        "properties": {
            "source": {"enum": ["MED", "PMC", "BCMS"]},
            "extId": TEXT | {"minLength": 1},
            "pmcid": {"type": "string", "pattern": "^PMC[0-9]+$"},
            "annotations": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["id", "exact", "tags", "provider"],
                    "additionalProperties": False,
                    "properties": {
                        **dict.fromkeys(("id", "prefix", "exact", "postfix", "section", "type", "provider"), TEXT),
                        "tags": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "required": ["name", "uri"],
                                "additionalProperties": False,
                                "properties": {"name": TEXT, "uri": {"type": "string", "pattern": "^https?://"}},
                            },
                        },
                    },
                },
            },
        },
    },
}


def write(*articles):
    import jsonschema

    content = b"".join(EXPORTS["europe-pmc"].write(articles, PAGE))
    read = json.loads(content)
    jsonschema.validate(read, SCHEMA)
    return read


def write_annotations(*annotations):
    results = [ProducerResult(ALPHA, each.kind, [each]) for each in annotations]
    [article] = write(replace(ARTICLE, results=results))
    return article["annotations"]


def test_a_mention_is_quoted_within_its_passage():
    span = Span(*CADHERIN)
    [title, abstract] = write_annotations(
        make_mention([Span(10, 14)], "CDH1", "protein", [CDH1, OTHER]), make_mention([span], "E-cadherin", "MyType")
    )
    assert title == {
        "id": f"{PAGE}#12-1",
        "prefix": "Loss of \U0001f9ec ",
        "exact": "CDH1",
        "postfix": "",
        "section": "Title",
        "type": "Gene_Proteins",
        "tags": [{"name": "CDH1", "uri": "https://www.ncbi.nlm.nih.gov/gene/999"}],
        "provider": "Alpha",
    }
    assert (abstract["prefix"], abstract["exact"], abstract["postfix"]) == ("In mice, ", "E-cadherin", " binds.")
    assert (abstract["section"], abstract["type"], abstract["tags"]) == ("Abstract", "MyType", [])


def test_a_mention_across_passages_has_the_section_that_it_begins_in():
    [both] = write_annotations(make_mention([Span(10, len(TITLE) + 3)], f"CDH1\n{ABSTRACT[:2]}"))
    assert (both["section"], both["exact"], both["postfix"]) == ("Title", "CDH1\nIn", " mice, E-cadherin bi")
    assert "type" not in both


def test_sections_have_their_names():
    start = len(TITLE) + len(ABSTRACT) + 2
    mention = make_mention([Span(start, start + 4)], "Mice", "species", [MOUSE])
    [mice] = write_annotations(mention)
    assert (mice["section"], mice["type"]) == ("Materials and methods", "Organisms")
    passages = [*ARTICLE.passages[:2], TextPassage("text", METHODS)]
    article = replace(ARTICLE, passages=passages, results=[ProducerResult(ALPHA, Kind.MENTION, [mention])])
    assert write(article)[0]["annotations"][0]["section"] == "Article"


def test_passages_and_evidence_are_sentences():
    passage = AnnotationData(Kind.PASSAGE, database="uniprot", identifier="P12830", partner="P35222", text=ABSTRACT)
    foreign = replace(passage, text="Not in the text.")
    arguments = [RelationArgument("Gene", (CDH1,)), RelationArgument("Organism", (MOUSE,))]
    relation = make_relation("Association", arguments, evidence=[Span(0, len(TITLE)), Span(*CADHERIN)])
    [one, other, *evidence] = write_annotations(passage, foreign, relation)
    assert (one["exact"], one["section"]) == (ABSTRACT, "Abstract")
    assert [tag["uri"] for tag in one["tags"]] == [
        "https://www.uniprot.org/uniprotkb/P12830/entry",
        "https://www.uniprot.org/uniprotkb/P35222/entry",
    ]
    assert "section" not in other
    assert [(each["exact"], each["section"]) for each in evidence] == [(TITLE, "Title"), ("E-cadherin", "Abstract")]
    assert {each["type"] for each in evidence} == {"Association"}
    assert [tag["name"] for tag in evidence[0]["tags"]] == ["NCBIGene:999", "NCBITaxon:10090"]


def test_articles_are_named_as_europe_pmc_does():
    only_pmcid, neither = replace(ARTICLE, ids=ArticleIds(pmcid="PMC7")), replace(ARTICLE, id="B1", ids=ArticleIds())
    names = [(each["source"], each["extId"], each.get("pmcid")) for each in write(ARTICLE, only_pmcid, neither)]
    assert names == [("MED", "12", "PMC7"), ("PMC", "PMC7", "PMC7"), ("BCMS", "B1", None)]
    assert write() == []


def test_what_it_leaves_out_is_in_the_file_beside_it():
    whole = make_mention([Span(10, 14)], "CDH1", "Gene", [CDH1])
    without_page = make_mention([Span(10, 14)], "CDH1", "Gene", [OTHER])
    split = make_mention([Span(0, 4), Span(10, 14)], "Loss CDH1", "Gene")
    entity = make_entity(CDH1, "Gene")
    results = [ProducerResult(ALPHA, Kind.MENTION, [whole, without_page, split])]
    article = replace(ARTICLE, results=[*results, ProducerResult(ALPHA, Kind.ENTITY, [entity])])
    assert [each["exact"] for each in write(article)[0]["annotations"]] == ["CDH1", "CDH1"]
    left_out = b"".join(DOWNLOADS[EXPORTS["europe-pmc"].left_out_slug].write([article])).decode()
    assert len(left_out.splitlines()) == 1 + 3
