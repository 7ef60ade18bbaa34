"""The Croissant descriptions of a corpus and of a search, and the files that they name."""

import json
from urllib.parse import urlsplit

import pytest

from annotations.articles.models import Corpus, CorpusArticle
from annotations.results.models import Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from tests.integration.evaluation_cast import hide_article

ADDRESS = "/api/v1/corpora/small/croissant/"
SEARCH_ADDRESS = "/api/v1/export/croissant/?corpus=small"


@pytest.fixture
def corpus(article):
    corpus = Corpus.objects.create(slug="small", name="Small “corpus”", description="One article.")
    CorpusArticle.objects.create(corpus=corpus, article=article, position=1)
    producer = Producer.objects.create(sort="author", name="An author", public=True)
    mention = AnnotationData(Kind.MENTION, start=8, end=12, text="CDH1", type="Gene")
    store_results_superseding_earlier(article, producer, {Kind.MENTION: [mention]})
    return corpus


@pytest.mark.parametrize(
    ("address", "queries", "name", "text"),
    [
        (ADDRESS, 1, "Small “corpus”", "One article. The articles of the corpus with"),
        (SEARCH_ADDRESS, 1, "Articles of a search", "The articles that a search finds with"),
    ],
)
def test_its_files_are_the_exports(
    client, corpus, article, tmp_path, django_assert_num_queries, address, queries, name, text
):
    with django_assert_num_queries(queries):
        response = client.get(address)
    assert response["Content-Type"] == "application/ld+json"
    description = response.json()
    for file in description["distribution"]:
        url = urlsplit(file["contentUrl"])
        assert url.query == "corpus=small"
        download = client.get(f"{url.path}?{url.query}")
        assert download["Content-Disposition"] == f'attachment; filename="{file["name"]}"'
        file["contentUrl"] = file["name"]
        (tmp_path / file["name"]).write_bytes(b"".join(download.streaming_content))
    (tmp_path / "croissant.json").write_text(json.dumps(description))

    # Here, because it imports pandas and much else.
    import mlcroissant

    data_set = mlcroissant.Dataset(jsonld=tmp_path / "croissant.json")
    assert not data_set.metadata.ctx.issues.errors
    assert data_set.metadata.ctx.is_live_dataset
    assert data_set.metadata.name == name
    assert data_set.metadata.description.startswith(text)
    assert [row["articles/text"].decode() for row in data_set.records("articles")] == [article.text]
    assert [row["annotations/text"] for row in data_set.records("annotations")] == [b"CDH1"]


@pytest.mark.parametrize("who", [None, "admin_user"])
def test_it_describes_no_blind_corpus(client, corpus, article, request, who):
    if who:
        client.force_login(request.getfixturevalue(who))
    corpus.delete()
    hide_article(article, Corpus.objects.create(slug="small", name="Blind test", blind=True))
    assert client.get(ADDRESS).status_code == 404
