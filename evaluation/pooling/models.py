"""Pools: the passages of all runs of a task, and how people judged them."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import MD5, Now


class Pool(models.Model):
    """The passages of a task in a phase to be judged; once closed, the judgements are the gold standard."""

    task = models.ForeignKey("evaluation.Task", on_delete=models.CASCADE, related_name="pools")
    phase = models.ForeignKey("evaluation.Phase", on_delete=models.CASCADE, related_name="pools")
    made = models.DateTimeField(db_default=Now())
    closed = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey("auth.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "phase"], name="pool_once")]

    def __str__(self) -> str:
        return f"{self.task} {self.phase}"


class PoolJudge(models.Model):
    """A judge or adjudicator appointed by an organizer.

    A judge restored from an archive has a pseudonym instead of an account, and cannot judge here. The pseudonym, such
    as "Judge 1", has a space in it, which no user name has.
    """

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="judges")
    user = models.ForeignKey("auth.User", null=True, blank=True, on_delete=models.CASCADE, related_name="judging")
    pseudonym = models.CharField(max_length=20, blank=True, default="", db_default="")
    adjudicates = models.BooleanField(default=False, db_default=False)
    named = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pool", "user"], name="pool_judge_once"),
            models.UniqueConstraint(
                fields=["pool", "pseudonym"], condition=Q(user__isnull=True), name="pool_pseudonym_once"
            ),
            models.CheckConstraint(
                condition=Q(user__isnull=False, pseudonym="") | Q(user__isnull=True) & ~Q(pseudonym=""),
                name="pool_judge_is_somebody",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.pool}"

    @property
    def name(self) -> str:
        return self.user.get_username() if self.user else self.pseudonym

    @property
    def account_or_pseudonym(self) -> int | str:
        """The key of the account, or the pseudonym of a judge without an account."""
        return self.user_id or self.pseudonym


class PooledPassage(models.Model):
    """One passage for one pair in an article. relevant and best: the final verdict, set when the pool is closed."""

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="passages")
    article = models.ForeignKey("annotations.Article", on_delete=models.PROTECT, related_name="+")
    database = models.CharField(max_length=32)
    first = models.CharField(max_length=64)
    second = models.CharField(max_length=64)
    passage = models.TextField()
    relevant = models.BooleanField(null=True, blank=True)
    best = models.BooleanField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint("pool", "article", "first", "second", MD5("passage"), name="pooled_passage_once")
        ]

    def __str__(self) -> str:
        return self.passage


class Judgement(models.Model):
    """One person's verdict on a passage, with its time and duration; earlier ones are kept as superseded."""

    passage = models.ForeignKey(PooledPassage, on_delete=models.CASCADE, related_name="judgements")
    judge = models.ForeignKey("auth.User", null=True, on_delete=models.SET_NULL, related_name="judgements")
    # The judge's pseudonym, if restored from an archive.
    pseudonym = models.CharField(max_length=20, blank=True, default="", db_default="")
    relevant = models.BooleanField()
    best = models.BooleanField()
    # An adjudication; it counts instead of the judges' verdicts.
    adjudicates = models.BooleanField(default=False, db_default=False)
    at = models.DateTimeField(db_default=Now())
    seconds = models.FloatField(
        null=True, blank=True, help_text="since the passage was shown, or since the previous judgement"
    )
    superseded = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["passage", "judge"],
                condition=Q(superseded__isnull=True, adjudicates=False),
                name="one_current_judgement",
            ),
            models.UniqueConstraint(
                fields=["passage", "pseudonym"],
                condition=Q(superseded__isnull=True, adjudicates=False) & ~Q(pseudonym=""),
                name="one_current_judgement_by_pseudonym",
            ),
            models.UniqueConstraint(
                fields=["passage"], condition=Q(superseded__isnull=True, adjudicates=True), name="one_adjudication"
            ),
            models.CheckConstraint(condition=Q(best=False) | Q(relevant=True), name="best_is_relevant"),
        ]

    def __str__(self) -> str:
        return "best" if self.best else "relevant" if self.relevant else "not relevant"

    @property
    def account_or_pseudonym(self) -> int | str:
        """The key of the judge's account, or the pseudonym; empty if the account was deleted."""
        return self.judge_id or self.pseudonym
