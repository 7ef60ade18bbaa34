"""Articles of any format into the database: known by their names, twice without change, all of a file or nothing."""

from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command

from annotations.articles.imports.article_storage import store_annotated_articles
from annotations.articles.imports.citation_import import import_citations_batch_by_batch
from annotations.articles.imports.citation_storage import ImportCounts
from annotations.articles.models import Article, Corpus
from annotations.formats.articles.parsed_article import ArticleIds, ParsedArticle, TextPassage
from annotations.formats.pubmed.reader import Citation
from annotations.results.models import CARRIED_TEXT, Annotation, Producer, Result
from annotations.results.producers import get_or_create_author_or_gold_producer
from annotations.results.queries import list_current_results_on_current_text, load_annotations_by_result_id
from annotations.schema import EntityId, RelationArgument, Span, make_label, make_mention, make_relation
from tests.documents import docx, pdf

ABSTRACT = (TextPassage("title", "Loss of CDH1"), TextPassage("abstract", "It binds."))
FULL = (*ABSTRACT, TextPassage("heading", "Results"), TextPassage("Results", "It binds well."))
READ = ParsedArticle(ArticleIds(12, "PMC7", "10.1000/x"), ABSTRACT, journal="J Ex", year=2012, authors=("Doe J",))
PUBTATOR = "12|t|p53 binds.\n12|a|So α.\n12\t0\t3\tp53\tGene\t7157\n12\t14\t15\tα\tGene\t-\n\n13|t|Mdm2\n"

pytestmark = pytest.mark.django_db


def counts(*read):
    return store_annotated_articles(read).counts


def test_it_stores_an_article_and_changes_nothing_when_it_comes_again():
    assert counts(READ) == ImportCounts(new=1)
    article = Article.objects.get()
    assert (article.pmid, article.pmcid, article.doi, article.year) == (12, "PMC7", "10.1000/x", 2012)
    assert article.text == "Loss of CDH1\nIt binds."
    before = Article.objects.values().get()
    assert counts(READ) == ImportCounts(unchanged=1)
    assert Article.objects.values().get() == before


@pytest.mark.parametrize(
    "name", [ArticleIds(12), ArticleIds(pmcid="PMC7"), ArticleIds(doi="10.1000/X"), ArticleIds(12, "PMC8", "10.1000/y")]
)
def test_it_knows_an_article_by_any_of_its_names(name):
    store_annotated_articles([READ])
    assert counts(replace(READ, ids=name, passages=FULL)) == ImportCounts(changed=1)
    article = Article.objects.get()
    assert (article.pmid, article.pmcid, article.text_version, article.counted_version) == (12, "PMC7", 2, 2)


def test_it_tells_articles_with_two_pmids_apart():
    store_annotated_articles([READ])
    assert counts(replace(READ, ids=ArticleIds(13, "PMC7"))) == ImportCounts(new=1)


def test_it_knows_an_article_without_names_by_its_text():
    nameless = replace(READ, ids=ArticleIds())
    assert counts(READ, nameless, nameless) == ImportCounts(new=2, repeated=1)
    assert counts(nameless) == ImportCounts(unchanged=1)
    assert counts(replace(nameless, passages=FULL)) == ImportCounts(new=1)


def test_it_keeps_a_full_text_when_the_abstract_comes():
    store_annotated_articles([replace(READ, passages=FULL)])
    assert counts(replace(READ, passages=(ABSTRACT[0], TextPassage("abstract", "Other.")))) == ImportCounts(unchanged=1)
    import_citations_batch_by_batch([Citation(12, 1, (ABSTRACT[0], TextPassage("abstract", "Other.")))])
    assert Article.objects.get().text.endswith("It binds well.")
    assert Article.objects.get().text_version == 1


def test_it_gives_an_abstract_from_pubmed_its_full_text_and_keeps_what_pubmed_said():
    import_citations_batch_by_batch([Citation(12, 3, ABSTRACT, journal="Journal", authors=("Roe R",))])
    assert counts(replace(READ, passages=FULL)) == ImportCounts(changed=1)
    article = Article.objects.get()
    assert (article.journal, article.metadata["authors"], article.pmcid) == ("Journal", ["Roe R"], "PMC7")
    assert (article.metadata["pmid_version"], article.text_version) == (3, 2)


