"""The API against its OpenAPI document: schemathesis draws the requests and checks the answers.

No answer is an error of ours or has a status, type or form that the document does not name; nothing that the document
forbids is accepted, and nothing that it allows is refused. The examples are the same in every run.
"""

import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from zlib import crc32

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.urls import get_resolver, resolve
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from schemathesis import GenerationMode
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.core.parameters import ParameterLocation
from schemathesis.openapi.checks import RejectedPositiveData

from bcms.access_audiences import AccessRole
from bcms.access_table import iter_access_rows
from bcms.accounts.scopes import Scope
from bcms.accounts.tokens import create_api_token_including_read_scope
from tests.integration.role_cast import NAMES, make_cast

pytestmark = [pytest.mark.django_db, pytest.mark.long]

# For each operation, role and kind of request (allowed or forbidden); fewer for roles that the operation refuses.
EXAMPLES, EXAMPLES_OF_REFUSED = 12, 2
# The operations are shared out, so that the processes that share the tests finish together.
PARTS = 3
# Parameters and fields that name something which has to exist, or whose values have rules that a schema cannot say.
NAMES_WITH_MEANINGS = """
    abstract accepts_pasted_texts alternative_text annotation article articles articles_per_request beside
    citation code confidence contact corpus counted_runs curator cursor data_licence description doi environment
    file further group guideline header id ident identifier interaction judge keys kind lists mean_rank_tasks
    method method_name name names_shown namespace note opens organizer organizer_names pair paper person phase
    pmid pmids primary producers project proteins public_on reason reference relation scenario search secret
    server servers settings source stated_version task team terms text threshold title type upload_caps url
    user_name value weights who year_to
"""
MEANINGS = {"", *NAMES_WITH_MEANINGS.split()}
# Of tests/integration/role_cast.py; some are of another challenge or team than what is in the path.
EXISTING: dict[str, object] = {
    **{"article": "101", "ident": "20000001", "pmid": "20000001", "pmids": [101, 102], "articles": ["101", "102"]},
    **{"corpus": "four", "phase": "training", "task": "TX", "primary": "FAP", "further": [], "mean_rank_tasks": ["TX"]},
    **{"challenge": "example", "servers": ["second"], "producers": [], "search": "", "reference": "outcome"},
    **{"team": "team-alpha", "server": "third", "url": "http://127.0.0.1:9/"},
    **{"curator": "carol@example.org", "judge": "carol@example.org", "organizer": "oscar@example.org"},
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


@pytest.fixture(scope="module")
def document():
    """The document without ways to log in, as each role logs in by itself: else half of the forbidden requests would
    have nothing wrong but a made-up token."""
    content = SchemaGenerator().get_schema(request=None, public=True)
    del content["components"]["securitySchemes"]
    for operations in content["paths"].values():
        for operation in operations.values():
            operation.pop("security", None)
    schema = schemathesis.openapi.from_dict(content)
    # JSON with NUL in any name is refused, which a schema cannot say.
    schema.config.generation.update(allow_x00=False)
    # A text of more than the greatest length can make the whole body too large, which refuses it as well.
    schema.config.checks.negative_data_rejection.expected_statuses.append("413")
    return schema


@dataclass(frozen=True)
class ApiPath:
    """The name of a URL of the API, and what stands in its path for something that exists."""

    name: str
    parameters: dict[str, object]


def iter_api_paths(words) -> Iterator[tuple[str, ApiPath]]:
    """(path of the API with {} for each parameter, its name and parameters)."""
    names = {name for name in get_resolver().reverse_dict if isinstance(name, str) and name.startswith("api-")}
    for name in names - {"api-unknown"}:
        form, parameters = get_resolver().reverse_dict.getlist(name)[0][0][0]
        values = resolve(words.address(name)).kwargs
        spelled = {each: "id" if each == "pk" else each for each in parameters}
        yield (
            "/" + PARAMETER.sub("{}", form % dict.fromkeys(parameters, "{x}")),
            ApiPath(
                name,
                {spelled[each]: value if isinstance(value := values[each], int) else str(value) for each in parameters},
            ),
        )


@dataclass(frozen=True)
class Sender:
    """Sends requests as one role to a site that keeps nothing of them."""

    role: AccessRole
    headers: dict[str, str]
    application: Callable


def make_sender(role: AccessRole, users) -> Sender:
    # Without compression, which the caller of an application does not undo.
    headers = {"Accept-Encoding": "identity"}
    if role in NAMES:
        person = users.objects.get(username=NAMES[role])
        token = create_api_token_including_read_scope(person, "all", [*Scope])
        headers["Authorization"] = f"Bearer {token}"
    return Sender(role, headers, make_rolled_back_application())


def is_fault_of_meaning(error: Exception, response) -> bool:
    """Whether all that is wrong with a refused request is what its values mean, which no schema can say."""
    if not isinstance(error, RejectedPositiveData) or response.status_code not in (400, 422):
        return False
    faults = response.json()["errors"]
    return bool(faults) and all(
        (fault["loc"].partition(".")[0] in MEANINGS and "required" not in fault["code"] + fault["message"])
        # Some files are drawn without a name, which makes them texts, and are no pictures; some texts are spaces only.
        or (fault["loc"] == "file" and fault["code"] in ("required", "invalid"))
        or fault["code"] == "blank"
        for fault in faults
    )


def fill_path(case, path_parameters) -> None:
    """Put something that exists into the path, unless the path is what the document forbids."""
    path = case.meta.components.get(ParameterLocation.PATH)
    if path_parameters and not (path and path.mode.is_negative):
        case.path_parameters = path_parameters


def identify_request(case) -> str:
    """The same for two requests that differ in nothing."""
    return repr((case.path_parameters, case.query, case.media_type, case.body))


def name_existing_things(case) -> None:
    """Put the names of things that exist into every other allowed request, where random texts would name nothing."""
    forbidden = any(part.mode.is_negative for part in case.meta.components.values())
    if not forbidden and crc32(identify_request(case).encode()) % 2:
        for container in (case.query, case.body):
            if isinstance(container, dict):
                container.update({name: EXISTING[name] for name in EXISTING.keys() & container.keys()})


def has_anything_to_forbid(operation) -> bool:
    """Whether a request can be what the document forbids: any text is allowed in a path."""
    return bool(operation.body or operation.query) or any(
        parameter.definition["schema"] != {"type": "string"} for parameter in operation.path_parameters
    )


def list_failures(operation, mode: GenerationMode, sender: Sender, parameters, examples: int) -> dict[str, str]:
    """What is wrong with the answers to some requests of one operation, each once."""
    failures: dict[str, str] = {}
    sent = set()

    # Others for each role: what one has not found another may.
    @seed(crc32(f"{sender.role} {operation.label} {mode.value}".encode()))
    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    def request(case):
        fill_path(case, parameters)
        name_existing_things(case)
        if (identity := identify_request(case)) in sent:
            return
        sent.add(identity)
        response = case.call(app=sender.application, headers=sender.headers)
        try:
            case.validate_response(response, headers=sender.headers)
        except (FailureGroup, Failure) as error:
            for each in getattr(error, "exceptions", [error]):
                if not is_fault_of_meaning(each, response):
                    key = f"{type(each).__name__} {response.status_code}"
                    failures.setdefault(key, f"{each} {case.as_curl_command()} -> {response.content[:600]!r}")

    request()
    return failures


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("role", AccessRole)
def test_it_is_as_the_document_says(words, document, role, part, django_user_model):
    sender = make_sender(role, django_user_model)
    paths = dict(iter_api_paths(words))
    allowed = {(row.method, row.name) for row in iter_access_rows() if role in row.audience.roles and not row.hidden}
    failed = {}
    for result in islice(document.get_all_operations(), part, None, PARTS):
        operation = result.ok()
        path = paths[PARAMETER.sub("{}", operation.path)]
        examples = EXAMPLES if (operation.method.upper(), path.name) in allowed else EXAMPLES_OF_REFUSED
        for mode in GenerationMode:
            if mode is GenerationMode.NEGATIVE and not has_anything_to_forbid(operation):
                continue
            for key, text in list_failures(operation, mode, sender, path.parameters, examples).items():
                failed[f"{operation.label} {mode.value} {key}"] = text
    assert failed == {}
