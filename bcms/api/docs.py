"""What there is in the API: the root for machines, a page for people, and the answer to unknown addresses."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

RESOURCES = (
    "articles",
    "corpora",
    "servers",
    "teams",
    "challenges",
    "measures",
    "consensus-methods",
    "export",
    "schema",
    "docs",
)


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    note: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one address, with the parameters of its query."""

    method: str
    path: str
    summary: str
    description: str
    parameters: list[Parameter]


@extend_schema(exclude=True)
class Root(APIView):
    """Where everything is."""

    def get(self, request: Request) -> Response:
        return Response({name: reverse(f"api-{name}", request=request) for name in RESOURCES})


@extend_schema(exclude=True)
class Unknown(APIView):
    """Whatever is at no other address of the API."""

    serializer_class = serializers.Serializer

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NotFound(f"There is nothing at this address; {reverse('api-docs')} lists what there is.")

    def get(self, request: Request, rest: str) -> Response:
        raise NotFound


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """The operations of the API on one page, read from the schema."""
    return render(request, "api/docs.html", {"operations": operations()})


@cache
def operations() -> tuple[Operation, ...]:
    """All operations in the order of their addresses; they change with the code only."""
    schema: Mapping[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return tuple(operations_of(schema["paths"]))


def operations_of(paths: Mapping[str, Mapping[str, Any]]) -> Iterator[Operation]:
    for path, methods in paths.items():
        for method, told in methods.items():
            told_parameters = [each for each in told.get("parameters", []) if each["in"] == "query"]
            parameters = [Parameter(each["name"], each.get("description", "")) for each in told_parameters]
            yield Operation(method.upper(), path, told.get("summary", ""), told.get("description", ""), parameters)
