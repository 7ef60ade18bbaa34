"""Runs with texts that differ slightly from those of the articles: their annotations are moved to these."""

from io import BytesIO
from zipfile import ZipFile

import pytest

from annotations.articles import text_alignment
from annotations.formats.articles.annotated_article import AnnotatedArticle, ExportedProducer, ProducerResult
from annotations.formats.articles.parsed_article import ArticleIds, TextPassage
from annotations.formats.errors import RefusedFileError
from annotations.formats.exports import EXPORTS
from annotations.schema import EntityId, Kind, RelationArgument, Span, make_mention, make_relation
from evaluation.measures.task_settings import TaskSettings
from evaluation.runs.files import carried_texts
from evaluation.runs.files.run_checks import RunRequirements, read_and_check_run
from evaluation.runs.files.run_reader import RunTarget

TITLE = "BRCA1 and breast cancer"
ABSTRACT = "We found that ERK 2 phosphorylates p53 in cells of mice. It is not clear whether ERK1 does so, too."
TEXT = f"{TITLE}\n{ABSTRACT}"
CHANGED = ABSTRACT.replace("We found that", "We  show that").replace(" p53", " (p54)")
PRODUCER = ExportedProducer("Alpha", "server", "alpha", "2.1")
LINK = EntityId("ncbigene", "672")
FORMATS = [
    *("bioc-xml", "bioc-json", "pubannotation", "pubtator", "uima-xmi"),
    *("web-annotation", "web-annotation-turtle"),
]


def find_span(words, text=TEXT):
    return Span(text.index(words), text.index(words) + len(words))


def write_file(slug, abstract, *words, kind=Kind.MENTION, pmid=7):
    text = f"{TITLE}\n{abstract}"
    mentions = [make_mention([find_span(each, text)], each, "Gene", [LINK]) for each in words]
    found = mentions
    if kind is Kind.RELATION:
        arguments = [RelationArgument("", (LINK,), each.parts, "Gene", each.text) for each in mentions]
        found = [make_relation("binds", arguments)]
    passages = [TextPassage("title", TITLE), TextPassage("abstract", abstract)]
    article = AnnotatedArticle(str(pmid), ArticleIds(pmid), passages, results=[ProducerResult(PRODUCER, kind, found)])
    content = b"".join(EXPORTS[slug].write([article]))
    if slug != "uima-xmi":
        return content
    with ZipFile(BytesIO(content)) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".xmi"))
        return archive.read(name)


def check(content, kind=Kind.MENTION, settings=None, texts=None):
    requirements = RunRequirements(article_by_name={"7": 1}, load_texts=lambda: texts or {1: TEXT})
    task = "gm" if settings is None and kind is Kind.MENTION else ""
    return read_and_check_run(BytesIO(content), "run", RunTarget(kind, task, settings), requirements)


@pytest.mark.parametrize("task_settings", [None, TaskSettings()])
@pytest.mark.parametrize("slug", FORMATS)
def test_mentions_of_each_format_are_moved(slug, task_settings):
    checked = check(write_file(slug, CHANGED, "BRCA1", "ERK 2", "ERK1"), settings=task_settings)
    assert [each.parts for each in checked.findings[1]] == [(find_span(each),) for each in ("BRCA1", "ERK 2", "ERK1")]
    assert [each.text for each in checked.findings[1]] == ["BRCA1", "ERK 2", "ERK1"]
    assert (checked.moved, checked.file.table.warnings) == ({1: 0}, [])


@pytest.mark.parametrize("task_settings", [None, TaskSettings()])
@pytest.mark.parametrize("slug", FORMATS)
def test_mentions_whose_words_are_gone_are_left_out_and_listed(slug, task_settings):
    checked = check(write_file(slug, CHANGED, "BRCA1", "p54"), settings=task_settings)
    assert [each.text for each in checked.findings[1]] == ["BRCA1"]
    assert checked.moved == {1: 1}
    (warning,) = checked.file.table.warnings
    assert warning.rule == "R726"
    assert "does not have the words “p54” at this place - write the text" in warning.message


@pytest.mark.parametrize("task_settings", [None, TaskSettings()])
@pytest.mark.parametrize("slug", FORMATS)
def test_the_same_text_needs_no_alignment(slug, task_settings, monkeypatch):
    monkeypatch.setattr(carried_texts, "align_carried_text", None)
    checked = check(write_file(slug, ABSTRACT, "BRCA1", "ERK1"), settings=task_settings)
    assert [each.parts for each in checked.findings[1]] == [(find_span(each),) for each in ("BRCA1", "ERK1")]
    assert (checked.moved, checked.file.table.warnings) == ({}, [])


@pytest.mark.parametrize("task_settings", [None, TaskSettings()])
def test_mentions_that_count_in_the_text_of_the_article_are_not_moved(task_settings):
    """As in the BioC files of BioCreative V CDR, in which the offsets of some abstracts are too large."""
    content = write_file("pubtator", ABSTRACT, "BRCA1", "ERK 2", "ERK1").replace(b"|a|We", b"|a|    We")
    checked = check(content, settings=task_settings)
    assert [each.parts for each in checked.findings[1]] == [(find_span(each),) for each in ("BRCA1", "ERK 2", "ERK1")]
    # The reader says that the file does not fit its own text.
    assert [each.rule for each in checked.file.table.warnings] == ["R657", "R657"]


def test_relations_are_moved_with_their_arguments():
    moved = check(write_file("bioc-json", CHANGED, "BRCA1", "ERK1", kind=Kind.RELATION), Kind.RELATION, TaskSettings())
    (relation,) = moved.findings[1]
    assert [each.spans for each in relation.arguments] == [(find_span("BRCA1"),), (find_span("ERK1"),)]
    left = check(write_file("bioc-json", CHANGED, "BRCA1", "p54", kind=Kind.RELATION), Kind.RELATION, TaskSettings())
    assert (left.findings, left.moved) == ({1: []}, {1: 1})
    assert [each.rule for each in left.file.table.warnings] == ["R726"]


def test_entities_have_no_positions_to_move():
    checked = check(write_file("bioc-json", CHANGED, "p54"), Kind.ENTITY, TaskSettings())
    assert [list(each.iter_entity_ids()) for each in checked.findings[1]] == [[LINK]]
    assert (checked.moved, checked.file.table.warnings) == ({}, [])


@pytest.mark.parametrize("task_settings", [None, TaskSettings()])
def test_a_text_that_differs_too_much_is_not_aligned(task_settings):
    other = "This text is about quite another gene, but has ERK1 as well."
    with pytest.raises(RefusedFileError) as refused:
        check(write_file("pubtator", other, "BRCA1", "ERK1"), settings=task_settings)
    assert [(each.rule, each.line) for each in refused.value.faults] == [("R722", 4)]


@pytest.mark.parametrize("text", [f"7|t|{TITLE}\n", ""])
def test_a_run_may_have_the_title_only_or_no_text(text):
    checked = check(f"{text}7\t0\t5\tBRCA1\tGene\n".encode())
    assert ([each.parts for each in checked.findings[1]], checked.moved) == ([(Span(0, 5),)], {})


def test_texts_are_aligned_as_long_as_the_budget_of_the_file_lasts(monkeypatch):
    monkeypatch.setattr(carried_texts, "MOST_PAIRS_OF_FILE", text_alignment.MOST_PAIRS // 100_000)
    with pytest.raises(RefusedFileError):
        check(write_file("pubtator", CHANGED, "BRCA1", "ERK1"))
