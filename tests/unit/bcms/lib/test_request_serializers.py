"""The bodies of requests: JSON values of the types that the document names, and no others."""

import pytest
from django.http import QueryDict
from drf_spectacular.generators import SchemaGenerator
from rest_framework import serializers

from bcms.api.schema import BcmsSchema
from bcms.lib.rest.fields import ExplainedChoiceField
from bcms.lib.rest.request_serializers import RequestSerializer, StrictBodyMixin


class Sent(RequestSerializer):
    text = serializers.CharField(required=False)
    number = serializers.IntegerField(required=False, allow_null=True)
    share = serializers.FloatField(required=False)
    flag = serializers.BooleanField(required=False)
    word = ExplainedChoiceField(["a", "5"], required=False)
    step = ExplainedChoiceField([0, 5], required=False)
    numbers = serializers.ListField(child=serializers.IntegerField(max_value=9), required=False)
    caps = serializers.DictField(child=serializers.IntegerField(), required=False)


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("text", 5, "Send a string, not a whole number."),
        ("text", 1.5, "Send a string, not a fraction."),
        ("number", "5", "Send a whole number, not a string."),
        ("number", True, "Send a whole number, not true or false."),
        ("share", "0.5", "Send a number, not a string."),
        ("share", False, "Send a number, not true or false."),
        ("flag", 1, "Send true or false, not a whole number."),
        ("flag", "yes", "Send true or false, not a string."),
        ("word", 5, "Send a string, not a whole number."),
        ("step", "5", "Send a whole number, not a string."),
        ("step", ["5"], "Send a whole number, not an array."),
        ("text", {"a": 1}, "Send a string, not an object."),
    ],
)
def test_it_refuses_json_of_another_type(name, value, fault):
    sent = Sent(data={name: value})
    assert not sent.is_valid()
    assert sent.errors == {name: [fault]}


def test_it_takes_json_of_the_documented_types():
    data = {
        "text": "5",
        "number": 5.0,
        "share": 1,
        "flag": True,
        "word": "5",
        "step": 5,
        "numbers": [5],
        "caps": {"a": 1},
    }
    sent = Sent(data=data)
    assert sent.is_valid(), sent.errors
    assert sent.validated_data == data
    assert Sent(data={"number": None}).is_valid()


def test_it_names_the_place_beside_other_faults():
    sent = Sent(data={"numbers": [1, "2"], "caps": {"a": "1"}, "share": "x", "word": "b"})
    assert not sent.is_valid()
    assert sent.errors.keys() == {"numbers", "caps", "share", "word"}
    assert sent.errors["numbers"] == {1: ["Send a whole number, not a string."]}
    assert sent.errors["caps"] == {"a": ["Send a whole number, not a string."]}
    assert Sent(data=[]).is_valid() is False


def test_forms_have_only_text():
    sent = Sent(data=QueryDict("text=5&number=5&share=0.5&flag=true&step=5"))
    assert sent.is_valid(), sent.errors
    assert sent.validated_data["number"] == 5
    assert sent.validated_data["flag"] is True


@pytest.mark.parametrize("name", ["text", "share", "flag", "word"])
def test_a_field_of_a_form_may_not_be_empty(name):
    sent = Sent(data=QueryDict(f"{name}="))
    assert not sent.is_valid()
    assert sent.errors == {name: ["Send a value, or leave it out."]}


def test_a_field_of_a_form_may_be_empty_if_the_document_says_so():
    class Blank(RequestSerializer):
        text = serializers.CharField(required=False, allow_blank=True)
        number = serializers.IntegerField(required=False, allow_null=True)

    sent = Blank(data=QueryDict("text=&number="))
    assert sent.is_valid(), sent.errors
    assert sent.validated_data == {"text": "", "number": None}


def test_the_body_of_every_request_is_so(monkeypatch):
    bodies = []
    map_serializer = BcmsSchema._map_serializer

    def record_body(self, serializer, direction, *more):
        if direction == "request":
            bodies.append(serializer if isinstance(serializer, type) else type(serializer))
        return map_serializer(self, serializer, direction, *more)

    monkeypatch.setattr(BcmsSchema, "_map_serializer", record_body)
    SchemaGenerator().get_schema(public=True)
    assert len(set(bodies)) > 30
    assert [body for body in bodies if not issubclass(body, StrictBodyMixin)] == []
