"""Articles that curators label and passages that they judge, both half done and with conflicts."""

from django.utils import timezone

from evaluation.challenges.models import Challenge
from evaluation.labelling import curators
from evaluation.labelling.models import Labeller
from evaluation.labelling.session import timed_labels
from evaluation.pooling.judgements import store_judgement
from evaluation.pooling.judges import add_judge
from tests.integration import pooling_cast as pooling
from tests.integration.test_labelling import read


def labelled(challenge: Challenge, carol, dan) -> tuple[Labeller, Labeller]:
    """Two curators who label the articles of the development phase and differ about some; the second has paused."""
    corpus = challenge.phases.get(sort="development").corpus
    labelling = curators.begin_labelling(challenge, corpus, order="given", again_every=0, guideline="Binding counts.")
    own, other = (curators.add_curator(labelling, user) for user in (carol, dan))
    read(own, "yynyn")
    read(other, "ynnys")
    timed_labels.pause_reading(other.pk, timezone.now())
    return own, other


def judged(team, olga, carol, finn, eve) -> None:
    """Passages of two servers; carol and finn differ about the first, on which eve decides."""
    phase = pooling.make_phase(olga)
    pooling.first_run(team, phase)
    pooling.second_run(team, phase)
    pool = pooling.make_pool(phase, carol, finn)
    add_judge(pool, eve, adjudicates=True)
    one, two, *_ = pool.passages.order_by("pk")
    for judge, passage, verdict in (
        (carol, one, pooling.BEST),
        (finn, one, pooling.NOT),
        (carol, two, pooling.RELEVANT),
        (finn, two, pooling.RELEVANT),
    ):
        store_judgement(passage, verdict, judge, timezone.now(), shown=None, adjudicates=False)
