"""Corpus files with the gold standard of a test: sealed when they arrive, read and split by the scoring worker."""

import itertools
import logging
import re
from hashlib import sha256

import pytest
from django.db import connection
from django.utils import timezone

from annotations.articles.models import Article, ArticleSnapshot, Corpus
from annotations.results.models import Annotation
from bcms.corpus_files import processing
from bcms.corpus_files.models import CorpusFile
from bcms.tasks import (
    enqueue_waiting_corpus_files,
    process_corpus_file_unless_busy,
    process_sealed_corpus_file_unless_busy,
)
from evaluation import tasks
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.gold.models import GoldStandard
from servers.audit.models import AuditEvent
from tests.integration.bcms.corpus_files.steps import FILE, SET_UP, UPLOAD, confirm, read_words, upload

pytestmark = pytest.mark.django_db
OPENS = "2027-01-01T00:00"
SECRET = "90909091"


def make_file(numbers, identifier="{}"):
    """An article for each number, with one mention that is linked to the number."""
    return "".join(
        f"{each}|t|Gene number {each}.\n{each}|a|\n{each}\t0\t4\tGene\tGene\t{identifier.format(each)}\n\n"
        for each in numbers
    )


def set_up(client, challenge, **changes):
    """Confirm the proposal, and let the worker do it."""
    assert process_sealed_corpus_file_unless_busy(challenge.pk) == "proposed"
    reply = confirm(client, **changes)
    assert (reply.status_code, reply.url) == (302, SET_UP), read_words(reply)
    return process_sealed_corpus_file_unless_busy(challenge.pk)


def list_numbers(challenge, sort):
    """The PMIDs of the articles of a phase, which those of a blind corpus do not have themselves."""
    corpus = challenge.phases.get(sort=sort).corpus
    articles = corpus.articles.order_by("corpusarticle__position")
    if corpus.blind:
        assert set(articles.values_list("pmid", "doi", "pmcid")) == {(None, "", "")}
        return list(
            ArticleSnapshot.objects.filter(article__in=articles).order_by("pmid").values_list("pmid", flat=True)
        )
    return list(articles.values_list("pmid", flat=True))


