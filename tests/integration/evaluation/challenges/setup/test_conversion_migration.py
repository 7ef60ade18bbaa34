"""The migration that makes snapshots of the articles of blind corpora."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from annotations.articles.models import Corpus


@pytest.mark.long
def test_a_database_of_the_version_before_is_converted(own_database):
    """From the state of the tables before there were snapshots."""
    before = [("annotations", "0005_corpus_featured"), ("evaluation", "0005_challenge_state")]
    after = MigrationExecutor(connection).loader.graph.leaf_nodes()
    executor = MigrationExecutor(connection)
    executor.migrate(before)
    old = executor.loader.project_state(before).apps
    OldArticle, OldCorpus = old.get_model("annotations", "Article"), old.get_model("annotations", "Corpus")
    row = OldArticle.objects.create(pmid=201, doi="10.1000/201", passages=[], text="", content_hash="0" * 64)
    corpus = OldCorpus.objects.create(slug="blind", name="Blind", blind=True)
    old.get_model("annotations", "CorpusArticle").objects.create(corpus=corpus, article=row, position=1)
    MigrationExecutor(connection).migrate(after)
    snapshot = Corpus.objects.get(slug="blind").articles.get()
    assert (snapshot.opaque, snapshot.pmid, snapshot.blind, snapshot.snapshot.pmid) == (row.opaque, None, True, 201)
