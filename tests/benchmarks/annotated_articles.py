"""Made-up articles: abstracts of 250 words, annotated by servers that agree in part.

And one text of a hundred pages: 300,000 characters in 500 paragraphs, with 20,000 annotations.
"""

import hashlib
import re

from annotations.articles.models import Article
from annotations.identifiers.models import Entry
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from servers.calls.models import Call
from servers.calls.queues import contents
from servers.calls.states import CallState, QueueMode
from servers.registry.models import Server
from servers.registry.states import ServerState
from servers.teams.models import Team

GENES = {
    "TNF": ("P01375", "Tumor necrosis factor", ["TNF-alpha", "TNFA"]),
    "IL-6": ("P05231", "Interleukin-6", ["IL6", "BSF-2"]),
    "EGFR": ("P00533", "Epidermal growth factor receptor", ["ERBB1", "HER1"]),
    "CDH1": ("P12830", "Cadherin-1", ["E-cadherin", "uvomorulin"]),
    "CTNNB1": ("P35222", "Catenin beta-1", ["beta-catenin"]),
    "AKT1": ("P31749", "RAC-alpha serine/threonine-protein kinase", ["AKT", "PKB"]),
    "TP53": ("P04637", "Cellular tumor antigen p53", ["p53"]),
    "APC": ("P25054", "Adenomatous polyposis coli protein", ["DP2.5"]),
}
FILLER_WORDS = re.findall(
    r"\w+",
    "cells were treated with and the level of in lysates fell while binding to the receptor grew we asked how "
    "signals from membranes reach nuclei after loss of contacts patients showed more than controls did",
)
GENE_NAMES = [*GENES, "TNF-alpha", "E-cadherin", "beta-catenin", "p53", "AKT"]
KINDS = [Kind.MENTION, Kind.NORMALIZATION, Kind.TAXON, Kind.CLASSIFICATION]


def draw_number(*seed):
    """A number in 0..1 that is always the same for the same seed."""
    return int.from_bytes(hashlib.sha256(repr(seed).encode()).digest()[:4]) / 2**32


def make_annotated_articles(articles, servers):
    """Make so many articles and servers with all their annotations; returns the articles."""
    for symbol, (accession, name, synonyms) in GENES.items():
        Entry.objects.create(
            database="uniprot",
            identifier=accession,
            exists=True,
            name=name,
            symbol=symbol,
            synonyms=synonyms,
            taxon=9606,
        )
    Entry.objects.create(database="ncbitaxon", identifier="9606", exists=True, name="Homo sapiens", synonyms=["human"])
    team = Team.objects.create(name="Team Beta", slug="team-beta")
    queues = [make_live_queue(team, number) for number in range(servers)]
    return [annotate_article(make_article(number), queues) for number in range(articles)]


def make_live_queue(team, number):
    server = Server.objects.create(
        review="accepted",
        team=team,
        name=f"Reader {number + 1}",
        slug=f"reader-{number + 1}",
        url="http://127.0.0.1:9/",
        kinds=[kind.value for kind in KINDS],
        state=ServerState.ONLINE,
    )
    return contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)


def make_article(number):
    title = f"{make_words(number, 'title', 12)} in human tumours"
    passages = [{"type": "title", "text": title}, {"type": "abstract", "text": make_words(number, "abstract", 250)}]
    text = "\n".join(passage["text"] for passage in passages)
    return Article.objects.create(
        pmid=30000000 + number,
        passages=passages,
        text=text,
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
        journal="J Cell Ex",
        year=2021,
        metadata={"authors": ["Ada Example", "Bo Sample"]},
    )


