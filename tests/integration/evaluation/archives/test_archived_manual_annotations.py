"""What authors and curators annotated elsewhere, in an archive: restored so that it compares as before."""

import pytest

from annotations.results.models import Producer
from annotations.schema import Kind
from evaluation.archives.errors import ChallengeArchiveError
from evaluation.archives.restore.challenge import restore_challenge_unless_restored_before
from evaluation.challenges.setup import creation
from evaluation.manual_annotations.file_import import (
    ManualAnnotationFile,
    import_all_manual_annotations_or_refuse_file,
    list_manual_annotation_sets,
)
from evaluation.manual_annotations.models import ManualAnnotationSet
from tests.integration.archive_cast import extract_archive_files, write_challenge_archive
from tests.integration.evaluation.agreement.test_comparison_page import compare_listed_producers
from tests.integration.evaluation.archives.test_challenge_restore import replace_listed_file, rewrite_archive
from tests.integration.evaluation_cast import make_challenge, make_corpus

pytestmark = pytest.mark.django_db
AUTHORS = (b"101\t9606\n102\t10090\n", b"102\t9606\n103\t10116\n")
CURATORS = b"101\t9606\n102\t9606\n"


@pytest.fixture
def challenge(olga):
    own = make_challenge(olga, make_corpus())
    tx, corpus = own.tasks.get(name="TX"), own.phases.get().corpus
    for place, content in enumerate(AUTHORS, 1):
        import_all_manual_annotations_or_refuse_file(
            tx, corpus, ManualAnnotationFile("author", "Authors", content, f"authors-{place}.tsv")
        )
    import_all_manual_annotations_or_refuse_file(
        tx, corpus, ManualAnnotationFile("curator", "MINT", CURATORS, "mint.tsv", read_all_articles=True)
    )
    import_all_manual_annotations_or_refuse_file(
        own.tasks.get(name="ACT"), corpus, ManualAnnotationFile("author", "Authors", b"101\t1\n103\t0\n", "act.tsv")
    )
    return own


def compare_manual_sets(challenge, kind):
    """The figures, without the names."""
    corpus = challenge.phases.get().corpus
    own = compare_listed_producers(
        corpus, kind, *(each.producer for each in list_manual_annotation_sets(challenge) if each.kind == kind)
    )
    agreed = own.agreements and (own.agreements.pairs, own.agreements.instances)
    return own.articles, agreed, [each.agreement for each in own.itself], own.overlap


def test_it_is_restored_with_all_readings(challenge, tmp_path):
    path = write_challenge_archive(challenge, tmp_path / "a.zip")
    restored = restore_challenge_unless_restored_before(path, "again").challenge
    told = ("producer__sort", "producer__name", "producer__public", "kind", "source", "checksum", "brought")
    ours, theirs = (list_manual_annotation_sets(each).values_list(*told, "articles") for each in (restored, challenge))
    assert list(ours) == list(theirs)
    assert {own[2] for own in ours} == {False}
    producers = set(list_manual_annotation_sets(restored).values_list("producer", flat=True))
    assert len(producers) == 2 and not producers & set(
        list_manual_annotation_sets(challenge).values_list("producer", flat=True)
    )
    for kind in (Kind.TAXON, Kind.CLASSIFICATION):
        assert compare_manual_sets(restored, kind) == compare_manual_sets(challenge, kind)
    # Of 102 the authors said another organism the second time.
    assert [own.joint for own in compare_manual_sets(restored, Kind.TAXON)[2]] == [0.0]
    first, second = (
        extract_archive_files(each, tmp_path / each.stem)
        for each in (path, write_challenge_archive(restored, tmp_path / "b.zip"))
    )
    assert (first / "training/by_hand.jsonl").read_bytes() == (second / "training/by_hand.jsonl").read_bytes()


def test_that_of_a_test_stays_out_until_it_is_published(challenge, tmp_path):
    corpus = make_corpus("blind", (201, 202), blind=True)
    creation.create_phase_claiming_blind_corpus(challenge, "test", corpus)
    import_all_manual_annotations_or_refuse_file(
        challenge.tasks.get(name="TX"), corpus, ManualAnnotationFile("curator", "MINT", b"201\t9606\n", "mint.tsv")
    )
    folder = extract_archive_files(write_challenge_archive(challenge, tmp_path / "a.zip"), tmp_path / "archive")
    assert [path.parent.name for path in folder.rglob("by_hand.jsonl")] == ["training"]


def test_nobody_else_comes_out_of_an_archive(challenge, tmp_path):
    path, odd = write_challenge_archive(challenge, tmp_path / "a.zip"), tmp_path / "odd.zip"
    rewrite_archive(
        path, odd, lambda files: replace_listed_file(files, "training/by_hand.jsonl", b'"author"', b'"server"')
    )
    with pytest.raises(ChallengeArchiveError, match="is inconsistent"):
        restore_challenge_unless_restored_before(odd, "again")
    assert not Producer.objects.filter(sort="server").exists() and ManualAnnotationSet.objects.count() == 3
