"""Articles, annotations and corpora by REST: what is told, who is told, and at what cost."""

import pytest

from annotations.articles.imports.article_storage import store_annotated_articles
from annotations.articles.models import Article, Corpus, CorpusArticle
from annotations.formats.articles.parsed_article import ArticleIds, ParsedArticle, TextPassage
from annotations.results.article_summaries import update_summaries_returning_whether_more_remain
from annotations.results.models import Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from annotations.search import article_search
from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.challenges.setup import creation
from evaluation.gold.models import GoldStandard
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.teams.models import Membership, Team
from tests.integration.evaluation_cast import hide_article

GENE = AnnotationData(Kind.NORMALIZATION, confidence=0.8, rank=1, database="ncbigene", identifier="999", taxon=9606)
CDH1 = AnnotationData(Kind.MENTION, confidence=0.9, start=8, end=12, text="CDH1", type="gene")


@pytest.fixture
def live(server, article):
    """GeneDict answered the article in its LIVE queue."""
    producer = get_or_create_queue_and_producer(server, QueueMode.LIVE).producer
    store_results_superseding_earlier(
        article, producer, {Kind.MENTION: [CDH1], Kind.NORMALIZATION: [GENE]}, duration_seconds=1.5
    )
    return producer


@pytest.fixture
def training(server, article):
    """GeneDict answered the same article in its TRAINING queue, which only its team may see."""
    producer = get_or_create_queue_and_producer(server, QueueMode.TRAINING, "demo").producer
    store_results_superseding_earlier(article, producer, {Kind.MENTION: []}, empty_reason="no answer in time")
    return producer


@pytest.fixture
def challenge(olga):
    challenge = Challenge.objects.create(state="listed", name="Demo", slug="demo")
    challenge.organizers.add(olga)
    return challenge


@pytest.fixture
def blind(article, challenge):
    """The article is one of a blind test set."""
    corpus = hide_article(article, Corpus.objects.create(slug="blind", name="Blind test", blind=True))
    creation.create_phase_claiming_blind_corpus(challenge, "test", corpus)
    return corpus


@pytest.fixture
def rival(django_user_model):
    """Member of another team."""
    user = django_user_model.objects.create_user("rival", "rival@example.org", "a-long-password")
    Membership.objects.create(team=Team.objects.create(name="Team Beta", slug="team-beta"), user=user)
    return user


def get(client, path, **query):
    response = client.get(f"/api/v1/{path}", query)
    assert response.status_code == 200, response.content
    return response.json()


def list_result_rows(client, article, **query):
    results = get(client, f"articles/{article.pmid}/annotations/", **query)["results"]
    return [(each["producer"]["name"], each["mode"], each["kind"]) for each in results]


def make_articles(count):
    return Article.objects.bulk_create(
        Article(
            pmid=20000000 + number,
            passages=[{"type": "title", "text": f"Kinase {number}"}],
            text=f"Kinase {number}",
            content_hash=str(number),
        )
        for number in range(count)
    )


def test_it_gives_an_article_with_its_text(client, article):
    body = get(client, "articles/10000001/")
    assert body["id"] == "10000001"
    assert body["title"] == "Loss of CDH1 releases CTNNB1"
    assert [passage["type"] for passage in body["passages"]] == ["title", "abstract"]
    assert body["text"] == article.text
    assert "opaque" not in body


def test_it_calls_an_article_without_pmid_by_its_opaque_id(client, article):
    Article.objects.update(pmid=None)
    body = get(client, f"articles/{article.opaque}/")
    assert (body["id"], body["pmid"]) == (article.opaque, None)


def test_it_finds_articles_by_their_words(client, article):
    make_articles(2)
    assert [hit["id"] for hit in get(client, "articles/", q="cadherin")["results"]] == ["10000001"]
    assert [hit["id"] for hit in get(client, "articles/", q="kinase")["results"]] == ["20000001", "20000000"]


def test_it_counts_all_that_it_finds(client, db):
    make_articles(203)
    body = get(client, "articles/", q="kinase", limit=1000)
    assert (body["count"], body["next"], body["previous"]) == (203, None, None)
    assert body["results"][-1]["id"] == "20000000"


def test_it_counts_no_more_than_the_page_and_lists_all(client, db, monkeypatch):
    monkeypatch.setattr(article_search, "MOST_COUNTED", 5)
    make_articles(8)
    body = get(client, "articles/", q="kinase")
    assert (body["count"], len(body["results"])) == (6, 8)


def test_it_finds_articles_by_what_is_said_of_them(client, article, live, training):
    make_articles(2)
    update_summaries_returning_whether_more_remain()
    for wished in ({"gene": "999"}, {"taxon": "human"}, {"server": "genedict"}, {"servers": "1"}):
        assert [hit["id"] for hit in get(client, "articles/", **wished)["results"]] == ["10000001"]
    [hit] = get(client, "articles/", gene="999", q="cdh1", year_from=2020, journal="cell")["results"]
    assert hit["standing"] == {"servers": 1, "yes": 0, "no": 0, "balance": None, "disagreement": None}
    assert get(client, "articles/", ppi="true")["count"] == 0
    assert get(client, "articles/", ppi="false")["count"] == 3


