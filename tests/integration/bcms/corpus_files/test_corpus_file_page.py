"""A challenge set up from one file: articles, corpus, phase, tasks and gold standards, all of it or nothing."""

import gzip
import io
import json
import re
import threading
import time
import zipfile
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.utils import timezone

from annotations.articles.models import Article, ArticleTakedown, Corpus
from annotations.results.models import Annotation
from bcms.corpus_files import processing
from bcms.corpus_files.models import CorpusFile
from bcms.tasks import enqueue_waiting_corpus_files, process_corpus_file_unless_busy
from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.gold.models import GoldStandard
from servers.audit.models import AuditAction, AuditEvent
from tests.integration.bcms.corpus_files.steps import (
    FILE,
    SET_UP,
    UPLOAD,
    confirm,
    list_form_values,
    read_words,
    upload,
)

pytestmark = pytest.mark.django_db
BAD = "12|t|A\n12\tx\t3\tp53\tGene\t-\n"


@pytest.fixture
def leave_to_worker(monkeypatch):
    """As with a file that is too large to be read within the request; what would be enqueued."""
    sent = []
    monkeypatch.setattr(processing, "are_files_read_at_once", lambda files: False)
    monkeypatch.setattr(processing, "MOST_BYTES_SET_UP_AT_ONCE", 0)
    monkeypatch.setattr(processing.current_app, "send_task", lambda name, arguments: sent.append((name, *arguments)))
    return sent


def count_stored():
    return [model.objects.count() for model in (Article, Corpus, Phase, Task, GoldStandard, Annotation)]


def test_it_proposes_what_the_file_holds(organizer):
    reply = upload(organizer)
    assert (reply.status_code, reply.url) == (302, SET_UP)
    page = organizer.get(SET_UP)
    words = read_words(page)
    assert "2 articles" in words
    assert "12 BRCA1 causes cancer." in words
    assert "2 mentions: Gene 1, Disease 1" in words
    assert "2 identifiers: " in words
    assert "1 relation: GDA 1" in words
    values = list_form_values(page)
    assert (values["corpus_name"], values["corpus_slug"]) == ("Own, Genes", "own-genes")
    assert [values[f"task{place}_name"] for place in range(3)] == ["NER", "NEN", "RE"]
    assert count_stored() == [0] * 6


def test_it_sets_up_everything_that_was_confirmed(organizer, challenge, olga):
    upload(organizer)
    reply = confirm(organizer, task1="", task0_name="NER-1")
    assert (reply.status_code, reply.url) == (302, "/challenges/own/organize/"), read_words(reply)
    phase = challenge.phases.get()
    assert (phase.sort, phase.corpus.slug, phase.corpus.blind) == ("training", "own-genes", False)
    assert list(phase.corpus.articles.order_by("pmid").values_list("pmid", flat=True)) == [12, 13]
    assert list(challenge.tasks.order_by("pk").values_list("name", "kind")) == [
        ("NER-1", "mention"),
        ("RE", "relation"),
    ]
    ner, relations = GoldStandard.objects.order_by("pk")
    assert {ner.source, relations.source} == {"Genes.train.txt"}
    assert Annotation.objects.filter(result__producer=ner.producer).count() == 2
    assert Annotation.objects.filter(result__producer=relations.producer).count() == 1
    file = CorpusFile.objects.get()
    assert (file.state, file.content) == ("finished", None)
    assert "is set up from Genes.train.txt" in read_words(organizer.get(reply.url))
    actions = set(AuditEvent.objects.filter(challenge_id=challenge.pk).values_list("action", "actor"))
    assert (AuditAction.GOLD_STORED.value, olga.pk) in actions
    assert {actor for _, actor in actions} == {olga.pk}


def test_a_worker_reads_gzipped_files(organizer, challenge):
    upload(organizer, gzip.compress(FILE.encode()), "genes.txt.gz")
    assert process_corpus_file_unless_busy(challenge.pk) == "proposed"
    assert confirm(organizer).status_code == 302
    assert GoldStandard.objects.count() == 3


