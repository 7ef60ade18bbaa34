"""The root of the API, its documentation page, and the response to unknown URLs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.text import slugify
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from bcms.api.groups import GROUP_PATHS

RESOURCES = (
    "articles",
    "entries",
    "corpora",
    "servers",
    "teams",
    "challenges",
    "measures",
    "consensus-methods",
    "data",
    "digital-abstracts",
    "export",
    "schema",
    "docs",
    "console",
)


@dataclass(frozen=True, slots=True)
class QueryParameter:
    name: str
    note: str


@dataclass(frozen=True, slots=True)
class ApiOperation:
    """One method of one URL, with the parameters of its query; tag is its group."""

    tag: str
    method: str
    path: str
    summary: str
    description: str
    parameters: list[QueryParameter]


@dataclass(frozen=True, slots=True)
class OperationGroup:
    """The operations with one tag, the title of their group; anchor: of the group on the documentation page."""

    title: str
    operations: list[ApiOperation] = field(default_factory=list)

    @property
    def anchor(self) -> str:
        return slugify(self.title)


@extend_schema(exclude=True)
class ApiRoot(APIView):
    """The URLs of the main resources."""

    def get(self, request: Request) -> Response:
        return Response({name: reverse(f"api-{name}", request=request) for name in RESOURCES})


class ApiDocument(SpectacularAPIView):
    """The OpenAPI document."""

    query_parameters = ("format", "lang")


@extend_schema(exclude=True)
class UnknownApiAddress(APIView):
    """The response to every URL that is not in the API."""

    serializer_class = serializers.Serializer

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NotFound(f"There is no such URL in the API. See the documentation at {reverse('api-docs')}.")

    def get(self, request: Request, rest: str) -> Response:
        raise NotFound


@require_safe
def show_api_docs(request: HttpRequest) -> HttpResponse:
    """Show the operations of the API on one page, in groups, from the OpenAPI schema."""
    return render(request, "api/docs.html", {"groups": group_api_operations()})


@require_safe
def show_api_console(request: HttpRequest) -> HttpResponse:
    """Show the operations of the API as forms that send their requests."""
    return render(request, "api/console.html")


@cache
def list_api_operations() -> tuple[ApiOperation, ...]:
    """All operations in the order of their URLs; cached, as they change with the code only."""
    schema: Mapping[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return tuple(_iter_api_operations(schema["paths"]))


def group_api_operations() -> list[OperationGroup]:
    """All operations by their tag, in the order of the groups."""
    groups = {title: OperationGroup(title) for title in GROUP_PATHS}
    for operation in list_api_operations():
        groups[operation.tag].operations.append(operation)
    return list(groups.values())


def _iter_api_operations(paths: Mapping[str, Mapping[str, Any]]) -> Iterator[ApiOperation]:
    """The operations in the `paths` of an OpenAPI schema."""
    for path, methods in paths.items():
        for method, operation in methods.items():
            parameters = [
                QueryParameter(parameter["name"], parameter.get("description", ""))
                for parameter in operation.get("parameters", [])
                if parameter["in"] == "query"
            ]
            summary, description = operation.get("summary", ""), operation.get("description", "")
            yield ApiOperation(operation["tags"][0], method.upper(), path, summary, description, parameters)