def test_it_pages_through_articles(client, db):
    make_articles(3)
    first = get(client, "articles/", limit="2")
    assert (first["count"], len(first["results"])) == (3, 2)
    last = client.get(first["next"]).json()
    assert ([hit["id"] for hit in last["results"]], last["next"]) == (["20000000"], None)
    assert client.get(last["previous"]).json()["results"] == first["results"]


@pytest.mark.parametrize("query", [{"limit": "9" * 40}, {"limit": "-1"}, {"limit": "0"}, {"limit": "x"}])
def test_it_refuses_pages_that_are_not_there(client, article, query):
    assert client.get("/api/v1/articles/", query).status_code == 400


@pytest.mark.parametrize("path", ["articles/", "export/ndjson/"])
def test_it_refuses_a_filter_that_there_is_not(client, article, path):
    response = client.get(f"/api/v1/{path}", {"geen": "TP53"})
    assert response.status_code == 400
    [fault] = response.json()["errors"]
    assert fault["loc"] == "geen"
    assert fault["message"].startswith("Unknown parameter. The parameters are q, id, journal,")


@pytest.mark.parametrize("words", ["\0", "x" * 501])
def test_it_refuses_words_that_no_text_can_hold(client, db, words):
    response = client.get("/api/v1/articles/", {"q": words})
    assert response.status_code == 400
    assert response.json()["errors"][0]["loc"] == "q"


def test_it_gives_annotations_by_producer_and_kind(client, article, live):
    body = get(client, "articles/10000001/annotations/")
    mention, gene = body["results"]
    assert body["text_version"] == 1
    assert (mention["producer"]["name"], mention["producer"]["sort"]) == ("GeneDict", "server")
    assert (mention["server"], mention["mode"], mention["kind"]) == ("genedict", "live", "mention")
    assert mention["duration"] == 1.5
    [found] = mention["annotations"]
    assert (found["start"], found["end"], found["text"], found["confidence"]) == (8, 12, "CDH1", 0.9)
    assert article.text[found["start"] : found["end"]] == "CDH1"
    [found] = gene["annotations"]
    assert (found["database"], found["identifier"], found["taxon"], found["rank"]) == ("ncbigene", "999", 9606, 1)


@pytest.fixture
def rewritten(article, live):
    """Its text is another since GeneDict answered; who has answered anew says something else."""
    title = TextPassage("title", "Loss of E-cadherin")
    store_annotated_articles([ParsedArticle(ArticleIds(article.pmid), (title,))])
    reader = Producer.objects.create(sort="author", name="Reader", public=True)
    found = AnnotationData(Kind.MENTION, start=8, end=18, text="E-cadherin")
    store_results_superseding_earlier(Article.objects.get(), reader, {Kind.MENTION: [found]})
    return article


def test_it_gives_the_texts_that_an_article_had(client, rewritten):
    present = get(client, "articles/10000001/")
    assert (present["text_version"], present["older_texts"], present["title"]) == (2, [1], "Loss of E-cadherin")
    assert get(client, "articles/10000001/", text=2) == present
    older = get(client, "articles/10000001/", text=1)
    assert (older["text_version"], older["older_texts"], older["text"]) == (1, [1], rewritten.text)
    assert [passage["type"] for passage in older["passages"]] == ["title", "abstract"]


def test_it_gives_what_was_said_of_an_older_text(client, rewritten, live):
    assert list_result_rows(client, rewritten) == [("Reader", "", "mention")]
    older = [("GeneDict", "live", "mention"), ("GeneDict", "live", "normalization")]
    assert list_result_rows(client, rewritten, text=1) == older
    store_results_superseding_earlier(Article.objects.get(), live, {Kind.MENTION: [], Kind.NORMALIZATION: []})
    assert list_result_rows(client, rewritten, text=1) == older
    for path in ("annotations/", "consensus/"):
        assert get(client, f"articles/10000001/{path}", text=1)["text_version"] == 1
    assert get(client, "articles/10000001/entries/")["entries"] == []
    assert [own["identifier"] for own in get(client, "articles/10000001/entries/", text=1)["entries"]] == ["999"]
    assert get(client, "articles/10000001/mentions/8-12/", text=1)["servers"] == ["genedict"]
    assert client.get("/api/v1/articles/10000001/mentions/8-12/").status_code == 404
    [mentions] = get(client, "articles/10000001/consensus/", text=1, kind="mention")["results"]
    assert [(own["start"], own["end"]) for own in mentions["annotations"]] == [(8, 12)]


def test_it_says_which_texts_are_not_there(client, rewritten):
    for path in ("articles/10000001/", "articles/10000001/annotations/"):
        for version, status in (("3", 404), ("one", 400), ("0", 400), ("9" * 30, 400)):
            assert client.get(f"/api/v1/{path}", {"text": version}).status_code == status
    reply = client.get("/api/v1/articles/10000001/?text=3")
    assert "The article lists the kept versions in older_texts" in reply.json()["detail"]