def make_long_article(queues, paragraphs):
    """Five paragraphs make a page of 3,000 characters; four servers make 40 annotations in each, of 400 genes."""
    genes = {f"GEN{number}": f"Q{number:05}" for number in range(400)}
    Entry.objects.bulk_create(
        Entry(database="uniprot", identifier=accession, exists=True, name=f"P {symbol}", symbol=symbol, taxon=9606)
        for symbol, accession in genes.items()
    )
    passages = [{"type": "paragraph", "text": make_paragraph(number, list(genes))} for number in range(paragraphs)]
    passages.insert(0, {"type": "title", "text": "A hundred pages"})
    text = "\n".join(passage["text"] for passage in passages)
    article = Article.objects.create(
        pmid=29999999, passages=passages, text=text, content_hash=hashlib.sha256(text.encode()).hexdigest()
    )
    spans = [(found.start(), found.end(), found[0]) for found in re.finditer(r"GEN[0-9]+", text)]
    for number, queue in enumerate(queues[:4]):
        chosen = [span for span in spans if draw_number(span[0], number) < 1 - number / 8]
        mentions = [
            AnnotationData(
                Kind.MENTION, round(0.5 + draw_number(start) / 2, 3), start=start, end=end, text=name, type="gene"
            )
            for start, end, name in chosen
        ]
        named = {name: draw_number(name, number) for _, _, name in chosen}
        reported = [
            AnnotationData(Kind.NORMALIZATION, round(0.2 + 0.8 * share, 3), database="uniprot", identifier=genes[name])
            for name, share in named.items()
        ]
        store_results_superseding_earlier(
            article, queue.producer, {Kind.MENTION: mentions, Kind.NORMALIZATION: reported}, duration_seconds=2.0
        )
    return article


def make_paragraph(number, names):
    """Four sentences, about 600 characters, with a dozen genes."""
    chosen = [
        names[int(draw_number(number, i, "gene") * len(names))]
        if draw_number(number, i) < 0.12
        else FILLER_WORDS[int(draw_number(number, i, "word") * len(FILLER_WORDS))]
        for i in range(104)
    ]
    return " ".join(f"We found {' '.join(chosen[at : at + 26])}." for at in range(0, 104, 26))


def make_words(number, part, count):
    chosen = [
        GENE_NAMES[int(draw_number(number, part, i, "gene") * len(GENE_NAMES))]
        if draw_number(number, part, i) < 0.12
        else FILLER_WORDS[int(draw_number(number, part, i, "word") * len(FILLER_WORDS))]
        for i in range(count)
    ]
    return " ".join(chosen) + "."


def annotate_article(article, queues):
    for number, queue in enumerate(queues):
        annotations = {Kind.MENTION: make_mentions(article, number)}
        names = {mention.text for mention in annotations[Kind.MENTION]}
        annotations[Kind.NORMALIZATION] = make_normalizations(article, number, names)
        annotations[Kind.TAXON] = [AnnotationData(Kind.TAXON, 0.9, database="ncbitaxon", identifier="9606")]
        relevant = draw_number(article.pmid, number, "yes") < 0.7
        annotations[Kind.CLASSIFICATION] = [AnnotationData(Kind.CLASSIFICATION, 0.8, relevant=relevant)]
        call = Call.objects.create(
            queue=queue, server=queue.server, article=article, priority=Call.Priority.LIVE, state=CallState.ANSWERED
        )
        store_results_superseding_earlier(
            article, queue.producer, annotations, call_id=call.pk, duration_seconds=0.1 + number / 5
        )
    return article


def make_mentions(article, server):
    found, at = [], 0
    for word in article.text.replace("\n", " ").split(" "):
        bare = word.strip(".")
        if bare in GENE_NAMES and draw_number(article.pmid, at, server) < 0.9 - server / 10:
            confidence = round(0.5 + draw_number(at, server) / 2, 3)
            found.append(AnnotationData(Kind.MENTION, confidence, start=at, end=at + len(bare), text=bare, type="gene"))
        at += len(word) + 1
    return found


def make_normalizations(article, server, names):
    return [
        AnnotationData(
            Kind.NORMALIZATION,
            round(0.3 + 0.7 * draw_number(article.pmid, symbol, server), 3),
            database="uniprot",
            identifier=accession,
            taxon=9606,
        )
        for symbol, (accession, _, synonyms) in GENES.items()
        if names & {symbol, *synonyms}
    ]
