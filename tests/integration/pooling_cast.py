"""A challenge about evidence passages in sight: two articles, what two servers say of them, two judges."""

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.utils import timezone

from annotations.articles.models import Article, Corpus, CorpusArticle
from annotations.schema import AnnotationData, Kind
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.setup import creation
from evaluation.measures.passages import Verdict
from evaluation.pooling.collection import add_run_passages_to_open_pool
from evaluation.pooling.judgements import store_judgement_and_demote_other_best
from evaluation.pooling.judges import add_or_change_noncompeting_judge_and_mail
from evaluation.pooling.models import Pool
from evaluation.scoring.run_scores import compute_and_store_run_scores
from tests.integration.evaluation_cast import answer, create_listed_challenge, hide_article, make_server

A, B, C = "P12830", "P35222", "P04637"
TEXTS = {
    301: "Cadherin and catenin\nCadherin binds catenin. Both are proteins.  They meet at the membrane.",
    302: "More of cadherin\nNothing is known of p53. Cadherin forms complexes with p53 in mice.",
}
BINDS, PROTEINS, MEET = "Cadherin binds catenin.", "Both are proteins.", "They meet at the membrane."
NOTHING, FORMS = "Nothing is known of p53.", "Cadherin forms complexes with p53 in mice."
BEST, RELEVANT, NOT = Verdict(True, True), Verdict(True, False), Verdict(False, False)
# What both judges say in the end.
VERDICTS = {BINDS: BEST, PROTEINS: NOT, MEET: RELEVANT, NOTHING: NOT, FORMS: BEST}


def passage(text, a=A, b=B, **values):
    return AnnotationData(Kind.PASSAGE, database="uniprot", identifier=a, partner=b, text=text, **values)


def make_pool_challenge(organizer, blind=False):
    corpus = Corpus.objects.create(slug="two", name="Two", blind=blind)
    for position, (pmid, text) in enumerate(TEXTS.items(), 1):
        title, _, body = text.partition("\n")
        passages = [{"type": "title", "text": title}, {"type": "abstract", "text": body}]
        article = Article.objects.create(pmid=pmid, passages=passages, text=text, content_hash=f"{pmid:064d}")
        if blind:
            hide_article(article, corpus, position)
        else:
            CorpusArticle.objects.create(corpus=corpus, article=article, position=position)
    challenge = create_listed_challenge("Pooled challenge", "pooled", "Which sentence says it?", organizer)
    creation.create_task(challenge, "ISS", Kind.PASSAGE, "Interaction sentences")
    return challenge, corpus


def make_phase(organizer, sort="training", blind=False):
    challenge, corpus = make_pool_challenge(organizer, blind)
    return creation.create_phase_claiming_blind_corpus(challenge, sort, corpus)


def make_run(team, phase, slug, said):
    """A server's run, {PMID: findings}."""
    (run,) = enter_eligible_server_and_enqueue_articles(make_server(team, slug, kinds=(Kind.PASSAGE,)), phase)
    for pmid, findings in said.items():
        answer(run, pmid, findings)
    return run


def first_run(team, phase):
    """The best passage of the first pair at rank 2; white space differs from what the other run says."""
    said = {
        301: [passage(PROTEINS, rank=1), passage("Cadherin binds\ncatenin.", B, A, rank=2)],
        302: [passage(NOTHING, A, C, rank=1)],
    }
    return make_run(team, phase, "first", said)


def second_run(team, phase):
    said = {
        301: [passage(BINDS, confidence=0.9), passage("They meet at the\tmembrane.", confidence=0.4)],
        302: [passage(FORMS, C, A, confidence=0.8)],
    }
    return make_run(team, phase, "second", said)


def make_judges(*names):
    """People with confirmed addresses."""
    people = [get_user_model().objects.create_user(name, f"{name}@example.org", "x") for name in names]
    EmailAddress.objects.bulk_create(
        EmailAddress(user=person, email=person.email, verified=True, primary=True) for person in people
    )
    return people


def make_pool(phase, *judges):
    add_run_passages_to_open_pool(phase.challenge.tasks.get(), phase)
    pool = Pool.objects.select_related("task", "phase__corpus", "phase__challenge").get()
    for judge in judges:
        add_or_change_noncompeting_judge_and_mail(pool, judge, adjudicates=False)
    return pool


def judge_all(pool, *judges, verdicts=VERDICTS):
    for judge in judges:
        for each in pool.passages.order_by("pk"):
            store_judgement_and_demote_other_best(
                each, verdicts[each.passage], judge, timezone.now(), shown=None, adjudicates=False
            )


def compute_run_figures(run):
    return compute_and_store_run_scores(run).figures
