"""The file from which the organizers set up a challenge."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from annotations.formats.errors import FormatError
from bcms.corpus_files.proposals import CorpusProposal, parse_corpus_proposal
from evaluation.challenges.models import Challenge


class CorpusFile(models.Model):
    """The last corpus file that was uploaded to a challenge: it is read, then proposed, then confirmed and set up."""

    class Purpose(models.TextChoices):
        OPEN = "open", "Training or development"
        TEST = "test", "A test, which stays secret until you publish it"
        SPLIT = "split", "Several phases: the site splits the articles by a seed"

    challenge = models.OneToOneField(Challenge, primary_key=True, on_delete=models.CASCADE, related_name="corpus_file")
    # Who uploaded it, or confirmed it.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=250)
    purpose = models.CharField(max_length=10, choices=Purpose, default=Purpose.OPEN, db_default=Purpose.OPEN)
    size = models.PositiveIntegerField(help_text="bytes as it was sent")
    # Null once it is set up or refused. Sealed (evaluation/gold/sealing.py) unless the purpose is open.
    content = models.BinaryField(null=True, blank=True)
    uploaded = models.DateTimeField(db_default=Now())
    # How often a worker began with it since it was uploaded or confirmed: files that crash the worker are refused.
    tries = models.PositiveSmallIntegerField(default=0, db_default=0)
    read = models.DateTimeField(null=True, blank=True)
    # The fields of bcms.corpus_files.proposals.CorpusProposal; empty for a file that cannot be read.
    proposal = models.JSONField(default=dict, blank=True)
    # [[line, column, rule, message], ...], the first of all_faults; line 0 stands for the whole file. Of a sealed file,
    # the message is the title of the rule.
    faults = models.JSONField(default=list, blank=True)
    all_faults = models.PositiveIntegerField(default=0, db_default=0)
    # Why it could not be read or set up, besides the faults.
    refusal = models.TextField(blank=True, db_default="")
    # What was confirmed: bcms.corpus_files.plans.SetUpPlan.
    plan = models.JSONField(null=True, blank=True)
    # The last plan that could not be set up, so that the organizer can change it.
    refused_plan = models.JSONField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name

    @property
    def is_sealed(self) -> bool:
        """Whether only the scoring worker can read the file, as it has the gold standard of a test."""
        return self.purpose != self.Purpose.OPEN

    @property
    def state(self) -> str:
        """Reading, refused, proposed, setting up or finished."""
        if self.finished:
            return "finished"
        if self.plan is not None:
            return "setting up"
        if self.read is None:
            return "reading"
        return "proposed" if self.proposal else "refused"

    @property
    def seed(self) -> int | None:
        """By which the articles are, or were, split; None otherwise."""
        return None if self.plan is None else self.plan["seed"]

    def get_proposal(self) -> CorpusProposal:
        """Of a file that was read without faults."""
        return parse_corpus_proposal(self.proposal)

    def list_faults(self) -> list[FormatError]:
        return [FormatError(self.name, *fault) for fault in self.faults]
