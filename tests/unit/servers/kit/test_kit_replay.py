"""A file of annotated text as an annotation server."""

import gzip

import pytest

from annotations.annotation_rules import list_broken_annotation_rules
from annotations.schema import AnnotationData, Kind
from servers.kit.articles import KitArticle
from servers.kit.replay import ReplayAnnotator, main, read_annotated_text_file, read_pmid_by_document_id
from tests.shared_data import require_shared_path

TITLE, ABSTRACT = "CDH1 binds CTNNB1", "CDH1 in mouse."
FILE = f"""7|t|{TITLE}
7|a|{ABSTRACT}
7\t0\t4\tCDH1\tGene\t999
7\t11\t17\tCTNNB1\tGene\t1499
7\t18\t22\tcdh1\tGene\tNCBI Gene:999
7\t26\t31\tmouse\tSpecies\t10090
7\t26\t31\tmouse\tDisease\t-

"""
ARTICLE = KitArticle("7", 7, TITLE, ABSTRACT, f"{TITLE}\n{ABSTRACT}")


def replay(tmp_path, content=FILE, names=None):
    path = tmp_path / "run.txt"
    path.write_text(content)
    return ReplayAnnotator(read_annotated_text_file(path), names or {})


def test_it_says_mentions_and_ranked_entries(tmp_path):
    findings = list(replay(tmp_path)(ARTICLE))
    assert findings == [
        AnnotationData(Kind.MENTION, start=0, end=4, text="CDH1", type="Gene"),
        AnnotationData(Kind.MENTION, start=11, end=17, text="CTNNB1", type="Gene"),
        AnnotationData(Kind.MENTION, start=18, end=22, text="CDH1", type="Gene"),
        AnnotationData(Kind.MENTION, start=26, end=31, text="mouse", type="Species"),
        AnnotationData(Kind.NORMALIZATION, database="ncbigene", identifier="999", rank=1),
        AnnotationData(Kind.NORMALIZATION, database="ncbigene", identifier="1499", rank=2),
        AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="10090", rank=1),
    ]
    assert list_broken_annotation_rules(findings, ARTICLE.text, len(TITLE)) == []


def test_it_says_nothing_of_an_article_that_the_file_has_not(tmp_path):
    assert list(replay(tmp_path)(KitArticle("8", 8, "", "", ""))) == []


def test_it_knows_articles_by_other_names(tmp_path):
    names = tmp_path / "names.tsv"
    names.write_text("7\t22104738\n")
    article = KitArticle("22104738", 22104738, TITLE, ABSTRACT, ARTICLE.text)
    assert len(list(replay(tmp_path, names=read_pmid_by_document_id(names))(article))) == 7


def test_it_reads_packed_files(tmp_path):
    path = tmp_path / "run.txt.gz"
    path.write_bytes(gzip.compress(FILE.encode()))
    assert len(read_annotated_text_file(path).mentions) == 5


@pytest.mark.parametrize(
    ("content", "words"),
    [("7\t1\n", "none of the formats of annotated text"), ("7|t|A\n7|a|B\n7\t9\t4\tCDH1\tGene\t1\n", "run.txt:3")],
)
def test_it_says_why_a_file_cannot_be_served(tmp_path, content, words):
    path = tmp_path / "run.txt"
    path.write_text(content)
    with pytest.raises(SystemExit, match=words):
        main([str(path), "--port", "0"])


def test_it_serves_real_systems():
    folder = require_shared_path("system_runs/tmvar3")
    names = read_pmid_by_document_id(folder / "doc_map.tsv")
    for name in ("pubtator_central", "bern2", "hunflair2", "bent"):
        replayed = ReplayAnnotator(read_annotated_text_file(folder / f"{name}.txt.gz"), names)
        assert len(set(replayed.mentions) & set(names.values())) > 300
