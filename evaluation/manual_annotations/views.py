"""Pages for organizers to import and delete annotations of authors and curators."""

from collections.abc import Sequence
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotations.formats.errors import FormatError, RefusedFileError
from bcms.lib.confirmation import UNDONE, ConfirmationQuestion, ask_unless_confirmed
from evaluation.challenges.form_pages import organizer_required
from evaluation.challenges.models import Challenge
from evaluation.errors import ChallengeError
from evaluation.manual_annotations.file_import import (
    ManualImport,
    delete_manual_set_and_orphan_producer,
    import_all_manual_annotations_or_refuse_file,
    list_manual_annotation_sets,
)
from evaluation.manual_annotations.forms import ManualAnnotationForm
from evaluation.manual_annotations.models import ManualAnnotationSet
from evaluation.runs.uploads.file_check import MAX_LISTED_WARNINGS


@never_cache
@organizer_required
@require_http_methods(["GET", "HEAD", "POST"])
def import_and_list_manual_annotations(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    form = ManualAnnotationForm(challenge, request.POST or None, request.FILES or None, label_suffix="")
    faults: tuple[FormatError, ...] = ()
    warnings: Sequence[FormatError] = ()
    if request.method == "POST" and form.is_valid():
        try:
            imported = import_all_manual_annotations_or_refuse_file(
                form.cleaned_data["task"], form.cleaned_data["corpus"], form.get_manual_file()
            )
        except RefusedFileError as error:
            faults = error.faults
        except ChallengeError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _format_manual_import_message(imported))
            if not imported.warnings:
                return redirect("challenge-manual-annotations", challenge.slug)
            form, warnings = ManualAnnotationForm(challenge, label_suffix=""), imported.warnings[:MAX_LISTED_WARNINGS]
    annotation_sets = list(list_manual_annotation_sets(challenge))
    rows = [
        (annotation_set, _format_comparison_url(annotation_set, annotation_sets)) for annotation_set in annotation_sets
    ]
    context = {"challenge": challenge, "form": form, "faults": faults, "warnings": warnings, "rows": rows}
    return render(
        request,
        "evaluation/manual_annotations/manual_annotations.html",
        context,
        status=422 if form.errors or faults else 200,
    )


def _format_comparison_url(annotation_set: ManualAnnotationSet, annotation_sets: Sequence[ManualAnnotationSet]) -> str:
    """The URL of the page that compares all producers of the same kind and corpus."""
    producers = [
        other.producer_id
        for other in annotation_sets
        if (other.corpus_id, other.kind) == (annotation_set.corpus_id, annotation_set.kind)
    ]
    query = urlencode({"kind": annotation_set.kind, "producer": producers}, doseq=True)
    return f"{reverse('corpus-compare', args=[annotation_set.corpus.slug])}?{query}"


def _format_manual_import_message(imported: ManualImport) -> str:
    articles = "1 article" if imported.articles == 1 else f"{imported.articles:,} articles"
    repeated = f", {imported.repeated:,} of them again" if imported.repeated else ""
    return f"The annotations by {imported.annotation_set} of {articles}{repeated} have been imported."


@organizer_required
@require_POST
def remove_manual_annotation_set(request: HttpRequest, challenge: Challenge, pk: int) -> HttpResponse:
    annotation_set = get_object_or_404(
        ManualAnnotationSet.objects.select_related("producer"), challenge=challenge, pk=pk
    )
    back = reverse("challenge-manual-annotations", args=[challenge.slug])
    consequence = f"The {annotation_set.get_kind_display()} annotations by {annotation_set} are deleted."
    question = ConfirmationQuestion("Remove these annotations?", [consequence, UNDONE], "Remove", back)
    if page := ask_unless_confirmed(request, question):
        return page
    messages.success(
        request, f"The {annotation_set.get_kind_display()} annotations by {annotation_set} have been deleted."
    )
    delete_manual_set_and_orphan_producer(annotation_set)
    return redirect("challenge-manual-annotations", challenge.slug)
