"""Curations in REST: the work of one curator on one article, with what was decided and what is proposed."""

from collections.abc import Iterable, Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotations.articles.queries import format_pmid_or_opaque
from annotations.curation.contents import read_annotation_content
from annotations.curation.models import (
    ITEM_KIND_CHOICES,
    ITEM_STATE_CHOICES,
    Candidate,
    Curation,
    DecidedItem,
    Decision,
)
from annotations.curation.session import load_digital_abstract
from annotations.curation.states import ItemKind
from annotations.digital_abstract_json import build_abstract_json
from annotations.formats.digital_abstracts.annotation_members import build_annotation_members
from annotations.results.models import Producer
from bcms.digital_abstracts.serializers import DigitalAbstractRecord, RecordedInteraction


class CurationInList(serializers.ModelSerializer[Curation]):
    """state: assigned (not begun), open or finished. revision: the number of the last decision; send it as `seen`.

    proposed: when reviewers were asked to publish it. declined: why they did not. continues: whose record it continues.
    """

    article = serializers.SerializerMethodField(help_text="PMID or opaque id")
    continues = serializers.CharField(source="basis.curator.producer.name", allow_null=True, default=None)

    class Meta:
        model = Curation
        fields = [
            *("id", "article", "continues", "state", "revision", "text_version", "nothing_found", "started", "changed"),
            *("finished", "proposed", "declined"),
        ]

    def get_article(self, curation: Curation) -> str:
        return format_pmid_or_opaque(curation.article)


class ItemToCurate(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(ITEM_KIND_CHOICES)
    key = serializers.CharField(help_text="names the item within its kind")
    annotation = serializers.DictField(allow_null=True, help_text="with the members of exports; null for interactions")
    interaction = RecordedInteraction(allow_null=True, help_text="null for other kinds")
    producers = serializers.ListField(child=serializers.CharField(), help_text="who proposed it")


class ItemOfCuration(ItemToCurate):
    state = serializers.ChoiceField(ITEM_STATE_CHOICES)


class ProposedItem(ItemToCurate):
    """group: send it to decide on all mentions of one text and type at once; empty for other kinds."""

    confidence = serializers.FloatField(allow_null=True, help_text="mean calibrated confidence")
    group = serializers.CharField()


class CurationDetail(CurationInList):
    """items: what was decided, as it is now. record: the digital abstract that follows from it."""

    items = serializers.SerializerMethodField()
    record = serializers.SerializerMethodField()

    class Meta(CurationInList.Meta):
        fields = [*CurationInList.Meta.fields, "items", "record"]

    @extend_schema_field(ItemOfCuration(many=True))
    def get_items(self, curation: Curation) -> Any:
        rows = list(curation.items.filter(superseded_by__isnull=True).order_by("pk"))
        names = load_producer_names(rows)
        return [{**_build_item(row, names), "state": row.state} for row in rows]

    @extend_schema_field(DigitalAbstractRecord)
    def get_record(self, curation: Curation) -> Any:
        return build_abstract_json(load_digital_abstract(curation))


class StoredDecision(serializers.ModelSerializer[Decision]):
    """undoes: the number of the decision that this one takes back."""

    undoes = serializers.IntegerField(source="undoes.number", allow_null=True, default=None)
    items = serializers.SerializerMethodField(help_text="how many items were decided")

    class Meta:
        model = Decision
        fields = ["number", "action", "reason", "at", "undoes", "items"]

    def get_items(self, decision: Decision) -> int:
        return decision.items.count()


def load_producer_names(rows: Iterable[Candidate | DecidedItem]) -> Mapping[int, str]:
    """The names of the producers of these rows by their ids: 1 query."""
    ids = {producer for row in rows for producer in row.producers}
    return dict(Producer.objects.filter(pk__in=ids).values_list("pk", "name"))


def build_proposed_item(candidate: Candidate, names: Mapping[int, str]) -> dict[str, object]:
    """The candidate with the members of ProposedItem."""
    item = _build_item(candidate, names)
    group = ""
    if candidate.group:
        group = f"{candidate.group}\t{read_annotation_content(candidate.content).type}"
    return {**item, "confidence": candidate.confidence, "group": group}


def _build_item(row: Candidate | DecidedItem, names: Mapping[int, str]) -> dict[str, object]:
    is_interaction = row.kind == ItemKind.INTERACTION
    annotation = None if is_interaction else build_annotation_members(read_annotation_content(row.content))
    return {
        "kind": row.kind,
        "key": row.key,
        "annotation": annotation,
        "interaction": row.content["interaction"] if is_interaction else None,
        "producers": [names[producer] for producer in row.producers if producer in names],
    }
