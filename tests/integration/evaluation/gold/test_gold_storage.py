"""Gold standards: from a file to Results, in one piece or not at all."""

from hashlib import sha256

import pytest

from annotations.formats.errors import RefusedFileError
from annotations.results.models import Annotation, Result
from evaluation.gold.models import GoldStandard
from evaluation.gold.storage import store_gold_from_file, store_gold_sealed_or_open
from tests.integration.evaluation_cast import ACT_GOLD

pytestmark = pytest.mark.django_db


@pytest.fixture
def phase(challenge):
    return challenge.phases.get()


def current(gold):
    return Result.objects.filter(producer=gold.producer, superseded__isnull=True)


def faults(task, phase, content):
    with pytest.raises(RefusedFileError) as refused:
        store_gold_sealed_or_open(task, phase, content, "gold.tsv")
    return [str(fault) for fault in refused.value.faults]


def test_it_stores_a_result_for_each_article_of_the_corpus_and_keeps_it_from_the_public(tx, phase):
    gold = GoldStandard.objects.get(task=tx)
    assert not gold.producer.public
    assert gold.producer.sort == "gold"
    said = {result.article.pmid: result.annotations.count() for result in current(gold)}
    assert said == {101: 1, 102: 2, 103: 1, 104: 0}


def test_it_reads_a_file_and_remembers_what_it_was(act, phase, tmp_path):
    (tmp_path / "labels.tsv").write_bytes(ACT_GOLD)
    gold = store_gold_from_file(act, phase, tmp_path / "labels.tsv")
    assert gold.source == "labels.tsv"
    assert gold.checksum == sha256(ACT_GOLD).hexdigest()
    assert store_gold_from_file(act, phase, tmp_path / "labels.tsv", origin="experts").source == "experts"


def test_it_knows_an_article_by_pmid_doi_and_opaque_id(act, phase):
    opaque = phase.corpus.articles.get(pmid=103).opaque
    gold = store_gold_sealed_or_open(act, phase, f"101\t1\n10.1000/102\t1\n{opaque}\t0\n104\t0\n".encode(), "mixed.tsv")
    assert current(gold).count() == 4


def test_it_replaces_an_earlier_gold_standard_and_keeps_its_results_superseded(act, phase):
    before = GoldStandard.objects.get(task=act)
    after = store_gold_sealed_or_open(act, phase, ACT_GOLD.replace(b"104\t0", b"104\t1"), "second.tsv")
    assert (after.pk, after.producer_id) == (before.pk, before.producer_id)
    assert after.checksum != before.checksum
    assert after.imported > before.imported
    assert Result.objects.filter(producer=after.producer).count() == 8
    assert Annotation.objects.filter(result__in=current(after), relevant=True).count() == 3


def test_it_refuses_a_file_whole_with_every_fault(act, phase):
    before = Result.objects.count()
    assert faults(act, phase, b"101\t1\n999\t0\n103\tmaybe\n10.1000/101\t0\n") == [
        "gold.tsv:2:1: R508 article 999 is not in the corpus of this phase - remove the line or add the article",
        "gold.tsv:3:5: R505 'maybe' is not a class - write 0 or 1, true or false, t or f, y or n, + or -",
        "gold.tsv:4:1: R510 line 1 has the same annotation under another name of the article - remove one of the two",
    ]
    assert faults(act, phase, b"101\t1\n103\t0\n") == [
        "gold.tsv:0:0: R509 article 102 of the corpus has no class - add a line for it",
        "gold.tsv:0:0: R509 article 104 of the corpus has no class - add a line for it",
    ]
    assert Result.objects.count() == before


def test_it_takes_no_article_missing_in_organisms_for_a_fault(tx, phase):
    assert current(store_gold_sealed_or_open(tx, phase, b"101\t9606\n", "tx.tsv")).count() == 4


def test_it_stores_in_a_fixed_number_of_queries(tx, phase, django_assert_num_queries):
    with django_assert_num_queries(15):
        store_gold_sealed_or_open(tx, phase, b"101\t9606\n102\t9606\n", "tx.tsv")
