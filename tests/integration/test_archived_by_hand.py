"""What authors and curators annotated elsewhere, in an archive: restored so that it compares as before."""

import pytest

from annotations.kinds import Kind
from annotations.models import Producer
from evaluation import challenges
from evaluation.archives.restoring import import_challenge
from evaluation.archives.unpacking import ArchiveError
from evaluation.by_hand.bringing_in import HandFile, bring_in, brought_to
from evaluation.models import ByHand
from tests.integration.archive_cast import archived, unpacked
from tests.integration.evaluation_cast import make_challenge, make_corpus
from tests.integration.test_comparison_page import found
from tests.integration.test_importing_challenges import relisted, rewritten

pytestmark = pytest.mark.django_db
AUTHORS = (b"101\t9606\n102\t10090\n", b"102\t9606\n103\t10116\n")
CURATORS = b"101\t9606\n102\t9606\n"


@pytest.fixture
def challenge(olga):
    own = make_challenge(olga, make_corpus())
    tx, corpus = own.tasks.get(name="TX"), own.phases.get().corpus
    for place, content in enumerate(AUTHORS, 1):
        bring_in(tx, corpus, HandFile("author", "Authors", content, f"authors-{place}.tsv"))
    bring_in(tx, corpus, HandFile("curator", "MINT", CURATORS, "mint.tsv", whole=True))
    bring_in(own.tasks.get(name="ACT"), corpus, HandFile("author", "Authors", b"101\t1\n103\t0\n", "act.tsv"))
    return own


def compared(challenge, kind):
    """The figures, without the names."""
    corpus = challenge.phases.get().corpus
    own = found(corpus, kind, *(each.producer for each in brought_to(challenge) if each.kind == kind))
    agreed = own.agreements and (own.agreements.pairs, own.agreements.instances)
    return own.articles, agreed, [each.agreement for each in own.itself], own.overlap


def test_it_is_restored_with_all_readings(challenge, tmp_path):
    path = archived(challenge, tmp_path / "a.zip")
    restored = import_challenge(path, "again").challenge
    told = ("producer__sort", "producer__name", "producer__public", "kind", "source", "checksum", "brought")
    ours, theirs = (brought_to(each).values_list(*told, "articles") for each in (restored, challenge))
    assert list(ours) == list(theirs)
    assert {own[2] for own in ours} == {False}
    producers = set(brought_to(restored).values_list("producer", flat=True))
    assert len(producers) == 2 and not producers & set(brought_to(challenge).values_list("producer", flat=True))
    for kind in (Kind.TAXON, Kind.CLASSIFICATION):
        assert compared(restored, kind) == compared(challenge, kind)
    # Of 102 the authors said another organism the second time.
    assert [own.joint for own in compared(restored, Kind.TAXON)[2]] == [0.0]
    first, second = (unpacked(each, tmp_path / each.stem) for each in (path, archived(restored, tmp_path / "b.zip")))
    assert (first / "training/by_hand.jsonl").read_bytes() == (second / "training/by_hand.jsonl").read_bytes()


def test_that_of_a_test_stays_out_until_it_is_published(challenge, tmp_path):
    corpus = make_corpus("blind", (201, 202), blind=True)
    challenges.add_phase(challenge, "test", corpus)
    bring_in(challenge.tasks.get(name="TX"), corpus, HandFile("curator", "MINT", b"201\t9606\n", "mint.tsv"))
    folder = unpacked(archived(challenge, tmp_path / "a.zip"), tmp_path / "archive")
    assert [path.parent.name for path in folder.rglob("by_hand.jsonl")] == ["training"]


def test_nobody_else_comes_out_of_an_archive(challenge, tmp_path):
    path, odd = archived(challenge, tmp_path / "a.zip"), tmp_path / "odd.zip"
    rewritten(path, odd, lambda files: relisted(files, "training/by_hand.jsonl", b'"author"', b'"server"'))
    with pytest.raises(ArchiveError, match="does not say what it should"):
        import_challenge(odd, "again")
    assert not Producer.objects.filter(sort="server").exists() and ByHand.objects.count() == 3
