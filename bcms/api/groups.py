"""The groups of operations in the OpenAPI document, on the documentation page and in the console."""

from collections.abc import Mapping, Sequence
from typing import Any

_CHALLENGE = "/challenges/{slug}"
# The title of each group with the beginnings of its paths; of several, the longest decides.
GROUP_PATHS: Mapping[str, Sequence[str]] = {
    "Articles": ("/articles/", "/article-requests/"),
    "Pasted texts": ("/pasted-texts/",),
    "Corpora and consensus": ("/corpora/", "/consensus-methods/"),
    "Exports": ("/export/",),
    "Data sets": ("/data/",),
    "Digital abstracts": ("/digital-abstracts/",),
    "Identifier lookup": ("/entries/",),
    "Servers": ("/servers/", "/server-reviews/"),
    "Teams": ("/teams/",),
    "Curations": ("/curations/", "/curation-worklist/"),
    "Curation projects": ("/curation-projects/",),
    "Manuscripts": ("/manuscripts/",),
    "Challenges": ("/challenges/", "/challenge-reviews/"),
    "Challenge content": tuple(
        f"{_CHALLENGE}/{part}/" for part in ("tasks", "corpora", "by-hand", "pictures", "definition", "archive")
    ),
    "Phases": (f"{_CHALLENGE}/phases/",),
    "Announcements and discussion": tuple(f"{_CHALLENGE}/{part}/" for part in ("announcements", "discussion", "posts")),
    "Labelling": ("/labels/", f"{_CHALLENGE}/labellings/"),
    "Judging of passages": (f"{_CHALLENGE}/{{phase}}/{{task}}/pool/",),
    "Leaderboards": (f"{_CHALLENGE}/{{phase}}/{{task}}/",),
    "Runs": ("/runs/", "/uploads/", f"{_CHALLENGE}/{{phase}}/{{task}}/runs/"),
    "Measures and TAP-k": ("/measures/", "/tapk/"),
    "Account and notifications": ("/account/", "/notifications/"),
    "Audit trail": ("/audit/",),
}


def find_operation_group(path: str) -> str:
    """The title of the group of a path below the root of the API, such as /articles/; LookupError if it has none."""
    matches = [
        (len(beginning), title)
        for title, beginnings in GROUP_PATHS.items()
        for beginning in beginnings
        if path.startswith(beginning)
    ]
    if not matches:
        raise LookupError(f"{path} is in no group of operations: add it to GROUP_PATHS")
    return max(matches)[1]


def group_operations(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Tag each operation with its group, and list the groups in their order: a hook of drf-spectacular."""
    for path, item in result["paths"].items():
        for operation in item.values():
            operation["tags"] = [find_operation_group(path.removeprefix("/api/v1"))]
    result["tags"] = [{"name": title} for title in GROUP_PATHS]
    return result
