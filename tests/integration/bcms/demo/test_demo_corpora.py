"""The corpora of the demo: nothing that a visitor can ask for tells which articles its test has."""

import pytest

from annotations.articles.models import Article, Corpus
from bcms.demo import seeding
from bcms.demo.content import CORPORA
from tests.integration.evaluation_cast import make_corpus

pytestmark = pytest.mark.django_db


def test_the_test_has_snapshots_of_public_articles(client, tmp_path):
    make_corpus("four")
    Corpus.objects.get(slug="four").delete()
    for slug, pmids in (("training", (101, 102)), ("test", (103, 104))):
        path = tmp_path / f"{slug}.pmids"
        path.write_text("".join(f"{pmid}\n" for pmid in pmids))
        for _ in range(2):
            seeding._make_demo_corpus(slug, CORPORA[slug], path)
    assert Article.objects.filter(blind=False, pmid__in=(101, 102, 103, 104)).count() == 4
    assert [client.get(f"/articles/{pmid}/").status_code for pmid in (101, 102, 103, 104)] == [200] * 4
    rows = Corpus.objects.get(slug="test").corpusarticle_set.order_by("position")
    assert list(rows.values_list("article__snapshot__pmid", "article__pmid")) == [(103, None), (104, None)]