@pytest.fixture
def file(tmp_path):
    def written(content, name="file"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return written


def test_it_imports_annotated_text_and_says_that_annotations_were_left_out(file, capsys):
    call_command("import_articles", file(PUBTATOR), corpus="list")
    out = capsys.readouterr().out
    assert out.startswith("file (pubtator): 2 new, 0 changed and 0 unchanged articles.\n")
    assert "The annotations in the file were not imported. Use --producer NAME to store them." in out
    listed = Corpus.objects.get().corpusarticle_set.values_list("article__pmid", flat=True)
    assert list(listed) == [12, 13]
    assert not Result.objects.exists()


def test_it_keeps_annotations_once_under_the_producers_name(file, capsys):
    call_command("import_articles", file(PUBTATOR), producer="The authors")
    assert "Results stored for The authors: 4." in capsys.readouterr().out
    producer = Producer.objects.get()
    assert (producer.sort, producer.public) == ("author", True)
    found = Annotation.objects.filter(result__kind="mention").values_list("start", "end", "text")
    assert sorted(found) == [(0, 3, "p53"), (14, 15, "α")]
    call_command("import_articles", file(PUBTATOR), producer="The authors")
    assert "Results stored for The authors: 0." in capsys.readouterr().out
    assert Result.objects.count() == 4


RELATED = """<collection><source/><date/><key/><document><id>12</id><infon key="label:design">trial</infon>
<passage><infon key="type">title</infon><offset>0</offset><text>MMC or 5-FU, and HUS</text>
<annotation id="1"><infon key="type">Drug</infon><infon key="MESH">D016685|D005472</infon>
<location offset="0" length="3"/><location offset="7" length="4"/><text>MMC ... 5-FU</text></annotation>
<annotation id="2"><infon key="type">Disease</infon><infon key="identifier">MESH:D006463</infon>
<location offset="17" length="3"/><text>HUS</text></annotation></passage>
<relation id="R1"><infon key="type">CID</infon><infon key="novel">No</infon>
<node refid="1" role="Chemical"/><node refid="2" role="Disease"/></relation>
<relation id="R2"><infon key="type">CID</infon><node refid="3" role="Chemical"/></relation>
</document></collection>"""


def test_it_keeps_parts_links_relations_and_labels_and_says_what_it_left_out(file, capsys, client):
    call_command("import_articles", file(RELATED), producer="The authors")
    assert capsys.readouterr().out.splitlines()[1:] == [
        "Results stored for The authors: 3.",
        "Kept: mentions 2, identifiers 3, relations 1, labels 1.",
        "Types: 1 Drug as Chemical.",
        "Databases: 3 MeSH.",
        "Left out (R660): relations 1 (it refers to what is not an annotation of the document; first in line 9, "
        "document “12”).",
    ]
    results = list_current_results_on_current_text(Article.objects.get(), [Producer.objects.get().pk])
    annotations = load_annotations_by_result_id(results)
    stored = {result.kind: annotations[result.id] for result in results}
    drug, disease = (EntityId("mesh", "D016685"), EntityId("mesh", "D005472")), EntityId("mesh", "D006463")
    parts = (Span(0, 3), Span(7, 11))
    assert stored == {
        "mention": [
            make_mention(parts, "MMC 5-FU", "Drug", drug),
            make_mention([Span(17, 20)], "HUS", "Disease", [disease]),
        ],
        "relation": [
            make_relation(
                "CID",
                [
                    RelationArgument("Chemical", drug, parts, "Drug", "MMC 5-FU"),
                    RelationArgument("Disease", (disease,), (Span(17, 20),), "Disease", "HUS"),
                ],
                directed=True,
                qualifiers={"novelty": "No"},
            )
        ],
        "label": [make_label("design", "trial")],
    }
    call_command("import_articles", file(RELATED), producer="The authors")
    assert "Results stored for The authors: 0." in capsys.readouterr().out
    assert client.get("/articles/12/").status_code == 200
    assert client.get("/api/v1/articles/12/annotations/").status_code == 200


def test_it_keeps_annotations_of_an_older_text_apart(file):
    call_command("import_articles", file(PUBTATOR), producer="The authors", sort="gold")
    call_command("import_articles", file(PUBTATOR.replace("binds", "joins")))
    assert set(Result.objects.filter(article__pmid=12).values_list("text_version", flat=True)) == {1}
    assert Article.objects.get(pmid=12).text_version == 2
    assert not Producer.objects.get().public


def test_it_leaves_out_annotations_of_a_text_that_is_not_kept(file, capsys):
    store_annotated_articles([replace(READ, passages=FULL)])
    call_command("import_articles", file(PUBTATOR), producer="The authors")
    assert "PMID 12 is stored with a text that differs too much from the file" in capsys.readouterr().err
    assert not Result.objects.filter(article__pmid=12).exists()
    assert get_or_create_author_or_gold_producer("The authors", "author") == Producer.objects.get()


LONG_ABSTRACT = "We found that the loss of Mdm2 in mice does not lead to tumours, as long as ERK1 is there, too."
LONG_FULL = (
    TextPassage("title", "p53 binds."),
    TextPassage("abstract", LONG_ABSTRACT),
    TextPassage("heading", "Results"),
    TextPassage("Results", "It binds well."),
)


def test_it_moves_annotations_to_a_full_text_with_a_slightly_different_abstract(file, capsys):
    store_annotated_articles([replace(READ, passages=LONG_FULL)])
    abstract = LONG_ABSTRACT.replace("in mice", "in  mouse")
    places = {words: 11 + abstract.index(words) for words in ("Mdm2", "mouse", "ERK1")}
    lines = [f"12\t{start}\t{start + len(words)}\t{words}\tGene\n" for words, start in places.items()]
    in_file = f"12|t|p53 binds.\n12|a|{abstract}\n{''.join(lines)}"
    for number in (1, 0):
        call_command("import_articles", file(in_file), producer="The authors")
        out, err = capsys.readouterr()
        assert f"Results stored for The authors: {number}." in out
        assert "PMID 12 is stored with a slightly different text, to which annotations were moved." in out
        assert f"PMID 12: the stored text does not have the words of a mention “mouse” at {places['mouse']}-" in err
    result = Result.objects.get(article__pmid=12)
    text = Article.objects.get(pmid=12).text
    assert [(each.start, each.text) for each in result.annotations.order_by("start")] == [
        (text.index(words), words) for words in ("Mdm2", "ERK1")
    ]
    assert (result.moved_from, result.not_movable) == (CARRIED_TEXT, 1)


@pytest.mark.parametrize(
    ("content", "form"), [(docx(("Title", "Loss")), "docx"), (pdf(["Loss"]), "pdf"), ("<html><p>Loss", "html")]
)
def test_it_gives_a_single_article_its_name(content, form, file, capsys):
    call_command("import_articles", file(content), name="PMC3460867")
    assert f"file ({form}): 1 new" in capsys.readouterr().out
    assert Article.objects.get().pmcid == "PMC3460867"


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        (PUBTATOR + "14|t|A\n14\tx\t3\ty\tGene\t-\n", {}, r"R654 .*\nNothing of this file was imported\."),
        (
            PUBTATOR + "14|t|A\0\n",
            {},
            "R449 the article PMID 14 has the invalid character U.0000.*\nNothing of this file was imported",
        ),
        (PUBTATOR, {"name": "5"}, "--name needs a file with one article, but this one has 2"),
        (PUBTATOR, {"name": "five"}, "--name needs exactly one file, and a PMID, PMCID or DOI"),
        (" ".join(f"w{n}a" for n in range(300_000)), {}, "more than 1 MiB of distinct words.*Nothing of this file"),
    ],
)
def test_it_imports_nothing_of_a_file_with_a_fault(content, options, said, file):
    with pytest.raises(CommandError, match=said):
        call_command("import_articles", file(content), producer="The authors", **options)
    assert not Article.objects.exists()


def test_it_takes_no_error_page_for_an_article(file):
    with pytest.raises(CommandError, match=r"R402 the file name ends in .xml, but it is an HTML page"):
        call_command("import_articles", file("<html><p>Busy", "pubmed.xml"))


def test_it_shows_a_full_text_with_its_headings_and_no_script(client):
    hostile = TextPassage("Results", "<script>alert(1)</script>")
    store_annotated_articles([replace(READ, passages=(*FULL, hostile))])
    page = client.get("/articles/12/").content.decode()
    assert "<h2>Results</h2>" in page
    assert page.count("It binds") == 2
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
