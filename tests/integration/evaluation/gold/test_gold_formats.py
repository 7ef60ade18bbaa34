"""Gold standards in every format that the command line reads, by the same rules."""

import pytest

from annotations.digital_abstract import DigitalAbstract, Interaction, Participant
from annotations.formats.articles.annotated_article import AnnotatedArticle
from annotations.formats.articles.parsed_article import ArticleIds
from annotations.formats.digital_abstracts.exported_abstract import ExportedAbstract
from annotations.formats.errors import RefusedFileError
from annotations.formats.psi_mi_xml.vocabulary import PsiMiVersion
from annotations.formats.psi_mi_xml.writer import write_psi_mi_xml
from annotations.results.models import Annotation
from annotations.schema import EntityId, Kind
from evaluation.challenges.setup import creation
from evaluation.gold.storage import store_gold_sealed_or_open
from tests.integration.evaluation_cast import create_listed_challenge, make_corpus

pytestmark = pytest.mark.django_db

PUBTATOR = b"""101|t|Loss of CDH1 in mice
101\t8\t12\tCDH1\tGene\t999
101\t16\t20\tmice\tSpecies\t10090

102|t|CTNNB1
102\t0\t6\tCTNNB1\tGene\t1499
"""


@pytest.fixture
def phase(olga):
    challenge = create_listed_challenge("Example", "example", "", olga)
    return creation.create_phase_claiming_blind_corpus(challenge, "training", make_corpus())


def create_named_task(phase, name, kind):
    return creation.create_task(phase.challenge, name, kind, name)


def list_stored_gold(gold):
    rows = Annotation.objects.filter(result__producer=gold.producer, result__superseded__isnull=True).order_by("pk")
    return list(rows.values_list("result__article__pmid", "database", "identifier", "partner"))


def test_it_reads_pairs(phase):
    task = create_named_task(phase, "IPT", Kind.PAIR)
    gold = store_gold_sealed_or_open(task, phase, b"101\tP12830\tP35222\n102\t999\t1499\n", "pairs.tsv")
    assert list_stored_gold(gold) == [(101, "uniprot", "P12830", "P35222"), (102, "ncbigene", "1499", "999")]


def test_it_reads_annotated_text(phase):
    genes = store_gold_sealed_or_open(
        create_named_task(phase, "GN", Kind.NORMALIZATION), phase, PUBTATOR, "gold.pubtator"
    )
    assert list_stored_gold(genes) == [(101, "ncbigene", "999", ""), (102, "ncbigene", "1499", "")]
    taxa = store_gold_sealed_or_open(create_named_task(phase, "TX", Kind.TAXON), phase, PUBTATOR, "gold.pubtator")
    assert list_stored_gold(taxa) == [(101, "ncbitaxon", "10090", "")]


def test_it_reads_pairs_of_psi_mi_xml(phase):
    task = create_named_task(phase, "IPT", Kind.PAIR)
    interaction = Interaction((Participant(EntityId("uniprot", "P35222")), Participant(EntityId("uniprot", "P12830"))))
    article = AnnotatedArticle("1", ArticleIds(101), [])
    exported = ExportedAbstract(article, DigitalAbstract((interaction,)), "https://bcms.example/articles/101/")
    content = "".join(write_psi_mi_xml([exported], PsiMiVersion.V300)).encode()
    gold = store_gold_sealed_or_open(task, phase, content, "gold.xml")
    assert list_stored_gold(gold) == [(101, "uniprot", "P12830", "P35222")]


def test_it_reads_pairs_and_interactors_of_psi_mitab(phase):
    names = [f"uniprotkb:{name}" for name in ("P35222", "P12830")]
    line = "\t".join([*names, *["-"] * 6, "pubmed:101", *["-"] * 6]).encode() + b"\n"
    pairs = store_gold_sealed_or_open(create_named_task(phase, "IPT", Kind.PAIR), phase, line, "gold.mitab")
    assert list_stored_gold(pairs) == [(101, "uniprot", "P12830", "P35222")]
    task = create_named_task(phase, "INT", Kind.NORMALIZATION)
    interactors = store_gold_sealed_or_open(task, phase, line, "gold.mitab")
    assert list_stored_gold(interactors) == [(101, "uniprot", "P35222", ""), (101, "uniprot", "P12830", "")]


def test_it_reads_judgements_of_trec(phase):
    task = create_named_task(phase, "GN", Kind.NORMALIZATION)
    gold = store_gold_sealed_or_open(task, phase, b"101 0 999 1\n101 0 1499 0\n102 0 1499 1\n", "gold.qrels")
    assert list_stored_gold(gold) == [(101, "ncbigene", "999", ""), (102, "ncbigene", "1499", "")]


def test_it_tells_the_faults_of_each_format(phase):
    task = create_named_task(phase, "IPT", Kind.PAIR)
    with pytest.raises(RefusedFileError) as refused:
        store_gold_sealed_or_open(task, phase, b"101\tP12830\tnonsense\n999\tP12830\tP35222\n", "pairs.tsv")
    assert [(fault.line, fault.rule) for fault in refused.value.faults] == [(1, "R712")]
    with pytest.raises(RefusedFileError) as refused:
        store_gold_sealed_or_open(task, phase, b"101\tP12830\tP35222\n999\tP12830\tP35222\n", "pairs.tsv")
    assert [(fault.line, fault.rule) for fault in refused.value.faults] == [(2, "R508")]


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"\x1f\x8b\x08\x00", "R629"),
        (PUBTATOR, "R711"),
    ],
)
def test_it_refuses_what_has_no_results_of_the_task(phase, content, rule):
    task = create_named_task(phase, "IMT", Kind.METHOD)
    with pytest.raises(RefusedFileError) as refused:
        store_gold_sealed_or_open(task, phase, content, "gold")
    assert [fault.rule for fault in refused.value.faults] == [rule]
