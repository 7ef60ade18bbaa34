"""What authors and curators said elsewhere, by REST: organizers bring it in, to be compared with systems."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.formats.errors import RefusedFileError
from bcms.api.conventions import Choice
from bcms.api.organized import REFUSED_FILE, Organized, saved, valid
from bcms.problems import RefusedFile
from evaluation.by_hand.bringing_in import SORTS, bring_in, brought_to, take_out
from evaluation.by_hand.forms import ByHandForm
from evaluation.models import ByHand


class ByHandOfChallenge(serializers.ModelSerializer):
    """producer: its id, by which a comparison over the corpus takes it; source, checksum and brought: of the last
    file."""

    name = serializers.CharField(source="producer.name")
    sort = serializers.CharField(source="producer.sort")
    corpus = serializers.CharField(source="corpus.slug")
    articles = serializers.IntegerField(help_text="of which they say something, and be it that there is nothing")

    class Meta:
        model = ByHand
        fields = ["id", "producer", "name", "sort", "corpus", "kind", "articles", "source", "checksum", "brought"]


class SentByHand(serializers.Serializer):
    file = serializers.FileField(help_text="in any format of a gold standard, at most 20 MB")
    sort = Choice(choices=[sort.value for sort in SORTS])
    who = serializers.CharField(
        max_length=100, help_text="what they are called; called as before, they read the articles another time"
    )
    corpus = serializers.SlugField(help_text="of a phase")
    task = serializers.CharField(max_length=20)
    whole = serializers.BooleanField(
        default=False, help_text="they read every article of the corpus: what the file does not name has nothing"
    )


class ChallengeByHand(Organized):
    parser_classes = [MultiPartParser]

    @extend_schema(summary="List what authors and curators said", responses=ByHandOfChallenge(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """What was brought in, by corpus and kind."""
        return Response(ByHandOfChallenge(brought_to(self.challenge()), many=True).data)

    @extend_schema(
        summary="Bring in what authors or curators said",
        request={"multipart/form-data": SentByHand},
        responses={201: ByHandOfChallenge, **REFUSED_FILE},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Checked like a gold standard, and refused with every fault. Seen by the organizers alone."""
        found, sent = self.challenge(), valid(SentByHand, request)
        form = ByHandForm(found, sent, {"file": sent["file"]})
        data = saved(form)
        try:
            done = bring_in(data["task"], data["corpus"], form.hand_file())
        except RefusedFileError as error:
            raise RefusedFile(error.faults) from None
        own = brought_to(found).get(pk=done.by_hand.pk)
        return Response(ByHandOfChallenge(own).data, status=status.HTTP_201_CREATED)


class ByHandDetail(Organized):
    @extend_schema(summary="Take out what authors or curators said", responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """All readings of this kind."""
        take_out(get_object_or_404(ByHand.objects.select_related("producer"), challenge=self.challenge(), pk=pk))
        return Response(status=status.HTTP_204_NO_CONTENT)
