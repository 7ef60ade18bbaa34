"""A challenge in sight: four articles, two tasks, and what two servers say of them."""

from django.db.models import Q
from django.db.models.functions import Now

from annotations.articles.models import Article, ArticleSnapshot, Corpus, CorpusArticle
from annotations.articles.snapshots import IDENTIFYING_FIELDS
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from evaluation.challenges.models import Challenge, ChallengeState, Phase
from evaluation.challenges.setup import creation
from evaluation.challenges.states.transitions import change_challenge_state
from evaluation.gold import storage
from servers.registry.models import Server

PMIDS = (101, 102, 103, 104)
ACT_GOLD = b"101\t1\n102\t1\n103\t0\n104\t0\n"
TX_GOLD = b"101\t9606\n102\t10090\n102\t9606\n103\t10116\n"


def make_corpus(slug="four", pmids=PMIDS, blind=False):
    corpus = Corpus.objects.create(slug=slug, name=slug.title(), blind=blind)
    for position, pmid in enumerate(pmids, 1):
        passages = [{"type": "title", "text": f"Article {pmid}"}]
        article = Article.objects.create(
            pmid=pmid, doi=f"10.1000/{pmid}", passages=passages, text=f"Article {pmid}", content_hash=f"{pmid:064d}"
        )
        _add_to_corpus(article, corpus, position, blind=blind)
    return corpus


def write_pubtator(texts, /, **lines):
    """A file of all texts, {pmid: (title, abstract)}, with these lines of each, {_PMID: lines without the id}."""
    added = {pmid: "".join(f"{pmid}\t{line}\n" for line in lines.get(f"_{pmid}", ())) for pmid in texts}
    heads = {pmid: f"{pmid}|t|{title}\n{pmid}|a|{abstract}\n" for pmid, (title, abstract) in texts.items()}
    return "\n".join(heads[pmid] + added[pmid] for pmid in texts).encode()


def make_corpus_of_texts(slug, texts, *, blind=False):
    """A corpus of abstracts, {pmid: (title, abstract)}."""
    corpus = Corpus.objects.create(slug=slug, name=slug.title(), blind=blind)
    for position, (pmid, (title, abstract)) in enumerate(texts.items(), 1):
        passages = [{"type": "title", "text": title}, {"type": "abstract", "text": abstract}]
        text = f"{title}\n{abstract}"
        article = Article.objects.create(pmid=pmid, passages=passages, text=text, content_hash=f"{pmid:064d}")
        _add_to_corpus(article, corpus, position, blind=blind)
    return corpus


def _add_to_corpus(article, corpus, position, *, blind):
    if blind:
        hide_article(article, corpus, position)
    else:
        CorpusArticle.objects.create(corpus=corpus, article=article, position=position)


def create_listed_challenge(name, slug, description, organizer):
    """A challenge that everybody sees and reviewers accepted, as most tests need it; new ones are unreviewed drafts."""
    challenge = creation.create_challenge(name, slug, description, organizer)
    change_challenge_state(challenge, ChallengeState.LISTED)
    Challenge.objects.filter(pk=challenge.pk).update(review="accepted")
    challenge.review = "accepted"
    return challenge


def hide_article(article, corpus=None, position=1):
    """The article becomes a snapshot in a blind corpus; there is no public article of it."""
    corpus = corpus or Corpus.objects.create(slug="hidden", name="Hidden", blind=True)
    named = {name: getattr(article, name) for name in IDENTIFYING_FIELDS}
    ArticleSnapshot.objects.create(article=article, corpus=corpus, **named)
    nameless = {name: Article._meta.get_field(name).get_default() for name in IDENTIFYING_FIELDS}
    Article.objects.filter(pk=article.pk).update(**nameless, blind=True)
    article.refresh_from_db()
    CorpusArticle.objects.create(corpus=corpus, article=article, position=position)
    return corpus


def get_article(pmid):
    """The article with this PMID, or the only snapshot of it."""
    return Article.objects.get(Q(pmid=pmid) | Q(snapshot__pmid=pmid))


def make_challenge(organizer, corpus):
    challenge = create_listed_challenge("Example challenge", "example", "What is in an article?", organizer)
    act = creation.create_task(challenge, "ACT", Kind.CLASSIFICATION, "Relevant or not", note="A stand-in for a gold.")
    tx = creation.create_task(challenge, "TX", Kind.TAXON, "Organisms")
    phase = creation.create_phase_claiming_blind_corpus(challenge, "training", corpus)
    storage.store_gold_sealed_or_open(act, phase, ACT_GOLD, "act.tsv")
    storage.store_gold_sealed_or_open(tx, phase, TX_GOLD, "tx.tsv")
    return challenge


def make_server(team, slug, kinds=(Kind.CLASSIFICATION, Kind.TAXON)):
    url = "http://127.0.0.1:9/"
    return Server.objects.create(
        review="accepted", team=team, name=slug.title(), slug=slug, url=url, kinds=[kind.value for kind in kinds]
    )


def relevant(answer, confidence=0.5):
    return [AnnotationData(Kind.CLASSIFICATION, confidence, relevant=answer)]


def species(*identifiers):
    return [
        AnnotationData(Kind.TAXON, 0.9, rank, database="ncbitaxon", identifier=i)
        for rank, i in enumerate(identifiers, 1)
    ]


def answer(run, pmid, findings, duration=None):
    article = get_article(pmid)
    store_results_superseding_earlier(article, run.producer, {Kind(run.task.kind): findings}, duration_seconds=duration)


def end(phase):
    """The phase is over from now on."""
    Phase.objects.filter(pk=phase.pk).update(closes=Now())
    phase.refresh_from_db()