def test_a_file_without_annotations_gives_a_corpus_and_a_phase(organizer, challenge):
    upload(organizer, "12|t|Title\n12|a|Text.\n\n")
    assert "no task is proposed" in read_words(organizer.get(SET_UP))
    assert confirm(organizer).status_code == 302
    assert (challenge.phases.count(), challenge.tasks.count()) == (1, 0)


def test_a_faulty_file_is_refused_with_its_faults(organizer):
    upload(organizer, BAD)
    words = read_words(organizer.get(SET_UP))
    assert "was rejected with 1 error. Nothing was stored." in words
    assert "Upload a corrected file" in words
    assert CorpusFile.objects.get().content is None
    assert count_stored() == [0] * 6
    upload(organizer)
    assert "2 articles" in read_words(organizer.get(SET_UP))


def test_nothing_is_stored_if_a_gold_standard_does_not_fit_the_texts_here(organizer, olga):
    """The site has the article with another text, which only administrators change."""
    Challenge.objects.filter(slug="own").update(state="listed")
    sent = SimpleUploadedFile("a.txt", b"12|t|Something else altogether.\n12|a|Quite.\n\n")
    organizer.post("/articles/upload/", {"file": sent})
    before = count_stored()
    upload(organizer)
    reply = confirm(organizer)
    assert reply.status_code == 422
    assert "Nothing was stored" in read_words(reply)
    assert "On this site already, and not changed, as only administrators change articles: PMID 12." in read_words(
        reply
    )
    assert count_stored() == before
    # The proposal is still there, and without the tasks, whose gold standards have the faults, it can be set up.
    assert CorpusFile.objects.get().state == "proposed"
    assert confirm(organizer, task0="", task1="", task2="").status_code == 302


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"corpus_slug": "taken"}, "The corpus name taken is taken. Choose another name for URLs."),
        ({"sort": "test"}, "test is not one of the available choices"),
        ({"closes": "2001-01-01T00:00"}, "The end of the phase is in the past"),
        (
            {"task0_name": "TX"},
            "The challenge has a task TX of another kind, or with other settings. Choose another name.",
        ),
        ({"task0_name": "ne n"}, "Use only letters, digits and dashes"),
        ({"task0_name": "nen"}, "Two tasks have the name NEN. Choose another name for one of them."),
        ({"task0_name": ""}, "Enter a short name, such as NER, or leave the task out."),
    ],
)
def test_each_mistake_is_told_at_its_field(organizer, challenge, changes, said):
    Corpus.objects.create(name="Taken", slug="taken")
    challenge.tasks.create(name="TX", title="Organisms", kind="taxon", primary="micro_f1")
    upload(organizer)
    before = count_stored()
    reply = confirm(organizer, **changes)
    assert (reply.status_code, said in read_words(reply)) == (422, True), read_words(reply)
    assert count_stored() == before


@pytest.mark.parametrize(
    ("kind", "of_task", "fits"),
    [
        ("mention", {"entity_types": ["gene", "Disease", "Species"]}, True),
        ("mention", {"entity_types": ["*"]}, True),
        ("mention", {"entity_types": ["Gene"]}, False),
        ("mention", None, False),
        ("entity", {"entity_types": ["*"], "matching": {"identifiers": "article"}}, False),
    ],
)
def test_a_task_of_the_challenge_gets_what_counts_in_it_whole(organizer, challenge, kind, of_task, fits):
    """Its name is recognized in any case, as tasks have names that differ by more than that."""
    challenge.tasks.create(name="ner", title="Names", kind=kind, primary="micro_f1", settings=of_task)
    upload(organizer)
    reply = confirm(organizer, task1="", task2="")
    assert reply.status_code == (302 if fits else 422), read_words(reply)
    assert GoldStandard.objects.filter(task__name="ner").exists() is fits
    assert list(challenge.tasks.values_list("name", flat=True)) == ["ner"]


