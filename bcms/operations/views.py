"""The page for those who run the site."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from bcms.operations.site_state import load_site_state
from evaluation.visibility import is_staff


@login_required
@require_safe
def show_operations(request: HttpRequest) -> HttpResponse:
    """The state of the site, for administrators."""
    if not is_staff(request.user):
        raise PermissionDenied
    return render(request, "operations/operations.html", {"site": load_site_state(timezone.now())})
