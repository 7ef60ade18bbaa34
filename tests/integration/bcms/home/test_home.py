"""The start page, the search, the manual, log-in and the error pages."""

import html
import re
import xmlrpc.client
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.urls import path
from django.utils import timezone
from django.utils.html import strip_tags

from annotations.annotation_rules import list_broken_annotation_rules
from annotations.articles.models import Article, Corpus, CorpusArticle
from annotations.results.article_summaries import update_summaries_returning_whether_more_remain
from annotations.results.models import ArticleSummary, Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.rule_registry import ANNOTATION_RULES
from annotations.schema import AnnotationData, Kind, Span, make_mention
from bcms.article_page.text.marked_text import get_text_of_parts
from bcms.manual.protocol_examples import BCMS_PART_FIELDS
from bcms.urls import urlpatterns as site
from evaluation.challenges.models import Challenge, Phase
from evaluation.measures.registry import MEASURES
from servers.availability.models import Figures
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from servers.protocols.answer_fields import ANSWER_RULES
from servers.protocols.bcms_xmlrpc import FIELD_ORDERS, parse_bcms_answer_noting_faults
from servers.registry.models import Server


def read_page_text(response):
    return re.sub(r"\s+", " ", strip_tags(response.content.decode()))


def make_articles(count):
    return Article.objects.bulk_create(
        Article(
            pmid=20000000 + number,
            passages=[{"type": "title", "text": f"Kinase {number} <b>binds</b> TNF"}],
            text=f"Kinase {number} <b>binds</b> TNF",
            content_hash=str(number),
        )
        for number in range(count)
    )


def test_it_tells_a_visitor_what_is_here(client, article, server):
    corpus = Corpus.objects.create(slug="reading", name="Reading", featured=True)
    CorpusArticle.objects.create(corpus=corpus, article=article, position=0)
    Challenge.objects.create(state="listed", name="Demo challenge", slug="demo")
    store_results_superseding_earlier(
        article, contents.get_or_create_queue_and_producer(server, QueueMode.LIVE).producer, {Kind.MENTION: []}
    )
    update_summaries_returning_whether_more_remain()
    words = read_page_text(client.get("/"))
    assert "GeneDict Team Alpha offline" in words
    assert "Demo challenge" in words
    assert "Loss of CDH1 releases CTNNB1" in words
    assert "annotated by 1 server" in words


def test_it_says_how_far_each_challenge_is(client, db):
    demo = Challenge.objects.create(state="listed", name="Demo challenge", slug="demo")
    demo.tasks.create(name="ACT", kind=Kind.CLASSIFICATION, title="Relevant or not", primary="mcc")
    Challenge.objects.create(state="listed", name="Later challenge", slug="later")
    corpus = Corpus.objects.create(slug="training", name="Training")
    now = timezone.now()
    hour = timedelta(hours=1)
    demo.phases.create(sort="training", corpus=corpus, opens=now - hour, closes=now, published=now)
    demo.phases.create(sort="test", corpus=corpus, opens=now + hour)
    for page in ("/", "/challenges/"):
        words = read_page_text(client.get(page))
        assert "Demo challenge ACT training closed, published test not open yet" in words
        assert "Later challenge no phases yet" in words
    demo.phases.filter(sort="test").update(opens=now)
    assert "test open" in read_page_text(client.get("/"))


def test_it_is_a_page_before_anything_is_loaded(client, db):
    words = read_page_text(client.get("/"))
    assert "No servers are registered yet." in words
    assert "No articles are selected. All articles" in words


def test_it_does_not_offer_the_articles_of_a_challenge_to_read(client, article):
    corpus = Corpus.objects.create(slug="training", name="Training")
    CorpusArticle.objects.create(corpus=corpus, article=article, position=0)
    Phase.objects.create(
        challenge=Challenge.objects.create(state="listed", name="Demo", slug="demo"), sort="training", corpus=corpus
    )
    assert "Loss of CDH1" not in read_page_text(client.get("/"))


def list_offered(client):
    return re.findall(r'href="/articles/(\d+)/"', client.get("/").content.decode())


def test_it_offers_each_article_of_featured_corpora_once_in_their_order(client, db):
    one, two, three = make_articles(3)
    for slug, articles in (("first", (two, one)), ("second", (one, three))):
        corpus = Corpus.objects.create(slug=slug, name=slug, featured=True)
        for position, article in enumerate(articles):
            CorpusArticle.objects.create(corpus=corpus, article=article, position=position)
    assert list_offered(client) == ["20000000", "20000001", "20000002"]