def test_documents_without_text_are_told_before_they_are_left_out(organizer):
    document = json.loads(build_bioc_json())
    document["documents"].append({"id": "14", "infons": {}, "passages": []})
    upload(organizer, json.dumps(document), "a.json")
    words = read_words(organizer.get(SET_UP))
    assert "the document “14” has no text, so it is skipped" in words
    assert "are not imported" not in words


def test_long_names_and_titles_are_not_stored_whole_with_the_proposal(organizer):
    upload(organizer, build_bioc_json(text=f"BRCA1{' very' * 9000}", entity_type="x" * 5000, pmid="y" * 5000), "a.json")
    assert len(json.dumps(CorpusFile.objects.get().proposal)) < 2000


def test_the_corpus_of_a_pubmed_file_has_its_order(organizer, challenge):
    upload(organizer)
    confirm(organizer)
    article = "<Article><ArticleTitle>T.</ArticleTitle></Article>"
    citation = f"<PubmedArticle><MedlineCitation><PMID>{{}}</PMID>{article}</MedlineCitation></PubmedArticle>"
    citations = "".join(map(citation.format, (99, 13, 98, 12)))
    upload(organizer, f"<PubmedArticleSet>{citations}</PubmedArticleSet>", "a.xml")
    assert confirm(organizer, sort="development", corpus_slug="dev").status_code == 302
    articles = Corpus.objects.get(slug="dev").articles.order_by("corpusarticle__position")
    assert list(articles.values_list("pmid", flat=True)) == [99, 13, 98, 12]


def test_a_second_file_gives_the_tasks_another_gold_standard(organizer, challenge):
    upload(organizer)
    confirm(organizer)
    upload(organizer, FILE.replace("12", "22").replace("13|", "23|"), "Genes.dev.txt")
    (phase,) = organizer.get(SET_UP).context["form"].phases
    assert [each.value for each in phase.types] == ["development"]
    assert confirm(organizer, sort="development", corpus_slug="genes-dev").status_code == 302
    assert challenge.tasks.count() == 3
    assert GoldStandard.objects.filter(phase__sort="development").count() == 3
    reply = upload(organizer)
    assert reply.status_code == 422
    assert "open is not one of the available choices" in read_words(reply)
    challenge.phases.create(sort="test", corpus=Corpus.objects.get(slug="genes-dev"))
    reply = upload(organizer)
    assert reply.status_code == 422
    assert "has a phase of each type" in read_words(reply)


def test_a_page_that_was_open_does_not_confirm_another_file(organizer):
    upload(organizer)
    values = list_form_values(organizer.get(SET_UP)) | {"sort": "training"}
    upload(organizer, FILE.replace("BRCA1", "BRCA2"), "other.txt")
    reply = organizer.post(SET_UP, values)
    assert "in the meantime" in read_words(reply)
    assert count_stored() == [0] * 6
    assert CorpusFile.objects.get().name == "other.txt"


def test_without_a_file_the_page_asks_for_one(organizer):
    reply = organizer.get(SET_UP)
    assert (reply.status_code, reply.url) == (302, UPLOAD)
    upload(organizer)
    assert "Continue with Genes.train.txt" in read_words(organizer.get(UPLOAD))


