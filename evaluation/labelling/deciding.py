"""Where curators differ an organizer rules; what is decided becomes a gold standard."""

from typing import Any

from django.db import transaction

from annotations.kinds import Kind
from annotations.models import Article
from evaluation.errors import ChallengeError
from evaluation.gold import store_gold
from evaluation.labelling.models import Labelling, Ruling
from evaluation.labelling.outcome import Outcome, outcome_of
from evaluation.models import GoldStandard, Phase, Task


@transaction.atomic
def rule_on(labelling: Labelling, opaque: str, relevant: bool, by: Any, now: Any) -> None:
    """Decide an article of the corpus; an earlier ruling is kept as superseded. ChallengeError for another article."""
    article = Article.objects.filter(corpora=labelling.corpus_id, opaque=opaque).first()
    if article is None:
        raise ChallengeError(f"That is no article of {labelling.corpus}; rule on one from the list of conflicts.")
    # Two rulings at once wait for each other.
    Labelling.objects.select_for_update().get(pk=labelling.pk)
    Ruling.objects.filter(labelling=labelling, article=article, superseded__isnull=True).update(superseded=now)
    Ruling.objects.create(labelling=labelling, article=article, relevant=relevant, by=by)


def gold_lines(outcome: Outcome) -> bytes:
    """What is decided as a gold standard of ACT: the article's name, a tab, 1 or 0."""
    return "".join(f"{outcome.names[own]}\t{relevant:d}\n" for own, relevant in outcome.classes.items()).encode()


def make_gold(labelling: Labelling, task: Task, phase: Phase) -> GoldStandard:
    """Make what is decided the gold standard of a task, stored or sealed like a file that is uploaded.

    ChallengeError while an article is open, or when task or phase are not of the labelling.
    """
    if task.kind != Kind.CLASSIFICATION or task.challenge_id != labelling.challenge_id:
        raise ChallengeError(f"{task} does not ask whether an article is relevant; choose a task that does.")
    if phase.corpus_id != labelling.corpus_id or phase.challenge_id != labelling.challenge_id:
        raise ChallengeError(f"The {phase.sort} phase is of other articles; choose a phase with {labelling.corpus}.")
    outcome = outcome_of(labelling)
    if not outcome.complete:
        raise ChallengeError(
            f"{outcome.unlabelled} articles have no label and {outcome.open_conflicts} conflicts are open; "
            "have all labelled and rule on all conflicts first."
        )
    who = " and ".join(str(own.labeller) for own in outcome.curators if own.labels)
    return store_gold(task, phase, gold_lines(outcome), f"{labelling} by {who}"[:300])