def list_rows_with(text):
    """The tables that have the text in a row."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT count(*) FROM "{table}" AS row WHERE row::text LIKE %s', [f"%{text}%"])
            found += [table] * bool(cursor.fetchone()[0])
    return found


def test_a_file_of_a_test_becomes_a_blind_corpus_with_sealed_gold_standards(organizer, challenge, olga):
    upload(organizer, FILE.replace("672", SECRET), purpose="test")
    assert "Reading the file" in read_words(organizer.get(SET_UP))
    assert process_corpus_file_unless_busy(challenge.pk) == "nothing"
    assert set_up(organizer, challenge, opens=OPENS) == "finished"
    phase = challenge.phases.get()
    assert (phase.sort, phase.corpus.blind, phase.opens.year) == ("test", True, 2027)
    assert not Article.objects.filter(blind=False).exists()
    assert list_numbers(challenge, "test") == [12, 13]
    golds = GoldStandard.objects.filter(phase=phase)
    assert sorted(golds.values_list("task__name", flat=True)) == ["NEN", "NER", "RE"]
    assert not golds.filter(sealed__isnull=True).exists()
    assert not Annotation.objects.exists()
    assert CorpusFile.objects.get().content is None
    assert set(AuditEvent.objects.filter(challenge_id=challenge.pk).values_list("actor", flat=True)) == {olga.pk}


def check_secrecy(client, caplog):
    page = read_words(client.get(SET_UP))
    assert list_rows_with(SECRET) == list_rows_with("Qzxjk") == []
    assert not re.search(f"{SECRET}|Qzxjk", page + caplog.text)
    return page


def test_nothing_of_its_annotations_is_stored_or_logged_in_the_clear(organizer, challenge, caplog):
    caplog.set_level(logging.DEBUG)
    hidden = FILE.replace("672", SECRET)
    for line, state in (("13\tQzxjk\t2\tNo\tGene\t-", "refused"), ("13\t0\t2\tQzxjk\tGene\t-", "proposed")):
        upload(organizer, hidden.replace("13|a|\n", f"13|a|\n{line}\n"), purpose="test")
        check_secrecy(organizer, caplog)
        assert process_sealed_corpus_file_unless_busy(challenge.pk) == state
        page = check_secrecy(organizer, caplog)
    assert "Mentions: Disease, Gene" in page
    assert "3 mentions" not in page
    # The words of the second line are not those of the article.
    confirm(organizer, opens=OPENS)
    assert process_sealed_corpus_file_unless_busy(challenge.pk) == "proposed"
    assert "what the file has there is not shown" in check_secrecy(organizer, caplog)


def test_a_fault_names_its_place_and_rule(organizer, challenge):
    upload(organizer, FILE.replace("0\t5\tBRCA1", "x\t5\tBRCA1"), purpose="test")
    assert process_sealed_corpus_file_unless_busy(challenge.pk) == "refused"
    (fault,) = CorpusFile.objects.get().list_faults()
    assert (fault.line, fault.rule) == (3, "R654")
    assert fault.message.endswith("what the file has there is not shown")
    assert CorpusFile.objects.get().content is None


def test_an_error_in_code_is_logged_without_its_message(organizer, challenge, caplog, monkeypatch):
    def fail(*args, **named):
        raise ValueError(SECRET)

    upload(organizer, purpose="test")
    monkeypatch.setattr(processing, "read_corpus_file", fail)
    assert process_sealed_corpus_file_unless_busy(challenge.pk) == "failed"
    assert "ValueError" in caplog.text
    assert SECRET not in caplog.text


def test_the_scoring_worker_alone_begins_it_again(organizer, challenge, monkeypatch, settings):
    upload(organizer, purpose="split")
    begun = []
    monkeypatch.setattr(process_corpus_file_unless_busy, "delay", None)
    monkeypatch.setattr(process_sealed_corpus_file_unless_busy, "delay", begun.append)
    assert (enqueue_waiting_corpus_files(), begun) == (1, [challenge.pk])
    route = settings.CELERY_TASK_ROUTES[process_sealed_corpus_file_unless_busy.name]
    assert route == {"queue": "scoring"}
    settings.GOLD_PRIVATE_KEY = None
    assert process_sealed_corpus_file_unless_busy(challenge.pk) == "refused"
    assert "Start the scoring worker with GOLD_PRIVATE_KEY" in read_words(organizer.get(SET_UP))


def test_a_site_without_a_key_offers_no_test(organizer, settings):
    settings.GOLD_PUBLIC_KEY = None
    page = read_words(organizer.get(UPLOAD))
    assert "This site cannot seal files yet" in page
    assert "splits the articles" not in page
    assert upload(organizer, purpose="split").status_code == 422
    assert not CorpusFile.objects.exists()


def test_a_file_is_split_by_its_seed(organizer, challenge):
    numbers = range(1, 101)
    upload(organizer, make_file(numbers), purpose="split")
    changes = {"seed": "7", "test-opens": OPENS, "training-share": "70", "development-share": "10"}
    assert set_up(organizer, challenge, **changes, task0="") == "finished"
    parts = [list_numbers(challenge, sort) for sort in ("training", "development", "test")]
    assert [len(part) for part in parts] == [70, 10, 20]
    assert sorted(itertools.chain(*parts)) == list(numbers)
    assert all(part == sorted(part) for part in parts)
    assert parts[0] != list(range(1, 71))
    assert Article.objects.filter(blind=False).count() == 80
    by_phase = {gold.phase.sort: gold for gold in GoldStandard.objects.all()}
    for sort, part in zip(("training", "development"), parts, strict=False):
        of_part = Annotation.objects.filter(result__producer=by_phase[sort].producer)
        assert sorted(map(int, of_part.values_list("identifier", flat=True))) == part
    assert by_phase["test"].producer is None
    assert "Split by the seed 7." in read_words(organizer.get(SET_UP))


def test_the_seed_that_is_proposed_can_be_found_by_nobody_and_stays_the_same(organizer, challenge, settings):
    """A million seeds are tried in minutes. The one that made the training set says what else may be in the test."""
    upload(organizer, make_file(range(1, 101)), purpose="split")
    process_sealed_corpus_file_unless_busy(challenge.pk)
    seed, again = (organizer.get(SET_UP).context["form"]["seed"].value() for _ in range(2))
    assert seed == again
    assert 10**6 < seed < 2**53
    settings.SECRET_KEY = "another"
    organizer.force_login(challenge.organizers.get())
    assert organizer.get(SET_UP).context["form"]["seed"].value() != seed
    confirm(organizer, seed=str(2**53 - 1), **{"test-opens": OPENS})
    assert CorpusFile.objects.get().seed == 2**53 - 1
    assert process_sealed_corpus_file_unless_busy(challenge.pk) == "finished"
    assert "Split by the seed 9007199254740991." in read_words(organizer.get(SET_UP))


def test_no_checksum_verifies_guesses_of_what_stays_sealed(organizer, challenge):
    content = make_file(range(1, 11))
    upload(organizer, content, purpose="split")
    set_up(organizer, challenge, **{"test-opens": OPENS}, task0="")
    plain = sha256(content.encode()).hexdigest()
    assert GoldStandard.objects.count() == 3
    assert list_rows_with(plain) == []


def test_what_was_sealed_is_published_with_the_names_in_the_file(organizer, challenge):
    content = make_file(range(1, 11))
    upload(organizer, content, purpose="split")
    set_up(organizer, challenge, **{"test-opens": OPENS}, task0="")
    type(challenge).objects.update(state="listed")
    phase = challenge.phases.get(sort="test")
    part = list_numbers(challenge, "test")
    type(phase).objects.update(opens=timezone.now(), closes=timezone.now())
    phase.refresh_from_db()
    assert publish_phase_or_request_if_sealed(phase)
    tasks.publish_requested_phases_and_tasks_unless_busy()
    gold = GoldStandard.objects.get(phase=phase)
    assert (gold.sealed, gold.opaque_by_document) == (None, None)
    # The file may have annotations of no task of the challenge.
    assert gold.checksum != sha256(content.encode()).hexdigest()
    published = Annotation.objects.filter(result__producer=gold.producer).values_list("identifier", flat=True)
    assert sorted(map(int, published)) == part


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"training-share": "50"}, "The shares add up to 90 %."),
        ({"training-share": "0", "development-share": "0", "test-share": "99"}, "The shares add up to 99 %."),
        ({"test-opens": ""}, "Enter when the test begins."),
        ({"development-corpus_slug": "own-genes-training"}, "Two corpora have the name own-genes-training."),
        ({"training-corpus_slug": "taken"}, "The corpus name taken is taken."),
        ({"seed": "x"}, "Enter a whole number."),
        ({"development-closes": "2001-01-01T00:00"}, "The end of the phase is in the past"),
    ],
)
def test_each_mistake_of_a_split_is_named_at_its_field(organizer, challenge, changes, said):
    Corpus.objects.create(name="Taken", slug="taken")
    upload(organizer, purpose="split")
    process_sealed_corpus_file_unless_busy(challenge.pk)
    reply = confirm(organizer, **({"test-opens": OPENS} | changes))
    assert (reply.status_code, said in read_words(reply)) == (422, True), read_words(reply)
    assert not challenge.phases.exists()


def test_a_phase_without_articles_or_without_gold_sets_nothing_up(organizer, challenge):
    upload(organizer, purpose="split")
    assert set_up(organizer, challenge, **{"test-opens": OPENS}) == "proposed"
    page = read_words(organizer.get(SET_UP))
    assert re.search("No article is left for the [a-z]+ phase. Give it a larger share.", page)
    assert set_up_again(organizer, challenge, {"development-share": "0", "training-share": "50", "test-share": "50"})
    page = read_words(organizer.get(SET_UP))
    assert re.search("because of the gold standard of NER in the (training|test) phase", page)
    assert not challenge.phases.exists()
    assert not Article.objects.exists()
    values = organizer.get(SET_UP).context["form"]
    assert [form["share"].value() for form in values.phases] == [50, 0, 50]


def set_up_again(client, challenge, changes):
    assert confirm(client, **changes).status_code == 302
    return process_sealed_corpus_file_unless_busy(challenge.pk) == "proposed"


def test_two_phases_are_left_for_a_split(organizer, challenge):
    challenge.phases.create(sort="development", corpus=Corpus.objects.create(name="Dev", slug="dev"))
    upload(organizer, make_file(range(1, 11)), purpose="split")
    assert set_up(organizer, challenge, **{"test-opens": OPENS}, task0="") == "finished"
    assert len(list_numbers(challenge, "training")) == 8
    assert len(list_numbers(challenge, "test")) == 2