def test_it_does_not_let_organizers_decide_what_visitors_see_first(client, server):
    annotated, organized = make_articles(2)
    corpus = Corpus.objects.create(slug="mine", name="Mine")
    CorpusArticle.objects.create(corpus=corpus, article=organized, position=0)
    producer = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE).producer
    store_results_superseding_earlier(annotated, producer, {Kind.MENTION: []})
    assert list_offered(client) == ["20000000"]
    call_command("feature_corpus", "mine")
    assert list_offered(client) == ["20000001"]
    call_command("feature_corpus", "mine", "--remove")
    assert list_offered(client) == ["20000000"]


def test_it_offers_what_accepted_servers_annotated_last(client, server, team):
    first, second, junk = make_articles(3)
    stranger = Server.objects.create(team=team, name="New", slug="new", url="http://127.0.0.1:9/", kinds=["mention"])
    for article, by in ((second, server), (first, server), (junk, stranger)):
        producer = contents.get_or_create_queue_and_producer(by, QueueMode.LIVE).producer
        store_results_superseding_earlier(article, producer, {Kind.MENTION: []})
    assert list_offered(client) == ["20000000", "20000001"]


@pytest.mark.parametrize("slug", ["nowhere", "hidden"])
def test_it_features_public_corpora_only(slug, db):
    Corpus.objects.create(slug="hidden", name="Hidden", blind=True)
    with pytest.raises(CommandError):
        call_command("feature_corpus", slug)
    assert not Corpus.objects.filter(featured=True).exists()


def test_it_shows_that_a_running_server_is_down(client, server):
    Server.objects.filter(pk=server.pk).update(state="online")
    Figures.objects.create(server=server, window="24h", until=timezone.now(), down_now=True)
    assert "GeneDict Team Alpha online down" in read_page_text(client.get("/"))


def test_it_takes_the_same_number_of_queries_however_much_there_is(client, server, django_assert_num_queries):
    corpus = Corpus.objects.create(slug="reading", name="Reading", featured=True)
    for position, one in enumerate(make_articles(12)):
        CorpusArticle.objects.create(corpus=corpus, article=one, position=position)
    other = Corpus.objects.create(slug="other", name="Other")
    for slug in ("one", "two"):
        challenge = Challenge.objects.create(state="listed", name=slug, slug=slug)
        challenge.phases.create(sort="training", corpus=other)
    with django_assert_num_queries(7):
        client.get("/")


ABSTRACT = "TNF binds TP53. " * 40


@pytest.fixture
def annotated(team):
    """An article of which two servers mark the first word of the abstract, and one the rest."""
    text = f"About TNF <i>and</i> others\n{ABSTRACT}"
    passages = [{"type": "title", "text": text.partition("\n")[0]}, {"type": "abstract", "text": ABSTRACT}]
    article = Article.objects.create(pmid=30000000, passages=passages, text=text, content_hash="3", journal="J Cell")
    places = [found.span() for found in re.finditer("TNF|TP53", text)]
    mentions = [AnnotationData(Kind.MENTION, start=start, end=end, text=text[start:end]) for start, end in places]
    for name, own in (("One", mentions), ("Two", mentions[:2])):
        server = Server.objects.create(
            **{"team": team, "name": name, "slug": name.lower(), "url": "http://127.0.0.1:9/", "kinds": ["mention"]},
            review="accepted",
        )
        producer = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE).producer
        store_results_superseding_earlier(article, producer, {Kind.MENTION: own})
    update_summaries_returning_whether_more_remain()
    return article


def test_it_shows_the_heat_map_of_an_article(client, annotated):
    page = client.get("/").content.decode()
    sample = page.partition("<blockquote>")[2].partition("</figure>")[0]
    assert re.findall(r'data-n="(\d)"[^>]*>(\w+)<', sample)[:3] == [("4", "TNF"), ("4", "TNF"), ("1", "TP53")]
    assert "About" in sample
    assert "&lt;i&gt;and&lt;/i&gt;" in sample
    assert 'href="/articles/30000000/?kind=mention&amp;mention=6-9#mention"' in sample
    # Sentences, and not the whole abstract.
    assert 300 < len(read_sample_text(sample)) < 420 + 80
    assert "The more of 2 servers mark a word" in sample


