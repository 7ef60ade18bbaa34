"""Parsers of request bodies."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from bcms.lib.json_input import JsonInputError, parse_bounded_json


class BoundedJSONParser(JSONParser):
    """JSON in UTF-8 of bounded depth, without NaN, and without characters that the database cannot store."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            return parse_bounded_json(stream.read())
        except JsonInputError as error:
            raise ParseError(str(error)) from None
