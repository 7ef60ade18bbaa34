"""The API against its OpenAPI document: schemathesis draws the requests and checks the answers.

No answer is an error of ours or has a status, type or form that the document does not name; nothing that the document
forbids is accepted, and nothing that it allows is refused. The examples are the same in every run.
"""

import logging
import re
from collections.abc import Iterator
from contextlib import suppress

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.urls import get_resolver, resolve
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.core.parameters import ParameterLocation
from schemathesis.openapi.checks import RejectedPositiveData
from schemathesis.specs.openapi.checks import ignored_auth

from bcms.access_table import AccessRole
from bcms.accounts.scopes import Scope
from bcms.accounts.tokens import create_api_token_including_read_scope
from tests.integration.role_cast import NAMES, make_cast

pytestmark = [pytest.mark.django_db, pytest.mark.long]

EXAMPLES = 6
# It repeats requests without a login over the network; as the visitor all are sent so.
CHECKS_THAT_SEND = [ignored_auth]
# Parameters and fields that name something which has to exist, or whose values have rules that a schema cannot say.
MEANINGS = {
    *("", "article", "articles", "beside", "corpus", "counted_runs", "curator", "cursor", "file", "further"),
    *(
        "header",
        "id",
        "ident",
        "judge",
        "lists",
        "mean_rank_tasks",
        "method",
        "names_shown",
        "note",
        "opens",
        "organizer",
        "phase",
    ),
    *("pmid", "primary", "proteins", "scenario", "secret", "server", "servers", "task", "team", "threshold"),
    *("upload_caps", "url", "user_name", "value", "weights", "year_to"),
}
PARAMETER = re.compile(r"\{\w+\}")


def make_rolled_back_application():
    """The site as a WSGI application that keeps nothing of a request."""
    site = WSGIHandler()

    def application(environ, start_response):
        with transaction.atomic():
            response = site(environ, start_response)
            body = b"".join(response)
            transaction.set_rollback(True)
        return [body]

    return application


@pytest.fixture
def words(django_user_model, alice, carol, olga, server, settings):
    settings.API_PER_MINUTE_ADDRESS = settings.API_PER_MINUTE_ACCOUNT = settings.API_FILES_PER_MINUTE = 10**6
    settings.ACCOUNT_RATE_LIMITS = False
    logging.disable(logging.CRITICAL)
    cast = make_cast(django_user_model.objects.create_user, alice, olga, server)
    # As the test client does, which connects them again: they would close the connection of the transaction.
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield cast
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)
    logging.disable(logging.NOTSET)


def load_document():
    document = SchemaGenerator().get_schema(request=None, public=True)
    schema = schemathesis.openapi.from_dict(document)
    # JSON with NUL in any name is refused, which a schema cannot say.
    schema.config.generation.update(allow_x00=False)
    return schema


def iter_path_parameters(words) -> Iterator[tuple[str, dict[str, object]]]:
    """(path of the API with {} for each parameter, what stands there for something that exists)."""
    names = {name for name in get_resolver().reverse_dict if isinstance(name, str) and name.startswith("api-")}
    for name in names - {"api-unknown"}:
        form, parameters = get_resolver().reverse_dict.getlist(name)[0][0][0]
        values = resolve(words.address(name)).kwargs
        spelled = {each: "id" if each == "pk" else each for each in parameters}
        yield (
            "/" + PARAMETER.sub("{}", form % dict.fromkeys(parameters, "{x}")),
            {spelled[each]: value if isinstance(value := values[each], int) else str(value) for each in parameters},
        )


def is_fault_of_meaning(error: Exception, response) -> bool:
    """Whether all that is wrong with a refused request is what its values mean, which no schema can say."""
    if not isinstance(error, RejectedPositiveData) or response.status_code not in (400, 422):
        return False
    faults = response.json()["errors"]
    return bool(faults) and all(
        (fault["loc"].partition(".")[0] in MEANINGS and "required" not in fault["code"] + fault["message"])
        # Some files are drawn without a name, which makes them texts, and some texts are spaces only.
        or (fault["loc"], fault["code"]) == ("file", "required")
        or fault["code"] == "blank"
        for fault in faults
    )


def fill_path_and_remove_token(case, path_parameters) -> bool:
    """Put something that exists into the path, unless the path is what the document forbids, and send no made-up token.

    False if nothing but a header is forbidden, as the test sends its own.
    """
    forbidden = {place for place, part in case.meta.components.items() if part.mode.is_negative}
    # The document offers it everywhere, so that visitors would be refused for a wrong token and for nothing else.
    case.headers.pop("Authorization", None)
    if path_parameters and ParameterLocation.PATH not in forbidden:
        case.path_parameters = path_parameters
    return not forbidden or not forbidden <= {ParameterLocation.HEADER, ParameterLocation.COOKIE}


def list_failures(operation, mode: GenerationMode, path_parameters, headers, application) -> dict[str, str]:
    """What is wrong with the answers to some requests of one operation, each once."""
    failures: dict[str, str] = {}

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    def request(case):
        if not fill_path_and_remove_token(case, path_parameters):
            return
        response = case.call(app=application, headers=headers)
        try:
            case.validate_response(response, headers=headers, excluded_checks=CHECKS_THAT_SEND)
        except (FailureGroup, Failure) as error:
            for each in getattr(error, "exceptions", [error]):
                if not is_fault_of_meaning(each, response):
                    key = f"{type(each).__name__} {response.status_code}"
                    failures.setdefault(key, f"{each} {case.as_curl_command()} -> {response.content[:600]!r}")

    with suppress(Unsatisfiable):
        # There is nothing to forbid in a request without parameters and body.
        request()
    return failures


@pytest.mark.parametrize("role", AccessRole)
def test_it_is_as_the_document_says(words, role, django_user_model):
    application = make_rolled_back_application()
    # Without compression, which the caller of an application does not undo.
    headers = {"Accept-Encoding": "identity"}
    if role in NAMES:
        person = django_user_model.objects.get(username=NAMES[role])
        token = create_api_token_including_read_scope(person, "all", [*Scope])
        headers["Authorization"] = f"Bearer {token}"
    failed = {}
    path_parameters = dict(iter_path_parameters(words))
    document = load_document()
    for result in document.get_all_operations():
        operation = result.ok()
        parameters = path_parameters.get(PARAMETER.sub("{}", operation.path))
        for mode in GenerationMode:
            for key, text in list_failures(operation, mode, parameters, headers, application).items():
                failed[f"{operation.label} {mode.value} {key}"] = text
    assert failed == {}
