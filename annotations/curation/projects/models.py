"""Projects in which several people curate the articles of a corpus."""

from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotations.articles.models import Corpus
from annotations.curation.projects.questions import SCALED_QUESTIONS


class ProjectHelp(models.TextChoices):
    """What the curators of a project see while they work."""

    SYSTEMS = "systems", "what annotation servers propose"
    NONE = "none", "the article only"
    RANDOM = (
        "random",
        "what annotation servers propose in one half of their articles, by random assignment (an experiment)",
    )


class CurationProject(models.Model):
    """The curation of a corpus by several people, with an outcome.

    recipe: what is proposed, as the values of bcms.curation.proposals.ProposalRecipe by name; empty for its defaults.
    outcome: the curator whose curations are the decided records. adjudicators: who decide besides the owner. golds: the
    ids of the evaluation.GoldStandards that were made of the outcome; no foreign keys, because this app does not depend
    on evaluation. arm_seed: of the random draws of an experiment, None without one. closed: nothing is assigned or
    curated any more.
    """

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="owned_curation_projects"
    )
    adjudicators: "models.ManyToManyField[Any, Any]" = models.ManyToManyField(
        settings.AUTH_USER_MODEL, blank=True, related_name="adjudicated_curation_projects"
    )
    name = models.CharField(max_length=100)
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="curation_projects")
    guideline = models.TextField(blank=True, help_text="what to curate and how; shown beside every article")
    help = models.CharField(max_length=7, choices=ProjectHelp.choices, default=ProjectHelp.SYSTEMS)
    arm_seed = models.PositiveIntegerField(null=True, blank=True)
    recipe = models.JSONField(default=dict, blank=True)
    outcome = models.OneToOneField("annotations.Curator", on_delete=models.PROTECT, related_name="outcome_of")
    golds: "models.Field[list[int], list[int]]" = ArrayField(models.BigIntegerField(), default=list, blank=True)
    created = models.DateTimeField(db_default=Now())
    closed = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name


class AgreedDecision(models.Model):
    """That the decision of a curator on a proposed item agrees with the outcome of the project, as it was published.

    publication: of the outcome as the digital abstract of its article. gold: the id of the evaluation.GoldStandard that
    was made of the outcome; no foreign key, because this app does not depend on evaluation. It has one of the two.
    """

    item = models.ForeignKey("annotations.DecidedItem", on_delete=models.CASCADE, related_name="agreed_with")
    publication = models.ForeignKey(
        "annotations.PublishedAbstract",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="agreed_decisions",
    )
    gold = models.BigIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(publication__isnull=True, gold__isnull=False)
                | Q(publication__isnull=False, gold__isnull=True),
                name="agreed_with_publication_or_gold",
            )
        ]
        indexes = [models.Index(fields=["gold"], name="agreed_decision_of_gold")]

    def __str__(self) -> str:
        return f"agreement on {self.item_id}"


class QuestionnaireReply(models.Model):
    """What a curator answered after an article of an experiment, or an author after a manuscript, once.

    answers: of each question with a scale (annotations/curation/projects/questions.py), None where there is none.
    """

    curation = models.OneToOneField(
        "annotations.Curation", on_delete=models.CASCADE, related_name="questionnaire_reply"
    )
    answers: "models.Field[list[int | None], list[int | None]]" = ArrayField(
        models.PositiveSmallIntegerField(null=True, blank=True), size=len(SCALED_QUESTIONS)
    )
    comment = models.TextField(blank=True)
    stored = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"answers on {self.curation_id}"

    @property
    def is_skipped(self) -> bool:
        return not self.comment and not any(self.answers)