def test_it_shows_the_article_on_which_servers_agree(client, annotated, team):
    """Not the one that most servers have annotated, each in another way."""
    producers = [
        contents.get_or_create_queue_and_producer(each, QueueMode.LIVE).producer for each in team.servers.all()
    ]
    third = Server.objects.create(
        **{"team": team, "name": "Three", "slug": "three", "url": "http://127.0.0.1:9/", "kinds": ["mention"]},
        review="accepted",
    )
    producers.append(contents.get_or_create_queue_and_producer(third, QueueMode.LIVE).producer)
    text = "TNF and TP53 and CDH1\nAll of them bind."
    passages = [
        {"type": kind, "text": line} for kind, line in zip(("title", "abstract"), text.split("\n"), strict=True)
    ]
    articles = [
        Article.objects.create(pmid=pmid, passages=passages, text=text, content_hash=str(pmid))
        for pmid in (30000001, 30000002)
    ]
    words = [
        AnnotationData(Kind.MENTION, start=found.start(), end=found.end(), text=found[0])
        for found in re.finditer("TNF|TP53|CDH1", text)
    ]
    for producer, word in zip(producers, words, strict=True):
        store_results_superseding_earlier(articles[1], producer, {Kind.MENTION: [word]})
    for producer in producers[:2]:
        store_results_superseding_earlier(articles[0], producer, {Kind.MENTION: words})
    update_summaries_returning_whether_more_remain()
    assert client.get("/").context["sample"].ident == "30000001"


def test_it_leads_to_the_whole_of_a_mention_in_parts(client, annotated):
    producer = annotated.results.first().producer
    parts = [Span(6, 9), Span(18, 22)]
    store_results_superseding_earlier(
        annotated, producer, {Kind.MENTION: [make_mention(parts, get_text_of_parts(annotated.text, parts))]}
    )
    assert "mention=6-9.18-22#mention" in client.get("/").content.decode()


def test_it_shows_no_heading_in_place_of_a_text(client, annotated):
    Article.objects.update(passages=[annotated.passages[0], {"type": "heading", "text": ABSTRACT}])
    assert "sample card" not in client.get("/").content.decode()


def test_it_cuts_a_long_sentence_between_words(client, annotated):
    passages = [annotated.passages[0], {"type": "abstract", "text": ABSTRACT.replace(".", ",")}]
    Article.objects.update(passages=passages, text="\n".join(each["text"] for each in passages))
    beginning = read_sample_text(client.get("/").content.decode().partition("<blockquote>")[2])
    assert beginning.endswith(("TNF …", "binds …", "TP53, …"))
    assert len(beginning) < 500


def read_sample_text(sample):
    return re.sub("<[^>]*>", "", sample.partition("</blockquote>")[0])


def test_it_shows_no_heat_map_of_one_server(client, annotated):
    Producer.objects.filter(queue__server__name="Two").update(public=False)
    ArticleSummary.objects.update(servers=1)
    page = client.get("/").content.decode()
    assert "<blockquote>" not in page
    assert "Many annotation servers, one view" in page


def test_it_shows_a_visitor_no_heat_map_of_servers_that_are_not_accepted(client, annotated):
    Producer.objects.update(public=False)
    assert "<blockquote>" not in client.get("/").content.decode()


def test_it_leads_three_ways_in(client, alice, db):
    words = read_page_text(client.get("/"))
    assert all(each in words for each in ("Read", "Take part", "Organize", "Create an account"))
    client.force_login(alice)
    assert 'href="/servers/register/"' in client.get("/").content.decode()


def test_it_logs_in_and_shows_the_team(client, team):
    response = client.post("/login/", {"login": "alice", "password": "a-long-password"}, follow=True)
    assert 'href="/teams/team-alpha/"' in response.content.decode()
    assert "Log in" in read_page_text(client.post("/logout/", follow=True))


def test_it_says_what_is_wrong_with_a_log_in(client, db):
    response = client.post("/login/", {"login": "alice", "password": "wrong"})
    assert "The username or password is wrong" in read_page_text(response)


