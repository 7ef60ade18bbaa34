from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotations.kinds import LABELS, TASK_NAMES, Kind


@require_safe
def manual(request: HttpRequest) -> HttpResponse:
    kinds = [(kind, LABELS[kind], ", ".join(TASK_NAMES[kind])) for kind in Kind]
    return render(request, "manual.html", {"kinds": kinds})
