"""Look up uploads for pages and API."""

from django.http import Http404
from django.shortcuts import get_object_or_404

from evaluation.runs.permissions import can_see_run
from evaluation.runs.uploads.models import Upload
from evaluation.runs.uploads.team_uploads import list_uploads_with_details
from servers.teams.permissions import User


def get_visible_upload_or_404(user: User, pk: int) -> Upload:
    """Return the upload if the user may see it. Raises Http404 otherwise."""
    upload = get_object_or_404(list_uploads_with_details(), pk=pk)
    if not can_see_run(user, upload):
        raise Http404
    return upload
