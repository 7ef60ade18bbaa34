"""The file from which the organizers set up a challenge."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from annotations.formats.errors import FormatError
from bcms.corpus_files.proposals import CorpusProposal, parse_corpus_proposal
from evaluation.challenges.models import Challenge


class CorpusFile(models.Model):
    """The last corpus file that was uploaded to a challenge: it is read, then proposed, then confirmed and set up."""

    challenge = models.OneToOneField(Challenge, primary_key=True, on_delete=models.CASCADE, related_name="corpus_file")
    # Who uploaded it, or confirmed it.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=250)
    size = models.PositiveIntegerField(help_text="bytes as it was sent")
    # Null once it is set up or refused.
    content = models.BinaryField(null=True, blank=True)
    uploaded = models.DateTimeField(db_default=Now())
    # How often a worker began with it since it was uploaded or confirmed: files that crash the worker are refused.
    tries = models.PositiveSmallIntegerField(default=0, db_default=0)
    read = models.DateTimeField(null=True, blank=True)
    # The fields of bcms.corpus_files.proposals.CorpusProposal; empty for a file that cannot be read.
    proposal = models.JSONField(default=dict, blank=True)
    # [[line, column, rule, message], ...], the first of all_faults; line 0 stands for the whole file.
    faults = models.JSONField(default=list, blank=True)
    all_faults = models.PositiveIntegerField(default=0, db_default=0)
    # Why it could not be read or set up, besides the faults.
    refusal = models.TextField(blank=True, db_default="")
    # What was confirmed: bcms.corpus_files.setting_up.SetUpPlan.
    plan = models.JSONField(null=True, blank=True)
    # The last plan that could not be set up, so that the organizer can change it.
    refused_plan = models.JSONField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name

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

    def get_proposal(self) -> CorpusProposal:
        """Of a file that was read without faults."""
        return parse_corpus_proposal(self.proposal)

    def list_faults(self) -> list[FormatError]:
        return [FormatError(self.name, *fault) for fault in self.faults]
