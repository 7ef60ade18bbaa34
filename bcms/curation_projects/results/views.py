"""The page with the results of a project, and its tables as CSV files."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotations.curation.projects.questions import FREE_QUESTION, SCALE
from bcms.curation_projects.access import check_may_read_results
from bcms.curation_projects.results.counted_curations import load_counted_curations
from bcms.curation_projects.results.downloads import build_results_csv_response
from bcms.curation_projects.results.plot import render_scores_plot
from bcms.curation_projects.results.queries import load_project_results
from bcms.curation_projects.results.references import find_reference, list_references
from bcms.curation_projects.views import get_open_project_or_404


@never_cache
@login_required
@require_safe
def show_results(request: HttpRequest, pk: int) -> HttpResponse:
    """For those who may read what was decided, everything; for a curator the time and decisions of their own work."""
    opened = get_open_project_or_404(request, pk)
    check_may_read_results(opened.rights)
    context: dict[str, object] = {"project": opened.project, "rights": opened.rights}
    if not opened.rights.read:
        context["own"] = load_counted_curations(opened.project, request.user, own=True)
        return render(request, "curation_projects/own_results.html", context)
    references = list_references(opened.project, request.user)
    reference = find_reference(references, request.GET.get("reference", ""))
    if reference is None:
        raise Http404
    results = load_project_results(opened.project, request.user, reference)
    title = f"{opened.project}: scores against {reference.label}"
    context |= {"results": results, "references": references, "plot": render_scores_plot(title, results)}
    context |= {"scale": SCALE, "free_question": FREE_QUESTION}
    return render(request, "curation_projects/results.html", context)


@never_cache
@login_required
@require_safe
def download_results_csv(request: HttpRequest, pk: int, table: str) -> StreamingHttpResponse:
    opened = get_open_project_or_404(request, pk)
    reference = request.GET.get("reference", "")
    return build_results_csv_response(opened.project, opened.rights, request.user, table, reference)