def test_it_says_of_every_rule_in_the_code_what_it_asks_for(client, db):
    root = Path(__file__).resolve().parents[4]
    sources = [path for app in ("annotations", "servers", "evaluation") for path in (root / app).rglob("*.py")]
    codes = {code for path in sources for code in re.findall(r'"(R[1-7]\d\d)"', path.read_text(encoding="utf-8"))}
    page = client.get("/manual/rules/").content.decode()
    assert {"R101", "R204", "R301", "R401", "R421", "R505", "R510"} < codes
    assert set(re.findall(r'<tr id="(R\d{3})">', page)) == codes


def test_it_describes_every_value_of_every_part_of_an_answer():
    assert {part: {field.name for field in fields} for part, fields in BCMS_PART_FIELDS.items()} == {
        part: set(order) for part, order in FIELD_ORDERS.items()
    }


def test_its_manual_shows_messages_that_are_read_as_they_are_meant(client, db):
    _, call, said = examples(client)
    [article] = xmlrpc.client.loads(call)[0]
    assert article["text"] == f"{article['title']}\n{article['abstract']}"
    parsed = parse_bcms_answer_noting_faults(said.encode(), len(article["title"]))
    assert not parsed.broken_rules
    assert not list_broken_annotation_rules(parsed.annotations, article["text"], len(article["title"]))
    assert {finding.kind for finding in parsed.annotations} == {Kind.MENTION, Kind.TAXON, Kind.CLASSIFICATION}


def test_its_manual_shows_a_server_that_answers_by_the_rules(client, db):
    source, call, _ = examples(client)
    names = {}
    exec(compile(source.partition("\nserver = ")[0], "annotation-servers.html", "exec"), names)
    [article] = xmlrpc.client.loads(call)[0]
    answer = names["annotate"](article)
    body = xmlrpc.client.dumps((answer,), methodresponse=True).encode()
    parsed = parse_bcms_answer_noting_faults(body, len(article["title"]))
    assert [finding.text for finding in parsed.annotations] == ["p53"]
    assert not list_broken_annotation_rules(parsed.annotations, article["text"], len(article["title"]))
    assert names["annotate"]({"abstract": "Nothing."}) == {}


def examples(client):
    """The server without the kit, the call and the answer, as the manual shows them."""
    pages = [client.get(f"/manual/{slug}/").content.decode() for slug in ("annotation-servers", "protocols")]
    shown = dict(re.findall(r'<pre tabindex="0" id="([\w-]+)">(.*?)</pre>', "".join(pages), re.S))
    return [html.unescape(shown[name]) for name in ("plain-server", "call", "answer")]


def test_it_has_a_manual_made_from_the_code_that_it_describes(client, db):
    slugs = ("annotation-servers", "protocols", "rules", "measures", "runs")
    words = " ".join(read_page_text(client.get(f"/manual/{slug}/")) for slug in slugs)
    assert "BCMS XML-RPC" in words
    assert "Dictionary and rules 0.4600 0.3300 0.3843" in words
    assert all(f"{code} " in words for code in (*ANNOTATION_RULES, *ANSWER_RULES, "R301"))
    assert all(measure.title in words for measure in MEASURES if "'" not in measure.title)
    assert "tried 5 times in all, with waits of 5 s, 25 s, 2 min, 10 min" in words


def test_it_says_whether_it_is_healthy(client, db):
    assert client.get("/healthz").json() == {"database": "ok", "broker": "ok"}


def test_it_says_that_the_broker_is_gone(client, db, settings):
    settings.REDIS_URL = "redis://127.0.0.1:9/0"
    response = client.get("/healthz")
    assert response.status_code == 503
    assert response.json() == {"database": "ok", "broker": "unreachable"}


def test_it_has_a_page_for_what_is_not_there(client, db):
    response = client.get("/no/such/page")
    assert response.status_code == 404
    assert "Page not found" in read_page_text(response)
    assert "There is no task TX in a test phase of none" in read_page_text(client.get("/challenges/none/test/TX/"))
    assert "matches the given query" not in read_page_text(client.get("/challenges/none/"))


def break_down(request):
    raise RuntimeError("for the test of the error page")


urlpatterns = [*site, path("broken/", break_down)]


@pytest.mark.urls(__name__)
def test_it_says_that_a_fault_is_ours(client, db):
    client.raise_request_exception = False
    response = client.get("/broken/")
    assert response.status_code == 500
    assert "This is an error on our side" in read_page_text(response)