def test_it_gives_current_results_only(client, article, live):
    store_results_superseding_earlier(article, live, {Kind.MENTION: []})
    mention, _ = get(client, "articles/10000001/annotations/")["results"]
    assert mention["annotations"] == []


def test_it_filters_by_kind_and_by_server(client, article, live):
    assert list_result_rows(client, article, kind="mention") == [("GeneDict", "live", "mention")]
    assert len(list_result_rows(client, article, server="genedict")) == 2


def test_it_says_that_a_server_is_unknown(client, article):
    reply = client.get("/api/v1/articles/10000001/annotations/", {"server": "another"})
    assert reply.status_code == 400
    assert "There is no server “another”" in reply.json()["errors"][0]["message"]


def test_it_refuses_an_unknown_kind(client, article):
    body = client.get("/api/v1/articles/10000001/annotations/", {"kind": "verb"}).json()
    assert "choose one of mention, normalization" in body["errors"][0]["message"]


@pytest.mark.parametrize("who", [None, "carol", "rival", "olga"])
def test_it_hides_training_results_from_all_but_the_team(client, article, live, training, request, who):
    if who:
        client.force_login(request.getfixturevalue(who))
    assert {mode for _, mode, _ in list_result_rows(client, article)} == {"live"}


def test_it_shows_training_results_to_the_team(client, article, live, training, alice):
    client.force_login(alice)
    body = get(client, "articles/10000001/annotations/", kind="mention")
    assert [(each["mode"], each["empty_reason"]) for each in body["results"]] == [
        ("live", ""),
        ("training", "no answer in time"),
    ]


def test_it_shows_a_gold_standard_to_its_organizer_only(client, article, challenge, alice, olga):
    gold = Producer.objects.create(sort="gold", name="Gold")
    store_results_superseding_earlier(
        article, gold, {Kind.TAXON: [AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="10090")]}
    )
    corpus = Corpus.objects.create(slug="training", name="Training")
    phase = Phase.objects.create(challenge=challenge, sort="training", corpus=corpus)
    task = Task.objects.create(challenge=challenge, name="TX", kind=Kind.TAXON, primary="macro_f1")
    GoldStandard.objects.create(task=task, phase=phase, producer=gold)
    assert list_result_rows(client, article) == []
    client.force_login(alice)
    assert list_result_rows(client, article) == []
    client.force_login(olga)
    assert list_result_rows(client, article) == [("Gold", "", "taxon")]


@pytest.mark.parametrize("who", [None, "carol", "alice", "rival"])
def test_it_hides_blind_articles(client, article, live, blind, request, who):
    if who:
        client.force_login(request.getfixturevalue(who))
    for name in ("10000001", article.opaque):
        assert client.get(f"/api/v1/articles/{name}/").status_code == 404
        assert client.get(f"/api/v1/articles/{name}/annotations/").status_code == 404
    assert get(client, "articles/")["count"] == 0
    assert get(client, "articles/", q="cadherin")["count"] == 0
    assert get(client, "corpora/")["count"] == 0
    assert client.get("/api/v1/corpora/blind/").status_code == 404


def test_it_shows_blind_articles_to_the_organizer(client, article, live, blind, olga):
    client.force_login(olga)
    shown = get(client, f"articles/{article.opaque}/")
    assert (shown["id"], shown["pmid"]) == (article.opaque, None)
    assert get(client, "corpora/blind/")["articles"] == ["10000001"]


def test_it_lists_a_corpus_in_its_order(client, db):
    corpus = Corpus.objects.create(slug="reading", name="Reading")
    for position, one in enumerate(reversed(make_articles(3))):
        CorpusArticle.objects.create(corpus=corpus, article=one, position=position)
    assert get(client, "corpora/")["results"][0]["number_of_articles"] == 3
    assert get(client, "corpora/reading/")["articles"] == ["20000002", "20000001", "20000000"]


@pytest.mark.parametrize(
    ("path", "queries"),
    [("articles/", 3), ("articles/?q=kinase&sort=newest", 3), ("corpora/", 2), ("corpora/reading/", 2)],
)
def test_it_takes_the_same_number_of_queries_however_much_there_is(
    client, db, django_assert_num_queries, path, queries
):
    for slug in ("reading", "more", "most"):
        Corpus.objects.create(slug=slug, name=slug)
    for position, one in enumerate(make_articles(12)):
        CorpusArticle.objects.create(corpus=Corpus.objects.get(slug="reading"), article=one, position=position)
    with django_assert_num_queries(queries):
        client.get(f"/api/v1/{path}")


def test_it_reads_annotations_with_fixed_queries(client, article, live, training, django_assert_num_queries):
    for number in range(5):
        producer = Producer.objects.create(sort="consensus", name=f"Consensus {number}", public=True)
        store_results_superseding_earlier(article, producer, {Kind.MENTION: [CDH1]})
    with django_assert_num_queries(8):
        assert len(list_result_rows(client, article)) == 7
    store_annotated_articles([ParsedArticle(ArticleIds(article.pmid), (TextPassage("title", "Another"),))])
    with django_assert_num_queries(9):
        assert len(list_result_rows(client, article, text=1)) == 7
