"""Context of the manual's page about challenges: the access table."""

from bcms.manual.access_summary import list_access_groups_by_audience


def build_url_access_by_audience_context() -> dict[str, object]:
    return {"access_groups": list_access_groups_by_audience()}
