"""Context of the manual's page about challenges: the access table."""

from bcms.manual.access_summary import list_access_groups


def build_challenges_context() -> dict[str, object]:
    return {"access_groups": list_access_groups()}
