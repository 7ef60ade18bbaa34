"""Files that teams upload as runs."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotations.formats.errors import FormatError
from servers.teams.models import Team


class Upload(models.Model):
    """A file that a team uploaded: it becomes a run, or is rejected, which uses up no run of the team."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting to be checked"
        CHECKING = "checking", "being checked"
        STORING = "storing", "being stored"
        TAKEN = "taken", "stored as a run"
        REFUSED = "refused", "rejected"
        FAILED = "failed", "failed because of an error of the site"

    OPEN = (State.WAITING.value, State.CHECKING.value, State.STORING.value)

    task = models.ForeignKey("evaluation.Task", on_delete=models.CASCADE, related_name="uploads")
    phase = models.ForeignKey("evaluation.Phase", on_delete=models.CASCADE, related_name="uploads")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="uploads")
    by = models.ForeignKey("auth.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="uploads")
    name = models.CharField(max_length=200)
    message = models.TextField(blank=True)
    source = models.CharField(max_length=200, help_text="name of the file")
    size = models.PositiveIntegerField(help_text="bytes")
    sha256 = models.CharField(max_length=64)
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    format = models.CharField(max_length=32, blank=True)
    note = models.TextField(blank=True, help_text="how the file was interpreted")
    repair = models.BooleanField(default=False, db_default=False, help_text="whether BioCreative II XML is repaired")
    # [[line, column, rule, message], ...]; line 0 stands for the whole file.
    faults = models.JSONField(default=list)
    warnings = models.JSONField(default=list)
    unknown = models.PositiveIntegerField(
        default=0, help_text="number of articles in the file that are not in the phase"
    )
    unknown_names = models.JSONField(default=list, help_text="the first of these articles")
    received = models.DateTimeField(db_default=Now())
    finished = models.DateTimeField(null=True, blank=True)
    # How often processing began; it is not repeated for ever after crashes.
    begun = models.PositiveSmallIntegerField(default=0, db_default=0)
    run = models.OneToOneField("evaluation.Run", null=True, blank=True, on_delete=models.CASCADE, related_name="upload")

    class Meta:
        indexes = [
            models.Index(fields=["id"], name="upload_open", condition=Q(state__in=["waiting", "checking", "storing"]))
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def open(self) -> bool:
        return self.state in self.OPEN

    @property
    def located_faults(self) -> list[FormatError]:
        return [FormatError(self.source, *row) for row in self.faults]

    @property
    def located_warnings(self) -> list[FormatError]:
        return [FormatError(self.source, *row) for row in self.warnings]


class UploadedFile(models.Model):
    """The file of an upload, byte for byte; deleted if the upload is rejected."""

    upload = models.OneToOneField(Upload, on_delete=models.CASCADE, related_name="file")
    body = models.BinaryField()  # zlib