def test_a_worker_reads_and_sets_up_larger_files(
    organizer, challenge, olga, leave_to_worker, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        upload(organizer)
    assert leave_to_worker == [(processing.PROCESS_TASK, challenge.pk)]
    page = organizer.get(SET_UP)
    assert "Reading the file" in read_words(page)
    version = re.search(r'data-version="([^"]+)"', page.content.decode())[1]
    assert organizer.get(f"{SET_UP}live/?v={version}").status_code == 204
    assert process_corpus_file_unless_busy(challenge.pk) == "proposed"
    fragment = organizer.get(f"{SET_UP}live/?v={version}")
    assert "2 articles" in read_words(fragment)
    with django_capture_on_commit_callbacks(execute=True):
        reply = confirm(organizer)
    assert reply.url == SET_UP
    assert "Setting up" in read_words(organizer.get(SET_UP))
    assert count_stored() == [0] * 6
    assert process_corpus_file_unless_busy(challenge.pk) == "finished"
    assert 'data-go="/challenges/own/organize/"' in organizer.get(f"{SET_UP}live/").content.decode()
    assert GoldStandard.objects.count() == 3
    assert set(AuditEvent.objects.filter(challenge_id=challenge.pk).values_list("actor", flat=True)) == {olga.pk}
    assert process_corpus_file_unless_busy(challenge.pk) == "nothing"


def test_what_a_lost_worker_left_is_begun_again_and_refused_after_the_second_crash(
    organizer, challenge, leave_to_worker, monkeypatch
):
    upload(organizer)
    begun = []
    monkeypatch.setattr(process_corpus_file_unless_busy, "delay", begun.append)
    assert (enqueue_waiting_corpus_files(), begun) == (1, [challenge.pk])
    CorpusFile.objects.update(tries=processing.MOST_TRIES)
    assert process_corpus_file_unless_busy(challenge.pk) == "refused"
    assert "failed twice" in read_words(organizer.get(SET_UP))
    assert enqueue_waiting_corpus_files() == 0


def test_a_worker_sets_nothing_up_for_somebody_who_organizes_no_more(organizer, challenge, olga, leave_to_worker):
    upload(organizer)
    process_corpus_file_unless_busy(challenge.pk)
    confirm(organizer)
    challenge.organizers.remove(olga)
    assert process_corpus_file_unless_busy(challenge.pk) == "proposed"
    assert CorpusFile.objects.get().refusal == "You do not organize Own any more. Ask one of its organizers."
    assert count_stored() == [0] * 6


def test_a_worker_sets_nothing_up_for_a_deactivated_account(organizer, challenge, olga, leave_to_worker):
    upload(organizer)
    process_corpus_file_unless_busy(challenge.pk)
    confirm(organizer)
    olga.is_active = False
    olga.save()
    assert process_corpus_file_unless_busy(challenge.pk) == "proposed"
    assert count_stored() == [0] * 6


def test_a_worker_ends_if_the_challenge_was_deleted_meanwhile(organizer, challenge, leave_to_worker, monkeypatch):
    upload(organizer)
    read = processing.read_corpus_file
    monkeypatch.setattr(
        processing,
        "read_corpus_file",
        lambda *given, **named: [read(*given, **named), Challenge.objects.all().delete()][0],
    )
    assert process_corpus_file_unless_busy(challenge.pk) == "nothing"


def test_the_tries_of_a_file_are_not_those_of_another_one(organizer, challenge, leave_to_worker, monkeypatch):
    upload(organizer)
    update = processing._update_unless_replaced

    def update_after_it_is_replaced(file, **fields):
        if "tries" in fields:
            upload(organizer, FILE, "other.txt")
        update(file, **fields)

    monkeypatch.setattr(processing, "_update_unless_replaced", update_after_it_is_replaced)
    process_corpus_file_unless_busy(challenge.pk)
    assert CorpusFile.objects.get().tries == 0


def test_who_confirms_second_is_told_that_it_was_set_up_otherwise(organizer, challenge, alice):
    upload(organizer)
    values = list_form_values(organizer.get(SET_UP)) | {"sort": "training"}
    challenge.organizers.add(alice)
    other = Client()
    other.force_login(alice)
    assert organizer.post(SET_UP, values).url == "/challenges/own/organize/"
    reply = other.post(SET_UP, values | {"task0": ""}, follow=True)
    assert "in the meantime" in read_words(reply)
    # Pressing the button twice is no reason for a warning.
    assert organizer.post(SET_UP, values).url == "/challenges/own/organize/"


@pytest.mark.django_db(transaction=True)
def test_two_organizers_upload_at_once(challenge, olga):
    """The second waits for the first, as each replaces the file of the other."""
    failed, second = [], SimpleUploadedFile("second.txt", FILE.encode())

    def replace_file():
        try:
            processing.replace_corpus_file(challenge, second, CorpusFile.Purpose.OPEN, olga)
        except IntegrityError as error:
            failed.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=replace_file)
    with transaction.atomic():
        first = SimpleUploadedFile("first.txt", FILE.encode())
        processing.replace_corpus_file(challenge, first, CorpusFile.Purpose.OPEN, olga)
        thread.start()
        while thread.is_alive() and not _is_somebody_waiting():
            time.sleep(0.01)
    thread.join()
    assert failed == []
    assert CorpusFile.objects.get().name == "second.txt"


