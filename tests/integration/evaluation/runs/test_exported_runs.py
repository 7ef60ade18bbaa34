"""Runs and gold standards of tasks of any types that are exports: NDJSON, and Parquet, which is read in a sandbox."""

from io import BytesIO

import pytest

from annotations.articles.imports.sandbox import convert_parquet_to_ndjson_in_sandbox
from annotations.formats.annotated_text.article_reader import read_annotated_articles_skipping_textless
from annotations.formats.annotated_text.open_annotations import build_open_annotations
from annotations.formats.articles.annotated_article import AnnotatedArticle, ExportedProducer, ProducerResult
from annotations.formats.articles.parsed_article import ArticleIds
from annotations.formats.errors import RefusedFileError
from annotations.formats.exports import EXPORTS
from annotations.formats.result_sniffing import ResultFormat
from annotations.schema import Kind, make_label
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.runs.models import Run
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.submission import RunSubmission
from evaluation.scoring.models import Score
from evaluation.scoring.run_scores import compute_and_store_run_scores
from tests.integration.evaluation_cast import make_challenge, make_corpus
from tests.integration.open_task_cast import OPEN_TASKS, make_open_challenge

pytestmark = pytest.mark.django_db
FORMATS = ("ndjson", "ndjson-annotations", "parquet-annotations")
LABELS = {"run": {"301": ["safety"], "303": ["treatment", "safety"]}, "gold": {"301": ["safety"], "303": ["treatment"]}}


def export(slug, articles):
    return b"".join(EXPORTS[slug].write(articles))


def export_text(slug, content):
    """A file in PubTator as an export."""
    parsed = read_annotated_articles_skipping_textless(BytesIO(content), "run", ResultFormat.PUBTATOR).articles
    producer = ExportedProducer("Run", "upload")
    return export(
        slug,
        [
            AnnotatedArticle(
                str(each.ids.pmid),
                each.ids,
                each.passages,
                results=[ProducerResult(producer, kind, found) for kind, found in build_open_annotations(each).items()],
            )
            for each in parsed
        ],
    )


@pytest.fixture
def upload(team, alice):
    def put(task, phase, content):
        submission = RunSubmission(f"run {Run.objects.count()}", "", "run.file", content)
        return intake.store_run_upload_and_process_or_enqueue(submission, task, phase, team, alice)

    return put


def list_scores(run):
    compute_and_store_run_scores(run)
    return list(Score.objects.filter(run=run).order_by("scenario", "pk").values_list("scenario", "figures"))


@pytest.mark.parametrize("slug", FORMATS)
def test_they_have_the_scores_of_other_formats(olga, upload, slug):
    names = ("NER", "NEL-ART", "REL")
    challenge, phase = make_open_challenge(olga, names)
    for name in names:
        _, _, gold, content, _ = OPEN_TASKS[name]
        task = challenge.tasks.get(name=name)
        # An article without annotations is only in files of articles.
        store_gold_sealed_or_open(task, phase, export_text("ndjson", gold), "gold.ndjson")
        uploads = [upload(task, phase, each) for each in (content, export_text(slug, content))]
        assert [list(each.located_faults) for each in uploads] == [[], []]
        scores = [list_scores(each.run) for each in uploads]
        assert scores[0] and scores[0] == scores[1]


@pytest.mark.parametrize("slug", FORMATS)
def test_they_can_have_labels(olga, upload, slug):
    challenge, phase = make_open_challenge(olga, ("TOPIC",))
    task = challenge.tasks.get()
    files = {
        name: export(
            slug,
            [
                AnnotatedArticle(
                    document,
                    ArticleIds(pmid=int(document)),
                    [],
                    results=[
                        ProducerResult(
                            ExportedProducer("Run", "upload"),
                            Kind.LABEL,
                            [make_label("topic", value) for value in values],
                        )
                    ],
                )
                for document, values in labels.items()
            ],
        )
        for name, labels in LABELS.items()
    }
    store_gold_sealed_or_open(task, phase, files["gold"], "gold")
    uploaded = upload(task, phase, files["run"])
    assert not uploaded.located_faults
    (scored,) = list_scores(uploaded.run)
    assert scored[1]["label_micro_precision"] == pytest.approx(2 / 3)


def test_an_article_without_a_label_has_an_empty_answer(olga, upload):
    challenge, phase = make_open_challenge(olga, ("TOPIC",))
    task = challenge.tasks.get()
    store_gold_sealed_or_open(task, phase, b"301\tsafety\n302\n", "gold.tsv")
    run = upload(task, phase, b"301\n302\tsafety\t1\t0.5\n").run
    assert run.producer.results.filter(annotations=None).get().article.pmid == 301


def test_damaged_parquet_and_parquet_of_other_tasks_are_refused(olga, upload):
    challenge, phase = make_open_challenge(olga, ("NER",))
    faults = upload(challenge.tasks.get(), phase, b"PAR1" + bytes(100)).located_faults
    assert [fault.rule for fault in faults] == ["R681"]
    with pytest.raises(RefusedFileError, match="R681 the file is not valid Parquet"):
        store_gold_sealed_or_open(challenge.tasks.get(), phase, b"PAR1" + bytes(100), "gold.parquet")


def test_parquet_with_more_than_fits_is_refused(monkeypatch):
    monkeypatch.setattr("annotations.articles.imports.sandbox.sys.executable", "/bin/false")
    with pytest.raises(RefusedFileError, match=r"R458 .* - write it as NDJSON, or leave out other annotations"):
        convert_parquet_to_ndjson_in_sandbox(b"PAR1", "run.parquet")
    assert convert_parquet_to_ndjson_in_sandbox(b"1\t9606\n", "run.tsv") == b"1\t9606\n"


def test_other_tasks_refuse_parquet(olga, upload):
    challenge = make_challenge(olga, make_corpus())
    content = export_text("parquet-annotations", OPEN_TASKS["NER"][2])
    phase = challenge.phases.get()
    refused = upload(challenge.tasks.get(name="ACT"), phase, content)
    assert [fault.rule for fault in refused.located_faults] == ["R629"]
    assert "the file is Parquet, which is not read for this task" in refused.located_faults[0].message
