"""Articles that curators label and passages that they judge, both half done and with conflicts."""

from django.utils import timezone

from evaluation.challenges.models import Challenge
from evaluation.labelling import curators
from evaluation.labelling.models import Labeller
from evaluation.labelling.session import timed_labels
from evaluation.pooling.judgements import store_judgement_and_demote_other_best
from evaluation.pooling.judges import add_or_change_noncompeting_judge_and_mail
from tests.integration import pooling_cast as pooling
from tests.integration.evaluation.labelling.test_labelling import label_articles


def make_differing_labellers(challenge: Challenge, carol, dan) -> tuple[Labeller, Labeller]:
    """Two curators who label the articles of the development phase and differ about some; the second has paused."""
    corpus = challenge.phases.get(sort="development").corpus
    labelling = curators.begin_labelling_claiming_blind_corpus(
        challenge, corpus, order="given", again_every=0, guideline="Binding counts."
    )
    own, other = (curators.add_and_mail_or_readmit_curator(labelling, user) for user in (carol, dan))
    label_articles(own, "yynyn")
    label_articles(other, "ynnys")
    timed_labels.stop_clock_and_hide_article(other.pk, timezone.now())
    return own, other


def make_adjudicated_pool(team, olga, carol, finn, eve) -> None:
    """Passages of two servers; carol and finn differ about the first, on which eve decides."""
    phase = pooling.make_phase(olga)
    pooling.first_run(team, phase)
    pooling.second_run(team, phase)
    pool = pooling.make_pool(phase, carol, finn)
    add_or_change_noncompeting_judge_and_mail(pool, eve, adjudicates=True)
    one, two, *_ = pool.passages.order_by("pk")
    for judge, passage, verdict in (
        (carol, one, pooling.BEST),
        (finn, one, pooling.NOT),
        (carol, two, pooling.RELEVANT),
        (finn, two, pooling.RELEVANT),
    ):
        store_judgement_and_demote_other_best(passage, verdict, judge, timezone.now(), shown=None, adjudicates=False)
