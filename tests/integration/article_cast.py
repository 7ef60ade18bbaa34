"""An article that three servers read differently, with what databases say of its genes."""

import re

from django.utils.html import strip_tags

from annotations.articles.models import Article
from annotations.articles.versions import annotate_version
from annotations.identifiers.models import Entry
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from servers.registry.models import Server
from servers.registry.states import ServerState

URL = "/articles/20000001/"
TITLE = "Loss of CDH1 in S. cerevisiae and man"
ABSTRACT = (
    "E-cadherin (CDH1) binds beta-catenin. Mouse Cdh1 was not needed (P < 0.05). "
    "CTNNB1 was lost. Without E-cadherin, beta-catenin moves."
)


def read_page_words(response):
    """What is read on the page; cells and terms stand apart."""
    content = re.sub(r"(?=</(?:td|th|dt|dd)>)", " ", response.content.decode())
    return re.sub(r"\s+", " ", strip_tags(content))


def mention(article, text, nth=0, confidence=0.8):
    start = [found.start() for found in re.finditer(re.escape(text), article.text)][nth]
    return AnnotationData(Kind.MENTION, confidence, start=start, end=start + len(text), text=text, type="gene")


def span(article, text, nth=0):
    found = mention(article, text, nth)
    return f"{found.start}-{found.end}"


def gene(identifier, confidence=None):
    return AnnotationData(Kind.NORMALIZATION, confidence, database="uniprot", identifier=identifier)


def make_read_article():
    passages = [{"type": "title", "text": TITLE}, {"type": "abstract", "text": ABSTRACT}]
    text = f"{TITLE}\n{ABSTRACT}"
    return Article.objects.create(pmid=20000001, passages=passages, text=text, content_hash="2" * 64)


def read_version(article):
    return annotate_version(Article.objects).get(pk=article.pk).version


def create_known_genes():
    named = {"ncbitaxon": [("9606", "Homo sapiens"), ("10090", "Mus musculus")]}
    for database, pairs in named.items():
        for identifier, name in pairs:
            Entry.objects.create(database=database, identifier=identifier, exists=True, name=name)
    rows = [
        ("P12830", "Cadherin-1", "CDH1", ["E-cadherin", "Uvomorulin"], 9606, "Cell membrane", "Holds cells together."),
        ("P09803", "Cadherin-1", "Cdh1", ["E-cadherin"], 10090, "", ""),
        ("P35222", "Catenin beta-1", "CTNNB1", ["Beta-catenin"], 9606, "Cytoplasm", ""),
    ]
    for identifier, name, symbol, synonyms, taxon, location, function in rows:
        Entry.objects.create(
            database="uniprot",
            identifier=identifier,
            exists=True,
            name=name,
            symbol=symbol,
            synonyms=synonyms,
            taxon=taxon,
            location=location,
            function=function,
        )


def live_queue(team, name):
    server = Server.objects.create(
        review="accepted",
        team=team,
        name=name,
        slug=name.lower(),
        url="http://127.0.0.1:9/",
        kinds=["mention", "normalization"],
        state=ServerState.ONLINE,
    )
    return contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)


def three_servers(team, article):
    """Alpha finds all, Beta much, Gamma little; their queues."""
    alpha, beta, gamma = (live_queue(team, name) for name in ("Alpha", "Beta", "Gamma"))
    everything = [mention(article, "CDH1", nth) for nth in (0, 1)]
    everything += [mention(article, "E-cadherin", nth, 0.9) for nth in (0, 1)]
    everything += [mention(article, "beta-catenin", nth, 0.6) for nth in (0, 1)]
    everything += [mention(article, "Mouse Cdh1", 0, 0.3), mention(article, "Cdh1"), mention(article, "CTNNB1")]
    said = {
        alpha: (everything, [gene("P12830", 0.9), gene("P09803", 0.4), gene("P35222", 0.7)]),
        beta: (everything[:4], [gene("P12830", 0.8), gene("P35222", 0.5)]),
        gamma: (everything[:1], [gene("P12830")]),
    }
    for queue, (mentions, genes) in said.items():
        found = {Kind.MENTION: mentions, Kind.NORMALIZATION: genes}
        store_results_superseding_earlier(
            article, queue.producer, found, duration_seconds=0.5, reply_body=b'{"said": "yes"}'
        )
    return alpha, beta, gamma


def make_article_of_three_servers(team):
    """The article, which three servers have read, and the genes that databases know."""
    article = make_read_article()
    create_known_genes()
    three_servers(team, article)
    return article
