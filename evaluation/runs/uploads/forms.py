"""The form to upload a run."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from annotations.formats.bc2_xml.result_tasks import BC2_TASKS
from annotations.schema import Kind
from evaluation.challenges.models import Task
from evaluation.runs.files.run_reader import get_file_reader_task_name
from evaluation.runs.uploads.submission import MAX_RUN_BYTES, MEBIBYTE, RunSubmission


class RunUploadForm(forms.Form):
    """A run that a team uploads for a task."""

    file = forms.FileField(
        label="File",
        help_text="Any format that python -m evaluation reads for this task: tab-separated values, BioCreative II XML, "
        "TREC, PubTator, BioC, PubAnnotation, GENE.eval. Mentions, identifiers and relations of any types are in "
        "PubTator, BioC, PubAnnotation, NDJSON or Parquet, or in a zip archive of brat standoff or of UIMA XMI; labels "
        "in tab-separated values, too.",
    )
    name = forms.CharField(
        max_length=200, required=False, label="Name of the run", help_text="If empty, the name of the file."
    )
    message = forms.CharField(
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="What is new in this run; only your team and the organizers see it.",
    )

    repair = forms.BooleanField(
        required=False,
        label="Repair BioCreative II XML",
        help_text="Correct what has one meaning only, such as split entries, and write identifiers for names that mean "
        "one protein or method. Every repair is listed.",
    )

    def __init__(self, task: Task, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not _can_be_bc2_xml(task):
            del self.fields["repair"]

    def clean_file(self) -> "UploadedFile[bytes]":
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > MAX_RUN_BYTES:
            raise forms.ValidationError(
                f"The file is larger than {MAX_RUN_BYTES // MEBIBYTE} MiB; leave out everything but results, or "
                "write tab-separated values."
            )
        return file

    def get_submission(self) -> RunSubmission:
        data = self.cleaned_data
        return RunSubmission(
            data["name"], data["message"], data["file"].name, data["file"].read(), repair=data.get("repair", False)
        )


def _can_be_bc2_xml(task: Task) -> bool:
    return task.get_settings() is None and get_file_reader_task_name(Kind(task.kind), task.name) in BC2_TASKS