def _is_somebody_waiting():
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype IN ('transactionid', 'tuple')")
        return cursor.fetchone()[0]


def test_a_file_that_is_replaced_while_a_worker_reads_it_leaves_no_trace(
    organizer, challenge, leave_to_worker, monkeypatch
):
    upload(organizer)
    read = processing.read_corpus_file

    def read_while_it_is_replaced(content, name, secret):
        found = read(content, name, secret=secret)
        upload(organizer, BAD, "other.txt")
        return found

    monkeypatch.setattr(processing, "read_corpus_file", read_while_it_is_replaced)
    process_corpus_file_unless_busy(challenge.pk)
    file = CorpusFile.objects.get()
    assert (file.name, file.state) == ("other.txt", "reading")


def test_articles_that_were_taken_down_are_named(organizer, olga):
    upload(organizer)
    confirm(organizer)
    Challenge.objects.create(name="Other", slug="other", state="draft").organizers.add(olga)
    upload(organizer, name="b.txt", address="/challenges/other/corpus-file/")
    ArticleTakedown.objects.create(article=Article.objects.get(pmid=12), reason="At the request of its authors.")
    page = organizer.get("/challenges/other/corpus-file/set-up/")
    values = list_form_values(page) | {"sort": "training", "corpus_slug": "b"}
    reply = organizer.post("/challenges/other/corpus-file/set-up/", values)
    assert reply.status_code == 422
    assert "These articles were taken down: PMID 12. Remove them from the file." in read_words(reply)


def build_brat(*names):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(f"{name}.txt", f"BRCA1 and cancer in {name}.\n")
            archive.writestr(f"{name}.ann", "T1\tGene 0 5\tBRCA1\nT2\tDisease 10 16\tcancer\n")
    return out.getvalue()


@pytest.mark.parametrize("pmcids", [("PMC12", "PMC13"), ("", "")])
def test_gold_standards_are_those_of_the_articles_whatever_the_file_calls_them(organizer, challenge, pmcids):
    """Documents with PMCIDs, which PubMed Central names so, and with names of their own."""
    names = [pmcid or name for pmcid, name in zip(pmcids, ("doc-1", "doc-2"), strict=True)]
    upload(organizer, build_brat(*names), "a.zip")
    process_corpus_file_unless_busy(challenge.pk)
    assert confirm(organizer).status_code == 302
    assert list(Article.objects.order_by("pk").values_list("pmcid", flat=True)) == [*pmcids]
    gold = GoldStandard.objects.get()
    rows = Annotation.objects.filter(result__producer=gold.producer)
    texts = rows.order_by("result__article", "pk").values_list("result__article__text", "text")
    assert [(f"in {name}." in text, word) for name, (text, word) in zip(sorted(names * 2), texts, strict=True)] == [
        (True, "BRCA1"),
        (True, "cancer"),
    ] * 2


