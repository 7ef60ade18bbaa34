"""The records of the client agree with the OpenAPI document of the server."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from datetime import datetime
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from django.conf import settings
from drf_spectacular.generators import SchemaGenerator

import bcms_client
from bcms_client import address
from bcms_client.binding import FileDownload, Listing, Operation
from bcms_client.calls import ListCall
from bcms_client.methods import ApiMethods
from bcms_client.records import account, articles, challenges, curation, runs, servers

COMPONENTS = {
    account.OwnRole: "OwnRole",
    account.OwnToken: "OwnToken",
    account.Account: "Account",
    servers.Team: "TeamName",
    servers.TeamMember: "MemberOfTeam",
    servers.TeamServer: "ServerOfTeam",
    servers.OwnTeam: "OwnTeam",
    servers.ShortWindow: "ShortFigures",
    servers.CallCounts: "CallCounts",
    servers.Queue: "QueueOfServer",
    servers.ServerSettings: "InsideOfServer",
    servers.Server: "ServerInList",
    servers.ServerDetail: "ServerInFull",
    servers.Window: "FullFigures",
    servers.Day: "DayOfServer",
    servers.Downtime: "DowntimeOfServer",
    servers.Maintenance: "PlannedMaintenance",
    servers.Availability: "AvailabilityOfServer",
    servers.ServerCall: "CallOfServer",
    servers.Loaded: "Loaded",
    servers.ActionDone: "Said",
    challenges.Task: "TaskOfChallenge",
    challenges.Phase: "PhaseOfChallenge",
    challenges.Challenge: "ChallengeWithParts",
    challenges.BoardMeasure: "MeasureOfBoard",
    challenges.BoardRow: "RunOnBoard",
    challenges.Leaderboard: "LeaderboardOfTask",
    runs.FileFault: "FaultOfFile",
    runs.Upload: "UploadOfTeam",
    runs.CheckedRun: "CheckedRun",
    runs.TeamRuns: "RunsOfTeam",
    runs.Score: "FiguresOfRun",
    runs.RunDescription: "DescriptionOfRun",
    runs.Run: "RunOfTeam",
    curation.WorklistEntry: "CurationInWorklist",
    curation.Suggestion: "ArticleSuggestion",
    curation.Worklist: "WorklistOfCurator",
    curation.Curation: "CurationInList",
    curation.CurationItem: "ItemOfCuration",
    curation.DigitalAbstract: "DigitalAbstractRecord",
    curation.CurationDetail: "CurationDetail",
    curation.LeftOut: "LeftOutOfFile",
    curation.TakenOver: "TakenOverFile",
    curation.CurationProject: "ProjectInList",
    articles.FoundArticle: "FoundArticle",
    articles.Passage: "PassageInArticle",
    articles.Article: "ArticleInFull",
    articles.Result: "ResultOfProducer",
    articles.ArticleAnnotations: "AnnotationsOfArticle",
    articles.KindConsensus: "ConsensusInKind",
    articles.Consensus: "ConsensusOfArticle",
    articles.AskedServer: "ServerOfArticle",
    articles.Corpus: "CorpusInList",
    articles.CorpusDetail: "CorpusInFull",
    articles.ExportFormat: "ExportFormat",
    articles.DigitalAbstractFormat: "DigitalAbstractFormat",
}
TYPES = {"string": str, "integer": int, "number": float, "boolean": bool}
MODULES = (account, articles, challenges, curation, runs, servers)


@pytest.fixture(scope="module")
def document():
    return SchemaGenerator().get_schema(request=None, public=True)


def test_the_versions_agree():
    assert settings.SPECTACULAR_SETTINGS["VERSION"] == bcms_client.API_VERSION
    assert bcms_client.__version__.split(".")[0] == bcms_client.API_VERSION
    assert address.build_api_root("https://x") == f"https://x{settings.SPECTACULAR_SETTINGS['SCHEMA_PATH_PREFIX']}/"


def test_every_record_has_a_component():
    found = {
        each
        for module in MODULES
        for each in vars(module).values()
        if isinstance(each, type) and each.__module__ == module.__name__
    }
    assert found == set(COMPONENTS)


@pytest.mark.parametrize("record", COMPONENTS, ids=lambda record: record.__name__)
def test_the_fields_agree(record, document):
    component = document["components"]["schemas"][COMPONENTS[record]]
    hints = get_type_hints(record)
    wrong = []
    for field in fields(record):
        described = component["properties"].get(field.name)
        if described is None or not agrees(hints[field.name], described, document):
            wrong.append((field.name, hints[field.name], described))
        elif field.default is MISSING and field.name not in component["required"]:
            wrong.append((field.name, "may be missing"))
    assert wrong == []


def agrees(hint, described, document):
    """Whether a value that the document describes can be read as this type."""
    if hint is Any:
        return True
    if get_origin(hint) is UnionType:
        [hint] = [each for each in get_args(hint) if each is not NoneType]
    elif described.get("nullable"):
        return False
    described = resolve(described, document)
    if get_origin(hint) is tuple:
        return described.get("type") == "array" and agrees(get_args(hint)[0], described["items"], document)
    if get_origin(hint) is Mapping:
        values = described.get("additionalProperties", {})
        return described.get("type") == "object" and agrees(get_args(hint)[1], values or {}, document)
    if hint in COMPONENTS:
        return described is document["components"]["schemas"][COMPONENTS[hint]]
    if hint is datetime:
        return described.get("format") == "date-time"
    return TYPES.get(described.get("type")) in ((int, float) if hint is float else (hint,))


def resolve(described, document):
    """The schema that a reference leads to. A choice of references, such as an enumeration or nothing, is a string."""
    [reference] = described.get("allOf", [described])
    if "oneOf" in reference:
        return {"type": "string"}
    if "$ref" not in reference:
        return reference
    return document["components"]["schemas"][reference["$ref"].rsplit("/", 1)[1]]


def build_call(describe):
    """The call of a method, with X for each name, 1 for each number."""
    hints = get_type_hints(describe)
    arguments = {
        "queue": 1,
        "upload": 1,
        "run": 1,
        "curation": 1,
        "seen": 1,
        "pmids": [1],
        "kinds": ["taxon"],
        "settings": {},
    }
    code = describe.__code__
    names = code.co_varnames[: code.co_argcount]
    return describe(*(arguments.get(name, 1 if hints[name] is int else "X") for name in names))


@pytest.mark.parametrize("name", [name for name in vars(ApiMethods) if not name.startswith("_")])
def test_every_method_calls_what_the_server_has(name, document):
    method = vars(ApiMethods)[name]
    assert isinstance(method, Operation | Listing | FileDownload)
    call = build_call(method.describe)
    verb = getattr(call, "method", "GET").lower()
    described = [methods.get(verb) for path, methods in document["paths"].items() if fits(path, f"/api/v1/{call.path}")]
    [operation] = filter(None, described)
    parameters = {each["name"] for each in operation.get("parameters", ()) if each["in"] == "query"}
    assert set(call.query) <= parameters
    assert not isinstance(call, ListCall) or "limit" in parameters


def fits(template, path):
    parts, names = template.split("/"), path.split("/")
    return len(parts) == len(names) and all(
        part == name or part.startswith("{") for part, name in zip(parts, names, strict=True)
    )
