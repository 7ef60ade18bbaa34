"""Settle the articles that curators label differently, and make the labels a gold standard."""

from datetime import datetime

from django.db import transaction

from annotations.articles.models import Article
from annotations.schema import Kind
from evaluation.challenges.models import Phase, Task
from evaluation.errors import ChallengeError
from evaluation.gold.models import GoldStandard
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.labelling.models import Labelling, Ruling
from evaluation.labelling.outcome import LabellingOutcome, load_labelling_outcome
from servers.teams.permissions import User


@transaction.atomic
def store_ruling_and_supersede_earlier(
    labelling: Labelling, opaque_article_id: str, relevant: bool, ruled_by: User, now: datetime
) -> None:
    """Store a ruling on an article, given its opaque id; an earlier ruling is superseded.

    Raises ChallengeError for an article that is not in the corpus.
    """
    article = Article.objects.filter(corpora=labelling.corpus_id, opaque=opaque_article_id).first()
    if article is None:
        raise ChallengeError(f"This article is not in {labelling.corpus}; choose one from the list of conflicts.")
    # Serialize concurrent rulings.
    Labelling.objects.select_for_update().get(pk=labelling.pk)
    Ruling.objects.filter(labelling=labelling, article=article, superseded__isnull=True).update(superseded=now)
    Ruling.objects.create(labelling=labelling, article=article, relevant=relevant, by_id=ruled_by.pk)


def format_decided_labels_tsv(outcome: LabellingOutcome) -> bytes:
    """The decided articles as a gold standard of ACT: name of the article, tab, 1 or 0."""
    return "".join(
        f"{outcome.names[article]}\t{relevant:d}\n" for article, relevant in outcome.classes.items()
    ).encode()


def store_completed_labels_as_gold(labelling: Labelling, task: Task, phase: Phase) -> GoldStandard:
    """Make the decided labels the gold standard of a task, stored or sealed like an uploaded file.

    Raises ChallengeError if an article is undecided, or task or phase do not fit the labelling.
    """
    if task.kind != Kind.CLASSIFICATION or task.challenge_id != labelling.challenge_id:
        raise ChallengeError(f"{task} does not classify articles as relevant or not; choose a task that does.")
    if phase.corpus_id != labelling.corpus_id or phase.challenge_id != labelling.challenge_id:
        raise ChallengeError(f"The {phase.sort} phase has another corpus; choose a phase with {labelling.corpus}.")
    outcome = load_labelling_outcome(labelling)
    if not outcome.complete:
        raise ChallengeError(
            f"{outcome.unlabelled} articles have no label and {outcome.open_conflicts} conflicts are open; label all "
            "articles and rule on all conflicts first."
        )
    names = " and ".join(str(curator.labeller) for curator in outcome.curators if curator.labels)
    return store_gold_sealed_or_open(task, phase, format_decided_labels_tsv(outcome), f"{labelling} by {names}"[:300])