def test_a_pmcid_without_its_letters_is_no_pmid(organizer, challenge):
    """BioC of PubMed Central names its documents so, and the PMID is an infon."""
    first = json.loads(build_bioc_json(pmid="12", infons={"article-id_pmc": "12", "article-id_pmid": "13"}))
    second = json.loads(build_bioc_json(pmid="PMID:12", entity_type="Disease"))
    first["documents"] += second["documents"]
    upload(organizer, json.dumps(first), "a.json")
    reply = confirm(organizer, task1="")
    assert reply.status_code == 302, read_words(reply)
    gold = GoldStandard.objects.get()
    rows = Annotation.objects.filter(result__producer=gold.producer).order_by("result__article__pmid")
    assert list(rows.values_list("result__article__pmid", "type")) == [(12, "Disease"), (13, "Gene")]


def build_bioc_json(*, entity_type="Gene", identifier="672", infons=None, text="BRCA1", pmid="12"):
    """A document whose names come from a hostile organizer."""
    mention = {
        "id": "1",
        "infons": {"type": entity_type, "identifier": identifier},
        "text": "BRCA1",
        "locations": [{"offset": 0, "length": 5}],
    }
    passage = {"offset": 0, "infons": {"type": "title"}, "text": f"{text} too.", "annotations": [mention]}
    document = {"id": pmid, "infons": infons or {}, "passages": [passage]}
    return json.dumps({"source": "", "date": "", "key": "", "infons": {}, "documents": [document]})


@pytest.mark.parametrize(
    "names",
    [
        {"entity_type": "Ge\0ne"},
        {"entity_type": "\ud800"},
        {"entity_type": "x" * 5000},
        {"entity_type": " "},
        {"entity_type": "<b>Gene</b>"},
        {"identifier": "\0"},
        {"identifier": "NOSUCH:1;MESH:D009369"},
        {"text": "BRC\0A1"},
        {"pmid": "1\0"},
    ],
)
def test_hostile_names_in_a_file_are_refused_or_shown_as_text(organizer, names):
    upload(organizer, build_bioc_json(**names), "a.json")
    page = organizer.get(SET_UP)
    assert page.status_code == 200
    assert "<b>Gene" not in page.content.decode()
    if CorpusFile.objects.get().state == "proposed":
        assert confirm(organizer).status_code in (302, 422)


def test_a_file_without_articles_is_refused(organizer):
    upload(organizer, "<PubmedArticleSet><DeleteCitation><PMID>1</PMID></DeleteCitation></PubmedArticleSet>")
    assert CorpusFile.objects.get().state == "refused"
    assert "has no articles" in read_words(organizer.get(SET_UP))


def test_what_was_chosen_stays_in_the_form_when_a_worker_cannot_set_it_up(organizer, challenge, leave_to_worker):
    """Somebody else takes the name in URLs after it was confirmed."""
    upload(organizer)
    process_corpus_file_unless_busy(challenge.pk)
    changes = {"corpus_name": "Mine", "corpus_slug": "mine", "task0_name": "GENES", "task1": ""}
    confirm(organizer, **changes, closes="2099-01-01T00:00")
    Corpus.objects.create(name="Mine", slug="mine")
    assert process_corpus_file_unless_busy(challenge.pk) == "proposed"
    page = organizer.get(SET_UP)
    assert "The corpus name mine is taken. Choose another name for URLs." in read_words(page)
    values = list_form_values(page)
    assert (values["corpus_name"], values["task0_name"], "task1" in values) == ("Mine", "GENES", False)
    assert 'value="2099-01-01T00:00"' in page.content.decode()
    confirm(organizer, corpus_slug="mine-2", closes="")
    assert process_corpus_file_unless_busy(challenge.pk) == "finished"
    assert list(challenge.tasks.order_by("pk").values_list("name", flat=True)) == ["GENES", "RE"]


def test_files_that_nobody_sets_up_are_deleted_after_a_month(organizer, olga):
    other = Challenge.objects.create(name="Other", slug="other", state="draft")
    other.organizers.add(olga)
    upload(organizer)
    CorpusFile.objects.update(uploaded=timezone.now() - processing.UPLOAD_KEPT - timedelta(seconds=1))
    upload(organizer, name="b.txt", address="/challenges/other/corpus-file/")
    assert CorpusFile.objects.get().challenge == other
