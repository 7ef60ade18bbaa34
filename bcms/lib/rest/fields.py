"""Serializer fields that several resources of the API share."""

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers


class ExplainedChoiceField(serializers.ChoiceField):
    """One of some choices; the error message for any other value lists them."""

    def __init__(self, choices: Sequence[Any], **kwargs: Any) -> None:
        super().__init__(choices, **kwargs)
        values = ", ".join(map(str, self.choices))
        self.error_messages["invalid_choice"] = f"“{{input}}” is not a valid choice; send one of: {values}."
