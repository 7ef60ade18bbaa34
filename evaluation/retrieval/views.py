"""The page on which anybody scores retrieval lists by TAP-k."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_http_methods

from annotations.formats.errors import RefusedFileError
from bcms.lib.rest.limits import count_request_and_check_limit
from bcms.lib.svg.axes import Axis
from bcms.lib.svg.line_charts import render_line_chart
from bcms.lib.svg.series_lines import LineSeries
from evaluation.analyses.tap_reports import PLOTTED_K, TapReport, build_tap_report
from evaluation.measures.tap import TapError, TapK
from evaluation.retrieval.forms import RetrievalListsForm
from evaluation.retrieval.pasted_lists import build_refused_lists_error, read_pasted_lists

MAX_SHOWN_QUERIES = 500


@require_http_methods(["GET", "HEAD", "POST"])
def score_retrieval_lists(request: HttpRequest) -> HttpResponse:
    """A form for retrieval lists and, once they are posted, their TAP-k; nothing is stored."""
    if request.method != "POST":
        form = RetrievalListsForm(label_suffix="")
        return render(request, "evaluation/retrieval/tapk.html", {"form": form})
    count_request_and_check_limit(request)
    form = RetrievalListsForm(request.POST, label_suffix="")
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        try:
            context |= _build_report_context(form.cleaned_data)
        except RefusedFileError as error:
            context["faults"] = error.faults
    status = 422 if form.errors or "faults" in context else 200
    return render(request, "evaluation/retrieval/tapk.html", context, status=status)


def _build_report_context(data: dict[str, Any]) -> dict[str, Any]:
    """What the page shows. RefusedFileError with all faults of the lists."""
    lists = read_pasted_lists(data["lists"])
    try:
        report = build_tap_report(lists, data["k"], pad=data["pad"])
    except TapError as error:
        raise build_refused_lists_error(error.wrong, error.fix) from None
    shown = [retrieval.query for retrieval in lists[:MAX_SHOWN_QUERIES]]
    taps: Sequence[TapK | None] = report.taps or [None] * len(report.per_list)
    return {
        "report": report,
        "rows": list(zip(taps, report.per_list, strict=True)),
        "queries": [(name, [tap.queries[name] for tap in report.taps or report.per_list]) for name in shown],
        "number": len(lists),
        "hidden": len(lists) - len(shown),
        "plot": _render_tap_plot(report),
    }


def _render_tap_plot(report: TapReport) -> SafeString:
    """TAP-k for each k, with a common threshold and with one for each list."""
    lines = [LineSeries("TAP-k per list", list(report.per_list_points))]
    if report.common_points:
        lines.insert(0, LineSeries("TAP-k", list(report.common_points)))
    drawing = render_line_chart(
        lines,
        id_prefix="tapk",
        title="TAP-k by the number of errors",
        description="The figures of the chosen k are in the table above.",
        x_axis=Axis("k, the number of errors", 1, PLOTTED_K),
        y_axis=Axis("TAP-k"),
    )
    # render_line_chart escapes every text.
    return mark_safe(drawing)
