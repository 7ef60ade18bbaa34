"""A digital abstract as REST documents it. Its JSON is written by annotations/digital_abstract_json.py."""

from typing import Any

from rest_framework import serializers

from annotations.digital_abstract import AbstractState, Origin
from annotations.results.models import RESULT_KIND_CHOICES
from bcms.article_annotations.api import ArgumentOfRelation, CheckedIdentifier, SpanList

ORIGINS = [origin.value for origin in Origin]
ABSTRACT_STATE_CHOICES = [(state.value, state.value) for state in AbstractState]


class InteractingParticipant(serializers.Serializer[Any]):
    database = serializers.CharField()
    identifier = serializers.CharField()
    name = serializers.CharField(help_text="its symbol or name in the article")
    taxon = serializers.IntegerField(allow_null=True, help_text="NCBI Taxonomy number")
    biological_role = serializers.CharField(help_text="a PSI-MI term below MI:0500")
    experimental_role = serializers.CharField(help_text="a PSI-MI term below MI:0495")


class RecordedEvidence(serializers.Serializer[Any]):
    span = serializers.ListField(
        child=serializers.IntegerField(), min_length=2, max_length=2, help_text="[start, end] in the text of the record"
    )
    text = serializers.CharField()
    figure = serializers.CharField(help_text="figure or table, such as Figure 2A, or empty")


class RecordedDetection(serializers.Serializer[Any]):
    method = serializers.CharField(help_text="a PSI-MI term below MI:0001")
    evidence = RecordedEvidence(many=True)


class RecordSource(serializers.Serializer[Any]):
    name = serializers.CharField()
    origin = serializers.ChoiceField(ORIGINS)


class RecordContributor(RecordSource):
    orcid = serializers.CharField(help_text="ORCID, or empty")


class RecordedInteraction(serializers.Serializer[Any]):
    participants = InteractingParticipant(many=True)
    type = serializers.CharField(help_text="a PSI-MI term below MI:0190")
    detections = RecordedDetection(many=True)
    directed = serializers.BooleanField(help_text="the first participant acts on the others; of enzymatic reactions")
    negative = serializers.BooleanField(help_text="the article reports that they do not interact")
    confidence = serializers.FloatField(allow_null=True, help_text="of its author")
    comment = serializers.CharField()
    sources = RecordSource(many=True, help_text="whose proposals it was taken from")


class RecordedAnnotation(serializers.Serializer[Any]):
    """An entity, mention, relation or label. Members that are empty are missing, apart from sources."""

    kind = serializers.ChoiceField(RESULT_KIND_CHOICES)
    confidence = serializers.FloatField(required=False)
    rank = serializers.IntegerField(required=False)
    start = serializers.IntegerField(required=False)
    end = serializers.IntegerField(required=False)
    text = serializers.CharField(required=False)
    type = serializers.CharField(required=False)
    database = serializers.CharField(required=False)
    identifier = serializers.CharField(required=False)
    partner = serializers.CharField(required=False, help_text="second identifier of a pair")
    taxon = serializers.IntegerField(required=False, help_text="NCBI Taxonomy number")
    relevant = serializers.BooleanField(required=False)
    spans = SpanList(required=False, help_text="of a mention in several parts: [start, end] of each")
    identifiers = CheckedIdentifier(many=True, required=False, help_text="the links of a mention")
    arguments = ArgumentOfRelation(many=True, required=False, help_text="of a relation")
    directed = serializers.BooleanField(required=False)
    qualifiers = serializers.DictField(child=serializers.CharField(), required=False, help_text="of a relation")
    evidence = SpanList(required=False, help_text="of a relation: [start, end] of the passages that support it")
    sources = RecordSource(many=True, help_text="whose proposals it was taken from")


class RecordedOrganismSources(serializers.Serializer[Any]):
    organism = serializers.IntegerField(help_text="NCBI Taxonomy number")
    sources = RecordSource(many=True, help_text="whose proposals it was taken from")


class DigitalAbstractRecord(serializers.Serializer[Any]):
    """annotations: entities, mentions, relations and labels besides. organism_sources: of the organisms with any."""

    interactions = RecordedInteraction(many=True)
    organisms = serializers.ListField(child=serializers.IntegerField(), help_text="NCBI Taxonomy numbers")
    organism_sources = RecordedOrganismSources(many=True)
    annotations = RecordedAnnotation(many=True)
    contributors = RecordContributor(many=True)
    nothing_found = serializers.BooleanField(help_text="the article was read, and has nothing to record")
    state = serializers.ChoiceField(ABSTRACT_STATE_CHOICES)
    updated = serializers.CharField(help_text="date of the last change in ISO 8601, or empty")


class PublishedRecord(DigitalAbstractRecord):
    """text_version: the text that the spans of the record refer to. sentences: one for each interaction."""

    article = serializers.CharField(help_text="PMID or opaque id")
    pmid = serializers.IntegerField(allow_null=True)
    pmcid = serializers.CharField()
    doi = serializers.CharField()
    url = serializers.CharField(help_text="the page of the article")
    sentences = serializers.ListField(child=serializers.CharField())
    text_version = serializers.IntegerField()
    licence = serializers.CharField(help_text="the URL of the licence of the record")
