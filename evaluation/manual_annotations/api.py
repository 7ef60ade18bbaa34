"""REST resources of annotations that authors and curators made elsewhere: import, list and delete them."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.formats.errors import RefusedFileError
from bcms.lib.rest.fields import ExplainedChoiceField
from bcms.lib.rest.problems import UnprocessableFile
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import get_cleaned_form_data, validate_request_data
from evaluation.challenges.api import NOT_A_NUMBER_RESPONSE, REFUSED_FILE_RESPONSES, OrganizerAPIView
from evaluation.manual_annotations.file_import import (
    MANUAL_PRODUCER_TYPES,
    delete_manual_set_and_orphan_producer,
    import_all_manual_annotations_or_refuse_file,
    list_manual_annotation_sets,
)
from evaluation.manual_annotations.forms import ManualAnnotationForm
from evaluation.manual_annotations.models import ManualAnnotationSet
from evaluation.runs.uploads.api import FaultOfFile
from evaluation.runs.uploads.file_check import MAX_LISTED_WARNINGS

# The URL is then that of a leaderboard, with by-hand for the phase.


class ByHandOfChallenge(serializers.ModelSerializer[ManualAnnotationSet]):
    """producer: the id to use in comparisons of producers; source, checksum and brought: of the last file."""

    name = serializers.CharField(source="producer.name")
    sort = serializers.CharField(source="producer.sort")
    corpus = serializers.CharField(source="corpus.slug")
    articles = serializers.IntegerField(help_text="number of annotated articles, including those without a result")

    class Meta:
        model = ManualAnnotationSet
        fields = ["id", "producer", "name", "sort", "corpus", "kind", "articles", "source", "checksum", "brought"]


class ImportedByHand(ByHandOfChallenge):
    """warnings: the first of the file, only told now."""

    warnings = serializers.SerializerMethodField()

    class Meta(ByHandOfChallenge.Meta):
        fields = [*ByHandOfChallenge.Meta.fields, "warnings"]

    @extend_schema_field(FaultOfFile(many=True))
    def get_warnings(self, _: ManualAnnotationSet) -> list[Any]:
        return list(FaultOfFile(self.context["warnings"][:MAX_LISTED_WARNINGS], many=True).data)


class SentByHand(RequestSerializer[Any]):
    file = serializers.FileField(help_text="any gold standard format, at most 20 MB")
    sort = ExplainedChoiceField(choices=[sort.value for sort in MANUAL_PRODUCER_TYPES])
    who = serializers.CharField(
        max_length=100, help_text="name of the annotators; a second file under the same name is their second reading"
    )
    corpus = serializers.SlugField(help_text="slug of the corpus of a phase")
    task = serializers.CharField(max_length=20)
    whole = serializers.BooleanField(
        default=False,
        help_text="true: they read every article of the corpus, so articles not in the file have no results",
    )


class ManualAnnotationCollection(OrganizerAPIView):
    parser_classes = [MultiPartParser]

    @extend_schema(summary="List imported manual annotations", responses=ByHandOfChallenge(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The imported annotations of authors and curators, by corpus and kind."""
        return Response(ByHandOfChallenge(list_manual_annotation_sets(self.get_challenge()), many=True).data)

    @extend_schema(
        summary="Import manual annotations",
        request={"multipart/form-data": SentByHand},
        responses={201: ImportedByHand, **REFUSED_FILE_RESPONSES},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Checked like a gold standard; an invalid file is rejected with all its faults. Visible only to organizers."""
        challenge, data = self.get_challenge(), validate_request_data(SentByHand, request)
        form = ManualAnnotationForm(challenge, data, {"file": data["file"]})
        cleaned = get_cleaned_form_data(form)
        try:
            imported = import_all_manual_annotations_or_refuse_file(
                cleaned["task"], cleaned["corpus"], form.get_manual_file()
            )
        except RefusedFileError as error:
            raise UnprocessableFile(error.faults) from None
        annotation_set = list_manual_annotation_sets(challenge).get(pk=imported.annotation_set.pk)
        stored = ImportedByHand(annotation_set, context={"warnings": imported.warnings})
        return Response(stored.data, status=status.HTTP_201_CREATED)


class ManualAnnotationDetail(OrganizerAPIView):
    @extend_schema(summary="Delete imported manual annotations", responses={204: None, 405: NOT_A_NUMBER_RESPONSE})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Deletes all readings of this kind."""
        delete_manual_set_and_orphan_producer(
            get_object_or_404(
                ManualAnnotationSet.objects.select_related("producer"), challenge=self.get_challenge(), pk=pk
            )
        )
        return Response(status=status.HTTP_204_NO_CONTENT)
