"""The results of a project as CSV files."""

from collections.abc import Callable, Iterator, Sequence

from django.http import Http404, StreamingHttpResponse

from annotations.curation.projects.models import CurationProject
from bcms.curation_projects.access import ProjectRights, check_may_read_results
from bcms.curation_projects.results.counted_curations import load_counted_curations
from bcms.curation_projects.results.queries import ProjectResults, load_project_results, load_replies
from bcms.curation_projects.results.references import ResultsReference, find_reference, list_references
from bcms.curation_projects.results.table_rows import (
    iter_agreement_rows,
    iter_curation_rows,
    iter_own_rows,
    iter_score_rows,
)
from bcms.lib.rest.limits import claim_file_slot_while_streaming
from bcms.lib.table_text import format_csv
from servers.teams.permissions import User

Rows = Iterator[Sequence[object]]
CURATIONS_TABLE = "curations"
TABLES: dict[str, Callable[[ProjectResults], Rows]] = {
    CURATIONS_TABLE: iter_curation_rows,
    "scores": iter_score_rows,
    "agreement": iter_agreement_rows,
}


def build_results_csv_response(
    project: CurationProject, rights: ProjectRights, reader: User, table: str, reference: str
) -> StreamingHttpResponse:
    """A stream of one of TABLES. PermissionDenied for readers without rights, Http404 for another table or reference.

    reference: as in ResultsReference.value, "" for the outcome.
    """
    check_may_read_results(rights)
    if table not in TABLES or not (rights.read or table == CURATIONS_TABLE):
        raise Http404
    rows = _read_all(project, reader, table, reference) if rights.read else _read_own(project, reader)
    response = StreamingHttpResponse((format_csv([row]) for row in rows), content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="project-{project.pk}-{table}.csv"'
    return claim_file_slot_while_streaming(response)


def _read_own(project: CurationProject, reader: User) -> Rows:
    own = load_counted_curations(project, reader, own=True)
    return iter_own_rows(own, load_replies(own, project))


def _read_all(project: CurationProject, reader: User, table: str, reference: str) -> Rows:
    return TABLES[table](load_project_results(project, reader, get_reference_or_404(project, reader, reference)))


def get_reference_or_404(project: CurationProject, reader: User, value: str) -> ResultsReference:
    """A reference that the reader sees by its value; the outcome for ""."""
    reference = find_reference(list_references(project, reader), value)
    if reference is None:
        raise Http404
    return reference
