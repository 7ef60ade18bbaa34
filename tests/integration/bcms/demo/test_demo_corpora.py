"""The corpora of the demo: the articles of its test are nowhere on the site but in the blind corpus."""

import pytest

from annotations.articles.models import Article, Corpus
from bcms.demo import seeding
from bcms.demo.content import CORPORA
from tests.integration.evaluation_cast import make_corpus

pytestmark = pytest.mark.django_db


def test_the_test_articles_are_snapshots_only(tmp_path):
    make_corpus("four")
    Corpus.objects.get(slug="four").delete()
    for slug, pmids in (("training", (101, 102)), ("test", (103, 104))):
        path = tmp_path / f"{slug}.pmids"
        path.write_text("".join(f"{pmid}\n" for pmid in pmids))
        for _ in range(2):
            seeding._make_demo_corpus(slug, CORPORA[slug], path)
    assert list(Article.objects.filter(blind=False).values_list("pmid", flat=True).order_by("pmid")) == [101, 102]
    rows = Corpus.objects.get(slug="test").corpusarticle_set.order_by("position")
    assert list(rows.values_list("article__snapshot__pmid", flat=True)) == [103, 104]
